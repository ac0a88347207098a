//===- TorchElementwise.cpp - torch's elementwise functions ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Linalg.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

static void addUnary(ArrayLibrary &library, StringRef name, ref::UnaryOp op) {
  library.addInPlace(name, [op](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input"}, 1))
      return failure();
    ref::Array x = call.array(0);
    if (call.hasFailed())
      return failure();
    return call.give(ref::unary(op, x));
  });
}

/// A function of two tensors or a tensor and a number.
template <typename Op>
static TensorFn ofTwo(Expected<ref::Array> (*fn)(Op, const ref::Operand &,
                                                 const ref::Operand &),
                      Op op) {
  return [fn, op](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "other"}, 2))
      return failure();
    ref::Operand lhs = call.operand(0), rhs = call.operand(1);
    if (call.hasFailed())
      return failure();
    return call.give(fn(op, lhs, rhs));
  };
}

static void addBinary(ArrayLibrary &library, StringRef name, ref::BinaryOp op) {
  library.addInPlace(name, ofTwo(ref::binary, op));
}

static void addCompare(ArrayLibrary &library, StringRef name,
                       ref::CompareOp op) {
  library.add(name, Offered::Both, ofTwo(ref::compare, op));
}

static void addLogical(ArrayLibrary &library, StringRef name,
                       ref::LogicalOp op) {
  library.add(name, Offered::Both, ofTwo(ref::logical, op));
}

/// `add` and `sub` scale their second operand by `alpha`.
static void addScaled(ArrayLibrary &library, StringRef name, ref::BinaryOp op) {
  library.addInPlace(name, [op](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "other", "alpha"}, 2))
      return failure();
    ref::Operand lhs = call.operand(0), rhs = call.operand(1);
    if (call.hasFailed())
      return failure();
    if (!call.has(2))
      return call.give(ref::binary(op, lhs, rhs));
    ref::Scalar alpha = call.scalar(2);
    if (call.hasFailed())
      return failure();
    Expected<ref::Array> scaled = ref::binary(ref::BinaryOp::Mul, rhs, alpha);
    if (!scaled)
      return call.give(std::move(scaled));
    return call.give(ref::binary(op, lhs, *scaled));
  });
}

/// `div(…, rounding_mode=None | "floor" | "trunc")`.
static FailureOr<Value> divide(TensorCall &call) {
  if (!call.bind({"input", "other", "rounding_mode"}, 2))
    return failure();
  ref::Operand lhs = call.operand(0), rhs = call.operand(1);
  StringRef mode = call.text(2, "");
  if (call.hasFailed())
    return failure();
  if (mode == "floor")
    return call.give(ref::binary(ref::BinaryOp::FloorDiv, lhs, rhs));
  if (!mode.empty() && mode != "trunc")
    return call.raise("ValueError",
                      "rounding_mode must be None, 'floor' or 'trunc'");
  if (mode == "trunc" && !ref::isFloating(ref::resultType({lhs, rhs}))) {
    // (a - fmod(a, b)) / b is exact and so truncates.
    Expected<ref::Array> rest = ref::binary(ref::BinaryOp::Fmod, lhs, rhs);
    if (!rest)
      return call.give(std::move(rest));
    Expected<ref::Array> whole = ref::binary(ref::BinaryOp::Sub, lhs, *rest);
    if (!whole)
      return call.give(std::move(whole));
    return call.give(ref::binary(ref::BinaryOp::FloorDiv, *whole, rhs));
  }
  Expected<ref::Array> quotient = ref::binary(ref::BinaryOp::Div, lhs, rhs);
  if (!quotient || mode.empty())
    return call.give(std::move(quotient));
  return call.give(ref::unary(ref::UnaryOp::Trunc, *quotient));
}

static FailureOr<Value> round(TensorCall &call) {
  if (!call.bind({"input", "decimals"}, 1))
    return failure();
  ref::Array x = call.array(0);
  int64_t decimals = call.integer(1, 0);
  if (call.hasFailed())
    return failure();
  if (decimals != 0 && ref::isFloating(x.dtype())) {
    if (decimals < -300 || decimals > 300)
      return call.raise("ValueError", "round: too many decimals");
    ref::Operand scale(std::pow(10.0, static_cast<double>(decimals)));
    Expected<ref::Array> scaled = ref::binary(
        ref::BinaryOp::Mul, ref::convert(x, ref::DType::FP64), scale);
    if (scaled)
      scaled = ref::unary(ref::UnaryOp::Round, *scaled);
    if (scaled)
      scaled = ref::binary(ref::BinaryOp::Div, *scaled, scale);
    if (!scaled)
      return call.give(std::move(scaled));
    return makeArray(ref::convert(*scaled, x.dtype()));
  }
  return call.give(ref::unary(ref::UnaryOp::Round, x));
}

static FailureOr<Value> clamp(TensorCall &call) {
  if (!call.bind({"input", "min", "max"}, 1))
    return failure();
  ref::Array x = call.array(0);
  std::optional<ref::Operand> low, high;
  if (call.has(1))
    low = call.operand(1);
  if (call.has(2))
    high = call.operand(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::clamp(x, low, high));
}

static FailureOr<Value> clampOneSide(TensorCall &call, bool low) {
  if (!call.bind({"input", low ? "min" : "max"}, 2))
    return failure();
  ref::Array x = call.array(0);
  std::optional<ref::Operand> bound = call.operand(1);
  if (call.hasFailed())
    return failure();
  return call.give(low ? ref::clamp(x, bound, std::nullopt)
                       : ref::clamp(x, std::nullopt, bound));
}

/// `torch.where(c, x, y)`; `torch.where(c)` gives the places where c holds, one
/// tensor a dim.
static FailureOr<Value> where(TensorCall &call) {
  if (call.args.size() == 1 && call.keywords.empty()) {
    if (!call.bind({"condition"}, 1))
      return failure();
    ref::Array condition = call.array(0);
    if (call.hasFailed())
      return failure();
    return call.give(
        Expected<std::vector<ref::Array>>(ref::nonzeroColumns(condition)));
  }
  if (!call.bind({"condition", "input", "other"}, 3))
    return failure();
  ref::Array condition = call.array(0);
  ref::Operand x = call.operand(1), y = call.operand(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::where(condition, x, y));
}

static FailureOr<Value> maskedFill(TensorCall &call) {
  if (!call.bind({"input", "mask", "value"}, 3))
    return failure();
  ref::Array x = call.array(0), mask = call.array(1);
  ref::Operand value = call.operand(2);
  if (call.hasFailed())
    return failure();
  // The value takes the tensor's dtype, whatever it is.
  Expected<ref::Array> filled = ref::where(mask, value, x);
  if (!filled)
    return call.give(std::move(filled));
  return call.give(ref::convert(*filled, x.dtype()));
}

static FailureOr<Value> isClose(TensorCall &call, bool all) {
  if (!call.bind({"input", "other", "rtol", "atol", "equal_nan"}, 2))
    return failure();
  ref::Array a = call.array(0), b = call.array(1);
  double rtol = call.real(2, 1e-5), atol = call.real(3, 1e-8);
  bool equalNan = call.flag(4, false);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> close = ref::isclose(a, b, rtol, atol, equalNan);
  if (!close || !all)
    return call.give(std::move(close));
  Expected<ref::Array> every = ref::reduce(ref::ReduceOp::All, *close);
  if (!every)
    return call.give(std::move(every));
  return Value::boolean(every->getInt(0) != 0);
}

static FailureOr<Value> matrixProduct(
    TensorCall &call,
    Expected<ref::Array> (*multiply)(const ref::Array &, const ref::Array &)) {
  if (!call.bind({"input", "other"}, 2))
    return failure();
  ref::Array a = call.array(0), b = call.array(1);
  if (call.hasFailed())
    return failure();
  return call.give(multiply(a, b));
}

static Expected<ref::Array> multiplyAny(const ref::Array &a,
                                        const ref::Array &b) {
  return ref::matmul(a, b);
}

static Expected<ref::Array> outerProduct(const ref::Array &a,
                                         const ref::Array &b) {
  if (a.rank() != 1 || b.rank() != 1)
    return ref::fail("outer needs two vectors, but got shapes " +
                     ref::shapeString(a.shape()) + " and " +
                     ref::shapeString(b.shape()));
  Expected<ref::Array> column = ref::unsqueeze(a, 1);
  if (!column)
    return column;
  return ref::binary(ref::BinaryOp::Mul, *column, b);
}

static Expected<ref::Array> dotProduct(const ref::Array &a,
                                       const ref::Array &b) {
  if (a.rank() != 1 || b.rank() != 1)
    return ref::fail("dot needs two vectors, but got shapes " +
                     ref::shapeString(a.shape()) + " and " +
                     ref::shapeString(b.shape()));
  return ref::matmul(a, b);
}

/// int8 matrices to an int32 product.
static Expected<ref::Array> integerProduct(const ref::Array &a,
                                           const ref::Array &b) {
  return ref::matmul(a, b, ref::DType::Int32);
}

static FailureOr<Value> linear(TensorCall &call) {
  if (!call.bind({"input", "weight", "bias"}, 2))
    return failure();
  ref::Array x = call.array(0), weight = call.array(1);
  if (call.hasFailed())
    return failure();
  Expected<ref::Array> product = ref::matmul(x, ref::reverseDims(weight));
  if (!product || !call.has(2))
    return call.give(std::move(product));
  ref::Array bias = call.array(2);
  if (call.hasFailed())
    return failure();
  return call.give(ref::binary(ref::BinaryOp::Add, *product, bias));
}

/// `einsum(equation, a, b, …)` or `einsum(equation, [a, b, …])`.
static FailureOr<Value> einsum(TensorCall &call) {
  if (call.args.size() != 2 || call.args[1].isArray()) {
    std::vector<Value> operands(call.args.begin() + !call.args.empty(),
                                call.args.end());
    call.args.resize(std::min<size_t>(call.args.size(), 1));
    call.args.push_back(Value::list(std::move(operands)));
  }
  if (!call.bind({"equation", "operands"}, 2))
    return failure();
  StringRef equation = call.text(0, "");
  std::vector<ref::Array> operands = call.arrays(1);
  if (call.hasFailed())
    return failure();
  return call.give(ref::einsum(equation, operands));
}

void addElementwiseFunctions(ArrayLibrary &library) {
  using ref::BinaryOp;
  using ref::CompareOp;
  using ref::LogicalOp;
  using ref::UnaryOp;

  for (UnaryOp op : {UnaryOp::Neg,        UnaryOp::Abs,        UnaryOp::Sign,
                     UnaryOp::Square,     UnaryOp::Relu,       UnaryOp::Floor,
                     UnaryOp::Ceil,       UnaryOp::Trunc,      UnaryOp::Exp,
                     UnaryOp::Exp2,       UnaryOp::Expm1,      UnaryOp::Log,
                     UnaryOp::Log2,       UnaryOp::Log1p,      UnaryOp::Sqrt,
                     UnaryOp::Rsqrt,      UnaryOp::Sin,        UnaryOp::Cos,
                     UnaryOp::Tanh,       UnaryOp::Sigmoid,    UnaryOp::Silu,
                     UnaryOp::Softplus,   UnaryOp::Reciprocal, UnaryOp::BitNot,
                     UnaryOp::Atan,       UnaryOp::Erf,        UnaryOp::Erfc,
                     UnaryOp::LogicalNot, UnaryOp::IsNan,      UnaryOp::IsInf,
                     UnaryOp::IsFinite})
    addUnary(library, ref::opName(op), op);
  addUnary(library, "negative", UnaryOp::Neg);
  addUnary(library, "absolute", UnaryOp::Abs);
  addUnary(library, "fix", UnaryOp::Trunc);

  for (auto [name, op] : std::initializer_list<std::pair<StringRef, BinaryOp>>{
           {"mul", BinaryOp::Mul},
           {"multiply", BinaryOp::Mul},
           {"true_divide", BinaryOp::Div},
           {"floor_divide", BinaryOp::FloorDiv},
           {"remainder", BinaryOp::Remainder},
           {"fmod", BinaryOp::Fmod},
           {"pow", BinaryOp::Pow},
           {"minimum", BinaryOp::Minimum},
           {"maximum", BinaryOp::Maximum},
           {"bitwise_and", BinaryOp::BitAnd},
           {"bitwise_or", BinaryOp::BitOr},
           {"bitwise_xor", BinaryOp::BitXor},
           {"bitwise_left_shift", BinaryOp::ShiftLeft},
           {"bitwise_right_shift", BinaryOp::ShiftRight}})
    addBinary(library, name, op);
  for (StringRef name : {"add"})
    addScaled(library, name, BinaryOp::Add);
  for (StringRef name : {"sub", "subtract"})
    addScaled(library, name, BinaryOp::Sub);
  library.addInPlace("div", divide);
  library.addInPlace("divide", divide);
  library.addInPlace("round", round);

  for (auto [name, op] : std::initializer_list<std::pair<StringRef, CompareOp>>{
           {"eq", CompareOp::Eq},
           {"ne", CompareOp::Ne},
           {"not_equal", CompareOp::Ne},
           {"lt", CompareOp::Lt},
           {"less", CompareOp::Lt},
           {"le", CompareOp::Le},
           {"less_equal", CompareOp::Le},
           {"gt", CompareOp::Gt},
           {"greater", CompareOp::Gt},
           {"ge", CompareOp::Ge},
           {"greater_equal", CompareOp::Ge}})
    addCompare(library, name, op);
  addLogical(library, "logical_and", LogicalOp::And);
  addLogical(library, "logical_or", LogicalOp::Or);
  addLogical(library, "logical_xor", LogicalOp::Xor);

  library.addInPlace("clamp", clamp);
  library.addInPlace("clip", clamp);
  library.addInPlace("clamp_min", [](TensorCall &call) {
    return clampOneSide(call, /*low=*/true);
  });
  library.addInPlace("clamp_max", [](TensorCall &call) {
    return clampOneSide(call, /*low=*/false);
  });
  library.add("where", Offered::Function, where);
  library.addInPlace("masked_fill", maskedFill);
  library.add("isclose", Offered::Both,
              [](TensorCall &call) { return isClose(call, /*all=*/false); });
  library.add("allclose", Offered::Both,
              [](TensorCall &call) { return isClose(call, /*all=*/true); });
  library.add("equal", Offered::Both, [](TensorCall &call) -> FailureOr<Value> {
    if (!call.bind({"input", "other"}, 2))
      return failure();
    ref::Array a = call.array(0), b = call.array(1);
    if (call.hasFailed())
      return failure();
    return Value::boolean(ref::equal(a, b));
  });

  using Product =
      Expected<ref::Array> (*)(const ref::Array &, const ref::Array &);
  for (auto [name, product] :
       std::initializer_list<std::pair<StringRef, Product>>{
           {"matmul", multiplyAny},
           {"mm", ref::mm},
           {"bmm", ref::bmm},
           {"outer", outerProduct},
           {"dot", dotProduct},
           {"_int_mm", integerProduct}})
    library.add(name, Offered::Both, [product = product](TensorCall &call) {
      return matrixProduct(call, product);
    });
  library.add("linear", Offered::Function, linear);
  library.add("einsum", Offered::Function, einsum);
}

} // namespace pl::frontend
