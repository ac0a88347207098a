//===- Scalars.cpp - Scalars as EmitC expressions -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

static bool isNonNegative(Value value, unsigned depth = 0);

/// Does the division of C++ give the floor?
static bool roundsDown(Operation *op) {
  return isNonNegative(op->getOperand(0)) && isNonNegative(op->getOperand(1));
}

/// Ops that read an operand twice in C++.
static bool repeatsOperands(Operation *op) {
  if (isa<arith::FloorDivSIOp>(op))
    return !roundsDown(op);
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
             arith::MaxNumFOp, arith::CeilDivSIOp>(op);
}

/// Is the operand printed as part of a declaration, assignment, condition,
/// bound or larger expression? Operands of instructions want a name.
static bool acceptsExpression(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa_and_nonnull<arith::ArithDialect>(user->getDialect()))
    return true;
  if (isa<BufferOp, BufferViewOp, LoadOp, StoreOp, ReadOp, scf::IfOp,
          scf::ForOp, scf::YieldOp, ForOp, YieldOp, memref::SubViewOp,
          memref::ReinterpretCastOp, AllocOp>(user))
    return true;
  return false;
}

/// Is `value` at least 0 whatever the run? Only what makes the printed
/// arithmetic shorter is looked at.
static bool isNonNegative(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  if (depth > 8)
    return false;
  auto both = [&](Operation *op) {
    return isNonNegative(op->getOperand(0), depth + 1) &&
           isNonNegative(op->getOperand(1), depth + 1);
  };
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(
        cast<BlockArgument>(value).getOwner()->getParentOp());
    return loop && value == loop.getInductionVar() &&
           isNonNegative(loop.getLowerBound(), depth + 1);
  }
  if (isa<memref::DimOp, BlockIdxOp, BlockNumOp>(op))
    return true;
  if (isa<arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0), depth + 1) ||
           isNonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return both(op);
  if (isa<arith::RemSIOp>(op))
    return isNonNegative(op->getOperand(0), depth + 1);
  return false;
}

unsigned Writer::treeSize(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<arith::ConstantOp>(op) || leaves.contains(value))
    return 0;
  unsigned size = 1;
  for (Value operand : op->getOperands())
    size += treeSize(operand) * (repeatsOperands(op) ? 2 : 1);
  return size;
}

bool Writer::isInline(Operation *op) {
  Value result = op->getResult(0);
  if (!userName(result).empty() || !result.hasOneUse())
    return false;
  OpOperand &use = *result.use_begin();
  if (use.getOwner()->getBlock() != op->getBlock() || !acceptsExpression(use))
    return false;
  // Views may use an offset or a size several times.
  if (isa<memref::SubViewOp, memref::ReinterpretCastOp>(use.getOwner()))
    return false;
  unsigned size = treeSize(result);
  return size <= (repeatsOperands(use.getOwner()) ? 1 : 6);
}

LogicalResult Writer::emitScalar(Operation *op) {
  if (isa<arith::ConstantOp>(op) || op->use_empty())
    return success();
  if (op->getNumResults() != 1)
    return notYet(op, "an op with several results");
  Value result = op->getResult(0);
  if (failed(cppType(result.getType())))
    return notYet(op, "a value of this type");
  if (isInline(op))
    return success();
  Value text = expr(op->getLoc(), result);
  if (!text)
    return failure();
  StringRef fallback = isa<arith::CmpIOp, arith::CmpFOp>(op) ? "cond" : "n";
  return declare(op->getLoc(), result, hint(result, fallback), text);
}

Value Writer::expr(Location loc, Value value) {
  if (Value leaf = leaves.lookup(value))
    return leaf;
  Operation *op = value.getDefiningOp();
  if (!op) {
    emitError(loc) << "uses a value that has no C++ name";
    return {};
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<std::string> text = constantText(constant.getValue());
    if (succeeded(text))
      return literal(loc, *text, emitType(value.getType()));
    op->emitOpError() << "has no C++ literal";
    return {};
  }
  if (isa_and_nonnull<emitc::EmitCDialect>(op->getDialect()))
    return value;
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect())) {
    (void)notYet(op, "this kind of scalar");
    return {};
  }
  auto expression = emitc::ExpressionOp::create(
      builder, loc, emitType(value.getType()), ValueRange(),
      /*do_not_inline=*/false);
  expression.createBody();
  OpBuilder inside = OpBuilder::atBlockBegin(&expression.getRegion().front());
  Value root = buildOp(expression, inside, op);
  if (!root) {
    expression.erase();
    return {};
  }
  // A conversion between types that are one type in C++ computes nothing.
  if (auto leaf = dyn_cast<BlockArgument>(root)) {
    Value operand = expression.getOperand(leaf.getArgNumber());
    expression.erase();
    return operand;
  }
  emitc::YieldOp::create(inside, loc, root);
  return expression.getResult();
}

Value Writer::operand(Location loc, Value value) {
  if (Value leaf = leaves.lookup(value))
    return leaf;
  if (value.getDefiningOp<arith::ConstantOp>())
    return expr(loc, value);
  emitError(loc) << "uses a value that has no C++ name";
  return {};
}

Value Writer::build(emitc::ExpressionOp expression, OpBuilder &inside,
                    Value value) {
  Operation *op = value.getDefiningOp();
  bool isLeaf =
      leaves.contains(value) || isa_and_nonnull<arith::ConstantOp>(op);
  if (!isLeaf && op && isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return buildOp(expression, inside, op);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(expression);
  Value leaf = expr(expression.getLoc(), value);
  if (!leaf)
    return {};
  // One operand for each value, however often the tree uses it.
  for (auto [index, known] : llvm::enumerate(expression.getOperands()))
    if (known == leaf)
      return expression.getRegion().front().getArgument(index);
  expression->insertOperands(expression->getNumOperands(), leaf);
  return expression.getRegion().front().addArgument(leaf.getType(),
                                                    leaf.getLoc());
}

Value Writer::number(emitc::ExpressionOp expression, OpBuilder &inside,
                     int64_t value, Type type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(expression);
  return build(expression, inside,
               literal(expression.getLoc(), std::to_string(value), type));
}

static emitc::CmpPredicate comparison(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return emitc::CmpPredicate::eq;
  case P::ne:
    return emitc::CmpPredicate::ne;
  case P::slt:
  case P::ult:
    return emitc::CmpPredicate::lt;
  case P::sle:
  case P::ule:
    return emitc::CmpPredicate::le;
  case P::sgt:
  case P::ugt:
    return emitc::CmpPredicate::gt;
  case P::sge:
  case P::uge:
    return emitc::CmpPredicate::ge;
  }
  llvm_unreachable("a predicate of cmpi");
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return predicate == P::ult || predicate == P::ule || predicate == P::ugt ||
         predicate == P::uge;
}

/// The ordered comparison that is true, or (`negated`) false, with `predicate`.
static std::optional<std::pair<emitc::CmpPredicate, bool>>
comparison(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  using C = emitc::CmpPredicate;
  switch (predicate) {
  case P::OEQ:
    return std::make_pair(C::eq, false);
  case P::OLT:
    return std::make_pair(C::lt, false);
  case P::OLE:
    return std::make_pair(C::le, false);
  case P::OGT:
    return std::make_pair(C::gt, false);
  case P::OGE:
    return std::make_pair(C::ge, false);
  case P::UNE:
    return std::make_pair(C::ne, false);
  case P::ULT:
    return std::make_pair(C::ge, true);
  case P::ULE:
    return std::make_pair(C::gt, true);
  case P::UGT:
    return std::make_pair(C::le, true);
  case P::UGE:
    return std::make_pair(C::lt, true);
  default:
    return std::nullopt;
  }
}

Value Writer::buildOp(emitc::ExpressionOp expression, OpBuilder &inside,
                      Operation *op) {
  SmallVector<Value> in;
  for (Value value : op->getOperands()) {
    in.push_back(build(expression, inside, value));
    if (!in.back())
      return {};
  }
  Location loc = op->getLoc();
  Type type = emitType(op->getResult(0).getType());
  Type i1 = inside.getI1Type();
  auto cast = [&](Type to, Value value) -> Value {
    if (value.getType() == to)
      return value;
    return emitc::CastOp::create(inside, loc, to, value);
  };
  auto unsignedOf = [&](Value value) {
    auto integer = dyn_cast<IntegerType>(value.getType());
    if (!integer || integer.getWidth() == 1)
      return value;
    return cast(IntegerType::get(inside.getContext(), integer.getWidth(),
                                 IntegerType::Unsigned),
                value);
  };
  auto compare = [&](emitc::CmpPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return emitc::CmpOp::create(inside, loc, i1, predicate, lhs, rhs);
  };
  // `lhs` where the comparison holds, else `rhs`.
  auto choose = [&](emitc::CmpPredicate predicate, Value lhs,
                    Value rhs) -> Value {
    return emitc::ConditionalOp::create(inside, loc, type,
                                        compare(predicate, lhs, rhs), lhs, rhs);
  };
  // C++ division rounds towards zero.
  auto divide = [&](bool floor) -> Value {
    Value a = in[0], b = in[1];
    using C = emitc::CmpPredicate;
    if (floor && roundsDown(op))
      return emitc::DivOp::create(inside, loc, type, a, b);
    Value zero = number(expression, inside, 0, type);
    Value rest = emitc::RemOp::create(inside, loc, type, a, b);
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    Value adjust;
    if (divisor && *divisor > 0) {
      adjust = compare(floor ? C::lt : C::gt, rest, zero);
    } else {
      Value inexact = compare(C::ne, rest, zero);
      Value signs = compare(floor ? C::ne : C::eq, compare(C::lt, a, zero),
                            compare(C::lt, b, zero));
      adjust = emitc::LogicalAndOp::create(inside, loc, i1, inexact, signs);
    }
    adjust = cast(type, adjust);
    Value quotient = emitc::DivOp::create(inside, loc, type, a, b);
    if (floor)
      return emitc::SubOp::create(inside, loc, type, quotient, adjust);
    return emitc::AddOp::create(inside, loc, type, quotient, adjust);
  };
  bool isLogical = type == i1;
  using C = emitc::CmpPredicate;

  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp, arith::AddFOp>([&](auto) -> Value {
        return emitc::AddOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case<arith::SubIOp, arith::SubFOp>([&](auto) -> Value {
        return emitc::SubOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case<arith::MulIOp, arith::MulFOp>([&](auto) -> Value {
        return emitc::MulOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case<arith::DivSIOp, arith::DivFOp>([&](auto) -> Value {
        return emitc::DivOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case([&](arith::RemSIOp) -> Value {
        return emitc::RemOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case([&](arith::DivUIOp) -> Value {
        Value lhs = unsignedOf(in[0]);
        return cast(type, emitc::DivOp::create(inside, loc, lhs.getType(), lhs,
                                               unsignedOf(in[1])));
      })
      .Case([&](arith::RemUIOp) -> Value {
        Value lhs = unsignedOf(in[0]);
        return cast(type, emitc::RemOp::create(inside, loc, lhs.getType(), lhs,
                                               unsignedOf(in[1])));
      })
      .Case([&](arith::FloorDivSIOp) { return divide(/*floor=*/true); })
      .Case([&](arith::CeilDivSIOp) { return divide(/*floor=*/false); })
      .Case<arith::MinSIOp>([&](auto) { return choose(C::lt, in[0], in[1]); })
      .Case<arith::MaxSIOp>([&](auto) { return choose(C::gt, in[0], in[1]); })
      .Case([&](arith::NegFOp) -> Value {
        return emitc::UnaryMinusOp::create(inside, loc, type, in[0]);
      })
      .Case([&](arith::SelectOp) -> Value {
        return emitc::ConditionalOp::create(inside, loc, type, in[0], in[1],
                                            in[2]);
      })
      .Case([&](arith::AndIOp) -> Value {
        if (isLogical)
          return emitc::LogicalAndOp::create(inside, loc, i1, in[0], in[1]);
        return emitc::BitwiseAndOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case([&](arith::OrIOp) -> Value {
        if (isLogical)
          return emitc::LogicalOrOp::create(inside, loc, i1, in[0], in[1]);
        return emitc::BitwiseOrOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case([&](arith::XOrIOp) -> Value {
        if (isLogical)
          return compare(C::ne, in[0], in[1]);
        return emitc::BitwiseXorOp::create(inside, loc, type, in[0], in[1]);
      })
      .Case([&](arith::CmpIOp cmp) -> Value {
        arith::CmpIPredicate predicate = cmp.getPredicate();
        if (isUnsigned(predicate))
          return compare(comparison(predicate), unsignedOf(in[0]),
                         unsignedOf(in[1]));
        return compare(comparison(predicate), in[0], in[1]);
      })
      .Case([&](arith::CmpFOp cmp) -> Value {
        auto known = comparison(cmp.getPredicate());
        if (!known) {
          (void)notYet(op, "this comparison");
          return {};
        }
        Value result = compare(known->first, in[0], in[1]);
        if (!known->second)
          return result;
        return emitc::LogicalNotOp::create(inside, loc, i1, result);
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return cast(type, in[0]); })
      .Case<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(
          [&](auto) { return cast(type, unsignedOf(in[0])); })
      .Default([&](Operation *) -> Value {
        (void)notYet(op, "this scalar operation");
        return {};
      });
}
