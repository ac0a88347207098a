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
  if (code.consume_front_insensitive("PL") && !code.empty() &&
      code.size() <= 3 && !code.getAsInteger(10, number))
    return static_cast<int>(number);
  return -1;
}

static int getHeadingNumber(StringRef line) {
  if (!line.starts_with(kHeading))
    return -1;
  return getNumber(line.drop_front(4).split(':').first);
}

bool explainCode(raw_ostream &os, StringRef code) {
  int number = getNumber(code);
  if (number < 0)
    return false;
  ArrayRef<StringLiteral> page(lines);
  auto heading = llvm::find_if(
      page, [&](StringRef line) { return getHeadingNumber(line) == number; });
  if (heading == page.end())
    return false;
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
  return true;
}

void listCodes(raw_ostream &os) {
  for (StringRef line : lines)
    if (getHeadingNumber(line) >= 0)
      os << line.drop_front(4) << "\n";
}

} // namespace pl::driver
