//===- Distribution.h - How pieces of work are dealt out --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DIALECT_PL_TRANSFORMS_DISTRIBUTION_H
#define PL_DIALECT_PL_TRANSFORMS_DISTRIBUTION_H

namespace mlir::pl {

/// Which of `n` pieces of work a worker gets.
enum class Distribution {
  contiguous, ///< worker w of W: pieces [w * ceil(n / W), ...)
  strided     ///< worker w of W: pieces w, w + W, ...
};

} // namespace mlir::pl

#endif // PL_DIALECT_PL_TRANSFORMS_DISTRIBUTION_H
