// out = bf16(sum * factor), eight rows per block
#include <cstdint>

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#if defined(__CPU_SIM)
#define __aicore__
#else
#define __aicore__ [aicore]
#endif
#endif

#include "intrinsic.h"
#include "tensor.h"
#include <pto/pto-inst.hpp>

using namespace pto;

static __aicore__ void scale(__gm__ float *sum, __gm__ bfloat16_t *out,
                             int64_t tokens, float factor, int32_t block_idx) {
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t row = (int64_t)block_idx * 8;
  const int64_t rows = tokens - row < 8 ? tokens - row : 8;
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, 16> tile(rows);
  TASSIGN<0x0>(tile);
  GlobalTensor<float, Shape<1, 1, 1, -1, 16>, Stride<-1, -1, -1, 16, 1>,
               Layout::ND>
      sum_gm(sum + row * 16, Shape<1, 1, 1, -1, 16>(rows),
             Stride<-1, -1, -1, 16, 1>(16, 16, 16));
  TLOAD(tile, sum_gm);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TMULS(tile, tile, factor);
  pipe_barrier(PIPE_V);
  Tile<TileType::Vec, bfloat16_t, 8, 16, BLayout::RowMajor, -1, 16> narrow(
      rows);
  TASSIGN<0x200>(narrow);
  TCVT(narrow, tile, RoundMode::CAST_ROUND, SaturationMode::OFF);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, -1, 16>, Stride<-1, -1, -1, 16, 1>,
               Layout::ND>
      out_gm(out + row * 16, Shape<1, 1, 1, -1, 16>(rows),
             Stride<-1, -1, -1, 16, 1>(16, 16, 16));
  TSTORE(out_gm, narrow);
  pipe_barrier(PIPE_ALL);
#endif
}

extern "C" __aicore__ __attribute__((always_inline)) void
kernel_entry(__gm__ int64_t *args) {
  __gm__ ChipTensor *sum_t = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
  __gm__ float *sum = reinterpret_cast<__gm__ float *>(sum_t->buffer.addr) +
                      sum_t->start_offset;
  __gm__ ChipTensor *out_t = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
  __gm__ bfloat16_t *out =
      reinterpret_cast<__gm__ bfloat16_t *>(out_t->buffer.addr) +
      out_t->start_offset;
  const float factor = from_u64<float>(static_cast<uint64_t>(args[2]));
  scale(sum, out, static_cast<int64_t>(sum_t->shapes[0]), factor,
        get_block_idx(args));
}
