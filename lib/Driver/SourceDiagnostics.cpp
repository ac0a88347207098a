//===- SourceDiagnostics.cpp - MLIR's diagnostics in the user's file ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/SourceDiagnostics.h"

#include "pl/Frontend/DiagCodes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using pl::frontend::DiagCode;
using pl::frontend::Diagnostic;
using pl::frontend::Severity;
using pl::frontend::SourceManager;
using pl::frontend::SourceRange;

namespace pl::driver {

/// The buffer of a file that a location names. IR that was written to a file
/// names sources that this run did not read; they are read now.
static uint32_t findBuffer(SourceManager &sources, StringRef file) {
  for (uint32_t id = 1; id <= sources.getLLVM().getNumBuffers(); ++id)
    if (sources.getName(id) == file)
      return id;
  std::string error;
  return file == "-" ? 0 : sources.addFile(file, error);
}

static uint32_t findOffset(SourceManager &sources, uint32_t buffer,
                           unsigned line, unsigned column) {
  SMLoc loc = sources.getLLVM().FindLocForLineAndColumn(buffer, line, column);
  if (!loc.isValid())
    return ~0u;
  return static_cast<uint32_t>(loc.getPointer() -
                               sources.getText(buffer).data());
}

static void resolve(SourceManager &sources, mlir::LocationAttr location,
                    ResolvedLocation &result) {
  if (auto file = dyn_cast<mlir::FileLineColRange>(location)) {
    uint32_t buffer = findBuffer(sources, file.getFilename().getValue());
    uint32_t begin = buffer ? findOffset(sources, buffer, file.getStartLine(),
                                         file.getStartColumn())
                            : ~0u;
    if (begin == ~0u) {
      result.text =
          (file.getFilename().getValue() + ":" + Twine(file.getStartLine()) +
           ":" + Twine(file.getStartColumn()))
              .str();
      return;
    }
    uint32_t end =
        findOffset(sources, buffer, file.getEndLine(), file.getEndColumn());
    result.range =
        SourceRange(buffer, begin, end == ~0u || end < begin ? begin : end);
    return;
  }
  if (auto name = dyn_cast<mlir::NameLoc>(location))
    return resolve(sources, name.getChildLoc(), result);
  if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    resolve(sources, call.getCallee(), result);
    ResolvedLocation caller;
    resolve(sources, call.getCaller(), caller);
    if (caller.range.isValid())
      result.calledFrom.push_back(caller.range);
    result.calledFrom.append(caller.calledFrom);
    return;
  }
  if (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations()) {
      resolve(sources, part, result);
      if (result.range.isValid())
        return;
    }
    return;
  }
  if (auto opaque = dyn_cast<mlir::OpaqueLoc>(location))
    resolve(sources, opaque.getFallbackLocation(), result);
}

ResolvedLocation resolveLocation(SourceManager &sources,
                                 mlir::LocationAttr location) {
  ResolvedLocation result;
  if (location)
    resolve(sources, location, result);
  return result;
}

Diagnostic makeDiagnostic(SourceManager &sources, Severity severity,
                          mlir::LocationAttr location, StringRef message) {
  ResolvedLocation where = resolveLocation(sources, location);
  std::string text = message.str();
  DiagCode code = frontend::takeCode(text);
  if (!where.range.isValid() && !where.text.empty())
    text = where.text + ": " + text;
  Diagnostic diagnostic(severity, where.range, std::move(text));
  diagnostic.code = code;
  for (SourceRange call : where.calledFrom)
    diagnostic.note(call, "in the call here");
  return diagnostic;
}

static Severity convert(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

/// Remarks that nobody needs who only asks whether a program is right.
static bool isAboutSpeed(const Diagnostic &diagnostic) {
  return diagnostic.severity == Severity::Remark &&
         (diagnostic.code == DiagCode::ShortRows ||
          diagnostic.code == DiagCode::EdgeReason ||
          diagnostic.code == DiagCode::DoubtfulEdge ||
          diagnostic.code == DiagCode::NotDecided);
}

/// All that a reader sees of a report.
static std::string textOf(const SourceManager &sources,
                          const Diagnostic &diagnostic) {
  std::string text;
  raw_string_ostream os(text);
  frontend::printDiagnostic(os, sources, diagnostic);
  return text;
}

SourceDiagnosticHandler::SourceDiagnosticHandler(
    mlir::MLIRContext *context, frontend::DiagnosticEngine &diagnostics,
    std::optional<std::string> remarks)
    : ScopedDiagnosticHandler(context) {
  setHandler([&diagnostics, remarks = std::move(remarks),
              seen = StringSet<>()](mlir::Diagnostic &reported) mutable {
    SourceManager &sources = diagnostics.getSources();
    Diagnostic diagnostic =
        makeDiagnostic(sources, convert(reported.getSeverity()),
                       reported.getLocation(), reported.str());
    // Verifiers of ops speak of IR; so do the checks between phases.
    if (diagnostic.severity == Severity::Error &&
        diagnostic.code == DiagCode::None)
      diagnostic.code = DiagCode::InvalidIR;
    if (isAboutSpeed(diagnostic) &&
        (!remarks ||
         (!remarks->empty() &&
          !Regex(*remarks).match(frontend::getCodeName(diagnostic.code) + ": " +
                                 diagnostic.message))))
      return mlir::success();
    // The second place comes before the way to the first.
    std::vector<Diagnostic> calls = std::move(diagnostic.notes);
    diagnostic.notes.clear();
    for (mlir::Diagnostic &note : reported.getNotes()) {
      Diagnostic converted = makeDiagnostic(sources, Severity::Note,
                                            note.getLocation(), note.str());
      converted.notes.clear();
      if (llvm::none_of(diagnostic.notes, [&](const Diagnostic &known) {
            return known.range == converted.range &&
                   known.message == converted.message;
          }))
        diagnostic.notes.push_back(std::move(converted));
    }
    for (Diagnostic &call : calls)
      diagnostic.notes.push_back(std::move(call));
    // A loop over groups makes a task of each: what is wrong in its line is
    // wrong once.
    if (seen.insert(textOf(sources, diagnostic)).second)
      diagnostics.add(std::move(diagnostic));
    return mlir::success();
  });
}

} // namespace pl::driver
