//===- LinearExpr.h - Linear expressions over index values ------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_LINEAREXPR_H
#define PL_ANALYSIS_LINEAREXPR_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace mlir::pl {

/// `constant + sum of coefficient * value`. Two expressions over the same
/// values compare when their difference is a constant. An expression whose
/// arithmetic overflows is unknown and compares with nothing.
class LinearExpr {
public:
  LinearExpr() = default;
  explicit LinearExpr(int64_t constant) : constant(constant) {}
  /// `value` as a linear expression of values it is computed from: looks
  /// through constants, sums, differences, products with a constant, and
  /// quotients and rests that are known whatever the terms are.
  static LinearExpr of(Value value);
  static LinearExpr symbol(Value value);

  LinearExpr operator+(const LinearExpr &other) const;
  LinearExpr operator-(const LinearExpr &other) const;
  LinearExpr operator*(int64_t factor) const;
  bool operator==(const LinearExpr &other) const {
    return (*this - other).asConstant() == 0;
  }

  /// Replaces `value` by `by`.
  LinearExpr substitute(Value value, const LinearExpr &by) const;

  /// Quotient and rest: the quotient has what `divisor` divides of each
  /// coefficient, and the rest a constant in [0, divisor). `divisor` is
  /// positive.
  std::pair<LinearExpr, LinearExpr> splitBy(int64_t divisor) const;

  bool isKnown() const { return known; }
  std::optional<int64_t> asConstant() const;
  int64_t getConstant() const { return constant; }
  int64_t coefficientOf(Value value) const { return terms.lookup(value); }
  const llvm::MapVector<Value, int64_t> &getTerms() const { return terms; }

  /// Text with the user's names: "T", "8*b + 8". Terms without a name are
  /// written out, `depth` operations deep.
  std::string str(unsigned depth = 3) const;

private:
  void add(Value value, int64_t coefficient);
  bool known = true;
  int64_t constant = 0;
  llvm::MapVector<Value, int64_t> terms;
};

} // namespace mlir::pl

#endif // PL_ANALYSIS_LINEAREXPR_H
