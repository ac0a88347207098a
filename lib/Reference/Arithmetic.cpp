//===- Arithmetic.cpp - Two-sided arithmetic ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryLoop.h"
#include "Math.h"
#include "pl/Reference/Elementwise.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

DType Scalar::defaultDType() const {
  switch (kind) {
  case Kind::Bool:
    return DType::Bool;
  case Kind::Int:
    return DType::Int64;
  case Kind::Float:
    return DType::FP32;
  }
  llvm_unreachable("all kinds of numbers are handled");
}

Array Scalar::asArray() const {
  DType dtype = kind == Kind::Float ? DType::FP64 : defaultDType();
  Array array = Array::make(dtype, {});
  fill(array, *this);
  return array;
}

DType pl::ref::resultType(llvm::ArrayRef<Operand> operands) {
  // In order of weight: tensors with dims, 0-d tensors, plain numbers.
  std::optional<DType> byWeight[3];
  for (const Operand &operand : operands) {
    size_t weight = operand.isPlain() ? 2 : operand.array().rank() == 0 ? 1 : 0;
    DType dtype = operand.isPlain() ? operand.scalar().defaultDType()
                                    : operand.array().dtype();
    byWeight[weight] =
        byWeight[weight] ? promoteTypes(*byWeight[weight], dtype) : dtype;
  }
  auto combine = [](std::optional<DType> higher, std::optional<DType> lower) {
    if (!higher || !lower)
      return higher ? higher : lower;
    if (isFloating(*higher))
      return higher;
    if (*higher == DType::Bool || isFloating(*lower))
      return std::optional<DType>(promoteTypes(*higher, *lower));
    return higher;
  };
  std::optional<DType> result =
      combine(byWeight[0], combine(byWeight[1], byWeight[2]));
  return result.value_or(DType::FP32);
}

llvm::StringRef pl::ref::opName(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "add";
  case BinaryOp::Sub:
    return "sub";
  case BinaryOp::Mul:
    return "mul";
  case BinaryOp::Div:
    return "true_divide";
  case BinaryOp::FloorDiv:
    return "floor_divide";
  case BinaryOp::Remainder:
    return "remainder";
  case BinaryOp::Fmod:
    return "fmod";
  case BinaryOp::Pow:
    return "pow";
  case BinaryOp::Minimum:
    return "minimum";
  case BinaryOp::Maximum:
    return "maximum";
  case BinaryOp::BitAnd:
    return "bitwise_and";
  case BinaryOp::BitOr:
    return "bitwise_or";
  case BinaryOp::BitXor:
    return "bitwise_xor";
  case BinaryOp::ShiftLeft:
    return "bitwise_left_shift";
  case BinaryOp::ShiftRight:
    return "bitwise_right_shift";
  }
  llvm_unreachable("all operations are named");
}

/// Whether a plain integer is representable in an integer dtype.
static bool fitsInteger(int64_t value, DType dtype) {
  switch (dtype) {
  case DType::UInt8:
    return value >= 0 && value <= 255;
  case DType::Int8:
    return value == static_cast<int8_t>(value);
  case DType::Int16:
    return value == static_cast<int16_t>(value);
  case DType::Int32:
    return value == static_cast<int32_t>(value);
  default:
    return true;
  }
}

llvm::Error pl::ref::checkNumber(const Scalar &number, DType dtype) {
  if (number.kind != Scalar::Kind::Int || fitsInteger(number.integer, dtype))
    return llvm::Error::success();
  return fail("the number " + Twine(number.integer) +
              " does not fit the tensor's dtype " + dtypeName(dtype));
}

Expected<OperandPair> pl::ref::pairOperands(const Operand &lhs,
                                            const Operand &rhs, DType dtype) {
  Expected<Dims> shape = broadcastShapes(lhs.shape(), rhs.shape());
  if (!shape)
    return shape.takeError();
  OperandPair pair{dtype, *shape, std::nullopt, std::nullopt, {}, {}};
  auto place = [&](const Operand &operand, std::optional<Array> &array,
                   Scalar &number) -> llvm::Error {
    if (operand.isPlain()) {
      number = operand.scalar();
      return checkNumber(number, dtype);
    }
    Expected<Array> wide =
        broadcastTo(convert(operand.array(), dtype), pair.shape);
    if (!wide)
      return wide.takeError();
    array = std::move(*wide);
    return llvm::Error::success();
  };
  if (llvm::Error error = place(lhs, pair.lhs, pair.lhsNumber))
    return error;
  if (llvm::Error error = place(rhs, pair.rhs, pair.rhsNumber))
    return error;
  return pair;
}

//===----------------------------------------------------------------------===//
// Element functions
//===----------------------------------------------------------------------===//

/// Integers wrap around.
template <typename C> static C wrap(uint64_t value) {
  return static_cast<C>(value);
}

namespace {
struct AddElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>)
      return a + b;
    else
      return wrap<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};
struct SubElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>)
      return a - b;
    else
      return wrap<C>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
};
struct MulElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>)
      return a * b;
    else
      return wrap<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct MinElements {
  template <typename C> C operator()(C a, C b) const {
    return a < b || a != a ? a : b;
  }
};
struct MaxElements {
  template <typename C> C operator()(C a, C b) const {
    return a > b || a != a ? a : b;
  }
};
struct FloorDivElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>) {
      if (b == C(0))
        return a / b;
      C mod = std::fmod(a, b);
      C quotient = (a - mod) / b;
      if (mod != C(0) && (b < C(0)) != (mod < C(0)))
        quotient -= C(1);
      if (quotient == C(0))
        return std::copysign(C(0), a / b);
      C floored = std::floor(quotient);
      return quotient - floored > C(0.5) ? floored + C(1) : floored;
    } else {
      // -1 apart: the least integer has no negative.
      if constexpr (std::is_signed_v<C>)
        if (b == C(-1))
          return wrap<C>(uint64_t(0) - static_cast<uint64_t>(a));
      C quotient = static_cast<C>(a / b);
      return a % b != 0 && (a < C(0)) != (b < C(0))
                 ? static_cast<C>(quotient - 1)
                 : quotient;
    }
  }
};
struct RemainderElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>) {
      C mod = std::fmod(a, b);
      return mod != C(0) && (mod < C(0)) != (b < C(0)) ? mod + b : mod;
    } else {
      if constexpr (std::is_signed_v<C>)
        if (b == C(-1))
          return C(0);
      C mod = static_cast<C>(a % b);
      return mod != 0 && (mod < C(0)) != (b < C(0)) ? static_cast<C>(mod + b)
                                                    : mod;
    }
  }
};
struct FmodElements {
  template <typename C> C operator()(C a, C b) const {
    if constexpr (std::is_floating_point_v<C>)
      return std::fmod(a, b);
    else if constexpr (std::is_signed_v<C>)
      return b == C(-1) ? C(0) : static_cast<C>(a % b);
    else
      return static_cast<C>(a % b);
  }
};
struct IntegerPower {
  template <typename C> C operator()(C base, C exponent) const {
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (C e = exponent; e > C(0); e = static_cast<C>(e >> 1)) {
      if (e & C(1))
        result *= square;
      square *= square;
    }
    return wrap<C>(result);
  }
};
struct ShiftLeftElements {
  template <typename C> C operator()(C a, C b) const {
    if (b < C(0) || b >= C(sizeof(C) * 8))
      return C(0);
    return wrap<C>(static_cast<uint64_t>(a) << b);
  }
};
struct ShiftRightElements {
  template <typename C> C operator()(C a, C b) const {
    bool outside = b < C(0) || b >= C(sizeof(C) * 8);
    return static_cast<C>(a >> (outside ? C(sizeof(C) * 8 - 1) : b));
  }
};
} // namespace

/// Runs `f` in the pair's dtype, which is also the result's. Loops are made
/// only for the types that can occur.
template <bool Bools, bool Floats, typename F>
static Array run(const OperandPair &pair, F f) {
  Array result = Array::make(pair.dtype, pair.shape);
  dispatch(pair.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr ((Bools || !std::is_same_v<T, bool>) &&
                  (Floats || !isFloatStorage<T>))
      runPair<T, T>(result, pair, f);
  });
  return result;
}
template <typename F> static Array runAny(const OperandPair &pair, F f) {
  return run<true, true>(pair, f);
}
template <typename F> static Array runNumbers(const OperandPair &pair, F f) {
  return run<false, true>(pair, f);
}
template <typename F> static Array runIntegers(const OperandPair &pair, F f) {
  return run<false, false>(pair, f);
}

/// Float dtypes, computed in double and rounded once.
static Array runDouble(const OperandPair &pair, double (*f)(double, double)) {
  Array result = Array::make(pair.dtype, pair.shape);
  dispatchFloating(pair.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    runPair<T, T>(result, pair, [f](auto a, auto b) {
      return f(static_cast<double>(a), static_cast<double>(b));
    });
  });
  return result;
}

static bool anyElement(const Array &array, bool (*test)(int64_t)) {
  Array wide = convert(array, DType::Int64).contiguous();
  return llvm::any_of(wide.elements<int64_t>(), test);
}

/// True when some integer on the right satisfies `test`.
static bool anyRight(const OperandPair &pair, bool (*test)(int64_t)) {
  return pair.rhs ? anyElement(*pair.rhs, test) : test(pair.rhsNumber.integer);
}

Expected<Array> pl::ref::binary(BinaryOp op, const Operand &lhs,
                                const Operand &rhs) {
  DType dtype = resultType({lhs, rhs});
  if (op == BinaryOp::Div && !isFloating(dtype))
    dtype = DType::FP32;
  bool isBitwise = op >= BinaryOp::BitAnd;
  auto unsupported = [&] {
    return fail(opName(op) + " is not defined for " + dtypeName(dtype));
  };
  if (isBitwise && isFloating(dtype))
    return unsupported();
  if (dtype == DType::Bool &&
      (op == BinaryOp::Sub || op == BinaryOp::FloorDiv ||
       op == BinaryOp::Remainder || op == BinaryOp::Fmod ||
       op == BinaryOp::Pow || op == BinaryOp::ShiftLeft ||
       op == BinaryOp::ShiftRight))
    return unsupported();
  Expected<OperandPair> pair = pairOperands(lhs, rhs, dtype);
  if (!pair)
    return pair.takeError();
  if (llvm::Error error = Array::checkShape(pair->shape))
    return error;
  if (llvm::Error error = Array::checkRoom(*countElements(pair->shape) *
                                           dtypeBytes(pair->dtype)))
    return error;
  bool divides = op == BinaryOp::FloorDiv || op == BinaryOp::Remainder ||
                 op == BinaryOp::Fmod;
  if (divides && isIntegral(dtype) &&
      anyRight(*pair, [](int64_t v) { return v == 0; }))
    return fail(opName(op) + ": integer division by zero");
  switch (op) {
  case BinaryOp::Add:
    return runAny(*pair, AddElements());
  case BinaryOp::Sub:
    return runAny(*pair, SubElements());
  case BinaryOp::Mul:
    return runAny(*pair, MulElements());
  case BinaryOp::Minimum:
    return runAny(*pair, MinElements());
  case BinaryOp::Maximum:
    return runAny(*pair, MaxElements());
  case BinaryOp::Div: {
    Array result = Array::make(dtype, pair->shape);
    dispatchFloating(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      runPair<T, T>(result, *pair, [](auto a, auto b) { return a / b; });
    });
    return result;
  }
  case BinaryOp::FloorDiv:
    return runNumbers(*pair, FloorDivElements());
  case BinaryOp::Remainder:
    return runNumbers(*pair, RemainderElements());
  case BinaryOp::Fmod:
    return runNumbers(*pair, FmodElements());
  case BinaryOp::Pow:
    // The same bits as the general way, without a logarithm.
    if (isFloating(dtype) && pair->lhs && rhs.isPlain() &&
        rhs.scalar().asDouble() == 2.0)
      return binary(BinaryOp::Mul, *pair->lhs, *pair->lhs);
    if (isFloating(dtype))
      return runDouble(*pair, math::pow);
    if (anyRight(*pair, [](int64_t v) { return v < 0; }))
      return fail("pow: integers to negative powers are not integers; convert "
                  "the base to a float dtype");
    return runIntegers(*pair, IntegerPower());
  case BinaryOp::BitAnd:
    return run<true, false>(
        *pair, [](auto a, auto b) { return static_cast<decltype(a)>(a & b); });
  case BinaryOp::BitOr:
    return run<true, false>(
        *pair, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
  case BinaryOp::BitXor:
    return run<true, false>(
        *pair, [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); });
  case BinaryOp::ShiftLeft:
    return runIntegers(*pair, ShiftLeftElements());
  case BinaryOp::ShiftRight:
    return runIntegers(*pair, ShiftRightElements());
  }
  llvm_unreachable("all operations are handled");
}
