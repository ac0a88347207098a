//===- Create.h - New arrays ----------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_CREATE_H
#define PL_REFERENCE_CREATE_H

#include "pl/Reference/Elementwise.h"

namespace pl::ref {

llvm::Expected<Array> full(llvm::ArrayRef<int64_t> shape, const Scalar &value,
                           DType dtype);
/// `start, start+step, …` before `end`. Without a dtype: int64, or float32 when
/// one of the numbers is a float.
llvm::Expected<Array> arange(const Scalar &start, const Scalar &end,
                             const Scalar &step, std::optional<DType> dtype);
llvm::Expected<Array> linspace(double start, double end, int64_t steps,
                               DType dtype);
llvm::Expected<Array> eye(int64_t rows, int64_t columns, DType dtype);

} // namespace pl::ref

#endif // PL_REFERENCE_CREATE_H
