//===- Program.cpp - decoding a module ------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Executor.h"

#include "pl/Dialect/PL/IR/FuncKinds.h"

using namespace pl::sim;

Program::Program(std::unique_ptr<ProgramCode> code) : code(std::move(code)) {}
Program::Program(Program &&) = default;
Program &Program::operator=(Program &&) = default;
Program::~Program() = default;

/// The orchestration or host program named `entry`, or the only one. A host
/// program stands for all that it runs.
static mlir::func::FuncOp findEntry(mlir::ModuleOp module,
                                    llvm::StringRef entry) {
  llvm::SmallVector<mlir::func::FuncOp, 2> found;
  bool anyHost = llvm::any_of(module.getOps<mlir::func::FuncOp>(), ir::isHost);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    bool runs = !function->hasAttr(ir::PLDialect::kKind) ||
                ir::isOrchestration(function) || ir::isHost(function);
    if (!runs || function.isExternal() ||
        (anyHost && entry.empty() && !ir::isHost(function)))
      continue;
    if (entry.empty() || function.getName() == entry)
      found.push_back(function);
  }
  if (found.size() == 1)
    return found.front();
  if (found.empty())
    module.emitError() << "has no orchestration function"
                       << (entry.empty() ? "" : " named '" + entry.str() + "'")
                       << " to simulate";
  else
    module.emitError() << "has " << found.size()
                       << " orchestration functions; name the entry";
  return {};
}

static TaskKind kindOf(ir::KernelOp kernel) {
  switch (kernel.getCore()) {
  case ir::CoreKind::aic:
    return TaskKind::AIC;
  case ir::CoreKind::aiv:
    return TaskKind::AIV;
  case ir::CoreKind::mix:
    return TaskKind::Mix;
  }
  return TaskKind::AIV;
}

/// A parameter that a kernel takes as a signal is one of the program, too.
static void passSignals(Code &program, llvm::ArrayRef<Code> kernels) {
  for (const Instr &instr : program.instrs) {
    if (instr.op != Op::Launch)
      continue;
    const LaunchDecl &launch = program.launches[instr.imm];
    for (size_t i = 0; i < launch.isTensor.size(); ++i) {
      if (!launch.isTensor[i] || !kernels[launch.kernel].params[i].use.signals)
        continue;
      int32_t slot = program.operands[instr.operands + 1 + i];
      for (ParamDecl &param : program.params)
        if (param.isTensor && param.slot == slot)
          param.use.signals = true;
    }
  }
}

/// Both sides of a mixed kernel; what is common to them goes to `code`.
static bool decodeMixed(ir::KernelOp kernel, Code &code,
                        llvm::StringMap<unsigned> &kernelIds,
                        unsigned &numSites) {
  code.sides.resize(2);
  for (auto [index, side] : llvm::enumerate(code.sides)) {
    side.kind = code.kind;
    if (!Decoder(side, kernelIds, numSites).decodeSide(kernel, index == 0))
      return false;
    if (side.stops) {
      kernel.emitError()
          << "is a mixed kernel that notifies or waits, which is "
             "not simulated yet";
      return false;
    }
  }
  code.name = code.sides[0].name;
  code.loc = code.sides[0].loc;
  code.params = code.sides[0].params;
  code.rings = code.sides[0].rings;
  for (auto [param, other] : llvm::zip(code.params, code.sides[1].params)) {
    param.use.reads |= other.use.reads;
    param.use.writes |= other.use.writes;
    param.use.adds |= other.use.adds;
    param.use.signals |= other.use.signals;
  }
  return true;
}

std::optional<Program> Program::create(mlir::ModuleOp module,
                                       llvm::StringRef entry) {
  auto phase = module->getAttrOfType<mlir::StringAttr>(ir::PLDialect::kPhase);
  if (phase && phase.getValue() != "tiles") {
    module.emitError() << "is in phase '" << phase.getValue()
                       << "'; the simulator executes phase 'tiles'";
    return std::nullopt;
  }
  mlir::func::FuncOp function = findEntry(module, entry);
  if (!function)
    return std::nullopt;
  auto code = std::make_unique<ProgramCode>();
  code->isHost = ir::isHost(function);
  llvm::StringMap<unsigned> kernelIds, programIds;
  Decoder decoder(code->entry, kernelIds, code->numSites,
                  code->isHost ? &programIds : nullptr);
  if (!decoder.decodeFunction(function))
    return std::nullopt;
  code->programs.resize(programIds.size());
  mlir::SymbolTable symbols(module);
  for (auto &[name, id] : programIds) {
    auto program = symbols.lookup<mlir::func::FuncOp>(name);
    if (!program) {
      module.emitError() << "has no program '" << name << "'";
      return std::nullopt;
    }
    Decoder programDecoder(code->programs[id], kernelIds, code->numSites);
    if (!programDecoder.decodeFunction(program))
      return std::nullopt;
  }
  // Kernels launch nothing, so the entry names them all.
  code->kernels.resize(kernelIds.size());
  for (auto &[name, id] : kernelIds) {
    auto kernel = symbols.lookup<ir::KernelOp>(name);
    if (!kernel) {
      module.emitError() << "has no kernel '" << name << "'";
      return std::nullopt;
    }
    Code &kernelCode = code->kernels[id];
    kernelCode.kind = kindOf(kernel);
    if (kernel.getCore() == ir::CoreKind::mix) {
      if (!decodeMixed(kernel, kernelCode, kernelIds, code->numSites))
        return std::nullopt;
      continue;
    }
    Decoder kernelDecoder(kernelCode, kernelIds, code->numSites);
    if (!kernelDecoder.decodeFunction(kernel))
      return std::nullopt;
  }
  for (Code &program : code->programs)
    passSignals(program, code->kernels);
  return Program(std::move(code));
}

RunResult Program::run(llvm::ArrayRef<TensorArg> tensors,
                       llvm::ArrayRef<ScalarArg> scalars,
                       const RunOptions &options) const {
  return Executor(*code, options, /*graphOnly=*/false).run(tensors, scalars);
}

RunResult Program::graph(llvm::ArrayRef<TensorArg> tensors,
                         llvm::ArrayRef<ScalarArg> scalars) const {
  return Executor(*code, {}, /*graphOnly=*/true).run(tensors, scalars);
}
