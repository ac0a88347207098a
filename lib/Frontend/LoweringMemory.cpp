//===- LoweringMemory.cpp - loads and stores ===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

bool FunctionLowering::Window::isElement() const {
  return llvm::all_of(dropped, [](bool drop) { return drop; });
}

DslValue FunctionLowering::getExtent(const Extent &extent) {
  if (extent.isStatic())
    return makeInt(extent.number);
  return DslValue::makeScalar(extent.value, DTypeKind::INDEX);
}

bool FunctionLowering::getWindow(const SubscriptExpr *expr,
                                 ArrayRef<Extent> extents, Window &window) {
  SmallVector<const Expr *> indices;
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(expr->index))
    indices.append(tuple->elements.begin(), tuple->elements.end());
  else
    indices.push_back(expr->index);
  if (indices.size() > extents.size()) {
    error(expr->range, "too many indices: '" + getText(expr->value) + "' has " +
                           Twine(extents.size()) + " axes, but got " +
                           Twine(indices.size()));
    return false;
  }
  auto lowerIndex = [&](const Expr *index) {
    DslValue value = lower(index);
    if (value.isHost() && value.host.getKind() == ValueKind::DynVar)
      value = toScalar(value, index->range);
    if (value.isError())
      return value;
    bool isInt = value.isHostInt() ||
                 (value.isScalar() && value.dtype != DTypeKind::BOOL &&
                  !mlir::isa<mlir::FloatType>(value.value.getType()));
    if (!isInt)
      return fail(index->range, "an index must be an integer, but this is " +
                                    describe(value));
    if (std::optional<int64_t> number = getConstantInt(value);
        number && *number < 0)
      return fail(index->range, "negative indices do not count from the end in "
                                "a kernel; got " +
                                    Twine(*number));
    if (value.isScalar() && value.dtype != DTypeKind::INDEX)
      value = DslValue::makeScalar(toIndex(value, index->range, "an index"),
                                   DTypeKind::INDEX);
    return value;
  };
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    const Expr *index = axis < indices.size() ? indices[axis] : nullptr;
    auto *slice = llvm::dyn_cast_or_null<SliceExpr>(index);
    if (index && !slice) {
      window.offsets.push_back(lowerIndex(index));
      window.sizes.push_back(makeInt(1));
      window.dropped.push_back(true);
      if (window.offsets.back().isError())
        return false;
      continue;
    }
    if (slice && slice->step) {
      error(slice->step->range, "a slice in a kernel has no step");
      return false;
    }
    DslValue begin =
        slice && slice->lower ? lowerIndex(slice->lower) : makeInt(0);
    DslValue end =
        slice && slice->upper ? lowerIndex(slice->upper) : getExtent(extent);
    if (begin.isError() || end.isError())
      return false;
    DslValue size;
    if (std::optional<int64_t> number = getConstantDifference(begin, end)) {
      if (*number <= 0) {
        error(slice ? slice->range : expr->range,
              "this slice holds nothing: its extent is " + Twine(*number));
        return false;
      }
      size = makeInt(*number);
    } else if (getConstantInt(begin) == 0) {
      size = end;
    } else {
      size = scalarBinary(expr->range, BinOpKind::Sub, end, begin);
    }
    window.offsets.push_back(begin);
    window.sizes.push_back(size);
    window.dropped.push_back(false);
  }
  return true;
}

bool FunctionLowering::checkBounds(const TensorRef &tensor,
                                   const Window &window,
                                   ArrayRef<DslValue> boxes, StringRef what) {
  for (auto [axis, extent] : llvm::enumerate(tensor.extents)) {
    std::optional<int64_t> box = getConstantInt(boxes[axis]);
    std::optional<int64_t> offset = getConstantInt(window.offsets[axis]);
    if (offset && *offset < 0) {
      error(window.range, "this " + what + " leaves the source: it starts at " +
                              Twine(*offset) + " in axis " + Twine(axis));
      return false;
    }
    if (!box)
      continue;
    if (extent.isStatic() &&
        (*box > extent.number || (offset && *offset > extent.number - *box))) {
      error(window.range,
            "this " + what + " leaves the source: in axis " + Twine(axis) +
                " it covers " +
                (offset ? Twine(*offset) + " to " + Twine(*offset + *box)
                        : Twine(*box) + " from a run-time offset") +
                ", but '" + tensor.name + "' has " + Twine(extent.number));
      return false;
    }
  }
  return true;
}

/// Sizes without the dropped axes.
static SmallVector<int64_t, 2> getKept(ArrayRef<int64_t> sizes,
                                       ArrayRef<bool> dropped) {
  SmallVector<int64_t, 2> kept;
  for (auto [size, drop] : llvm::zip(sizes, dropped))
    if (!drop)
      kept.push_back(size);
  return kept;
}

static std::pair<int64_t, int64_t> flatten(ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back())
    rows *= extent;
  return {rows, shape.back()};
}

bool FunctionLowering::getAccess(const TensorRef &tensor, const Window &window,
                                 ArrayRef<int64_t> sizes, Access &access) {
  unsigned rank = sizes.size();
  for (const DslValue &offset : window.offsets) {
    mlir::Value index = toIndex(offset, window.range, "an offset");
    if (!index)
      return false;
    access.offsets.push_back(index);
  }
  access.memref = tensor.memref;
  access.cols = sizes.back();
  access.colAxis = rank - 1;
  if (rank == 1)
    return true;
  SmallVector<unsigned> wide;
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (size != 1)
      wide.push_back(axis);
  access.rowAxis = rank - 2;
  access.rows = sizes[rank - 2];
  if (wide.empty() || wide.front() + 2 >= rank)
    return true;
  if (wide.size() > 2) {
    notLowered(window.range,
               "a window that is wide in " + Twine(wide.size()) + " axes");
    return false;
  }
  // A view of the two axes that are wide.
  access.rowAxis = wide[0];
  access.colAxis = wide.size() == 2 ? wide[1] : rank - 1;
  access.rows = sizes[access.rowAxis];
  access.cols = sizes[access.colAxis];
  SmallVector<mlir::OpFoldResult> offsets(access.offsets.begin(),
                                          access.offsets.end()),
      lengths, strides;
  for (auto [axis, value] : llvm::enumerate(window.offsets)) {
    if (std::optional<int64_t> number = getConstantInt(value))
      offsets[axis] = builder.getIndexAttr(*number);
    lengths.push_back(builder.getIndexAttr(sizes[axis]));
    strides.push_back(builder.getIndexAttr(1));
  }
  auto source = mlir::cast<mlir::MemRefType>(tensor.memref.getType());
  mlir::MemRefType type = mlir::memref::SubViewOp::inferRankReducedResultType(
      {access.rows, access.cols}, source, offsets, lengths, strides);
  access.memref =
      mlir::memref::SubViewOp::create(builder, loc(window.range), type,
                                      tensor.memref, offsets, lengths, strides);
  mlir::Value zero = getIndex(0, window.range);
  access.offsets.assign({zero, zero});
  return true;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::loadWindow(const TensorRef &tensor,
                                      const Window &window,
                                      ArrayRef<DslValue> valid,
                                      SourceRange range) {
  SmallVector<int64_t> sizes;
  for (auto [axis, size] : llvm::enumerate(window.sizes)) {
    std::optional<int64_t> number = getConstantInt(size);
    if (!number)
      return fail(window.range,
                  "the extent of axis " + Twine(axis) + " of '" +
                      getText(window.range) +
                      "' must be constant to load it into a tile; write the "
                      "upper bound as lower bound + constant");
    sizes.push_back(*number);
  }
  SmallVector<DslValue> boxes(valid.empty() ? ArrayRef(window.sizes) : valid);
  if (!checkBounds(tensor, window, boxes, "window"))
    return DslValue::error();
  if (tensor.dtype == DTypeKind::BOOL)
    return notLowered(range, "a load of BOOL");
  Access access;
  if (!getAccess(tensor, window, sizes, access))
    return DslValue::error();
  for (auto [axis, box] : llvm::enumerate(boxes))
    if (axis != access.rowAxis && axis != access.colAxis &&
        getConstantInt(box) != sizes[axis])
      return notLowered(range, "a partial valid extent in axis " + Twine(axis));
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  DslValue rowBox =
      window.sizes.size() == 1 ? makeInt(1) : boxes[access.rowAxis];
  if (!getValidBox({rowBox, boxes[access.colAxis]}, access.rows, access.cols,
                   range, box, operands))
    return DslValue::error();
  noteRead(tensor, range);
  auto type = ir::TileType::get(access.rows, access.cols,
                                module.getElementType(tensor.dtype),
                                ir::MemorySpace::none, box[0], box[1]);
  mlir::Value tile = ir::LoadOp::create(builder, loc(range), type,
                                        access.memref, access.offsets, operands,
                                        /*transpose=*/false,
                                        /*dst=*/mlir::Value())
                         .getResult();
  SmallVector<int64_t, 2> shape = getKept(sizes, window.dropped);
  DslValue made = DslValue::makeTile(tile, tensor.dtype, shape);
  auto [rows, cols] = flatten(shape);
  if (rows != access.rows || cols != access.cols)
    return tileReshape(range, made, shape);
  return made;
}

DslValue FunctionLowering::tileWindow(const DslValue &tile,
                                      const Window &window,
                                      ArrayRef<DslValue> valid,
                                      SourceRange range) {
  if (tile.shape.size() > 2)
    return notLowered(range,
                      "a slice of a tile of rank " + Twine(tile.shape.size()));
  // A row of rank 1 is a tile of one row.
  SmallVector<int64_t> offsets, sizes;
  SmallVector<DslValue> boxes(valid);
  if (tile.shape.size() == 1) {
    offsets.push_back(0);
    sizes.push_back(1);
    if (!boxes.empty())
      boxes.insert(boxes.begin(), makeInt(1));
  }
  for (auto [axis, extent] : llvm::enumerate(tile.shape)) {
    std::optional<int64_t> offset = getConstantInt(window.offsets[axis]);
    std::optional<int64_t> size = getConstantInt(window.sizes[axis]);
    if (!offset)
      return fail(range, "Dynamic lower bounds are not supported in tile "
                         "subscript: '" +
                             getText(range) + "'");
    if (!size)
      return fail(range,
                  "the extent of '" + getText(range) + "' must be constant");
    if (*offset + *size > extent)
      return fail(range, "this window leaves the source: in axis " +
                             Twine(axis) + " it covers " + Twine(*offset) +
                             " to " + Twine(*offset + *size) +
                             ", but the tile has " + Twine(extent));
    offsets.push_back(*offset);
    sizes.push_back(*size);
  }
  ir::TileType from = tile.getTileType();
  if (from.getCols() == 1 && tile.shape.size() == 1 && from.getRows() != 1) {
    std::swap(offsets[0], offsets[1]);
    std::swap(sizes[0], sizes[1]);
    if (!boxes.empty())
      std::swap(boxes[0], boxes[1]);
  }
  auto whole = ir::TileType::get(sizes[0], sizes[1], from.getElementType());
  mlir::Value made = tile.value;
  if (whole.getRows() != from.getRows() || whole.getCols() != from.getCols())
    made = ir::SubtileOp::create(builder, loc(range), whole, tile.value,
                                 offsets[0], offsets[1]);
  // What is valid in the window: the part of the source's box in it, and no
  // more than was asked for.
  SmallVector<DslValue> limits;
  for (unsigned axis : {0, 1}) {
    int64_t have = from.getValid(axis);
    DslValue limit;
    if (have == from.getExtent(axis)) {
      limit = makeInt(sizes[axis]);
    } else if (!mlir::ShapedType::isDynamic(have)) {
      limit =
          makeInt(std::clamp<int64_t>(have - offsets[axis], 0, sizes[axis]));
    } else {
      limit = DslValue::makeScalar(getValidExtent(tile.value, axis, range),
                                   DTypeKind::INDEX);
      if (offsets[axis] != 0)
        limit = scalarMinMax(
            range, /*isMin=*/false, makeInt(0),
            scalarBinary(range, BinOpKind::Sub, limit, makeInt(offsets[axis])));
      if (sizes[axis] != from.getExtent(axis))
        limit =
            scalarMinMax(range, /*isMin=*/true, limit, makeInt(sizes[axis]));
    }
    if (!boxes.empty()) {
      bool isWhole = getConstantInt(limit) == sizes[axis];
      limit = isWhole ? boxes[axis]
                      : scalarMinMax(range, /*isMin=*/true, limit, boxes[axis]);
    }
    limits.push_back(limit);
  }
  int64_t box[2];
  SmallVector<mlir::Value> operands;
  if (!getValidBox(limits, sizes[0], sizes[1], range, box, operands))
    return DslValue::error();
  if (made == tile.value && box[0] == from.getValidRows() &&
      box[1] == from.getValidCols() && boxes.empty()) {
    // The whole tile.
  } else if (box[0] != sizes[0] || box[1] != sizes[1]) {
    auto type =
        mlir::cast<ir::TileType>(made.getType()).withValid(box[0], box[1]);
    made = ir::SetValidOp::create(builder, loc(range), type, made, operands);
  }
  SmallVector<int64_t, 2> kept;
  for (auto [axis, drop] : llvm::enumerate(window.dropped))
    if (!drop)
      kept.push_back(*getConstantInt(window.sizes[axis]));
  DslValue value = DslValue::makeTile(made, *tile.dtype, kept);
  auto [rows, cols] = flatten(kept);
  if (rows != sizes[0] || cols != sizes[1])
    return tileReshape(range, value, kept);
  return value;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

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

static std::string printShape(ArrayRef<int64_t> shape) {
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

/// Whether a source of `shape` (and static valid extents `valid`) fits a window
/// of `sizes`; -1 is unknown and trusted.
static bool fitsWindow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
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

bool FunctionLowering::storeTile(DslValue tile, const TensorRef &tensor,
                                 Window &window, bool hasSizes, bool atomic,
                                 SourceRange range) {
  ir::TileType type = tile.getTileType();
  unsigned rank = tensor.extents.size();
  if (window.offsets.size() != rank) {
    error(range, "'" + tensor.name + "' has " + Twine(rank) +
                     " axes, but there are " + Twine(window.offsets.size()) +
                     " offsets");
    return false;
  }
  // Static valid extents by axis of the shape; -1 where known at run time.
  SmallVector<int64_t, 2> valid(tile.shape);
  auto getStatic = [](int64_t extent) {
    return mlir::ShapedType::isDynamic(extent) ? -1 : extent;
  };
  if (tile.shape.size() == 2)
    valid = {getStatic(type.getValidRows()), getStatic(type.getValidCols())};
  else if (tile.shape.size() == 1)
    valid = {getStatic(type.getCols() == tile.shape[0] ? type.getValidCols()
                                                       : type.getValidRows())};
  SmallVector<int64_t> sizes(rank, 1);
  if (hasSizes) {
    SmallVector<int64_t> kept;
    for (unsigned axis = 0; axis < rank; ++axis) {
      sizes[axis] = getConstantInt(window.sizes[axis]).value_or(-1);
      if (!window.dropped[axis])
        kept.push_back(sizes[axis]);
    }
    if (!fitsWindow(kept, tile.shape, valid)) {
      error(range, "Subscript-write shape mismatch: the window is " +
                       printShape(kept) + ", but the source is " +
                       describe(tile));
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
    if (tile.shape.size() > rank) {
      error(range, "'" + tensor.name + "' has " + Twine(rank) +
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
  if (tile.dtype != tensor.dtype && !converts) {
    error(range, "cannot store " + describe(tile) + " to the " +
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
      error(range, "an atomic add does not take " + getName(tensor.dtype));
      return false;
    }
  }
  if (!getAccess(tensor, window, sizes, access))
    return false;
  bool isTurned =
      (access.rows == 1 && type.getCols() == 1 && type.getRows() != 1) ||
      (access.cols == 1 && type.getRows() == 1 && type.getCols() != 1);
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
  if (!noteAccessKind(tensor, /*isScalar=*/false, range))
    return false;
  ir::StoreOp::create(builder, loc(range), tile.value, access.memref,
                      access.offsets,
                      atomic ? ir::AtomicKind::add : ir::AtomicKind::none);
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
  error(range, "'" + tensor.name +
                   "' is written by pl.write and by tile stores in one "
                   "kernel: the two paths are not ordered")
      .note(found->second, "the other write is here; build the values in a "
                           "tile and store it once, or use two tasks");
  return false;
}

void FunctionLowering::lowerSubscriptAssign(const SubscriptExpr *target,
                                            const Expr *value,
                                            SourceRange range) {
  DslValue source = lower(value);
  if (!llvm::isa<NameExpr>(target->value)) {
    error(target->value->range, "the target of a subscript write must be a "
                                "variable name");
    return;
  }
  DslValue base = lower(target->value);
  if (base.isError())
    return;
  if (base.isTile()) {
    notLowered(target->range, "a write to a window of a tile");
    return;
  }
  if (!base.isTensor()) {
    error(target->range, describe(base) + " cannot be written to");
    return;
  }
  Window window;
  window.range = target->range;
  if (!getWindow(target, base.tensor->extents, window))
    return;
  if (source.isError())
    return;
  if (window.isElement() && (source.isScalar() || source.isHostNumber())) {
    error(range, "Element-write not supported; write pl.write(" +
                     getText(target->value) + ", [...], " + getText(value) +
                     ")");
    return;
  }
  if (!core) {
    error(range, "Misplaced tensor op: a write to '" + base.tensor->name +
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
  if (tensor.isTile())
    return notLowered(op.range(), op.spelling + " into a tile");
  if (!tensor.isTensor())
    return fail(tensorExpr->range, op.spelling +
                                       " writes a tensor, but this is " +
                                       describe(tensor));
  tile = toTile(tile, tileExpr->range, "the source of " + op.spelling);
  if (tile.isTile())
    storeTile(tile, *tensor.tensor, window, /*hasSizes=*/false, atomic,
              op.range());
  return tensor;
}

DslValue FunctionLowering::lowerStore(OpCall &op) {
  if (op.args[3])
    return notLowered(op.args[3]->range, "shapes= of " + op.spelling);
  return lowerStoreTo(op, op.args[0], op.args[1], op.args[2], op.args[4]);
}

DslValue FunctionLowering::lowerAssemble(OpCall &op) {
  return lowerStoreTo(op, op.args[1], op.args[2], op.args[0], op.args[3]);
}
