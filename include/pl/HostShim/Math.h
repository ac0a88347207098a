//===- Math.h - the one implementation of every value ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator and the host shim both compute through this header, so what
// the emitted C++ gives and what the simulator gives are the same bits.
// Scalar.h defines one element (header only), Rows.h contiguous rows, Matmul.h
// the cube product; the latter two are implemented in library PLHostShim, which
// links neither LLVM nor MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_MATH_H
#define PL_HOSTSHIM_MATH_H

#include "pl/HostShim/Matmul.h"
#include "pl/HostShim/Rows.h"
#include "pl/HostShim/Scalar.h"

#endif // PL_HOSTSHIM_MATH_H
