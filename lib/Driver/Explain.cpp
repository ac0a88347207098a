//===- Explain.cpp - What a code of a report means ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is docs/Checks.md as it was when plc was built. A section of a code
// has the heading "### PL010: title"; its examples are snippets of the docs
// (docs/Testing.md), so that tests run what is printed here.
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Explain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::driver {

/// The lines of the page.
static constexpr StringLiteral lines[] = {
#include "ChecksText.inc"
};

static constexpr StringLiteral kHeading = "### PL";

static bool isHeading(StringRef line) {
  return line.starts_with("## ") || line.starts_with("### ");
}

/// The number of a code however it is written, or -1.
static int getNumber(StringRef code) {
  unsigned number = 0;
  code.consume_front_insensitive("PL");
  if (!code.empty() && code.size() <= 3 && llvm::all_of(code, isDigit) &&
      !code.getAsInteger(10, number))
    return static_cast<int>(number);
  return -1;
}

static int getHeadingNumber(StringRef line) {
  if (!line.starts_with(kHeading))
    return -1;
  return getNumber(line.drop_front(4).split(':').first);
}

/// The heading of a code; the end when there is none.
static const StringLiteral *findHeading(StringRef code) {
  int number = getNumber(code);
  if (number < 0)
    return std::end(lines);
  return llvm::find_if(
      lines, [&](StringRef line) { return getHeadingNumber(line) == number; });
}

bool hasCode(StringRef code) { return findHeading(code) != std::end(lines); }

std::string listCodeRanges() {
  SmallVector<std::pair<int, int>> ranges;
  for (StringRef line : lines) {
    int number = getHeadingNumber(line);
    if (number < 0)
      continue;
    if (!ranges.empty() && ranges.back().second + 1 == number)
      ranges.back().second = number;
    else
      ranges.emplace_back(number, number);
  }
  std::string text;
  for (auto [i, range] : enumerate(ranges)) {
    auto [first, last] = range;
    text += i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ";
    text += formatv("PL{0,0+3}", first);
    if (last != first)
      text += formatv("{0}PL{1,0+3}", last == first + 1 ? ", " : " to ", last);
  }
  return text;
}

void explainCode(raw_ostream &os, StringRef code) {
  ArrayRef<StringLiteral> page(lines);
  const StringLiteral *heading = findHeading(code);
  if (heading == page.end())
    return;
  os << heading->drop_front(4) << "\n";
  bool inCode = false, inComment = false;
  unsigned blank = 0;
  for (StringRef line : page.drop_front(heading - page.begin() + 1)) {
    if (!inCode && isHeading(line))
      break;
    // What a snippet needs around it is not shown to readers either.
    if (line.starts_with("<!--"))
      inComment = true;
    if (inComment) {
      inComment = !line.ends_with("-->");
      continue;
    }
    if (line.starts_with("```")) {
      inCode = !inCode;
      continue;
    }
    if (line.empty()) {
      ++blank;
      continue;
    }
    if (blank != 0)
      os << "\n";
    blank = 0;
    os << (inCode ? "    " : "") << line << "\n";
  }
}

void listCodes(raw_ostream &os) {
  for (StringRef line : lines)
    if (getHeadingNumber(line) >= 0)
      os << line.drop_front(4) << "\n";
}

} // namespace pl::driver
