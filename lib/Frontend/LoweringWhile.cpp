//===- LoweringWhile.cpp - loops with a condition, break and continue -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCarries.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"

using namespace pl::frontend;

namespace {

class WhileLoop final : public CarryingLoop {
public:
  WhileLoop(FunctionLowering &f, StmtList body, SourceRange header,
            StringRef spelling, const Expr *test, Stmt *loop)
      : CarryingLoop(f, body, header, spelling), test(test), loop(loop) {}

private:
  mlir::Operation *create(mlir::ValueRange inits) override {
    mlir::Location where = f.loc(header);
    auto op = mlir::scf::WhileOp::create(f.builder, where,
                                         mlir::TypeRange(inits), inits);
    SmallVector<mlir::Location> locs(inits.size(), where);
    mlir::Block *condition =
        f.builder.createBlock(&op.getBefore(), {}, inits.getTypes(), locs);
    mlir::Block *turn =
        f.builder.createBlock(&op.getAfter(), {}, inits.getTypes(), locs);
    f.builder.setInsertionPointToEnd(condition);
    bindCarries(condition->getArguments());
    DslValue value = f.lower(test);
    mlir::Value holds;
    if (std::optional<bool> constant = f.getHostCondition(value))
      holds = f.getConstant(f.builder.getBoolAttr(*constant), test->range);
    else
      holds = f.lowerCondition(value, test);
    if (!holds)
      holds = f.getConstant(f.builder.getBoolAttr(false), test->range);
    mlir::scf::ConditionOp::create(f.builder, where, holds,
                                   condition->getArguments());
    f.builder.setInsertionPointToEnd(turn);
    arguments = turn->getArguments();
    bindCarries(arguments);
    return op;
  }
  void terminate(mlir::ValueRange yields) override {
    mlir::scf::YieldOp::create(f.builder, f.loc(header), yields);
  }
  StmtList getAgain() const override { return StmtList(loop); }
  bool readsBeforeBody(Identifier name) const override {
    return readsName(test, name);
  }

  const Expr *test;
  Stmt *loop;
};

} // namespace

void FunctionLowering::lowerWhile(const WhileStmt *stmt) {
  if (!stmt->orelse.empty())
    error(DiagCode::UnsupportedPython, stmt->orelse.front()->range.start(),
          "the else of a loop is not part of kernels");
  WhileLoop(*this, stmt->body, stmt->headerRange, "while", stmt->test,
            const_cast<WhileStmt *>(stmt))
      .run();
}

void pl::frontend::lowerExplicitWhile(FunctionLowering &f, const ForStmt *stmt,
                                      const CallExpr *call) {
  const Expr *initValues = nullptr;
  for (const KeywordArg &keyword : call->keywords) {
    if (keyword.name == "init_values") {
      initValues = keyword.value;
      continue;
    }
    static const StringRef known[] = {"init_values"};
    f.error(DiagCode::WrongArguments, keyword.range,
            "pl.while_ has no keyword '" + keyword.name.str() + "'" +
                didYouMean(keyword.name, known));
    return;
  }
  if (!call->args.empty()) {
    f.error(DiagCode::LoopHeader, call->range,
            "pl.while_ takes init_values= only");
    return;
  }
  if (!initValues) {
    f.error(DiagCode::LoopHeader, call->range,
            "pl.while_ needs init_values=, what the loop carries");
    return;
  }
  if (!llvm::isa<TupleExpr>(stmt->target)) {
    f.error(DiagCode::LoopHeader, stmt->target->range,
            "pl.while_ binds the names it carries: for (x,) in pl.while_(...)");
    return;
  }
  ExplicitCarries explicits;
  if (!getHeaderNames(f, stmt->target, initValues, explicits))
    return;
  auto *first = stmt->body.empty()
                    ? nullptr
                    : llvm::dyn_cast<ExprStmt>(stmt->body.front());
  auto *condition = first ? llvm::dyn_cast<CallExpr>(first->value) : nullptr;
  if (!condition || f.getPlName(condition->callee) != "pl.cond") {
    f.error(DiagCode::LoopHeader,
            stmt->body.empty() ? stmt->headerRange : stmt->body.front()->range,
            "the first statement of a pl.while_ loop must be pl.cond(...)");
    return;
  }
  if (condition->args.size() != 1 || !condition->keywords.empty()) {
    f.error(DiagCode::LoopHeader, condition->range,
            "pl.cond takes one condition");
    return;
  }
  WhileLoop loop(f, stmt->body.drop_front(), stmt->headerRange, "pl.while_",
                 condition->args[0], const_cast<ForStmt *>(stmt));
  loop.explicits = std::move(explicits);
  loop.run();
}

//===----------------------------------------------------------------------===//
// break and continue
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerLeave(const Stmt *stmt) {
  bool isBreak = stmt->kind == NodeKind::Break;
  StringRef word = isBreak ? "break" : "continue";
  if (loops.empty()) {
    error(DiagCode::UnsupportedPython, stmt->range,
          word + " belongs into a loop" + (core ? " of the core scope" : ""));
    return;
  }
  LoopFrame &frame = *loops.back();
  if (!frame.canLeave) {
    error(DiagCode::UnsupportedPython, stmt->range,
          word +
              " belongs into pl.range or while, but the "
              "innermost loop is " +
              frame.spelling)
        .note(frame.header, "the loop is here");
    return;
  }
  mlir::Operation *op =
      isBreak
          ? ir::BreakOp::create(builder, loc(stmt->range), mlir::ValueRange())
                .getOperation()
          : ir::ContinueOp::create(builder, loc(stmt->range),
                                   mlir::ValueRange())
                .getOperation();
  frame.leaves.emplace_back(op, env);
  leftLoop = true;
}
