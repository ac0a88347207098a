//===- LoweringCopies.cpp - tensors written outside core scopes -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `t[...] = s` and `pl.assemble(t, s, ...)` of two tensors in global memory,
// in the orchestration: a task that copies, ordered like any other.
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"

using namespace pl::frontend;

/// Reports a source that does not fill the window.
static bool checkCopy(FunctionLowering &f, const TensorRef &source,
                      const TensorRef &view, SourceRange range) {
  auto wrong = [&](const Twine &text) {
    f.error(DiagCode::SubscriptWrite, range, text);
    return false;
  };
  if (source.dtype != view.dtype)
    return wrong("'" + view.name + "' holds " + getName(view.dtype) +
                 ", but the source is " + getWithArticle(source.dtype) +
                 " tensor; cast it in a core scope");
  if (source.extents.size() != view.extents.size())
    return wrong("the window of '" + view.name + "' has " +
                 Twine(view.extents.size()) + " axes, but the source has " +
                 Twine(source.extents.size()));
  for (size_t axis = 0; axis < view.extents.size(); ++axis) {
    const Extent &have = source.extents[axis], &need = view.extents[axis];
    if (have.isStatic() && need.isStatic() && have.number != need.number)
      return wrong("Subscript-write shape mismatch: axis " + Twine(axis) +
                   " of the window has " + Twine(need.number) +
                   " elements, but the source has " + Twine(have.number));
  }
  return true;
}

bool pl::frontend::copyIntoWindow(FunctionLowering &f, const TensorRef &target,
                                  const FunctionLowering::Window &window,
                                  const TensorRef &source, SourceRange range) {
  DslValue view = f.viewWindow(target, window, range);
  if (!view.isTensor() || !checkCopy(f, source, *view.tensor, range))
    return false;
  f.noteRead(source, range);
  f.noteWrite(target, range);
  auto op = ir::AtOp::create(
      f.builder, f.loc(range), ir::TaskType::get(&f.module.context),
      mlir::ValueRange(), f.builder.getStringAttr("copy"), f.getUserEdges(0),
      /*early_resolve=*/false);
  mlir::OpBuilder::InsertionGuard guard(f.builder);
  f.builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  mlir::memref::CopyOp::create(f.builder, f.loc(range), source.memref,
                               view.tensor->memref);
  return true;
}

DslValue pl::frontend::assembleTensor(FunctionLowering &f,
                                      const DslValue &target,
                                      const DslValue &source,
                                      ArrayRef<DslValue> offsets,
                                      SourceRange range) {
  const TensorRef &to = *target.tensor, &from = *source.tensor;
  if (offsets.size() != to.extents.size())
    return f.fail(DiagCode::WrongRank, range,
                  "'" + to.name + "' has " + Twine(to.extents.size()) +
                      " axes, but there are " + Twine(offsets.size()) +
                      " offsets");
  if (from.extents.size() > to.extents.size())
    return f.fail(DiagCode::WrongRank, range,
                  "'" + to.name + "' has " + Twine(to.extents.size()) +
                      " axes, but the source has " +
                      Twine(from.extents.size()));
  // A source of fewer axes lies in the last ones.
  size_t leading = to.extents.size() - from.extents.size();
  FunctionLowering::Window window;
  window.range = range;
  window.offsets.assign(offsets.begin(), offsets.end());
  for (size_t axis = 0; axis < to.extents.size(); ++axis) {
    window.dropped.push_back(axis < leading);
    window.sizes.push_back(axis < leading
                               ? DslValue::makeHost(Value::integer(1))
                               : f.getExtent(from.extents[axis - leading]));
  }
  copyIntoWindow(f, to, window, from, range);
  return target;
}
