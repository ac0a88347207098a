//===- BinaryLoop.h - The loop of two-sided operations --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings two operands to one dtype and shape and runs a function over their
// elements. Runs whose operands are contiguous or constant get loops of their
// own, which the compiler vectorises.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_REFERENCE_BINARYLOOP_H
#define PL_LIB_REFERENCE_BINARYLOOP_H

#include "Loops.h"
#include "pl/Reference/Elementwise.h"

namespace pl::ref {

/// Two operands in one dtype, broadcast to one shape. A plain number has no
/// array; its value is in `number`.
struct OperandPair {
  DType dtype;
  Dims shape;
  std::optional<Array> lhs, rhs;
  Scalar lhsNumber, rhsNumber;
};

/// `dtype` is what both sides are converted to.
llvm::Expected<OperandPair> pairOperands(const Operand &lhs, const Operand &rhs,
                                         DType dtype);

template <typename C> C scalarAs(const Scalar &scalar) {
  return scalar.kind == Scalar::Kind::Float ? convertValue<C>(scalar.real)
                                            : convertValue<C>(scalar.integer);
}

/// What was computed in double is rounded once.
template <typename Out, typename C> inline Out storeAs(C value) {
  if constexpr (std::is_same_v<C, double>)
    return storeDouble<Out>(value);
  else
    return convertValue<Out>(value);
}

/// `out[i] = f(lhs[i], rhs[i])`; T is the storage type of the pair's dtype and
/// Out that of the result's.
template <typename T, typename Out, typename F>
void runPair(const Array &result, const OperandPair &pair, F f) {
  using C = ComputeOf<T>;
  Dims none(pair.shape.size(), 0);
  llvm::ArrayRef<int64_t> lhsStrides = none, rhsStrides = none;
  const T *lhs = nullptr, *rhs = nullptr;
  if (pair.lhs) {
    lhsStrides = pair.lhs->strides();
    lhs = pair.lhs->data<T>();
  }
  if (pair.rhs) {
    rhsStrides = pair.rhs->strides();
    rhs = pair.rhs->data<T>();
  }
  C lhsNumber = scalarAs<C>(pair.lhsNumber);
  C rhsNumber = scalarAs<C>(pair.rhsNumber);
  Out *out = result.data<Out>();
  LoopPlan plan(pair.shape, {result.strides(), lhsStrides, rhsStrides});
  plan.forEach(
      [&](llvm::ArrayRef<int64_t> at, int64_t n, llvm::ArrayRef<int64_t> step) {
        Out *o = out + at[0];
        const T *a = lhs ? lhs + at[1] : nullptr;
        const T *b = rhs ? rhs + at[2] : nullptr;
        int64_t stepA = lhs ? step[1] : 0, stepB = rhs ? step[2] : 0;
        bool dense = step[0] == 1 || n == 1;
        if (dense && stepA == 1 && stepB == 1) {
          for (int64_t i = 0; i < n; ++i)
            o[i] = storeAs<Out>(f(C(load(a[i])), C(load(b[i]))));
        } else if (dense && stepA == 1 && stepB == 0) {
          C y = b ? C(load(*b)) : rhsNumber;
          for (int64_t i = 0; i < n; ++i)
            o[i] = storeAs<Out>(f(C(load(a[i])), y));
        } else if (dense && stepA == 0 && stepB == 1) {
          C x = a ? C(load(*a)) : lhsNumber;
          for (int64_t i = 0; i < n; ++i)
            o[i] = storeAs<Out>(f(x, C(load(b[i]))));
        } else {
          for (int64_t i = 0; i < n; ++i) {
            C x = a ? C(load(a[i * stepA])) : lhsNumber;
            C y = b ? C(load(b[i * stepB])) : rhsNumber;
            o[i * step[0]] = storeAs<Out>(f(x, y));
          }
        }
      });
}

} // namespace pl::ref

#endif // PL_LIB_REFERENCE_BINARYLOOP_H
