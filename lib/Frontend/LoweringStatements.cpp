//===- LoweringStatements.cpp - assignments, branches, returns ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringMemory.h"
#include "LoweringRegions.h"
#include "LoweringRenames.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLHostOps.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool FunctionLowering::isSameKind(const DslValue &a, const DslValue &b) {
  auto isNumber = [](const DslValue &value) {
    return value.isScalar() || value.isHostNumber();
  };
  if (isNumber(a) && isNumber(b)) {
    // A literal takes the dtype of the other side.
    if (a.dtype && b.dtype)
      return a.dtype == b.dtype;
    auto isReal = [](const DslValue &value) {
      return value.dtype ? isFloat(*value.dtype) : value.host.isFloat();
    };
    return isReal(a) == isReal(b) || (a.isHost() && b.isHost());
  }
  if (a.kind != b.kind) {
    // Each turn of a parallel loop of a manual scope binds a TaskId of its own.
    bool isSpread = isInManualParallel(*this) &&
                    (a.isTask() || a.isNone() || b.isTask() || b.isNone());
    return (a.isTask() && b.isNone()) || (b.isTask() && a.isNone()) ||
           (isSpread && (a.isTaskArray() || b.isTaskArray()));
  }
  if (a.isTensor()) {
    if (a.tensor->dtype != b.tensor->dtype ||
        a.tensor->extents.size() != b.tensor->extents.size())
      return false;
    for (auto [x, y] : llvm::zip(a.tensor->extents, b.tensor->extents))
      if (x.isStatic() && y.isStatic() && x.number != y.number)
        return false;
    return true;
  }
  if (a.isTile() && a.isTileLevel != b.isTileLevel)
    return false;
  if (a.isTile() || a.isArray())
    return a.dtype == b.dtype && a.shape == b.shape;
  return true;
}

void FunctionLowering::bindName(Identifier name, DslValue value,
                                SourceRange range) {
  auto found = env.find(name);
  giveStorage(value);
  Binding binding;
  binding.value = value;
  binding.depth = depth;
  binding.range = range;
  if (found != env.end() && found->second.state == Binding::State::Bound &&
      !found->second.value.isError() && !value.isError()) {
    const Binding &old = found->second;
    const TensorRef *output = nullptr;
    if (old.value.isTensor() && old.value.tensor->param >= 0) {
      const ParamInfo &param = params[old.value.tensor->param];
      if (param.name == name && param.annotation.direction != Direction::In)
        output = old.value.tensor.get();
    }
    bool rebinds = !value.isTensor() || !old.value.isTensor() ||
                   value.tensor->param != old.value.tensor->param;
    if (output && rebinds) {
      warning(DiagCode::DroppedWrite, range,
              "'" + name.str() +
                  "' is an output, but assigning its name writes "
                  "nothing; write '" +
                  name.str() + "[i:j, k:l] = ...' to store to it");
    } else if (old.depth < depth && !isSameKind(old.value, value) &&
               !isRenamedInScope(*this, old.value, value)) {
      bool differ = old.value.isTile() && value.isTile() &&
                    old.value.isTileLevel != value.isTileLevel;
      auto level = [&](const DslValue &side) {
        return !differ ? "" : side.isTileLevel ? " (a Tile)" : " (a Tensor)";
      };
      error(DiagCode::ChangedType, range,
            "cannot reassign '" + name.str() +
                "' with a different type: it was " + describe(old.value) +
                level(old.value) + ", and this is " + describe(value) +
                level(value))
          .note(old.range, "it is bound here; use another name inside the "
                           "block");
      binding.value = DslValue::error();
    }
    // An update of an outer name keeps belonging to its block, and its storage.
    binding.depth = std::min(old.depth, depth);
    if (old.depth < depth && value.isArray() && !value.isTaskArray() &&
        isSameKind(old.value, value)) {
      if (checkArrayInReach(*this, old.value, range))
        copyArray(*this, value, old.value, range);
      return;
    }
  }
  if (value.isScalar() || value.isTile() || value.isTask() || value.isArray())
    nameValue(value.value, name, range);
  env[name] = std::move(binding);
}

void FunctionLowering::nameValue(mlir::Value value, Identifier name,
                                 SourceRange range) {
  if (mlir::isa<mlir::NameLoc>(value.getLoc()))
    return;
  mlir::Operation *op = value.getDefiningOp();
  // Arguments are named by their function, constants are shared, and the place
  // of a call becomes part of everything that is inlined there; the first name
  // of a block index is that of the argument.
  bool isBlockIndex = core && value == core->blockIndex;
  if ((!op && !isBlockIndex) ||
      mlir::isa_and_nonnull<mlir::arith::ConstantOp, mlir::func::CallOp>(op))
    return;
  value.setLoc(
      mlir::NameLoc::get(builder.getStringAttr(name.str()), value.getLoc()));
}

void FunctionLowering::poison(const Expr *target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(target)) {
    Binding &binding = env[name->name];
    unsigned level =
        binding.value.isError() ? depth : std::min(depth, binding.depth);
    binding = Binding();
    binding.depth = level;
    binding.range = name->range;
  } else if (auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
    for (const Expr *element : tuple->elements)
      poison(element);
  }
}

void FunctionLowering::bindTarget(const Expr *target, DslValue value,
                                  SourceRange range) {
  if (value.isError())
    return poison(target);
  if (auto *name = llvm::dyn_cast<NameExpr>(target))
    return bindName(name->name, std::move(value), name->range);
  ExprList targets;
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    targets = tuple->elements;
  else if (auto *list = llvm::dyn_cast<ListExpr>(target))
    targets = list->elements;
  if (targets.empty()) {
    error(DiagCode::UnsupportedPython, target->range,
          "the target of an assignment must be a name, names "
          "or a subscript of a name");
    return;
  }
  if (value.isHost()) {
    ArrayRef<Value> list;
    if (auto *tuple = value.host.as<TupleObject>())
      list = tuple->elements;
    else if (auto *hostList = value.host.as<ListObject>())
      list = hostList->elements;
    std::vector<DslValue> elements;
    for (const Value &element : list)
      elements.push_back(DslValue::makeHost(element));
    if (!list.empty())
      value = DslValue::makeTuple(std::move(elements));
  }
  if (value.kind != DslValue::Kind::Tuple ||
      value.elements.size() != targets.size()) {
    error(DiagCode::WrongArguments, range,
          "cannot unpack " + describe(value) + " into " +
              Twine(targets.size()) + " names");
    return poison(target);
  }
  for (auto [element, part] : llvm::zip(targets, value.elements))
    bindTarget(element, part, range);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerStatements(StmtList statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    if (module.session.getDiagnostics().reachedLimit())
      return;
    if (sawReturn) {
      error(DiagCode::BadReturn, statements[i]->range,
            "this is never reached: return must be the last statement");
      return;
    }
    if (leftLoop) {
      error(DiagCode::BadReturn, statements[i]->range,
            "this is never reached: break and continue end a block");
      return;
    }
    continuations.push_back(statements.drop_front(i + 1));
    lowerStatement(statements[i]);
    continuations.pop_back();
  }
}

void FunctionLowering::lowerNested(StmtList statements) {
  // Each level of the source is one level of the host's stack.
  if (depth >= 64) {
    if (!statements.empty())
      error(DiagCode::Recursion, statements.front()->range,
            "statements are nested too deeply");
    return;
  }
  ++depth;
  lowerStatements(statements);
  --depth;
}

bool FunctionLowering::isReadAfter(Identifier name) {
  if (isWatchName(name))
    return true;
  for (const LoopFrame *frame : loops)
    if (llvm::is_contained(frame->carried, name))
      return true;
  for (StmtList rest : llvm::reverse(continuations))
    for (size_t i = 0; i < rest.size(); ++i) {
      auto [known, isNew] =
          firstUses.try_emplace({rest[i], name}, FirstUse::None);
      if (isNew)
        known->second = getFirstUse(rest.slice(i, 1), name);
      if (known->second != FirstUse::None)
        return known->second == FirstUse::Read;
    }
  return false;
}

void FunctionLowering::lowerStatement(const Stmt *stmt) {
  SourceRange range = stmt->range;
  switch (stmt->kind) {
  case NodeKind::Assign: {
    auto *assign = llvm::cast<AssignStmt>(stmt);
    if (assign->targets.size() != 1) {
      error(DiagCode::UnsupportedPython, range,
            "a chained assignment is not part of kernels; write one "
            "statement for each name");
      return;
    }
    return lowerAssign(assign->targets[0], assign->value, range);
  }
  case NodeKind::AnnAssign: {
    auto *assign = llvm::cast<AnnAssignStmt>(stmt);
    if (!assign->value) {
      error(DiagCode::UnsupportedPython, range,
            "a declaration without a value is not part of kernels");
      return;
    }
    return lowerAssign(assign->target, assign->value, range);
  }
  case NodeKind::AugAssign: {
    auto *assign = llvm::cast<AugAssignStmt>(stmt);
    std::string target = getText(assign->target);
    error(DiagCode::UnsupportedPython, range,
          "Unsupported statement: augmented assignment is not part of "
          "kernels; write " +
              target + " = " + target + " " + getSpelling(assign->op) + " ...");
    return;
  }
  case NodeKind::ExprStmt:
    return lowerExprStatement(llvm::cast<ExprStmt>(stmt));
  case NodeKind::Return:
    return lowerReturn(llvm::cast<ReturnStmt>(stmt));
  case NodeKind::If:
    return lowerIf(llvm::cast<IfStmt>(stmt));
  case NodeKind::For:
    return lowerFor(llvm::cast<ForStmt>(stmt));
  case NodeKind::With:
    return lowerWith(llvm::cast<WithStmt>(stmt));
  case NodeKind::Pass:
    return;
  case NodeKind::While:
    return lowerWhile(llvm::cast<WhileStmt>(stmt));
  case NodeKind::Break:
  case NodeKind::Continue:
    return lowerLeave(stmt);
  default:
    error(DiagCode::UnsupportedPython, range.start(),
          "Unsupported statement in a kernel: " + getKindName(stmt->kind));
  }
}

void FunctionLowering::lowerAssign(const Expr *target, const Expr *value,
                                   SourceRange range) {
  if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(target))
    return lowerSubscriptAssign(subscript, value, range);
  auto *name = llvm::dyn_cast<NameExpr>(target);
  targetName = name ? name->name : Identifier();
  statementCall = llvm::dyn_cast<CallExpr>(value);
  DslValue made = lower(value);
  statementCall = nullptr;
  targetName = Identifier();
  bool isCall = llvm::isa<CallExpr>(value);
  if (made.kind == DslValue::Kind::Tuple && made.elements.empty() && isCall)
    made = fail(DiagCode::NoReturnValue, value->range,
                "this call has no value to assign");
  // An update within a block copies into the storage of the name.
  auto known = name ? env.find(name->name) : env.end();
  if (known == env.end() || known->second.depth >= depth)
    copyNamedArrays(*this, value, made);
  if (isSubmit(*this, value))
    made = regroupSubmitted(std::move(made), target);
  // `x = pl.assemble(x, ...)` writes into the tile as well.
  const NameExpr *written = getWrittenInPlace(value);
  if (name && written && written->name == name->name && made.isTile())
    return bindWritten(*this, name->name, std::move(made), name->range);
  bindTarget(target, std::move(made), range);
}

void FunctionLowering::lowerExprStatement(const ExprStmt *stmt) {
  if (auto *constant = llvm::dyn_cast<ConstantExpr>(stmt->value))
    if (constant->isString())
      return;
  auto *call = llvm::dyn_cast<CallExpr>(stmt->value);
  if (!call) {
    error(DiagCode::UnsupportedPython, stmt->range,
          "this expression has no effect");
    return;
  }
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(call->callee))
    if (attribute->attr == "bind_dynamic" && depth == 0)
      return; // done with the signature
  statementCall = bareCall = call;
  DslValue made = lower(call);
  // A write into a value on the core changes what the name stands for.
  const NameExpr *written = getWrittenInPlace(call);
  if (written && made.isTile())
    bindWritten(*this, written->name, std::move(made), stmt->range);
  statementCall = nullptr;
}

/// Whether a tensor is a parameter itself, not a view of one.
static bool isParameter(FunctionLowering &f, const DslValue &value) {
  // A loop or branch that carries a parameter gives the same tensor. Of a
  // kernel or program only that matters.
  if (value.isTensor() && value.tensor->param >= 0 &&
      f.funcKind != ir::FuncKind::inlined) {
    const TensorRef &param = *f.params[value.tensor->param].value.tensor;
    mlir::Operation *op = value.tensor->memref.getDefiningOp();
    bool isCarried = op && op->getNumRegions() != 0;
    if (isCarried && value.tensor->otherParams.empty() &&
        value.tensor->memref.getType() == param.memref.getType())
      return true;
  }
  return value.isTensor() && value.tensor->param >= 0 &&
         f.params[value.tensor->param].value.tensor->memref ==
             value.tensor->memref;
}

/// One element of what a function returns.
static bool lowerReturned(FunctionLowering &f, const DslValue &element,
                          SourceRange range,
                          SmallVectorImpl<mlir::Value> &operands) {
  auto wrong = [&](const Twine &text) {
    f.error(DiagCode::BadReturn, range, text);
    return false;
  };
  ReturnSlot slot;
  slot.value = element;
  if (element.kind == DslValue::Kind::Tuple)
    return wrong("cannot return " + f.describe(element) + " in a tuple");
  bool isInline = f.funcKind == ir::FuncKind::inlined;
  if ((element.isTask() || element.isArray()) && !isInline)
    return wrong((element.isTask() ? "a TaskId" : "an array") +
                 Twine(" may be returned by an inline function only"));
  if (isParameter(f, element)) {
    slot.kind = ReturnSlot::Kind::Param;
    slot.index = element.tensor->param;
  } else if (element.isHost()) {
    slot.kind = ReturnSlot::Kind::Host;
    if (f.isEntry)
      return wrong("a program returns tensors, but this is " +
                   f.describe(element));
  } else if (f.funcKind == ir::FuncKind::incore) {
    return wrong(
        element.isTile()
            ? "an incore function cannot return " + f.describe(element) +
                  ", which is on the chip; store it to an Out parameter and "
                  "return that"
            : "an incore function returns its parameters, but this is " +
                  f.describe(element));
  } else if (f.isEntry) {
    if (!element.isTensor())
      return wrong("a program returns tensors, but this is " +
                   f.describe(element));
    if (isWindowBuffer(element) || (f.isHost() && element.tensor->param < 0))
      return wrong("a host program returns its parameters, but this is " +
                   f.describe(element));
    // What was made here is one more output of the program.
    if (element.tensor->param < 0)
      ir::ExportOp::create(f.builder, f.loc(range), element.tensor->memref,
                           element.tensor->name);
    slot.kind = ReturnSlot::Kind::Result;
    slot.index = operands.size();
  } else {
    slot.kind = ReturnSlot::Kind::Result;
    slot.index = operands.size();
    operands.push_back(element.isTensor() ? element.tensor->memref
                                          : element.value);
  }
  f.result->returns.push_back(std::move(slot));
  return true;
}

void FunctionLowering::lowerReturn(const ReturnStmt *stmt) {
  if (depth != 0) {
    error(DiagCode::BadReturn, stmt->range,
          "return must be the last statement of a function; it "
          "cannot be inside a loop, a branch or a scope");
    return;
  }
  sawReturn = true;
  if (!stmt->value)
    return;
  statementCall = llvm::dyn_cast<CallExpr>(stmt->value);
  DslValue value = lower(stmt->value);
  statementCall = nullptr;
  if (value.isError())
    return;
  std::vector<DslValue> elements{value};
  if (value.kind == DslValue::Kind::Tuple) {
    elements = value.elements;
    result->returnsTuple = true;
  }
  result->returnsValue = true;
  SmallVector<mlir::Value> operands;
  for (const DslValue &element : elements)
    if (element.isError() ||
        !lowerReturned(*this, element, stmt->value->range, operands)) {
      hadError = true; // reported; the function is not used
      return;
    }
  // The end of a program returns from it.
  if (isEntry)
    return;
  appendChangedArrays(*this, operands);
  mlir::func::ReturnOp::create(builder, loc(stmt->range), operands);
}
