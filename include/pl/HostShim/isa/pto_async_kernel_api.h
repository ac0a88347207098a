//===- pto_async_kernel_api.h - what completes a task later ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_ASYNC_KERNEL_API_H
#define PL_HOSTSHIM_ISA_ASYNC_KERNEL_API_H

#include "intrinsic.h"
#include "pto/shim/Runtime.hpp"

/// Where a task registers the conditions of its completion.
struct AsyncCtx {
  void *conditions;
};

inline __aicore__ AsyncCtx get_async_ctx(__gm__ int64_t *args) {
  return {reinterpret_cast<__gm__ LocalContext *>(
              static_cast<uint64_t>(args[SPMD_LOCAL_CONTEXT_INDEX]))
              ->async_ctx};
}

/// The task is complete only once the counter has the value.
inline __aicore__ void
save_expected_notification_counter(AsyncCtx &ctx, volatile __gm__ void *counter,
                                   uint32_t expected) {
  pl::shim::isa::deferWait(ctx.conditions, const_cast<void *>(counter),
                           expected);
}

#endif // PL_HOSTSHIM_ISA_ASYNC_KERNEL_API_H
