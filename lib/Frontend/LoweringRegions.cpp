//===- LoweringRegions.cpp - values that cross regions --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"

using namespace pl::frontend;

/// The extent is read from the memref that carries it.
static constexpr int64_t kReadAnew = mlir::ShapedType::kDynamic;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

mlir::Value pl::frontend::getSSA(const DslValue &value) {
  return value.isTensor() ? value.tensor->memref : value.value;
}

bool pl::frontend::canCross(const DslValue &value) {
  switch (value.kind) {
  case DslValue::Kind::Host:
    return value.isHostNumber() || value.isNone();
  case DslValue::Kind::Scalar:
  case DslValue::Kind::Tensor:
  case DslValue::Kind::Tile:
  case DslValue::Kind::Task:
  case DslValue::Kind::Array:
    return true;
  case DslValue::Kind::Error:
  case DslValue::Kind::Tuple:
  case DslValue::Kind::CommCtx:
    return false;
  }
  return false;
}

bool pl::frontend::isSameValue(const DslValue &a, const DslValue &b) {
  if (a.kind != b.kind)
    return false;
  if (a.isHost())
    return a.dtype == b.dtype && a.host.getKind() == b.host.getKind() &&
           equalValues(a.host, b.host);
  if (a.kind == DslValue::Kind::Tuple) {
    if (a.elements.size() != b.elements.size())
      return false;
    for (auto [x, y] : llvm::zip(a.elements, b.elements))
      if (!isSameValue(x, y))
        return false;
    return true;
  }
  if (a.kind == DslValue::Kind::CommCtx)
    return a.tensor && b.tensor && a.tensor->memref == b.tensor->memref;
  return getSSA(a) && getSSA(a) == getSSA(b);
}

static bool isInside(mlir::Operation *op, mlir::Value value) {
  return op && value && op->isAncestor(value.getParentRegion()->getParentOp());
}

bool pl::frontend::isInManualParallel(FunctionLowering &f) {
  using Kind = FunctionLowering::RuntimeScope::Kind;
  return !f.core && !f.runtimeScopes.empty() &&
         f.runtimeScopes.back().kind == Kind::Manual &&
         llvm::any_of(f.loops, [](const FunctionLowering::LoopFrame *frame) {
           return frame->spelling == "pl.parallel";
         });
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

ValueForm pl::frontend::getForm(FunctionLowering &f, const DslValue &value,
                                mlir::Operation *region) {
  mlir::MLIRContext *context = f.builder.getContext();
  ValueForm form;
  form.value = value;
  form.value.value = {};
  if (value.isHostNumber()) {
    DTypeKind dtype = value.dtype            ? *value.dtype
                      : value.host.isFloat() ? DTypeKind::FP32
                      : value.host.isBool()  ? DTypeKind::BOOL
                                             : DTypeKind::INDEX;
    form.value = DslValue::makeScalar({}, dtype);
    form.type = f.module.getElementType(dtype);
  } else if (value.isNone()) {
    form.value = DslValue::makeTask({});
    form.type = ir::TaskType::get(context);
  } else if (value.isTensor()) {
    form.value.tensor = std::make_shared<TensorRef>(*value.tensor);
    for (Extent &extent : form.value.tensor->extents)
      if (isInside(region, extent.value)) {
        extent.value = {};
        extent.number = kReadAnew;
        extent.symbol.clear();
      }
    form.type = value.tensor->memref.getType();
  } else {
    form.type = value.value.getType();
  }
  return form;
}

bool pl::frontend::isReadAnew(const Extent &extent) {
  return !extent.value && extent.number == kReadAnew;
}

void pl::frontend::addOrigins(TensorRef &tensor, const TensorRef &other) {
  auto add = [&](int param) {
    if (param < 0 || param == tensor.param ||
        llvm::is_contained(tensor.otherParams, param))
      return;
    if (tensor.param < 0)
      tensor.param = param;
    else
      tensor.otherParams.push_back(param);
  };
  add(other.param);
  for (int param : other.otherParams)
    add(param);
  if (tensor.root != other.root)
    tensor.root = {};
}

mlir::MemRefType pl::frontend::unifyMemRefs(mlir::MemRefType a,
                                            mlir::MemRefType b) {
  if (a == b)
    return a;
  SmallVector<int64_t> shape, strides, other;
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
    shape.push_back(x == y ? x : mlir::ShapedType::kDynamic);
  int64_t offset, otherOffset;
  if (failed(a.getStridesAndOffset(strides, offset)) ||
      failed(b.getStridesAndOffset(other, otherOffset)))
    return a;
  auto layout = a.getLayout();
  if (strides != other || offset != otherOffset) {
    for (auto [x, y] : llvm::zip(strides, other))
      x = x == y ? x : mlir::ShapedType::kDynamic;
    layout = mlir::StridedLayoutAttr::get(
        a.getContext(),
        offset == otherOffset ? offset : mlir::ShapedType::kDynamic, strides);
  }
  return mlir::MemRefType::get(shape, a.getElementType(), layout,
                               a.getMemorySpace());
}

ValueForm pl::frontend::unifyForm(FunctionLowering &f, const ValueForm &form,
                                  const DslValue &value,
                                  mlir::Operation *region) {
  if (value.isHostNumber() || value.isScalar())
    return form;
  if (value.isNone())
    return form;
  ValueForm other = getForm(f, value, region);
  ValueForm made = form;
  if (value.isTile()) {
    made.type = f.unifyValid(mlir::cast<ir::TileType>(form.type),
                             mlir::cast<ir::TileType>(other.type));
  } else if (value.isArray() && !form.value.isArray()) {
    made = other; // a TaskId that a parallel loop spreads over an array
  } else if (value.isTensor()) {
    made.type = unifyMemRefs(mlir::cast<mlir::MemRefType>(form.type),
                             mlir::cast<mlir::MemRefType>(other.type));
    const TensorRef &b = *other.value.tensor;
    auto merged = std::make_shared<TensorRef>(*form.value.tensor);
    for (auto [extent, given] : llvm::zip(merged->extents, b.extents)) {
      bool same = extent.value == given.value && extent.number == given.number;
      bool sameDim = !extent.symbol.empty() && extent.symbol == given.symbol;
      if (same || (sameDim && extent.value))
        continue;
      extent = Extent();
      extent.number = kReadAnew;
    }
    addOrigins(*merged, b);
    made.value.tensor = std::move(merged);
  }
  return made;
}

mlir::Value pl::frontend::convertTo(FunctionLowering &f, const DslValue &value,
                                    const ValueForm &form, SourceRange range) {
  if (form.value.isScalar())
    return f.materialize(value, *form.value.dtype, range);
  if (form.value.isTask())
    return getTask(f, value, range);
  if (form.value.isTile())
    return f.convertValid(value.value, mlir::cast<ir::TileType>(form.type),
                          range);
  if (form.value.isTaskArray() && !value.isArray()) {
    int64_t size = form.value.shape[0];
    DslValue array = makeArrayOf(f, DTypeKind::TASK_ID, size, range);
    mlir::Value made = array.value;
    if (!value.isNone())
      for (int64_t i = 0; i < size; ++i)
        made = ir::TaskSetOp::create(f.builder, f.loc(range), form.type, made,
                                     f.getIndex(i, range), value.value);
    return made;
  }
  mlir::Value have = getSSA(value);
  if (form.value.isTensor() && have.getType() != form.type)
    return mlir::memref::CastOp::create(f.builder, f.loc(range), form.type,
                                        have);
  return have;
}

DslValue pl::frontend::instantiate(FunctionLowering &f, const ValueForm &form,
                                   mlir::Value made, SourceRange range) {
  DslValue value = form.value;
  if (!value.isTensor()) {
    value.value = made;
    return value;
  }
  auto tensor = std::make_shared<TensorRef>(*value.tensor);
  tensor->memref = made;
  if (!tensor->root)
    tensor->root = made;
  for (auto [axis, extent] : llvm::enumerate(tensor->extents))
    if (extent.isStatic() && extent.number == kReadAnew)
      extent.value = mlir::memref::DimOp::create(f.builder, f.loc(range), made,
                                                 f.getIndex(axis, range));
  value.tensor = std::move(tensor);
  return value;
}

mlir::Value pl::frontend::makeUndefined(FunctionLowering &f,
                                        const ValueForm &form, Identifier name,
                                        SourceRange range) {
  if (form.value.isTask())
    return getTask(f, DslValue::makeHost(Value::none()), range);
  if (form.value.isArray())
    return makeArrayOf(f, *form.value.dtype, form.value.shape[0], range).value;
  if (form.value.isTile()) {
    DslValue empty =
        f.makeEmptyTile(form.value.shape, *form.value.dtype, range);
    if (empty.getTileType().getRows() !=
        mlir::cast<ir::TileType>(form.type).getRows())
      return {};
    return f.convertValid(empty.value, mlir::cast<ir::TileType>(form.type),
                          range);
  }
  if (!form.value.isTensor())
    return ir::UndefinedOp::create(f.builder, f.loc(range), form.type);
  // Fresh memory, which nothing filled either.
  auto type = mlir::cast<mlir::MemRefType>(form.type);
  SmallVector<mlir::Value> sizes;
  SmallVector<int64_t> shape;
  for (auto [axis, extent] : llvm::enumerate(form.value.tensor->extents)) {
    if (extent.isStatic() && extent.number == kReadAnew)
      return {};
    bool isDynamic = type.isDynamicDim(axis);
    shape.push_back(isDynamic ? mlir::ShapedType::kDynamic
                              : type.getDimSize(axis));
    if (isDynamic)
      sizes.push_back(extent.value ? extent.value
                                   : f.getIndex(extent.number, range));
  }
  mlir::Value made =
      ir::AllocOp::create(f.builder, f.module.getLoc(range, name.str()),
                          mlir::MemRefType::get(shape, type.getElementType()),
                          sizes, f.builder.getStringAttr(name.str()));
  if (made.getType() != type)
    made = mlir::memref::CastOp::create(f.builder, f.loc(range), type, made);
  return made;
}

//===----------------------------------------------------------------------===//
// Regions that run once
//===----------------------------------------------------------------------===//

/// Calls `visit` for each value without elements within `value`.
static void forEachLeaf(DslValue &value,
                        llvm::function_ref<void(DslValue &)> visit) {
  if (value.kind != DslValue::Kind::Tuple)
    return visit(value);
  for (DslValue &element : value.elements)
    forEachLeaf(element, visit);
}

void pl::frontend::lowerRegionScope(
    FunctionLowering &f, StmtList body, SourceRange header,
    llvm::function_ref<mlir::Operation *(mlir::OpBuilder &, mlir::TypeRange)>
        make) {
  NameSet names = getChanged(f, body);
  llvm::DenseMap<Identifier, Binding> before;
  for (Identifier name : names)
    if (auto found = f.env.find(name); found != f.env.end())
      before[name] = found->second;

  mlir::Operation *draft = make(f.builder, {});
  mlir::Block &block = draft->getRegion(0).emplaceBlock();
  SmallVector<mlir::Value> yields;
  SmallVector<ValueForm> forms;
  SmallVector<DslValue *> leaves;
  std::vector<std::pair<Identifier, DslValue>> kept;
  {
    mlir::OpBuilder::InsertionGuard guard(f.builder);
    f.builder.setInsertionPointToEnd(&block);
    f.lowerNested(body);
    for (Identifier name : names) {
      auto found = f.env.find(name);
      if (found == f.env.end() || found->second.state != Binding::State::Bound)
        continue;
      bool usesInside = false;
      DslValue value = found->second.value;
      forEachLeaf(value, [&](DslValue &leaf) {
        usesInside |= isInside(draft, getSSA(leaf));
      });
      if (!usesInside)
        continue;
      if (f.isReadAfter(name)) {
        kept.emplace_back(name, std::move(value));
      } else if (auto old = before.find(name); old != before.end()) {
        found->second = old->second;
      } else {
        f.env.erase(found);
      }
    }
    for (auto &[name, value] : kept)
      forEachLeaf(value, [&](DslValue &leaf) {
        if (!isInside(draft, getSSA(leaf)))
          return;
        leaves.push_back(&leaf);
        forms.push_back(getForm(f, leaf, draft));
        yields.push_back(getSSA(leaf));
      });
    ir::YieldOp::create(f.builder, f.loc(header), yields);
  }
  mlir::Operation *made = draft;
  if (!yields.empty()) {
    made = make(f.builder, mlir::TypeRange(mlir::ValueRange(yields)));
    made->getRegion(0).takeBody(draft->getRegion(0));
    draft->erase();
  }
  for (auto [leaf, form, result] : llvm::zip(leaves, forms, made->getResults()))
    *leaf = instantiate(f, form, result, header);
  for (auto &[name, value] : kept) {
    Binding &binding = f.env[name];
    binding.value = value;
    if (mlir::Value ssa = getSSA(value))
      f.nameValue(ssa, name, binding.range);
  }
}
