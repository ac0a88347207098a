//===- LoweringTransfers.cpp - put, get, remote loads and stores ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

/// What atomic adds are made of (language.md 5.5).
static bool checkAtomic(FunctionLowering &f, OpCall &op, const Expr *expr,
                        DTypeKind dtype, bool &atomic) {
  if (!f.getAtomic(expr, atomic))
    return false;
  if (!atomic)
    return true;
  switch (dtype) {
  case DTypeKind::FP32:
  case DTypeKind::BF16:
  case DTypeKind::FP16:
  case DTypeKind::INT32:
  case DTypeKind::INT16:
  case DTypeKind::INT8:
    return true;
  default:
    f.error(DiagCode::Atomic, expr->range,
            "an atomic add does not take " + getName(dtype));
    return false;
  }
}

//===----------------------------------------------------------------------===//
// put and get
//===----------------------------------------------------------------------===//

namespace {
/// The box that a transfer copies: of the local and the remote tensor.
struct Transfer {
  FunctionLowering::Window local, remote;
  SmallVector<mlir::Value> sizes;
  int64_t chunkRows = 0, chunkCols = 0;
  bool pipeline = false;
};
} // namespace

/// A constant number of rows or columns; absent is 0, the whole extent.
static bool getChunk(FunctionLowering &f, OpCall &op, unsigned arg,
                     StringRef name, int64_t &chunk) {
  if (!op.args[arg])
    return true;
  DslValue value = f.lower(op.args[arg]);
  if (value.isError())
    return false;
  std::optional<int64_t> number;
  if (value.isHostInt())
    number = value.host.getInt();
  if (!number) {
    f.error(DiagCode::NotConstant, op.args[arg]->range,
            name + "= of " + op.spelling +
                " must be a constant integer, but this "
                "is " +
                f.describe(value));
    return false;
  }
  if (*number < 0 || *number > INT32_MAX) {
    f.error(DiagCode::TransferChunk, op.args[arg]->range,
            name + "= of " + op.spelling +
                " must be at least 0 (0 is the whole "
                "extent), but this is " +
                Twine(*number));
    return false;
  }
  chunk = *number;
  return true;
}

/// The three region arguments from `arg` on, or the whole of both tensors.
static bool getRegion(FunctionLowering &f, OpCall &op, unsigned arg,
                      const TensorRef &dst, const TensorRef &src,
                      FunctionLowering::Window &dstWindow,
                      FunctionLowering::Window &srcWindow) {
  size_t rank = dst.extents.size();
  dstWindow.range = srcWindow.range = op.range();
  const Expr *given[] = {op.args[arg], op.args[arg + 1], op.args[arg + 2]};
  bool any = given[0] || given[1] || given[2];
  if (any && !(given[0] && given[1] && given[2])) {
    f.error(DiagCode::TransferRegion, op.range(),
            op.spelling + " takes dst_offsets=, src_offsets= and "
                          "shape= together or not at all");
    return false;
  }
  if (!any) {
    for (auto [axis, to, from] : llvm::enumerate(dst.extents, src.extents)) {
      if (to.isStatic() && from.isStatic() && to.number != from.number) {
        f.error(DiagCode::ShapeMismatch, op.range(),
                op.spelling +
                    " without a region copies whole tensors, but in "
                    "axis " +
                    Twine(axis) + " '" + dst.name + "' has " +
                    Twine(to.number) + " and '" + src.name + "' has " +
                    Twine(from.number));
        return false;
      }
      DslValue size = f.getExtent(to.isStatic() ? to : from);
      for (auto *window : {&dstWindow, &srcWindow}) {
        window->offsets.push_back(makeInt(0));
        window->sizes.push_back(size);
      }
    }
    return true;
  }
  SmallVector<DslValue> shape;
  if (!f.getList(given[0], "dst_offsets=", dstWindow.offsets) ||
      !f.getList(given[1], "src_offsets=", srcWindow.offsets) ||
      !f.getList(given[2], "shape=", shape))
    return false;
  std::pair<const char *, size_t> lists[] = {
      {"dst_offsets=", dstWindow.offsets.size()},
      {"src_offsets=", srcWindow.offsets.size()},
      {"shape=", shape.size()}};
  for (auto [index, list] : llvm::enumerate(lists))
    if (list.second != rank) {
      f.error(DiagCode::WrongRank, given[index]->range,
              op.spelling + " needs one of " + list.first + " for each of " +
                  Twine(rank) + " axes, but got " + Twine(list.second));
      return false;
    }
  for (const DslValue &size : shape)
    if (std::optional<int64_t> number = f.getConstantInt(size);
        number && *number <= 0) {
      f.error(DiagCode::ShapeMismatch, given[2]->range,
              "shape= of " + op.spelling + " must be positive, but holds " +
                  Twine(*number));
      return false;
    }
  dstWindow.sizes = srcWindow.sizes = shape;
  dstWindow.range = given[0]->range;
  srcWindow.range = given[1]->range;
  return true;
}

static bool toIndices(FunctionLowering &f, ArrayRef<DslValue> values,
                      SourceRange range, StringRef what,
                      SmallVectorImpl<mlir::Value> &indices) {
  for (const DslValue &value : values) {
    indices.push_back(f.toIndex(value, range, what));
    if (!indices.back())
      return false;
  }
  return true;
}

/// `put(dst, peer, src, dst_offsets, src_offsets, shape, atomic, chunk_rows,
/// chunk_cols, pipeline)`; `get` has no atomic, and copies the other way.
static DslValue lowerTransfer(FunctionLowering &f, OpCall &op, bool isPut) {
  if (!checkPlace(f, op))
    return DslValue::error();
  unsigned chunk = isPut ? 7 : 6;
  DslValue dst = isPut ? getWindowOperand(f, op, 0, "dst")
                       : getTensorOperand(f, op, 0, "dst");
  DslValue src = isPut ? getTensorOperand(f, op, 2, "src")
                       : getWindowOperand(f, op, 2, "src");
  mlir::Value peer = getIndexOperand(f, op, 1, "peer");
  int64_t rows = 0, cols = 0;
  bool good = getChunk(f, op, chunk, "chunk_rows", rows);
  good &= getChunk(f, op, chunk + 1, "chunk_cols", cols);
  std::optional<bool> pipeline =
      f.getBool(op.args[chunk + 2], "pipeline=", false);
  if (dst.isError() || src.isError() || !peer || !good || !pipeline)
    return DslValue::error();
  if (dst.tensor->dtype != src.tensor->dtype)
    return f.fail(DiagCode::DTypeMismatch, op.range(),
                  op.spelling +
                      " copies between tensors of one dtype, but "
                      "dst is " +
                      f.describe(dst) + " and src is " + f.describe(src));
  if (dst.tensor->extents.size() != src.tensor->extents.size())
    return f.fail(DiagCode::WrongRank, op.range(),
                  op.spelling +
                      " copies between tensors of equal rank, but "
                      "dst is " +
                      f.describe(dst) + " and src is " + f.describe(src));
  bool atomic = false;
  if (isPut && !checkAtomic(f, op, op.args[6], dst.tensor->dtype, atomic))
    return DslValue::error();
  FunctionLowering::Window to, from;
  if (!getRegion(f, op, 3, *dst.tensor, *src.tensor, to, from))
    return DslValue::error();
  if (!f.checkBounds(*dst.tensor, to, to.sizes, "region") ||
      !f.checkBounds(*src.tensor, from, from.sizes, "region"))
    return DslValue::error();
  if (*pipeline && (rows == 0 || cols == 0))
    return f.fail(DiagCode::TransferChunk, op.args[chunk + 2]->range,
                  "pipeline= of " + op.spelling +
                      " needs chunk_rows= and chunk_cols=, the two halves of "
                      "what it overlaps");
  // The copy goes through a tile, whose box is static.
  ArrayRef<DslValue> shape = to.sizes;
  auto isDynamic = [&](const DslValue &size) {
    return !f.getConstantInt(size);
  };
  if (rows == 0 && llvm::any_of(shape.drop_back(), isDynamic))
    return f.fail(DiagCode::TransferChunk, op.range(),
                  op.spelling + " needs chunk_rows=: a leading extent is "
                                "known at run time only, and the tile it "
                                "copies through is not");
  if (cols == 0 && isDynamic(shape.back()))
    return f.fail(DiagCode::TransferChunk, op.range(),
                  op.spelling + " needs chunk_cols=: the innermost extent "
                                "is known at run time only, and the tile it "
                                "copies through is not");
  SmallVector<mlir::Value> dstOffsets, srcOffsets, sizes;
  if (!toIndices(f, to.offsets, to.range, "an offset", dstOffsets) ||
      !toIndices(f, from.offsets, from.range, "an offset", srcOffsets) ||
      !toIndices(f, shape, op.range(), "an extent", sizes))
    return DslValue::error();
  f.noteRead(*src.tensor, op.range());
  if (atomic)
    f.noteRead(*dst.tensor, op.range());
  f.noteWrite(*dst.tensor, op.range());
  // What a put writes is another rank's memory.
  if (!isPut && !f.noteAccessKind(*dst.tensor, /*isScalar=*/false, op.range()))
    return DslValue::error();
  mlir::Location loc = f.loc(op.range());
  if (isPut)
    ir::PutOp::create(f.builder, loc, src.tensor->memref, srcOffsets,
                      dst.tensor->memref, dstOffsets, peer, sizes,
                      atomic ? ir::AtomicKind::add : ir::AtomicKind::none, rows,
                      cols, *pipeline, mlir::ValueRange());
  else
    ir::GetOp::create(f.builder, loc, src.tensor->memref, srcOffsets,
                      dst.tensor->memref, dstOffsets, peer, sizes, rows, cols,
                      *pipeline, mlir::ValueRange());
  return DslValue::makeTuple({});
}

static DslValue lowerPut(FunctionLowering &f, OpCall &op) {
  return lowerTransfer(f, op, /*isPut=*/true);
}

static DslValue lowerGet(FunctionLowering &f, OpCall &op) {
  return lowerTransfer(f, op, /*isPut=*/false);
}

//===----------------------------------------------------------------------===//
// Remote stores and loads
//===----------------------------------------------------------------------===//

static DslValue lowerRemoteStore(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  DslValue source = f.lower(op.args[0]);
  DslValue target = getWindowOperand(f, op, 1, "target");
  mlir::Value peer = getIndexOperand(f, op, 2, "peer");
  FunctionLowering::Window window;
  window.range = op.args[3]->range;
  bool good = f.getList(op.args[3], "the offsets", window.offsets);
  if (source.isError() || target.isError() || !peer || !good)
    return DslValue::error();
  if (isWindow(source))
    return f.fail(DiagCode::WindowMismatch, op.args[0]->range,
                  op.spelling + " stores what is on chip, but '" +
                      f.getText(op.args[0]) +
                      "' is a window; copy it with pld.tensor.put");
  DslValue tile =
      f.toTile(source, op.args[0]->range, "the source of " + op.spelling);
  if (tile.isError())
    return tile;
  const TensorRef &tensor = *target.tensor;
  size_t rank = tensor.extents.size(), tileRank = tile.shape.size();
  if (window.offsets.size() != rank)
    return f.fail(DiagCode::WrongRank, op.args[3]->range,
                  op.spelling + " needs one offset for each of " + Twine(rank) +
                      " axes of '" + tensor.name + "', but got " +
                      Twine(window.offsets.size()));
  if (rank < 2)
    return f.fail(DiagCode::WrongRank, op.args[1]->range,
                  op.spelling +
                      " needs a target of at least two axes, but "
                      "this is " +
                      f.describe(target));
  bool atomic = false;
  if (!checkAtomic(f, op, op.args[4], tensor.dtype, atomic))
    return DslValue::error();
  if (tile.dtype != tensor.dtype)
    return f.fail(DiagCode::DTypeMismatch, op.range(),
                  op.spelling + " cannot store " + f.describe(tile) +
                      " to the " + getName(tensor.dtype) + " window '" +
                      tensor.name + "'; cast it with pl.cast");
  if (tileRank < 2)
    return f.fail(DiagCode::WrongRank, op.args[0]->range,
                  op.spelling +
                      " needs a source of at least two axes, but "
                      "this is " +
                      f.describe(tile));
  for (int64_t extent : ArrayRef(tile.shape).drop_back(2))
    if (extent != 1)
      return f.fail(DiagCode::ShapeMismatch, op.args[0]->range,
                    op.spelling +
                        " stores two axes: those before the last "
                        "two must have extent 1, but this is " +
                        f.describe(tile));
  ir::TileType type = tile.getTileType();
  int64_t extents[2] = {type.getRows(), type.getCols()};
  SmallVector<DslValue> boxes(rank, makeInt(1));
  SmallVector<int64_t> sizes(rank, 1);
  for (unsigned axis : {0, 1}) {
    int64_t valid = type.getValid(axis);
    boxes[rank - 2 + axis] =
        mlir::ShapedType::isDynamic(valid) ? DslValue::error() : makeInt(valid);
    sizes[rank - 2 + axis] = extents[axis];
  }
  if (!f.checkBounds(tensor, window, boxes, "store"))
    return DslValue::error();
  SmallVector<mlir::Value> offsets;
  if (!toIndices(f, window.offsets, window.range, "an offset", offsets))
    return DslValue::error();
  if (atomic)
    f.noteRead(tensor, op.range());
  f.noteWrite(tensor, op.range());
  ir::RemoteStoreOp::create(
      f.builder, f.loc(op.range()), tile.value, tensor.memref, offsets, peer,
      atomic ? ir::AtomicKind::add : ir::AtomicKind::none);
  return DslValue::makeTuple({});
}

static DslValue lowerRemoteLoad(FunctionLowering &f, OpCall &op) {
  SourceRange range = op.range();
  if (!f.core)
    return f.fail(DiagCode::MisplacedOp, range,
                  op.spelling + " runs on a core: it belongs into a "
                                "core scope (pl.at, pl.spmd)");
  DslValue source = getWindowOperand(f, op, 0, "target");
  mlir::Value peer = getIndexOperand(f, op, 1, "peer");
  if (source.isError() || !peer)
    return DslValue::error();
  const TensorRef &tensor = *source.tensor;
  FunctionLowering::Window window;
  SmallVector<DslValue> valid;
  if (!f.getSliceWindow(op, source, op.args[2], op.args[3], op.args[4], window,
                        valid))
    return DslValue::error();
  SmallVector<int64_t> sizes;
  if (!f.getStaticShape(op.args[3], "the shape", sizes))
    return DslValue::error();
  for (const DslValue &extent : valid)
    if (std::optional<int64_t> number = f.getConstantInt(extent);
        number && *number < 0)
      return f.fail(DiagCode::ValidShape, op.args[4]->range,
                    "valid_shape= of " + op.spelling +
                        " must be at least 0, but holds " + Twine(*number));
  SmallVector<DslValue> boxes(valid.empty() ? ArrayRef(window.sizes)
                                            : ArrayRef(valid));
  FunctionLowering::Access access;
  if (!f.checkBounds(tensor, window, boxes, "region") ||
      !f.getAccess(tensor, window, sizes, access))
    return DslValue::error();
  for (auto [axis, box] : llvm::enumerate(boxes))
    if (axis != access.rowAxis && axis != access.colAxis &&
        f.getConstantInt(box) != sizes[axis])
      return f.notLowered(range,
                          "a partial valid extent in axis " + Twine(axis));
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  DslValue rowBox = sizes.size() == 1 ? makeInt(1) : boxes[access.rowAxis];
  if (!f.getValidBox({rowBox, boxes[access.colAxis]}, access.rows, access.cols,
                     range, box, operands))
    return DslValue::error();
  f.noteRead(tensor, range);
  auto type = ir::TileType::get(access.rows, access.cols,
                                f.module.getElementType(tensor.dtype),
                                ir::MemorySpace::none, box[0], box[1]);
  auto load = ir::RemoteLoadOp::create(f.builder, f.loc(range), type,
                                       access.memref, access.offsets, peer,
                                       operands, /*dst=*/mlir::Value());
  DslValue made = DslValue::makeTile(load.getResult(), tensor.dtype, sizes);
  made.isTileLevel = true;
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(sizes).drop_back())
    rows *= extent;
  if (rows != access.rows || sizes.back() != access.cols)
    return f.tileReshape(range, made, sizes);
  return made;
}

static constexpr llvm::StringLiteral kPutParams =
    "dst,peer,src,dst_offsets,src_offsets,shape,atomic,chunk_rows,chunk_cols,"
    "pipeline";
static constexpr llvm::StringLiteral kGetParams =
    "dst,peer,src,dst_offsets,src_offsets,shape,chunk_rows,chunk_cols,pipeline";
static constexpr llvm::StringLiteral kStoreParams =
    "src,target,peer,offsets,atomic";
static constexpr llvm::StringLiteral kLoadParams =
    "target,peer,offsets,shape,valid_shape";

static const OpRow transferOps[] = {
    {"pld.tensor.put", kPutParams, 3, lowerPut, false},
    {"pld.tensor.get", kGetParams, 3, lowerGet, false},
    {"pld.tensor.remote_store", kStoreParams, 4, lowerRemoteStore, false},
    {"pld.tile.remote_store", "src_tile,target,peer,offsets,atomic", 4,
     lowerRemoteStore, false},
    {"pld.remote_store", kStoreParams, 4, lowerRemoteStore, false},
    {"pld.tile.remote_load", kLoadParams, 4, lowerRemoteLoad, false},
    {"pld.remote_load", kLoadParams, 4, lowerRemoteLoad, false},
};

ArrayRef<OpRow> pl::frontend::getTransferOps() { return transferOps; }
