//===- KernelOps.cpp - Tile ops as instructions of the tile ISA -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "TileTypes.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pl;

void KernelWriter::instruction(Operation *op, StringRef callee,
                               ValueRange arguments,
                               ArrayRef<StringRef> templateArguments) {
  line(op->getLoc());
  call(op->getLoc(), callee, arguments, templateArguments);
  ++numInstructions;
}

FailureOr<KernelWriter::TileName *> KernelWriter::tile(Operation *op,
                                                       Value buffer) {
  auto known = tiles.find(buffer);
  if (known == tiles.end())
    return op->emitOpError() << "uses a buffer that pl.buffer did not make";
  return &known->second;
}

//===----------------------------------------------------------------------===//
// Loads, stores, scalars in memory
//===----------------------------------------------------------------------===//

FailureOr<Value>
KernelWriter::declareWindow(Operation *op, const TileName &tile,
                            BufferType window, const Extents &valid,
                            Value memref, ValueRange offsets,
                            std::string &windowName, Value peer) {
  Location loc = op->getLoc();
  FailureOr<GmView> view = viewOf(op, memref);
  if (failed(view))
    return failure();
  unsigned rank = view->strides.size();
  if (!view->strides.back().isOne())
    return notYet(op, "a window whose columns are not next to each other");
  bool column = window.getLayout() == Layout::dn;
  Product pitch =
      rank > 1 ? view->strides[rank - 2] : Product::constant(window.getCols());
  if (column && !(rank > 1 && pitch.isOne()))
    return op->emitOpError()
           << "moves a column whose rows are not next to each other in memory; "
              "load or store the rows it lies in";
  FailureOr<std::string> element =
      cppType(cast<MemRefType>(memref.getType()).getElementType());
  if (failed(element))
    return op->emitOpError() << "has no C++ element type";

  SmallVector<Value> arguments;
  arguments.push_back(address(loc, *view, offsets));
  if (!arguments.back())
    return failure();
  std::string pointer = "{}";
  if (peer) {
    pointer = "on_peer({}, {}, {})";
    Value number = operand(loc, peer);
    if (!number)
      return failure();
    arguments.insert(arguments.begin(), context);
    arguments.push_back(number);
  }
  // Shape: the valid box; its run-time extents are arguments.
  std::string shape = "Shape<1, 1, 1", shapeArguments;
  for (unsigned axis : {0u, 1u}) {
    int64_t extent = window.getValid(axis);
    shape += ", " + (ShapedType::isDynamic(extent) ? std::string("-1")
                                                   : std::to_string(extent));
    if (!ShapedType::isDynamic(extent))
      continue;
    Value value = extentExpr(loc, valid[axis]);
    if (!value)
      return failure();
    arguments.push_back(value);
    shapeArguments += shapeArguments.empty() ? "{}" : ", {}";
  }
  shape += ">";
  // Strides: the outer axes have one element, so theirs do not matter.
  std::string stride, strideArguments;
  if (column) {
    std::string rows = std::to_string(window.getRows());
    stride =
        "Stride<" + rows + ", " + rows + ", " + rows + ", 1, " + rows + ">";
  } else if (pitch.isConstant()) {
    std::string outer = std::to_string(window.getRows() * pitch.coefficient);
    stride = "Stride<" + outer + ", " + outer + ", " + outer + ", " +
             std::to_string(pitch.coefficient) + ", 1>";
  } else {
    stride = "Stride<-1, -1, -1, -1, 1>";
    for (unsigned i = 0; i < 4; ++i) {
      Value value = productExpr(loc, pitch);
      if (!value)
        return failure();
      arguments.push_back(value);
    }
    strideArguments = "{}, {}, {}, {}";
  }
  windowName = names.make(tile.name + "_gm");
  line(loc);
  verbatim(loc,
           "GlobalTensor<" + *element + ", " + shape + ", " + stride +
               ", Layout::" + (column ? "DN" : "ND") + "> " + windowName + "(" +
               pointer + ", " + shape + "(" + shapeArguments + "), " + stride +
               "(" + strideArguments + "));",
           arguments);
  return literal(loc, windowName);
}

LogicalResult KernelWriter::emitLoad(LoadOp op) {
  FailureOr<TileName *> target = tile(op, op.getDst());
  if (failed(target))
    return failure();
  Value leaf = (*target)->leaf;
  BufferType window = (*target)->type;
  Extents valid = (*target)->valid;
  if (op.getTranspose()) {
    // The same bytes, seen as they are stored: rows of the tensor.
    if (window.getLayout() != Layout::zn)
      return notYet(op, "a transposed load outside the cube unit");
    window = storedTransposed(window);
    std::swap(valid[0], valid[1]);
    std::string stored = names.make((*target)->name + "_stored");
    leaf = declareTile(op, stored, window, valid, (*target)->address);
    if (!leaf)
      return failure();
  }
  std::string name;
  FailureOr<Value> gm = declareWindow(op, **target, window, valid,
                                      op.getSource(), op.getOffsets(), name);
  if (failed(gm))
    return failure();
  instruction(op, "TLOAD", {leaf, *gm});
  return success();
}

LogicalResult KernelWriter::emitStore(StoreOp op) {
  FailureOr<TileName *> source = tile(op, op.getTile());
  if (failed(source))
    return failure();
  std::string name;
  FailureOr<Value> gm =
      declareWindow(op, **source, (*source)->type, (*source)->valid,
                    op.getTarget(), op.getOffsets(), name);
  if (failed(gm))
    return failure();
  if (op.getAtomic() == AtomicKind::none) {
    instruction(op, "TSTORE", {*gm, (*source)->leaf});
    return success();
  }
  std::string tileType = "decltype(" + (*source)->name + ")";
  std::string windowType = "decltype(" + name + ")";
  instruction(op, "TSTORE", {*gm, (*source)->leaf},
              {tileType, windowType, "AtomicType::AtomicAdd"});
  return success();
}

/// The data cache of the scalar unit is not coherent: a line is dropped before
/// it is read, and written back after it is written.
static constexpr llvm::StringLiteral kOneLine =
    "cache_line_t::SINGLE_CACHE_LINE";

LogicalResult KernelWriter::emitRead(ReadOp op) {
  Location loc = op.getLoc();
  FailureOr<GmView> view = viewOf(op, op.getSource());
  if (failed(view))
    return failure();
  Value at = address(loc, *view, op.getIndices());
  if (!at)
    return failure();
  line(loc);
  std::string name = hint(op.getResult(), "value");
  std::string pointer = names.make(name + "_at");
  FailureOr<std::string> element = cppType(view->element);
  if (failed(element))
    return notYet(op, "this element type");
  verbatim(loc, "__gm__ " + *element + "* " + pointer + " = {};", at);
  Type pointee = emitType(view->element);
  Value known = literal(loc, pointer, emitc::PointerType::get(pointee));
  call(loc, "dcci", {known, literal(loc, kOneLine)});
  if (op.getResult().use_empty())
    return success();
  Value place = emitc::DereferenceOp::create(
      builder, loc, emitc::LValueType::get(pointee), known);
  return declare(loc, op.getResult(), name, place);
}

LogicalResult KernelWriter::emitWrite(WriteOp op) {
  Location loc = op.getLoc();
  FailureOr<GmView> view = viewOf(op, op.getTarget());
  if (failed(view))
    return failure();
  Value at = address(loc, *view, op.getIndices());
  Value value = operand(loc, op.getValue());
  FailureOr<std::string> element = cppType(view->element);
  if (!at || !value || failed(element))
    return failure();
  line(loc);
  std::string pointer = names.make(hint(op.getValue(), "value") + "_at");
  verbatim(loc, "__gm__ " + *element + "* " + pointer + " = {};", at);
  Type pointee = emitType(view->element);
  Value known = literal(loc, pointer, emitc::PointerType::get(pointee));
  Value place = emitc::DereferenceOp::create(
      builder, loc, emitc::LValueType::get(pointee), known);
  emitc::AssignOp::create(builder, loc, place, value);
  call(loc, "dcci",
       {known, literal(loc, kOneLine),
        literal(loc, "dcci_dst_t::CACHELINE_OUT")});
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static StringRef roundText(RoundMode mode) {
  switch (mode) {
  case RoundMode::none:
    return "RoundMode::CAST_NONE";
  case RoundMode::rint:
    return "RoundMode::CAST_RINT";
  case RoundMode::round:
    return "RoundMode::CAST_ROUND";
  case RoundMode::floor:
    return "RoundMode::CAST_FLOOR";
  case RoundMode::ceil:
    return "RoundMode::CAST_CEIL";
  case RoundMode::trunc:
    return "RoundMode::CAST_TRUNC";
  case RoundMode::odd:
    return "RoundMode::CAST_ODD";
  }
  llvm_unreachable("a rounding mode");
}

static std::string pipeText(Pipe pipe) {
  return "PIPE_" + stringifyPipe(pipe).upper();
}

LogicalResult KernelWriter::emitFillPad(FillPadOp op) {
  FailureOr<TileName *> dst = tile(op, op.getDst());
  FailureOr<TileName *> source = tile(op, op.getSource());
  if (failed(dst) || failed(source))
    return failure();
  if ((*dst)->type.getSpace() != MemorySpace::vec)
    return notYet(op, "a fill outside the vector unit's memory");
  bool sameBox = (*dst)->type.getRows() == (*source)->type.getRows() &&
                 (*dst)->type.getCols() == (*source)->type.getCols();
  StringRef callee = !sameBox ? "TFILLPAD_EXPAND"
                     : (*dst)->address == (*source)->address
                         ? "TFILLPAD_INPLACE"
                         : "TFILLPAD";
  // The value is part of the tile's type, so the fill has a name of its own.
  std::string name = names.make((*dst)->name + "_padded");
  Value padded = declareTile(op, name, (*dst)->type, (*dst)->valid,
                             (*dst)->address, op.getPad());
  if (!padded)
    return failure();
  instruction(op, callee, {padded, (*source)->leaf});
  return success();
}

LogicalResult KernelWriter::emitTileOp(TileOpInterface op) {
  Location loc = op.getLoc();
  if (auto load = dyn_cast<LoadOp>(*op))
    return emitLoad(load);
  if (auto store = dyn_cast<StoreOp>(*op))
    return emitStore(store);
  if (isa<PushOp, PopOp>(*op))
    return emitHandshake(op);
  if (auto fill = dyn_cast<FillPadOp>(*op))
    return emitFillPad(fill);
  if (std::optional<LogicalResult> result = emitComm(op))
    return *result;
  if (!op.getDstOperand())
    return op->emitOpError() << "works on tile values; emission needs buffers "
                                "(phase `tiles`)";
  bool asRow = usesRow(op);
  FailureOr<TileName *> dst = tile(op, op.getDstOperand()->get());
  if (failed(dst))
    return failure();
  TileName target = **dst;
  auto addPlain = [&](const TileName &tile, SmallVectorImpl<Value> &to) {
    to.push_back(asRow && tile.row ? tile.row : tile.leaf);
  };
  // Destination, sources, numbers, scratch: the order of every instruction.
  SmallVector<Value> arguments;
  addPlain(target, arguments);
  for (auto [index, source] : llvm::enumerate(op.getTileSources())) {
    FailureOr<TileName *> known = tile(op, source->get());
    if (failed(known))
      return failure();
    FailureOr<Value> leaf = withExtents(
        op, **known, wantedExtents(op, index, **known, target), asRow);
    if (failed(leaf))
      return failure();
    arguments.push_back(*leaf);
  }
  for (Value value : op->getOperands()) {
    if (isa<BufferType, MemRefType>(value.getType()))
      continue;
    Value number = operand(loc, value);
    if (!number)
      return failure();
    arguments.push_back(number);
  }
  for (Value scratch : op.getScratchBuffers()) {
    FailureOr<TileName *> known = tile(op, scratch);
    if (failed(known))
      return failure();
    addPlain(**known, arguments);
  }

  SmallVector<std::string> templates;
  if (auto convert = dyn_cast<CastOp>(*op)) {
    arguments.push_back(literal(loc, roundText(convert.getMode())));
    // Floats to integers saturate; floats keep their infinities.
    Type from =
        cast<BufferType>(convert.getSource().getType()).getElementType();
    Type to = cast<BufferType>(convert.getDst().getType()).getElementType();
    if (isa<FloatType>(from))
      arguments.push_back(literal(loc, isa<FloatType>(to)
                                           ? "SaturationMode::OFF"
                                           : "SaturationMode::ON"));
  } else if (auto extract = dyn_cast<ExtractOp>(*op)) {
    arguments.push_back(literal(loc, std::to_string(extract.getRow())));
    arguments.push_back(literal(loc, std::to_string(extract.getCol())));
  } else if (auto iota = dyn_cast<IotaOp>(*op)) {
    templates = {"decltype(" + target.name + ")",
                 *cppType(target.type.getElementType()), "0"};
  } else if (auto gather = dyn_cast<GatherOp>(*op);
             gather && !gather.getFlat()) {
    return notYet(op, "a gather by columns of each row");
  }
  SmallVector<StringRef> templateTexts(templates.begin(), templates.end());
  instruction(op, op.getFacts().isa, arguments, templateTexts);
  return success();
}

LogicalResult KernelWriter::emitOp(Operation *op) {
  Location loc = op->getLoc();
  if (std::optional<LogicalResult> result = emitComm(op))
    return *result;
  auto flag = [&](StringRef callee, Pipe from, Pipe to, uint64_t event) {
    call(loc, callee,
         {literal(loc, pipeText(from)), literal(loc, pipeText(to)),
          literal(loc, "EVENT_ID" + std::to_string(event))});
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](BufferOp buffer) {
        return emitBuffer(op, buffer.getName(), buffer.getType(),
                          buffer.getValid(), buffer.getAddress());
      })
      .Case([&](BufferViewOp view) -> LogicalResult {
        FailureOr<TileName *> source = tile(op, view.getSource());
        if (failed(source))
          return failure();
        std::optional<int64_t> address = view.getAddress();
        if (!address)
          address = (*source)->address + view.getOffset();
        return emitBuffer(op, view.getName(), view.getType(), view.getValid(),
                          address);
      })
      .Case([&](TileOpInterface tileOp) { return emitTileOp(tileOp); })
      .Case([&](ReadOp read) { return emitRead(read); })
      .Case([&](WriteOp write) { return emitWrite(write); })
      .Case([&](BlockIdxOp id) {
        setLeaf(id.getResult(), blockIdx);
        return success();
      })
      .Case([&](BlockNumOp number) {
        setLeaf(number.getResult(), blockNum);
        return success();
      })
      .Case([&](SubblockIdxOp id) {
        setLeaf(id.getResult(), lane);
        return success();
      })
      .Case([&](RingOp) { return emitRing(op); })
      .Case<CubeOp, VectorOp>([&](auto side) {
        return isOtherSide(op) ? success() : emitBlock(side.getBody().front());
      })
      .Case([&](SetFlagOp set) {
        return flag("set_flag", set.getFrom(), set.getTo(), set.getEvent());
      })
      .Case([&](WaitFlagOp wait) {
        return flag("wait_flag", wait.getFrom(), wait.getTo(), wait.getEvent());
      })
      .Case([&](PipeBarrierOp barrier) {
        call(loc, "pipe_barrier", literal(loc, pipeText(barrier.getPipe())));
        return success();
      })
      .Case([&](memref::DimOp dim) { return emitDim(dim); })
      .Case<memref::SubViewOp, memref::ReinterpretCastOp, memref::CastOp>(
          [&](auto) { return success(); }) // resolved where they are used
      .Default([&](Operation *) { return notYet(op, "this op in a kernel"); });
}
