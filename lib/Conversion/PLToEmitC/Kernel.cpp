//===- Kernel.cpp - One kernel as one C++ file ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"

using namespace mlir;
using namespace mlir::pl;

// What the runtime passes to one task at most.
static constexpr unsigned kMaxTensors = 32;
static constexpr unsigned kMaxScalars = 16;

bool KernelWriter::isOtherSide(Operation *op) const {
  return isCube() ? isa<VectorOp>(op) : isa<CubeOp>(op);
}

void KernelWriter::walkOps(function_ref<void(Operation *)> visit) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isMixed() && isOtherSide(op))
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
}

static bool asksExtent(Value tensor) {
  return llvm::any_of(tensor.getUsers(), [](Operation *user) {
    return isa<memref::DimOp, memref::CastOp>(user);
  });
}

LogicalResult KernelWriter::collectParameters() {
  unsigned numTensors = kernel.getNumTensors();
  unsigned numArguments = kernel.getArgumentTypes().size();
  if (numTensors > kMaxTensors)
    return kernel.emitOpError()
           << "has " << numTensors << " tensors, but a task takes at most "
           << kMaxTensors;
  if (numArguments - numTensors > kMaxScalars)
    return kernel.emitOpError()
           << "has " << numArguments - numTensors
           << " scalars, but a task takes at most " << kMaxScalars;
  for (unsigned i = 0; i < numArguments; ++i) {
    BlockArgument argument = kernel.getBody().getArgument(i);
    Parameter parameter;
    parameter.value = argument;
    parameter.name = names.make(kernel.getArgName(i));
    if (auto memref = dyn_cast<MemRefType>(argument.getType())) {
      FailureOr<std::string> element = cppType(memref.getElementType());
      if (failed(element))
        return kernel.emitOpError() << "argument '" << kernel.getArgName(i)
                                    << "' has no C++ element type";
      if (!memref.getLayout().isIdentity())
        return kernel.emitOpError()
               << "argument '" << kernel.getArgName(i)
               << "' is a view; kernels take whole tensors";
      parameter.type = "__gm__ " + *element + "*";
      parameter.emitted = emitc::PointerType::get(opaque("__gm__ " + *element));
    } else {
      FailureOr<std::string> type = cppType(argument.getType());
      if (failed(type) || argument.getType().isF16() ||
          argument.getType().isBF16())
        return kernel.emitOpError()
               << "argument '" << kernel.getArgName(i)
               << "' has a type no task argument has: " << argument.getType();
      parameter.type = *type;
      parameter.emitted = emitType(argument.getType());
    }
    parameters.push_back(std::move(parameter));
  }
  if (usesContext(kernel)) {
    if (numArguments - numTensors == kMaxScalars)
      return kernel.emitOpError()
             << "has " << kMaxScalars
             << " scalars, and none is left for the context of the ranks";
    Parameter parameter;
    parameter.name = names.make(kContextName);
    parameter.type = "__gm__ CommContext*";
    parameter.emitted = emitc::PointerType::get(opaque("__gm__ CommContext"));
    parameter.isContext = true;
    parameters.push_back(std::move(parameter));
  }
  // Extents that strides or bounds need.
  for (unsigned i = 0; i < numTensors; ++i) {
    auto memref = cast<MemRefType>(kernel.getArgumentTypes()[i]);
    auto dimNames = kernel.getArgAttrOfType<ArrayAttr>(i, PLDialect::kDims);
    unsigned dynamic = 0;
    for (int64_t axis = 0; axis < memref.getRank(); ++axis) {
      if (!memref.isDynamicDim(axis))
        continue;
      Parameter parameter; // its name is made unique where it is used
      parameter.name = (kernel.getArgName(i) + "_dim" + Twine(axis)).str();
      parameter.isSymbol = dimNames && dynamic < dimNames.size();
      if (parameter.isSymbol)
        parameter.name = cast<DimAttr>(dimNames[dynamic]).getName().str();
      ++dynamic;
      // The outermost extent is no factor of a stride.
      if (axis == 0 && !asksExtent(kernel.getBody().getArgument(i)))
        continue;
      parameter.type = "int64_t";
      parameter.emitted = builder.getI64Type();
      parameter.tensor = i;
      parameter.axis = axis;
      parameters.push_back(std::move(parameter));
    }
  }
  return success();
}

void KernelWriter::writePrologue(Location loc) {
  verbatim(loc,
           "// " + Names::comment(kernel.getName()) + ": " +
               (isMixed() ? "what a task does on the " : "a kernel for the ") +
               (isCube() ? "cube" : "vector") + " cores.");
  emitc::IncludeOp::create(builder, loc, builder.getStringAttr("cstdint"),
                           builder.getUnitAttr());
  verbatim(loc, "");
  verbatim(loc, "#ifndef __gm__\n#define __gm__\n#endif");
  verbatim(loc, "#ifndef __aicore__\n#if defined(__CPU_SIM)\n#define "
                "__aicore__\n#else\n#define __aicore__ [aicore]\n#endif\n"
                "#endif\n");
  if (isMixed() && !isCube())
    verbatim(loc,
             "#if !defined(__CPU_SIM)\n#include \"intrinsic.h\"\n"
             "// Both vector cores of a cluster run this kernel; the FIFO asks "
             "which one it is on.\n"
             "[[block_local]] static int32_t runtime_lane;\n"
             "#define get_subblockid() runtime_lane\n#endif\n");
  emitc::IncludeOp::create(builder, loc,
                           builder.getStringAttr("pto/pto-inst.hpp"),
                           builder.getUnitAttr());
  for (StringRef header : {"tensor.h", "intrinsic.h"})
    emitc::IncludeOp::create(builder, loc, builder.getStringAttr(header),
                             UnitAttr());
  writeCommPrologue(loc);
}

static emitc::FuncOp createFunction(OpBuilder &builder, Location loc,
                                    StringRef name, TypeRange inputs,
                                    TypeRange results,
                                    ArrayRef<StringRef> specifiers) {
  auto type = builder.getFunctionType(inputs, results);
  auto function = emitc::FuncOp::create(builder, loc, name, type);
  function.setSpecifiersAttr(builder.getStrArrayAttr(specifiers));
  function.addEntryBlock();
  return function;
}

LogicalResult KernelWriter::writeBody(StringRef function) {
  Location loc = kernel.getLoc();
  // Uniqueness of the dims: equal symbols are equal extents.
  SmallVector<Parameter> kept;
  llvm::StringMap<unsigned> symbols;
  DenseMap<std::pair<unsigned, unsigned>, unsigned> dimIndex;
  for (Parameter &parameter : parameters) {
    if (parameter.axis) {
      std::string key = (parameter.isSymbol ? "#" : "") + parameter.name;
      auto [known, isNew] = symbols.try_emplace(key, unsigned(kept.size()));
      dimIndex[{parameter.tensor, *parameter.axis}] = known->second;
      if (!isNew)
        continue;
      parameter.name = names.make(parameter.name);
    }
    kept.push_back(std::move(parameter));
  }
  parameters = std::move(kept);

  SmallVector<Type> inputs;
  for (Parameter &parameter : parameters)
    inputs.push_back(parameter.emitted);
  Type i32 = builder.getI32Type();
  inputs.append(isMixed() && !isCube() ? 3 : 2, i32);
  bool defers = kernel.walk([](DeferWaitOp) { return WalkResult::interrupt(); })
                    .wasInterrupted();
  if (defers)
    inputs.push_back(opaque("AsyncCtx&"));
  emitc::FuncOp body = createFunction(builder, loc, function, inputs, {},
                                      {"static", "__aicore__"});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body.getBody().front());

  StringRef macro = isCube() ? "__DAV_CUBE__" : "__DAV_VEC__";
  verbatim(loc, "#if defined(" + macro + ")");
  if (!isCube()) {
    call(loc, "set_mask_norm", {});
    call(loc, "set_vector_mask", {literal(loc, "-1"), literal(loc, "-1")});
  }
  // The printer calls parameters v1, v2, ...: give them back their names. What
  // the body does not use is taken out again below.
  SmallVector<std::pair<Operation *, Value>> rebound;
  auto rebind = [&](StringRef name, StringRef type, Value argument,
                    Type emitted) {
    bool isPointer = isa<emitc::PointerType>(emitted);
    auto declaration = emitc::VerbatimOp::create(
        builder, loc,
        builder.getStringAttr((isPointer ? "" : "const ") + type + " " + name +
                              " = {};"),
        ValueRange(argument));
    Value known = literal(loc, name, emitted);
    rebound.push_back({declaration, known});
    return known;
  };
  SmallVector<Value> known;
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    known.push_back(rebind(parameter.name, parameter.type,
                           body.getArgument(index), parameter.emitted));
    if (parameter.isContext)
      context = known.back();
    if (!parameter.value)
      continue;
    if (isa<MemRefType>(parameter.value.getType())) {
      GmView view;
      view.pointer = known.back();
      views[parameter.value] = view;
    } else {
      setLeaf(parameter.value, known.back());
    }
  }
  for (auto [key, index] : dimIndex)
    dims[key] = known[index];
  Type i64 = builder.getI64Type();
  size_t ids = parameters.size();
  blockIdx =
      rebind(names.make("block_idx"), "int64_t", body.getArgument(ids), i64);
  blockNum = rebind(names.make("block_num"), "int64_t",
                    body.getArgument(ids + 1), i64);
  if (isMixed() && !isCube())
    lane = rebind(names.make("subblock_idx"), "int64_t",
                  body.getArgument(ids + 2), i64);
  if (defers) {
    std::string name = names.make("async_ctx");
    verbatim(loc, "AsyncCtx& " + name + " = {};",
             body.getArgument(inputs.size() - 1));
    asyncContext = literal(loc, name);
  }
  for (unsigned i = 0, e = kernel.getNumTensors(); i < e; ++i) {
    BlockArgument argument = kernel.getBody().getArgument(i);
    FailureOr<GmView> view = argumentView(argument);
    if (failed(view))
      return failure();
    views[argument] = *view;
  }

  if (failed(emitBlock(kernel.getBody().front())))
    return failure();

  // The runtime starts consumers once this returns: nothing may be in flight.
  Block *code = &kernel.getBody().front();
  for (Operation &op : kernel.getBody().front())
    if (isa<CubeOp, VectorOp>(op) && !isOtherSide(&op))
      code = &op.getRegion(0).front();
  auto last =
      code->empty() ? PipeBarrierOp() : dyn_cast<PipeBarrierOp>(code->back());
  if (!last || last.getPipe() != Pipe::all)
    call(loc, "pipe_barrier", {literal(loc, "PIPE_ALL")});
  verbatim(loc, "#endif // " + macro);
  emitc::ReturnOp::create(builder, loc, Value());
  dropUnusedTiles();
  dropUnused();
  for (auto [declaration, name] : llvm::reverse(rebound)) {
    if (!name.use_empty())
      continue;
    name.getDefiningOp()->erase();
    declaration->erase();
  }
  builder.setInsertionPointAfter(body);
  verbatim(loc, "");
  writeEntry(function, body);
  return success();
}

void KernelWriter::writeEntry(StringRef function, emitc::FuncOp body) {
  Location loc = kernel.getLoc();
  emitc::FuncOp entry = createFunction(
      builder, loc, "kernel_entry",
      emitc::PointerType::get(opaque("__gm__ int64_t")), {},
      {"extern \"C\"", "__aicore__", "__attribute__((always_inline))"});
  builder.setInsertionPointToStart(&entry.getBody().front());
  Names local;
  local.reserve(function);
  verbatim(loc, "__gm__ int64_t* args = {};", entry.getArgument(0));
  verbatim(loc, "#if defined(__CCE_AICORE__)");
  verbatim(loc, "// A kernel before this one may have left its atomic mode.");
  call(loc, "set_atomic_none", {});
  verbatim(loc, "#endif");

  // Tensors, scalars, then what the tensors' descriptors tell.
  SmallVector<Value> passed;
  SmallVector<std::string> tensorNames;
  auto declareConst = [&](StringRef type, StringRef hint, const Twine &init) {
    std::string name = local.make(hint);
    verbatim(loc, "const " + type + " " + name + " = " + init + ";");
    return name;
  };
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    std::string slot = "args[" + std::to_string(index) + "]";
    StringRef type = parameter.type;
    std::string name;
    if (parameter.isContext) {
      name = local.make(parameter.name);
      verbatim(loc, type + " " + name + " = reinterpret_cast<" + type + ">(" +
                        slot + ");");
    } else if (parameter.axis) {
      name = declareConst(type, parameter.name,
                          tensorNames[parameter.tensor] + "->shapes[" +
                              Twine(*parameter.axis) + "]");
    } else if (isa<MemRefType>(parameter.value.getType())) {
      name = local.make(parameter.name);
      std::string tensor = local.make(name + "_tensor");
      tensorNames.push_back(tensor);
      verbatim(loc, "__gm__ ChipTensor* " + tensor +
                        " = reinterpret_cast<__gm__ ChipTensor*>(" + slot +
                        ");");
      verbatim(loc, type + " " + name + " = reinterpret_cast<" + type + ">(" +
                        tensor + "->buffer.addr) + " + tensor +
                        "->start_offset;");
    } else if (isa<FloatType>(parameter.value.getType())) {
      name = declareConst(type, parameter.name,
                          "from_u64<" + type + ">(static_cast<uint64_t>(" +
                              slot + "))");
    } else {
      name = declareConst(type, parameter.name,
                          "static_cast<" + type + ">(" + slot + ")");
    }
    passed.push_back(literal(loc, name, parameter.emitted));
  }
  auto passId = [&](StringRef id, StringRef getter) {
    passed.push_back(
        literal(loc, declareConst("int32_t", id, getter + Twine("(args)")),
                builder.getI32Type()));
  };
  passId("block_idx", "get_block_idx");
  passId("block_num", "get_block_num");
  if (isMixed() && !isCube()) {
    passId("subblock_idx", "get_sub_block_id");
    verbatim(loc, "#if !defined(__CPU_SIM)\nruntime_lane = subblock_idx;\n"
                  "#endif");
  }
  if (asyncContext) {
    std::string name = local.make("async_ctx");
    verbatim(loc, "AsyncCtx " + name + " = get_async_ctx(args);");
    passed.push_back(literal(loc, name, opaque("AsyncCtx&")));
  }
  emitc::CallOp::create(builder, loc, body, passed);
  emitc::ReturnOp::create(builder, loc, Value());
}

LogicalResult KernelWriter::write(emitc::FileOp file, StringRef function) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&file.getBodyRegion().front());
  if (failed(collectParameters()))
    return failure();
  unifyTypes();
  writePrologue(kernel.getLoc());
  return writeBody(function);
}
