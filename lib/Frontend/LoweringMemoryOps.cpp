//===- LoweringMemoryOps.cpp - further moves of tiles and elements --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringMemory.h"
#include "LoweringTable.h"

#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Machine/Machine.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<ir::MemorySpace> pl::frontend::getMemorySpace(FunctionLowering &f,
                                                            const Expr *expr) {
  std::string member;
  if (!f.checkEnum(expr, "target_memory=", "MemorySpace", member))
    return std::nullopt;
  std::optional<ir::MemorySpace> space =
      ir::symbolizeMemorySpace(StringRef(member).lower());
  if (!space || *space == ir::MemorySpace::none) {
    f.error(DiagCode::UnknownChoice, expr->range,
            "a tile lives in Vec, Mat, Left, Right, Acc or Bias, "
            "not in " +
                member);
    return std::nullopt;
  }
  return space;
}

bool pl::frontend::checkRoom(FunctionLowering &f, const DslValue &tile,
                             ir::MemorySpace space, const Twine &what,
                             SourceRange range) {
  // What no machine has room for is wrong on all of them.
  int64_t room = -1;
  for (StringRef name : ::pl::machineNames())
    if (const MemoryDescription *memory =
            findMachine(name)->findMemory(ir::stringifyMemorySpace(space)))
      room = std::max(room, memory->bytes);
  int64_t bytes = tile.getTileType().getNumBytes();
  if (room < 0 || bytes <= room)
    return true;
  std::string member = ir::stringifyMemorySpace(space).str();
  member[0] = llvm::toUpper(member[0]);
  f.error(DiagCode::TooLarge, range,
          what + " is " + f.describe(tile) + " of " + Twine(bytes) +
              " bytes, but " + member + " memory has " + Twine(room) + " (" +
              Twine(bytes) + " > " + Twine(room) +
              "); take windows of it in a loop");
  return false;
}

std::optional<ir::PadValue> pl::frontend::getPadValue(FunctionLowering &f,
                                                      const Expr *expr) {
  if (!expr)
    return ir::PadValue::zero;
  DslValue value = f.lower(expr);
  if (value.isError())
    return std::nullopt;
  auto *member = value.isHost() ? value.host.as<EnumObject>() : nullptr;
  std::optional<ir::PadValue> parsed;
  if (member && member->enumName == "PadValue")
    parsed = ir::symbolizePadValue(member->member);
  else if (value.isHostNumber() && value.host.getNumber() == 0)
    parsed = ir::PadValue::zero;
  else if (value.isHost() && value.host.isFloat() &&
           std::isinf(value.host.getFloat()))
    parsed = value.host.getFloat() > 0 ? ir::PadValue::max : ir::PadValue::min;
  if (!parsed)
    f.error(DiagCode::UnknownChoice, expr->range,
            "pad_value= is pl.PadValue.zero, min or max, 0, "
            "math.inf or -math.inf");
  return parsed;
}

/// An operand that must be on the core already.
static DslValue getOnCore(FunctionLowering &f, OpCall &op, unsigned arg) {
  DslValue value = f.lower(op.args[arg]);
  if (value.isError() || value.isTile())
    return value;
  return f.fail(DiagCode::MixedLevels, op.args[arg]->range,
                op.spelling +
                    " takes a value on the core, but this "
                    "is " +
                    f.describe(value));
}

//===----------------------------------------------------------------------===//
// Tiles from tiles
//===----------------------------------------------------------------------===//

static DslValue lowerConcat(FunctionLowering &f, OpCall &op) {
  DslValue lhs = f.toTile(op, 0), rhs = f.toTile(op, 1);
  if (lhs.isError() || rhs.isError() ||
      !f.checkLevels(op.range(), op.spelling, {lhs, rhs}))
    return DslValue::error();
  ir::TileType a = lhs.getTileType(), b = rhs.getTileType();
  if (lhs.shape.size() != 2 || rhs.shape.size() != 2)
    return f.fail(DiagCode::WrongRank, op.range(),
                  op.spelling + " takes values of rank 2, got " +
                      f.describe(lhs) + " and " + f.describe(rhs));
  if (lhs.dtype != rhs.dtype)
    return f.fail(DiagCode::DTypeMismatch, op.range(),
                  op.spelling + " takes values of one dtype, got " +
                      f.describe(lhs) + " and " + f.describe(rhs) +
                      "; cast one of them");
  if (a.getRows() != b.getRows())
    return f.fail(DiagCode::ShapeMismatch, op.range(),
                  op.spelling +
                      " puts columns side by side and needs equal "
                      "rows, got " +
                      f.describe(lhs) + " and " + f.describe(rhs));
  // The valid part must stay one box.
  bool isBox =
      a.getValidCols() == a.getCols() && a.getValidRows() == b.getValidRows();
  if (isBox && mlir::ShapedType::isDynamic(a.getValidRows()))
    isBox = f.getValidExtent(lhs.value, 0, op.range()) ==
            f.getValidExtent(rhs.value, 0, op.range());
  if (!isBox) {
    auto text = [](ir::TileType type) {
      int64_t box[2];
      for (unsigned axis : {0, 1}) {
        int64_t extent = type.getValid(axis);
        box[axis] = mlir::ShapedType::isDynamic(extent) ? -1 : extent;
      }
      return printShape(box);
    };
    return f.fail(DiagCode::ValidShape, op.range(),
                  op.spelling +
                      " of partly valid tiles gives no box: the "
                      "first is valid in " +
                      text(a) + ", the second in " + text(b) +
                      "; fill them with pl.fillpad first");
  }
  int64_t validCols = mlir::ShapedType::isDynamic(b.getValidCols())
                          ? mlir::ShapedType::kDynamic
                          : a.getCols() + b.getValidCols();
  auto type = ir::TileType::get(a.getRows(), a.getCols() + b.getCols(),
                                a.getElementType(), a.getSpace(),
                                a.getValidRows(), validCols);
  lhs.value = ir::ConcatOp::create(f.builder, f.loc(op.range()), type,
                                   lhs.value, rhs.value);
  lhs.shape = {type.getRows(), type.getCols()};
  return lhs;
}

static DslValue lowerTransposeView(FunctionLowering &f, OpCall &op) {
  DslValue source = getOnCore(f, op, 0);
  if (source.isError())
    return source;
  if (source.shape.size() != 2)
    return f.fail(DiagCode::WrongRank, op.args[0]->range,
                  op.spelling +
                      " takes a tile of rank 2, but this "
                      "is " +
                      f.describe(source));
  ir::TileType from = source.getTileType();
  auto to = ir::TileType::get(from.getCols(), from.getRows(),
                              from.getElementType(), from.getSpace(),
                              from.getValidCols(), from.getValidRows());
  source.value = ir::TransposeViewOp::create(f.builder, f.loc(op.range()), to,
                                             source.value);
  source.shape = {to.getRows(), to.getCols()};
  return source;
}

static DslValue lowerFillPadExpand(FunctionLowering &f, OpCall &op) {
  DslValue source = f.toTile(op, 0);
  SmallVector<int64_t> shape;
  bool good = f.getStaticShape(op.args[1], "the shape", shape);
  std::optional<ir::PadValue> pad = getPadValue(f, op.args[2]);
  if (source.isError() || !good || !pad)
    return DslValue::error();
  if (source.shape.size() != 2 || shape.size() != 2 ||
      shape[0] < source.shape[0] || shape[1] < source.shape[1])
    return f.fail(DiagCode::ShapeMismatch, op.args[1]->range,
                  op.spelling +
                      " needs a shape of rank 2 at least as large as "
                      "the source, got " +
                      printShape(shape) + " for " + f.describe(source));
  ir::TileType from = source.getTileType();
  auto to = ir::TileType::get(shape[0], shape[1], from.getElementType(),
                              from.getSpace(), shape[0], shape[1]);
  source.value = ir::FillPadExpandOp::create(f.builder, f.loc(op.range()), to,
                                             source.value, *pad);
  source.shape = {shape[0], shape[1]};
  return source;
}

static DslValue lowerMove(FunctionLowering &f, OpCall &op) {
  DslValue source = getOnCore(f, op, 0);
  std::optional<ir::MemorySpace> space = getMemorySpace(f, op.args[1]);
  for (unsigned arg : {2, 3})
    if (op.args[arg])
      return f.notLowered(op.args[arg]->range, "a layout of " + op.spelling);
  if (source.isError() || !space ||
      !checkRoom(f, source, *space, "'" + f.getText(op.args[0]) + "'",
                 op.range()))
    return DslValue::error();
  source.value = f.createCompute("move", op.range(), {source.value},
                                 source.getTileType().withSpace(*space));
  source.isTileLevel = true;
  return source;
}

//===----------------------------------------------------------------------===//
// Accumulators in L1
//===----------------------------------------------------------------------===//

static DslValue lowerCreateL1(FunctionLowering &f, OpCall &op) {
  SmallVector<int64_t> shape;
  std::optional<DTypeKind> dtype = f.getTileDType(op.args[1], "dtype");
  bool good = f.getStaticShape(op.args[0], "the shape", shape);
  std::optional<bool> turned = f.getBool(op.args[2], "transpose=", false);
  if (!good || !dtype || !turned)
    return DslValue::error();
  DslValue made = f.makeEmptyTile(shape, *dtype, op.range());
  made.value.setType(made.getTileType().withSpace(ir::MemorySpace::mat));
  if (!checkRoom(f, made, ir::MemorySpace::mat, "this accumulator", op.range()))
    return DslValue::error();
  // Which of the two fractal layouts the cube is to read.
  if (*turned)
    made.value.getDefiningOp()->setAttr("pl.transposed",
                                        f.builder.getUnitAttr());
  return made;
}

static DslValue lowerGatherRow(FunctionLowering &f, OpCall &op) {
  SourceRange range = op.range();
  DslValue acc = getOnCore(f, op, 0);
  DslValue source = f.lower(op.args[1]);
  SmallVector<DslValue> to, from, valid;
  SmallVector<int64_t> sizes;
  bool good = f.getList(op.args[2], "dst_offset", to);
  good &= f.getList(op.args[3], "src_offset", from);
  good &= f.getStaticShape(op.args[4], "shapes", sizes);
  std::optional<bool> turned = f.getBool(op.args[5], "transpose=", false);
  if (op.args[6])
    good &= f.getList(op.args[6], "valid_shape", valid);
  if (acc.isError() || source.isError() || !good || !turned)
    return acc; // keeps its value; what follows is checked with it
  if (!source.isTensor())
    return f.fail(DiagCode::MixedLevels, op.args[1]->range,
                  op.spelling +
                      " reads a tensor in global memory, "
                      "but this is " +
                      f.describe(source));
  const TensorRef &tensor = *source.tensor;
  if (acc.shape.size() != 2 || tensor.extents.size() != 2)
    return f.fail(DiagCode::WrongRank, range,
                  op.spelling + " needs two axes on both sides, got " +
                      f.describe(acc) + " and " + f.describe(source));
  if (acc.dtype != tensor.dtype)
    return f.fail(DiagCode::DTypeMismatch, range,
                  op.spelling + " does not convert: the accumulator is " +
                      f.describe(acc) + " and the source " +
                      f.describe(source));
  struct {
    const Expr *expr;
    size_t count;
    StringRef what;
  } lists[] = {{op.args[2], to.size(), "dst_offset"},
               {op.args[3], from.size(), "src_offset"},
               {op.args[4], sizes.size(), "shapes"},
               {op.args[6], op.args[6] ? valid.size() : 2, "valid_shape"}};
  for (auto &list : lists)
    if (list.count != 2)
      return f.fail(DiagCode::WrongRank, list.expr->range,
                    list.what.str() + " of " + op.spelling +
                        " needs two entries, but has " + Twine(list.count));
  if (*turned && op.args[6])
    return f.fail(DiagCode::WrongArguments, op.args[6]->range,
                  op.spelling + " takes valid_shape= or transpose=, not both");
  FunctionLowering::Window window;
  window.range = range;
  window.offsets.assign(from.begin(), from.end());
  SmallVector<DslValue> moved;
  for (unsigned axis : {0, 1}) {
    DslValue size = DslValue::makeHost(Value::integer(sizes[axis]));
    if (op.args[6]) {
      std::optional<int64_t> number = f.getConstantInt(valid[axis]);
      if (number && (*number < 0 || *number > sizes[axis]))
        return f.fail(DiagCode::ValidShape, op.args[6]->range,
                      "valid_shape= must lie in 0 to " + Twine(sizes[axis]) +
                          " in axis " + Twine(axis) + ", but is " +
                          Twine(*number));
      size = valid[axis];
    }
    moved.push_back(size);
  }
  if (!f.checkBounds(tensor, window, moved, "window"))
    return DslValue::error();
  for (unsigned axis : {0, 1}) {
    std::optional<int64_t> count =
        f.getConstantInt(moved[*turned ? 1 - axis : axis]);
    std::optional<int64_t> offset = f.getConstantInt(to[axis]);
    int64_t first = offset.value_or(0);
    if (first < 0 || first + count.value_or(0) > acc.shape[axis])
      return f.fail(DiagCode::OutsideSource, range,
                    op.spelling + " leaves its accumulator: in axis " +
                        Twine(axis) + " it writes " + Twine(first) + " to " +
                        Twine(first + count.value_or(0)) +
                        ", but the accumulator has " + Twine(acc.shape[axis]));
  }
  SmallVector<mlir::Value> offsets, limits, at;
  auto append = [&](ArrayRef<DslValue> list, SmallVector<mlir::Value> &values) {
    for (const DslValue &value : list)
      values.push_back(f.toIndex(value, range, "an offset"));
    return llvm::all_of(values, [](mlir::Value value) { return !!value; });
  };
  if (!append(from, offsets) || !append(to, at) || !append(valid, limits))
    return DslValue::error();
  f.noteRead(tensor, range);
  acc.value = ir::GatherRowOp::create(
      f.builder, f.loc(range), acc.value.getType(), tensor.memref, offsets,
      f.builder.getDenseI64ArrayAttr(sizes), acc.value, at[0], at[1], limits,
      *turned);
  return acc;
}

static DslValue lowerFillPadInPlace(FunctionLowering &f, OpCall &op) {
  DslValue source = getOnCore(f, op, 0);
  return source.isError() ? source : f.lowerFillPad(op);
}

static const OpRow memoryOps[] = {
    {"concat", "src0,src1", 2, lowerConcat, true},
    {"transpose_view", "tile", 1, lowerTransposeView, true},
    {"fillpad_inplace", "x|tile,pad_value", 1, lowerFillPadInPlace, true},
    {"fillpad_expand", "x|value|tensor|tile,shape,pad_value", 2,
     lowerFillPadExpand, true},
    {"move", "tile,target_memory,blayout,slayout", 2, lowerMove, true},
    {"create_l1", "shape,dtype,transpose", 2, lowerCreateL1, true},
    {"gather_row",
     "acc|dst,src,dst_offset,src_offset,shapes,transpose,valid_shape", 5,
     lowerGatherRow, true},
};

ArrayRef<OpRow> pl::frontend::getMemoryOps() { return memoryOps; }
