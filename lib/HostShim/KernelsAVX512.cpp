//===- KernelsAVX512.cpp - routines built for AVX-512 ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

// Rows of C in registers, and 16-wide vectors of each.
#define PL_MICRO_ROWS 8
#define PL_MICRO_VECTORS 2
#include "KernelsMatmul.inc"
#include "KernelsRows.inc"

const Kernels &pl::shim::kernelsAVX512() {
  static const Kernels table = makeKernels();
  return table;
}
