// sum[T, 16] += x[T, 16 columns of this block] * w[16 rows of this block, 16]
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

static __aicore__ void product(__gm__ bfloat16_t *x, __gm__ bfloat16_t *w,
                               __gm__ float *sum, int64_t tokens,
                               int32_t block_idx) {
#if defined(__DAV_CUBE__)
  const int64_t k0 = (int64_t)block_idx * 16;
  for (int64_t row = 0; row < tokens; row += 16) {
    const int64_t rows = tokens - row < 16 ? tokens - row : 16;
    Tile<TileType::Mat, bfloat16_t, 16, 16, BLayout::ColMajor, -1, 16,
         SLayout::RowMajor, 512>
        x_l1(rows);
    TASSIGN<0x0>(x_l1);
    Tile<TileType::Mat, bfloat16_t, 16, 16, BLayout::ColMajor, 16, 16,
         SLayout::RowMajor, 512>
        w_l1;
    TASSIGN<0x200>(w_l1);
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, -1, 16>, Stride<-1, -1, -1, 32, 1>,
                 Layout::ND>
        x_gm(x + (row * 32 + k0), Shape<1, 1, 1, -1, 16>(rows),
             Stride<-1, -1, -1, 32, 1>(32, 32, 32));
    TLOAD(x_l1, x_gm);
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 16>,
                 Stride<256, 256, 256, 16, 1>, Layout::ND>
        w_gm(w + k0 * 16);
    TLOAD(w_l1, w_gm);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    Tile<TileType::Left, bfloat16_t, 16, 16, BLayout::RowMajor, -1, 16,
         SLayout::RowMajor, 512, PadValue::Null, CompactMode::Normal>
        a(rows);
    TASSIGN<0x0>(a);
    Tile<TileType::Right, bfloat16_t, 16, 16, BLayout::RowMajor, 16, 16,
         SLayout::ColMajor, 512>
        b;
    TASSIGN<0x0>(b);
    TEXTRACT(a, x_l1, 0, 0);
    TEXTRACT(b, w_l1, 0, 0);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, -1, 16,
         SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Normal>
        acc(rows);
    TASSIGN<0x0>(acc);
    TMATMUL(acc, a, b);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, -1, 16>, Stride<-1, -1, -1, 16, 1>,
                 Layout::ND>
        sum_gm(sum + row * 16, Shape<1, 1, 1, -1, 16>(rows),
               Stride<-1, -1, -1, 16, 1>(16, 16, 16));
    TSTORE<decltype(acc), decltype(sum_gm), AtomicType::AtomicAdd>(sum_gm, acc);
    pipe_barrier(PIPE_ALL);
  }
#endif
}

extern "C" __aicore__ __attribute__((always_inline)) void
kernel_entry(__gm__ int64_t *args) {
  __gm__ ChipTensor *x_t = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
  __gm__ bfloat16_t *x =
      reinterpret_cast<__gm__ bfloat16_t *>(x_t->buffer.addr) +
      x_t->start_offset;
  __gm__ ChipTensor *w_t = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
  __gm__ bfloat16_t *w =
      reinterpret_cast<__gm__ bfloat16_t *>(w_t->buffer.addr) +
      w_t->start_offset;
  __gm__ ChipTensor *sum_t = reinterpret_cast<__gm__ ChipTensor *>(args[2]);
  __gm__ float *sum = reinterpret_cast<__gm__ float *>(sum_t->buffer.addr) +
                      sum_t->start_offset;
  product(x, w, sum, static_cast<int64_t>(x_t->shapes[0]), get_block_idx(args));
}
