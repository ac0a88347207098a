//===- ASTDump.cpp - the syntax tree as text ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/ASTDump.h"

#include "pl/Frontend/Value.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::frontend {

namespace {

class Dumper {
public:
  Dumper(raw_ostream &os, const SourceManager &sources)
      : os(os), sources(sources) {}

  void module(const ModuleNode &module) {
    os << "Module\n";
    Nested nested(*this);
    for (const Stmt *statement : module.body)
      stmt("", statement);
  }

private:
  struct Nested {
    explicit Nested(Dumper &dumper) : dumper(dumper) { ++dumper.level; }
    ~Nested() { --dumper.level; }
    Dumper &dumper;
  };

  raw_ostream &line(StringRef role) {
    os.indent(2 * level);
    if (!role.empty())
      os << role << ": ";
    return os;
  }
  void at(SourceRange range) {
    FileLineCol where = sources.resolve(range);
    os << " <" << where.line << ":" << where.column << ">\n";
  }
  raw_ostream &open(StringRef role, StringRef name) {
    return line(role) << name;
  }
  void quoted(StringRef text) {
    os << '"';
    os.write_escaped(text);
    os << '"';
  }

  void block(StringRef role, StmtList body) {
    if (body.empty())
      return;
    line("") << role << ":\n";
    Nested nested(*this);
    for (const Stmt *statement : body)
      stmt("", statement);
  }
  void exprs(StringRef role, ExprList list) {
    for (const Expr *element : list)
      expr(role, element);
  }
  void names(ArrayRef<NameRef> list) {
    for (const NameRef &name : list)
      os << " " << name.name.str();
  }
  void aliases(ArrayRef<ImportAlias> list) {
    for (const ImportAlias &alias : list) {
      os << " " << alias.name.name.str();
      if (alias.asName.name)
        os << " as " << alias.asName.name.str();
    }
  }
  void keywords(ArrayRef<KeywordArg> list) {
    for (const KeywordArg &keyword : list)
      expr(keyword.name ? ("keyword " + keyword.name.str()).str()
                        : "keyword **",
           keyword.value);
  }
  void params(ArrayRef<Param> list);
  void constant(const ConstantExpr *node);
  void expr(StringRef role, const Expr *node);
  void exprParts(const Expr *node);
  void stmt(StringRef role, const Stmt *node);
  void stmtParts(const Stmt *node);
  void pattern(StringRef role, const Pattern *node);

  raw_ostream &os;
  const SourceManager &sources;
  unsigned level = 0;
};

void Dumper::params(ArrayRef<Param> list) {
  for (const Param &param : list) {
    static constexpr const char *kMarks[] = {"/", "", "*", "=", "**"};
    line("param") << kMarks[static_cast<size_t>(param.kind)]
                  << param.name.str();
    at(param.range);
    Nested nested(*this);
    expr("annotation", param.annotation);
    expr("default", param.defaultValue);
  }
}

void Dumper::constant(const ConstantExpr *node) {
  switch (node->constant) {
  case ConstantKind::None:
    os << "None";
    break;
  case ConstantKind::True:
    os << "True";
    break;
  case ConstantKind::False:
    os << "False";
    break;
  case ConstantKind::Ellipsis:
    os << "...";
    break;
  case ConstantKind::Int:
    os << node->intValue;
    break;
  case ConstantKind::BigInt:
    os << node->text;
    break;
  case ConstantKind::Float:
    os << formatDouble(node->floatValue);
    break;
  case ConstantKind::Imaginary:
    os << formatDouble(node->floatValue) << "j";
    break;
  case ConstantKind::Str:
    quoted(node->text);
    break;
  case ConstantKind::Bytes:
    os << "b";
    quoted(node->text);
    break;
  }
}

void Dumper::expr(StringRef role, const Expr *node) {
  if (!node)
    return;
  open(role, node->kind == NodeKind::Comprehension ? StringRef()
                                                   : getKindName(node->kind));
  switch (node->kind) {
  case NodeKind::BoolOp:
    os << " " << getSpelling(cast<BoolOpExpr>(node)->op);
    break;
  case NodeKind::BinOp:
    os << " " << getSpelling(cast<BinOpExpr>(node)->op);
    break;
  case NodeKind::UnaryOp:
    os << " " << getSpelling(cast<UnaryOpExpr>(node)->op);
    break;
  case NodeKind::Compare:
    for (CmpOpKind op : cast<CompareExpr>(node)->ops)
      os << " " << getSpelling(op);
    break;
  case NodeKind::Comprehension: {
    static constexpr const char *kNames[] = {"ListComp", "SetComp", "DictComp",
                                             "GeneratorExp"};
    os << kNames[static_cast<size_t>(
        cast<ComprehensionExpr>(node)->comprehension)];
    break;
  }
  case NodeKind::Constant:
    os << " ";
    constant(cast<ConstantExpr>(node));
    break;
  case NodeKind::Attribute:
    os << " ." << cast<AttributeExpr>(node)->attr.str();
    break;
  case NodeKind::Name:
    os << " " << cast<NameExpr>(node)->name.str();
    break;
  case NodeKind::FormattedValue:
    if (char conversion = cast<FormattedValueExpr>(node)->conversion)
      os << " !" << conversion;
    break;
  default:
    break;
  }
  at(node->range);
  Nested nested(*this);
  exprParts(node);
}

void Dumper::exprParts(const Expr *node) {
  switch (node->kind) {
  case NodeKind::BoolOp:
    return exprs("", cast<BoolOpExpr>(node)->values);
  case NodeKind::NamedExpr:
    expr("target", cast<NamedExpr>(node)->target);
    return expr("value", cast<NamedExpr>(node)->value);
  case NodeKind::BinOp:
    expr("", cast<BinOpExpr>(node)->lhs);
    return expr("", cast<BinOpExpr>(node)->rhs);
  case NodeKind::UnaryOp:
    return expr("", cast<UnaryOpExpr>(node)->operand);
  case NodeKind::Lambda:
    params(cast<LambdaExpr>(node)->params);
    return expr("body", cast<LambdaExpr>(node)->body);
  case NodeKind::IfExp:
    expr("test", cast<IfExpExpr>(node)->test);
    expr("body", cast<IfExpExpr>(node)->body);
    return expr("else", cast<IfExpExpr>(node)->orelse);
  case NodeKind::Dict: {
    const auto *dict = cast<DictExpr>(node);
    for (size_t i = 0; i < dict->values.size(); ++i) {
      expr("key", dict->keys[i]);
      expr(dict->keys[i] ? "value" : "**", dict->values[i]);
    }
    return;
  }
  case NodeKind::Set:
    return exprs("", cast<SetExpr>(node)->elements);
  case NodeKind::Comprehension: {
    const auto *comprehension = cast<ComprehensionExpr>(node);
    expr(comprehension->value ? "key" : "element", comprehension->element);
    expr("value", comprehension->value);
    for (const ComprehensionClause &clause : comprehension->clauses) {
      line("") << (clause.isAsync ? "async for:\n" : "for:\n");
      Nested nested(*this);
      expr("target", clause.target);
      expr("iter", clause.iter);
      exprs("if", clause.conditions);
    }
    return;
  }
  case NodeKind::Await:
    return expr("", cast<AwaitExpr>(node)->value);
  case NodeKind::Yield:
    return expr("", cast<YieldExpr>(node)->value);
  case NodeKind::YieldFrom:
    return expr("", cast<YieldFromExpr>(node)->value);
  case NodeKind::Compare:
    expr("", cast<CompareExpr>(node)->left);
    return exprs("", cast<CompareExpr>(node)->comparators);
  case NodeKind::Call:
    expr("callee", cast<CallExpr>(node)->callee);
    exprs("arg", cast<CallExpr>(node)->args);
    return keywords(cast<CallExpr>(node)->keywords);
  case NodeKind::FormattedValue:
    expr("value", cast<FormattedValueExpr>(node)->value);
    return expr("spec", cast<FormattedValueExpr>(node)->formatSpec);
  case NodeKind::JoinedStr:
    return exprs("", cast<JoinedStrExpr>(node)->values);
  case NodeKind::Attribute:
    return expr("", cast<AttributeExpr>(node)->value);
  case NodeKind::Subscript:
    expr("value", cast<SubscriptExpr>(node)->value);
    return expr("index", cast<SubscriptExpr>(node)->index);
  case NodeKind::Starred:
    return expr("", cast<StarredExpr>(node)->value);
  case NodeKind::List:
    return exprs("", cast<ListExpr>(node)->elements);
  case NodeKind::Tuple:
    return exprs("", cast<TupleExpr>(node)->elements);
  case NodeKind::Slice:
    expr("lower", cast<SliceExpr>(node)->lower);
    expr("upper", cast<SliceExpr>(node)->upper);
    return expr("step", cast<SliceExpr>(node)->step);
  default:
    return;
  }
}

void Dumper::stmt(StringRef role, const Stmt *node) {
  open(role, getKindName(node->kind));
  switch (node->kind) {
  case NodeKind::FunctionDef:
    os << (cast<FunctionDefStmt>(node)->isAsync ? " async " : " ")
       << cast<FunctionDefStmt>(node)->name.name.str();
    break;
  case NodeKind::ClassDef:
    os << " " << cast<ClassDefStmt>(node)->name.name.str();
    break;
  case NodeKind::AugAssign:
    os << " " << getSpelling(cast<AugAssignStmt>(node)->op) << "=";
    break;
  case NodeKind::Import:
    aliases(cast<ImportStmt>(node)->names);
    break;
  case NodeKind::ImportFrom: {
    const auto *import = cast<ImportFromStmt>(node);
    os << " " << std::string(import->level, '.') << import->module.name.str()
       << " import" << (import->isStar ? " *" : "");
    aliases(import->names);
    break;
  }
  case NodeKind::Global:
    names(cast<GlobalStmt>(node)->names);
    break;
  case NodeKind::Nonlocal:
    names(cast<NonlocalStmt>(node)->names);
    break;
  default:
    break;
  }
  at(node->range);
  Nested nested(*this);
  stmtParts(node);
}

void Dumper::stmtParts(const Stmt *node) {
  switch (node->kind) {
  case NodeKind::FunctionDef: {
    const auto *function = cast<FunctionDefStmt>(node);
    exprs("decorator", function->decorators);
    params(function->params);
    expr("returns", function->returns);
    return block("body", function->body);
  }
  case NodeKind::ClassDef: {
    const auto *cls = cast<ClassDefStmt>(node);
    exprs("decorator", cls->decorators);
    exprs("base", cls->bases);
    keywords(cls->keywords);
    return block("body", cls->body);
  }
  case NodeKind::Return:
    return expr("", cast<ReturnStmt>(node)->value);
  case NodeKind::Delete:
    return exprs("target", cast<DeleteStmt>(node)->targets);
  case NodeKind::Assign:
    exprs("target", cast<AssignStmt>(node)->targets);
    return expr("value", cast<AssignStmt>(node)->value);
  case NodeKind::AugAssign:
    expr("target", cast<AugAssignStmt>(node)->target);
    return expr("value", cast<AugAssignStmt>(node)->value);
  case NodeKind::AnnAssign:
    expr("target", cast<AnnAssignStmt>(node)->target);
    expr("annotation", cast<AnnAssignStmt>(node)->annotation);
    return expr("value", cast<AnnAssignStmt>(node)->value);
  case NodeKind::For: {
    const auto *loop = cast<ForStmt>(node);
    if (loop->isAsync)
      line("") << "async\n";
    expr("target", loop->target);
    expr("iter", loop->iter);
    block("body", loop->body);
    return block("else", loop->orelse);
  }
  case NodeKind::While:
    expr("test", cast<WhileStmt>(node)->test);
    block("body", cast<WhileStmt>(node)->body);
    return block("else", cast<WhileStmt>(node)->orelse);
  case NodeKind::If:
    // `elif` is shown flat.
    for (const auto *branch = cast<IfStmt>(node);;) {
      expr(branch->isElif ? "elif" : "test", branch->test);
      block("body", branch->body);
      const auto *next = branch->orelse.size() == 1
                             ? dyn_cast<IfStmt>(branch->orelse.front())
                             : nullptr;
      if (!next || !next->isElif)
        return block("else", branch->orelse);
      branch = next;
    }
  case NodeKind::With: {
    const auto *with = cast<WithStmt>(node);
    if (with->isAsync)
      line("") << "async\n";
    for (const WithItem &item : with->items) {
      expr("item", item.context);
      expr("as", item.target);
    }
    return block("body", with->body);
  }
  case NodeKind::Match: {
    const auto *match = cast<MatchStmt>(node);
    expr("subject", match->subject);
    for (const MatchCase &arm : match->cases) {
      pattern("case", arm.pattern);
      expr("if", arm.guard);
      block("body", arm.body);
    }
    return;
  }
  case NodeKind::Raise:
    expr("", cast<RaiseStmt>(node)->exception);
    return expr("from", cast<RaiseStmt>(node)->cause);
  case NodeKind::Try: {
    const auto *statement = cast<TryStmt>(node);
    block("body", statement->body);
    for (const ExceptHandler &handler : statement->handlers) {
      line("") << "except";
      if (handler.name.name)
        os << " as " << handler.name.name.str();
      at(handler.range);
      Nested nested(*this);
      expr("type", handler.type);
      block("body", handler.body);
    }
    block("else", statement->orelse);
    return block("finally", statement->finalbody);
  }
  case NodeKind::Assert:
    expr("test", cast<AssertStmt>(node)->test);
    return expr("message", cast<AssertStmt>(node)->message);
  case NodeKind::ExprStmt:
    return expr("", cast<ExprStmt>(node)->value);
  default:
    return;
  }
}

void Dumper::pattern(StringRef role, const Pattern *node) {
  static constexpr const char *kNames[] = {
      "MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping",
      "MatchClass", "MatchStar",      "MatchAs",       "MatchOr"};
  open(role, kNames[static_cast<size_t>(node->pattern)]);
  if (node->name.name)
    os << " " << node->name.name.str();
  at(node->range);
  Nested nested(*this);
  expr("value", node->expr);
  exprs("key", node->keys);
  for (const Pattern *inner : node->patterns)
    pattern("", inner);
  for (size_t i = 0; i < node->keywordNames.size(); ++i)
    pattern(node->keywordNames[i].name, node->keywordPatterns[i]);
}

} // namespace

void dumpAST(raw_ostream &os, const ModuleNode &module,
             const SourceManager &sources) {
  Dumper(os, sources).module(module);
}

} // namespace pl::frontend
