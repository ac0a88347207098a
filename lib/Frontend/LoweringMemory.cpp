//===- LoweringMemory.cpp - loads and stores ------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

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
  if (!checkSize(sizes, kMaxTileElements, window.range))
    return DslValue::error();
  SmallVector<DslValue> boxes(valid.empty() ? ArrayRef(window.sizes) : valid);
  if (!checkBounds(tensor, window, boxes, "window"))
    return DslValue::error();
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
