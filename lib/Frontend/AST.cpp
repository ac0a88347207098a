//===- AST.cpp - names of syntax nodes ------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/AST.h"

using namespace llvm;

namespace pl::frontend {

StringRef getKindName(NodeKind kind) {
  static constexpr const char *kNames[] = {"FunctionDef", "ClassDef",
                                           "Return",      "Delete",
                                           "Assign",      "AugAssign",
                                           "AnnAssign",   "For",
                                           "While",       "If",
                                           "With",        "Match",
                                           "Raise",       "Try",
                                           "Assert",      "Import",
                                           "ImportFrom",  "Global",
                                           "Nonlocal",    "Expr",
                                           "Pass",        "Break",
                                           "Continue",    "BoolOp",
                                           "NamedExpr",   "BinOp",
                                           "UnaryOp",     "Lambda",
                                           "IfExp",       "Dict",
                                           "Set",         "Comprehension",
                                           "Await",       "Yield",
                                           "YieldFrom",   "Compare",
                                           "Call",        "FormattedValue",
                                           "JoinedStr",   "Constant",
                                           "Attribute",   "Subscript",
                                           "Starred",     "Name",
                                           "List",        "Tuple",
                                           "Slice",       "Pattern"};
  static_assert(std::size(kNames) == size_t(NodeKind::Pattern) + 1,
                "one name per kind");
  return kNames[static_cast<size_t>(kind)];
}

StringRef getSpelling(BoolOpKind op) {
  return op == BoolOpKind::And ? "and" : "or";
}

StringRef getSpelling(UnaryOpKind op) {
  static constexpr const char *kNames[] = {"-", "+", "not", "~"};
  return kNames[static_cast<size_t>(op)];
}

StringRef getSpelling(BinOpKind op) {
  static constexpr const char *kNames[] = {
      "+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "|", "^", "&"};
  return kNames[static_cast<size_t>(op)];
}

StringRef getSpelling(CmpOpKind op) {
  static constexpr const char *kNames[] = {
      "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return kNames[static_cast<size_t>(op)];
}

const ConstantExpr *FunctionDefStmt::getDocstring() const {
  if (body.empty())
    return nullptr;
  const auto *statement = dyn_cast<ExprStmt>(body.front());
  if (!statement)
    return nullptr;
  const auto *constant = dyn_cast<ConstantExpr>(statement->value);
  return constant && constant->isString() ? constant : nullptr;
}

} // namespace pl::frontend
