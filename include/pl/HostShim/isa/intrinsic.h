//===- intrinsic.h - which block of which task a kernel is ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_INTRINSIC_H
#define PL_HOSTSHIM_ISA_INTRINSIC_H

#include <stdint.h>

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__
#endif

// Argument slots after the 32 tensors and 16 scalars a task may have.
static constexpr int32_t SPMD_LOCAL_CONTEXT_INDEX = 48;
static constexpr int32_t SPMD_GLOBAL_CONTEXT_INDEX = 49;

struct GlobalContext {
  int32_t sub_block_id; ///< which vector core of the cluster: 0 or 1
};
struct LocalContext {
  int32_t block_idx;
  int32_t block_num;
  void *async_ctx; ///< conditions that the task's completion waits for
};

static __aicore__ inline int32_t get_sub_block_id(__gm__ int64_t *args) {
  return reinterpret_cast<__gm__ GlobalContext *>(
             static_cast<uint64_t>(args[SPMD_GLOBAL_CONTEXT_INDEX]))
      ->sub_block_id;
}
static __aicore__ inline int32_t get_block_idx(__gm__ int64_t *args) {
  return reinterpret_cast<__gm__ LocalContext *>(
             static_cast<uint64_t>(args[SPMD_LOCAL_CONTEXT_INDEX]))
      ->block_idx;
}
static __aicore__ inline int32_t get_block_num(__gm__ int64_t *args) {
  return reinterpret_cast<__gm__ LocalContext *>(
             static_cast<uint64_t>(args[SPMD_LOCAL_CONTEXT_INDEX]))
      ->block_num;
}

#endif // PL_HOSTSHIM_ISA_INTRINSIC_H
