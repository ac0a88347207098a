//===- LoweringViews.cpp - slices, views, allocations, elements -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

#include "mlir/IR/Matchers.h"

using namespace pl::frontend;

static DslValue makeInt(int64_t number) {
  return DslValue::makeHost(Value::integer(number));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

bool FunctionLowering::getSliceWindow(OpCall &op, const DslValue &source,
                                      const Expr *offsets, const Expr *shape,
                                      const Expr *validShape, Window &window,
                                      SmallVectorImpl<DslValue> &valid) {
  window.range = op.range();
  size_t rank =
      source.isTensor() ? source.tensor->extents.size() : source.shape.size();
  bool good = getList(offsets, "the offsets", window.offsets);
  good &= getList(shape, "the shape", window.sizes);
  if (validShape)
    good &= getList(validShape, "valid_shape", valid);
  if (!good)
    return false;
  struct {
    const Expr *expr;
    size_t count;
    StringRef what;
  } lists[] = {{offsets, window.offsets.size(), "offsets"},
               {shape, window.sizes.size(), "sizes"},
               {validShape, validShape ? valid.size() : rank, "valid extents"}};
  for (auto &list : lists)
    if (list.count != rank) {
      error(DiagCode::WrongRank, list.expr->range,
            op.spelling + " needs one of the " + list.what + " for each of " +
                Twine(rank) + " axes, but got " + Twine(list.count));
      return false;
    }
  for (const DslValue &size : window.sizes)
    if (std::optional<int64_t> number = getConstantInt(size);
        number && *number <= 0) {
      error(DiagCode::OutOfRange, shape->range,
            "the sizes of a window must be positive, but one is " +
                Twine(*number));
      return false;
    }
  window.dropped.assign(rank, false);
  return true;
}

/// Limits a window to what the tensor has: its valid extents.
static bool clampWindow(FunctionLowering &f, const TensorRef &tensor,
                        const FunctionLowering::Window &window,
                        SmallVectorImpl<DslValue> &valid) {
  SourceRange range = window.range;
  if (valid.empty())
    valid.assign(window.sizes.begin(), window.sizes.end());
  for (auto [axis, extent] : llvm::enumerate(tensor.extents)) {
    DslValue rest = computeInt(f, range, BinOpKind::Sub, f.getExtent(extent),
                               window.offsets[axis]);
    std::optional<int64_t> left = f.getConstantInt(rest);
    std::optional<int64_t> size = f.getConstantInt(valid[axis]);
    if (left && size && *left >= *size)
      continue;
    valid[axis] =
        maxInt(f, range, makeInt(0), minInt(f, range, valid[axis], rest));
    if (valid[axis].isError())
      return false;
  }
  return true;
}

/// The value with `pad` in the cells outside its valid box, which stays.
static DslValue padWindow(FunctionLowering &f, DslValue value,
                          std::optional<ir::PadValue> pad, SourceRange range) {
  if (!pad || !value.isTile())
    return value;
  if (value.getTileType().isFullyValid()) {
    f.warning(DiagCode::NoEffect, range,
              "pad_value= has no effect: all of the window is valid; leave it "
              "out, or give valid_shape=");
    return value;
  }
  mlir::NamedAttribute attr = f.builder.getNamedAttr(
      "pad", ir::PadValueAttr::get(&f.module.context, *pad));
  DslValue filled = f.makeTileOp(range, "fillpad", {value}, {}, {attr});
  if (!filled.isTile())
    return filled;
  value.value = f.convertValidLike(filled.value, value.value, range);
  return value;
}

DslValue FunctionLowering::lowerSlice(OpCall &op) {
  DslValue source = lower(op.args[0]);
  if (source.isError())
    return source;
  if (!source.isTensor() && !source.isTile())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor or tile, but this is " +
                    describe(source));
  std::optional<ir::PadValue> pad;
  if (op.args[5] && !(pad = getPadValue(*this, op.args[5])))
    return DslValue::error();
  if (pad && source.isTensor() && !core)
    return notLowered(op.args[5]->range,
                      "pad_value= of a slice outside core scopes");
  std::optional<bool> clamp = getBool(op.args[6], "clamp=", false);
  if (!clamp)
    return DslValue::error();
  if (*clamp && source.isTile())
    return fail(DiagCode::WrongArguments, op.args[6]->range,
                "clamp= is for tensors in global memory: nothing can cut a "
                "window of " +
                    describe(source) +
                    "; clamp where the tensor is read, and slice in bounds");
  if (*clamp && !core)
    return notLowered(op.args[6]->range,
                      "clamp= of a slice outside core scopes");
  Window window;
  SmallVector<DslValue> valid;
  if (!getSliceWindow(op, source, op.args[2], op.args[1], op.args[3], window,
                      valid))
    return DslValue::error();
  if (op.args[4]) {
    SmallVector<DslValue> axes;
    if (!getList(op.args[4], "drop_dims", axes))
      return DslValue::error();
    for (const DslValue &axis : axes) {
      std::optional<int64_t> number = getConstantInt(axis);
      if (!number || *number < 0 || *number >= int64_t(window.sizes.size()) ||
          getConstantInt(window.sizes[*number]) != 1)
        return fail(DiagCode::WrongArguments, op.args[4]->range,
                    "drop_dims= names axes of extent 1 by constants");
      window.dropped[*number] = true;
    }
    if (window.isElement())
      return fail(DiagCode::WrongArguments, op.args[4]->range,
                  "drop_dims= must leave an axis");
  }
  if (*clamp && !clampWindow(*this, *source.tensor, window, valid))
    return DslValue::error();
  if (source.isTile())
    return padWindow(*this, tileWindow(source, window, valid, op.range()), pad,
                     op.args[5] ? op.args[5]->range : op.range());
  if (core)
    return padWindow(*this,
                     loadWindow(*source.tensor, window, valid, op.range()), pad,
                     op.args[5] ? op.args[5]->range : op.range());
  if (op.args[3])
    return notLowered(op.args[3]->range,
                      "valid_shape= of a slice outside core scopes");
  return viewWindow(*source.tensor, window, op.range());
}

DslValue FunctionLowering::lowerLoad(OpCall &op) {
  DslValue source = lower(op.args[0]);
  if (source.isError())
    return source;
  if (!source.isTensor())
    return fail(DiagCode::WrongArguments, op.args[0]->range,
                op.spelling + " takes a tensor, but this is " +
                    describe(source));
  ir::MemorySpace space = ir::MemorySpace::vec;
  if (op.args[4]) {
    std::optional<ir::MemorySpace> given = getMemorySpace(*this, op.args[4]);
    if (!given)
      return DslValue::error();
    if (*given != ir::MemorySpace::vec && *given != ir::MemorySpace::mat)
      return fail(DiagCode::UnknownChoice, op.args[4]->range,
                  op.spelling + " loads into Vec or Mat, not " +
                      getText(op.args[4]) + "; use pl.move from there");
    space = *given;
  }
  std::optional<bool> clamp = getBool(op.args[5], "clamp=", false);
  if (!clamp)
    return DslValue::error();
  Window window;
  SmallVector<DslValue> valid;
  if (!getSliceWindow(op, source, op.args[1], op.args[2], op.args[3], window,
                      valid))
    return DslValue::error();
  if (*clamp && !clampWindow(*this, *source.tensor, window, valid))
    return DslValue::error();
  DslValue made = loadWindow(*source.tensor, window, valid, op.range());
  if (!made.isTile() || !checkRoom(*this, made, space, "this tile", op.range()))
    return DslValue::error();
  made.isTileLevel = true;
  // Vec is where tiles are unless the use says otherwise.
  if (space == ir::MemorySpace::mat)
    made.value.setType(made.getTileType().withSpace(space));
  return made;
}

//===----------------------------------------------------------------------===//
// Views of tensors
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::viewWindow(const TensorRef &tensor,
                                      const Window &window, SourceRange range) {
  if (!checkBounds(tensor, window, window.sizes, "window"))
    return DslValue::error();
  SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  auto view = std::make_shared<TensorRef>(tensor);
  view->extents.clear();
  auto fold = [&](const DslValue &value) -> mlir::OpFoldResult {
    if (std::optional<int64_t> number = getConstantInt(value))
      return builder.getIndexAttr(*number);
    return toIndex(value, range, "an offset");
  };
  // Views of all copies of a loop's body have one type.
  bool isShared = copies > kManyCopies;
  for (size_t axis = 0; axis < window.sizes.size(); ++axis) {
    offsets.push_back(isShared && getConstantInt(window.offsets[axis]) != 0
                          ? toIndex(window.offsets[axis], range, "an offset")
                          : fold(window.offsets[axis]));
    sizes.push_back(fold(window.sizes[axis]));
    strides.push_back(builder.getIndexAttr(1));
    if (!offsets.back() || !sizes.back())
      return DslValue::error();
    if (window.dropped[axis])
      continue;
    Extent extent;
    if (auto attr = llvm::dyn_cast<mlir::Attribute>(sizes.back())) {
      extent.number = mlir::cast<mlir::IntegerAttr>(attr).getInt();
      shape.push_back(extent.number);
    } else {
      extent.value = llvm::cast<mlir::Value>(sizes.back());
      if (extent.value == tensor.extents[axis].value)
        extent.symbol = tensor.extents[axis].symbol;
      shape.push_back(mlir::ShapedType::kDynamic);
    }
    view->extents.push_back(std::move(extent));
  }
  auto source = mlir::cast<mlir::MemRefType>(tensor.memref.getType());
  mlir::MemRefType type = mlir::memref::SubViewOp::inferRankReducedResultType(
      shape, source, offsets, sizes, strides);
  view->memref = mlir::memref::SubViewOp::create(
      builder, loc(range), type, tensor.memref, offsets, sizes, strides);
  return DslValue::makeTensor(std::move(view));
}

namespace {
/// A product of extents: a number times values.
struct Product {
  int64_t number = 1;
  SmallVector<mlir::Value> factors;
  bool isExact = true;

  void multiply(int64_t factor) {
    isExact &= !llvm::MulOverflow(number, factor, number);
  }
  void multiply(mlir::Value value, unsigned level = 0) {
    if (auto constant = value.getDefiningOp<mlir::arith::ConstantIndexOp>())
      return multiply(constant.value());
    if (auto op = value.getDefiningOp<mlir::arith::MulIOp>();
        op && level < 16) {
      multiply(op.getLhs(), level + 1);
      return multiply(op.getRhs(), level + 1);
    }
    if (factors.size() < 64)
      factors.push_back(value);
    else
      isExact = false;
  }
};
} // namespace

/// Whether the elements of a view follow each other without gaps. What is known
/// at run time only is trusted, as everywhere in views.
static bool isPacked(mlir::MemRefType type) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t expected = 1;
  for (int64_t axis = type.getRank(); axis-- > 0;) {
    int64_t extent = type.getDimSize(axis);
    if (extent == 1)
      continue;
    bool isKnown = !mlir::ShapedType::isDynamic(strides[axis]) &&
                   !mlir::ShapedType::isDynamic(expected);
    if (isKnown && strides[axis] != expected)
      return false;
    bool isDynamic = mlir::ShapedType::isDynamic(extent) ||
                     mlir::ShapedType::isDynamic(expected);
    expected = isDynamic ? mlir::ShapedType::kDynamic : expected * extent;
  }
  return true;
}

/// The same memory with other extents, from where the view `source` begins.
static mlir::Value reshapeView(FunctionLowering &f, mlir::Value source,
                               ArrayRef<mlir::OpFoldResult> sizes,
                               ArrayRef<mlir::OpFoldResult> strides,
                               mlir::Location loc) {
  auto from = mlir::cast<mlir::MemRefType>(source.getType());
  SmallVector<int64_t> staticSizes, staticStrides;
  SmallVector<mlir::Value> dynamic;
  mlir::dispatchIndexOpFoldResults(sizes, dynamic, staticSizes);
  mlir::dispatchIndexOpFoldResults(strides, dynamic, staticStrides);
  mlir::OpFoldResult offset = f.builder.getIndexAttr(0);
  mlir::MemRefLayoutAttrInterface layout;
  if (!from.getLayout().isIdentity()) {
    auto metadata =
        mlir::memref::ExtractStridedMetadataOp::create(f.builder, loc, source);
    offset = metadata.getConstifiedMixedOffset();
    source = metadata.getBaseBuffer();
    std::optional<int64_t> known = mlir::getConstantIntValue(offset);
    layout = mlir::StridedLayoutAttr::get(
        f.builder.getContext(), known.value_or(mlir::ShapedType::kDynamic),
        staticStrides);
  }
  auto type = mlir::MemRefType::get(staticSizes, from.getElementType(), layout,
                                    from.getMemorySpace());
  return mlir::memref::ReinterpretCastOp::create(f.builder, loc, type, source,
                                                 offset, sizes, strides);
}

DslValue FunctionLowering::viewReshape(SourceRange range,
                                       const TensorRef &tensor,
                                       ArrayRef<DslValue> shape) {
  auto source = mlir::cast<mlir::MemRefType>(tensor.memref.getType());
  if (!isPacked(source))
    return fail(DiagCode::Reshape, range,
                "reshape needs a packed tensor, but '" + tensor.name +
                    "' is seen through a window here; reshape it "
                    "before taking the window");
  if (shape.empty())
    return fail(DiagCode::WrongRank, range, "a tensor needs at least one axis");
  Product before, after;
  for (const Extent &extent : tensor.extents)
    if (extent.isStatic())
      before.multiply(extent.number);
    else
      before.multiply(extent.value);
  auto view = std::make_shared<TensorRef>(tensor);
  view->extents.clear();
  SmallVector<int64_t> staticShape;
  SmallVector<mlir::OpFoldResult> sizes, strides(shape.size());
  for (const DslValue &element : shape) {
    Extent extent;
    if (std::optional<int64_t> number = getConstantInt(element)) {
      if (*number <= 0)
        return fail(DiagCode::OutOfRange, range,
                    "the extents of a tensor must be positive, but one "
                    "is " +
                        Twine(*number));
      extent.number = *number;
      after.multiply(*number);
      sizes.push_back(builder.getIndexAttr(*number));
      staticShape.push_back(*number);
    } else {
      extent.value = toIndex(element, range, "an extent");
      if (!extent.value)
        return DslValue::error();
      for (const Extent &known : tensor.extents)
        if (known.value == extent.value)
          extent.symbol = known.symbol;
      after.multiply(extent.value);
      sizes.push_back(extent.value);
      staticShape.push_back(mlir::ShapedType::kDynamic);
    }
    view->extents.push_back(std::move(extent));
  }
  // The same run-time factors on both sides: then the numbers must agree.
  auto byPointer = [](mlir::Value a, mlir::Value b) {
    return a.getAsOpaquePointer() < b.getAsOpaquePointer();
  };
  llvm::sort(before.factors, byPointer);
  llvm::sort(after.factors, byPointer);
  if (before.isExact && after.isExact && before.factors == after.factors &&
      before.number != after.number) {
    StringRef unit = before.factors.empty() ? " elements" : " times as many";
    return fail(DiagCode::Reshape, range,
                "reshape: size mismatch, '" + tensor.name + "' has " +
                    Twine(before.number) + unit + " and the new shape has " +
                    Twine(after.number));
  }
  if (!checkSize(staticShape, kMaxTensorElements, range))
    return DslValue::error();
  mlir::Value dynamicStride;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = dynamicStride
                        ? mlir::OpFoldResult(dynamicStride)
                        : mlir::OpFoldResult(builder.getIndexAttr(stride));
    const Extent &extent = view->extents[axis];
    if (axis == 0)
      break;
    if (extent.isStatic() && !dynamicStride) {
      stride *= extent.number;
      continue;
    }
    DslValue step = dynamicStride
                        ? DslValue::makeScalar(dynamicStride, DTypeKind::INDEX)
                        : makeInt(stride);
    DslValue next =
        step.isHost() && step.host.getInt() == 1
            ? getExtent(extent)
            : scalarBinary(range, BinOpKind::Mult, getExtent(extent), step);
    if (next.isError())
      return next;
    dynamicStride = next.value;
  }
  view->memref = reshapeView(*this, tensor.memref, sizes, strides, loc(range));
  return DslValue::makeTensor(std::move(view));
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// What only memory of the orchestration can have.
static bool checkNoAllocOptions(FunctionLowering &f, OpCall &op) {
  static constexpr llvm::StringLiteral names[] = {"layout", "manual_dep",
                                                  "init_value"};
  for (auto [index, name] : llvm::enumerate(names))
    if (const Expr *expr = op.args[2 + index]) {
      f.error(DiagCode::MisplacedOp, expr->range,
              name + "= of " + op.spelling +
                  " belongs outside core scopes, where it makes "
                  "global memory");
      return false;
    }
  return true;
}

/// layout=, manual_dep= and init_value=; false after a report.
static bool getAllocOptions(FunctionLowering &f, OpCall &op, DTypeKind dtype,
                            mlir::Type element,
                            SmallVectorImpl<mlir::NamedAttribute> &attrs) {
  mlir::Builder &builder = f.builder;
  if (op.args[2]) {
    std::string layout;
    if (!f.checkEnum(op.args[2], "layout=", "TensorLayout", layout))
      return false;
    if (layout != "ND")
      attrs.push_back(
          builder.getNamedAttr("pl.layout", builder.getStringAttr(layout)));
  }
  std::optional<bool> manual = f.getBool(op.args[3], "manual_dep=", false);
  if (!manual)
    return false;
  if (*manual)
    attrs.push_back(
        builder.getNamedAttr("pl.manual_dep", builder.getUnitAttr()));
  if (!op.args[4])
    return true;
  DslValue value = f.lower(op.args[4]);
  if (value.isError())
    return false;
  if (value.isNone())
    return true;
  if (!value.isHostNumber()) {
    f.error(DiagCode::NotConstant, op.args[4]->range,
            "init_value= must be a constant number, but "
            "this is " +
                f.describe(value));
    return false;
  }
  double number = value.host.getNumber();
  bool isHalf = dtype == DTypeKind::FP16 || dtype == DTypeKind::BF16;
  if (isHalf && number != 0) {
    f.error(DiagCode::UnsupportedDType, op.args[4]->range,
            "init_value= of " + getName(dtype) +
                " can only be 0; fill it in a core scope");
    return false;
  }
  mlir::TypedAttr attr;
  if (mlir::isa<mlir::FloatType>(element)) {
    attr = builder.getFloatAttr(element, number);
  } else {
    mlir::Value made = f.materialize(value, dtype, op.args[4]->range);
    if (!made || !mlir::matchPattern(made, mlir::m_Constant(&attr)))
      return false;
  }
  attrs.push_back(builder.getNamedAttr("pl.init_value", attr));
  return true;
}

DslValue FunctionLowering::lowerCreateTensor(OpCall &op) {
  Identifier name = targetName;
  targetName = Identifier();
  SourceRange range = op.range();
  std::optional<DTypeKind> dtype = getDType(op.args[1], "dtype");
  if (core) {
    if (!checkNoAllocOptions(*this, op))
      return DslValue::error();
    SmallVector<int64_t> shape;
    if (!getStaticShape(op.args[0], "the shape", shape) || !dtype ||
        !getTileDType(op.args[1], "dtype"))
      return DslValue::error();
    return makeEmptyTile(shape, *dtype, range);
  }
  SmallVector<DslValue> shape;
  if (!getList(op.args[0], "the shape", shape) || !dtype)
    return DslValue::error();
  mlir::Type element = module.getElementType(*dtype);
  if (element.isIndex() || *dtype == DTypeKind::TASK_ID)
    return fail(DiagCode::UnsupportedDType, op.args[1]->range,
                "a tensor cannot hold " + getName(*dtype));
  if (shape.empty())
    return fail(DiagCode::WrongRank, op.args[0]->range,
                "a tensor needs at least one axis");
  auto tensor = std::make_shared<TensorRef>();
  tensor->dtype = *dtype;
  tensor->name = name ? name.str().str() : "tmp";
  SmallVector<int64_t> staticShape;
  SmallVector<mlir::Value> sizes;
  for (const DslValue &value : shape) {
    Extent extent;
    if (std::optional<int64_t> number = getConstantInt(value)) {
      if (*number <= 0)
        return fail(DiagCode::OutOfRange, op.args[0]->range,
                    "the extents of a tensor must be "
                    "positive, but one is " +
                        Twine(*number));
      extent.number = *number;
      staticShape.push_back(*number);
    } else {
      extent.value = toIndex(value, op.args[0]->range, "an extent");
      if (!extent.value)
        return DslValue::error();
      for (auto &symbol : symbols)
        if (symbol.second.value == extent.value)
          extent.symbol = symbol.getKey().str();
      sizes.push_back(extent.value);
      staticShape.push_back(mlir::ShapedType::kDynamic);
    }
    tensor->extents.push_back(std::move(extent));
  }
  if (!checkSize(staticShape, kMaxTensorElements, op.args[0]->range))
    return DslValue::error();
  SmallVector<mlir::NamedAttribute> attrs;
  if (!getAllocOptions(*this, op, *dtype, element, attrs))
    return DslValue::error();
  auto type = mlir::MemRefType::get(staticShape, element);
  auto alloc =
      ir::AllocOp::create(builder, module.getLoc(range, tensor->name), type,
                          sizes, builder.getStringAttr(tensor->name));
  for (mlir::NamedAttribute attr : attrs)
    alloc->setDiscardableAttr(attr.getName(), attr.getValue());
  tensor->memref = alloc;
  tensor->root = tensor->memref;
  return DslValue::makeTensor(std::move(tensor));
}

DslValue FunctionLowering::makeEmptyTile(ArrayRef<int64_t> shape,
                                         DTypeKind dtype, SourceRange range) {
  mlir::Type element = module.getElementType(dtype);
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back())
    rows *= extent;
  auto type = ir::TileType::get(rows, shape.back(), element);
  return DslValue::makeTile(ir::EmptyOp::create(builder, loc(range), type),
                            dtype, shape);
}

DslValue FunctionLowering::lowerCreateTile(OpCall &op) {
  SmallVector<int64_t> shape;
  std::optional<DTypeKind> dtype = getTileDType(op.args[1], "dtype");
  bool good = getStaticShape(op.args[0], "the shape", shape);
  std::optional<ir::MemorySpace> space = ir::MemorySpace::vec;
  if (op.args[2])
    space = getMemorySpace(*this, op.args[2]);
  std::optional<bool> transposed = getBool(op.args[3], "transpose=", false);
  std::optional<bool> flat = getBool(op.args[4], "flat_layout=", false);
  if (!good || !dtype || !space || !transposed || !flat)
    return DslValue::error();
  for (auto [arg, flag] : {std::pair(3, *transposed), std::pair(4, *flat)})
    if (flag && *space != ir::MemorySpace::mat)
      return fail(DiagCode::WrongArguments, op.args[arg]->range,
                  "transpose= and flat_layout= are layouts of tiles in Mat "
                  "memory; give target_memory=pl.MemorySpace.Mat");
  if (*transposed && *flat)
    return fail(DiagCode::WrongArguments, op.args[4]->range,
                op.spelling + " takes transpose= or flat_layout=, not both");
  DslValue made = makeEmptyTile(shape, *dtype, op.range());
  made.isTileLevel = true;
  if (!checkRoom(*this, made, *space, "this tile", op.range()))
    return DslValue::error();
  if (*space != ir::MemorySpace::vec)
    made.value.setType(made.getTileType().withSpace(*space));
  if (*transposed || *flat)
    made.value.getDefiningOp()->setAttr(*flat ? "pl.flat" : "pl.transposed",
                                        builder.getUnitAttr());
  return made;
}
