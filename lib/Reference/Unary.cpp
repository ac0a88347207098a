//===- Unary.cpp - One-sided operations element by element ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "MathSpecial.h"
#include "pl/Reference/Elementwise.h"
#include "llvm/ADT/Twine.h"

using namespace pl::ref;
using llvm::Expected;

llvm::StringRef pl::ref::opName(UnaryOp op) {
  static constexpr llvm::StringLiteral names[] = {
      "neg",        "abs",     "sign",  "square",      "relu",        "floor",
      "ceil",       "round",   "trunc", "bitwise_not", "exp",         "exp2",
      "expm1",      "log",     "log2",  "log1p",       "sqrt",        "rsqrt",
      "reciprocal", "sin",     "cos",   "tanh",        "sigmoid",     "silu",
      "softplus",   "atan",    "erf",   "erfc",        "logical_not", "isnan",
      "isinf",      "isfinite"};
  static_assert(std::size(names) == size_t(UnaryOp::IsFinite) + 1);
  return names[static_cast<size_t>(op)];
}

/// `out[i] = f(in[i])` with elements as T loads them.
template <typename T, typename Out, typename F>
static void runElements(const Array &result, const Array &operand, F f) {
  LoopPlan plan(operand.shape(), {result.strides(), operand.strides()});
  plan.forEach(
      [&](llvm::ArrayRef<int64_t> at, int64_t n, llvm::ArrayRef<int64_t> step) {
        Out *out = result.data<Out>() + at[0];
        const T *in = operand.data<T>() + at[1];
        if (step[0] == 1 && step[1] == 1) {
          for (int64_t i = 0; i < n; ++i)
            out[i] = f(in[i]);
          return;
        }
        for (int64_t i = 0; i < n; ++i)
          out[i * step[0]] = f(in[i * step[1]]);
      });
}

/// A function of doubles, rounded once to the float dtype of the result.
template <typename F> static Array runDouble(const Array &operand, F f) {
  Array source =
      isFloating(operand.dtype()) ? operand : convert(operand, DType::FP32);
  Array result = Array::make(source.dtype(), source.shape());
  dispatchFloating(source.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    runElements<T, T>(result, source, [f](T v) {
      return storeDouble<T>(f(static_cast<double>(load(v))));
    });
  });
  return result;
}

/// A predicate of doubles; integers are exact enough for NaN and infinity.
template <typename F> static Array runPredicate(const Array &operand, F f) {
  Array result = Array::make(DType::Bool, operand.shape());
  dispatch(operand.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    runElements<T, bool>(result, operand,
                         [f](T v) { return f(static_cast<double>(load(v))); });
  });
  return result;
}

/// A function that keeps the dtype; `f` works in the arithmetic type.
template <bool Bools, typename F>
static Array runSame(const Array &operand, F f) {
  Array result = Array::make(operand.dtype(), operand.shape());
  dispatch(operand.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (Bools || !std::is_same_v<T, bool>)
      runElements<T, T>(result, operand,
                        [f](T v) { return convertValue<T>(f(load(v))); });
  });
  return result;
}

/// Floor, ceil, round and trunc: integers are left as they are.
template <typename F> static Array runRounding(const Array &operand, F f) {
  if (!isFloating(operand.dtype()))
    return operand.clone();
  return runDouble(operand, f);
}

template <typename C> static C negated(C v) {
  if constexpr (std::is_floating_point_v<C>)
    return -v;
  else
    return static_cast<C>(uint64_t(0) - static_cast<uint64_t>(v));
}

/// Adding and taking away 2^52 rounds to nearest even; from there on every
/// double is an integer.
static double roundHalfEven(double v) {
  double rounded = (std::fabs(v) + 0x1p52) - 0x1p52;
  return std::fabs(v) < 0x1p52 ? std::copysign(rounded, v) : v;
}

Expected<Array> pl::ref::unary(UnaryOp op, const Array &x) {
  bool forbidsBool = op == UnaryOp::Neg || op == UnaryOp::Relu;
  bool forbidsFloat = op == UnaryOp::BitNot;
  if ((forbidsBool && x.dtype() == DType::Bool) ||
      (forbidsFloat && isFloating(x.dtype())))
    return fail(opName(op) + " is not defined for " + dtypeName(x.dtype()) +
                (op == UnaryOp::Neg ? "; use ~ or logical_not" : ""));
  switch (op) {
  case UnaryOp::Neg:
    return runSame<false>(x, [](auto v) { return negated(v); });
  case UnaryOp::Abs:
    return runSame<true>(x, [](auto v) {
      using C = decltype(v);
      if constexpr (std::is_floating_point_v<C>)
        return std::fabs(v);
      else
        return v < C(0) ? negated(v) : v;
    });
  case UnaryOp::Sign:
    return runSame<true>(x, [](auto v) {
      using C = decltype(v);
      return v != v ? v : static_cast<C>((v > C(0)) - (v < C(0)));
    });
  case UnaryOp::Square:
    return binary(BinaryOp::Mul, x, x);
  case UnaryOp::Relu:
    return binary(BinaryOp::Maximum, x, 0);
  case UnaryOp::Floor:
    return runRounding(x, [](double v) { return std::floor(v); });
  case UnaryOp::Ceil:
    return runRounding(x, [](double v) { return std::ceil(v); });
  case UnaryOp::Round:
    return runRounding(x, roundHalfEven);
  case UnaryOp::Trunc:
    return runRounding(x, [](double v) { return std::trunc(v); });
  case UnaryOp::BitNot:
    if (x.dtype() == DType::Bool)
      return runPredicate(x, [](double v) { return v == 0.0; });
    return runSame<false>(x, [](auto v) {
      using C = decltype(v);
      if constexpr (std::is_integral_v<C>)
        return static_cast<C>(~v);
      else
        return v;
    });
  case UnaryOp::Exp:
    return runDouble(x, [](double v) { return math::exp(v); });
  case UnaryOp::Exp2:
    return runDouble(x, [](double v) { return math::pow(2.0, v); });
  case UnaryOp::Expm1:
    return runDouble(x, [](double v) { return math::expm1(v); });
  case UnaryOp::Log:
    return runDouble(x, [](double v) { return math::log(v); });
  case UnaryOp::Log2:
    return runDouble(x, [](double v) { return math::log2(v); });
  case UnaryOp::Log1p:
    return runDouble(x, [](double v) { return math::log1p(v); });
  case UnaryOp::Sqrt:
    return runDouble(x, [](double v) { return std::sqrt(v); });
  case UnaryOp::Rsqrt:
    return runDouble(x, [](double v) { return 1.0 / std::sqrt(v); });
  case UnaryOp::Reciprocal:
    return runDouble(x, [](double v) { return 1.0 / v; });
  case UnaryOp::Sin:
    return runDouble(x, [](double v) { return math::sin(v); });
  case UnaryOp::Cos:
    return runDouble(x, [](double v) { return math::cos(v); });
  case UnaryOp::Tanh:
    return runDouble(x, [](double v) { return math::tanh(v); });
  case UnaryOp::Sigmoid:
    return runDouble(x, [](double v) { return math::sigmoid(v); });
  case UnaryOp::Silu:
    return runDouble(x, [](double v) { return v * math::sigmoid(v); });
  case UnaryOp::Softplus:
    // Above 20 torch takes x itself.
    return runDouble(x, [](double v) {
      double soft = math::log1p(math::exp(v > 20.0 ? 20.0 : v));
      return v > 20.0 ? v : soft;
    });
  case UnaryOp::Atan:
    return runDouble(x, [](double v) { return math::atan(v); });
  case UnaryOp::Erf:
    return runDouble(x, [](double v) { return math::erf(v); });
  case UnaryOp::Erfc:
    return runDouble(x, [](double v) { return math::erfc(v); });
  case UnaryOp::LogicalNot:
    return runPredicate(x, [](double v) { return v == 0.0; });
  case UnaryOp::IsNan:
    return runPredicate(x, [](double v) { return v != v; });
  case UnaryOp::IsInf:
    return runPredicate(
        x, [](double v) { return std::fabs(v) == math::infinity; });
  case UnaryOp::IsFinite:
    return runPredicate(x,
                        [](double v) { return std::fabs(v) < math::infinity; });
  }
  llvm_unreachable("all operations are handled");
}
