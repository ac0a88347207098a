//===- LegalizeGathers.cpp - Gather indices of the whole tile ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_LEGALIZEGATHERS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// `index[r, c] + r * columns`, as a tile like `index`.
static Value flattenIndex(OpBuilder &builder, Location loc, Value index,
                          int64_t columns) {
  auto type = cast<TileType>(index.getType());
  if (type.getRows() == 1)
    return index;
  auto i32 = builder.getI32Type();
  auto rowType = TileType::get(1, type.getRows(), i32);
  auto columnType = TileType::get(type.getRows(), 1, i32);
  Value zero = arith::ConstantIntOp::create(builder, loc, i32, 0);
  Value pitch = arith::ConstantIntOp::create(builder, loc, i32, columns);
  Value rows =
      IotaOp::create(builder, loc, rowType, zero, Value(), ValueRange())
          .getResult();
  Value starts =
      MulsOp::create(builder, loc, rowType, rows, pitch, Value(), ValueRange())
          .getResult();
  Value column = ReshapeOp::create(builder, loc, columnType, starts);
  return RowExpandAddOp::create(builder, loc, type, index, column, Value(),
                                ValueRange())
      .getResult();
}

namespace {
struct LegalizeGathers : mlir::pl::impl::LegalizeGathersBase<LegalizeGathers> {
  void runOnOperation() override {
    getOperation()->walk([&](GatherOp gather) {
      auto source = dyn_cast<TileType>(gather.getSource().getType());
      if (!source || gather.getFlat())
        return;
      OpBuilder builder(gather);
      gather.getIndexMutable().assign(flattenIndex(
          builder, gather.getLoc(), gather.getIndex(), source.getCols()));
      gather.setFlat(true);
      ++numFlattened;
    });
  }
};
} // namespace
