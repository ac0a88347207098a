//===- Support.h - what the fuzz targets share ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_FUZZ_SUPPORT_H
#define PL_TEST_FUZZ_SUPPORT_H

#include "pl/Frontend/Module.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace pl::fuzz {

/// Ends the run as a finding; for what must hold whatever the input is.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  llvm::errs() << "broken: " << what << "\n";
  std::abort();
}

/// One input as a program that was loaded. The limit on steps is small, so that
/// an endless loop is one more input and no finding.
struct Program {
  Program(const uint8_t *data, size_t size) : diagnostics(sources) {
    diagnostics.printTo(llvm::nulls());
    frontend::LoadOptions options;
    options.stepLimit = 100'000;
    options.memoryLimit = uint64_t(64) << 20;
    options.output = &llvm::nulls();
    session = std::make_unique<frontend::Session>(
        sources, diagnostics, std::move(options), frontend::createArrayOps());
    llvm::StringRef text(reinterpret_cast<const char *>(data), size);
    isGood = llvm::succeeded(session->loadText("input.plk", text));
    requireReason(isGood);
  }

  /// Who fails says why, and who says an error fails.
  void requireReason(bool succeeded) {
    diagnostics.flush();
    require(succeeded != diagnostics.hasErrors(),
            succeeded ? "success with errors" : "failure without an error");
  }

  frontend::SourceManager sources;
  frontend::DiagnosticEngine diagnostics;
  std::unique_ptr<frontend::Session> session;
  bool isGood = false;
};

} // namespace pl::fuzz

#endif // PL_TEST_FUZZ_SUPPORT_H
