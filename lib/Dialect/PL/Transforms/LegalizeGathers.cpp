//===- LegalizeGathers.cpp - Gather indices of the whole tile ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"

namespace mlir::pl {
#define GEN_PASS_DEF_LEGALIZEGATHERS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

/// `r * columns` in element [r, c] of a tile like `type`. The rows are told by
/// dividing the position k = r * C + c: in FP32, (k + 0.5) / C lies at least
/// 0.5 / C from an integer, and is wrong by less than that for any tile of less
/// than 2^21 elements.
static Value startsOfElements(OpBuilder &builder, Location loc, TileType type,
                              int64_t columns) {
  auto i32 = builder.getI32Type();
  auto f32 = builder.getF32Type();
  auto line = TileType::get(1, type.getRows() * type.getCols(), i32);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(float(value)));
  };
  auto mode = [&](RoundMode mode) {
    return RoundModeAttr::get(builder.getContext(), mode);
  };
  Value zero = arith::ConstantIntOp::create(builder, loc, i32, 0);
  Value pitch = arith::ConstantIntOp::create(builder, loc, i32, columns);
  Value at = IotaOp::create(builder, loc, line, zero, Value(), ValueRange())
                 .getResult();
  at = CastOp::create(builder, loc, line.withElement(f32), at,
                      mode(RoundMode::none), Value(), ValueRange())
           .getResult();
  at = AddsOp::create(builder, loc, line.withElement(f32), at, number(0.5),
                      Value(), ValueRange())
           .getResult();
  at = MulsOp::create(builder, loc, line.withElement(f32), at,
                      number(1.0 / type.getCols()), Value(), ValueRange())
           .getResult();
  at = CastOp::create(builder, loc, line, at, mode(RoundMode::trunc), Value(),
                      ValueRange())
           .getResult();
  at = MulsOp::create(builder, loc, line, at, pitch, Value(), ValueRange())
           .getResult();
  auto whole = TileType::get(type.getRows(), type.getCols(), i32);
  return ReshapeOp::create(builder, loc, whole, at);
}

/// `index[r, c] + r * columns`, as a tile like `index`.
static Value flattenIndex(OpBuilder &builder, Location loc, Value index,
                          int64_t columns) {
  auto type = cast<TileType>(index.getType());
  if (type.getRows() == 1)
    return index;
  auto i32 = builder.getI32Type();
  // A column of another number of rows would not be made of whole blocks.
  constexpr int64_t kRows = ::pl::kBlockBytes / sizeof(int32_t);
  if (type.getRows() % kRows != 0)
    return AddOp::create(builder, loc, type, index,
                         startsOfElements(builder, loc, type, columns), Value(),
                         ValueRange())
        .getResult();
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
