//===- KernelTiles.cpp - Tiles and their names ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "TileTypes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pl;

/// Instructions that run along rows of row-major tiles only: on a column they
/// use the row of the same bytes.
static bool runsAlongRows(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp, AddsOp, SubsOp,
             MulsOp, DivsOp, MaxsOp, MinsOp, NegOp, AbsOp, ExpOp, LogOp, SqrtOp,
             RecipOp, RsqrtOp, CastOp, FullOp, MoveOp>(op);
}

/// A tile with a vector: the instruction covers the destination.
static bool isExpand(Operation *op) {
  return isa<RowExpandAddOp, RowExpandSubOp, RowExpandMulOp, RowExpandDivOp,
             ColExpandAddOp, ColExpandSubOp, ColExpandMulOp, ColExpandDivOp>(
      op);
}

bool KernelWriter::usesRow(Operation *op) {
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp || !runsAlongRows(op) || !tileOp.getDstOperand())
    return false;
  return isColumn(tileOp.getDstOperand()->get().getType());
}

static BufferType withValid(BufferType type, int64_t rows, int64_t cols) {
  return BufferType::get(TileType::get(type.getRows(), type.getCols(),
                                       type.getElementType(), type.getSpace(),
                                       rows, cols),
                         type.getLayout());
}

static BufferType fullyValid(BufferType type) {
  return withValid(type, type.getRows(), type.getCols());
}

void KernelWriter::unifyTypes() {
  auto merge = [](int64_t a, int64_t b) {
    return a == b ? a : ShapedType::kDynamic;
  };
  // Operands of the cube are packed as their own extents say. An accumulator
  // goes on where another name of it left off, and both are of one type.
  auto add = [&](BufferType type) {
    if (type.getSpace() != MemorySpace::vec &&
        type.getSpace() != MemorySpace::acc)
      return false;
    // A tile without valid cells is one whose extents happen to be 0.
    auto spelledAs = [](int64_t extent) {
      return extent == 0 ? ShapedType::kDynamic : extent;
    };
    type = withValid(type, spelledAs(type.getValidRows()),
                     spelledAs(type.getValidCols()));
    auto [known, isNew] = commonTypes.try_emplace(fullyValid(type), type);
    BufferType common = known->second;
    known->second =
        withValid(common, merge(common.getValidRows(), type.getValidRows()),
                  merge(common.getValidCols(), type.getValidCols()));
    return isNew || known->second != common;
  };
  walkOps([&](Operation *op) {
    if (!isa<BufferOp, BufferViewOp>(op))
      return;
    auto type = cast<BufferType>(op->getResult(0).getType());
    add(type);
    if (isColumn(type))
      add(rowOfColumn(type));
  });
  // The extents of a transposed tile are those of its source, the other way.
  bool changed = true;
  while (changed) {
    changed = false;
    walkOps([&](Operation *nested) {
      auto op = dyn_cast<TransposeOp>(nested);
      if (!op || !op.getDst())
        return;
      auto source = cast<BufferType>(op.getSource().getType());
      auto dst = cast<BufferType>(op.getDst().getType());
      BufferType from = spelled(source), to = spelled(dst);
      changed |=
          add(withValid(dst, merge(to.getValidRows(), from.getValidCols()),
                        merge(to.getValidCols(), from.getValidRows())));
      changed |=
          add(withValid(source, merge(from.getValidRows(), to.getValidCols()),
                        merge(from.getValidCols(), to.getValidRows())));
    });
  }
}

BufferType KernelWriter::spelled(BufferType type) const {
  BufferType common = commonTypes.lookup(fullyValid(type));
  return common ? common : type;
}

KernelWriter::Extents KernelWriter::extentsOf(BufferType type,
                                              ValueRange dynamic) {
  Extents extents;
  unsigned next = 0;
  for (unsigned axis : {0u, 1u}) {
    int64_t extent = type.getValid(axis);
    if (ShapedType::isDynamic(extent))
      extents[axis] = dynamic[next++];
    else
      extents[axis] = builder.getIndexAttr(extent);
  }
  return extents;
}

Value KernelWriter::extentExpr(Location loc, OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return literal(loc, std::to_string(*constant), builder.getI64Type());
  return expr(loc, cast<Value>(extent));
}

Value KernelWriter::declareTile(Operation *op, StringRef name, BufferType type,
                                const Extents &valid, int64_t address,
                                std::optional<PadValue> pad) {
  Location loc = op->getLoc();
  FailureOr<std::string> element = cppType(type.getElementType());
  if (failed(element)) {
    op->emitOpError() << "has no C++ element type";
    return {};
  }
  type = spelled(type);
  // Another name of a tile may have extents that no tile of its box has.
  auto spelledExtent = [&](unsigned axis) {
    std::optional<int64_t> wanted = getConstantIntValue(valid[axis]);
    int64_t common = type.getValid(axis);
    return ShapedType::isDynamic(common)
               ? common
               : wanted.value_or(ShapedType::kDynamic);
  };
  type = withValid(type, spelledExtent(0), spelledExtent(1));
  FailureOr<std::string> text = tileType(op, name, type, *element, pad);
  if (failed(text))
    return {};
  std::string declaration = *text + " " + name.str();
  SmallVector<Value> extents;
  for (unsigned axis : {0u, 1u}) {
    if (!ShapedType::isDynamic(type.getValid(axis)))
      continue;
    extents.push_back(extentExpr(loc, valid[axis]));
    if (!extents.back())
      return {};
    declaration += extents.size() == 1 ? "({}" : ", {}";
  }
  if (!extents.empty())
    declaration += ")";
  verbatim(loc, declaration + ";", extents);
  Operation *first = &*std::prev(builder.getInsertionPoint());
  Value leaf = literal(loc, name);
  call(loc, "TASSIGN", leaf, {llvm::formatv("{0:x}", address).str()});
  declaredTiles.push_back({first, leaf});
  return leaf;
}

void KernelWriter::dropUnusedTiles() {
  for (auto [declaration, leaf] : declaredTiles) {
    if (!leaf.hasOneUse())
      continue; // somebody beside TASSIGN
    leaf.user_begin()->erase();
    leaf.getDefiningOp()->erase();
    declaration->erase();
  }
  declaredTiles.clear();
}

FailureOr<Value> KernelWriter::withExtents(Operation *op, const TileName &tile,
                                           const Extents &wanted, bool asRow) {
  auto equal = [](OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> left = getConstantIntValue(a);
    return left ? left == getConstantIntValue(b) : a == b;
  };
  if (equal(tile.valid[0], wanted[0]) && equal(tile.valid[1], wanted[1]))
    return asRow && tile.row ? tile.row : tile.leaf;
  auto extent = [](OpFoldResult value) {
    return getConstantIntValue(value).value_or(ShapedType::kDynamic);
  };
  std::string name = names.make(tile.name + "_part");
  BufferType type = withValid(tile.type, extent(wanted[0]), extent(wanted[1]));
  Extents valid = wanted;
  if (asRow) {
    type = rowOfColumn(type);
    valid = {builder.getIndexAttr(1), wanted[0]};
  }
  Value leaf = declareTile(op, name, type, valid, tile.address);
  if (!leaf)
    return failure();
  return leaf;
}

/// The valid extents that an instruction wants of source `index`, given those
/// of its destination; the source's own where it does not care.
KernelWriter::Extents KernelWriter::wantedExtents(Operation *op, unsigned index,
                                                  const TileName &tile,
                                                  const TileName &target) {
  BufferType source = tile.type, dst = target.type;
  const Extents &own = tile.valid, &ofDst = target.valid;
  bool sameBox =
      source.getRows() == dst.getRows() && source.getCols() == dst.getCols();
  if (runsAlongRows(op) || isa<GatherOp>(op))
    return sameBox && !(isa<GatherOp>(op) && index == 0) ? ofDst : own;
  bool isVector =
      (isExpand(op) && index == 1) || isa<RowExpandOp, ColExpandOp>(op);
  if (isExpand(op) && index == 0)
    return sameBox ? ofDst : own;
  if (isVector && source.getCols() == 1)
    return {ofDst[0], own[1]};
  if (isVector && source.getRows() == 1)
    return {own[0], ofDst[1]};
  return own;
}

LogicalResult KernelWriter::emitBuffer(Operation *op, StringRef name,
                                       BufferType type, ValueRange valid,
                                       std::optional<int64_t> address) {
  if (!address)
    return op->emitOpError() << "has no address; pl-plan-memory gives one";
  bool needsRow =
      isColumn(type) && llvm::any_of(op->getResult(0).getUsers(), usesRow);
  line(op->getLoc());
  TileName made;
  // Users often call a tile like the tensor it comes from.
  made.name =
      names.make(names.isTaken(name) ? name.str() + "_tile" : name.str());
  made.type = type;
  made.address = *address;
  made.valid = extentsOf(type, valid);
  made.leaf = declareTile(op, made.name, type, made.valid, *address);
  if (!made.leaf)
    return failure();
  if (needsRow) {
    std::string row = names.make(made.name + "_row");
    made.row = declareTile(op, row, rowOfColumn(type),
                           {builder.getIndexAttr(1), made.valid[0]}, *address);
    if (!made.row)
      return failure();
  }
  tiles[op->getResult(0)] = made;
  return success();
}
