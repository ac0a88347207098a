//===- Code.h - the compact form of kernels and orchestration -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A function becomes a flat list of instructions over scalar registers, tensor
// views and tile slots, with jumps for its loops and branches. Nothing of MLIR
// is touched when it runs, except locations for reports.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_CODE_H
#define PL_LIB_SIM_CODE_H

#include "pl/HostShim/Math.h"
#include "pl/Sim/Sim.h"

namespace pl::sim {

/// On-chip memories.
enum class Space : uint8_t { Vec, Mat, Left, Right, Acc, Bias };
constexpr unsigned kNumSpaces = 6;
llvm::StringRef stringify(Space space);

/// Bytes that a program may use of a memory of an a2a3 core.
int64_t spaceBytes(Space space);
/// Addresses of storage are multiples of this many bytes.
int64_t spaceAlignment(Space space);

enum class Layout : uint8_t { ND, DN, NZ, ZN, ZZ };

/// A buffer of a kernel: where it lies and what it holds.
struct TileDecl {
  std::string name;
  Space space;
  ElemType type;
  Layout layout;
  int64_t rows, cols;
  int64_t address;
  int64_t validRows, validCols; ///< -1: set by the instruction that makes it
  shim::Placement at;

  int64_t bytes() const { return rows * cols * int64_t(shim::elemBytes(type)); }
};

enum class Op : uint8_t {
  // Scalars: registers dst, a, b, c.
  Const,       // imm
  Copy,        // a
  IntBinary,   // IntOp in sub, width in imm
  FloatBinary, // shim::BinaryOp in sub
  FloatNeg,
  CompareInt,   // IntPredicate in sub, width in imm
  CompareFloat, // mlir predicate in sub
  Select,       // a ? b : c
  Resize,       // a, of width imm, to width imm2; unsigned if sub
  Convert,      // element type to element type, RoundMode in mode
  // Control.
  Jump,       // to imm
  JumpIfZero, // a, to imm
  LoopHead,   // leave to imm unless register a < b; step c must be positive
  LoopNext,   // a += b, to imm; leaves by falling through on overflow
  WhileGuard, // counts trips of a `while` in register a
  Return,
  // Tensor views: slots.
  ExpectDim,   // axis imm of view a has extent imm2
  CopyView,    // dst <- a
  Dim,         // register dst <- extent b (register) of view a
  SubView,     // dst <- a without axes imm; operands: offsets, sizes, strides
  Reinterpret, // dst <- a; operands: offset, sizes, strides
  // Tiles: slots of tiles and views, registers.
  SetValid, // tile dst; a rows, b cols (registers or -1)
  Load,     // tile dst <- view a at operands; transposed if sub
  Store,    // tile a -> view b at operands; atomic add if sub
  Binary,   // tiles a, b; shim::BinaryOp in sub
  Scalar,   // tile a, register b
  Unary,
  Cast,
  RowReduce,
  ColReduce,
  RowExpandBinary,
  ColExpandBinary,
  RowExpand,
  ColExpand,
  Full,     // register a
  Iota,     // register a
  CopyTile, // tile a, from row imm and column imm2
  FillPad,  // tile a; PadKind in sub
  Transpose,
  Gather, // tile a, index tile b; flat if sub
  Matmul, // tiles a, b; accumulator c or -1
  // One element: register, view, operands are the indices.
  Read,  // register dst <- view a
  Write, // register a -> view b
  BlockIdx,
  BlockNum,
  SetFlag,  // flag imm
  WaitFlag, // flag imm
  PipeBarrier,
  // Other ranks: register c is the peer.
  Put,         // view a -> view b; operands: offsets in a, in b, sizes; atomic
               // add if sub
  Get,         // view a -> view b; operands as of Put
  RemoteStore, // as Store
  RemoteLoad,  // as Load
  Notify,      // adds register a to view b at operands; sets it if sub
  Wait,        // view b at operands is register a; at least it if sub
  DeferWait,   // view b at operands is at least register a
  RankOf,      // register dst <- rank that view a belongs to
  NumRanks,    // register dst <- ranks that share view a
  LaneIdx,     // which vector core of the cluster
  Push,        // tile a, ring imm of the kernel
  Pop,         // tile dst, ring imm; SplitMode in sub, as for Push
  // Orchestration.
  Alloc,  // view dst; allocation imm; operands: dynamic sizes
  Launch, // register dst; launch imm; operands: blocks, args, deps
  Dummy,  // register dst; launch imm; operands: deps
  // Host programs.
  WorldSize,   // register dst
  AllocWindow, // view dst; allocation imm; operands: dynamic size
  WindowView,  // view dst <- view a; allocation imm; operands: dynamic sizes
  BindDim,     // register dst; binding imm; operands: extents
  Dispatch     // dispatch imm; operands: args; register a: device or -1
};

enum class IntOp : uint8_t {
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  FloorDivS,
  CeilDivS,
  CeilDivU,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU
};

enum class IntPredicate : uint8_t {
  EQ,
  NE,
  SLT,
  SLE,
  SGT,
  SGE,
  ULT,
  ULE,
  UGT,
  UGE
};

enum class PadKind : uint8_t { Zero, Min, Max };

/// How an elementwise instruction walks its tiles.
enum class Walk : uint8_t { Rows, Columns, Vector };

struct Instr {
  Op op;
  uint8_t sub = 0;
  shim::RoundMode mode = shim::RoundMode::None;
  Walk walk = Walk::Rows;
  uint8_t pipe = 0; ///< `mlir::pl::Pipe` that executes it; 0 is the scalar unit
  ElemType type = ElemType::F32;
  ElemType type2 = ElemType::F32;
  /// Names this access as an origin of undefined values (`kFirstSite` up).
  uint8_t site = 0;
  int32_t dst = -1, a = -1, b = -1, c = -1;
  int64_t imm = 0, imm2 = 0;
  uint32_t operands = 0, numOperands = 0; ///< in Code::operands
  uint32_t scratch = 0, numScratch = 0;   ///< tiles, in Code::operands
  mlir::LocationAttr loc;
};

/// What a launch or dummy says, apart from its operands.
struct LaunchDecl {
  unsigned kernel = 0;
  std::string name;
  llvm::SmallVector<bool, 8> isTensor; ///< of each argument
  llvm::SmallVector<std::string, 4> reasons;
  bool earlyResolve = false;
  unsigned numDeps = 0;
};

struct AllocDecl {
  std::string name;
  ElemType type;
  llvm::SmallVector<int64_t, 4> shape; ///< -1: from an operand
};

/// A program that a host program runs on a rank.
struct DispatchDecl {
  unsigned program = 0;                 ///< in ProgramCode::programs
  llvm::SmallVector<bool, 16> isTensor; ///< of each argument
};

/// The value of a dim, from extents that are scale * value + offset.
struct BindDecl {
  std::string name;
  llvm::SmallVector<int64_t, 4> scales, offsets;
  llvm::SmallVector<std::string, 4> sources;
};

/// How a function uses one of its tensors.
struct TensorUse {
  bool reads = false, writes = false, adds = false;
  bool signals = false; ///< its cells are notified or waited for
};

struct ParamDecl {
  std::string name;
  bool isTensor = false;
  ElemType type = ElemType::F32;
  llvm::SmallVector<int64_t, 4> shape; ///< -1: dynamic
  llvm::SmallVector<std::string, 4>
      dimNames;                    ///< one per dynamic dim, may be ""
  int32_t slot = -1;               ///< view or register
  bool isOut = false, isIn = true; ///< declared direction
  TensorUse use;
  mlir::LocationAttr loc;
};

/// The slots of one direction of a mixed kernel.
struct RingDecl {
  bool toCube = false;
  int32_t view = -1; ///< the workspace: a row of bytes for each block
  int64_t offset = 0, slots = 0, bytes = 0;
  mlir::LocationAttr loc;
};

/// One function or kernel. A mixed kernel has no instructions of its own but a
/// cube and a vector side, with the same parameters.
struct Code {
  std::string name;
  TaskKind kind = TaskKind::Dummy;
  mlir::LocationAttr loc;
  std::vector<Instr> instrs;
  std::vector<int32_t> operands;
  std::vector<TileDecl> tiles;
  std::vector<ParamDecl> params;
  std::vector<LaunchDecl> launches;
  std::vector<AllocDecl> allocs;
  std::vector<DispatchDecl> dispatches;
  std::vector<BindDecl> bindings;
  /// Blocks of this kernel may have to stop for each other or other ranks.
  bool stops = false;
  std::vector<RingDecl> rings;
  std::vector<Code> sides;
  unsigned numRegs = 0, numViews = 0;
  int64_t usedBytes[kNumSpaces] = {};
};

/// Definedness of a byte: 0 is defined, `kFresh` was never written, anything
/// else names the access that first read something undefined.
constexpr uint8_t kDefined = 0, kFresh = 1, kFirstSite = 2;

struct ProgramCode {
  /// An orchestration, or a host program that runs `programs`.
  Code entry;
  bool isHost = false;
  std::vector<Code> programs;
  std::vector<Code> kernels;
  unsigned numSites = kFirstSite;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_CODE_H
