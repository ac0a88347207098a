//===- Compilation.cpp - One program on its way through the phases --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Compilation.h"

#include "pl/Analysis/Lowerable.h"
#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Driver/Pipeline.h"
#include "pl/Frontend/Lowering.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using pl::frontend::KernelKind;
using pl::frontend::KernelObject;
using pl::frontend::LoadOptions;
using pl::frontend::Session;

namespace pl::driver {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::pl::PLDialect, mlir::emitc::EmitCDialect>();
  mlir::func::registerInlinerExtension(registry);
}

Compilation::Compilation(const Options &options, raw_ostream &err)
    : defines(options.defines), entryName(options.entry), options(options),
      err(err), diagnostics(sources) {
  diagnostics.printTo(err);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadAllAvailableDialects();
  // The source line says more to a user than the op; the flag brings it back.
  auto &flags = cl::getRegisteredOptions();
  auto flag = flags.find("mlir-print-op-on-diagnostic");
  if (flag == flags.end() || flag->second->getNumOccurrences() == 0)
    context->printOpOnDiagnostic(false);
  handler = std::make_unique<SourceDiagnosticHandler>(
      context.get(), diagnostics, options.remarks);
  mlir::applyDefaultTimingManagerCLOptions(timing);
  timingRoot = timing.getRootScope();
}

Compilation::~Compilation() {
  // Locations and the module point into the context; the session into the
  // diagnostics.
  module = {};
  handler.reset();
  session.reset();
  diagnostics.flush();
}

int Compilation::getExitCode() const {
  if (failedUsage || (session && session->hasUsageErrors()))
    return ExitUsage;
  return diagnostics.hasErrors() ? ExitRejected : ExitGood;
}

LogicalResult Compilation::error(const Twine &message,
                                 frontend::DiagCode code) {
  diagnostics.error(code, {}, message);
  diagnostics.flush();
  return failure();
}

LogicalResult Compilation::usageError(const Twine &message,
                                      frontend::DiagCode code) {
  failedUsage = true;
  return error(message, code);
}

std::string Compilation::getStem() const {
  return options.file == "-" ? "stdin" : sys::path::stem(options.file).str();
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Standard input may hold a module or IR; nothing of Python starts like this.
static bool looksLikeIR(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.split('\n').second;
  return text.starts_with("module {") ||
         text.starts_with("module attributes") ||
         text.starts_with("module @") || text.starts_with("#loc");
}

LogicalResult Compilation::cannotRead(StringRef file, StringRef why) {
  return error("cannot read '" + file + "': " + why,
               frontend::DiagCode::UnreadableFile);
}

LogicalResult Compilation::load() {
  Stopwatch::Scope time(stopwatch, "load");
  std::string why;
  // The passes read it only later; what cannot be read is said at once.
  if (!options.schedule.empty() && options.schedule != "-" &&
      !sources.addFile(options.schedule, why))
    return cannotRead(options.schedule, why);
  bool isIR = StringRef(options.file).ends_with(".mlir");
  if (!isIR && options.file != "-")
    return loadSource(nullptr);
  uint32_t buffer = sources.addFile(options.file, why);
  if (!buffer)
    return cannotRead(options.file, why);
  StringRef text = sources.getText(buffer);
  if (isIR || looksLikeIR(text))
    return loadIR(sources.getName(buffer), text);
  return loadSource(&text);
}

/// From `text`, or from the file where there is none.
LogicalResult Compilation::loadSource(const StringRef *text) {
  LoadOptions load;
  load.includeDirs = options.includeDirs;
  load.defines = defines;
  load.argv = options.argv;
  load.output = &err;
  session = std::make_unique<Session>(sources, diagnostics, std::move(load),
                                      frontend::createArrayOps());
  LogicalResult result = text ? session->loadText("<stdin>", *text)
                              : session->loadFile(options.file);
  diagnostics.flush();
  return result;
}

/// The parser of IR calls itself for each bracket; no program nests so deep.
static bool isTooDeep(StringRef text) {
  unsigned depth = 0;
  for (char c : text) {
    if (c == '{' || c == '[' || c == '(') {
      if (++depth > 500)
        return true;
    } else if ((c == '}' || c == ']' || c == ')') && depth > 0) {
      --depth;
    }
  }
  return false;
}

LogicalResult Compilation::loadIR(StringRef name, StringRef text) {
  if (!defines.empty())
    return usageError("-D sets parameters of a source module; '" +
                      options.file + "' is IR, where they are constants");
  if (isTooDeep(text))
    return error("'" + options.file +
                 "' nests its brackets more than 500 deep, which the parser of "
                 "IR does not take");
  mlir::ParserConfig config(context.get());
  module = mlir::parseSourceString<mlir::ModuleOp>(text, config, name);
  if (!module) {
    diagnostics.flush();
    return diagnostics.hasErrors()
               ? LogicalResult(failure())
               : error("'" + options.file + "' holds no module");
  }
  auto attribute = module->getOperation()->getAttrOfType<mlir::StringAttr>(
      mlir::pl::PLDialect::kPhase);
  std::optional<Phase> stated =
      attribute ? parsePhase(attribute.getValue()) : std::nullopt;
  if (!stated || *stated == Phase::AST || *stated == Phase::Cpp)
    return error("'" + options.file +
                 "' does not say its phase: the module needs the attribute "
                 "pl.phase = \"pl\", \"tasks\", \"tiles\" or \"emitc\"");
  phase = *stated;
  if (!options.schedule.empty() && phase != Phase::PL)
    return usageError("--schedule changes tasks of phase 'pl'; '" +
                      options.file + "' is in phase '" + stringify(phase) +
                      "'");
  // Text may say what no source means: it passes what sources pass.
  return phase == Phase::PL ? runPasses(Phase::PL) : success();
}

KernelObject *Compilation::findEntry(StringRef name,
                                     SmallVectorImpl<StringRef> &names) {
  KernelObject *found = session->findKernel(name);
  // What only the main block of the file makes is found last.
  for (KernelObject *kernel : session->getEntries()) {
    names.push_back(kernel->name);
    if (!found && (kernel->name == name ||
                   kernel->programName + "." + kernel->name == name))
      found = kernel;
  }
  return found;
}

LogicalResult Compilation::selectEntry() {
  if (!session)
    return entryName.empty()
               ? success()
               : usageError("--entry names a kernel of a source module; '" +
                            options.file + "' is IR");
  if (!entryName.empty()) {
    SmallVector<StringRef> names;
    entry = findEntry(entryName, names);
    if (entry)
      return success();
    return usageError("the module has no kernel '" + entryName + "'; it has " +
                          (names.empty() ? "none" : join(names, ", ")) +
                          frontend::didYouMean(entryName, names),
                      frontend::DiagCode::NoSuchEntry);
  }
  std::string why;
  entry = session->getMainEntry(why);
  return entry ? success() : error(why, frontend::DiagCode::NoSuchEntry);
}

void Compilation::selectEntry(KernelObject &kernel) {
  entry = &kernel;
  module = {};
  phase = Phase::AST;
}

FailureOr<SmallVector<KernelObject *>> Compilation::listEntries() {
  SmallVector<KernelObject *> entries;
  if (!session && options.entry.empty())
    return entries;
  std::string why;
  if (!options.entry.empty()) {
    if (failed(selectEntry()))
      return failure();
    entries.push_back(entry);
  } else if (KernelObject *main = session->getMainEntry(why)) {
    entries.push_back(main);
  } else {
    for (KernelObject *kernel : session->getEntries())
      entries.push_back(kernel);
  }
  return entries;
}

bool Compilation::canCheckAlone(const KernelObject &kernel) {
  const frontend::Param *param = session->findUnknownShape(kernel);
  if (!param)
    return true;
  StringRef name = param->name;
  diagnostics
      .report(frontend::Severity::Remark, frontend::DiagCode::BadAnnotation,
              param->range,
              "what '" + name + "' is, only callers of '" + kernel.name +
                  "' know: what this kernel does is undecided")
      .note({}, "write its shape and dtype, as in pl.Tensor[[8, 64], pl.FP32]");
  diagnostics.flush();
  return false;
}

mlir::func::FuncOp Compilation::getEntryFunction() {
  for (auto function : module->getOps<mlir::func::FuncOp>())
    if (!function.isPrivate())
      return function;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

LogicalResult Compilation::lower() {
  Stopwatch::Scope time(stopwatch, "lower");
  // Errors of an entry before this one do not count.
  unsigned errors = diagnostics.getNumErrors();
  module = frontend::lowerToMLIR(*context, *session, *entry);
  diagnostics.flush();
  if (!module && diagnostics.getNumErrors() == errors)
    return error("internal: the lowering failed without a reason");
  return success(module && diagnostics.getNumErrors() == errors);
}

LogicalResult Compilation::advance(Phase next) {
  if (next == Phase::PL && failed(lower()))
    return failure();
  return runPasses(next);
}

LogicalResult Compilation::runPasses(Phase next) {
  Stopwatch::Scope time(stopwatch, ("to " + stringify(next)).str());
  mlir::PassManager pm(context.get());
  if (failed(mlir::applyPassManagerCLOptions(pm))) {
    failedUsage = true;
    return failure();
  }
  mlir::TimingScope scope = timingRoot.nest(("to " + stringify(next)).str());
  pm.enableTiming(scope);
  PipelineOptions pipeline{options.machine, options.schedule,
                           options.remarks.has_value(), mayStop};
  if (next == Phase::PL)
    buildSourcePipeline(pm, options.machine);
  else if (next == Phase::Tasks)
    buildTasksPipeline(pm, pipeline);
  else if (next == Phase::Tiles)
    buildTilesPipeline(pm, pipeline);
  else
    buildEmitCPipeline(pm);
  unsigned errors = diagnostics.getNumErrors();
  // Of kernels, more than the door of the phase knows is not lowered yet.
  bool isDemoted = false;
  mlir::ScopedDiagnosticHandler demote(
      context.get(), [&](mlir::Diagnostic &diagnostic) {
        std::string text = diagnostic.str();
        StringRef what = text;
        if (!mayStop || next != Phase::Tiles ||
            diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error ||
            !what.consume_front("PL099: "))
          return failure();
        isDemoted = true;
        mlir::emitRemark(diagnostic.getLocation())
            << what << ": what later phases check of this entry is undecided";
        return success();
      });
  LogicalResult result = pm.run(*module);
  diagnostics.flush();
  auto isUndecided = [](mlir::Operation &op) {
    return op.hasAttr(mlir::pl::kUndecided);
  };
  stopped = failed(result) && diagnostics.getNumErrors() == errors &&
            (isDemoted || isUndecided(**module) ||
             llvm::any_of(*module->getBody(), isUndecided));
  if (stopped)
    return failure();
  if (failed(result) && diagnostics.getNumErrors() == errors)
    return error("internal: the passes to phase '" + stringify(next) +
                 "' failed without a reason; "
                 "--mlir-print-ir-after-failure shows the module");
  return success(succeeded(result) && diagnostics.getNumErrors() == errors);
}

LogicalResult Compilation::compileTo(Phase target) {
  if (phase == Phase::AST && target > Phase::PL && entry &&
      !frontend::isProgram(*entry)) {
    diagnostics.error(frontend::DiagCode::NoSuchEntry, entry->def->headerRange,
                      "an entry must be @pl.jit or @pl.jit.host, but '" +
                          entry->name + "' is " + entry->getSpelling());
    diagnostics.flush();
    return failure();
  }
  if (phase > target)
    return error("'" + options.file + "' is in phase '" + stringify(phase) +
                 "', past '" + stringify(target) +
                 "', which is needed here; give a file of that phase or of an "
                 "earlier one");
  if (phase != Phase::AST && afterPhase &&
      failed(afterPhase(phase, module.get())))
    return failure();
  while (phase < target) {
    Phase next = static_cast<Phase>(static_cast<unsigned>(phase) + 1);
    if (failed(advance(next)))
      return failure();
    phase = next;
    if (afterPhase && failed(afterPhase(phase, module.get())))
      return failure();
  }
  return success();
}

} // namespace pl::driver
