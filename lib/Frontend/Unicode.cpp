//===- Unicode.cpp - UTF-8 text and letters -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"

#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace pl::frontend {

std::pair<uint32_t, unsigned> decodeUtf8(StringRef text) {
  const auto *begin = reinterpret_cast<const UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const UTF8 *>(text.end());
  UTF32 point = 0;
  const UTF8 *next = begin;
  if (convertUTF8Sequence(&next, end, &point, strictConversion) != conversionOK)
    return {0xFFFD, 1};
  return {point, static_cast<unsigned>(next - begin)};
}

size_t characterEnd(StringRef text, size_t begin) {
  if (begin >= text.size())
    return text.size();
  size_t end = begin + 1;
  while (end < text.size() && isContinuation(text[end]))
    ++end;
  return end;
}

void appendUtf8(uint32_t point, std::string &result) {
  if (point < 0x80) {
    result += static_cast<char>(point);
  } else if (point < 0x800) {
    result += static_cast<char>(0xC0 | (point >> 6));
    result += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    result += static_cast<char>(0xE0 | (point >> 12));
    result += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    result += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    result += static_cast<char>(0xF0 | (point >> 18));
    result += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    result += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    result += static_cast<char>(0x80 | (point & 0x3F));
  }
}

bool isLetter(uint32_t point) {
  if (point < 0xC0)
    return point == 0xAA || point == 0xB5 || point == 0xBA || point == 0xB7;
  if (point == 0xD7 || point == 0xF7)
    return false;
  if (point >= 0x2000 && point <= 0x206F)
    return false;
  if (point >= 0x20A0 && point <= 0x20CF)
    return false;
  if (point >= 0x2190 && point <= 0x2BFF)
    return false;
  if (point >= 0x2E00 && point <= 0x2E7F)
    return false;
  if (point >= 0x3000 && point <= 0x3004)
    return false;
  if (point >= 0x3008 && point <= 0x3020)
    return false;
  if (point >= 0xE000 && point <= 0xF8FF)
    return false;
  if (point >= 0xFE10 && point <= 0xFE6F)
    return false;
  if ((point >= 0xFF00 && point <= 0xFF0F) ||
      (point >= 0xFF1A && point <= 0xFF20) ||
      (point >= 0xFF3B && point <= 0xFF40) ||
      (point >= 0xFF5B && point <= 0xFF65) || point >= 0xFFE0)
    return point >= 0x10000 && point < 0xE0000 &&
           !(point >= 0x1F000 && point <= 0x1FAFF);
  return true;
}

size_t findInvalidUtf8(StringRef text) {
  const auto *begin = reinterpret_cast<const UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const UTF8 *>(text.end());
  const UTF8 *next = begin;
  size_t nul = text.find('\0');
  if (isLegalUTF8String(&next, end))
    return nul;
  return std::min<size_t>(nul, next - begin);
}

} // namespace pl::frontend
