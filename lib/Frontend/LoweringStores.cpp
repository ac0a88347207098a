//===- LoweringStores.cpp - what writes tensors ---------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringRegions.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// On the fill of a tensor that `pl.write` changes afterwards.
static constexpr llvm::StringLiteral kStaged = "pl.staged";

/// Whether a tile may come out of the cube unit, whose stores convert.
static bool mayBeProduct(mlir::Value tile, unsigned level = 0) {
  if (level > 16)
    return true;
  mlir::Operation *op = tile.getDefiningOp();
  if (!op)
    return true;
  if (auto set = mlir::dyn_cast<ir::SetValidOp>(op))
    return mayBeProduct(set.getSource(), level + 1);
  unsigned index = mlir::cast<mlir::OpResult>(tile).getResultNumber();
  if (auto loop = mlir::dyn_cast<ir::ForOp>(op))
    return mayBeProduct(loop.getYield()->getOperand(index), level + 1);
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return mayBeProduct(branch.thenYield().getOperand(index), level + 1);
  return mlir::isa<ir::MatmulOp, ir::MatmulAccOp, mlir::func::CallOp>(op);
}

std::string pl::frontend::printShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t extent) {
    if (extent < 0)
      os << '?';
    else
      os << extent;
  });
  return text + "]";
}

bool pl::frontend::fitsWindow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> valid) {
  auto matches = [&](ArrayRef<int64_t> have, ArrayRef<int64_t> other) {
    if (have.size() != sizes.size())
      return false;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] >= 0 && sizes[i] != have[i] && sizes[i] != other[i])
        return false;
    return true;
  };
  if (matches(shape, valid.size() == shape.size() ? valid : shape))
    return true;
  // Another rank: the same but for axes of extent 1.
  SmallVector<int64_t> wide, have;
  for (int64_t size : sizes)
    if (size != 1)
      wide.push_back(size);
  for (int64_t size : shape)
    if (size != 1)
      have.push_back(size);
  if (sizes.size() == shape.size() || wide.size() != have.size())
    return false;
  for (auto [a, b] : llvm::zip(wide, have))
    if (a >= 0 && a != b)
      return false;
  return true;
}

/// The product behind a narrowing that the store out of the accumulator does
/// by itself, or the tile.
static DslValue getUnrounded(FunctionLowering &f, DslValue tile,
                             DTypeKind dtype) {
  auto cast = tile.value.getDefiningOp<ir::CastOp>();
  if (!cast || cast.getMode() != ir::RoundMode::rint || tile.dtype != dtype ||
      (dtype != DTypeKind::BF16 && dtype != DTypeKind::FP16))
    return tile;
  mlir::Operation *source = cast.getSource().getDefiningOp();
  if (!mlir::isa_and_nonnull<ir::MatmulOp, ir::MatmulAccOp>(source))
    return tile;
  tile.value = cast.getSource();
  tile.dtype = DTypeKind::FP32;
  return tile;
}

/// A store of a window of more than two wide axes.
static bool storeBox(FunctionLowering &f, DslValue tile,
                     const TensorRef &tensor, ArrayRef<int64_t> sizes,
                     FunctionLowering::Window &window, bool atomic,
                     SourceRange range) {
  ir::TileType type = tile.getTileType();
  auto [rows, cols] = flattenShape(sizes);
  if (!type.isFullyValid() || rows * cols != type.getRows() * type.getCols()) {
    f.notLowered(range, "a store of a partly valid tile to a window of " +
                            Twine(sizes.size()) + " axes");
    return false;
  }
  FunctionLowering::Window merged = window;
  if (std::shared_ptr<TensorRef> view = mergeRows(f, tensor, sizes, merged)) {
    size_t rank = merged.sizes.size();
    SmallVector<int64_t> shape(rank, 1);
    shape[rank - 2] = rows;
    shape[rank - 1] = cols;
    tile = f.tileReshape(range, tile, shape);
    return tile.isTile() && f.storeTile(tile, *view, merged,
                                        /*hasSizes=*/true, atomic, range);
  }
  SmallVector<mlir::Value> offsets;
  tile = f.tileReshape(range, tile, {rows, cols});
  if (tile.isError() || !getBoxOffsets(f, window, offsets) ||
      !f.noteAccessKind(tensor, /*isScalar=*/false, range))
    return false;
  f.fills.erase(tensor.root);
  if (atomic)
    f.noteRead(tensor, range);
  f.noteWrite(tensor, range);
  ir::StoreBoxOp::create(f.builder, f.loc(range), tile.value, tensor.memref,
                         offsets, f.builder.getDenseI64ArrayAttr(sizes),
                         atomic ? ir::AtomicKind::add : ir::AtomicKind::none);
  return true;
}

bool FunctionLowering::storeTile(DslValue tile, const TensorRef &tensor,
                                 Window &window, bool hasSizes, bool atomic,
                                 SourceRange range) {
  tile = getUnrounded(*this, tile, tensor.dtype);
  ir::TileType type = tile.getTileType();
  unsigned rank = tensor.extents.size();
  if (window.offsets.size() != rank) {
    error(DiagCode::WrongRank, range,
          "'" + tensor.name + "' has " + Twine(rank) + " axes, but there are " +
              Twine(window.offsets.size()) + " offsets");
    return false;
  }
  SmallVector<int64_t, 2> valid = getStaticValid(tile);
  SmallVector<int64_t> sizes(rank, 1);
  if (hasSizes) {
    SmallVector<int64_t> kept;
    for (unsigned axis = 0; axis < rank; ++axis) {
      sizes[axis] = getConstantInt(window.sizes[axis]).value_or(-1);
      if (!window.dropped[axis])
        kept.push_back(sizes[axis]);
    }
    if (!fitsWindow(kept, tile.shape, valid)) {
      error(DiagCode::SubscriptWrite, range,
            "Subscript-write shape mismatch: the window is " +
                (kept.empty() ? std::string("one element") : printShape(kept)) +
                ", but the source is " + describe(tile) +
                "; write to a window of its shape");
      return false;
    }
    // What the window does not say, the source does.
    size_t next = tile.shape.size();
    for (unsigned axis = rank; axis-- > 0;) {
      if (window.dropped[axis])
        continue;
      int64_t have = next > 0 ? tile.shape[--next] : 1;
      if (sizes[axis] < 0)
        sizes[axis] = have;
    }
  } else {
    // Batches of one matrix are one matrix.
    while (tile.shape.size() > rank && tile.shape.front() == 1)
      tile.shape.erase(tile.shape.begin());
    if (tile.shape.size() > rank) {
      error(DiagCode::WrongRank, range,
            "'" + tensor.name + "' has " + Twine(rank) +
                " axes, but the source is " + describe(tile));
      return false;
    }
    for (size_t i = 0; i < tile.shape.size(); ++i)
      sizes[rank - tile.shape.size() + i] = tile.shape[i];
  }
  window.sizes.clear();
  SmallVector<DslValue> boxes;
  for (int64_t size : sizes)
    window.sizes.push_back(makeInt(size));
  Access access;
  // Bounds are those of what is written: the valid box.
  boxes.assign(window.sizes.begin(), window.sizes.end());
  if (!type.isFullyValid())
    for (size_t i = 0; i < rank && i < valid.size(); ++i) {
      int64_t extent = valid[valid.size() - 1 - i];
      boxes[rank - 1 - i] = extent < 0 ? DslValue::error() : makeInt(extent);
    }
  if (!checkBounds(tensor, window, boxes, "store"))
    return false;
  bool converts =
      tile.dtype == DTypeKind::FP32 &&
      (tensor.dtype == DTypeKind::BF16 || tensor.dtype == DTypeKind::FP16) &&
      mayBeProduct(tile.value);
  mlir::Operation *maker = tile.value.getDefiningOp();
  if ((tensor.dtype == DTypeKind::INT8 || tensor.dtype == DTypeKind::INT16) &&
      mlir::isa_and_nonnull<ir::MatmulOp, ir::MatmulAccOp>(maker)) {
    error(DiagCode::AccumulatorStore, range,
          "the cube stores what it accumulates as INT32, FP32, FP16 or BF16, "
          "but '" +
              tensor.name + "' is " + getName(tensor.dtype) +
              "; make it on the vector unit with pl.cast");

    return false;
  }
  if (tile.dtype != tensor.dtype && !converts) {
    error(DiagCode::DTypeMismatch, range,
          "cannot store " + describe(tile) + " to the " +
              getName(tensor.dtype) + " tensor '" + tensor.name +
              "'; cast it with pl.cast");
    return false;
  }
  if (atomic) {
    switch (tensor.dtype) {
    case DTypeKind::FP32:
    case DTypeKind::BF16:
    case DTypeKind::FP16:
    case DTypeKind::INT32:
    case DTypeKind::INT16:
    case DTypeKind::INT8:
      break;
    default:
      error(DiagCode::Atomic, range,
            "an atomic add does not take " + getName(tensor.dtype) +
                "; it takes FP32, FP16, BF16, INT32, INT16 and INT8");
      return false;
    }
  }
  if (isWideBox(sizes))
    return storeBox(*this, tile, tensor, sizes, window, atomic, range);
  if (!getAccess(tensor, window, sizes, access))
    return false;
  // The window may be that of the valid box.
  bool isBox =
      access.rows == type.getValidRows() && access.cols == type.getValidCols();
  bool isTurned =
      !isBox &&
      ((access.rows == 1 && type.getCols() == 1 && type.getRows() != 1) ||
       (access.cols == 1 && type.getRows() == 1 && type.getCols() != 1));
  bool sameCount = access.rows * access.cols == type.getRows() * type.getCols();
  bool sameShape =
      access.rows == type.getRows() && access.cols == type.getCols();
  if (isTurned)
    tile = tileReshape(range, tile, {type.getCols(), type.getRows()});
  else if (!sameShape && sameCount)
    tile = tileReshape(range, tile, {access.rows, access.cols});
  if (tile.isError())
    return false;
  if (atomic)
    noteRead(tensor, range);
  noteWrite(tensor, range);
  bool isFirst = !bulkWrites.contains(tensor.root);
  if (!noteAccessKind(tensor, /*isScalar=*/false, range))
    return false;
  auto store = ir::StoreOp::create(
      builder, loc(range), tile.value, access.memref, access.offsets,
      atomic ? ir::AtomicKind::add : ir::AtomicKind::none);
  bool isWhole = tensor.memref == tensor.root && !atomic &&
                 tile.value.getDefiningOp<ir::FullOp>();
  for (auto [extent, size] : llvm::zip(tensor.extents, sizes))
    isWhole &= extent.isStatic() && extent.number == size;
  if (isFirst && isWhole)
    fills[tensor.root] = store;
  else
    fills.erase(tensor.root);
  return true;
}

bool FunctionLowering::noteAccessKind(const TensorRef &tensor, bool isScalar,
                                      SourceRange range) {
  auto &mine = isScalar ? scalarWrites : bulkWrites;
  auto &others = isScalar ? bulkWrites : scalarWrites;
  mine.try_emplace(tensor.root, range);
  auto found = others.find(tensor.root);
  if (found == others.end())
    return true;
  // A tensor that is filled and then written by elements only is built on chip
  // and stored once.
  if (auto fill = fills.find(tensor.root); isScalar && fill != fills.end()) {
    fill->second->setAttr(kStaged, builder.getUnitAttr());
    return true;
  }
  error(DiagCode::MixedWrites, range,
        "'" + tensor.name +
            "' is written by pl.write and by tile stores in one "
            "kernel: the two paths are not ordered")
      .note(found->second, "the other write is here; build the values in a "
                           "tile and store it once, or use two tasks");
  return false;
}

/// `x[...] = v` of a tile: `x` becomes the tile with the change.
static void lowerTileAssign(FunctionLowering &f, const SubscriptExpr *target,
                            const DslValue &base, DslValue source,
                            SourceRange valueRange, SourceRange range) {
  FunctionLowering::Window window;
  window.range = target->range;
  SmallVector<Extent> extents;
  for (int64_t extent : base.shape)
    extents.push_back({extent, {}, {}});
  auto *name = llvm::cast<NameExpr>(target->value);
  if (source.isError() || !f.getWindow(target, extents, window))
    return f.poison(name);
  if (source.isScalar() || source.isHostNumber()) {
    f.error(DiagCode::ElementWrite, range,
            "Element-write not supported; write pl.write(" + f.getText(name) +
                ", [...], " + f.getText(valueRange) + ")");
    return f.poison(name);
  }
  source = f.toTile(source, valueRange, "the source of a write");
  if (source.isError())
    return f.poison(name);
  SmallVector<int64_t> kept;
  for (auto [size, drop] : llvm::zip(window.sizes, window.dropped))
    if (!drop)
      kept.push_back(f.getConstantInt(size).value_or(-1));
  if (!fitsWindow(kept, source.shape, getStaticValid(source))) {
    f.error(DiagCode::SubscriptWrite, range,
            "Subscript-write shape mismatch: the window is " +
                (kept.empty() ? std::string("one element") : printShape(kept)) +
                ", but the source is " + f.describe(source) +
                "; write to a window of its shape");
    return f.poison(name);
  }
  // The source by the axes of the window: an index stands for extent 1.
  if (source.shape.size() < base.shape.size() ||
      source.shape.size() > kept.size()) {
    SmallVector<int64_t> shape;
    ArrayRef<int64_t> rest(source.shape);
    while (rest.size() > kept.size() && rest.front() == 1)
      rest = rest.drop_front();
    for (bool drop : window.dropped) {
      bool hasOne = !drop && !rest.empty();
      shape.push_back(hasOne ? rest.front() : 1);
      if (hasOne)
        rest = rest.drop_front();
    }
    if (rest.empty())
      source = f.tileReshape(range, source, shape);
  }
  DslValue made = source.isError()
                      ? source
                      : insertTile(f, base, source, window.offsets, range);
  if (made.isError())
    return f.poison(name);
  bindWritten(f, name->name, std::move(made), range);
}

void FunctionLowering::lowerSubscriptAssign(const SubscriptExpr *target,
                                            const Expr *value,
                                            SourceRange range) {
  if (!llvm::isa<NameExpr>(target->value)) {
    lower(value);
    error(DiagCode::SubscriptWrite, target->value->range,
          "the target of a subscript write must be a "
          "variable name; assign the value to one first");
    return;
  }
  DslValue base = lower(target->value);
  if (base.isArray())
    return writeArray(*this, target, base, value, range);
  DslValue source = lower(value);
  if (base.isError())
    return;
  if (base.isTile()) {
    lowerTileAssign(*this, target, base, source, value->range, range);
    return;
  }
  if (!base.isTensor()) {
    error(DiagCode::SubscriptWrite, target->range,
          describe(base) + " cannot be written to");
    return;
  }
  Window window;
  window.range = target->range;
  if (!getWindow(target, base.tensor->extents, window))
    return;
  if (source.isError())
    return;
  if (window.isElement() && (source.isScalar() || source.isHostNumber())) {
    error(DiagCode::ElementWrite, range,
          "Element-write not supported; write pl.write(" +
              getText(target->value) + ", [...], " + getText(value) + ")");
    return;
  }
  if (!core && source.isTensor()) {
    copyIntoWindow(*this, *base.tensor, window, *source.tensor, range);
    return;
  }
  if (!core) {
    error(DiagCode::MisplacedOp, range,
          "Misplaced tensor op: a write to '" + base.tensor->name +
              "' should be inside an InCore block (pl.at or pl.spmd)");
    return;
  }
  source = toTile(source, value->range, "the source of a write");
  if (source.isTile())
    storeTile(source, *base.tensor, window, /*hasSizes=*/true,
              /*atomic=*/false, range);
}

bool FunctionLowering::getAtomic(const Expr *expr, bool &atomic) {
  atomic = false;
  if (!expr)
    return true;
  std::string member;
  if (!checkEnum(expr, "atomic=", "AtomicType", member))
    return false;
  atomic = member == "Add";
  return true;
}

DslValue FunctionLowering::lowerStoreTo(OpCall &op, const Expr *tileExpr,
                                        const Expr *offsetExpr,
                                        const Expr *tensorExpr,
                                        const Expr *atomicExpr) {
  DslValue tensor = lower(tensorExpr);
  DslValue tile = lower(tileExpr);
  Window window;
  window.range = op.range();
  bool atomic;
  bool good = getList(offsetExpr, "the offsets", window.offsets);
  good &= getAtomic(atomicExpr, atomic);
  if (!good || tensor.isError() || tile.isError())
    return tensor.isTensor() ? tensor : DslValue::error();
  if (tensor.isTile()) {
    if (op.name == "store")
      return fail(DiagCode::MixedLevels, tensorExpr->range,
                  op.spelling +
                      " writes a tensor in global memory, "
                      "but this is " +
                      describe(tensor) + "; use pl.assemble");
    if (atomic)
      return fail(DiagCode::Atomic, atomicExpr->range,
                  "atomic= needs a tensor in global memory, but the target is "
                  "a value on the core");
    tile = toTile(tile, tileExpr->range, "the source of " + op.spelling);
    return tile.isError()
               ? tile
               : insertTile(*this, tensor, tile, window.offsets, op.range());
  }
  if (!tensor.isTensor())
    return fail(DiagCode::WrongArguments, tensorExpr->range,
                op.spelling + " writes a tensor, but this is " +
                    describe(tensor));
  tile = toTile(tile, tileExpr->range, "the source of " + op.spelling);
  if (!tile.isTile())
    return tensor;
  // shapes= of pl.store: the extents of the window by axis of the tensor.
  const Expr *shapes = op.name == "store" ? op.args[3] : nullptr;
  if (shapes) {
    SmallVector<int64_t> sizes;
    if (!getStaticShape(shapes, "shapes=", sizes))
      return tensor;
    if (sizes.size() != tensor.tensor->extents.size()) {
      error(DiagCode::WrongRank, shapes->range,
            "shapes= needs one extent for each of " +
                Twine(tensor.tensor->extents.size()) + " axes, but got " +
                Twine(sizes.size()));
      return tensor;
    }
    for (int64_t size : sizes)
      window.sizes.push_back(makeInt(size));
    window.dropped.assign(sizes.size(), false);
  }
  storeTile(tile, *tensor.tensor, window, /*hasSizes=*/shapes != nullptr,
            atomic, op.range());
  return tensor;
}

DslValue FunctionLowering::lowerStore(OpCall &op) {
  return lowerStoreTo(op, op.args[0], op.args[1], op.args[2], op.args[4]);
}

DslValue FunctionLowering::lowerAssemble(OpCall &op) {
  if (!core) {
    DslValue target = lower(op.args[0]), source = lower(op.args[1]);
    SmallVector<DslValue> offsets;
    if (!getList(op.args[2], "the offsets", offsets) || target.isError() ||
        source.isError())
      return target.isTensor() ? target : DslValue::error();
    if (target.isTensor() && source.isTensor())
      return assembleTensor(*this, target, source, offsets, op.range());
    return fail(DiagCode::MisplacedOp, op.range(),
                "Misplaced tensor op '" + op.spelling +
                    "': it should be inside an InCore block (pl.at or "
                    "pl.spmd)");
  }
  return lowerStoreTo(op, op.args[1], op.args[2], op.args[0], op.args[3]);
}
