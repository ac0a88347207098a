//===- Runtime.hpp - what instructions call, without templates ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction templates only check types and describe their operands; the work
// is done by these functions of PLHostShim, so a kernel compiles quickly. A
// mistake a kernel can make at run time (an address or extent out of range, a
// flag that would hang) ends the program with a message: this is a test bench.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_RUNTIME_HPP
#define PL_HOSTSHIM_ISA_RUNTIME_HPP

#include "../../../Scalar.h"

#include <cstddef>
#include <cstdint>

namespace pl::shim::isa {

/// On-chip memories, numbered as pto::TileType.
enum class Space : uint8_t { UB, L1, L0A, L0B, L0C, BT };
constexpr unsigned kNumSpaces = 6;

/// A tile operand at its physical bytes.
struct TileArg {
  void *data;
  ElemType type;
  Space space;
  bool blockRowMajor; ///< order of boxes, or of elements where not boxed
  bool boxed;
  bool boxRowMajor;
  bool compact; ///< boxes are packed by valid, not physical, extents
  int32_t boxRows, boxCols;
  int32_t rows, cols;           ///< physical
  int32_t validRows, validCols; ///< valid
};

/// A GM operand: five dims, the last varies fastest in ND.
struct GlobalArg {
  void *data;
  ElemType type;
  bool columnMajor; ///< DN: dim 3 counts columns' elements
  bool fractal;     ///< NZ: [1, C/c0, R/16, 16, c0]
  int64_t shape[5];
  int64_t stride[5];
};

[[noreturn]] void fail(const char *instruction, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Address of byte `offset` of the running core's memory; checks the range.
void *address(Space space, uint64_t offset, uint64_t bytes);

void load(const TileArg &dst, const GlobalArg &src, bool pad, uint64_t padBits);
void store(const GlobalArg &dst, const TileArg &src, bool atomicAdd, bool relu);
/// Copies the window of `src` at (row, col) that has dst's valid extents.
void copyWindow(const char *name, const TileArg &dst, const TileArg &src,
                int64_t row, int64_t col, bool relu);
/// The dual: writes src's valid extents at (row, col) of dst.
void insertWindow(const TileArg &dst, const TileArg &src, int64_t row,
                  int64_t col);
/// `init` null: start at zero; `bias` null: none.
void matmulTiles(const char *name, const TileArg &c, const TileArg *init,
                 const TileArg &a, const TileArg &b, const TileArg *bias);

// `op` values are those of pl::shim::BinaryOp, UnaryOp and ReduceOp.
void binaryTiles(const char *name, int op, const TileArg &dst, const TileArg &a,
                 const TileArg &b);
/// `scalar` points to one element; `reversed`: scalar op a.
void binaryScalarTiles(const char *name, int op, const TileArg &dst,
                       const TileArg &a, const void *scalar, bool reversed);
void unaryTiles(const char *name, int op, const TileArg &dst, const TileArg &a);
void rowReduceTiles(const char *name, int op, const TileArg &dst,
                    const TileArg &src);
void colReduceTiles(const char *name, int op, const TileArg &dst,
                    const TileArg &src);
void rowExpandTiles(const char *name, int op, const TileArg &dst,
                    const TileArg &a, const TileArg &b, bool explicitScratch);
void rowBroadcastTiles(const TileArg &dst, const TileArg &src);
void colExpandTiles(const char *name, int op, const TileArg &dst,
                    const TileArg &a, const TileArg &b);
void colBroadcastTiles(const TileArg &dst, const TileArg &src);
void convertTiles(const TileArg &dst, const TileArg &src, int roundMode);
void fillTiles(const TileArg &dst, const void *scalar);
void iotaTiles(const TileArg &dst, const void *start, bool descending);
void gatherTiles(const TileArg &dst, const TileArg &src, const TileArg &index);
/// Takes elements first, first + step, ... of each source row.
void gatherMaskTiles(const TileArg &dst, const TileArg &src, int first,
                     int step);
void fillPadTiles(const TileArg &dst, const TileArg &src, uint64_t padBits);
void transposeTiles(const TileArg &dst, const TileArg &src);
/// `b` null: compare with *scalar.
void compareTiles(const TileArg &dst, const TileArg &a, const TileArg *b,
                  const void *scalar, int mode);
/// `b` null: *scalar where the bit is 0.
void selectTiles(const TileArg &dst, const TileArg &mask, const TileArg &a,
                 const TileArg *b, const void *scalar);

/// Copies a box of GM through tiles; `second` may be null.
void transfer(const char *name, const GlobalArg &dst, const GlobalArg &src,
              const TileArg &stage, const TileArg *second, bool atomicAdd);
void notify(void *cell, int32_t value, bool set);
/// `cmp` is a pto::comm::WaitCmp.
void wait(void *cell, int32_t value, int cmp);
void deferWait(void *conditions, void *cell, uint32_t expected);
// The FIFO of a cluster, one ring per direction; see Cluster.h.
void openRing(int flag, bool toCube, int64_t slots);
/// Waits for a slot, or a tile, and returns how many this core had before.
int64_t beginPush(bool toCube);
void endPush(bool toCube);
int64_t beginPop(bool toCube);
void endPop(bool toCube);
/// Which vector core of its cluster this is: 0 or 1.
int subBlock();

void setFlag(int source, int destination, int event);
void waitFlag(int source, int destination, int event);

} // namespace pl::shim::isa

#endif // PL_HOSTSHIM_ISA_RUNTIME_HPP
