//===- AST.h - syntax tree of the pl language -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes for every statement and expression of Python 3.10. Nodes are plain
// structs allocated in an ASTContext and never freed one by one; their lists
// are ArrayRefs and their names Identifiers of the same context. Use isa, cast
// and dyn_cast.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_AST_H
#define PL_FRONTEND_AST_H

#include "pl/Frontend/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <cstdint>
#include <memory>

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Context and names
//===----------------------------------------------------------------------===//

/// An interned name: equal names of one context are equal pointers.
class Identifier {
public:
  using Entry = llvm::StringMapEntry<uint32_t>;
  Identifier() = default;
  explicit Identifier(const Entry *entry) : entry(entry) {}

  llvm::StringRef str() const {
    return entry ? entry->getKey() : llvm::StringRef();
  }
  operator llvm::StringRef() const { return str(); }
  bool empty() const { return !entry; }
  explicit operator bool() const { return entry; }
  const void *getOpaque() const { return entry; }
  /// Dense number of the name in its context.
  uint32_t getIndex() const { return entry->getValue(); }
  bool operator==(Identifier other) const { return entry == other.entry; }
  bool operator!=(Identifier other) const { return entry != other.entry; }
  bool operator==(llvm::StringRef other) const { return str() == other; }
  bool operator!=(llvm::StringRef other) const { return str() != other; }
  bool operator==(const char *other) const { return str() == other; }

private:
  const Entry *entry = nullptr;
};

/// Owns nodes, lists, strings and names.
class ASTContext {
public:
  template <typename T> T *create(SourceRange range) {
    static_assert(std::is_trivially_destructible<T>::value,
                  "nodes are never destroyed");
    T *node = new (allocator.Allocate<T>()) T();
    node->range = range;
    return node;
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    return list.copy(allocator);
  }
  template <typename T>
  llvm::ArrayRef<T> copy(const llvm::SmallVectorImpl<T> &list) {
    return llvm::ArrayRef<T>(list).copy(allocator);
  }
  template <typename T> T *allocate() { return allocator.Allocate<T>(); }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(allocator); }
  Identifier getIdentifier(llvm::StringRef name) {
    auto inserted = names.try_emplace(name, names.size());
    return Identifier(&*inserted.first);
  }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::StringMap<uint32_t> names;
};

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

enum class NodeKind : uint8_t {
  // Statements.
  FunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  AugAssign,
  AnnAssign,
  For,
  While,
  If,
  With,
  Match,
  Raise,
  Try,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  ExprStmt,
  Pass,
  Break,
  Continue,
  // Expressions.
  BoolOp,
  NamedExpr,
  BinOp,
  UnaryOp,
  Lambda,
  IfExp,
  Dict,
  Set,
  Comprehension,
  Await,
  Yield,
  YieldFrom,
  Compare,
  Call,
  FormattedValue,
  JoinedStr,
  Constant,
  Attribute,
  Subscript,
  Starred,
  Name,
  List,
  Tuple,
  Slice,
  // Patterns of `match`.
  Pattern,
  FirstStmt = FunctionDef,
  LastStmt = Continue,
  FirstExpr = BoolOp,
  LastExpr = Slice,
};

/// "FunctionDef", "BinOp", …
llvm::StringRef getKindName(NodeKind kind);

struct Node {
  explicit Node(NodeKind kind) : kind(kind) {}
  const NodeKind kind;
  /// Levels of expressions below this one. The parser keeps it small, so that
  /// walking a tree by recursion is safe.
  uint16_t height = 0;
  SourceRange range;
};

struct Expr : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::FirstExpr &&
           node->kind <= NodeKind::LastExpr;
  }
};

struct Stmt : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::FirstStmt &&
           node->kind <= NodeKind::LastStmt;
  }
};

/// Boilerplate of a leaf class: its kind, constructor and classof.
#define PL_AST_NODE(CLASS, KIND, BASE)                                         \
  CLASS() : BASE(NodeKind::KIND) {}                                            \
  static bool classof(const Node *node) { return node->kind == NodeKind::KIND; }

using ExprList = llvm::ArrayRef<Expr *>;
using StmtList = llvm::ArrayRef<Stmt *>;

/// A name with the place it was written.
struct NameRef {
  Identifier name;
  SourceRange range;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class BoolOpKind : uint8_t { And, Or };
enum class UnaryOpKind : uint8_t { Neg, Pos, Not, Invert };
enum class BinOpKind : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
};
enum class CmpOpKind : uint8_t {
  Eq,
  NotEq,
  Lt,
  LtE,
  Gt,
  GtE,
  Is,
  IsNot,
  In,
  NotIn,
};

/// As written: "+", "//", "not in", ….
llvm::StringRef getSpelling(BoolOpKind op);
llvm::StringRef getSpelling(UnaryOpKind op);
llvm::StringRef getSpelling(BinOpKind op);
llvm::StringRef getSpelling(CmpOpKind op);

/// `a and b and c`.
struct BoolOpExpr : Expr {
  PL_AST_NODE(BoolOpExpr, BoolOp, Expr)
  BoolOpKind op = BoolOpKind::And;
  ExprList values;
};

struct NameExpr;

/// `name := value`.
struct NamedExpr : Expr {
  PL_AST_NODE(NamedExpr, NamedExpr, Expr)
  NameExpr *target = nullptr;
  Expr *value = nullptr;
};

struct BinOpExpr : Expr {
  PL_AST_NODE(BinOpExpr, BinOp, Expr)
  BinOpKind op = BinOpKind::Add;
  Expr *lhs = nullptr;
  Expr *rhs = nullptr;
  SourceRange opRange;
};

struct UnaryOpExpr : Expr {
  PL_AST_NODE(UnaryOpExpr, UnaryOp, Expr)
  UnaryOpKind op = UnaryOpKind::Neg;
  Expr *operand = nullptr;
};

/// How an argument of a function binds.
enum class ParamKind : uint8_t {
  PositionalOnly,
  Normal,
  VarPositional, // *args
  KeywordOnly,
  VarKeyword, // **kw
};

struct Param {
  Identifier name;
  SourceRange range;
  ParamKind kind = ParamKind::Normal;
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
};

struct FunctionScope;

struct LambdaExpr : Expr {
  PL_AST_NODE(LambdaExpr, Lambda, Expr)
  llvm::ArrayRef<Param> params;
  Expr *body = nullptr;
  /// Names of the function, filled by the interpreter at first use.
  mutable FunctionScope *scope = nullptr;
};

/// `body if test else orelse`.
struct IfExpExpr : Expr {
  PL_AST_NODE(IfExpExpr, IfExp, Expr)
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};

/// A key that is null marks `**value`.
struct DictExpr : Expr {
  PL_AST_NODE(DictExpr, Dict, Expr)
  ExprList keys;
  ExprList values;
};

struct SetExpr : Expr {
  PL_AST_NODE(SetExpr, Set, Expr)
  ExprList elements;
};

/// One `for target in iter if cond …` of a comprehension.
struct ComprehensionClause {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  ExprList conditions;
  bool isAsync = false;
  SourceRange range;
};

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };

struct ComprehensionExpr : Expr {
  PL_AST_NODE(ComprehensionExpr, Comprehension, Expr)
  ComprehensionKind comprehension = ComprehensionKind::List;
  Expr *element = nullptr; // the key of a dict comprehension
  Expr *value = nullptr;   // of a dict comprehension
  llvm::ArrayRef<ComprehensionClause> clauses;
  mutable FunctionScope *scope = nullptr;
};

struct AwaitExpr : Expr {
  PL_AST_NODE(AwaitExpr, Await, Expr)
  Expr *value = nullptr;
};

struct YieldExpr : Expr {
  PL_AST_NODE(YieldExpr, Yield, Expr)
  Expr *value = nullptr; // may be null
};

struct YieldFromExpr : Expr {
  PL_AST_NODE(YieldFromExpr, YieldFrom, Expr)
  Expr *value = nullptr;
};

/// `left op0 c0 op1 c1 …`: a chain, each operand evaluated once.
struct CompareExpr : Expr {
  PL_AST_NODE(CompareExpr, Compare, Expr)
  Expr *left = nullptr;
  llvm::ArrayRef<CmpOpKind> ops;
  ExprList comparators;
};

/// A keyword without a name is `**value`.
struct KeywordArg {
  Identifier name;
  Expr *value = nullptr;
  SourceRange range;
};

/// `*args` appear as StarredExpr among `args`.
struct CallExpr : Expr {
  PL_AST_NODE(CallExpr, Call, Expr)
  Expr *callee = nullptr;
  ExprList args;
  llvm::ArrayRef<KeywordArg> keywords;
};

/// `{value!r:spec}` inside an f-string.
struct FormattedValueExpr : Expr {
  PL_AST_NODE(FormattedValueExpr, FormattedValue, Expr)
  Expr *value = nullptr;
  char conversion = 0; // 0, 's', 'r' or 'a'
  struct JoinedStrExpr *formatSpec = nullptr;
};

/// An f-string: string constants and formatted values in order.
struct JoinedStrExpr : Expr {
  PL_AST_NODE(JoinedStrExpr, JoinedStr, Expr)
  ExprList values;
};

enum class ConstantKind : uint8_t {
  None,
  True,
  False,
  Ellipsis,
  Int,
  BigInt, // does not fit 64 bits; `text` holds the digits in decimal or 0x form
  Float,
  Imaginary,
  Str,
  Bytes,
};

struct ConstantExpr : Expr {
  PL_AST_NODE(ConstantExpr, Constant, Expr)
  ConstantKind constant = ConstantKind::None;
  int64_t intValue = 0;
  double floatValue = 0;
  llvm::StringRef text; // of Str (UTF-8), Bytes, BigInt
  bool isString() const { return constant == ConstantKind::Str; }
  bool isInt() const { return constant == ConstantKind::Int; }
};

struct AttributeExpr : Expr {
  PL_AST_NODE(AttributeExpr, Attribute, Expr)
  Expr *value = nullptr;
  Identifier attr;
  SourceRange attrRange;
};

struct SubscriptExpr : Expr {
  PL_AST_NODE(SubscriptExpr, Subscript, Expr)
  Expr *value = nullptr;
  Expr *index = nullptr; // several indices are a TupleExpr; may hold SliceExpr
};

struct StarredExpr : Expr {
  PL_AST_NODE(StarredExpr, Starred, Expr)
  Expr *value = nullptr;
};

struct NameExpr : Expr {
  PL_AST_NODE(NameExpr, Name, Expr)
  Identifier name;

  /// Where the interpreter finds the name, cached at first use: a name node
  /// belongs to exactly one scope.
  enum class Binding : uint8_t { Unresolved, Local, Global };
  mutable Binding binding = Binding::Unresolved;
  mutable uint16_t depth = 0; // frames to walk up
  mutable uint32_t slot = 0;
  mutable void *global = nullptr; // the entry of the module's table
};

struct ListExpr : Expr {
  PL_AST_NODE(ListExpr, List, Expr)
  ExprList elements;
};

struct TupleExpr : Expr {
  PL_AST_NODE(TupleExpr, Tuple, Expr)
  ExprList elements;
};

/// `lower:upper:step`; each part may be null.
struct SliceExpr : Expr {
  PL_AST_NODE(SliceExpr, Slice, Expr)
  Expr *lower = nullptr;
  Expr *upper = nullptr;
  Expr *step = nullptr;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct FunctionDefStmt : Stmt {
  PL_AST_NODE(FunctionDefStmt, FunctionDef, Stmt)
  NameRef name;
  llvm::ArrayRef<Param> params;
  Expr *returns = nullptr; // annotation, may be null
  StmtList body;
  ExprList decorators;
  bool isAsync = false;
  /// From `def` to the colon; where an error about the function points.
  SourceRange headerRange;
  mutable FunctionScope *scope = nullptr;

  /// The docstring, or null.
  const ConstantExpr *getDocstring() const;
};

struct ClassDefStmt : Stmt {
  PL_AST_NODE(ClassDefStmt, ClassDef, Stmt)
  NameRef name;
  ExprList bases;
  llvm::ArrayRef<KeywordArg> keywords;
  StmtList body;
  ExprList decorators;
  SourceRange headerRange;
};

struct ReturnStmt : Stmt {
  PL_AST_NODE(ReturnStmt, Return, Stmt)
  Expr *value = nullptr; // may be null
};

struct DeleteStmt : Stmt {
  PL_AST_NODE(DeleteStmt, Delete, Stmt)
  ExprList targets;
};

/// `t0 = t1 = value`.
struct AssignStmt : Stmt {
  PL_AST_NODE(AssignStmt, Assign, Stmt)
  ExprList targets;
  Expr *value = nullptr;
};

struct AugAssignStmt : Stmt {
  PL_AST_NODE(AugAssignStmt, AugAssign, Stmt)
  Expr *target = nullptr;
  BinOpKind op = BinOpKind::Add;
  Expr *value = nullptr;
};

/// `target: annotation = value`; the value may be null.
struct AnnAssignStmt : Stmt {
  PL_AST_NODE(AnnAssignStmt, AnnAssign, Stmt)
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
};

struct ForStmt : Stmt {
  PL_AST_NODE(ForStmt, For, Stmt)
  Expr *target = nullptr;
  Expr *iter = nullptr;
  StmtList body;
  StmtList orelse;
  bool isAsync = false;
  SourceRange headerRange;
};

struct WhileStmt : Stmt {
  PL_AST_NODE(WhileStmt, While, Stmt)
  Expr *test = nullptr;
  StmtList body;
  StmtList orelse;
  SourceRange headerRange;
};

/// An `elif` is an IfStmt alone in `orelse`.
struct IfStmt : Stmt {
  PL_AST_NODE(IfStmt, If, Stmt)
  Expr *test = nullptr;
  StmtList body;
  StmtList orelse;
  bool isElif = false;
  SourceRange headerRange;
};

struct WithItem {
  Expr *context = nullptr;
  Expr *target = nullptr; // after `as`, may be null
};

struct WithStmt : Stmt {
  PL_AST_NODE(WithStmt, With, Stmt)
  llvm::ArrayRef<WithItem> items;
  StmtList body;
  bool isAsync = false;
  SourceRange headerRange;
};

enum class PatternKind : uint8_t {
  Value,     // expr: a dotted name or a number, string, …
  Singleton, // expr: None, True, False
  Sequence,  // patterns
  Mapping,   // keys, patterns, name (the **rest)
  Class,     // expr(patterns, keywordNames = keywordPatterns)
  Star,      // *name or *_
  As,        // patterns[0] (optional) as name; no name is the wildcard
  Or,        // patterns
};

struct Pattern : Node {
  PL_AST_NODE(Pattern, Pattern, Node)
  PatternKind pattern = PatternKind::Value;
  Expr *expr = nullptr;
  NameRef name;
  llvm::ArrayRef<Pattern *> patterns;
  ExprList keys;
  llvm::ArrayRef<NameRef> keywordNames;
  llvm::ArrayRef<Pattern *> keywordPatterns;
};

struct MatchCase {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr; // may be null
  StmtList body;
};

struct MatchStmt : Stmt {
  PL_AST_NODE(MatchStmt, Match, Stmt)
  Expr *subject = nullptr;
  llvm::ArrayRef<MatchCase> cases;
  SourceRange headerRange;
};

struct RaiseStmt : Stmt {
  PL_AST_NODE(RaiseStmt, Raise, Stmt)
  Expr *exception = nullptr; // may be null
  Expr *cause = nullptr;     // may be null
};

struct ExceptHandler {
  Expr *type = nullptr; // null catches everything
  NameRef name;
  StmtList body;
  SourceRange range;
};

struct TryStmt : Stmt {
  PL_AST_NODE(TryStmt, Try, Stmt)
  StmtList body;
  llvm::ArrayRef<ExceptHandler> handlers;
  StmtList orelse;
  StmtList finalbody;
};

struct AssertStmt : Stmt {
  PL_AST_NODE(AssertStmt, Assert, Stmt)
  Expr *test = nullptr;
  Expr *message = nullptr; // may be null
};

/// `module` is dotted; `asName` is empty without `as`.
struct ImportAlias {
  NameRef name;
  NameRef asName;
};

struct ImportStmt : Stmt {
  PL_AST_NODE(ImportStmt, Import, Stmt)
  llvm::ArrayRef<ImportAlias> names;
};

struct ImportFromStmt : Stmt {
  PL_AST_NODE(ImportFromStmt, ImportFrom, Stmt)
  NameRef module; // dotted; empty for `from . import x`
  unsigned level = 0;
  bool isStar = false;
  llvm::ArrayRef<ImportAlias> names;
};

struct GlobalStmt : Stmt {
  PL_AST_NODE(GlobalStmt, Global, Stmt)
  llvm::ArrayRef<NameRef> names;
};

struct NonlocalStmt : Stmt {
  PL_AST_NODE(NonlocalStmt, Nonlocal, Stmt)
  llvm::ArrayRef<NameRef> names;
};

struct ExprStmt : Stmt {
  PL_AST_NODE(ExprStmt, ExprStmt, Stmt)
  Expr *value = nullptr;
};

struct PassStmt : Stmt {
  PL_AST_NODE(PassStmt, Pass, Stmt)
};
struct BreakStmt : Stmt {
  PL_AST_NODE(BreakStmt, Break, Stmt)
};
struct ContinueStmt : Stmt {
  PL_AST_NODE(ContinueStmt, Continue, Stmt)
};

#undef PL_AST_NODE

/// One parsed file.
struct ModuleNode {
  SourceRange range;
  StmtList body;
  const ConstantExpr *docstring = nullptr;
};

} // namespace pl::frontend

#endif // PL_FRONTEND_AST_H
