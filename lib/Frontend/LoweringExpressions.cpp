//===- LoweringExpressions.cpp - names, operators, subscripts -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringChecks.h"
#include "LoweringMemory.h"
#include "LoweringRegions.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

DslValue FunctionLowering::lower(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Name:
    return lowerName(llvm::cast<NameExpr>(expr));
  case NodeKind::Constant: {
    auto *constant = llvm::cast<ConstantExpr>(expr);
    if (constant->isInt())
      return DslValue::makeHost(Value::integer(constant->intValue));
    return evaluateHost(expr);
  }
  case NodeKind::Tuple:
  case NodeKind::List: {
    ExprList list = expr->kind == NodeKind::Tuple
                        ? llvm::cast<TupleExpr>(expr)->elements
                        : llvm::cast<ListExpr>(expr)->elements;
    std::vector<DslValue> elements;
    for (const Expr *element : list)
      elements.push_back(lower(element));
    return DslValue::makeTuple(std::move(elements));
  }
  case NodeKind::Call:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return lowerCall(llvm::cast<CallExpr>(expr));
  case NodeKind::Attribute:
    return lowerAttribute(llvm::cast<AttributeExpr>(expr));
  case NodeKind::Subscript:
    return lowerSubscript(llvm::cast<SubscriptExpr>(expr));
  case NodeKind::BinOp:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return lowerBinOp(llvm::cast<BinOpExpr>(expr));
  case NodeKind::UnaryOp:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return lowerUnary(llvm::cast<UnaryOpExpr>(expr));
  case NodeKind::Compare:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return lowerCompare(llvm::cast<CompareExpr>(expr));
  case NodeKind::BoolOp:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return lowerBool(llvm::cast<BoolOpExpr>(expr));
  case NodeKind::IfExp:
    if (isHostExpr(expr))
      return evaluateHost(expr);
    return fail(DiagCode::UnsupportedPython, expr->range,
                "a conditional expression is not part of kernels; "
                "write an if statement");
  case NodeKind::Comprehension:
    return fail(DiagCode::UnsupportedPython, expr->range,
                "a comprehension is only part of kernels inside deps=");
  default:
    return fail(DiagCode::UnsupportedPython, expr->range,
                "unsupported expression in a kernel: " +
                    getKindName(expr->kind));
  }
}

DslValue FunctionLowering::lowerName(const NameExpr *expr) {
  auto found = env.find(expr->name);
  StringRef name = expr->name;
  if (found != env.end()) {
    const Binding &binding = found->second;
    switch (binding.state) {
    case Binding::State::Bound:
      return binding.value;
    case Binding::State::OneBranch:
      error(DiagCode::MaybeUnbound, expr->range,
            "'" + name + "' is bound in one branch only")
          .note(binding.range, "only this branch binds it; bind '" + name +
                                   "' before the if, or in both branches");
      return DslValue::error();
    case Binding::State::LoopOnly:
      error(DiagCode::MaybeUnbound, expr->range,
            "'" + name +
                "' is first bound inside a loop that may run zero times")
          .note(binding.range,
                "it is bound here; bind another name before the loop, and "
                "assign that in its body");
      return DslValue::error();
    case Binding::State::LeftScope:
      error(DiagCode::MaybeUnbound, expr->range,
            "'" + name +
                "' belongs to a core scope that is over; only "
                "tensors and the TaskId leave a scope")
          .note(binding.range, "it is bound here; store it to a tensor inside "
                               "the scope, and load that");
      return DslValue::error();
    }
  }
  if (module.session.lookup(kernel, name))
    return evaluateHost(expr);
  std::vector<StringRef> candidates;
  for (auto &entry : env)
    candidates.push_back(entry.first);
  for (auto &entry : kernel.module->globals)
    candidates.push_back(entry.getKey());
  llvm::sort(candidates);
  if (name == "torch" || name == "math")
    return fail(DiagCode::UndefinedName, expr->range,
                "undefined name '" + name +
                    "'; a kernel computes with the operations of "
                    "pl" +
                    (name == "torch" ? ", and torch is there for "
                                       "fixtures and goldens"
                                     : ""));
  return fail(DiagCode::UndefinedName, expr->range,
              "undefined name '" + name + "'" + didYouMean(name, candidates));
}

DslValue FunctionLowering::lowerAttribute(const AttributeExpr *expr) {
  if (isHostExpr(expr->value))
    return evaluateHost(expr);
  DslValue base = lower(expr->value);
  if (base.isError())
    return base;
  if (base.isTensor() || base.isTile()) {
    if (expr->attr == "shape") {
      std::vector<DslValue> extents;
      if (base.isTensor())
        for (const Extent &extent : base.tensor->extents)
          extents.push_back(getExtent(extent));
      else
        for (int64_t extent : base.shape)
          extents.push_back(DslValue::makeHost(Value::integer(extent)));
      return DslValue::makeTuple(std::move(extents));
    }
    if (expr->attr == "dtype")
      return DslValue::makeHost(Value::dtype(*base.dtype));
  }
  static constexpr StringRef known[] = {"shape", "dtype"};
  return fail(DiagCode::UnknownOperation, expr->attrRange,
              describe(base) + " has no attribute '" + expr->attr.str() + "'" +
                  didYouMean(expr->attr, known));
}

DslValue FunctionLowering::lowerBinOp(const BinOpExpr *expr) {
  DslValue lhs = lower(expr->lhs), rhs = lower(expr->rhs);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  if (lhs.isTensor() || lhs.isTile() || rhs.isTensor() || rhs.isTile()) {
    StringRef name;
    switch (expr->op) {
    case BinOpKind::Add:
      name = "add";
      break;
    case BinOpKind::Sub:
      name = "sub";
      break;
    case BinOpKind::Mult:
      name = "mul";
      break;
    case BinOpKind::Div:
      name = "div";
      break;
    default:
      return fail(DiagCode::DTypeMismatch, expr->range,
                  "operator '" + getSpelling(expr->op) + "' does not take " +
                      describe(lhs) + " and " + describe(rhs));
    }
    if (!core)
      return fail(DiagCode::MisplacedOp, expr->range,
                  "Misplaced tensor op '" + getSpelling(expr->op) +
                      "': it should be inside an InCore block (pl.at or "
                      "pl.spmd)");
    return lowerTileBinary(expr->range, name, lhs, rhs);
  }
  auto isNumber = [](const DslValue &value) {
    return value.isScalar() || value.isHostNumber() ||
           (value.isHost() && value.host.getKind() == ValueKind::DynVar);
  };
  if (!isNumber(lhs) || !isNumber(rhs))
    return fail(DiagCode::DTypeMismatch, expr->range,
                "operator '" + getSpelling(expr->op) + "' does not take " +
                    describe(lhs) + " and " + describe(rhs));
  if (lhs.isHostNumber() && rhs.isHostNumber())
    return foldBinary(expr->range, expr->op, lhs, rhs);
  return scalarBinary(expr->range, expr->op, lhs, rhs);
}

DslValue FunctionLowering::lowerUnary(const UnaryOpExpr *expr) {
  DslValue operand = lower(expr->operand);
  if (operand.isError())
    return operand;
  SourceRange range = expr->range;
  if (operand.isHost() && operand.host.getKind() == ValueKind::DynVar)
    operand = toScalar(operand, range);
  if (operand.isTensor() && core && expr->op == UnaryOpKind::Neg)
    operand = toTile(operand, range, "the operand of '-'");
  if (operand.isError())
    return operand;
  switch (expr->op) {
  case UnaryOpKind::Pos:
    if (operand.isScalar() || operand.isHostNumber())
      return operand;
    break;
  case UnaryOpKind::Neg:
    if (operand.isHostNumber())
      return foldBinary(range, BinOpKind::Sub,
                        DslValue::makeHost(operand.host.isFloat()
                                               ? Value::real(-0.0)
                                               : Value::integer(0),
                                           operand.dtype),
                        operand);
    if (operand.isScalar()) {
      if (mlir::isa<mlir::FloatType>(operand.value.getType()))
        return DslValue::makeScalar(
            builder.createOrFold<arith::NegFOp>(loc(range), operand.value),
            *operand.dtype);
      return scalarBinary(range, BinOpKind::Sub,
                          DslValue::makeHost(Value::integer(0)), operand);
    }
    if (operand.isTile() && core)
      return makeTileOp(range, "neg", {operand});
    break;
  case UnaryOpKind::Not: {
    if (operand.isHost() && operand.host.isBool())
      return DslValue::makeHost(Value::boolean(!operand.host.getBool()));
    if (!operand.isScalar() || operand.dtype != DTypeKind::BOOL)
      break;
    mlir::Value one = getConstant(builder.getBoolAttr(true), range);
    return DslValue::makeScalar(
        builder.createOrFold<arith::XOrIOp>(loc(range), operand.value, one),
        DTypeKind::BOOL);
  }
  case UnaryOpKind::Invert:
    if (operand.isScalar() && operand.dtype != DTypeKind::BOOL)
      return scalarBinary(range, BinOpKind::BitXor, operand,
                          DslValue::makeHost(Value::integer(-1)));
    break;
  }
  return fail(DiagCode::DTypeMismatch, range,
              "operator '" + getSpelling(expr->op) + "' does not take " +
                  describe(operand));
}

DslValue FunctionLowering::lowerCompare(const CompareExpr *expr) {
  SourceRange range = expr->range;
  if (expr->ops.size() != 1)
    return fail(DiagCode::UnsupportedPython, range,
                "a chained comparison is not part of kernels; write two "
                "comparisons joined with 'and'");
  DslValue lhs = lower(expr->left), rhs = lower(expr->comparators[0]);
  if (lhs.isError() || rhs.isError())
    return DslValue::error();
  CmpOpKind op = expr->ops[0];
  std::string what = ("'" + getSpelling(op) + "'").str();
  if (op > CmpOpKind::GtE)
    return fail(DiagCode::UnsupportedPython, range,
                "operator " + what + " is not part of kernels");
  if (lhs.isHostNumber() && rhs.isHostNumber()) {
    double a = lhs.host.getNumber(), b = rhs.host.getNumber();
    bool exact = !lhs.host.isFloat() && !rhs.host.isFloat();
    int order = exact ? (lhs.host.getInt() > rhs.host.getInt()) -
                            (lhs.host.getInt() < rhs.host.getInt())
                      : (a > b) - (a < b);
    bool equal = exact ? order == 0 : a == b;
    bool made = op == CmpOpKind::Eq      ? equal
                : op == CmpOpKind::NotEq ? !equal
                : op == CmpOpKind::Lt    ? order < 0
                : op == CmpOpKind::LtE   ? order < 0 || equal
                : op == CmpOpKind::Gt    ? order > 0
                                         : order > 0 || equal;
    return DslValue::makeHost(Value::boolean(made));
  }
  for (const DslValue *side : {&lhs, &rhs})
    if (side->isTensor() || side->isTile())
      return fail(DiagCode::DTypeMismatch, range,
                  "operator " + what + " compares scalars, but this is " +
                      describe(*side));
  if (!promote(range, what, lhs, rhs))
    return DslValue::error();
  mlir::Value made;
  if (mlir::isa<mlir::FloatType>(lhs.value.getType())) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    made = builder.createOrFold<arith::CmpFOp>(
        loc(range), predicates[unsigned(op)], lhs.value, rhs.value);
  } else {
    static constexpr arith::CmpIPredicate predicates[2][6] = {
        {arith::CmpIPredicate::eq, arith::CmpIPredicate::ne,
         arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
         arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
        {arith::CmpIPredicate::eq, arith::CmpIPredicate::ne,
         arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
         arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge}};
    if (lhs.dtype == DTypeKind::BOOL && op > CmpOpKind::NotEq)
      return fail(DiagCode::DTypeMismatch, range,
                  "operator " + what + " does not take BOOL scalars");
    made = builder.createOrFold<arith::CmpIOp>(
        loc(range), predicates[isUnsigned(*lhs.dtype)][unsigned(op)], lhs.value,
        rhs.value);
  }
  return DslValue::makeScalar(made, DTypeKind::BOOL);
}

DslValue FunctionLowering::lowerBool(const BoolOpExpr *expr) {
  bool isAnd = expr->op == BoolOpKind::And;
  // Both sides are evaluated: there is no short circuit in a kernel.
  std::optional<DslValue> made;
  for (const Expr *sub : expr->values) {
    mlir::Block *block = builder.getInsertionBlock();
    mlir::Operation *from = builder.getInsertionPoint() == block->begin()
                                ? nullptr
                                : &*std::prev(builder.getInsertionPoint());
    DslValue value = lower(sub);
    if (value.isError())
      return value;
    if (made && made->isScalar())
      checkGuardedReads(*this, made->value, from, expr, sub->range);
    bool isBool = (value.isHost() && value.host.isBool()) ||
                  (value.isScalar() && value.dtype == DTypeKind::BOOL);
    if (!isBool)
      return fail(DiagCode::Condition, sub->range,
                  "'" + getSpelling(expr->op) +
                      "' takes BOOL scalars, but this is " + describe(value) +
                      "; write x != 0");
    if (!made) {
      made = value;
    } else if (made->isHost() && value.isHost()) {
      bool a = made->host.getBool(), b = value.host.getBool();
      made = DslValue::makeHost(Value::boolean(isAnd ? a && b : a || b));
    } else {
      made = scalarBinary(expr->range,
                          isAnd ? BinOpKind::BitAnd : BinOpKind::BitOr, *made,
                          value);
    }
  }
  return made ? *made : DslValue::error();
}

DslValue FunctionLowering::lowerSubscript(const SubscriptExpr *expr) {
  if (isHostExpr(expr))
    return evaluateHost(expr);
  DslValue base = lower(expr->value);
  if (base.isError())
    return base;
  if (base.kind == DslValue::Kind::Tuple ||
      (base.isHost() &&
       (base.host.as<TupleObject>() || base.host.as<ListObject>()))) {
    DslValue index = lower(expr->index);
    std::optional<int64_t> number = getConstantInt(index);
    if (!number)
      return index.isError() ? index
                             : fail(DiagCode::BadSubscript, expr->index->range,
                                    "the index of a tuple must be a "
                                    "constant");
    int64_t size = base.elements.size();
    if (base.isHost())
      size = base.host.as<TupleObject>()
                 ? base.host.as<TupleObject>()->elements.size()
                 : base.host.as<ListObject>()->elements.size();
    if (*number < -size || *number >= size)
      return fail(DiagCode::BadSubscript, expr->index->range,
                  "index " + Twine(*number) + " is outside a tuple of " +
                      Twine(size));
    size_t at = *number < 0 ? *number + size : *number;
    if (!base.isHost())
      return base.elements[at];
    return DslValue::makeHost(base.host.as<TupleObject>()
                                  ? base.host.as<TupleObject>()->elements[at]
                                  : base.host.as<ListObject>()->elements[at]);
  }
  if (base.isArray())
    return readArray(*this, expr, base);
  Window window;
  window.range = expr->range;
  if (base.isTensor()) {
    const TensorRef &tensor = *base.tensor;
    if (!getWindow(expr, tensor.extents, window))
      return DslValue::error();
    if (window.isElement()) {
      SmallVector<mlir::Value> indices;
      for (const DslValue &offset : window.offsets)
        if (mlir::Value index = toIndex(offset, expr->range, "an index"))
          indices.push_back(index);
        else
          return DslValue::error();
      if (!checkBounds(tensor, window, window.sizes, "element"))
        return DslValue::error();
      noteRead(tensor, expr->range);
      mlir::Type type = module.getScalarType(tensor.dtype);
      return DslValue::makeScalar(ir::ReadOp::create(builder, loc(expr->range),
                                                     type, tensor.memref,
                                                     indices),
                                  tensor.dtype);
    }
    return core ? loadWindow(tensor, window, {}, expr->range)
                : viewWindow(tensor, window, expr->range);
  }
  if (base.isTile())
    return lowerTileSubscript(*this, expr, base);
  return fail(DiagCode::BadSubscript, expr->range,
              describe(base) + " has no subscripts");
}

/// The last name of a callee as it is spelled.
static StringRef getLastName(const Expr *callee) {
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(callee))
    return attribute->attr;
  return llvm::cast<NameExpr>(callee)->name;
}

DslValue FunctionLowering::lowerCall(const CallExpr *expr) {
  std::string plName = getPlName(expr->callee);
  if (plName == "pl.submit" || plName == "pl.spmd_submit")
    return lowerSubmit(*this, expr, plName == "pl.spmd_submit");
  if (!plName.empty())
    return lowerOp(expr, plName);
  if (KernelObject *callee = getCallee(expr->callee)) {
    if (StringRef name = getLastName(expr->callee); name != callee->name)
      warning(DiagCode::CalledByAlias, expr->callee->range,
              "'" + name + "' is another name of the kernel '" +
                  Twine(callee->name) +
                  "': PyPTO finds kernels by the name they are defined with")
          .note(callee->def->headerRange, "it is defined here");
    if (statementCall != expr)
      return fail(DiagCode::MisplacedOp, expr->range,
                  "a call of '" + Twine(callee->name) +
                      "' must be a statement: write x = " + callee->name +
                      "(...) and use x");
    return lowerKernelCall(expr, *callee);
  }
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(expr->callee)) {
    if (attribute->attr == "bind_dynamic")
      return fail(DiagCode::UnsupportedPython, expr->range,
                  "bind_dynamic must be a statement at the top "
                  "level of an entry");
    DslValue base = lower(attribute->value);
    if (base.isError())
      return base;
    if (!base.isHost())
      return fail(DiagCode::UnknownOperation, attribute->attrRange,
                  describe(base) + " has no method '" + attribute->attr.str() +
                      "'");
  }
  DslValue callee = lower(expr->callee);
  if (callee.isError())
    return callee;
  if (callee.isHost())
    return fail(DiagCode::NotAKernelValue, expr->range,
                "'" + getText(expr->callee) +
                    "' is a host function; a kernel can only call "
                    "it with constants");
  return fail(DiagCode::NotAKernelValue, expr->callee->range,
              describe(callee) + " cannot be called");
}
