//===- CommandLine.cpp - What the user asked plc to do --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/CommandLine.h"

#include "OptionTable.h"
#include "pl/Driver/Explain.h"
#include "pl/Driver/Pipeline.h"
#include "pl/Frontend/Diagnostics.h"
#include "pl/Frontend/PrintableText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

StringRef stringify(Phase phase) {
  constexpr StringLiteral names[] = {"ast",   "pl",    "tasks",
                                     "tiles", "emitc", "cpp"};
  return names[static_cast<unsigned>(phase)];
}

std::optional<Phase> parsePhase(StringRef name) {
  for (unsigned i = 0; i <= static_cast<unsigned>(Phase::Cpp); ++i)
    if (stringify(static_cast<Phase>(i)) == name)
      return static_cast<Phase>(i);
  return std::nullopt;
}

StringRef stringify(Command command) {
  constexpr StringLiteral names[] = {"compile", "check", "run", "graph"};
  return names[static_cast<unsigned>(command)];
}

StringRef stringify(RunOrder order) {
  constexpr StringLiteral names[] = {"program", "oldest", "newest", "shuffle"};
  return names[static_cast<unsigned>(order)];
}

void registerMlirOptions() {
  // Options that name passes know those of our pipelines.
  registerPipelines();
  mlir::registerTransformsPasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

namespace {

/// One run over the arguments.
class Parser {
public:
  Parser(ArrayRef<const char *> args, raw_ostream &out, raw_ostream &err)
      : args(args), out(out), err(err) {}

  std::optional<Options> parse(int &exitCode);

private:
  /// Reports a mistake; the result of `parse` is then ExitUsage.
  bool wrong(const Twine &message) {
    err << "plc: error: " << frontend::makePrintable(message.str()) << "\n";
    return false;
  }
  bool parseCommand();
  bool parseExplain();
  bool parseOption(StringRef argument);
  bool apply(const OptionSpec &spec, StringRef value);
  bool applyDefine(StringRef value);
  bool forwardToMlir(StringRef argument, StringRef name);
  bool unknownOption(StringRef argument, StringRef name);
  bool finish();
  template <typename T>
  bool number(const OptionSpec &spec, StringRef value, T &result);
  bool choice(const OptionSpec &spec, StringRef value);

  ArrayRef<const char *> args;
  raw_ostream &out, &err;
  size_t next = 1;
  Options options;
  bool haveFile = false;
  /// Set when help or the version was printed.
  bool done = false;
  SmallVector<const char *> mlirArgs;
};

} // namespace

static bool matches(const OptionSpec &spec, StringRef name, Command command) {
  return name == spec.name && spec.takes(command);
}

static const OptionSpec *findOption(StringRef name, Command command) {
  for (const OptionSpec &spec : getOptionTable())
    if (matches(spec, name, command))
      return &spec;
  return nullptr;
}

bool Parser::parseCommand() {
  StringRef word = args.size() > 1 ? args[1] : "";
  if (word.empty()) {
    printGeneralHelp(err);
    return false;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    done = true;
    if (word == "help" && args.size() > 2) {
      if (StringRef(args[2]) == "explain") {
        printExplainHelp(out);
        return true;
      }
      for (Command command : allCommands)
        if (stringify(command) == args[2]) {
          printCommandHelp(out, command);
          return true;
        }
      done = false;
      return wrong("unknown command '" + Twine(args[2]) + "'; " +
                   listCommands());
    }
    printGeneralHelp(out);
    return true;
  }
  if (word == "--version") {
    done = true;
    printVersion(out);
    return true;
  }
  for (Command command : allCommands)
    if (stringify(command) == word) {
      options.command = command;
      next = 2;
      return true;
    }
  if (word == "explain")
    return parseExplain();
  // `plc --emit=PHASE FILE` needs no command: only one can be meant.
  if (word.starts_with("--emit"))
    return true;
  if (word == "compare" || word == "tune")
    return wrong("'plc " + word + "' is not there yet; " + listCommands());
  if (word.starts_with("-"))
    return wrong("a command comes before the options; " + listCommands());
  SmallVector<StringRef> names;
  for (Command command : allCommands)
    names.push_back(stringify(command));
  names.push_back("explain");
  return wrong("unknown command '" + word + "'" +
               frontend::didYouMean(word, names) + "; " + listCommands());
}

/// `plc explain [CODE]...` has no file and no options.
bool Parser::parseExplain() {
  done = true;
  ArrayRef<const char *> codes = args.drop_front(2);
  for (StringRef code : codes)
    if (code == "--help" || code == "-h") {
      printExplainHelp(out);
      return true;
    }
  if (codes.empty()) {
    listCodes(out);
    return true;
  }
  SmallVector<std::string> unknown;
  for (StringRef code : codes) {
    if (code.starts_with("-"))
      return wrong("plc explain takes no option '" + code +
                   "'; see plc explain --help");
    if (!hasCode(code))
      unknown.push_back(("'" + code + "'").str());
  }
  if (!unknown.empty())
    return wrong("there is no code " + llvm::join(unknown, " and no code ") +
                 "; there are " + listCodeRanges());
  for (auto [i, code] : enumerate(codes)) {
    out << (i == 0 ? "" : "\n");
    explainCode(out, code);
  }
  return true;
}

bool Parser::unknownOption(StringRef argument, StringRef name) {
  SmallVector<StringRef> names;
  for (const OptionSpec &spec : getOptionTable()) {
    if (spec.takes(options.command)) {
      if (spec.name.size() > 1)
        names.push_back(spec.name);
    } else if (spec.name == name)
      return wrong("'plc " + stringify(options.command) +
                   "' takes no option '--" + name + "'; see plc " +
                   stringify(options.command) + " --help");
  }
  if (name.starts_with("mlir-"))
    for (auto &entry : cl::getRegisteredOptions())
      if (entry.first.starts_with("mlir-"))
        names.push_back(entry.first);
  // The registry has no order of its own.
  llvm::sort(names);
  StringRef near = frontend::suggest(name, names);
  return wrong("unknown option '" + argument.split('=').first + "'" +
               (near.empty() ? Twine("") : "; did you mean '--" + near + "'?") +
               (near.empty() ? "; see plc " : " See plc ") +
               stringify(options.command) + " --help");
}

/// Whether llvm::cl has an option of this name that plc hands on. libLLVM also
/// registers the options of its code generators, which mean nothing here.
static const cl::Option *findMlirOption(StringRef name) {
  bool handedOn = name.starts_with("mlir-") || name.starts_with("remark") ||
                  name == "debug" || name == "debug-only" || name == "stats";
  if (!handedOn)
    return nullptr;
  auto &registered = cl::getRegisteredOptions();
  auto it = registered.find(name);
  return it == registered.end() ? nullptr : it->second;
}

bool Parser::forwardToMlir(StringRef argument, StringRef name) {
  const cl::Option *option = findMlirOption(name);
  if (!option)
    return unknownOption(argument, name);
  mlirArgs.push_back(args[next - 1]);
  if (option->getValueExpectedFlag() == cl::ValueRequired &&
      !argument.contains('=') && next < args.size())
    mlirArgs.push_back(args[next++]);
  return true;
}

template <typename T>
bool Parser::number(const OptionSpec &spec, StringRef value, T &result) {
  if (!value.getAsInteger(10, result))
    return true;
  return wrong("--" + spec.name + " needs a whole number, got '" + value + "'");
}

bool Parser::choice(const OptionSpec &spec, StringRef value) {
  SmallVector<StringRef> choices;
  spec.choices.split(choices, '|');
  if (is_contained(choices, value))
    return true;
  return wrong("--" + spec.name + " is one of " + llvm::join(choices, ", ") +
               "; got '" + value + "'" + frontend::didYouMean(value, choices));
}

bool Parser::applyDefine(StringRef value) {
  auto [name, text] = value.split('=');
  if (name.empty() || !value.contains('='))
    return wrong("-D needs name=value, got '" + value + "'");
  for (auto &[other, otherText] : options.defines)
    if (other == name && otherText != text)
      return wrong("-D " + name + " is given twice, as '" + otherText +
                   "' and as '" + text + "'");
  options.defines.emplace_back(name.str(), text.str());
  return true;
}

bool Parser::apply(const OptionSpec &spec, StringRef value) {
  if (!spec.choices.empty() && !choice(spec, value))
    return false;
  switch (spec.id) {
  case Opt::Help:
    printCommandHelp(out, options.command);
    done = true;
    return true;
  case Opt::Define:
    return applyDefine(value);
  case Opt::ListParams:
    options.listParams = true;
    return true;
  case Opt::Include:
    options.includeDirs.push_back(value.str());
    return true;
  case Opt::Entry:
    options.entry = value.str();
    return true;
  case Opt::Machine:
    options.machine = value.str();
    return true;
  case Opt::Schedule:
    options.schedule = value.str();
    return true;
  case Opt::Output:
    options.outputDir = value.str();
    return true;
  case Opt::OutputFile:
    options.outputFile = value.str();
    return true;
  case Opt::Emit:
    options.emit = parsePhase(value);
    return true;
  case Opt::SaveTemps:
    options.saveTemps = true;
    return true;
  case Opt::Order:
    for (RunOrder order : {RunOrder::Program, RunOrder::Oldest,
                           RunOrder::Newest, RunOrder::Shuffle})
      if (stringify(order) == value)
        options.order = order;
    return true;
  case Opt::Seed:
    return number(spec, value, options.seed);
  case Opt::Seeds:
    if (!number(spec, value, options.seeds))
      return false;
    if (options.seeds == 0 || options.seeds > 1000000)
      return wrong("--seeds must lie in [1, 1000000], got " + value);
    return true;
  case Opt::Threads:
    if (!number(spec, value, options.threads))
      return false;
    if (options.threads == 0 || options.threads > 1024)
      return wrong("--threads must lie in [1, 1024], got " + value);
    return true;
  case Opt::Json:
    options.json = true;
    return true;
  case Opt::SaveData:
    options.saveData = value.str();
    return true;
  case Opt::GoldenData:
    options.goldenData = value.str();
    return true;
  case Opt::Inputs:
    options.inputs = value.str();
    return true;
  case Opt::Format:
    options.graphJson = value == "json";
    return true;
  case Opt::Rounds:
    if (!number(spec, value, options.rounds))
      return false;
    if (options.rounds == 0 || options.rounds > 1000)
      return wrong("--rounds must lie in [1, 1000], got " + value);
    return true;
  case Opt::Cores:
    if (!number(spec, value, options.cores))
      return false;
    if (options.cores == 0 || options.cores > 1024)
      return wrong("--cores must lie in [1, 1024], got " + value);
    return true;
  case Opt::Pipes:
    options.pipesAdversarial = value == "adversarial";
    return true;
  case Opt::Remarks:
    if (std::string why; !value.empty() && !Regex(value).isValid(why))
      return wrong("--remarks needs a regular expression, got '" + value +
                   "': " + why);
    options.remarks = value.str();
    return true;
  case Opt::NotYet:
    return wrong("--" + spec.name + " is not there yet (" + spec.help + ")");
  }
  return false;
}

bool Parser::parseOption(StringRef argument) {
  // -Dname=value, -IDIR, -oDIR
  if (!argument.starts_with("--")) {
    StringRef letter = argument.substr(1, 1);
    const OptionSpec *spec = findOption(letter, options.command);
    if (spec && !spec->metavar.empty()) {
      StringRef value = argument.substr(2);
      if (value.empty()) {
        if (next == args.size())
          return wrong("-" + letter + " needs a value: -" + letter + " " +
                       spec->metavar);
        value = args[next++];
        if (value.empty())
          return wrong("-" + letter + " needs a value, got an empty one: -" +
                       letter + " " + spec->metavar);
      }
      return apply(*spec, value);
    }
    if (argument == "-h") {
      printCommandHelp(out, options.command);
      done = true;
      return true;
    }
  }
  StringRef name = argument.ltrim('-').split('=').first;
  bool hasValue = argument.contains('=');
  const OptionSpec *spec = findOption(name, options.command);
  if (!spec || name.size() == 1)
    return forwardToMlir(argument, name);
  StringRef value = argument.split('=').second;
  if (spec->metavar.empty()) {
    if (hasValue && !spec->isNotYet())
      return wrong("--" + spec->name + " takes no value, got '" + value + "'");
    return apply(*spec, "");
  }
  bool mayBeBare = spec->isNotYet() || spec->id == Opt::Remarks;
  if (!hasValue && !mayBeBare) {
    if (next == args.size())
      return wrong("--" + spec->name + " needs a value: --" + spec->name + "=" +
                   spec->metavar);
    value = args[next++];
  }
  if (value.empty() && !mayBeBare)
    return wrong("--" + spec->name + " needs a value: --" + spec->name + "=" +
                 spec->metavar);
  return apply(*spec, value);
}

/// What can only be judged once everything is read.
bool Parser::finish() {
  StringRef command = stringify(options.command);
  if (!haveFile)
    return wrong("no input file: plc " + command + " FILE; see plc " + command +
                 " --help");
  if (!options.goldenData.empty() && !options.inputs.empty())
    return wrong("--golden-data and --inputs both say where inputs come from; "
                 "give one of them");
  if (options.seeds > 1 && options.order != RunOrder::Shuffle &&
      !options.pipesAdversarial)
    return wrong("--seeds needs something that is drawn: --order=shuffle, "
                 "--pipes=adversarial or both");
  // llvm::cl reports its own mistakes (a value that does not parse).
  SmallVector<const char *> forwarded = {"plc"};
  forwarded.append(mlirArgs.begin(), mlirArgs.end());
  return cl::ParseCommandLineOptions(static_cast<int>(forwarded.size()),
                                     forwarded.data(), "", &err);
}

std::optional<Options> Parser::parse(int &exitCode) {
  exitCode = ExitUsage;
  if (!parseCommand())
    return std::nullopt;
  while (!done && next < args.size()) {
    StringRef argument = args[next++];
    if (argument == "--") {
      for (; next < args.size(); ++next)
        options.argv.push_back(args[next]);
      break;
    }
    if (argument.size() > 1 && argument.starts_with("-")) {
      if (!parseOption(argument))
        return std::nullopt;
      continue;
    }
    if (haveFile) {
      wrong("two input files, '" + options.file + "' and '" + argument +
            "'; arguments of the module come after --");
      return std::nullopt;
    }
    options.file = argument.str();
    haveFile = true;
  }
  if (done) {
    exitCode = ExitGood;
    return std::nullopt;
  }
  if (!finish())
    return std::nullopt;
  return std::move(options);
}

std::optional<Options> parseCommandLine(ArrayRef<const char *> args,
                                        raw_ostream &out, raw_ostream &err,
                                        int &exitCode) {
  return Parser(args, out, err).parse(exitCode);
}

} // namespace pl::driver
