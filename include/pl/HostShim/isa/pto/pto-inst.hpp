//===- pto-inst.hpp - the tile ISA subset on the CPU ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emitted kernels include this name and compile unchanged against it. Names,
// template parameter order and meaning follow the public tile ISA; what is not
// here does not compile. Build with -D__CPU_SIM and either -D__DAV_CUBE__ or
// -D__DAV_VEC__, and link PLHostShim (or run inside a program that exports it).
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_PTO_INST_HPP
#define PL_HOSTSHIM_ISA_PTO_INST_HPP

#include "shim/Fifo.hpp"
#include "shim/Memory.hpp"
#include "shim/Sync.hpp"
#include "shim/Tile.hpp"
#include "shim/Types.hpp"
#include "shim/Vector.hpp"
#include "shim/VectorMisc.hpp"

#endif // PL_HOSTSHIM_ISA_PTO_INST_HPP
