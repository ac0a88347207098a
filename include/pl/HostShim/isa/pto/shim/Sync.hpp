//===- Sync.hpp - pipes, flags, cache control -----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions run in program order, so flags order nothing here. Their balance
// is checked: a wait without its set, a set over a set, and a flag left set at
// the end of the kernel would hang or poison the chip, and end the run.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_SYNC_HPP
#define PL_HOSTSHIM_ISA_SYNC_HPP

#include "Runtime.hpp"
#include "Types.hpp"

typedef int pipe_t;
typedef int event_t;
constexpr pipe_t PIPE_S = 0;
constexpr pipe_t PIPE_V = 1;
constexpr pipe_t PIPE_MTE1 = 2;
constexpr pipe_t PIPE_MTE2 = 3;
constexpr pipe_t PIPE_MTE3 = 4;
constexpr pipe_t PIPE_M = 5;
constexpr pipe_t PIPE_ALL = 6;
constexpr pipe_t PIPE_FIX = 7;

constexpr event_t EVENT_ID0 = 0;
constexpr event_t EVENT_ID1 = 1;
constexpr event_t EVENT_ID2 = 2;
constexpr event_t EVENT_ID3 = 3;
constexpr event_t EVENT_ID4 = 4;
constexpr event_t EVENT_ID5 = 5;
constexpr event_t EVENT_ID6 = 6;
constexpr event_t EVENT_ID7 = 7;

inline void set_flag(pipe_t source, pipe_t destination, int event) {
  pl::shim::isa::setFlag(source, destination, event);
}
inline void wait_flag(pipe_t source, pipe_t destination, int event) {
  pl::shim::isa::waitFlag(source, destination, event);
}
inline void pipe_barrier(pipe_t) {}

inline void set_mask_norm() {}
inline void set_mask_count() {}
inline void set_vector_mask(uint64_t, uint64_t) {}

using mem_dsb_t = int;
struct cache_line_t {
  static constexpr int SINGLE_CACHE_LINE = 0;
  static constexpr int ENTIRE_DATA_CACHE = 0;
  static constexpr int CACHELINE_OUT = 0;
};
struct dcci_dst_t {
  static constexpr int CACHELINE_OUT = 0;
};
inline constexpr mem_dsb_t DSB_DDR = 0;
inline constexpr mem_dsb_t DSB_ALL = 0;
inline constexpr mem_dsb_t DSB_UB = 0;
// GM is coherent here.
inline void dcci(const volatile void *, int) {}
inline void dcci(const volatile void *, int, int) {}
inline void dsb(mem_dsb_t) {}

namespace pto {
/// Orders events; there are none to wait for.
template <typename... Events> inline void TSYNC(Events &...) {}
} // namespace pto

#endif // PL_HOSTSHIM_ISA_SYNC_HPP
