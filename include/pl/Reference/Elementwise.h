//===- Elementwise.h - Operations element by element ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Broadcasting follows torch, and so do result dtypes: a tensor with dims wins
// over a 0-d tensor of the same category (bool < integer < float), and that
// over a plain number. Arithmetic on bfloat16 and float16 happens in float32
// and is rounded once per operation; a plain number stays unrounded in it.
// Transcendental functions are computed in double and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_ELEMENTWISE_H
#define PL_REFERENCE_ELEMENTWISE_H

#include "pl/Reference/Array.h"

namespace pl::ref {

/// A plain number of the host language.
struct Scalar {
  enum class Kind : uint8_t { Bool, Int, Float };
  Kind kind = Kind::Int;
  int64_t integer = 0;
  double real = 0.0;

  static Scalar ofBool(bool value) { return {Kind::Bool, value, 0.0}; }
  static Scalar ofInt(int64_t value) { return {Kind::Int, value, 0.0}; }
  static Scalar ofFloat(double value) { return {Kind::Float, 0, value}; }

  double asDouble() const {
    return kind == Kind::Float ? real : static_cast<double>(integer);
  }
  /// The dtype a tensor made of it has: bool, int64 or float32.
  DType defaultDType() const;
  /// A 0-d tensor that holds it exactly: bool, int64 or float64.
  Array asArray() const;
};

/// Fails when a plain integer is out of the range of an integer dtype.
llvm::Error checkNumber(const Scalar &number, DType dtype);

/// One side of an operation: a tensor or a plain number.
class Operand {
public:
  Operand(const Array &array) : tensor(array) {}
  Operand(Scalar scalar) : number(scalar), plain(true) {}
  Operand(double value) : Operand(Scalar::ofFloat(value)) {}
  Operand(int value) : Operand(Scalar::ofInt(value)) {}
  Operand(int64_t value) : Operand(Scalar::ofInt(value)) {}
  Operand(bool value) : Operand(Scalar::ofBool(value)) {}

  bool isPlain() const { return plain; }
  const Array &array() const { return tensor; }
  const Scalar &scalar() const { return number; }
  llvm::ArrayRef<int64_t> shape() const {
    return plain ? llvm::ArrayRef<int64_t>() : tensor.shape();
  }

private:
  Array tensor;
  Scalar number;
  bool plain = false;
};

/// The dtype operands are brought to, as `torch.result_type`.
DType resultType(llvm::ArrayRef<Operand> operands);

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div, // true division; integers give float32
  FloorDiv,
  Remainder, // the sign of the divisor
  Fmod,      // the sign of the dividend
  Pow,
  Minimum, // NaN wins
  Maximum,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
};

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

enum class LogicalOp : uint8_t { And, Or, Xor };

enum class UnaryOp : uint8_t {
  // The dtype stays.
  Neg,
  Abs,
  Sign,
  Square,
  Relu,
  Floor,
  Ceil,
  Round, // ties to even
  Trunc,
  BitNot,
  // Integers give float32.
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log1p,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Sin,
  Cos,
  Tanh,
  Sigmoid,
  Silu,
  Softplus,
  Atan,
  Erf,
  Erfc,
  // bool.
  LogicalNot,
  IsNan,
  IsInf,
  IsFinite,
};

/// "add", "true_divide", …: torch's name.
llvm::StringRef opName(BinaryOp op);
llvm::StringRef opName(UnaryOp op);

llvm::Expected<Array> binary(BinaryOp op, const Operand &lhs,
                             const Operand &rhs);
llvm::Expected<Array> compare(CompareOp op, const Operand &lhs,
                              const Operand &rhs);
llvm::Expected<Array> logical(LogicalOp op, const Operand &lhs,
                              const Operand &rhs);
llvm::Expected<Array> unary(UnaryOp op, const Array &operand);

/// `condition` must be bool.
llvm::Expected<Array> where(const Array &condition, const Operand &whenTrue,
                            const Operand &whenFalse);
/// NaN stays NaN. At least one bound must be given.
llvm::Expected<Array> clamp(const Array &array,
                            const std::optional<Operand> &low,
                            const std::optional<Operand> &high);

/// `array[...] = value` for every element.
void fill(const Array &array, const Scalar &value);

/// Same shape and equal elements; NaN is equal to nothing.
bool equal(const Array &a, const Array &b);
/// |a - b| <= atol + rtol * |b| element by element, after broadcasting.
llvm::Expected<Array> isclose(const Array &a, const Array &b, double rtol,
                              double atol, bool equalNan);
/// The same everywhere.
llvm::Expected<bool> allclose(const Array &a, const Array &b, double rtol,
                              double atol, bool equalNan);

} // namespace pl::ref

#endif // PL_REFERENCE_ELEMENTWISE_H
