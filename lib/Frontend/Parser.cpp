//===- Parser.cpp - errors, recovery and simple statements ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Parser.h"

#include "ParserImpl.h"
#include "pl/Frontend/DiagCodes.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string Parser::describeToken() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
    return ("'" + spelling(token()).take_front(40) + "'").str();
  case TokenKind::String:
    return "a string";
  default:
    return pl::frontend::describe(kind()).str();
  }
}

std::nullptr_t Parser::fail(SourceRange range, const Twine &message,
                            ArrayRef<Diagnostic> notes) {
  if (panic)
    return nullptr;
  panic = true;
  Diagnostic &diagnostic = diagnostics.error(DiagCode::Syntax, range, message);
  diagnostic.notes.assign(notes.begin(), notes.end());
  return nullptr;
}

std::nullptr_t Parser::unexpected(const Twine &message) {
  if (panic)
    return nullptr;
  if (is(TokenKind::Error)) {
    panic = true;
    // The bracket of this one was most likely part of what is wrong above.
    if (diagnostics.getNumErrors() > errorsBefore &&
        StringRef(stream.errors[token().error].message)
            .starts_with("unmatched"))
      return nullptr;
    diagnostics.add(
        Diagnostic(stream.errors[token().error]).withCode(DiagCode::Syntax));
    return nullptr;
  }
  // A missing bracket is usually noticed lines later, at some innocent word.
  for (const UnclosedBracket &bracket : stream.unclosed)
    if (bracket.open <= token().begin && token().begin <= bracket.noticed)
      return fail({buffer, bracket.open, bracket.open + 1},
                  Twine("'") + Twine(text[bracket.open]) +
                      "' was never closed");
  // In brackets lines have no end: what does not fit here may belong to the one
  // before.
  std::string words = message.str();
  if (current != 0 && StringRef(words).contains("','")) {
    uint32_t end = stream.tokens[current - 1].end;
    if (text.slice(end, token().begin).contains('\n'))
      return fail(here(), words,
                  Diagnostic(Severity::Note, {buffer, end, end},
                             "or a comma is missing here"));
    return fail(here(), words);
  }
  return fail(here(), message);
}

bool Parser::expect(TokenKind k, const Twine &message) {
  if (consume(k))
    return true;
  unexpected(message + ", but got " + describeToken());
  return false;
}

bool Parser::tooDeep() {
  if (depth <= kMaxDepth)
    return false;
  fail(here(), "this is nested too deeply");
  return true;
}

void Parser::recover() {
  while (!is(TokenKind::EndOfFile) && !is(TokenKind::Newline))
    advance();
  panic = false;
  consume(TokenKind::Newline);
  if (!is(TokenKind::Indent))
    return;
  // The block of a broken header; its statements may hold errors of their own.
  // What the header would have opened (a function, a loop) is unknown, so
  // `return` and `break` are let pass.
  advance();
  ++functionDepth;
  ++loopDepth;
  {
    DepthScope scope(*this);
    StmtVector discarded;
    while (!is(TokenKind::Dedent) && !is(TokenKind::EndOfFile) &&
           !diagnostics.reachedLimit())
      parseStatement(discarded);
  }
  --loopDepth;
  --functionDepth;
  consume(TokenKind::Dedent);
}

//===----------------------------------------------------------------------===//
// Modules and lines
//===----------------------------------------------------------------------===//

ModuleNode *Parser::parseModule() {
  errorsBefore = diagnostics.getNumErrors();
  StmtVector statements;
  while (!is(TokenKind::EndOfFile) && !diagnostics.reachedLimit()) {
    if (consume(TokenKind::Newline) || consume(TokenKind::Dedent))
      continue;
    parseStatement(statements);
  }
  if (diagnostics.getNumErrors() != errorsBefore) {
    if (diagnostics.reachedLimit())
      diagnostics.error(DiagCode::Syntax, {}, ""); // shows as "too many errors"
    return nullptr;
  }
  auto *module = new (context.allocate<ModuleNode>()) ModuleNode();
  module->range = SourceRange(buffer, 0, text.size());
  module->body = context.copy(statements);
  if (!statements.empty())
    if (const auto *first = dyn_cast<ExprStmt>(statements.front()))
      if (const auto *constant = dyn_cast<ConstantExpr>(first->value))
        if (constant->isString())
          module->docstring = constant;
  return module;
}

void Parser::parseStatement(StmtVector &statements) {
  if (consume(TokenKind::Newline))
    return;
  if (is(TokenKind::Indent)) {
    // Most likely the beginning of this line is missing, or of the one before:
    // what the rest of it looks like is no error of its own.
    fail(here(), "unexpected indentation");
    advance();
    DepthScope scope(*this);
    recover();
    while (!is(TokenKind::Dedent) && !is(TokenKind::EndOfFile) &&
           !diagnostics.reachedLimit())
      parseStatement(statements);
    consume(TokenKind::Dedent);
    return;
  }
  if (!startsCompoundStatement(kind()) && !isMatchStatement()) {
    parseSimpleLine(statements);
    if (panic)
      recover();
    return;
  }
  DepthScope scope(*this);
  Stmt *statement = tooDeep() ? nullptr : parseCompound();
  if (statement) {
    statements.push_back(statement);
    return;
  }
  recover();
  // The other clauses of the broken statement are not errors of their own.
  while (is(TokenKind::KW_elif) || is(TokenKind::KW_else) ||
         is(TokenKind::KW_except) || is(TokenKind::KW_finally))
    recover();
}

void Parser::parseSimpleLine(StmtVector &statements) {
  while (true) {
    Stmt *statement = parseSimple();
    if (!statement)
      return;
    statements.push_back(statement);
    if (consume(TokenKind::Semicolon)) {
      if (consume(TokenKind::Newline))
        return;
      continue;
    }
    if (consume(TokenKind::Newline) || is(TokenKind::EndOfFile))
      return;
    // `print "x"` and `exec "x"` of Python 2.
    if (const auto *expr = dyn_cast<ExprStmt>(statement))
      if (const auto *name = dyn_cast<NameExpr>(expr->value))
        if (name->name == "print" && startsExpression()) {
          fail(name->range, "missing parentheses in call to 'print'; did you "
                            "mean 'print(...)'?");
          return;
        }
    if (startsExpression() && !is(TokenKind::Error))
      unexpected("expected end of line, but got " + describeToken() +
                 "; is an operator or a comma missing before it?");
    else if (is(TokenKind::Colon))
      unexpected("unexpected ':' here; only the header of a block ends in ':'");
    else
      unexpected("expected end of line, but got " + describeToken());
    return;
  }
}

template <typename T> Stmt *Parser::parseKeywordOnly() {
  auto *statement = context.create<T>(here());
  advance();
  return statement;
}

Stmt *Parser::parseSimple() {
  switch (kind()) {
  case TokenKind::KW_pass:
    return parseKeywordOnly<PassStmt>();
  case TokenKind::KW_break:
    if (!loopDepth)
      return fail(here(), "'break' outside of a loop");
    return parseKeywordOnly<BreakStmt>();
  case TokenKind::KW_continue:
    if (!loopDepth)
      return fail(here(), "'continue' outside of a loop");
    return parseKeywordOnly<ContinueStmt>();
  case TokenKind::KW_return:
    return parseReturn();
  case TokenKind::KW_raise:
    return parseRaise();
  case TokenKind::KW_assert:
    return parseAssert();
  case TokenKind::KW_del:
    return parseDelete();
  case TokenKind::KW_import:
    return parseImport();
  case TokenKind::KW_from:
    return parseImportFrom();
  case TokenKind::KW_global:
    return parseScopeNames<GlobalStmt>();
  case TokenKind::KW_nonlocal:
    if (!functionDepth)
      return fail(here(), "'nonlocal' outside of a function");
    return parseScopeNames<NonlocalStmt>();
  case TokenKind::KW_elif:
  case TokenKind::KW_else:
  case TokenKind::KW_except:
  case TokenKind::KW_finally: {
    StringRef word = pl::frontend::describe(kind());
    return fail(here(), word + " does not belong to any statement before it; "
                               "check its indentation");
  }
  default:
    return parseExpressionStatement();
  }
}

//===----------------------------------------------------------------------===//
// Assignments and expressions
//===----------------------------------------------------------------------===//

static std::optional<BinOpKind> getAugmented(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinOpKind::Add;
  case TokenKind::MinusEqual:
    return BinOpKind::Sub;
  case TokenKind::StarEqual:
    return BinOpKind::Mult;
  case TokenKind::AtEqual:
    return BinOpKind::MatMult;
  case TokenKind::SlashEqual:
    return BinOpKind::Div;
  case TokenKind::SlashSlashEqual:
    return BinOpKind::FloorDiv;
  case TokenKind::PercentEqual:
    return BinOpKind::Mod;
  case TokenKind::StarStarEqual:
    return BinOpKind::Pow;
  case TokenKind::LessLessEqual:
    return BinOpKind::LShift;
  case TokenKind::GreaterGreaterEqual:
    return BinOpKind::RShift;
  case TokenKind::PipeEqual:
    return BinOpKind::BitOr;
  case TokenKind::CaretEqual:
    return BinOpKind::BitXor;
  case TokenKind::AmpEqual:
    return BinOpKind::BitAnd;
  default:
    return std::nullopt;
  }
}

Stmt *Parser::parseExpressionStatement() {
  SourceRange start = here();
  Expr *first = parseYieldOrList();
  if (!first)
    return nullptr;

  if (is(TokenKind::Equal)) {
    SmallVector<Expr *, 2> targets;
    Expr *last = first;
    while (is(TokenKind::Equal)) {
      if (!checkTarget(last))
        return nullptr;
      advance();
      targets.push_back(last);
      last = parseYieldOrList();
      if (!last)
        return nullptr;
    }
    auto *statement = context.create<AssignStmt>(since(start));
    statement->targets = context.copy(targets);
    statement->value = last;
    return statement;
  }

  if (std::optional<BinOpKind> op = getAugmented(kind())) {
    if (isa<TupleExpr, ListExpr>(first))
      return fail(first->range, "an augmented assignment has one target");
    if (!checkTarget(first))
      return nullptr;
    advance();
    Expr *value = parseYieldOrList();
    if (!value)
      return nullptr;
    auto *statement = context.create<AugAssignStmt>(since(start));
    statement->target = first;
    statement->op = *op;
    statement->value = value;
    return statement;
  }

  if (is(TokenKind::Colon) &&
      isa<NameExpr, AttributeExpr, SubscriptExpr>(first)) {
    // `else :` written as a name, `If x:` and the like end here with a block
    // below; an annotation never does.
    if (ahead().kind == TokenKind::Newline)
      return unexpected("unexpected ':' here; only the header of a block ends "
                        "in ':'");
    advance();
    Expr *annotation = parseTest();
    if (!annotation)
      return nullptr;
    Expr *value = nullptr;
    if (consume(TokenKind::Equal)) {
      value = parseYieldOrList();
      if (!value)
        return nullptr;
    }
    auto *statement = context.create<AnnAssignStmt>(since(start));
    statement->target = first;
    statement->annotation = annotation;
    statement->value = value;
    return statement;
  }

  if (isa<StarredExpr>(first))
    return fail(first->range, "a starred expression cannot stand alone");
  auto *statement = context.create<ExprStmt>(since(start));
  statement->value = first;
  return statement;
}

//===----------------------------------------------------------------------===//
// Other simple statements
//===----------------------------------------------------------------------===//

Stmt *Parser::parseReturn() {
  SourceRange start = here();
  if (!functionDepth)
    return fail(start, "'return' outside of a function");
  advance();
  Expr *value = nullptr;
  if (!atListEnd()) {
    value = parseExpressionList();
    if (!value)
      return nullptr;
  }
  auto *statement = context.create<ReturnStmt>(since(start));
  statement->value = value;
  return statement;
}

Stmt *Parser::parseRaise() {
  SourceRange start = here();
  advance();
  Expr *exception = nullptr, *cause = nullptr;
  if (!atListEnd()) {
    if (!(exception = parseTest()))
      return nullptr;
    if (consume(TokenKind::KW_from) && !(cause = parseTest()))
      return nullptr;
  }
  auto *statement = context.create<RaiseStmt>(since(start));
  statement->exception = exception;
  statement->cause = cause;
  return statement;
}

Stmt *Parser::parseAssert() {
  SourceRange start = here();
  advance();
  Expr *test = parseTest(), *message = nullptr;
  if (!test || (consume(TokenKind::Comma) && !(message = parseTest())))
    return nullptr;
  if (const auto *tuple = dyn_cast<TupleExpr>(test))
    if (!tuple->elements.empty() && !message)
      diagnostics.warning(DiagCode::NoEffect, test->range,
                          "this assertion is always true: it tests a tuple; "
                          "remove the parentheses");
  auto *statement = context.create<AssertStmt>(since(start));
  statement->test = test;
  statement->message = message;
  return statement;
}

Stmt *Parser::parseDelete() {
  SourceRange start = here();
  advance();
  SmallVector<Expr *> targets;
  do {
    if (!targets.empty() && atListEnd())
      break;
    SourceRange at = here();
    Expr *target = parsePostfix(parseAtom());
    if (!target || !checkTarget(target, "delete"))
      return nullptr;
    if (isa<StarredExpr>(target))
      return fail(at, "cannot delete a starred expression");
    targets.push_back(target);
  } while (consume(TokenKind::Comma));
  auto *statement = context.create<DeleteStmt>(since(start));
  statement->targets = context.copy(targets);
  return statement;
}

bool Parser::parseDottedName(NameRef &name) {
  if (!is(TokenKind::Name)) {
    unexpected("expected a module name, but got " + describeToken());
    return false;
  }
  SourceRange start = here();
  std::string dotted = spelling(token()).str();
  advance();
  while (consume(TokenKind::Dot)) {
    if (!is(TokenKind::Name)) {
      unexpected("expected a name after '.', but got " + describeToken());
      return false;
    }
    dotted += '.';
    dotted += spelling(token());
    advance();
  }
  name = {context.getIdentifier(dotted), since(start)};
  return true;
}

Stmt *Parser::parseImport() {
  SourceRange start = here();
  advance();
  SmallVector<ImportAlias> names;
  do {
    ImportAlias alias;
    if (!parseDottedName(alias.name))
      return nullptr;
    if (consume(TokenKind::KW_as)) {
      if (!is(TokenKind::Name))
        return unexpected("expected a name after 'as', but got " +
                          describeToken());
      alias.asName = takeName();
    }
    names.push_back(alias);
  } while (consume(TokenKind::Comma));
  auto *statement = context.create<ImportStmt>(since(start));
  statement->names = context.copy(names);
  return statement;
}

bool Parser::parseImportNames(SmallVectorImpl<ImportAlias> &names) {
  bool parens = consume(TokenKind::LParen);
  do {
    if (parens && is(TokenKind::RParen) && !names.empty())
      break;
    if (!is(TokenKind::Name)) {
      unexpected("expected a name to import, but got " + describeToken());
      return false;
    }
    ImportAlias alias;
    alias.name = takeName();
    if (consume(TokenKind::KW_as)) {
      if (!is(TokenKind::Name)) {
        unexpected("expected a name after 'as', but got " + describeToken());
        return false;
      }
      alias.asName = takeName();
    }
    names.push_back(alias);
  } while (consume(TokenKind::Comma));
  return !parens ||
         expect(TokenKind::RParen, "expected ')' after the imported names");
}

Stmt *Parser::parseImportFrom() {
  SourceRange start = here();
  advance();
  unsigned level = 0;
  while (is(TokenKind::Dot) || is(TokenKind::DotDotDot)) {
    level += is(TokenKind::Dot) ? 1 : 3;
    advance();
  }
  NameRef module;
  if (!(level && is(TokenKind::KW_import)) && !parseDottedName(module))
    return nullptr;
  if (!expect(TokenKind::KW_import, "expected 'import' after the module name"))
    return nullptr;
  SmallVector<ImportAlias> names;
  bool star = consume(TokenKind::Star);
  if (!star && !parseImportNames(names))
    return nullptr;
  auto *statement = context.create<ImportFromStmt>(since(start));
  statement->module = module;
  statement->level = level;
  statement->isStar = star;
  statement->names = context.copy(names);
  return statement;
}

template <typename T> Stmt *Parser::parseScopeNames() {
  SourceRange start = here();
  advance();
  SmallVector<NameRef> names;
  do {
    if (!is(TokenKind::Name))
      return unexpected("expected a name, but got " + describeToken());
    names.push_back(takeName());
  } while (consume(TokenKind::Comma));
  auto *statement = context.create<T>(since(start));
  statement->names = context.copy(names);
  return statement;
}

ModuleNode *parseModule(ASTContext &context, DiagnosticEngine &diagnostics,
                        uint32_t buffer) {
  return Parser(context, diagnostics, buffer,
                lexBuffer(diagnostics.getSources(), buffer))
      .parseModule();
}

} // namespace pl::frontend
