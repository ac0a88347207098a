//===- OptionTable.cpp - The options of plc and their help ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

static constexpr unsigned bit(Command command) {
  return 1u << static_cast<unsigned>(command);
}
static constexpr unsigned all = 0xf;
static constexpr unsigned compile = bit(Command::Compile);
static constexpr unsigned run = bit(Command::Run);
static constexpr unsigned graph = bit(Command::Graph);

static constexpr StringLiteral programGroup = "Program";
static constexpr StringLiteral outputGroup = "Output";
static constexpr StringLiteral scheduleGroup = "Execution";
static constexpr StringLiteral dataGroup = "Data";
static constexpr StringLiteral generalGroup = "General";

static constexpr OptionSpec table[] = {
    {Opt::Define, "D", "name=value",
     "set a parameter of the module (pl.param); may be repeated", all,
     programGroup},
    {Opt::ListParams, "list-params", "",
     "list the parameters that -D sets, and do nothing else", all,
     programGroup},
    {Opt::Include, "I", "DIR",
     "look for imported modules in DIR too; may be repeated", all,
     programGroup},
    {Opt::Entry, "entry", "NAME", "the kernel to take, instead of pl.main's",
     all, programGroup},
    {Opt::Machine, "machine", "NAME", "the machine to compile for (a2a3)", all,
     programGroup, "a2a3"},
    {Opt::Schedule, "schedule", "FILE",
     "other tasks with the same values, as a schedule file says", all,
     programGroup},

    {Opt::Output, "o", "DIR",
     "write the C++ files to DIR (without it: NAME.out)", compile, outputGroup},
    {Opt::Emit, "emit", "PHASE",
     "print one phase: ast, pl, tasks, tiles, emitc or cpp", compile,
     outputGroup, "ast|pl|tasks|tiles|emitc|cpp"},
    {Opt::SaveTemps, "save-temps", "",
     "also write every phase to DIR/ir/NN-PHASE.mlir", compile, outputGroup},
    {Opt::OutputFile, "o", "FILE",
     "write to FILE, whole or not at all; - is standard output (the default)",
     graph, outputGroup},
    {Opt::Format, "format", "FORMAT", "dot (the default) or json", graph,
     outputGroup, "dot|json"},
    {Opt::Json, "json", "", "print the tables as JSON", run, outputGroup},
    {Opt::NotYet, "report", "FILE", "a report of where time goes", run,
     outputGroup},
    {Opt::NotYet, "report-nan", "", "a report of values that are not a number",
     run, outputGroup},
    {Opt::Remarks, "remarks", "REGEX",
     "also print remarks about speed, edges and what no check decided: all, or "
     "those whose code or text matches REGEX",
     all, outputGroup},

    {Opt::Order, "order", "ORDER",
     "which ready task starts: program, oldest, newest or shuffle", run,
     scheduleGroup, "program|oldest|newest|shuffle"},
    {Opt::Seed, "seed", "N",
     "seed of --order=shuffle and --pipes=adversarial (0)", run, scheduleGroup},
    {Opt::Seeds, "seeds", "N",
     "as many seeds, from --seed on; stops at the first that fails (1)", run,
     scheduleGroup},
    {Opt::Threads, "threads", "N",
     "host threads; results do not depend on it (all)", run, scheduleGroup},
    {Opt::Pipes, "pipes", "ORDER",
     "how the pipes of a core work: program or adversarial", run, scheduleGroup,
     "program|adversarial"},
    {Opt::Rounds, "rounds", "N",
     "how often the program runs on its inputs and the same windows (1)", run,
     scheduleGroup},
    {Opt::Cores, "cores", "N",
     "cores of a kind that waiting blocks may hold on a rank (all)", run,
     scheduleGroup},
    {Opt::NotYet, "timing", "", "simulation of time", run, scheduleGroup},
    {Opt::NotYet, "timing-only", "", "simulation of time without values", run,
     scheduleGroup},
    {Opt::NotYet, "trace", "FILE", "a trace for Perfetto", run, scheduleGroup},

    {Opt::SaveData, "save-data", "DIR",
     "save inputs, expected outputs and parameters as .npy files", run,
     dataGroup},
    {Opt::GoldenData, "golden-data", "DIR[:STAGE]",
     "take inputs, expected outputs and parameters from saved files", run,
     dataGroup},
    {Opt::Inputs, "inputs", "DIR",
     "take inputs from DIR/NAME.npy instead of the fixture", run | graph,
     dataGroup},

    {Opt::Help, "help", "", "print this", all, generalGroup},
};

ArrayRef<OptionSpec> getOptionTable() { return table; }

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

static StringRef getSummary(Command command) {
  switch (command) {
  case Command::Compile:
    return "compile a module to C++ kernels and orchestration";
  case Command::Check:
    return "run all static checks; write nothing";
  case Command::Run:
    return "simulate a module and compare it with its golden";
  case Command::Graph:
    return "print the tasks and the edges between them, with their reasons";
  }
  return "";
}

static StringRef getExamples(Command command) {
  switch (command) {
  case Command::Compile:
    return "  plc compile kernel.plk -o out\n"
           "  plc compile kernel.plk --emit=tasks\n"
           "  plc compile kernel.plk --emit=tiles --mlir-print-debuginfo\n";
  case Command::Check:
    return "  plc check kernel.plk\n"
           "  plc check kernel.plk --list-params\n"
           "  plc check kernel.plk -D preset=tiny\n";
  case Command::Run:
    return "  plc run kernel.plk -D tokens=120\n"
           "  plc run kernel.plk --order=shuffle --seed=7\n"
           "  plc run kernel.plk --save-data saved\n"
           "  plc run kernel.plk --golden-data saved\n";
  case Command::Graph:
    return "  plc graph kernel.plk --format=dot | dot -Tsvg -o graph.svg\n"
           "  plc graph kernel.plk --format=json -D tokens=8 -o graph.json\n";
  }
  return "";
}

/// What a command never ends with is not in its help.
static void printExitCodes(raw_ostream &os, bool runs, bool rejects = true,
                           StringRef which = "") {
  os << "Exit codes:\n  0  good"
     << (rejects ? ": warnings and undecided checks included\n" : "\n");
  if (rejects)
    os << "  1  rejected: the diagnostics say why\n";
  os << "  2  wrong command line\n";
  if (runs)
    os << "  3  " << which
       << "the simulated program failed: a wrong value, a race, an access\n"
          "     out of bounds, an undefined value, a deadlock\n";
}

void printGeneralHelp(raw_ostream &os) {
  os << "plc compiles tile-and-task kernels to C++, checks them, and runs them "
        "in a\nsimulator.\n\nUsage: plc COMMAND FILE [options] [-- arguments "
        "of the module]\n\nCommands:\n";
  for (Command command : allCommands)
    os << formatv("  {0,-10}{1}\n", stringify(command), getSummary(command));
  os << formatv("  {0,-10}{1}\n", "explain",
                "say what codes such as PL010 mean, with examples");
  os << "\nFILE is a .plk or .py module, an .mlir file that plc printed, or - "
        "for standard\ninput. plc COMMAND --help lists the options of a "
        "command; plc --version prints the\nversion.\n\nExamples:\n"
        "  plc run kernel.plk\n"
        "  plc run kernel.plk -D tokens=120 --order=shuffle --seed=7\n"
        "  plc compile kernel.plk -o out\n"
        "  plc check kernel.plk\n\n";
  printExitCodes(os, /*runs=*/true, /*rejects=*/true, "plc run only: ");
}

void printCommandHelp(raw_ostream &os, Command command) {
  os << "plc " << stringify(command) << ": " << getSummary(command)
     << "\n\nUsage: plc " << stringify(command)
     << " FILE [options] [-- arguments of the module]\n";
  for (StringRef group :
       {StringRef(outputGroup), StringRef(scheduleGroup), StringRef(dataGroup),
        StringRef(programGroup), StringRef(generalGroup)}) {
    bool first = true;
    for (const OptionSpec &spec : table) {
      if (spec.group != group || !spec.takes(command) || spec.isNotYet())
        continue;
      if (first)
        os << "\n" << group << ":\n";
      first = false;
      bool isShort = spec.name.size() == 1;
      std::string spelling = (isShort ? "-" : "--") + spec.name.str();
      if (!spec.metavar.empty())
        spelling += spec.id == Opt::Remarks
                        ? "[=" + spec.metavar.str() + "]"
                        : (isShort ? " " : "=") + spec.metavar.str();
      os << formatv("  {0,-28}{1}\n", spelling, spec.help);
    }
  }
  os << formatv("  {0,-28}{1}\n", "--mlir-...",
                "the debugging options of MLIR, as in pl-opt --help");
  os << "\nExamples:\n" << getExamples(command) << "\n";
  printExitCodes(os, command == Command::Run);
}

void printExplainHelp(raw_ostream &os) {
  os << "plc explain: say what codes of diagnostics mean, with an example of "
        "each\n\nUsage: plc explain [CODE]...\n\nA code is a number with or "
        "without PL: PL010, pl010 and 10 are one. Without a code\nit lists "
        "them all with their titles.\n\nExamples:\n"
        "  plc explain\n"
        "  plc explain PL010\n"
        "  plc explain 110 111\n\n";
  printExitCodes(os, /*runs=*/false, /*rejects=*/false);
}

void printVersion(raw_ostream &os) {
  os << "plc " << PLC_VERSION << " (MLIR " << LLVM_VERSION_STRING << ")\n";
}

std::string listCommands() {
  SmallVector<StringRef> names;
  for (Command command : allCommands)
    names.push_back(stringify(command));
  names.push_back("explain");
  return "the commands are " + llvm::join(names, ", ");
}

} // namespace pl::driver
