//===- Orchestration.cpp - The orchestration as one C++ file --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Orchestration.h"

#include "Kernel.h"

#include "pl/Machine/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

bool mlir::pl::usesContext(func::FuncOp function) {
  SymbolTable kernels(function->getParentOfType<ModuleOp>());
  return function
      .walk([&](Operation *op) {
        bool uses = isa<RankOfOp, NumRanksOp>(op);
        if (auto launch = dyn_cast<LaunchOp>(op)) {
          auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
          uses = kernel && usesContext(kernel);
        }
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static StringRef dataType(Type type) {
  if (type.isF32())
    return "FLOAT32";
  if (type.isF16())
    return "FLOAT16";
  if (type.isBF16())
    return "BFLOAT16";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return "";
  switch (integer.getWidth()) {
  case 1:
    return "BOOL";
  case 8:
    return integer.isUnsigned() ? "UINT8" : "INT8";
  case 16:
    return integer.isUnsigned() ? "UINT16" : "INT16";
  case 32:
    return integer.isUnsigned() ? "UINT32" : "INT32";
  case 64:
    return integer.isUnsigned() ? "UINT64" : "INT64";
  default:
    return "";
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

void OrchestrationWriter::writePrologue(Location loc) {
  verbatim(loc,
           "// " + Names::comment(function.getName()) + ": submits the tasks.");
  for (StringRef header : {"stddef.h", "stdint.h"})
    emitc::IncludeOp::create(builder, loc, builder.getStringAttr(header),
                             builder.getUnitAttr());
  verbatim(loc, "");
  emitc::IncludeOp::create(builder, loc,
                           builder.getStringAttr("pto_orchestration_api.h"),
                           UnitAttr());
  bool asksRanks = function
                       .walk([](Operation *op) {
                         return isa<RankOfOp, NumRanksOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (asksRanks)
    emitc::IncludeOp::create(
        builder, loc, builder.getStringAttr("platform_comm/comm_context.h"),
        UnitAttr());
  verbatim(loc, "");
}

static emitc::FuncOp exported(OpBuilder &builder, Location loc, StringRef name,
                              Type input, TypeRange results) {
  auto function = emitc::FuncOp::create(
      builder, loc, name, builder.getFunctionType(input, results));
  function.setSpecifiersAttr(builder.getStrArrayAttr(
      {"extern \"C\"", "__attribute__((visibility(\"default\")))"}));
  function.addEntryBlock();
  return function;
}

void OrchestrationWriter::writeConfig(Location loc) {
  Type config = opaque("PTO2OrchestrationConfig");
  emitc::FuncOp result = exported(builder, loc, "aicpu_orchestration_config",
                                  opaque("const ChipTaskArgs&"), config);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&result.getBody().front());
  verbatim(loc, "PTO2OrchestrationConfig config{" +
                    Twine(function.getNumArguments() + usesContext(function)) +
                    "};");
  emitc::ReturnOp::create(builder, loc, literal(loc, "config", config));
}

LogicalResult OrchestrationWriter::writeParameters() {
  Location loc = function.getLoc();
  unsigned numTensors = 0, numScalars = 0;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto hint = function.getArgAttrOfType<StringAttr>(index, PLDialect::kName);
    std::string name = names.make(hint ? hint.getValue() : "arg");
    if (auto memref = dyn_cast<MemRefType>(argument.getType())) {
      Tensor tensor;
      tensor.name = name;
      verbatim(loc, "const ChipTensor& " + name + " = orch_args.tensor(" +
                        Twine(numTensors++) + ").ref();");
      tensor.leaf = literal(loc, name);
      for (int64_t axis = 0; axis < memref.getRank(); ++axis)
        tensor.extents.push_back(memref.isDynamicDim(axis)
                                     ? name + ".shapes[" +
                                           std::to_string(axis) + "]"
                                     : std::to_string(memref.getDimSize(axis)));
      tensors[argument] = tensor;
      continue;
    }
    FailureOr<std::string> type = cppType(argument.getType());
    if (failed(type))
      return function.emitOpError()
             << "argument '" << name << "' has no C++ type";
    std::string slot = "orch_args.scalar(" + std::to_string(numScalars++) + ")";
    verbatim(loc, "const " + *type + " " + name + " = from_u64<" + *type +
                      ">(" + slot + ");");
    bind(argument, name);
  }
  if (usesContext(function)) {
    std::string name = names.make(kContextName);
    verbatim(loc, "const uint64_t " + name + " = orch_args.scalar(" +
                      Twine(numScalars) + ");");
    context = literal(loc, name);
  }
  return success();
}

LogicalResult OrchestrationWriter::write(emitc::FileOp file) {
  Location loc = function.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&file.getBodyRegion().front());
  if (!function.getBody().hasOneBlock())
    return function.emitOpError() << "expects structured control flow";
  writePrologue(loc);
  writeConfig(loc);
  verbatim(loc, "");
  emitc::FuncOp entry = exported(builder, loc, "aicpu_orchestration_entry",
                                 opaque("const ChipTaskArgs&"), {});
  Block &body = entry.getBody().front();
  builder.setInsertionPointToStart(&body);
  if (function.getNumArguments() != 0 || usesContext(function))
    verbatim(loc, "const ChipTaskArgs& orch_args = {};", body.getArgument(0));
  Operation *last = body.empty() ? nullptr : &body.back();
  if (failed(writeParameters()))
    return failure();
  Operation *lastParameter = body.empty() ? nullptr : &body.back();
  verbatim(loc, "// Tasks wait for the ids they are given and nothing else.");
  verbatim(loc, "PTO2_SCOPE_GUARD(PTO2ScopeMode::MANUAL);");
  if (failed(emitBlock(function.getBody().front())) ||
      failed(flushAllocations(loc)))
    return failure();
  emitc::ReturnOp::create(builder, loc, Value());

  dropUnused();
  // Parameters that no task takes are not declared: each is a declaration and
  // the literal of its name.
  for (Operation *op = lastParameter; op && op != last;) {
    auto name = cast<emitc::LiteralOp>(op);
    Operation *declaration = name->getPrevNode();
    Operation *before = declaration->getPrevNode();
    bool named = llvm::any_of(tensors, [&](auto &entry) {
      return entry.second.leaf == name.getResult() &&
             usedByText.contains(entry.second.name);
    });
    if (name->use_empty() && !named) {
      name->erase();
      declaration->erase();
    }
    op = before;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Extent `axis` of a view, from the op that makes it.
static OpFoldResult viewExtent(Value view, int64_t axis) {
  SmallVector<OpFoldResult> sizes;
  if (auto cast = view.getDefiningOp<memref::ReinterpretCastOp>())
    sizes = cast.getMixedSizes();
  if (auto subview = view.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (auto [index, size] : llvm::enumerate(subview.getMixedSizes()))
      if (!dropped.test(index))
        sizes.push_back(size);
  }
  return axis >= 0 && axis < int64_t(sizes.size()) ? sizes[axis]
                                                   : OpFoldResult();
}

LogicalResult OrchestrationWriter::emitDim(memref::DimOp op) {
  std::optional<int64_t> axis = getConstantIntValue(op.getDimension());
  auto tensor = tensors.find(op.getSource());
  if (OpFoldResult size =
          axis ? viewExtent(op.getSource(), *axis) : OpFoldResult()) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    Value known = constant ? literal(op.getLoc(), std::to_string(*constant),
                                     builder.getI64Type())
                           : operand(op.getLoc(), cast<Value>(size));
    if (known)
      setLeaf(op.getResult(), known);
    return success(bool(known));
  }
  if (!axis || tensor == tensors.end() || *axis < 0 ||
      *axis >= int64_t(tensor->second.extents.size()))
    return notYet(op, "this extent");
  usedByText.insert(tensor->second.name);
  Value extent =
      literal(op.getLoc(), tensor->second.extents[*axis], builder.getI64Type());
  return declare(op.getLoc(), op.getResult(), hint(op.getResult(), "extent"),
                 extent);
}

LogicalResult OrchestrationWriter::flushAllocations(Location loc) {
  while (!pendingAllocations.empty()) {
    // One allocation gives at most as many tensors as a task has arguments.
    SmallVector<AllocOp> batch(
        ArrayRef(pendingAllocations).take_front(::pl::kMaxTaskTensors));
    pendingAllocations.erase(pendingAllocations.begin(),
                             pendingAllocations.begin() + batch.size());
    SmallVector<Value> infos;
    for (AllocOp op : batch) {
      line(op.getLoc());
      auto memref = cast<MemRefType>(op.getMemref().getType());
      StringRef element = dataType(memref.getElementType());
      if (element.empty() || memref.getRank() == 0 || memref.getRank() > 5)
        return notYet(op, "a tensor of this type");
      Tensor &tensor = tensors[op.getMemref()];
      tensor.name = names.make(op.getName());
      std::string shapes = names.make(tensor.name + "_shape");
      std::string text;
      SmallVector<Value> extents;
      unsigned next = 0;
      for (int64_t extent : memref.getShape()) {
        text += text.empty() ? "" : ", ";
        if (!ShapedType::isDynamic(extent)) {
          text += std::to_string(extent);
          tensor.extents.push_back(std::to_string(extent));
          continue;
        }
        extents.push_back(expr(op.getLoc(), op.getDynamicSizes()[next++]));
        if (!extents.back())
          return failure();
        text += "static_cast<uint32_t>({})";
        tensor.extents.push_back(tensor.name + ".shapes[" +
                                 std::to_string(tensor.extents.size()) + "]");
      }
      verbatim(op.getLoc(),
               "const uint32_t " + shapes +
                   "[] = " + (extents.empty() ? "{" : "{{") + text + "};",
               extents);
      std::string info = names.make(tensor.name + "_info");
      verbatim(op.getLoc(), "TensorCreateInfo " + info + "(" + shapes + ", " +
                                Twine(memref.getRank()) +
                                ", DataType::" + element + ");");
      infos.push_back(literal(op.getLoc(), info));
    }
    auto allocation = emitc::CallOpaqueOp::create(
        builder, loc, TypeRange(opaque("TaskOutputTensors")), "alloc_tensors",
        infos, ArrayAttr(), ArrayAttr());
    std::string buffers = names.make("buffers");
    verbatim(loc, "const TaskOutputTensors& " + buffers + " = {};",
             allocation.getResult(0));
    for (auto [index, op] : llvm::enumerate(batch)) {
      Tensor &tensor = tensors[op.getMemref()];
      tensor.owner = buffers + ".task_id()";
      if (op.getMemref().use_empty())
        continue;
      verbatim(op.getLoc(), "const ChipTensor& " + tensor.name + " = " +
                                buffers + ".get_ref(" + Twine(index) + ");");
      tensor.leaf = literal(op.getLoc(), tensor.name);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

LogicalResult OrchestrationWriter::emitDependencies(
    Operation *op, StringRef name, StringRef arguments, ValueRange deps,
    ArrayAttr edges, ArrayRef<std::string> owners) {
  if (deps.empty() && owners.empty())
    return success();
  Location loc = op->getLoc();
  SmallVector<Value> ids;
  std::string text;
  for (auto [index, dep] : llvm::enumerate(deps)) {
    ids.push_back(operand(loc, dep));
    if (!ids.back())
      return failure();
    text += index == 0 ? "{}" : ", {}";
    if (index >= edges.size())
      continue;
    auto edge = cast<EdgeAttr>(edges[index]);
    std::string reason = stringifyEdgeKind(edge.getKind()).str();
    if (edge.getBuffer())
      reason += " " + edge.getBuffer().str();
    if (edge.getRegion())
      reason += " " + edge.getRegion().str();
    auto name = ids.back().getDefiningOp<emitc::LiteralOp>();
    verbatim(loc, "// waits for " + (name ? name.getValue() : "a task") + ": " +
                      reason);
  }
  for (const std::string &owner : owners)
    text += (text.empty() ? "" : ", ") + owner;
  std::string array = names.make((name + "_deps").str());
  verbatim(loc,
           "const PTO2TaskId " + array + "[] = " + (ids.empty() ? "{" : "{{") +
               text + "};",
           ids);
  call(loc, (arguments + ".set_dependencies").str(),
       {literal(loc, array),
        literal(loc, std::to_string(deps.size() + owners.size()))});
  return success();
}

LogicalResult OrchestrationWriter::emitSubmit(Operation *op, StringRef name,
                                              StringRef callee,
                                              ValueRange operands,
                                              Value blocks) {
  Location loc = op->getLoc();
  Value task = op->getResult(0);
  Type outputs = opaque("TaskOutputTensors");
  Value submitted;
  if (!blocks) {
    auto submit = emitc::CallOpaqueOp::create(
        builder, loc, task.use_empty() ? TypeRange() : TypeRange(outputs),
        callee, operands, ArrayAttr(), ArrayAttr());
    if (task.use_empty())
      return success();
    submitted = submit.getResult(0);
  } else if (task.use_empty()) {
    Value zero = literal(loc, "0", builder.getI64Type());
    auto some = emitc::ExpressionOp::create(builder, loc, builder.getI1Type(),
                                            ValueRange{blocks, zero},
                                            /*do_not_inline=*/false);
    OpBuilder in = OpBuilder::atBlockBegin(&some.createBody());
    auto compared = some.getRegion().front().getArguments();
    Value more =
        emitc::CmpOp::create(in, loc, in.getI1Type(), emitc::CmpPredicate::gt,
                             compared[0], compared[1]);
    emitc::YieldOp::create(in, loc, more);
    auto branch = emitc::IfOp::create(builder, loc, some.getResult(),
                                      /*addThenBlock=*/true,
                                      /*addElseBlock=*/true);
    for (bool isReal : {true, false}) {
      OpBuilder::InsertionGuard guard(builder);
      Region &side = isReal ? branch.getThenRegion() : branch.getElseRegion();
      builder.setInsertionPointToEnd(&side.front());
      if (isReal)
        call(loc, callee, operands);
      else
        call(loc, "rt_submit_dummy_task", operands.back());
      emitc::YieldOp::create(builder, loc, Value());
    }
    return success();
  } else {
    // A task of no blocks completes at once; the runtime wants at least one.
    SmallVector<Value> inputs(operands);
    inputs.push_back(blocks);
    inputs.push_back(literal(loc, "0", builder.getI64Type()));
    auto expression = emitc::ExpressionOp::create(builder, loc, outputs, inputs,
                                                  /*do_not_inline=*/true);
    OpBuilder in = OpBuilder::atBlockBegin(&expression.createBody());
    auto arguments = expression.getRegion().front().getArguments();
    unsigned count = arguments.size();
    Value some =
        emitc::CmpOp::create(in, loc, in.getI1Type(), emitc::CmpPredicate::gt,
                             arguments[count - 2], arguments[count - 1]);
    ValueRange called = arguments.take_front(count - 2);
    Value real =
        emitc::CallOpaqueOp::create(in, loc, TypeRange(outputs), callee, called,
                                    ArrayAttr(), ArrayAttr())
            .getResult(0);
    Value dummy = emitc::CallOpaqueOp::create(
                      in, loc, TypeRange(outputs), "rt_submit_dummy_task",
                      called.back(), ArrayAttr(), ArrayAttr())
                      .getResult(0);
    Value chosen =
        emitc::ConditionalOp::create(in, loc, outputs, some, real, dummy);
    emitc::YieldOp::create(in, loc, chosen);
    submitted = expression.getResult();
  }
  if (task.use_empty())
    return success();
  std::string unique = names.make(name);
  verbatim(loc, "const PTO2TaskId " + unique + " = {}.task_id();", submitted);
  bind(task, unique);
  return success();
}

LogicalResult OrchestrationWriter::addScalar(LaunchOp op, StringRef arguments,
                                             Value value) {
  Location loc = op.getLoc();
  Value scalar;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    // The slot has 64 bits, so the literal must have its full width.
    FailureOr<std::string> text = constantText(constant.getValue());
    FailureOr<std::string> type = cppType(value.getType());
    if (failed(text) || failed(type))
      return notYet(op, "a constant of this type");
    scalar = literal(loc, "static_cast<" + *type + ">(" + *text + ")");
  } else {
    scalar = operand(loc, value);
  }
  if (!scalar)
    return failure();
  call(loc, (arguments + ".add_scalar").str(), scalar);
  return success();
}

LogicalResult OrchestrationWriter::emitLaunch(LaunchOp op) {
  Location loc = op.getLoc();
  auto kernel = kernels.lookup<KernelOp>(op.getKernel());
  if (!kernel)
    return op.emitOpError() << "launches '" << op.getKernel()
                            << "', which is no kernel of the module";
  std::string name = names.make(op.getKernel());
  std::string arguments = names.make(name + "_args");
  line(loc);
  verbatim(loc, "CoreTaskArgs " + arguments + ";");
  SmallVector<std::string> owners;
  for (auto [index, value] : llvm::enumerate(op.getArgs())) {
    if (!isa<MemRefType>(value.getType())) {
      if (failed(addScalar(op, arguments, value)))
        return failure();
      continue;
    }
    auto tensor = tensors.find(value);
    if (tensor == tensors.end() || !tensor->second.leaf)
      return notYet(op, "a view as an argument of a task");
    StringRef method;
    switch (kernel.getArgDirection(index)) {
    case Direction::in:
      method = ".add_input";
      break;
    case Direction::out:
      method = ".add_output";
      break;
    case Direction::inout:
      method = ".add_inout";
      break;
    }
    call(loc, arguments + method.str(), tensor->second.leaf);
    const std::string &owner = tensor->second.owner;
    if (!owner.empty() && !llvm::is_contained(owners, owner))
      owners.push_back(owner);
  }
  if (usesContext(kernel))
    call(loc, arguments + ".add_scalar", context);
  std::optional<int64_t> count = getConstantIntValue(op.getBlocks());
  bool isMixed = kernel.getCore() == CoreKind::mix;
  int64_t most = ::pl::kMaxLaunchLanes / (isMixed ? 3 : 1);
  if (count && (*count < 0 || *count > most))
    return op.emitOpError()
           << "has " << *count << " blocks, but a task has 0 to " << most;
  Value blocks;
  std::string submit = isMixed ? "rt_submit_task"
                       : kernel.getCore() == CoreKind::aic
                           ? "rt_submit_aic_task"
                           : "rt_submit_aiv_task";
  if (count && *count > 0) {
    call(loc, arguments + ".launch_spec.set_block_num",
         literal(loc, std::to_string(*count)));
  } else if (!count) {
    blocks = operand(loc, op.getBlocks());
    if (!blocks)
      return failure();
    std::string narrow = names.make(name + "_block_num");
    verbatim(loc, "const int16_t " + narrow + " = static_cast<int16_t>({});",
             blocks);
    call(loc, arguments + ".launch_spec.set_block_num", literal(loc, narrow));
  }
  if (op.getEarlyResolve())
    call(loc, arguments + ".set_allow_early_resolve", {});
  if (failed(emitDependencies(op, name, arguments, op.getDeps(), op.getEdges(),
                              owners)))
    return failure();
  Value known = literal(loc, arguments);
  if (count && *count == 0)
    return emitSubmit(op, name + "_task", "rt_submit_dummy_task", known, {});
  unsigned number = kernelIds.lookup(op.getKernel());
  std::string idText = std::to_string(number);
  if (isMixed) {
    // Both vector cores of a cluster run the vector side.
    std::string vector = std::to_string(number + 1);
    idText = "MixedKernels{" + idText + ", " + vector + ", " + vector + "}";
  }
  Value id = literal(loc, idText);
  return emitSubmit(op, name + "_task", submit, {id, known}, blocks);
}

LogicalResult OrchestrationWriter::emitDummy(DummyOp op) {
  Location loc = op.getLoc();
  std::string name = names.make(op.getName().value_or("dummy"));
  std::string arguments = names.make(name + "_args");
  line(loc);
  verbatim(loc, "CoreTaskArgs " + arguments + ";");
  if (failed(emitDependencies(op, name, arguments, op.getDeps(), op.getEdges(),
                              {})))
    return failure();
  return emitSubmit(op, name + "_task", "rt_submit_dummy_task",
                    literal(loc, arguments), {});
}

LogicalResult OrchestrationWriter::emitOp(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    pendingAllocations.push_back(alloc);
    return success();
  }
  // Kernels make their views again; what is left here says only how large they
  // are.
  if (isa<memref::ReinterpretCastOp, memref::SubViewOp, memref::CastOp>(op))
    return success();
  if (failed(flushAllocations(op->getLoc())))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LaunchOp launch) { return emitLaunch(launch); })
      .Case([&](DummyOp dummy) { return emitDummy(dummy); })
      .Case([&](memref::DimOp dim) { return emitDim(dim); })
      .Case<RankOfOp, NumRanksOp>([&](auto rank) {
        bool isRank = isa<RankOfOp>(op);
        std::string name =
            names.make(hint(rank.getResult(), isRank ? "rank" : "num_ranks"));
        verbatim(op->getLoc(),
                 "const int32_t " + name +
                     " = static_cast<int32_t>(reinterpret_cast<const "
                     "CommContext*>({})->" +
                     (isRank ? "rankId" : "rankNum") + ");",
                 context);
        bind(rank.getResult(), name);
        return success();
      })
      .Default(
          [&](Operation *) { return notYet(op, "this op outside a kernel"); });
}
