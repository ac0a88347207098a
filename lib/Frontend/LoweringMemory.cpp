//===- LoweringMemory.cpp - loads and stores ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"

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
    error(DiagCode::BadSubscript, expr->range,
          "too many indices: '" + getText(expr->value) + "' has " +
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
      return fail(DiagCode::BadSubscript, index->range,
                  "an index must be an integer, but this is " +
                      describe(value));
    if (std::optional<int64_t> number = getConstantInt(value);
        number && *number < 0)
      return fail(DiagCode::BadSubscript, index->range,
                  "negative indices do not count from the end in "
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
      error(
          DiagCode::BadSubscript, slice->step->range,
          "a slice in a kernel has no step; pl.gather with mask_pattern= takes "
          "every second or fourth column");
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
        error(DiagCode::BadSubscript, slice ? slice->range : expr->range,
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
      error(DiagCode::OutsideSource, window.range,
            "this " + what + " leaves the source: it starts at " +
                Twine(*offset) + " in axis " + Twine(axis));
      return false;
    }
    if (!box)
      continue;
    if (extent.isStatic() &&
        (*box > extent.number || (offset && *offset > extent.number - *box))) {
      error(DiagCode::OutsideSource, window.range,
            "this " + what + " leaves the source: in axis " + Twine(axis) +
                " it covers " +
                (offset ? Twine(*offset) + " to " + Twine(*offset + *box)
                        : Twine(*box) + " from a run-time offset") +
                ", but '" + tensor.name + "' has " + Twine(extent.number) +
                (what == "window" ? "; pl.slice(..., clamp=True) takes what is "
                                    "there of it"
                                  : ""));
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

bool pl::frontend::isWideBox(ArrayRef<int64_t> sizes) {
  return llvm::count_if(sizes, [](int64_t size) { return size != 1; }) > 2;
}

std::shared_ptr<TensorRef>
pl::frontend::mergeRows(FunctionLowering &f, const TensorRef &tensor,
                        ArrayRef<int64_t> sizes,
                        FunctionLowering::Window &window) {
  auto type = mlir::cast<mlir::MemRefType>(tensor.memref.getType());
  size_t rank = sizes.size(), first = 0;
  while (first < rank && sizes[first] == 1)
    ++first;
  if (!type.getLayout().isIdentity())
    return nullptr;
  int64_t inner = 1;
  for (size_t axis = first + 1; axis + 1 < rank; ++axis) {
    const Extent &extent = tensor.extents[axis];
    if (!extent.isStatic() || extent.number != sizes[axis] ||
        f.getConstantInt(window.offsets[axis]) != 0)
      return nullptr;
    inner *= sizes[axis];
  }
  SourceRange range = window.range;
  SmallVector<DslValue> shape;
  FunctionLowering::Window merged;
  merged.range = range;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (axis > first && axis + 1 < rank)
      continue;
    DslValue extent = f.getExtent(tensor.extents[axis]);
    DslValue offset = window.offsets[axis];
    int64_t size = sizes[axis];
    if (axis == first) {
      extent = computeInt(f, range, BinOpKind::Mult, extent, makeInt(inner));
      offset = computeInt(f, range, BinOpKind::Mult, offset, makeInt(inner));
      size *= inner;
    }
    shape.push_back(extent);
    merged.offsets.push_back(offset);
    merged.sizes.push_back(makeInt(size));
    merged.dropped.push_back(false);
  }
  DslValue view = f.viewReshape(range, tensor, shape);
  if (!view.isTensor())
    return nullptr;
  window = std::move(merged);
  return view.tensor;
}

bool pl::frontend::getBoxOffsets(FunctionLowering &f,
                                 const FunctionLowering::Window &window,
                                 SmallVectorImpl<mlir::Value> &offsets) {
  for (const DslValue &offset : window.offsets) {
    offsets.push_back(f.toIndex(offset, window.range, "an offset"));
    if (!offsets.back())
      return false;
  }
  return true;
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
  assert(wide.size() <= 2 && "boxes of more axes have ops of their own");
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
      return fail(DiagCode::NotConstant, window.range,
                  "the extent of axis " + Twine(axis) + " of '" +
                      getText(window.range) +
                      "' must be constant to load it into a tile; write the "
                      "upper bound as lower bound + constant");
    sizes.push_back(*number);
  }
  if (!checkSize(sizes, kMaxTileElements, window.range))
    return DslValue::error();
  SmallVector<DslValue> boxes(valid.empty() ? ArrayRef(window.sizes) : valid);
  if (!checkBounds(tensor, window, boxes, "window"))
    return DslValue::error();
  SmallVector<int64_t, 2> shape = getKept(sizes, window.dropped);
  mlir::Type element = module.getElementType(tensor.dtype);
  if (isWideBox(sizes)) {
    DslValue rows;
    if (!getValidRows(*this, sizes, boxes, rows, range))
      return fail(DiagCode::ValidShape, range,
                  "the valid part of '" + getText(range) +
                      "' is no box of rows and columns; only the "
                      "outermost axis of rows can be partly valid");
    Window merged = window;
    std::shared_ptr<TensorRef> view = mergeRows(*this, tensor, sizes, merged);
    if (view) {
      SmallVector<DslValue> limits(merged.sizes.begin(), merged.sizes.end());
      limits[limits.size() - 2] = rows;
      limits.back() = boxes.back();
      DslValue made = loadWindow(*view, merged, limits, range);
      return made.isError() ? made : tileReshape(range, made, shape);
    }
    noteRead(tensor, range);
    SmallVector<mlir::Value> offsets;
    if (!getBoxOffsets(*this, window, offsets))
      return DslValue::error();
    for (auto [axis, box] : llvm::enumerate(boxes))
      if (getConstantInt(box) != sizes[axis])
        return notLowered(range,
                          "a partial valid extent in axis " + Twine(axis));
    auto [count, cols] = flattenShape(sizes);
    auto type = ir::TileType::get(count, cols, element);
    return tileReshape(
        range,
        DslValue::makeTile(
            ir::LoadBoxOp::create(builder, loc(range), type, tensor.memref,
                                  offsets, builder.getDenseI64ArrayAttr(sizes),
                                  mlir::ValueRange()),
            tensor.dtype, sizes),
        shape);
  }
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
  auto type = ir::TileType::get(access.rows, access.cols, element,
                                ir::MemorySpace::none, box[0], box[1]);
  mlir::Value tile = ir::LoadOp::create(builder, loc(range), type,
                                        access.memref, access.offsets, operands,
                                        /*transpose=*/false,
                                        /*dst=*/mlir::Value())
                         .getResult();
  DslValue made = DslValue::makeTile(tile, tensor.dtype, shape);
  auto [rows, cols] = flattenShape(shape);
  if (rows != access.rows || cols != access.cols)
    return tileReshape(range, made, shape);
  return made;
}
