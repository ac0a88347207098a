//===- PLToEmitC.cpp - The pass convert-pl-to-emitc -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Conversion/PLToEmitC/Passes.h"

#include "HostPlan.h"
#include "Kernel.h"
#include "Orchestration.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CONVERTPLTOEMITC
#include "pl/Conversion/PLToEmitC/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static unsigned loopDepth(Operation *root) {
  unsigned deepest = 0;
  root->walk([&](Operation *loop) {
    unsigned depth = 0;
    for (Operation *op = loop; op && op != root; op = op->getParentOp())
      depth += isa<scf::ForOp, ForOp>(op);
    deepest = std::max(deepest, depth);
  });
  return deepest;
}

/// Name, element type, shape with the symbols of its dims, and direction of
/// each parameter of the program.
static ArrayAttr describeParameters(OpBuilder &builder, func::FuncOp function) {
  SmallVector<Attribute> params;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    SmallVector<NamedAttribute> fields;
    if (auto name = function.getArgAttrOfType<StringAttr>(i, PLDialect::kName))
      fields.push_back(builder.getNamedAttr("name", name));
    Type type = function.getArgument(i).getType();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      auto symbols = function.getArgAttrOfType<ArrayAttr>(i, PLDialect::kDims);
      unsigned dynamic = 0;
      SmallVector<Attribute> shape;
      for (int64_t extent : memref.getShape()) {
        if (!ShapedType::isDynamic(extent)) {
          shape.push_back(builder.getI64IntegerAttr(extent));
          continue;
        }
        StringRef symbol = "?";
        if (symbols && dynamic < symbols.size())
          symbol = cast<DimAttr>(symbols[dynamic]).getName();
        ++dynamic;
        shape.push_back(builder.getStringAttr(symbol));
      }
      fields.push_back(builder.getNamedAttr(
          "dtype", TypeAttr::get(memref.getElementType())));
      fields.push_back(
          builder.getNamedAttr("shape", builder.getArrayAttr(shape)));
      auto direction =
          function.getArgAttrOfType<DirectionAttr>(i, PLDialect::kDirection);
      Direction known = direction ? direction.getValue() : Direction::inout;
      fields.push_back(builder.getNamedAttr(
          "direction", builder.getStringAttr(stringifyDirection(known))));
    } else {
      fields.push_back(builder.getNamedAttr("dtype", TypeAttr::get(type)));
      fields.push_back(
          builder.getNamedAttr("direction", builder.getStringAttr("in")));
    }
    params.push_back(builder.getDictionaryAttr(fields));
  }
  if (usesContext(function))
    params.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(kContextName)),
         builder.getNamedAttr("dtype",
                              TypeAttr::get(builder.getIntegerType(64, false))),
         builder.getNamedAttr("direction", builder.getStringAttr("in"))}));
  return builder.getArrayAttr(params);
}

static DictionaryAttr describeKernel(OpBuilder &builder, KernelOp kernel,
                                     CoreKind core, unsigned id) {
  SmallVector<Attribute> signature, arguments;
  unsigned numTensors = kernel.getNumTensors();
  for (unsigned i = 0, e = kernel.getArgumentTypes().size(); i < e; ++i) {
    arguments.push_back(builder.getStringAttr(kernel.getArgName(i)));
    if (i < numTensors)
      signature.push_back(
          builder.getStringAttr(stringifyDirection(kernel.getArgDirection(i))));
  }
  if (usesContext(kernel))
    arguments.push_back(builder.getStringAttr(kContextName));
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("func_id", builder.getI64IntegerAttr(id)),
       builder.getNamedAttr("name", builder.getStringAttr(kernel.getName())),
       builder.getNamedAttr("core",
                            builder.getStringAttr(stringifyCoreKind(core))),
       builder.getNamedAttr("arguments", builder.getArrayAttr(arguments)),
       builder.getNamedAttr("signature", builder.getArrayAttr(signature))});
}

namespace {
struct ConvertPLToEmitC
    : public pl::impl::ConvertPLToEmitCBase<ConvertPLToEmitC> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto phase = module->getAttrOfType<StringAttr>(PLDialect::kPhase);
    if (!phase || phase.getValue() != "tiles") {
      module.emitError() << "is emitted from phase `tiles`, but is in phase `"
                         << (phase ? phase.getValue() : "?") << "`";
      return signalPassFailure();
    }
    OpBuilder builder(&getContext());
    SmallVector<Operation *> sources;
    func::FuncOp host;
    SmallVector<func::FuncOp> programs;
    for (Operation &op : *module.getBody()) {
      sources.push_back(&op);
      if (isa<KernelOp>(op))
        continue;
      auto function = dyn_cast<func::FuncOp>(op);
      if (function && isOrchestration(function)) {
        programs.push_back(function);
      } else if (function && isHost(function) && !host) {
        host = function;
      } else {
        op.emitOpError() << "is not emitted as C++ yet: a program is kernels "
                            "and one orchestration";
        return signalPassFailure();
      }
    }
    if (programs.size() > 1 && !host) {
      programs[1].emitOpError()
          << "is a second orchestration; compile one entry at a time";
      return signalPassFailure();
    }
    if (host) {
      FailureOr<std::string> plan = hostPlanText(host);
      if (failed(plan))
        return signalPassFailure();
      module->setAttr(kHostPlan, builder.getStringAttr(*plan));
    }
    if (programs.empty() && failed(convertProgram(builder, {}, "")))
      return signalPassFailure();
    for (func::FuncOp program : programs)
      if (failed(convertProgram(builder, program,
                                host ? programDirectory(program) + "/" : "")))
        return signalPassFailure();
    for (Operation *op : sources)
      op->erase();
    module->setAttr(PLDialect::kPhase, builder.getStringAttr("emitc"));
  }

  /// One program: its kernels, numbered from 0, and its orchestration. `prefix`
  /// is the folder of its files.
  LogicalResult convertProgram(OpBuilder &builder, func::FuncOp program,
                               const std::string &prefix) {
    ModuleOp module = getOperation();
    llvm::StringSet<> launched;
    if (program)
      program.walk(
          [&](LaunchOp launch) { launched.insert(launch.getKernel()); });
    llvm::StringMap<unsigned> kernelIds;
    unsigned numIds = 0;
    SmallVector<Operation *> parts;
    for (Operation &op : *module.getBody()) {
      if (program && &op == program.getOperation())
        parts.push_back(&op);
      auto kernel = dyn_cast<KernelOp>(op);
      if (!kernel || (!prefix.empty() && !launched.contains(kernel.getName())))
        continue;
      // A mixed kernel has two: the cube's, and then the vector cores'.
      kernelIds[kernel.getName()] = numIds;
      numIds += kernel.getCore() == CoreKind::mix ? 2 : 1;
      parts.push_back(&op);
    }
    // Two kernels may differ only in what C++ cannot say in a name.
    Names files;
    for (Operation *op : parts) {
      builder.setInsertionPointToEnd(module.getBody());
      LogicalResult result = success();
      if (auto kernel = dyn_cast<KernelOp>(op))
        result = convertKernel(builder, kernel, files, kernelIds, prefix);
      else
        result = convertOrchestration(builder, program, kernelIds, prefix);
      if (failed(result))
        return failure();
      ++numFiles;
    }
    return success();
  }

  LogicalResult convertKernel(OpBuilder &builder, KernelOp kernel, Names &files,
                              const llvm::StringMap<unsigned> &kernelIds,
                              const std::string &prefix) {
    std::string function = files.make(kernel.getName());
    unsigned id = kernelIds.lookup(kernel.getName());
    if (kernel.getCore() != CoreKind::mix)
      return convertCore(builder, kernel, kernel.getCore(), function, id,
                         prefix);
    if (failed(
            convertCore(builder, kernel, CoreKind::aic, function, id, prefix)))
      return failure();
    return convertCore(builder, kernel, CoreKind::aiv, function, id + 1,
                       prefix);
  }

  LogicalResult convertCore(OpBuilder &builder, KernelOp kernel, CoreKind core,
                            const std::string &function, unsigned id,
                            const std::string &prefix) {
    builder.setInsertionPointToEnd(getOperation().getBody());
    std::string path = (prefix + "kernels/" + stringifyCoreKind(core) + "/" +
                        function + ".cpp")
                           .str();
    auto file = emitc::FileOp::create(builder, kernel.getLoc(), path);
    file->setAttr(kKernelInfo, describeKernel(builder, kernel, core, id));
    Names names(loopDepth(kernel));
    names.reserve(function);
    KernelWriter writer(builder, names, lineDirectives, kernel, core);
    LogicalResult result = writer.write(file, function);
    numInstructions += writer.getNumInstructions();
    return result;
  }

  LogicalResult convertOrchestration(OpBuilder &builder, func::FuncOp function,
                                     const llvm::StringMap<unsigned> &kernelIds,
                                     const std::string &prefix) {
    std::string name = Names::identifier(function.getName());
    auto file = emitc::FileOp::create(
        builder, function.getLoc(), prefix + "orchestration/" + name + ".cpp");
    file->setAttr(
        kOrchestrationInfo,
        builder.getDictionaryAttr(
            {builder.getNamedAttr("name",
                                  builder.getStringAttr(function.getName())),
             builder.getNamedAttr(
                 "entry", builder.getStringAttr("aicpu_orchestration_entry")),
             builder.getNamedAttr(
                 "config", builder.getStringAttr("aicpu_orchestration_config")),
             builder.getNamedAttr("params",
                                  describeParameters(builder, function))}));
    Names names(loopDepth(function));
    OrchestrationWriter writer(builder, names, lineDirectives, function,
                               function->getParentOfType<ModuleOp>(),
                               kernelIds);
    return writer.write(file);
  }
};
} // namespace
