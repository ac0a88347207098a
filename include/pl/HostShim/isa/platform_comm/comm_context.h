//===- comm_context.h - the ranks that share windows ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field order and size are the runtime's.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_COMM_CONTEXT_H
#define PL_HOSTSHIM_ISA_COMM_CONTEXT_H

#include <cstddef>
#include <cstdint>

static constexpr uint32_t COMM_MAX_RANK_NUM = 64;

struct CommContext {
  uint64_t workSpace;
  uint64_t workSpaceSize;
  uint32_t rankId;
  uint32_t rankNum;
  uint64_t winSize;                      ///< bytes of a rank's windows
  uint64_t windowsIn[COMM_MAX_RANK_NUM]; ///< where those of each rank begin
  uint64_t windowsOut[COMM_MAX_RANK_NUM];
};

static_assert(sizeof(CommContext) == 1056, "wire format");
static_assert(offsetof(CommContext, rankId) == 16, "wire format");
static_assert(offsetof(CommContext, windowsIn) == 32, "wire format");

#endif // PL_HOSTSHIM_ISA_COMM_CONTEXT_H
