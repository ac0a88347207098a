//===- SourceDiagnostics.h - MLIR's diagnostics in the user's file --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_SOURCEDIAGNOSTICS_H
#define PL_DRIVER_SOURCEDIAGNOSTICS_H

#include "pl/Frontend/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace pl::driver {

/// The place of a location in the files that were read, and the calls it was
/// inlined through, innermost first.
struct ResolvedLocation {
  frontend::SourceRange range;
  /// "file:line:col" where the file itself is not at hand, else empty.
  std::string text;
  llvm::SmallVector<frontend::SourceRange, 2> calledFrom;
};
ResolvedLocation resolveLocation(frontend::SourceManager &sources,
                                 mlir::LocationAttr location);

/// Starts a diagnostic at a location; calls it was inlined through become
/// notes.
frontend::Diagnostic makeDiagnostic(frontend::SourceManager &sources,
                                    frontend::Severity severity,
                                    mlir::LocationAttr location,
                                    llvm::StringRef message);

/// While it lives, what passes and verifiers report is printed as the front end
/// prints its own errors: place, message, source line, caret, notes.
class SourceDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  /// `remarks` says which remarks about speed are printed (CommandLine.h).
  SourceDiagnosticHandler(mlir::MLIRContext *context,
                          frontend::DiagnosticEngine &diagnostics,
                          std::optional<std::string> remarks = std::nullopt);
};

} // namespace pl::driver

#endif // PL_DRIVER_SOURCEDIAGNOSTICS_H
