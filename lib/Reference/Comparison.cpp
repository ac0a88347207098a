//===- Comparison.cpp - Comparisons, choices and equality -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryLoop.h"
#include "pl/Reference/Elementwise.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

/// Comparing with a number that the tensor's integers cannot hold is fine: it
/// just happens in int64.
static DType comparisonType(const Operand &lhs, const Operand &rhs) {
  DType dtype = resultType({lhs, rhs});
  bool plainInteger =
      (lhs.isPlain() && lhs.scalar().kind == Scalar::Kind::Int) ||
      (rhs.isPlain() && rhs.scalar().kind == Scalar::Kind::Int);
  return plainInteger && isIntegral(dtype) ? DType::Int64 : dtype;
}

Expected<Array> pl::ref::compare(CompareOp op, const Operand &lhs,
                                 const Operand &rhs) {
  Expected<OperandPair> pair = pairOperands(lhs, rhs, comparisonType(lhs, rhs));
  if (!pair)
    return pair.takeError();
  Expected<Array> result = Array::create(DType::Bool, pair->shape);
  if (!result)
    return result;
  dispatch(pair->dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto with = [&](auto f) { runPair<T, bool>(*result, *pair, f); };
    switch (op) {
    case CompareOp::Eq:
      return with([](auto a, auto b) { return a == b; });
    case CompareOp::Ne:
      return with([](auto a, auto b) { return a != b; });
    case CompareOp::Lt:
      return with([](auto a, auto b) { return a < b; });
    case CompareOp::Le:
      return with([](auto a, auto b) { return a <= b; });
    case CompareOp::Gt:
      return with([](auto a, auto b) { return a > b; });
    case CompareOp::Ge:
      return with([](auto a, auto b) { return a >= b; });
    }
  });
  return result;
}

Expected<Array> pl::ref::logical(LogicalOp op, const Operand &lhs,
                                 const Operand &rhs) {
  auto asBool = [](const Operand &operand) -> Operand {
    if (operand.isPlain())
      return Operand(operand.scalar().asDouble() != 0.0);
    return Operand(convert(operand.array(), DType::Bool));
  };
  Operand a = asBool(lhs), b = asBool(rhs);
  switch (op) {
  case LogicalOp::And:
    return binary(BinaryOp::BitAnd, a, b);
  case LogicalOp::Or:
    return binary(BinaryOp::BitOr, a, b);
  case LogicalOp::Xor:
    return binary(BinaryOp::BitXor, a, b);
  }
  llvm_unreachable("all operations are handled");
}

Expected<Array> pl::ref::where(const Array &condition, const Operand &whenTrue,
                               const Operand &whenFalse) {
  if (condition.dtype() != DType::Bool)
    return fail("where needs a bool condition, but got " +
                dtypeName(condition.dtype()));
  Expected<OperandPair> pair =
      pairOperands(whenTrue, whenFalse, resultType({whenTrue, whenFalse}));
  if (!pair)
    return pair.takeError();
  Expected<Dims> shape = broadcastShapes(condition.shape(), pair->shape);
  if (!shape)
    return shape.takeError();
  Expected<Array> result = Array::create(pair->dtype, *shape);
  if (!result)
    return result;
  Expected<Array> mask = broadcastTo(condition, *shape);
  if (!mask)
    return mask;
  // A plain number becomes an element of the result's dtype.
  auto side = [&](const std::optional<Array> &array,
                  const Scalar &number) -> Expected<Array> {
    Array source = array ? *array : convert(number.asArray(), pair->dtype);
    return broadcastTo(source, *shape);
  };
  Expected<Array> a = side(pair->lhs, pair->lhsNumber);
  if (!a)
    return a;
  Expected<Array> b = side(pair->rhs, pair->rhsNumber);
  if (!b)
    return b;
  LoopPlan plan(
      *shape, {result->strides(), mask->strides(), a->strides(), b->strides()});
  auto chooseAs = [&](auto tag) {
    using T = typename decltype(tag)::type;
    plan.forEach([&](llvm::ArrayRef<int64_t> at, int64_t n,
                     llvm::ArrayRef<int64_t> step) {
      T *out = result->data<T>() + at[0];
      const bool *chosen = mask->data<bool>() + at[1];
      const T *x = a->data<T>() + at[2];
      const T *y = b->data<T>() + at[3];
      for (int64_t i = 0; i < n; ++i)
        out[i * step[0]] =
            chosen[i * step[1]] ? x[i * step[2]] : y[i * step[3]];
    });
  };
  switch (dtypeBytes(pair->dtype)) {
  case 1:
    chooseAs(TypeTag<uint8_t>());
    break;
  case 2:
    chooseAs(TypeTag<uint16_t>());
    break;
  case 4:
    chooseAs(TypeTag<uint32_t>());
    break;
  default:
    chooseAs(TypeTag<uint64_t>());
  }
  return result;
}

Expected<Array> pl::ref::clamp(const Array &array,
                               const std::optional<Operand> &low,
                               const std::optional<Operand> &high) {
  if (!low && !high)
    return fail("clamp needs a min, a max or both");
  if (array.dtype() == DType::Bool)
    return fail("clamp is not defined for bool");
  Array result = array;
  // The upper bound comes last: it wins where the bounds cross, as in torch.
  if (low) {
    Expected<Array> raised = binary(BinaryOp::Maximum, result, *low);
    if (!raised)
      return raised;
    result = std::move(*raised);
  }
  if (high) {
    Expected<Array> lowered = binary(BinaryOp::Minimum, result, *high);
    if (!lowered)
      return lowered;
    result = std::move(*lowered);
  }
  return result;
}

void pl::ref::fill(const Array &array, const Scalar &value) {
  LoopPlan plan(array.shape(), {array.strides()});
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T element = scalarAs<T>(value);
    plan.forEach([&](llvm::ArrayRef<int64_t> at, int64_t n,
                     llvm::ArrayRef<int64_t> step) {
      T *out = array.data<T>() + at[0];
      for (int64_t i = 0; i < n; ++i)
        out[i * step[0]] = element;
    });
  });
}

/// Whether every element of a bool array is true.
static bool allTrue(const Array &array) {
  Array dense = array.contiguous();
  return !std::memchr(dense.rawData(), 0, static_cast<size_t>(dense.numel()));
}

bool pl::ref::equal(const Array &a, const Array &b) {
  if (a.shape() != b.shape())
    return false;
  Expected<Array> same = compare(CompareOp::Eq, a, b);
  if (!same) {
    llvm::consumeError(same.takeError());
    return false;
  }
  return allTrue(*same);
}

Expected<Array> pl::ref::isclose(const Array &a, const Array &b, double rtol,
                                 double atol, bool equalNan) {
  if (a.dtype() != b.dtype())
    return fail("isclose needs equal dtypes, but got " + dtypeName(a.dtype()) +
                " and " + dtypeName(b.dtype()));
  Expected<OperandPair> pair = pairOperands(a, b, DType::FP64);
  if (!pair)
    return pair.takeError();
  Expected<Array> close = Array::create(DType::Bool, pair->shape);
  if (!close)
    return close;
  runPair<double, bool>(*close, *pair, [=](double x, double y) {
    return x == y || (equalNan && x != x && y != y) ||
           (std::isfinite(y) && std::fabs(x - y) <= atol + rtol * std::fabs(y));
  });
  return close;
}

Expected<bool> pl::ref::allclose(const Array &a, const Array &b, double rtol,
                                 double atol, bool equalNan) {
  Expected<Array> close = isclose(a, b, rtol, atol, equalNan);
  if (!close)
    return close.takeError();
  return allTrue(*close);
}
