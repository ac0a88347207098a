//===- pl-host-run.cpp - runs an emitted program on the host shim ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  pl::HostOptions options;
  cl::OptionCategory category("options");
  cl::opt<std::string, true> build(
      cl::Positional, cl::desc("<directory of plc compile>"), cl::Required,
      cl::location(options.buildDirectory), cl::cat(category));
  cl::opt<std::string, true> data(
      "data", cl::desc("inputs and expected outputs, as of --save-data"),
      cl::location(options.dataDirectory), cl::cat(category));
  cl::opt<std::string, true> against(
      "against",
      cl::desc("folder of --data to compare with: out (the golden's values, "
               "the default) or run (the simulated ones)"),
      cl::location(options.against), cl::init("out"), cl::cat(category));
  cl::opt<std::string, true> out("out", cl::desc("write the outputs here"),
                                 cl::location(options.outDirectory),
                                 cl::cat(category));
  cl::opt<std::string, true> work(
      "work", cl::desc("folder of the shared objects (default: BUILD/host)"),
      cl::location(options.workDirectory), cl::cat(category));
  cl::opt<std::string, true> compiler(
      "cxx", cl::desc("C++ compiler"), cl::location(options.compiler),
      cl::init("clang++-22"), cl::cat(category));
  cl::opt<std::string, true> isa("isa",
                                 cl::desc("folder of the tile ISA headers"),
                                 cl::location(options.isaDirectory),
                                 cl::init(PL_ISA_DIR), cl::cat(category));
  cl::opt<unsigned, true> jobs("jobs", cl::desc("files compiled at a time"),
                               cl::location(options.jobs), cl::init(2),
                               cl::cat(category));
  cl::opt<std::string, true> ptoIsa(
      "pto-isa", cl::desc("checkout of the public tile ISA"),
      cl::location(options.ptoIsaDirectory), cl::cat(category));
  cl::opt<std::string, true> simpler(
      "simpler", cl::desc("checkout of the public runtime"),
      cl::location(options.simplerDirectory), cl::cat(category));
  cl::opt<double, true> rtol("rtol", cl::desc("relative tolerance"),
                             cl::location(options.rtol), cl::cat(category));
  cl::opt<double, true> atol("atol", cl::desc("absolute tolerance"),
                             cl::location(options.atol), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles emitted C++ against the host shim. With --data, runs it and\n"
      "compares the outputs, bit for bit without tolerances: exit 0 if equal,\n"
      "3 if not. With --pto-isa and --simpler, kernels are compiled against\n"
      "the public headers and run in their CPU simulation.\n");

  llvm::ExitOnError check("pl-host-run: ");
  pl::HostProgram program = check(pl::HostProgram::open(options));
  check(program.compile());
  if (options.dataDirectory.empty())
    return 0;
  check(program.run());
  if (!options.outDirectory.empty())
    check(program.writeOutputs());
  return check(program.compare()) ? 3 : 0;
}
