//===- KernelComm.cpp - What a kernel does with other ranks ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::usesContext(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<PutOp, GetOp, RemoteStoreOp, RemoteLoadOp, NotifyOp,
                   RankOfOp, NumRanksOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void KernelWriter::writeCommPrologue(Location loc) {
  bool reaches = false, notifies = false, defers = false, talks = false;
  kernel.walk([&](Operation *op) {
    notifies |= isa<NotifyOp>(op);
    defers |= isa<DeferWaitOp>(op);
    reaches |= isa<PutOp, GetOp, RemoteStoreOp, RemoteLoadOp, NotifyOp>(op);
    talks |= isa<PutOp, GetOp, NotifyOp, WaitOp>(op);
  });
  auto include = [&](StringRef header) {
    emitc::IncludeOp::create(builder, loc, builder.getStringAttr(header),
                             UnitAttr());
  };
  if (talks)
    include("pto/comm/pto_comm_inst.hpp");
  if (usesContext(kernel))
    include("platform_comm/comm_context.h");
  if (defers)
    include("pto_async_kernel_api.h");
  verbatim(loc, "\nusing namespace pto;\n");
  if (reaches)
    verbatim(
        loc,
        "// The place in the window of another rank that `local` has in this "
        "one's.\n"
        "template <typename T>\n"
        "static __aicore__ inline __gm__ T* on_peer(__gm__ CommContext* ctx, "
        "__gm__ T* local, int64_t peer) {\n"
        "  const uint64_t offset = reinterpret_cast<uint64_t>(local) - "
        "ctx->windowsIn[ctx->rankId];\n"
        "  return reinterpret_cast<__gm__ T*>(ctx->windowsIn[peer] + offset);"
        "\n}\n");
  if (notifies)
    verbatim(loc, "// What this core wrote is in memory before it goes on.\n"
                  "static __aicore__ inline void publish() {\n"
                  "#if defined(__CPU_SIM)\n"
                  "  dsb(0);\n"
                  "#else\n"
                  "  dsb(DSB_DDR);\n"
                  "#endif\n"
                  "}\n");
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelWriter::declareBox(Operation *op, StringRef hint,
                                          Value memref, ValueRange offsets,
                                          ValueRange sizes, Value peer) {
  Location loc = op->getLoc();
  FailureOr<GmView> view = viewOf(op, memref);
  FailureOr<std::string> element =
      cppType(cast<MemRefType>(memref.getType()).getElementType());
  if (failed(view) || failed(element))
    return failure();
  constexpr unsigned kAxes = 5;
  unsigned rank = view->strides.size();
  if (rank > kAxes)
    return notYet(op, "a transfer of more than five axes");
  if (!view->strides.back().isOne())
    return notYet(op, "a window whose columns are not next to each other");
  SmallVector<Value> arguments;
  if (peer)
    arguments.push_back(context);
  arguments.push_back(address(loc, *view, offsets));
  if (!arguments.back())
    return failure();
  if (peer) {
    arguments.push_back(operand(loc, peer));
    if (!arguments.back())
      return failure();
  }
  std::string shape, shapeArguments, stride, strideArguments;
  auto add = [&](const Product &number, std::string &text,
                 std::string &texts) -> LogicalResult {
    text += (text.empty() ? "" : ", ") +
            (number.isConstant() ? std::to_string(number.coefficient) : "-1");
    if (number.isConstant())
      return success();
    arguments.push_back(productExpr(loc, number));
    texts += texts.empty() ? "{}" : ", {}";
    return success(bool(arguments.back()));
  };
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (failed(add(axis + rank < kAxes
                       ? Product::constant(1)
                       : product(OpFoldResult(sizes[axis + rank - kAxes])),
                   shape, shapeArguments)))
      return failure();
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (failed(add(axis + rank < kAxes ? Product::constant(1)
                                       : view->strides[axis + rank - kAxes],
                   stride, strideArguments)))
      return failure();
  std::string name = names.make(hint);
  line(loc);
  verbatim(loc,
           "GlobalTensor<" + *element + ", Shape<" + shape + ">, Stride<" +
               stride + ">, Layout::ND> " + name + "(" +
               (peer ? "on_peer({}, {}, {})" : "{}") + ", Shape<" + shape +
               ">(" + shapeArguments + "), Stride<" + stride + ">(" +
               strideArguments + "));",
           arguments);
  return literal(loc, name);
}

template <typename TransferOp>
LogicalResult KernelWriter::emitTransfer(TransferOp op) {
  constexpr bool isPut = std::is_same_v<TransferOp, PutOp>;
  Location loc = op.getLoc();
  // Their valid extents follow the piece that is under way.
  SmallVector<Value> stages;
  for (Value stage : op.getStages()) {
    auto buffer = stage.template getDefiningOp<BufferOp>();
    if (!buffer)
      return op.emitOpError() << "has a stage that pl.buffer did not make";
    BufferType type = buffer.getType();
    FailureOr<std::string> element = cppType(type.getElementType());
    if (failed(element))
      return failure();
    std::string name = names.make(buffer.getName());
    std::string rows = std::to_string(type.getRows());
    std::string cols = std::to_string(type.getCols());
    verbatim(loc, "Tile<TileType::Vec, " + *element + ", " + rows + ", " +
                      cols + ", BLayout::RowMajor, -1, -1> " + name + "(" +
                      rows + ", " + cols + ");");
    stages.push_back(literal(loc, name));
    call(loc, "TASSIGN", stages.back(),
         {llvm::formatv("{0:x}", *buffer.getAddress()).str()});
  }
  FailureOr<Value> source =
      declareBox(op, "source_gm", op.getSource(), op.getSourceOffsets(),
                 op.getSizes(), isPut ? Value() : op.getPeer());
  FailureOr<Value> target =
      declareBox(op, "target_gm", op.getTarget(), op.getTargetOffsets(),
                 op.getSizes(), isPut ? op.getPeer() : Value());
  if (failed(source) || failed(target))
    return failure();
  SmallVector<Value> arguments{*target, *source};
  llvm::append_range(arguments, stages);
  SmallVector<StringRef> templates;
  if constexpr (isPut)
    if (op.getAtomic() == AtomicKind::add)
      templates.push_back("AtomicType::AtomicAdd");
  instruction(op, isPut ? "comm::TPUT" : "comm::TGET", arguments, templates);
  return success();
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelWriter::declareCell(Operation *op, Value signal,
                                           ValueRange offsets, Value peer) {
  Location loc = op->getLoc();
  FailureOr<GmView> view = viewOf(op, signal);
  if (failed(view))
    return failure();
  SmallVector<Value> arguments;
  if (peer)
    arguments.push_back(context);
  arguments.push_back(address(loc, *view, offsets));
  if (!arguments.back())
    return failure();
  if (peer) {
    arguments.push_back(operand(loc, peer));
    if (!arguments.back())
      return failure();
  }
  std::string name = names.make("cell");
  line(loc);
  verbatim(loc,
           "comm::Signal " + name + "(" +
               (peer ? "on_peer({}, {}, {})" : "{}") + ");",
           arguments);
  return literal(loc, name);
}

LogicalResult KernelWriter::emitNotify(NotifyOp op) {
  Location loc = op.getLoc();
  Value value = operand(loc, op.getValue());
  FailureOr<Value> cell =
      declareCell(op, op.getTarget(), op.getOffsets(), op.getPeer());
  if (!value || failed(cell))
    return failure();
  call(loc, "publish", {});
  instruction(op, "comm::TNOTIFY",
              {*cell, value,
               literal(loc, op.getKind() == NotifyKind::add
                                ? "comm::NotifyOp::AtomicAdd"
                                : "comm::NotifyOp::Set")});
  return success();
}

LogicalResult KernelWriter::emitWait(WaitOp op) {
  Location loc = op.getLoc();
  Value expected = operand(loc, op.getExpected());
  FailureOr<Value> cell =
      declareCell(op, op.getSignal(), op.getOffsets(), Value());
  if (!expected || failed(cell))
    return failure();
  instruction(op, "comm::TWAIT",
              {*cell, expected,
               literal(loc, op.getCmp() == WaitCmp::ge ? "comm::WaitCmp::GE"
                                                       : "comm::WaitCmp::EQ")});
  return success();
}

LogicalResult KernelWriter::emitDeferWait(DeferWaitOp op) {
  Location loc = op.getLoc();
  Value expected = operand(loc, op.getExpected());
  FailureOr<GmView> view = viewOf(op, op.getSignal());
  if (!expected || failed(view))
    return failure();
  Value at = address(loc, *view, op.getOffsets());
  if (!at)
    return failure();
  line(loc);
  std::string name = names.make("counter");
  verbatim(loc, "__gm__ int32_t* " + name + " = {};", at);
  instruction(op, "save_expected_notification_counter",
              {asyncContext, literal(loc, name), expected});
  return success();
}

LogicalResult KernelWriter::emitRank(Operation *op) {
  Location loc = op->getLoc();
  bool isRank = isa<RankOfOp>(op);
  Value result = op->getResult(0);
  std::string name = names.make(hint(result, isRank ? "rank" : "num_ranks"));
  verbatim(loc,
           "const int32_t " + name + " = static_cast<int32_t>({}->" +
               (isRank ? "rankId" : "rankNum") + ");",
           context);
  bind(result, name);
  return success();
}

std::optional<LogicalResult> KernelWriter::emitComm(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](PutOp put) -> Result { return emitTransfer(put); })
      .Case([&](GetOp get) -> Result { return emitTransfer(get); })
      .Case([&](NotifyOp notify) -> Result { return emitNotify(notify); })
      .Case([&](WaitOp wait) -> Result { return emitWait(wait); })
      .Case([&](DeferWaitOp wait) -> Result { return emitDeferWait(wait); })
      .Case<RankOfOp, NumRanksOp>([&](auto) -> Result { return emitRank(op); })
      .Case([&](RemoteLoadOp load) -> Result {
        FailureOr<TileName *> target = tile(op, load.getDst());
        if (failed(target))
          return failure();
        std::string name;
        FailureOr<Value> gm = declareWindow(
            op, **target, (*target)->type, (*target)->valid, load.getSource(),
            load.getOffsets(), name, load.getPeer());
        if (failed(gm))
          return failure();
        instruction(op, "TLOAD", {(*target)->leaf, *gm});
        return success();
      })
      .Case([&](RemoteStoreOp store) -> Result {
        FailureOr<TileName *> source = tile(op, store.getTile());
        if (failed(source))
          return failure();
        std::string name;
        FailureOr<Value> gm = declareWindow(
            op, **source, (*source)->type, (*source)->valid, store.getTarget(),
            store.getOffsets(), name, store.getPeer());
        if (failed(gm))
          return failure();
        SmallVector<std::string> templates;
        if (store.getAtomic() == AtomicKind::add)
          templates = {"decltype(" + (*source)->name + ")",
                       "decltype(" + name + ")", "AtomicType::AtomicAdd"};
        SmallVector<StringRef> texts(templates.begin(), templates.end());
        instruction(op, "TSTORE", {*gm, (*source)->leaf}, texts);
        return success();
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}
