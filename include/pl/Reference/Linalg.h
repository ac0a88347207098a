//===- Linalg.h - Matrix products -----------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float products are taken in double (DGEMM on widened operands) and rounded
// once. Integer products are exact; one that does not fit the dtype is an
// error, since a golden never means to wrap.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_LINALG_H
#define PL_REFERENCE_LINALG_H

#include "pl/Reference/Array.h"

namespace pl::ref {

/// torch.matmul: 1-d operands are vectors, leading dims broadcast. Both
/// operands have one dtype. `resultDType` overrides the result's.
llvm::Expected<Array> matmul(const Array &a, const Array &b,
                             std::optional<DType> resultDType = std::nullopt);
/// Two matrices; two batches of matrices.
llvm::Expected<Array> mm(const Array &a, const Array &b);
llvm::Expected<Array> bmm(const Array &a, const Array &b);

/// torch.einsum with single-letter labels, `...`, implicit and explicit output.
llvm::Expected<Array> einsum(llvm::StringRef equation,
                             llvm::ArrayRef<Array> operands);

} // namespace pl::ref

#endif // PL_REFERENCE_LINALG_H
