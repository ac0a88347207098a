//===- TorchSupport.h - host programs that use torch ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_REFERENCE_TORCHSUPPORT_H
#define PL_TEST_UNIT_REFERENCE_TORCHSUPPORT_H

#include "pl/Frontend/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace pl::frontend::test {

/// Runs a module after `import torch`; what it prints and reports, or "".
inline std::string runTorch(llvm::StringRef program) {
  std::string reports, output;
  llvm::raw_string_ostream reportStream(reports), outputStream(output);
  SourceManager sources;
  LoadOptions options;
  options.output = &outputStream;
  {
    DiagnosticEngine diagnostics(sources);
    diagnostics.setHandler([&](const Diagnostic &diagnostic) {
      reportStream << diagnostic.message << '\n';
      if (diagnostic.severity == Severity::Error)
        reportStream << "  at: "
                     << sources.getText(diagnostic.range).split('\n').first
                     << '\n';
    });
    Session session(sources, diagnostics, options, createArrayOps());
    std::string text = "import torch\n" + program.str();
    bool failed = llvm::failed(session.loadText("test.plk", text));
    diagnostics.flush();
    if (failed && reports.empty())
      reportStream << "failed without a report\n";
  }
  return output + reports;
}

} // namespace pl::frontend::test

#endif // PL_TEST_UNIT_REFERENCE_TORCHSUPPORT_H
