//===- PrintableText.cpp - Text that keeps a terminal whole ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/PrintableText.h"

#include "Unicode.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pl::frontend {

static void appendEscaped(unsigned char byte, std::string &result) {
  if (byte == '\n')
    result += "\\n";
  else if (byte == '\t')
    result += "\\t";
  else if (byte == '\r')
    result += "\\r";
  else
    result += {'\\', 'x', hexdigit(byte >> 4, /*LowerCase=*/true),
               hexdigit(byte & 15, /*LowerCase=*/true)};
}

/// Characters that steer a terminal, end a line or turn its direction.
static bool isControl(uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
         (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

std::string makePrintable(StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [point, length] = decodeUtf8(text);
    // The replacement character itself has three bytes.
    bool isInvalid = point == 0xFFFD && length == 1;
    StringRef character = text.take_front(length);
    if (isInvalid || isControl(point))
      for (unsigned char byte : character)
        appendEscaped(byte, result);
    else
      result += character;
    text = text.drop_front(length);
  }
  return result;
}

} // namespace pl::frontend
