//===- Diagnostics.cpp - source locations and error reports ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Diagnostics.h"
#include "Unicode.h"
#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/PrintableText.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// SourceManager
//===----------------------------------------------------------------------===//

uint32_t SourceManager::addBuffer(StringRef name, StringRef text) {
  return mgr.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, name),
                                SMLoc());
}

uint32_t SourceManager::addFile(StringRef path, std::string &error) {
  if (path != "-") {
    // Opening a directory succeeds on Linux and reading it does not; say so
    // before trying.
    sys::fs::file_status status;
    if (std::error_code code = sys::fs::status(path, status)) {
      error = code == std::errc::no_such_file_or_directory ? "no such file"
                                                           : code.message();
      return 0;
    }
    if (sys::fs::is_directory(status)) {
      error = "it is a directory";
      return 0;
    }
    if (status.type() == sys::fs::file_type::character_file ||
        status.type() == sys::fs::file_type::block_file) {
      error = "it is a device; give a file, or - for standard input";
      return 0;
    }
    if (status.getSize() > kMaxBytes) {
      error = "it is larger than 256 MiB";
      return 0;
    }
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    error = buffer.getError() == std::errc::no_such_file_or_directory
                ? "no such file"
                : buffer.getError().message();
    return 0;
  }
  if ((*buffer)->getBufferSize() > kMaxBytes) {
    error = "it is larger than 256 MiB";
    return 0;
  }
  return mgr.AddNewSourceBuffer(std::move(*buffer), SMLoc());
}

StringRef SourceManager::getText(uint32_t buffer) const {
  if (buffer == 0 || buffer > mgr.getNumBuffers())
    return {};
  return mgr.getMemoryBuffer(buffer)->getBuffer();
}

StringRef SourceManager::getText(SourceRange range) const {
  return getText(range.buffer).slice(range.begin, range.end);
}

StringRef SourceManager::getName(uint32_t buffer) const {
  if (buffer == 0 || buffer > mgr.getNumBuffers())
    return "<unknown>";
  return mgr.getMemoryBuffer(buffer)->getBufferIdentifier();
}

SMLoc SourceManager::getSMLoc(uint32_t buffer, uint32_t offset) const {
  StringRef text = getText(buffer);
  if (!text.data())
    return {};
  return SMLoc::getFromPointer(text.data() +
                               std::min<size_t>(offset, text.size()));
}

FileLineCol SourceManager::resolve(uint32_t buffer, uint32_t offset) const {
  if (buffer == 0 || buffer > mgr.getNumBuffers())
    return {"<unknown>", 0, 0};
  // SourceMgr::getLineAndColumn looks for the column from the location back to
  // the start of the line, which may be far; its table knows that start.
  const char *location = getSMLoc(buffer, offset).getPointer();
  const auto &info = mgr.getBufferInfo(buffer);
  unsigned line = info.getLineNumber(location);
  const char *start = info.getPointerForLineNumber(line);
  return {getName(buffer), line, static_cast<unsigned>(location - start) + 1};
}

FileLineCol SourceManager::resolve(SourceRange range) const {
  return resolve(range.buffer, range.begin);
}

std::string SourceManager::describe(SourceRange range) const {
  if (!range.isValid())
    return "<unknown>";
  FileLineCol where = resolve(range);
  return (where.file + ":" + Twine(where.line) + ":" + Twine(where.column))
      .str();
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

std::string getCodeName(DiagCode code) {
  std::string digits = std::to_string(static_cast<unsigned>(code));
  return "PL" + std::string(3 - std::min<size_t>(3, digits.size()), '0') +
         digits;
}

StringRef getCodeMeaning(DiagCode code) {
  switch (code) {
#define DIAG_CODE(number, name, meaning)                                       \
  case DiagCode::name:                                                         \
    return meaning;
#include "pl/Frontend/DiagCodes.def"
  default:
    return "";
  }
}

ArrayRef<DiagCode> getDiagCodes() {
  static constexpr DiagCode codes[] = {
#define DIAG_CODE(number, name, meaning) DiagCode::name,
#include "pl/Frontend/DiagCodes.def"
  };
  return codes;
}

DiagCode takeCode(std::string &message) {
  StringRef text = message;
  unsigned number = 0;
  if (text.size() < 7 || !text.starts_with("PL") || text.substr(5, 2) != ": " ||
      text.substr(2, 3).getAsInteger(10, number))
    return DiagCode::None;
  message = text.substr(7).str();
  return static_cast<DiagCode>(number);
}

//===----------------------------------------------------------------------===//
// DiagnosticEngine
//===----------------------------------------------------------------------===//

void DiagnosticEngine::printTo(raw_ostream &os) {
  setHandler([this, &os](const Diagnostic &diagnostic) {
    printDiagnostic(os, sources, diagnostic);
  });
}

Diagnostic &DiagnosticEngine::report(Severity severity, DiagCode code,
                                     SourceRange range, const Twine &message) {
  std::string text = message.str();
  flush();
  pendingDropped = reachedLimit();
  pending.emplace(severity, range, std::move(text)).withCode(code);
  if (severity == Severity::Error)
    ++numErrors;
  else if (severity == Severity::Warning)
    ++numWarnings;
  return *pending;
}

void DiagnosticEngine::add(Diagnostic diagnostic) {
  Diagnostic &added = report(diagnostic.severity, diagnostic.code,
                             diagnostic.range, diagnostic.message);
  added.notes = std::move(diagnostic.notes);
}

void DiagnosticEngine::flush() {
  if (!pending)
    return;
  Diagnostic diagnostic = std::move(*pending);
  pending.reset();
  auto deliver = [&](Diagnostic &&ready) {
    if (handler)
      handler(ready);
    else
      kept.push_back(std::move(ready));
  };
  if (!pendingDropped) {
    deliver(std::move(diagnostic));
    return;
  }
  if (saidTooMany)
    return;
  saidTooMany = true;
  deliver(Diagnostic(Severity::Error, SourceRange(),
                     "too many errors (" + std::to_string(kErrorLimit) +
                         "); the rest are not shown"));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef getLabel(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "error";
}

/// Prints one line of source and the marks under it. Bytes that are no
/// printable ASCII would misalign the caret or harm a terminal: UTF-8
/// characters count as one column each, control bytes are shown as '?'.
static void printSnippet(raw_ostream &os, StringRef text, SourceRange range) {
  size_t begin = std::min<size_t>(range.begin, text.size());
  size_t lineStart = text.substr(0, begin).rfind('\n');
  lineStart = lineStart == StringRef::npos ? 0 : lineStart + 1;
  size_t lineEnd = std::min(text.find('\n', begin), text.size());
  size_t markEnd = std::min<size_t>(std::max(range.end, range.begin), lineEnd);

  // A very long line (generated or binary input) is shown around the mark.
  constexpr size_t kBefore = 100, kWidth = 160;
  bool cutLeft = begin - lineStart > kBefore;
  size_t from = cutLeft ? begin - kBefore : lineStart;
  size_t to = std::min(lineEnd, from + kWidth);
  bool cutRight = to < lineEnd;

  std::string line, marks;
  if (cutLeft) {
    line = "...";
    marks = "   ";
  }
  for (size_t i = from; i < to; ++i) {
    unsigned char byte = text[i];
    if (isContinuation(byte))
      continue; // counted with its first byte
    bool marked = i >= begin && i < markEnd;
    char mark = i == begin ? '^' : marked ? '~' : ' ';
    if (byte == '\t') {
      do {
        line += ' ';
        marks += mark;
        mark = marked ? '~' : ' ';
      } while (line.size() % 4 != 0);
      continue;
    }
    if (byte == '\r')
      continue;
    if (byte < 0x20 || byte == 0x7F) {
      line += '?';
    } else if (byte < 0x80) {
      line += static_cast<char>(byte);
    } else {
      size_t length = byte >= 0xF0   ? 4
                      : byte >= 0xE0 ? 3
                      : byte >= 0xC0 ? 2
                                     : 0;
      bool whole = length != 0 && i + length <= to;
      // U+0080 to U+009F are control characters.
      if (byte == 0xC2 && whole &&
          static_cast<unsigned char>(text[i + 1]) < 0xA0)
        whole = false;
      for (size_t k = 1; whole && k < length; ++k)
        whole = isContinuation(text[i + k]);
      if (whole)
        line += text.substr(i, length);
      else
        line += '?';
    }
    marks += mark;
  }
  if (begin >= to && marks.find('^') == std::string::npos)
    marks += '^';
  if (cutRight)
    line += "...";
  os << "  " << line << "\n  " << StringRef(marks).rtrim(' ') << "\n";
}

static void printOne(raw_ostream &os, const SourceManager &sources,
                     const Diagnostic &diagnostic) {
  if (diagnostic.range.isValid())
    os << makePrintable(sources.describe(diagnostic.range)) << ": ";
  else
    os << "plc: ";
  os << getLabel(diagnostic.severity) << ": "
     << makePrintable(diagnostic.message);
  if (diagnostic.code != DiagCode::None)
    os << " [" << getCodeName(diagnostic.code) << "]";
  os << "\n";
  if (diagnostic.range.isValid())
    printSnippet(os, sources.getText(diagnostic.range.buffer),
                 diagnostic.range);
}

void printDiagnostic(raw_ostream &os, const SourceManager &sources,
                     const Diagnostic &diagnostic) {
  printOne(os, sources, diagnostic);
  for (const Diagnostic &note : diagnostic.notes)
    printOne(os, sources, note);
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

StringRef suggest(StringRef name, ArrayRef<StringRef> candidates) {
  // One edit for short names, two (a swap of letters) for longer ones, up to a
  // third of long ones.
  unsigned allowed =
      name.size() < 4 ? 1 : std::max<unsigned>(2, name.size() / 3);
  unsigned best = allowed + 1;
  StringRef found;
  for (StringRef candidate : candidates) {
    if (candidate == name)
      continue;
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance < best || (candidate.equals_insensitive(name) && best > 0)) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string didYouMean(StringRef name, ArrayRef<StringRef> candidates) {
  StringRef found = suggest(name, candidates);
  return found.empty() ? "" : ("; did you mean '" + found + "'?").str();
}

} // namespace pl::frontend
