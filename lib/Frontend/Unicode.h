//===- Unicode.h - UTF-8 text and letters ---------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_UNICODE_H
#define PL_LIB_FRONTEND_UNICODE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace pl::frontend {

/// The code point at the front of valid UTF-8 text and its length in bytes.
std::pair<uint32_t, unsigned> decodeUtf8(llvm::StringRef text);

/// Whether a byte of UTF-8 text continues a character.
inline bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The offset after the character that begins at `begin`, in bytes; the size of
/// the text when it begins there or later.
size_t characterEnd(llvm::StringRef text, size_t begin);

/// Appends the UTF-8 bytes of a code point of at most 0x10FFFF; a surrogate
/// gets the three bytes that its number has.
void appendUtf8(uint32_t point, std::string &text);

/// Letters of any script, by exclusion of the blocks that hold punctuation,
/// symbols and private use.
bool isLetter(uint32_t point);

/// The first byte that is no UTF-8 text or NUL; npos when all is text.
size_t findInvalidUtf8(llvm::StringRef text);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_UNICODE_H
