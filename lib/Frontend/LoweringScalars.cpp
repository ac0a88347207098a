//===- LoweringScalars.cpp - integers, floats and booleans in bodies ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace pl::frontend;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool pl::frontend::isUnsigned(DTypeKind dtype) {
  return (dtype >= DTypeKind::UINT8 && dtype <= DTypeKind::UINT64) ||
         dtype == DTypeKind::UINT4;
}

bool pl::frontend::isFloat(DTypeKind dtype) {
  switch (dtype) {
  case DTypeKind::FP64:
  case DTypeKind::FP32:
  case DTypeKind::FP16:
  case DTypeKind::BF16:
  case DTypeKind::FP8E4M3FN:
  case DTypeKind::FP8E5M2:
  case DTypeKind::FP8E8M0:
  case DTypeKind::FP4:
  case DTypeKind::HF8:
  case DTypeKind::HF4:
    return true;
  default:
    return false;
  }
}

unsigned pl::frontend::getBits(DTypeKind dtype) {
  switch (dtype) {
  case DTypeKind::BOOL:
    return 1;
  case DTypeKind::INT4:
  case DTypeKind::UINT4:
  case DTypeKind::FP4:
  case DTypeKind::HF4:
    return 4;
  default:
    return 8 * getByteSize(dtype);
  }
}

std::optional<int64_t> FunctionLowering::getConstantInt(const DslValue &value) {
  if (value.isHost() && value.host.isIntOrBool())
    return value.host.getInt();
  if (value.isScalar())
    if (auto constant = value.value.getDefiningOp<arith::ConstantOp>())
      if (auto attr = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue())) {
        if (!isUnsigned(*value.dtype))
          return attr.getValue().getSExtValue();
        if (attr.getValue().isIntN(63))
          return attr.getValue().getZExtValue();
      }
  return std::nullopt;
}

mlir::Value FunctionLowering::materialize(const DslValue &value,
                                          DTypeKind dtype, SourceRange range) {
  if (value.isScalar()) {
    if (value.dtype == dtype)
      return value.value;
    error(DiagCode::DTypeMismatch, range,
          "expects " + getWithArticle(dtype) + " scalar, but this is " +
              describe(value) + "; use pl.cast");
    return {};
  }
  if (value.isError())
    return {};
  if (!value.isHostNumber()) {
    error(DiagCode::DTypeMismatch, range,
          "expects " + getWithArticle(dtype) + " scalar, but this is " +
              describe(value));
    return {};
  }
  mlir::Type type = module.getScalarType(dtype);
  if (!type || !type.isIntOrIndexOrFloat()) {
    notLowered(range, getName(dtype));
    return {};
  }
  if (isFloat(dtype))
    return getConstant(builder.getFloatAttr(type, value.host.getNumber()),
                       range);
  if (value.host.isFloat()) {
    error(DiagCode::DTypeMismatch, range,
          "expects " + getName(dtype) + ", but " + repr(value.host) +
              " is a float; write an int, or cast the other operand");
    return {};
  }
  int64_t number = value.host.getInt();
  if (dtype == DTypeKind::BOOL && !value.host.isBool()) {
    error(DiagCode::DTypeMismatch, range,
          "expects a BOOL, but this is the int " + Twine(number));
    return {};
  }
  unsigned bits = getBits(dtype);
  bool fits = isUnsigned(dtype) ? number >= 0 && llvm::isUIntN(bits, number)
                                : bits == 1 || llvm::isIntN(bits, number);
  if (!fits) {
    error(DiagCode::OutOfRange, range,
          Twine(number) + " does not fit " + getName(dtype));
    return {};
  }
  return getConstant(builder.getIntegerAttr(type, number), range);
}

DslValue FunctionLowering::toScalar(DslValue value, SourceRange range) {
  if (value.isScalar() || value.isError())
    return value;
  if (value.isHost() && value.host.getKind() == ValueKind::DynVar) {
    auto *dim = value.host.as<DynVarObject>();
    if (dim->base) {
      if (dim->scale == 0)
        return fail(DiagCode::NotAKernelValue, range,
                    "'" + dim->name +
                        "' was computed outside of "
                        "kernels; compute it in the body");
      DslValue scaled = scalarBinary(
          range, BinOpKind::Mult, DslValue::makeHost(Value(dim->base)),
          DslValue::makeHost(Value::integer(dim->scale)));
      return scalarBinary(range, BinOpKind::Add, scaled,
                          DslValue::makeHost(Value::integer(dim->offset)));
    }
    StringRef symbol = module.getSymbol(dim);
    auto found = symbols.find(symbol);
    if (found == symbols.end())
      return fail(DiagCode::UndefinedName, range,
                  "no parameter of '" + Twine(kernel.name) +
                      "' has the dynamic dim '" + symbol +
                      "', so its extent is not known here");
    if (found->second.known >= 0)
      value = DslValue::makeHost(Value::integer(found->second.known));
    else
      return DslValue::makeScalar(getSymbolValue(symbol), DTypeKind::INDEX);
  }
  if (!value.isHostNumber())
    return fail(DiagCode::DTypeMismatch, range,
                "expects a scalar, but this is " + describe(value));
  DTypeKind dtype = value.dtype            ? *value.dtype
                    : value.host.isBool()  ? DTypeKind::BOOL
                    : value.host.isFloat() ? DTypeKind::FP32
                                           : DTypeKind::INDEX;
  mlir::Value made = materialize(value, dtype, range);
  return made ? DslValue::makeScalar(made, dtype) : DslValue::error();
}

mlir::Value FunctionLowering::toIndex(const DslValue &value, SourceRange range,
                                      StringRef what) {
  DslValue scalar = toScalar(value, range);
  if (scalar.isError())
    return {};
  if (scalar.dtype == DTypeKind::INDEX)
    return scalar.value;
  if (isFloat(*scalar.dtype) || scalar.dtype == DTypeKind::BOOL) {
    error(DiagCode::WrongArguments, range,
          what + " must be an integer, but this is " + describe(scalar));
    return {};
  }
  return builder.createOrFold<arith::IndexCastOp>(
      loc(range), builder.getIndexType(), scalar.value);
}

//===----------------------------------------------------------------------===//
// Folding of constants bound in the body
//===----------------------------------------------------------------------===//

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

DslValue FunctionLowering::foldBinary(SourceRange range, BinOpKind op,
                                      const DslValue &lhs,
                                      const DslValue &rhs) {
  std::optional<DTypeKind> dtype = lhs.dtype ? lhs.dtype : rhs.dtype;
  if (lhs.dtype && rhs.dtype && *lhs.dtype != *rhs.dtype)
    return scalarBinary(range, op, toScalar(lhs, range), toScalar(rhs, range));
  auto unsupported = [&] {
    return fail(DiagCode::UnsupportedDType, range,
                "operator '" + getSpelling(op) + "' does not take " +
                    describe(lhs) + " and " + describe(rhs));
  };
  if (!lhs.isHostNumber() || !rhs.isHostNumber())
    return unsupported();
  bool isReal =
      lhs.host.isFloat() || rhs.host.isFloat() || op == BinOpKind::Div;
  if (isReal) {
    double a = lhs.host.getNumber(), b = rhs.host.getNumber();
    if (b == 0 && (op == BinOpKind::Div || op == BinOpKind::FloorDiv ||
                   op == BinOpKind::Mod))
      return fail(DiagCode::OutOfRange, range, "division by zero");
    double made;
    switch (op) {
    case BinOpKind::Add:
      made = a + b;
      break;
    case BinOpKind::Sub:
      made = a - b;
      break;
    case BinOpKind::Mult:
      made = a * b;
      break;
    case BinOpKind::Div:
      made = a / b;
      break;
    case BinOpKind::FloorDiv:
      made = std::floor(a / b);
      break;
    case BinOpKind::Mod:
      made = a - std::floor(a / b) * b;
      break;
    case BinOpKind::Pow:
      made = std::pow(a, b);
      break;
    default:
      return unsupported();
    }
    if (dtype && !isFloat(*dtype))
      dtype.reset();
    return DslValue::makeHost(Value::real(made), dtype);
  }
  int64_t a = lhs.host.getInt(), b = rhs.host.getInt(), made = 0;
  bool overflow = false;
  switch (op) {
  case BinOpKind::Add:
    overflow = llvm::AddOverflow(a, b, made);
    break;
  case BinOpKind::Sub:
    overflow = llvm::SubOverflow(a, b, made);
    break;
  case BinOpKind::Mult:
    overflow = llvm::MulOverflow(a, b, made);
    break;
  case BinOpKind::FloorDiv:
  case BinOpKind::Mod:
    if (b == 0)
      return fail(DiagCode::OutOfRange, range, "division by zero");
    if (a == INT64_MIN && b == -1)
      overflow = true;
    else
      made = op == BinOpKind::FloorDiv ? floorDivide(a, b)
                                       : a - floorDivide(a, b) * b;
    break;
  case BinOpKind::Pow:
    if (b < 0)
      return unsupported();
    made = 1;
    // Anything but -1, 0, 1 overflows within 64 steps.
    if (a == 0 || a == 1 || a == -1)
      b = b == 0 ? 0 : 2 - b % 2;
    for (int64_t i = 0; i < b && !overflow; ++i)
      overflow = llvm::MulOverflow(made, a, made);
    break;
  case BinOpKind::LShift:
    overflow = b < 0 || b > 62 || (a << b) >> b != a;
    made = overflow ? 0 : a << b;
    break;
  case BinOpKind::RShift:
    if (b < 0)
      return fail(DiagCode::OutOfRange, range,
                  "negative shift count " + Twine(b));
    made = a >> std::min<int64_t>(b, 63);
    break;
  case BinOpKind::BitAnd:
    made = a & b;
    break;
  case BinOpKind::BitOr:
    made = a | b;
    break;
  case BinOpKind::BitXor:
    made = a ^ b;
    break;
  default:
    return unsupported();
  }
  if (overflow)
    return fail(DiagCode::OutOfRange, range,
                "integer overflow: " + Twine(a) + " " + getSpelling(op) + " " +
                    Twine(b) + " does not fit 64 bits");
  return DslValue::makeHost(Value::integer(made), dtype);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

bool FunctionLowering::promote(SourceRange range, StringRef what, DslValue &lhs,
                               DslValue &rhs) {
  for (DslValue *value : {&lhs, &rhs})
    if (value->isHost() && value->host.getKind() == ValueKind::DynVar)
      *value = toScalar(*value, range);
  if (lhs.isError() || rhs.isError())
    return false;
  // A literal takes the dtype of the other side.
  auto adopt = [&](DslValue &literal, const DslValue &other) {
    if (!literal.isHost() || literal.dtype || !other.isScalar())
      return true;
    mlir::Value made = materialize(literal, *other.dtype, range);
    if (made)
      literal = DslValue::makeScalar(made, *other.dtype);
    return bool(made);
  };
  if (!adopt(lhs, rhs) || !adopt(rhs, lhs))
    return false;
  lhs = toScalar(lhs, range);
  rhs = toScalar(rhs, range);
  if (lhs.isError() || rhs.isError())
    return false;
  if (lhs.dtype == rhs.dtype)
    return true;
  DTypeKind a = *lhs.dtype, b = *rhs.dtype;
  if (isFloat(a) || isFloat(b) || a == DTypeKind::BOOL ||
      b == DTypeKind::BOOL) {
    error(DiagCode::DTypeMismatch, range,
          what + " mixes " + describe(lhs) + " and " + describe(rhs) +
              "; cast one of them with pl.cast");
    return false;
  }
  // Wider wins, of equal widths the signed one; of two 64-bit types INDEX.
  bool toLeft = getBits(a) != getBits(b)         ? getBits(a) > getBits(b)
                : isUnsigned(a) != isUnsigned(b) ? isUnsigned(b)
                                                 : a == DTypeKind::INDEX;
  DslValue &narrow = toLeft ? rhs : lhs;
  narrow = scalarCast(range, narrow, toLeft ? a : b);
  return !narrow.isError();
}

bool FunctionLowering::isNonNegative(mlir::Value value, unsigned level) {
  if (level > 8)
    return false;
  auto both = [&](mlir::Operation *op) {
    return isNonNegative(op->getOperand(0), level + 1) &&
           isNonNegative(op->getOperand(1), level + 1);
  };
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    if (mlir::isa<ir::SpmdOp>(parent))
      return true;
    auto loop = mlir::dyn_cast<ir::ForOp>(parent);
    // Steps are positive, see lowerFor.
    return loop && argument == loop.getInductionVariable() &&
           isNonNegative(loop.getLower(), level + 1);
  }
  mlir::Operation *op = value.getDefiningOp();
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
    auto attr = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    return attr && attr.getValue().isNonNegative();
  }
  if (mlir::isa<mlir::memref::DimOp, ir::BlockIdxOp, ir::BlockNumOp,
                ir::ValidExtentOp>(op))
    return true;
  if (mlir::isa<arith::AddIOp, arith::MulIOp, arith::FloorDivSIOp,
                arith::DivSIOp, arith::MinSIOp>(op))
    return both(op);
  if (mlir::isa<arith::RemSIOp>(op))
    return isNonNegative(op->getOperand(0), level + 1);
  if (mlir::isa<arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0), level + 1) ||
           isNonNegative(op->getOperand(1), level + 1);
  if (mlir::isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return isNonNegative(op->getOperand(0), level + 1);
  // What grew with zeros has none of its sign.
  if (mlir::isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return !op->getOperand(0).getType().isInteger(64);
  return false;
}

mlir::Value FunctionLowering::floorDiv(mlir::Value lhs, mlir::Value rhs,
                                       SourceRange range) {
  return builder.createOrFold<arith::FloorDivSIOp>(loc(range), lhs, rhs);
}

mlir::Value FunctionLowering::floorMod(mlir::Value lhs, mlir::Value rhs,
                                       SourceRange range) {
  mlir::Location where = loc(range);
  mlir::Value rest = builder.createOrFold<arith::RemSIOp>(where, lhs, rhs);
  if (isNonNegative(lhs) && isNonNegative(rhs))
    return rest;
  // The rest has the sign of the dividend; Python's has that of the divisor.
  mlir::Value zero =
      getConstant(builder.getIntegerAttr(lhs.getType(), 0), range);
  auto less = arith::CmpIPredicate::slt;
  mlir::Value wrong =
      isNonNegative(rhs)
          ? builder.createOrFold<arith::CmpIOp>(where, less, rest, zero)
          : builder.createOrFold<arith::AndIOp>(
                where,
                builder.createOrFold<arith::CmpIOp>(
                    where, arith::CmpIPredicate::ne, rest, zero),
                builder.createOrFold<arith::XOrIOp>(
                    where,
                    builder.createOrFold<arith::CmpIOp>(where, less, rest,
                                                        zero),
                    builder.createOrFold<arith::CmpIOp>(where, less, rhs,
                                                        zero)));
  mlir::Value moved = builder.createOrFold<arith::AddIOp>(where, rest, rhs);
  return builder.createOrFold<arith::SelectOp>(where, wrong, moved, rest);
}

DslValue FunctionLowering::scalarBinary(SourceRange range, BinOpKind op,
                                        DslValue lhs, DslValue rhs) {
  std::string what = ("'" + getSpelling(op) + "'").str();
  if (!promote(range, what, lhs, rhs))
    return DslValue::error();
  DTypeKind dtype = *lhs.dtype;
  mlir::Location where = loc(range);
  mlir::Value a = lhs.value, b = rhs.value;
  auto give = [&](mlir::Value made) {
    return DslValue::makeScalar(made, dtype);
  };
  if (dtype == DTypeKind::BOOL && op != BinOpKind::BitAnd &&
      op != BinOpKind::BitOr && op != BinOpKind::BitXor)
    return fail(DiagCode::UnsupportedDType, range,
                what + " does not take BOOL scalars");
  if (isFloat(dtype)) {
    switch (op) {
    case BinOpKind::Add:
      return give(builder.createOrFold<arith::AddFOp>(where, a, b));
    case BinOpKind::Sub:
      return give(builder.createOrFold<arith::SubFOp>(where, a, b));
    case BinOpKind::Mult:
      return give(builder.createOrFold<arith::MulFOp>(where, a, b));
    case BinOpKind::Div:
      return give(builder.createOrFold<arith::DivFOp>(where, a, b));
    default:
      return fail(DiagCode::UnsupportedDType, range,
                  what + " does not take float scalars");
    }
  }
  bool isPlain = isUnsigned(dtype);
  if (op == BinOpKind::LShift || op == BinOpKind::RShift)
    if (std::optional<int64_t> count = getConstantInt(rhs))
      if (*count < 0 || *count >= int64_t(getBits(dtype)))
        return fail(DiagCode::OutOfRange, range,
                    "a shift of " + getWithArticle(dtype) + " by " +
                        Twine(*count) + "; the count lies in 0 to " +
                        Twine(getBits(dtype) - 1));
  switch (op) {
  case BinOpKind::Add:
    return give(builder.createOrFold<arith::AddIOp>(where, a, b));
  case BinOpKind::Sub:
    return give(builder.createOrFold<arith::SubIOp>(where, a, b));
  case BinOpKind::Mult:
    return give(builder.createOrFold<arith::MulIOp>(where, a, b));
  case BinOpKind::FloorDiv:
  case BinOpKind::Mod:
    if (getConstantInt(rhs) == 0)
      return fail(DiagCode::OutOfRange, range, "division by zero");
    if (isPlain)
      return give(op == BinOpKind::FloorDiv
                      ? builder.createOrFold<arith::DivUIOp>(where, a, b)
                      : builder.createOrFold<arith::RemUIOp>(where, a, b));
    return give(op == BinOpKind::FloorDiv ? floorDiv(a, b, range)
                                          : floorMod(a, b, range));
  case BinOpKind::LShift:
    return give(builder.createOrFold<arith::ShLIOp>(where, a, b));
  case BinOpKind::RShift:
    return give(isPlain ? builder.createOrFold<arith::ShRUIOp>(where, a, b)
                        : builder.createOrFold<arith::ShRSIOp>(where, a, b));
  case BinOpKind::BitAnd:
    return give(builder.createOrFold<arith::AndIOp>(where, a, b));
  case BinOpKind::BitOr:
    return give(builder.createOrFold<arith::OrIOp>(where, a, b));
  case BinOpKind::BitXor:
    return give(builder.createOrFold<arith::XOrIOp>(where, a, b));
  case BinOpKind::Div: {
    // Float division, whatever is divided.
    if (getConstantInt(rhs) == 0)
      return fail(DiagCode::OutOfRange, range, "division by zero");
    lhs = scalarCast(range, lhs, DTypeKind::FP32);
    rhs = scalarCast(range, rhs, DTypeKind::FP32);
    if (lhs.isError() || rhs.isError())
      return DslValue::error();
    return scalarBinary(range, op, lhs, rhs);
  }
  default:
    return fail(DiagCode::UnsupportedPython, range,
                "operator " + what + " is not part of kernels");
  }
}

DslValue FunctionLowering::scalarMinMax(SourceRange range, bool isMin,
                                        DslValue lhs, DslValue rhs) {
  if (lhs.isHostNumber() && rhs.isHostNumber() && lhs.dtype == rhs.dtype) {
    bool takeRight = isMin ? rhs.host.getNumber() < lhs.host.getNumber()
                           : rhs.host.getNumber() > lhs.host.getNumber();
    return takeRight ? rhs : lhs;
  }
  if (!promote(range, isMin ? "pl.min" : "pl.max", lhs, rhs))
    return DslValue::error();
  if (lhs.dtype == DTypeKind::BOOL)
    return fail(DiagCode::UnsupportedDType, range,
                "pl.min and pl.max do not take BOOL scalars");
  mlir::Location where = loc(range);
  mlir::Value a = lhs.value, b = rhs.value, made;
  if (isFloat(*lhs.dtype))
    made = isMin ? builder.createOrFold<arith::MinimumFOp>(where, a, b)
                 : builder.createOrFold<arith::MaximumFOp>(where, a, b);
  else if (isUnsigned(*lhs.dtype))
    made = isMin ? builder.createOrFold<arith::MinUIOp>(where, a, b)
                 : builder.createOrFold<arith::MaxUIOp>(where, a, b);
  else
    made = isMin ? builder.createOrFold<arith::MinSIOp>(where, a, b)
                 : builder.createOrFold<arith::MaxSIOp>(where, a, b);
  return DslValue::makeScalar(made, *lhs.dtype);
}
