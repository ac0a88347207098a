//===- ParserImpl.h - the recursive-descent parser ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parse functions return null after an error has been reported; the statement
// being parsed is then abandoned, the parser skips to the end of its line (and
// parses the block under it, if any, for further errors), and goes on.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_PARSERIMPL_H
#define PL_LIB_FRONTEND_PARSERIMPL_H

#include "pl/Frontend/AST.h"
#include "pl/Frontend/Lexer.h"

namespace pl::frontend {

/// Whether a statement that holds blocks begins with this token; `match`, which
/// is a name elsewhere, is not among them.
bool startsCompoundStatement(TokenKind kind);

class Parser {
public:
  Parser(ASTContext &context, DiagnosticEngine &diagnostics, uint32_t buffer,
         TokenStream stream)
      : context(context), diagnostics(diagnostics),
        sources(diagnostics.getSources()), text(sources.getText(buffer)),
        buffer(buffer), stream(std::move(stream)) {}
  /// For a part of a file, in the situation of `parent`.
  Parser(const Parser &parent, TokenStream stream)
      : context(parent.context), diagnostics(parent.diagnostics),
        sources(parent.sources), text(parent.text), buffer(parent.buffer),
        stream(std::move(stream)), functionDepth(parent.functionDepth),
        isAsyncFunction(parent.isAsyncFunction), depth(parent.depth) {}

  ModuleNode *parseModule();
  /// The whole stream as the expression of an f-string.
  Expr *parseFStringExpression();

private:
  using StmtVector = llvm::SmallVector<Stmt *>;

  //===--- Tokens ---------------------------------------------------------===//
  const Token &token() const { return stream.tokens[current]; }
  TokenKind kind() const { return token().kind; }
  bool is(TokenKind k) const { return kind() == k; }
  const Token &ahead(unsigned n = 1) const {
    return stream.tokens[std::min(current + n, stream.tokens.size() - 1)];
  }
  llvm::StringRef spelling(const Token &t) const {
    return text.slice(t.begin, t.end);
  }
  bool isName(llvm::StringRef name) const {
    return is(TokenKind::Name) && spelling(token()) == name;
  }
  SourceRange rangeOf(const Token &t) const { return {buffer, t.begin, t.end}; }
  SourceRange here() const { return rangeOf(token()); }
  /// From `start` to the end of the last token taken.
  SourceRange since(SourceRange start) const {
    return {buffer, start.begin, std::max(start.end, lastEnd)};
  }
  void advance() {
    lastEnd = token().end;
    if (current + 1 < stream.tokens.size())
      ++current;
  }
  bool consume(TokenKind k) {
    if (!is(k))
      return false;
    advance();
    return true;
  }
  NameRef takeName() {
    NameRef name{context.getIdentifier(spelling(token())), here()};
    advance();
    return name;
  }
  /// "'foo'", "a number", "end of line": the current token for messages.
  std::string describeToken() const;

  //===--- Errors ---------------------------------------------------------===//
  /// Reports unless this statement already failed.
  std::nullptr_t fail(SourceRange range, const llvm::Twine &message,
                      llvm::ArrayRef<Diagnostic> notes = {});
  /// An unexpected current token. What the lexer found wrong there, or an
  /// unclosed bracket before it, is reported instead.
  std::nullptr_t unexpected(const llvm::Twine &message);
  bool expect(TokenKind k, const llvm::Twine &message);
  void recover();

  /// Bounds recursion. Tested once per level.
  struct DepthScope {
    explicit DepthScope(Parser &parser) : parser(parser) { ++parser.depth; }
    ~DepthScope() { --parser.depth; }
    Parser &parser;
  };
  static constexpr unsigned kMaxDepth = 1000;
  static constexpr unsigned kMaxHeight = 1000;
  bool tooDeep();

  /// Sets the height of a node over its parts; null when it grows too high.
  template <typename T>
  T *grow(T *node, std::initializer_list<const Node *> parts) {
    return growList(node,
                    llvm::ArrayRef<const Node *>(parts.begin(), parts.end()));
  }
  template <typename T, typename P>
  T *growList(T *node, llvm::ArrayRef<P *> parts) {
    for (const P *part : parts)
      if (part && part->height >= node->height)
        node->height = part->height + 1;
    if (node->height > kMaxHeight)
      return fail(node->range.start(), "this expression is nested too deeply");
    return node;
  }

  //===--- Statements (Parser.cpp, ParseCompound.cpp) ---------------------===//
  void parseStatement(StmtVector &statements);
  void parseSimpleLine(StmtVector &statements);
  Stmt *parseSimple();
  Stmt *parseExpressionStatement();
  Stmt *parseReturn();
  Stmt *parseRaise();
  Stmt *parseAssert();
  Stmt *parseDelete();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  bool parseImportNames(llvm::SmallVectorImpl<ImportAlias> &names);
  bool parseDottedName(NameRef &name);
  template <typename T> Stmt *parseScopeNames();
  template <typename T> Stmt *parseKeywordOnly();

  Stmt *parseCompound();
  Stmt *parseIf();
  Stmt *parseFor(bool isAsync, SourceRange start);
  Stmt *parseWhile();
  Stmt *parseTry();
  Stmt *parseWith(bool isAsync, SourceRange start);
  bool parseWithItem(llvm::SmallVectorImpl<WithItem> &items);
  bool isParenthesisedWith() const;
  Stmt *parseDecorated();
  Stmt *parseFunction(ExprList decorators, bool isAsync, SourceRange start);
  Stmt *parseClass(ExprList decorators);
  Stmt *parseMatch();
  bool isMatchStatement() const;
  bool expectColon(llvm::StringRef after);
  bool parseBlock(llvm::StringRef after, SourceRange header, StmtList &body);
  bool parseElse(StmtList &body);
  bool parseParams(bool isLambda, llvm::ArrayRef<Param> &params);

  //===--- Patterns (ParsePattern.cpp) ------------------------------------===//
  Pattern *parseOpenPattern();
  Pattern *parsePattern();
  Pattern *parseOrPattern();
  Pattern *parseClosedPattern();
  Pattern *parseSequencePattern(TokenKind close);
  Pattern *parseMappingPattern();
  Pattern *parseNamePattern();
  bool isStarPattern() const { return is(TokenKind::Star); }
  Pattern *parseStarPattern();

  //===--- Expressions (ParseExpr.cpp) ------------------------------------===//
  /// `a, *b, c`: a tuple when there is a comma.
  Expr *parseExpressionList();
  Expr *parseYieldOrList();
  Expr *parseNamedOrStarred();
  Expr *parseNamed(); // with `:=`
  Expr *parseTest();  // with `if else` and lambda
  Expr *parseLambda();
  Expr *parseOr();
  Expr *parseAnd();
  Expr *parseNot();
  Expr *parseComparison();
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePostfix(Expr *base);
  Expr *parseCall(Expr *callee);
  Expr *parseSubscript(Expr *value);
  Expr *parseSubscriptItem();
  Expr *parseAtom();
  Expr *parseParenthesised();
  Expr *parseListDisplay();
  Expr *parseBraceDisplay();
  Expr *parseYield();
  Expr *parseTargetList();
  bool parseClauses(llvm::SmallVectorImpl<ComprehensionClause> &clauses);
  Expr *finishComprehension(ComprehensionKind kind, SourceRange start,
                            Expr *element, Expr *value);
  bool startsExpression() const;
  bool atListEnd() const;
  /// Checks that an expression can be assigned to (or deleted).
  bool checkTarget(const Expr *target, llvm::StringRef verb = "assign to",
                   bool allowTuple = true);

  //===--- Literals (ParseLiteral.cpp) ------------------------------------===//
  Expr *parseNumber();
  Expr *parseStrings();
  bool decodeString(uint32_t begin, uint32_t end, bool raw, bool isBytes,
                    std::string &result);
  bool decodeEscape(uint32_t &pos, uint32_t end, bool isBytes,
                    std::string &result);
  bool parseFString(uint32_t begin, uint32_t end, bool raw, unsigned nesting,
                    llvm::SmallVectorImpl<Expr *> &values, std::string &pending,
                    SourceRange literal);
  bool parseReplacement(uint32_t &pos, uint32_t end, bool raw, unsigned nesting,
                        llvm::SmallVectorImpl<Expr *> &values,
                        std::string &pending, SourceRange literal);
  void flushLiteral(std::string &pending, SourceRange range,
                    llvm::SmallVectorImpl<Expr *> &values);

  ASTContext &context;
  DiagnosticEngine &diagnostics;
  SourceManager &sources;
  llvm::StringRef text;
  uint32_t buffer;
  TokenStream stream;
  size_t current = 0;
  uint32_t lastEnd = 0;
  bool panic = false;
  /// How many errors there were when this module began.
  unsigned errorsBefore = ~0u;

  unsigned functionDepth = 0;
  unsigned loopDepth = 0;
  bool isAsyncFunction = false;
  unsigned depth = 0;
};

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_PARSERIMPL_H
