//===- LoweringRenames.cpp - tensors' names for values of a core ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRenames.h"
#include "LoweringStorage.h"

using namespace pl::frontend;

/// Whether a tile has the shape and dtype of a tensor.
static bool isLike(const DslValue &tile, const DslValue &tensor) {
  if (!tile.isTile() || !tensor.isTensor() ||
      tile.dtype != tensor.tensor->dtype ||
      tile.shape.size() != tensor.tensor->extents.size())
    return false;
  for (auto [have, extent] : llvm::zip(tile.shape, tensor.tensor->extents))
    if (!extent.isStatic() || extent.number != have)
      return false;
  return true;
}

bool pl::frontend::isRenamedInScope(FunctionLowering &f, const DslValue &old,
                                    const DslValue &value) {
  mlir::Operation *parent = f.builder.getInsertionBlock()->getParentOp();
  return f.core && mlir::isa<ir::AtOp, ir::SpmdOp>(parent) &&
         isLike(value, old);
}

bool pl::frontend::keepsName(FunctionLowering &f, Identifier name,
                             const DslValue &tensor) {
  if (tensor.tensor->param < 0)
    return false;
  const FunctionLowering::ParamInfo &param = f.params[tensor.tensor->param];
  return param.name == name && param.annotation.direction != Direction::In;
}

//===----------------------------------------------------------------------===//
// Names of branches and loops
//===----------------------------------------------------------------------===//

/// Whether a call always gives a value of the core: one of the operations that
/// compute. Windows, views and stores may give tensors.
static bool isComputed(FunctionLowering &f, const Expr *value) {
  auto *call = llvm::dyn_cast<CallExpr>(value);
  std::string spelling = call ? f.getPlName(call->callee) : "";
  StringRef name = spelling;
  if (!name.consume_front("pl."))
    return false;
  (void)(name.consume_front("tile.") || name.consume_front("tensor."));
  static const StringRef operations[] = {
      "add",  "sub",  "mul",  "div",    "maximum",    "minimum", "neg",
      "abs",  "exp",  "log",  "sqrt",   "rsqrt",      "recip",   "cast",
      "full", "relu", "adds", "subs",   "muls",       "divs",    "matmul",
      "sin",  "cos",  "sel",  "concat", "matmul_acc", "fillpad"};
  return llvm::is_contained(operations, name) || name.starts_with("row_") ||
         name.starts_with("col_");
}

namespace {

/// Names by what assigns them.
struct Assignments {
  /// In branches and loops.
  NameSet inner;
  /// To values of the core.
  NameSet computed;
  /// `a = b`.
  SmallVector<std::pair<Identifier, Identifier>> copies;
};

} // namespace

static void collect(FunctionLowering &f, StmtList statements, bool isInner,
                    Assignments &found) {
  for (const Stmt *stmt : statements) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(stmt)) {
      auto *target = assign->targets.size() == 1
                         ? llvm::dyn_cast<NameExpr>(assign->targets[0])
                         : nullptr;
      if (!target)
        continue;
      if (isInner)
        found.inner.insert(target->name);
      if (isComputed(f, assign->value))
        found.computed.insert(target->name);
      else if (auto *source = llvm::dyn_cast<NameExpr>(assign->value))
        found.copies.emplace_back(target->name, source->name);
    } else if (auto *branch = llvm::dyn_cast<IfStmt>(stmt)) {
      collect(f, branch->body, true, found);
      collect(f, branch->orelse, true, found);
    } else if (auto *loop = llvm::dyn_cast<ForStmt>(stmt)) {
      collect(f, loop->body, true, found);
    } else if (auto *loop = llvm::dyn_cast<WhileStmt>(stmt)) {
      collect(f, loop->body, true, found);
    } else if (auto *with = llvm::dyn_cast<WithStmt>(stmt)) {
      collect(f, with->body, isInner, found);
    }
  }
}

void pl::frontend::loadRenamed(FunctionLowering &f, StmtList body,
                               const Environment &before) {
  Assignments found;
  collect(f, body, /*isInner=*/false, found);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [target, source] : found.copies)
      if (found.computed.contains(source))
        changed |= found.computed.insert(target);
  }
  for (Identifier name : found.inner) {
    auto old = before.find(name);
    if (!found.computed.contains(name) || old == before.end() ||
        old->second.state != Binding::State::Bound ||
        !old->second.value.isTensor() ||
        keepsName(f, name, old->second.value) ||
        !llvm::all_of(old->second.value.tensor->extents,
                      [](const Extent &extent) { return extent.isStatic(); }))
      continue;
    Binding &binding = f.env[name];
    binding.value =
        f.toTile(binding.value, binding.range, "'" + name.str().str() + "'");
    giveStorage(binding.value);
  }
}
