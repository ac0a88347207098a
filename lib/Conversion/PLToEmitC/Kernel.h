//===- Kernel.h - One kernel as one C++ file --------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_KERNEL_H
#define PL_LIB_CONVERSION_PLTOEMITC_KERNEL_H

#include "Writer.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

namespace mlir::pl {

/// A number as a product: `coefficient` times run-time factors.
struct Product {
  int64_t coefficient = 1;
  SmallVector<Value> factors;

  static Product constant(int64_t value) { return {value, {}}; }
  static Product of(Value value) { return {1, {value}}; }
  bool isConstant() const { return factors.empty(); }
  bool isOne() const { return isConstant() && coefficient == 1; }
  Product operator*(const Product &other) const;
};

/// A tensor argument, or a view of one, as a pointer and strides in elements.
struct GmView {
  Value pointer;
  SmallVector<Product> offset; // a sum
  SmallVector<Product> sizes, strides;
  Type element;
};

/// Does a kernel reach other ranks, or ask about them? Then it takes the
/// context of the ranks as its last scalar.
bool usesContext(KernelOp kernel);
/// The name of that scalar.
constexpr llvm::StringLiteral kContextName = "comm_ctx";

/// Writes `kernels/aiv/NAME.cpp` or `kernels/aic/NAME.cpp` in the shape that
/// the runtime loads: a body function with typed pointers, and `kernel_entry`,
/// which unpacks the arguments of a task. A mixed kernel has both, one per
/// side.
class KernelWriter : public Writer {
public:
  KernelWriter(OpBuilder &builder, Names &names, bool lineDirectives,
               KernelOp kernel, CoreKind core)
      : Writer(builder, names, lineDirectives), kernel(kernel), core(core) {}

  /// Fills `file`, which is empty.
  LogicalResult write(emitc::FileOp file, StringRef function);
  unsigned getNumInstructions() const { return numInstructions; }

private:
  /// One parameter of the body function.
  struct Parameter {
    std::string name, type; // in C++
    Type emitted;
    Value value;         // argument of the kernel, if it is one
    unsigned tensor = 0; // for dims: which tensor and axis
    std::optional<unsigned> axis;
    bool isSymbol = false;  // `name` is a #pl.dim
    bool isContext = false; // of the ranks that share the windows
  };
  /// Valid extents of a tile: constants or values of the source.
  using Extents = std::array<OpFoldResult, 2>;
  /// A declared tile.
  struct TileName {
    std::string name;
    Value leaf;
    Value row; // the same bytes as [1, N], for a column that needs it
    BufferType type;
    int64_t address;
    Extents valid;
  };

  LogicalResult collectParameters();
  bool isCube() const { return core == CoreKind::aic; }
  bool isMixed() { return kernel.getCore() == CoreKind::mix; }
  /// Is `op` the code of the other side?
  bool isOtherSide(Operation *op) const;
  /// Calls `visit` for all ops that this core runs.
  void walkOps(function_ref<void(Operation *)> visit);
  void writePrologue(Location loc);
  LogicalResult writeBody(StringRef function);
  void writeEntry(StringRef function, emitc::FuncOp body);

  LogicalResult emitOp(Operation *op) override;
  LogicalResult emitTileOp(TileOpInterface op);
  LogicalResult emitBuffer(Operation *op, StringRef name, BufferType type,
                           ValueRange valid, std::optional<int64_t> address);
  Value declareTile(Operation *op, StringRef name, BufferType type,
                    const Extents &valid, int64_t address,
                    std::optional<PadValue> pad = std::nullopt);
  /// Takes out tiles that no instruction names.
  void dropUnusedTiles();
  /// The tile as an operand of an instruction that wants its valid extents to
  /// be `wanted`: itself, or another name of the same bytes with those extents.
  FailureOr<Value> withExtents(Operation *op, const TileName &tile,
                               const Extents &wanted, bool asRow);
  /// The valid extents that an instruction wants of source `index`, given those
  /// of its destination; the source's own where it does not care.
  static Extents wantedExtents(Operation *op, unsigned index,
                               const TileName &tile, const TileName &target);
  /// Does `op` work on the rows that are the same bytes as its columns?
  static bool usesRow(Operation *op);
  Extents extentsOf(BufferType type, ValueRange dynamic);
  Value extentExpr(Location loc, OpFoldResult extent);
  /// The tile types of one box differ in nothing but what all of them share:
  /// the headers want operands of one C++ type.
  void unifyTypes();
  BufferType spelled(BufferType type) const;
  LogicalResult emitLoad(LoadOp op);
  LogicalResult emitStore(StoreOp op);

  // KernelComm.cpp
  void writeCommPrologue(Location loc);
  /// Emits `op` if it is about other ranks; nothing otherwise.
  std::optional<LogicalResult> emitComm(Operation *op);
  template <typename TransferOp> LogicalResult emitTransfer(TransferOp op);
  LogicalResult emitNotify(NotifyOp op);
  LogicalResult emitWait(WaitOp op);
  LogicalResult emitDeferWait(DeferWaitOp op);
  LogicalResult emitRank(Operation *op);
  /// Declares the box of a transfer as a GlobalTensor.
  FailureOr<Value> declareBox(Operation *op, StringRef hint, Value memref,
                              ValueRange offsets, ValueRange sizes, Value peer);
  /// Declares a cell of a signal, of the peer if there is one.
  FailureOr<Value> declareCell(Operation *op, Value signal, ValueRange offsets,
                               Value peer);

  LogicalResult emitRead(ReadOp op);
  LogicalResult emitWrite(WriteOp op);
  LogicalResult emitDim(memref::DimOp op);
  LogicalResult emitFillPad(FillPadOp op);

  // KernelRings.cpp
  LogicalResult emitRing(Operation *op);
  LogicalResult emitHandshake(Operation *op);

  FailureOr<GmView> viewOf(Operation *user, Value memref);
  FailureOr<GmView> subviewOf(memref::SubViewOp op);
  FailureOr<GmView> castViewOf(memref::ReinterpretCastOp op);
  FailureOr<GmView> argumentView(BlockArgument argument);
  Product product(OpFoldResult value);
  /// `pointer + offset` with `indices` added to the offset of `view`.
  Value address(Location loc, const GmView &view, ValueRange indices);
  Value productExpr(Location loc, const Product &product);
  /// Declares the window that a load or store of `tile` covers.
  FailureOr<Value> declareWindow(Operation *op, const TileName &tile,
                                 BufferType window, const Extents &valid,
                                 Value memref, ValueRange offsets,
                                 std::string &windowName, Value peer = {});
  FailureOr<TileName *> tile(Operation *op, Value buffer);
  void instruction(Operation *op, StringRef callee, ValueRange arguments,
                   ArrayRef<StringRef> templateArguments = {});

  KernelOp kernel;
  CoreKind core;
  SmallVector<Parameter> parameters;
  /// Extents that only the run knows, by argument and axis: their names.
  DenseMap<std::pair<unsigned, unsigned>, Value> dims;
  Value blockIdx, blockNum, lane;
  /// The FIFO of each direction: to the vector cores, to the cube.
  struct RingName {
    std::string name;
    Value leaf, place; // the object; where its next tile is loaded to
  };
  RingName rings[2];
  /// The context of the ranks, and the registry of deferred waits.
  Value context, asyncContext;
  DenseMap<Value, TileName> tiles;
  SmallVector<std::pair<Operation *, Value>> declaredTiles;
  DenseMap<Value, GmView> views;
  /// By fully valid type: the valid extents that all tiles of it share.
  DenseMap<Type, BufferType> commonTypes;
  unsigned numInstructions = 0;
};

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_KERNEL_H
