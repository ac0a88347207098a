//===- LoweringBranches.cpp - branches and what they merge ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"
#include "LoweringStorage.h"

using namespace pl::frontend;

std::optional<bool> FunctionLowering::getHostCondition(const DslValue &value) {
  if (value.isHost() && value.host.isBool())
    return value.host.getBool();
  return std::nullopt;
}

mlir::Value FunctionLowering::lowerCondition(const DslValue &value,
                                             const Expr *test) {
  if (value.isError())
    return {};
  if (value.isScalar() && value.dtype == DTypeKind::BOOL)
    return value.value;
  error(DiagCode::Condition, test->range,
        "condition must be a Bool-typed scalar, but this is " +
            describe(value) +
            (value.isScalar() || value.isHostNumber()
                 ? "; write " + getText(test) + " != 0"
                 : ""));
  return {};
}

void FunctionLowering::lowerIf(const IfStmt *stmt) {
  DslValue test = lower(stmt->test);
  if (std::optional<bool> constant = getHostCondition(test))
    return lowerNested(*constant ? stmt->body : stmt->orelse);
  mlir::Value condition = lowerCondition(test, stmt->test);
  if (!condition) {
    // Look for errors in the arms all the same, in a place that is dropped.
    if (test.isError())
      condition = getConstant(builder.getBoolAttr(true), stmt->test->range);
    else
      return;
  }
  bool outerBranch = inBranch;
  inBranch = true;
  auto ifOp = mlir::scf::IfOp::create(builder, loc(stmt->headerRange),
                                      mlir::TypeRange(), condition,
                                      /*withElseRegion=*/true);
  Environment before = env;
  Arm arms[2] = {{ifOp.thenBlock(), Environment(), false},
                 {ifOp.elseBlock(), Environment(), false}};
  StmtList bodies[2] = {stmt->body, stmt->orelse};
  for (auto [arm, body] : llvm::zip(arms, bodies)) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(arm.block->getTerminator());
    lowerNested(body);
    arm.leaves = leftLoop;
    leftLoop = false;
    arm.env = std::move(env);
    env = before;
  }
  inBranch = outerBranch;
  leftLoop = arms[0].leaves && arms[1].leaves;
  mergeBranches(stmt, ifOp, before, arms);
}

/// What both arms can give, starting with the side that has a dtype.
static ValueForm getMergedForm(FunctionLowering &f, const DslValue &a,
                               const DslValue &b, mlir::Operation *op) {
  bool isNumber = a.isHostNumber() && (b.isHostNumber() || b.isScalar());
  bool bDecides =
      isNumber && !a.dtype && (b.dtype || b.host.isFloat() || a.host.isBool());
  if (bDecides || a.isNone())
    return unifyForm(f, getForm(f, b, op), a, op);
  return unifyForm(f, getForm(f, a, op), b, op);
}

void FunctionLowering::mergeBranches(const IfStmt *stmt, mlir::scf::IfOp ifOp,
                                     const Environment &before,
                                     ArrayRef<Arm> arms) {
  NameSet names = getChanged(*this, stmt->body);
  for (Identifier name : getChanged(*this, stmt->orelse))
    names.insert(name);
  SmallVector<mlir::Value> yields[2];
  SmallVector<std::pair<Identifier, ValueForm>> merged;
  /// A tile that was merged already, by its name: its result is both.
  SmallVector<std::pair<Identifier, size_t>> shared;
  SourceRange range = stmt->headerRange;

  auto find = [](const Environment &environment, Identifier name) {
    auto found = environment.find(name);
    return found == environment.end() ? nullptr : &found->second;
  };
  auto isBound = [](const Binding *binding) {
    return binding && binding->state == Binding::State::Bound;
  };
  for (Identifier name : names) {
    const Binding *old = find(before, name);
    const Binding *both[2] = {find(arms[0].env, name), find(arms[1].env, name)};
    // What an arm that leaves the loop binds is never seen here.
    for (unsigned i : {0, 1})
      if (arms[i].leaves && isBound(both[1 - i]))
        both[i] = both[1 - i];
    const Binding *then = both[0], *other = both[1];
    if (!isBound(then) || !isBound(other)) {
      // Where only one arm binds the name, reading it later is an error.
      const Binding *only = then ? then : other;
      if (!only)
        continue;
      Binding binding = *only;
      if (binding.state == Binding::State::Bound)
        binding.state = Binding::State::OneBranch;
      env[name] = std::move(binding);
      continue;
    }
    Binding binding = *then;
    binding.depth = old ? std::min(old->depth, depth) : depth;
    const DslValue &a = then->value, &b = other->value;
    if (a.isError() || b.isError()) {
      binding.value = DslValue::error();
      env[name] = std::move(binding);
      continue;
    }
    auto isInside = [&](const DslValue &value) {
      mlir::Value ssa = getSSA(value);
      return ssa && ifOp->isAncestor(ssa.getParentRegion()->getParentOp());
    };
    if (isSameValue(a, b) && !isInside(a)) {
      env[name] = std::move(binding);
      continue;
    }
    if (!isReadAfter(name)) {
      // Nothing reads the merged value; keep what was there.
      if (old)
        env[name] = *old;
      else
        env.erase(name);
      continue;
    }
    if (!isSameKind(a, b)) {
      error(DiagCode::ChangedType, range,
            "'" + name.str() + "' has different types in the two branches: " +
                describe(a) + " and " + describe(b))
          .note(then->range, "one is bound here")
          .note(other->range, "the other is bound here");
      binding.value = DslValue::error();
    } else if (!canCross(a) || !canCross(b)) {
      error(DiagCode::ChangedType, range,
            "'" + name.str() +
                "' cannot be chosen by a run-time "
                "branch: it is " +
                describe(a) + " or " + describe(b));
      binding.value = DslValue::error();
    } else {
      auto same = llvm::find_if(merged, [&](auto &other) {
        const Binding *first = find(arms[0].env, other.first);
        const Binding *second = find(arms[1].env, other.first);
        // What an arm that leaves the loop binds does not matter.
        return (arms[0].leaves ||
                (isBound(first) && isSameStorage(first->value, a))) &&
               (arms[1].leaves ||
                (isBound(second) && isSameStorage(second->value, b)));
      });
      if (same != merged.end()) {
        shared.emplace_back(name, same - merged.begin());
        env[name] = std::move(binding);
        continue;
      }
      ValueForm form = getMergedForm(*this, a, b, ifOp);
      mlir::Value values[2];
      for (unsigned i : {0, 1}) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        if (arms[i].leaves)
          builder.setInsertionPointToStart(arms[i].block);
        else
          builder.setInsertionPoint(arms[i].block->getTerminator());
        values[i] = arms[i].leaves ? makeUndefined(*this, form, name, range)
                                   : convertTo(*this, both[i]->value, form,
                                               both[i]->range);
      }
      if (values[0] && values[1]) {
        yields[0].push_back(values[0]);
        yields[1].push_back(values[1]);
        merged.emplace_back(name, std::move(form));
      } else {
        binding.value = DslValue::error();
      }
    }
    env[name] = std::move(binding);
  }

  bool emptyElse = ifOp.elseBlock()->getOperations().size() == 1;
  if (merged.empty() && !emptyElse)
    return;
  auto made = mlir::scf::IfOp::create(
      builder, ifOp.getLoc(), mlir::TypeRange(mlir::ValueRange(yields[0])),
      ifOp.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(ifOp.getThenRegion());
  if (!merged.empty() || !emptyElse)
    made.getElseRegion().takeBody(ifOp.getElseRegion());
  ifOp.erase();
  if (merged.empty())
    return;
  made.thenYield().getResultsMutable().assign(yields[0]);
  made.elseYield().getResultsMutable().assign(yields[1]);
  for (auto [entry, value] : llvm::zip(merged, made.getResults())) {
    Binding &binding = env[entry.first];
    // The name of the first result is that of the op.
    if (value.getResultNumber() == 0)
      value.setLoc(module.getLoc(range, entry.first.str()));
    binding.value = instantiate(*this, entry.second, value, range);
  }
  for (auto [name, index] : shared)
    env[name].value = env[merged[index].first].value;
}
