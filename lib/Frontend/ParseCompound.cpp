//===- ParseCompound.cpp - statements that hold blocks --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Headers and blocks
//===----------------------------------------------------------------------===//

bool Parser::expectColon(StringRef after) {
  if (consume(TokenKind::Colon))
    return true;
  std::string hint;
  if (is(TokenKind::Equal))
    hint = "; did you mean '=='?";
  // A header that lacks only its colon still has its block: say so, and go on
  // as if the colon were there.
  if (is(TokenKind::Newline) && ahead().kind == TokenKind::Indent && !panic) {
    fail({buffer, lastEnd, lastEnd}, "expected ':' after " + after);
    panic = false;
    return true;
  }
  unexpected("expected ':' after " + after + ", but got " + describeToken() +
             hint);
  return false;
}

bool startsCompoundStatement(TokenKind kind) {
  switch (kind) {
  case TokenKind::KW_if:
  case TokenKind::KW_for:
  case TokenKind::KW_while:
  case TokenKind::KW_try:
  case TokenKind::KW_with:
  case TokenKind::KW_def:
  case TokenKind::KW_class:
  case TokenKind::KW_async:
  case TokenKind::At:
    return true;
  default:
    return false;
  }
}

bool Parser::parseBlock(StringRef after, SourceRange header, StmtList &body) {
  StmtVector statements;
  if (!is(TokenKind::Newline)) {
    if (is(TokenKind::EndOfFile)) {
      unexpected("expected a statement after " + after);
      return false;
    }
    if (startsCompoundStatement(kind())) {
      unexpected(pl::frontend::describe(kind()) +
                 " must begin a line of its own");
      return false;
    }
    parseSimpleLine(statements);
    if (panic)
      return false;
    body = context.copy(statements);
    return true;
  }
  advance();
  if (!is(TokenKind::Indent)) {
    if (is(TokenKind::Error)) {
      unexpected("");
      return false;
    }
    fail(here().start(), "expected an indented block after " + after,
         Diagnostic(Severity::Note, header, "the block belongs to this"));
    // Nothing was consumed of the next statement; it is parsed on its own.
    panic = false;
    auto *filler = context.create<PassStmt>(here());
    statements.push_back(filler);
    body = context.copy(statements);
    return true;
  }
  advance();
  while (!is(TokenKind::Dedent) && !is(TokenKind::EndOfFile) &&
         !diagnostics.reachedLimit())
    parseStatement(statements);
  consume(TokenKind::Dedent);
  body = context.copy(statements);
  return true;
}

bool Parser::parseElse(StmtList &body) {
  if (!is(TokenKind::KW_else))
    return true;
  SourceRange start = here();
  advance();
  return expectColon("'else'") && parseBlock("'else'", start, body);
}

Stmt *Parser::parseCompound() {
  SourceRange start = here();
  switch (kind()) {
  case TokenKind::KW_if:
    return parseIf();
  case TokenKind::KW_for:
    return parseFor(false, start);
  case TokenKind::KW_while:
    return parseWhile();
  case TokenKind::KW_try:
    return parseTry();
  case TokenKind::KW_with:
    return parseWith(false, start);
  case TokenKind::KW_def:
    return parseFunction({}, false, start);
  case TokenKind::KW_class:
    return parseClass({});
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::KW_async:
    advance();
    if (is(TokenKind::KW_def))
      return parseFunction({}, true, start);
    if (is(TokenKind::KW_for))
      return parseFor(true, start);
    if (is(TokenKind::KW_with))
      return parseWith(true, start);
    return unexpected(
        "expected 'def', 'for' or 'with' after 'async', but got " +
        describeToken());
  default:
    return parseMatch();
  }
}

//===----------------------------------------------------------------------===//
// if, for, while
//===----------------------------------------------------------------------===//

Stmt *Parser::parseIf() {
  // The chain of `elif` is parsed in a loop and linked afterwards; each one
  // counts as a level, because it nests in the tree.
  SmallVector<IfStmt *> chain;
  StmtList orelse;
  unsigned savedDepth = depth;
  bool good = true;
  while (good &&
         (chain.empty() ? is(TokenKind::KW_if) : is(TokenKind::KW_elif))) {
    SourceRange start = here();
    StringRef what = chain.empty() ? "'if' condition" : "'elif' condition";
    advance();
    ++depth;
    if (tooDeep()) {
      good = false;
      break;
    }
    Expr *test = parseNamed();
    SourceRange header = since(start);
    auto *statement = context.create<IfStmt>(start);
    good =
        test && expectColon(what) && parseBlock(what, header, statement->body);
    statement->test = test;
    statement->isElif = !chain.empty();
    statement->headerRange = header;
    statement->range = since(start);
    chain.push_back(statement);
  }
  good = good && parseElse(orelse);
  depth = savedDepth;
  if (!good)
    return nullptr;
  for (size_t i = chain.size(); i-- > 0;) {
    chain[i]->orelse = orelse;
    chain[i]->range = since(chain[i]->range);
    Stmt *self = chain[i];
    orelse = context.copy(ArrayRef<Stmt *>(self));
  }
  return chain.front();
}

Stmt *Parser::parseFor(bool isAsync, SourceRange start) {
  advance();
  Expr *target = parseTargetList();
  if (!target || !checkTarget(target) ||
      !expect(TokenKind::KW_in, "expected 'in' after the 'for' target"))
    return nullptr;
  Expr *iter = parseExpressionList();
  if (!iter)
    return nullptr;
  auto *statement = context.create<ForStmt>(start);
  statement->target = target;
  statement->iter = iter;
  statement->isAsync = isAsync;
  statement->headerRange = since(start);
  {
    SaveAndRestore<unsigned> loop(loopDepth, loopDepth + 1);
    if (!expectColon("'for' header") ||
        !parseBlock("'for' header", statement->headerRange, statement->body))
      return nullptr;
  }
  if (!parseElse(statement->orelse))
    return nullptr;
  statement->range = since(start);
  return statement;
}

Stmt *Parser::parseWhile() {
  SourceRange start = here();
  advance();
  auto *statement = context.create<WhileStmt>(start);
  statement->test = parseNamed();
  if (!statement->test)
    return nullptr;
  statement->headerRange = since(start);
  {
    SaveAndRestore<unsigned> loop(loopDepth, loopDepth + 1);
    if (!expectColon("'while' condition") ||
        !parseBlock("'while' condition", statement->headerRange,
                    statement->body))
      return nullptr;
  }
  if (!parseElse(statement->orelse))
    return nullptr;
  statement->range = since(start);
  return statement;
}

//===----------------------------------------------------------------------===//
// try, with
//===----------------------------------------------------------------------===//

Stmt *Parser::parseTry() {
  SourceRange start = here();
  advance();
  auto *statement = context.create<TryStmt>(start);
  if (!expectColon("'try'") || !parseBlock("'try'", start, statement->body))
    return nullptr;
  SmallVector<ExceptHandler> handlers;
  while (is(TokenKind::KW_except)) {
    ExceptHandler handler;
    SourceRange handlerStart = here();
    advance();
    if (!is(TokenKind::Colon)) {
      handler.type = parseTest();
      if (!handler.type)
        return nullptr;
      if (is(TokenKind::Comma))
        return fail(handler.type->range,
                    "several exception types must be in parentheses");
      if (consume(TokenKind::KW_as)) {
        if (!is(TokenKind::Name))
          return unexpected("expected a name after 'as', but got " +
                            describeToken());
        handler.name = takeName();
      }
    }
    handler.range = since(handlerStart);
    if (!expectColon("'except' clause") ||
        !parseBlock("'except' clause", handler.range, handler.body))
      return nullptr;
    handlers.push_back(handler);
  }
  if (!handlers.empty() && !parseElse(statement->orelse))
    return nullptr;
  if (is(TokenKind::KW_finally)) {
    SourceRange finallyRange = here();
    advance();
    if (!expectColon("'finally'") ||
        !parseBlock("'finally'", finallyRange, statement->finalbody))
      return nullptr;
  } else if (handlers.empty()) {
    return fail(start, "'try' needs an 'except' or a 'finally' block");
  }
  statement->handlers = context.copy(handlers);
  statement->range = since(start);
  return statement;
}

/// `with (a as x, b as y):` has the brackets of the statement; `with (a).b:`
/// and `with (yield):` those of an expression. Looks for the closing bracket
/// and what follows.
bool Parser::isParenthesisedWith() const {
  if (!is(TokenKind::LParen))
    return false;
  unsigned nesting = 0;
  bool asExpression =
      ahead().kind == TokenKind::RParen || ahead().kind == TokenKind::KW_yield;
  for (size_t i = current;; ++i) {
    switch (stream.tokens[i].kind) {
    case TokenKind::LParen:
    case TokenKind::LSquare:
    case TokenKind::LBrace:
      ++nesting;
      break;
    case TokenKind::RParen:
    case TokenKind::RSquare:
    case TokenKind::RBrace:
      if (--nesting == 0)
        return !asExpression && stream.tokens[i + 1].kind == TokenKind::Colon;
      break;
    case TokenKind::KW_for:
    case TokenKind::ColonEqual:
      asExpression |= nesting == 1;
      break;
    case TokenKind::Newline:
    case TokenKind::EndOfFile:
    case TokenKind::Error:
      return false;
    default:
      break;
    }
  }
}

bool Parser::parseWithItem(SmallVectorImpl<WithItem> &items) {
  WithItem item;
  item.context = parseTest();
  if (!item.context)
    return false;
  if (consume(TokenKind::KW_as)) {
    if (is(TokenKind::Star))
      item.target = parseTargetList();
    else
      item.target = parsePostfix(parseAtom());
    if (!item.target || !checkTarget(item.target))
      return false;
  }
  items.push_back(item);
  return true;
}

Stmt *Parser::parseWith(bool isAsync, SourceRange start) {
  advance();
  SmallVector<WithItem, 2> items;
  bool parens = isParenthesisedWith();
  if (parens)
    advance();
  do {
    if (parens && is(TokenKind::RParen))
      break;
    if (!parseWithItem(items))
      return nullptr;
  } while (consume(TokenKind::Comma));
  if (parens &&
      !expect(TokenKind::RParen, "expected ')' after the 'with' items"))
    return nullptr;
  auto *statement = context.create<WithStmt>(start);
  statement->items = context.copy(items);
  statement->isAsync = isAsync;
  statement->headerRange = since(start);
  if (!expectColon("'with' header") ||
      !parseBlock("'with' header", statement->headerRange, statement->body))
    return nullptr;
  statement->range = since(start);
  return statement;
}

//===----------------------------------------------------------------------===//
// Functions and classes
//===----------------------------------------------------------------------===//

Stmt *Parser::parseDecorated() {
  SmallVector<Expr *, 2> decorators;
  while (consume(TokenKind::At)) {
    Expr *decorator = parseNamed();
    if (!decorator)
      return nullptr;
    decorators.push_back(decorator);
    if (!expect(TokenKind::Newline, "expected end of line after a decorator"))
      return nullptr;
  }
  ExprList list = context.copy(decorators);
  SourceRange start = here();
  if (is(TokenKind::KW_def))
    return parseFunction(list, false, start);
  if (is(TokenKind::KW_class))
    return parseClass(list);
  if (consume(TokenKind::KW_async) && is(TokenKind::KW_def))
    return parseFunction(list, true, start);
  return unexpected("expected 'def' or 'class' after a decorator, but got " +
                    describeToken());
}

bool Parser::parseParams(bool isLambda, ArrayRef<Param> &result) {
  SmallVector<Param> params;
  SmallPtrSet<const void *, 8> seen;
  TokenKind close = isLambda ? TokenKind::Colon : TokenKind::RParen;
  bool sawSlash = false, sawStar = false, sawKeywords = false;
  bool sawDefault = false, bareStar = false;

  while (!is(close)) {
    SourceRange start = here();
    if (sawKeywords) {
      fail(start, "no parameter can follow '**'");
      return false;
    }
    Param param;
    if (is(TokenKind::Slash)) {
      if (sawSlash || sawStar || params.empty()) {
        fail(start, "'/' must follow positional parameters, once, before '*'");
        return false;
      }
      sawSlash = true;
      for (Param &earlier : params)
        earlier.kind = ParamKind::PositionalOnly;
      advance();
    } else {
      bool isStar = consume(TokenKind::Star);
      bool isKeywords = !isStar && consume(TokenKind::StarStar);
      if (isStar && sawStar) {
        fail(start, "a function has one '*' parameter");
        return false;
      }
      if (isStar && (is(TokenKind::Comma) || is(close))) {
        bareStar = sawStar = true;
      } else {
        if (!is(TokenKind::Name)) {
          unexpected("expected a parameter name, but got " + describeToken());
          return false;
        }
        NameRef name = takeName();
        param.name = name.name;
        param.range = name.range;
        param.kind = isStar       ? ParamKind::VarPositional
                     : isKeywords ? ParamKind::VarKeyword
                     : sawStar    ? ParamKind::KeywordOnly
                                  : ParamKind::Normal;
        bareStar = false;
        sawStar |= isStar;
        sawKeywords = isKeywords;
        if (!seen.insert(name.name.getOpaque()).second) {
          fail(name.range, "duplicate parameter '" + name.name.str() + "'");
          return false;
        }
        if (!isLambda && consume(TokenKind::Colon)) {
          param.annotation = isStar ? parseNamedOrStarred() : parseTest();
          if (!param.annotation)
            return false;
        }
        if (is(TokenKind::Equal)) {
          if (isStar || isKeywords) {
            fail(here(), "a '*' or '**' parameter cannot have a default");
            return false;
          }
          advance();
          param.defaultValue = parseTest();
          if (!param.defaultValue)
            return false;
          sawDefault = true;
        } else if (sawDefault && param.kind == ParamKind::Normal) {
          fail(name.range, "parameter '" + name.name.str() +
                               "' without a default follows one with a "
                               "default");
          return false;
        }
        params.push_back(param);
      }
    }
    if (!consume(TokenKind::Comma))
      break;
  }
  if (bareStar) {
    fail(here(), "named parameters must follow a bare '*'");
    return false;
  }
  result = context.copy(params);
  return true;
}

Stmt *Parser::parseFunction(ExprList decorators, bool isAsync,
                            SourceRange start) {
  advance();
  if (!is(TokenKind::Name))
    return unexpected("expected a function name after 'def', but got " +
                      describeToken());
  auto *statement = context.create<FunctionDefStmt>(start);
  statement->name = takeName();
  statement->decorators = decorators;
  statement->isAsync = isAsync;
  if (!expect(TokenKind::LParen, "expected '(' after the function name") ||
      !parseParams(false, statement->params) ||
      !expect(TokenKind::RParen, "expected ')' or ',' after a parameter"))
    return nullptr;
  if (consume(TokenKind::Arrow)) {
    statement->returns = parseExpressionList();
    if (!statement->returns)
      return nullptr;
  }
  statement->headerRange = since(start);
  SaveAndRestore<unsigned> function(functionDepth, functionDepth + 1);
  SaveAndRestore<unsigned> loop(loopDepth, 0);
  SaveAndRestore<bool> async(isAsyncFunction, isAsync);
  if (!expectColon("'def' header") ||
      !parseBlock("'def' header", statement->headerRange, statement->body))
    return nullptr;
  statement->range = since(start);
  return statement;
}

Stmt *Parser::parseClass(ExprList decorators) {
  SourceRange start = here();
  advance();
  if (!is(TokenKind::Name))
    return unexpected("expected a class name after 'class', but got " +
                      describeToken());
  auto *statement = context.create<ClassDefStmt>(start);
  statement->name = takeName();
  statement->decorators = decorators;
  if (is(TokenKind::LParen)) {
    // Bases and keywords have the grammar of a call.
    Expr *call = parseCall(context.create<NameExpr>(statement->name.range));
    if (!call)
      return nullptr;
    statement->bases = cast<CallExpr>(call)->args;
    statement->keywords = cast<CallExpr>(call)->keywords;
  }
  statement->headerRange = since(start);
  SaveAndRestore<unsigned> function(functionDepth, 0);
  SaveAndRestore<unsigned> loop(loopDepth, 0);
  if (!expectColon("'class' header") ||
      !parseBlock("'class' header", statement->headerRange, statement->body))
    return nullptr;
  statement->range = since(start);
  return statement;
}

} // namespace pl::frontend
