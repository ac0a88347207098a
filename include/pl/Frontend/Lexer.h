//===- Lexer.h - text to tokens -------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lexer turns a whole buffer into tokens at once, as Python's tokenizer
// does: logical lines, Indent and Dedent, brackets that join lines. A mistake
// becomes an Error token, which the parser reports when it reaches it, so that
// errors come out in the order of the lines.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_LEXER_H
#define PL_FRONTEND_LEXER_H

#include "pl/Frontend/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace pl::frontend {

enum class TokenKind : uint8_t {
  EndOfFile,
  Newline,
  Indent,
  Dedent,
  Name,
  Number,
  String, // with prefix and quotes
  Error,
#define PL_KEYWORD(NAME) KW_##NAME,
#define PL_PUNCTUATOR(NAME, TEXT) NAME,
#include "pl/Frontend/Tokens.def"
};

/// "'for'", "end of line", "name", …: for messages.
llvm::StringRef describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t error = 0; // index of the message of an Error token
};

/// A bracket that was opened and never closed, and where the lexer gave up
/// waiting for its end.
struct UnclosedBracket {
  uint32_t open = 0;
  uint32_t noticed = 0;
};

struct TokenStream {
  std::vector<Token> tokens; // ends with EndOfFile
  std::vector<Diagnostic> errors;
  std::vector<UnclosedBracket> unclosed;
};

/// Tokens of a whole buffer. A buffer that is no UTF-8 text, or holds NUL, is
/// one error.
TokenStream lexBuffer(const SourceManager &sources, uint32_t buffer);

/// Tokens of a part of a buffer as if inside brackets (the expression part of
/// an f-string).
TokenStream lexRange(const SourceManager &sources, SourceRange range);

} // namespace pl::frontend

#endif // PL_FRONTEND_LEXER_H
