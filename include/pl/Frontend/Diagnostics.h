//===- Diagnostics.h - source locations and error reports -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Locations are a buffer id and a byte offset, so that a syntax node stays
// small; SourceManager turns them into file, line and column on demand. A
// DiagnosticEngine collects several errors per run, prints each with its source
// line and caret, and stops at a limit so that broken input stays readable.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_DIAGNOSTICS_H
#define PL_FRONTEND_DIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace pl::frontend {

/// A half-open range of bytes of one buffer. Buffer 0 means "nowhere".
struct SourceRange {
  uint32_t buffer = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  SourceRange() = default;
  SourceRange(uint32_t buffer, uint32_t begin, uint32_t end)
      : buffer(buffer), begin(begin), end(end) {}

  bool isValid() const { return buffer != 0; }
  /// From the start of this range to the end of `other`.
  SourceRange to(SourceRange other) const {
    return {buffer, begin, other.end < begin ? end : other.end};
  }
  /// The first byte only; where an error points when the range is long.
  SourceRange start() const { return {buffer, begin, begin}; }
  bool operator==(const SourceRange &other) const {
    return buffer == other.buffer && begin == other.begin && end == other.end;
  }
};

/// What a person calls a location. Lines and columns count from 1, columns in
/// bytes, as in mlir::FileLineColLoc.
struct FileLineCol {
  llvm::StringRef file;
  unsigned line = 0;
  unsigned column = 0;
};

/// Owns the text of every file of one run. Built on llvm::SourceMgr, which
/// keeps the buffers and their line tables.
class SourceManager {
public:
  /// Largest text taken, so that offsets always fit 32 bits.
  static constexpr uint64_t kMaxBytes = 256u << 20;

  /// Adds text under a display name; returns the buffer id (never 0).
  uint32_t addBuffer(llvm::StringRef name, llvm::StringRef text);

  /// Reads a file. On failure returns 0 and sets `error` to a sentence
  /// ("no such file", "is a directory", …) without the path. The path "-" is
  /// standard input.
  uint32_t addFile(llvm::StringRef path, std::string &error);

  llvm::StringRef getText(uint32_t buffer) const;
  llvm::StringRef getText(SourceRange range) const;
  llvm::StringRef getName(uint32_t buffer) const;
  FileLineCol resolve(SourceRange range) const;
  /// "file:line:col", or "<unknown>".
  std::string describe(SourceRange range) const;

  llvm::SMLoc getSMLoc(uint32_t buffer, uint32_t offset) const;
  llvm::SourceMgr &getLLVM() { return mgr; }
  const llvm::SourceMgr &getLLVM() const { return mgr; }

private:
  FileLineCol resolve(uint32_t buffer, uint32_t offset) const;
  llvm::SourceMgr mgr;
};

enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// What a report is called; 0 is no code (DiagCodes.h).
enum class DiagCode : uint16_t;

/// "PL010".
std::string getCodeName(DiagCode code);
/// The code that a message begins with ("PL101: ..."), which is then taken off.
DiagCode takeCode(std::string &message);

/// One message with the notes that belong to it.
struct Diagnostic {
  Severity severity = Severity::Error;
  DiagCode code{};
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;

  Diagnostic() = default;
  Diagnostic(Severity severity, SourceRange range, std::string message)
      : severity(severity), range(range), message(std::move(message)) {}

  Diagnostic &withCode(DiagCode newCode) {
    code = newCode;
    return *this;
  }

  Diagnostic &note(SourceRange where, const llvm::Twine &text) {
    notes.emplace_back(Severity::Note, where, text.str());
    return *this;
  }
};

/// Collects and prints diagnostics.
class DiagnosticEngine {
public:
  using Handler = std::function<void(const Diagnostic &)>;

  explicit DiagnosticEngine(SourceManager &sources) : sources(sources) {}
  ~DiagnosticEngine() { flush(); }
  DiagnosticEngine(const DiagnosticEngine &) = delete;

  /// Every report goes to the handler once it is complete; without a handler,
  /// reports are kept and can be read with `getDiagnostics` or printed.
  void setHandler(Handler newHandler) { handler = std::move(newHandler); }
  /// Prints each report to `os` as it comes.
  void printTo(llvm::raw_ostream &os);

  /// Starts a report; add notes to what is returned before the next report.
  /// Errors and warnings about a program have a code; DiagCode::None is for
  /// reports of a run, such as outputs that differ.
  Diagnostic &report(Severity severity, DiagCode code, SourceRange range,
                     const llvm::Twine &message);
  Diagnostic &error(DiagCode code, SourceRange range,
                    const llvm::Twine &message) {
    return report(Severity::Error, code, range, message);
  }
  Diagnostic &warning(DiagCode code, SourceRange range,
                      const llvm::Twine &message) {
    return report(Severity::Warning, code, range, message);
  }
  /// Adds a complete diagnostic.
  void add(Diagnostic diagnostic);

  /// Hands a pending report to the handler. Call before reading what a handler
  /// wrote; done by the destructor as well.
  void flush();

  unsigned getNumErrors() const { return numErrors; }
  unsigned getNumWarnings() const { return numWarnings; }
  bool hasErrors() const { return numErrors != 0; }
  /// True once the limit is reached: callers should give up; further reports
  /// are dropped after one "too many errors".
  bool reachedLimit() const { return numErrors >= kErrorLimit; }

  /// Reports so far (without a handler).
  llvm::ArrayRef<Diagnostic> getDiagnostics() {
    flush();
    return kept;
  }

  SourceManager &getSources() { return sources; }

private:
  SourceManager &sources;
  Handler handler;
  std::optional<Diagnostic> pending;
  bool pendingDropped = false;
  std::vector<Diagnostic> kept;
  unsigned numErrors = 0, numWarnings = 0;
  static constexpr unsigned kErrorLimit = 20;
  bool saidTooMany = false;
};

/// Prints "file:line:col: error: message [PL010]", the source line, a caret
/// line, and the notes in the same form.
void printDiagnostic(llvm::raw_ostream &os, const SourceManager &sources,
                     const Diagnostic &diagnostic);

/// The candidate nearest to `name` within a small edit distance, or "".
llvm::StringRef suggest(llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringRef> candidates);
/// "; did you mean 'x'?" or "".
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace pl::frontend

#endif // PL_FRONTEND_DIAGNOSTICS_H
