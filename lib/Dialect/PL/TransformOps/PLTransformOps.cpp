//===- PLTransformOps.cpp - What a schedule says --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/TransformOps/PLTransformOps.h"

#include "pl/Dialect/PL/Transforms/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::pl;
using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

#define GET_OP_CLASSES
#include "pl/Dialect/PL/TransformOps/PLTransformOps.cpp.inc"

namespace {
struct PLTransformExtension
    : transform::TransformDialectExtension<PLTransformExtension> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PLTransformExtension)

  using Base::Base;
  void init() {
    declareGeneratedDialect<PLDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "pl/Dialect/PL/TransformOps/PLTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mlir::pl::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<PLTransformExtension>();
}

//===----------------------------------------------------------------------===//
// What all of them share
//===----------------------------------------------------------------------===//

/// What `plc explain` says of a schedule that cannot be applied.
constexpr StringLiteral kCode = "PL120: ";

/// Tasks, or why there are none: a transform of Schedule.h on one task.
using Transform = function_ref<FailureOr<SmallVector<Operation *>>(
    Operation *task, Diagnostic &refusal)>;

/// "pl.spmdize", for the notes of a refusal.
static StringRef wordOf(Operation *schedule) {
  StringRef name = schedule->getName().getStringRef();
  name.consume_front("transform.");
  return name;
}

/// A handle of what is no task, such as the program itself.
static DiagnosedSilenceableFailure checkTask(Operation *schedule,
                                             Operation *task) {
  if (isa<AtOp, SpmdOp, DummyOp>(task))
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure wrong = emitSilenceableFailure(schedule)
                                      << kCode << wordOf(schedule)
                                      << " takes a task, and this handle is ";
  if (isa<ModuleOp>(task))
    wrong << "of the whole program";
  else if (isa<func::FuncOp>(task))
    wrong << "of a function";
  else
    wrong << "of '" << task->getName() << "'";
  wrong << "; take a task by its name, with transform.pl.task \"NAME\" in it";
  return wrong;
}

static LogicalResult checkNumber(Operation *schedule, StringRef word,
                                 int64_t number) {
  if (number >= 1 && number <= INT32_MAX)
    return success();
  return schedule->emitError()
         << kCode << wordOf(schedule) << ": " << word << " is " << number
         << ", but must be between 1 and " << INT32_MAX;
}

static DiagnosedSilenceableFailure
transformOne(Operation *schedule, Operation *task, Transform transform,
             SmallVector<Operation *> &made) {
  DiagnosedSilenceableFailure wrong = checkTask(schedule, task);
  if (!wrong.succeeded())
    return wrong;
  Diagnostic refusal(task->getLoc(), DiagnosticSeverity::Error);
  FailureOr<SmallVector<Operation *>> tasks = transform(task, refusal);
  if (failed(tasks)) {
    Diagnostic report(refusal.getLocation(), DiagnosticSeverity::Error);
    report << kCode << refusal.str();
    for (Diagnostic &note : refusal.getNotes())
      report.attachNote(note.getLocation()) << note.str();
    report.attachNote(schedule->getLoc())
        << "asked for here, by " << wordOf(schedule);
    return DiagnosedSilenceableFailure::silenceableFailure(std::move(report));
  }
  llvm::append_range(made, *tasks);
  return DiagnosedSilenceableFailure::success();
}

/// The one task of a handle; null where it is empty.
template <typename Range>
static DiagnosedSilenceableFailure takeOne(Operation *schedule, Range &&payload,
                                           StringRef role, Operation *&task) {
  SmallVector<Operation *> tasks = llvm::to_vector(payload);
  task = tasks.empty() ? nullptr : tasks.front();
  if (tasks.size() > 1)
    return emitSilenceableFailure(schedule)
           << kCode << wordOf(schedule) << " takes one task as its " << role
           << ", and this handle is of " << tasks.size();
  return task ? checkTask(schedule, task)
              : DiagnosedSilenceableFailure::success();
}

/// The same, of one kind.
template <typename Op, typename Range>
static DiagnosedSilenceableFailure takeOne(Operation *schedule, Range &&payload,
                                           StringRef role, Op &task) {
  Operation *any;
  DiagnosedSilenceableFailure result = takeOne(schedule, payload, role, any);
  if (!result.succeeded())
    return result;
  task = dyn_cast_or_null<Op>(any);
  if (task || !any)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure wrong = emitSilenceableFailure(schedule)
                                      << kCode << wordOf(schedule)
                                      << " takes a " << Op::getOperationName()
                                      << " as its " << role;
  wrong.attachNote(any->getLoc()) << "this is a " << any->getName();
  return wrong;
}

static SmallVector<StringRef> strings(ArrayAttr names) {
  return llvm::to_vector(names.getAsValueRange<StringAttr>());
}

static Distribution distributionOf(bool strided) {
  return strided ? Distribution::strided : Distribution::contiguous;
}

static FailureOr<SpmdOp> needSpmd(Diagnostic &refusal, Operation *task) {
  refusal
      << "task '" << taskName(task)
      << "' has one block, and there is nothing to share; it takes a pl.spmd";
  return failure();
}

static FailureOr<SpmdOp> needAt(Diagnostic &refusal, Operation *task) {
  refusal << "task '" << taskName(task)
          << "' has blocks already; it takes a task of one block";
  return failure();
}

//===----------------------------------------------------------------------===//
// TaskOp
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
transform::TaskOp::apply(TransformRewriter &rewriter, TransformResults &results,
                         TransformState &state) {
  SmallVector<Operation *> found;
  llvm::StringSet<> seen;
  SmallVector<StringRef> names;
  for (Operation *scope : state.getPayloadOps(getScope()))
    scope->walk([&](Operation *op) {
      if (!isa<AtOp, SpmdOp, DummyOp>(op))
        return;
      StringRef name = taskName(op);
      if (name == getName())
        found.push_back(op);
      else if (!name.empty() && seen.insert(name).second)
        names.push_back(name);
    });
  if (found.empty() && !getOptional()) {
    StringRef nearest;
    unsigned distance = std::max<size_t>(2, getName().size() / 3) + 1;
    for (StringRef name : names)
      if (unsigned d = name.edit_distance(getName(), true, distance);
          d < distance) {
        distance = d;
        nearest = name;
      }
    DiagnosedSilenceableFailure missing = emitSilenceableError()
                                          << kCode << "there is no task '"
                                          << getName() << "'";
    if (!nearest.empty())
      missing.attachNote() << "did you mean '" << nearest << "'?";
    else
      missing.attachNote() << "the tasks are " << llvm::join(names, ", ");
    return missing;
  }
  results.set(cast<OpResult>(getTasks()), found);
  return DiagnosedSilenceableFailure::success();
}

void transform::TaskOp::getEffects(Effects &effects) {
  onlyReadsHandle(getScopeMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  onlyReadsPayload(effects);
}

//===----------------------------------------------------------------------===//
// SplitFusedTasksOp
//===----------------------------------------------------------------------===//

ParseResult transform::SplitFusedTasksOp::parse(OpAsmParser &parser,
                                                OperationState &state) {
  OpAsmParser::UnresolvedOperand target;
  Type type = AnyOpType::get(parser.getContext());
  ArrayAttr names = parser.getBuilder().getArrayAttr({});
  if (parser.parseOperand(target) ||
      parser.resolveOperand(target, type, state.operands) ||
      (succeeded(parser.parseOptionalKeyword("into")) &&
       parser.parseAttribute(names)) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addAttribute("names", names);
  state.addTypes(SmallVector<Type>(std::max<size_t>(1, names.size()), type));
  return success();
}

void transform::SplitFusedTasksOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTarget();
  if (!getNames().empty())
    printer << " into " << getNames();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"names"});
}

DiagnosedSilenceableFailure
transform::SplitFusedTasksOp::apply(TransformRewriter &rewriter,
                                    TransformResults &results,
                                    TransformState &state) {
  SmallVector<StringRef> names = strings(getNames());
  SmallVector<SmallVector<Operation *>> parts(getNumResults());
  for (Operation *task : llvm::to_vector(state.getPayloadOps(getTarget()))) {
    SmallVector<Operation *> made;
    DiagnosedSilenceableFailure result = transformOne(
        getOperation(), task,
        [&](Operation *op, Diagnostic &refusal) {
          return splitFusedTask(rewriter, op, names, refusal);
        },
        made);
    if (!result.succeeded())
      return result;
    for (auto [index, part] : llvm::enumerate(made))
      parts[names.empty() ? 0 : index].push_back(part);
  }
  for (auto [result, made] : llvm::zip(getOperation()->getOpResults(), parts))
    results.set(result, made);
  return DiagnosedSilenceableFailure::success();
}

void transform::SplitFusedTasksOp::getEffects(Effects &effects) {
  consumesHandle(getTargetMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// Transforms of one task into one
//===----------------------------------------------------------------------===//

/// Each task of the handle becomes one task of many blocks; the result is the
/// handle of these.
template <typename Op>
static DiagnosedSilenceableFailure
transformEach(Op schedule, transform::TransformResults &results,
              transform::TransformState &state,
              function_ref<FailureOr<SpmdOp>(Operation *, Diagnostic &)> make) {
  SmallVector<Operation *> made;
  DiagnosedSilenceableFailure result = DiagnosedSilenceableFailure::success();
  for (Operation *target :
       llvm::to_vector(state.getPayloadOps(schedule.getTarget()))) {
    result = transformOne(
        schedule, target,
        [&](Operation *task,
            Diagnostic &refusal) -> FailureOr<SmallVector<Operation *>> {
          FailureOr<SpmdOp> blocks = make(task, refusal);
          if (failed(blocks))
            return failure();
          return SmallVector<Operation *>{*blocks};
        },
        made);
    if (!result.succeeded())
      break;
  }
  results.set(cast<OpResult>(schedule.getTask()), made);
  return result;
}

DiagnosedSilenceableFailure
transform::SpmdizeOp::apply(TransformRewriter &rewriter,
                            TransformResults &results, TransformState &state) {
  return transformEach(
      *this, results, state, [&](Operation *task, Diagnostic &refusal) {
        auto scope = dyn_cast<AtOp>(task);
        if (!scope)
          return needAt(refusal, task);
        return spmdize(rewriter, scope, getTile(), getWorkers().value_or(0),
                       distributionOf(getStrided()), getName().value_or(""),
                       refusal, getAssumeDisjoint());
      });
}

DiagnosedSilenceableFailure
transform::FanOutMOp::apply(TransformRewriter &rewriter,
                            TransformResults &results, TransformState &state) {
  return transformEach(*this, results, state,
                       [&](Operation *task, Diagnostic &refusal) {
                         return fanOutM(rewriter, task, getFactor(),
                                        distributionOf(getStrided()),
                                        getName().value_or(""), refusal);
                       });
}

DiagnosedSilenceableFailure
transform::CoarsenBlocksOp::apply(TransformRewriter &rewriter,
                                  TransformResults &results,
                                  TransformState &state) {
  return transformEach(*this, results, state,
                       [&](Operation *task, Diagnostic &refusal) {
                         auto scope = dyn_cast<SpmdOp>(task);
                         if (!scope)
                           return needSpmd(refusal, task);
                         return coarsenBlocks(rewriter, scope, getFactor(),
                                              distributionOf(getStrided()),
                                              getName().value_or(""), refusal);
                       });
}

DiagnosedSilenceableFailure
transform::FanOutCollectiveOp::apply(TransformRewriter &rewriter,
                                     TransformResults &results,
                                     TransformState &state) {
  return transformEach(
      *this, results, state, [&](Operation *task, Diagnostic &refusal) {
        auto scope = dyn_cast<AtOp>(task);
        if (!scope)
          return needAt(refusal, task);
        return fanOutCollective(rewriter, scope, getWorkers(), getTile(),
                                distributionOf(getStrided()),
                                getName().value_or(""), refusal);
      });
}

LogicalResult transform::SpmdizeOp::verify() {
  if (failed(checkNumber(*this, "tile", getTile())))
    return failure();
  return getWorkers() ? checkNumber(*this, "workers", *getWorkers())
                      : success();
}

LogicalResult transform::FanOutMOp::verify() {
  return checkNumber(*this, "factor", getFactor());
}

LogicalResult transform::CoarsenBlocksOp::verify() {
  return checkNumber(*this, "factor", getFactor());
}

LogicalResult transform::FanOutCollectiveOp::verify() {
  return failure(failed(checkNumber(*this, "workers", getWorkers())) ||
                 failed(checkNumber(*this, "tile", getTile())));
}

LogicalResult transform::FusePublishOp::verify() {
  return checkNumber(*this, "workers", getWorkers());
}

#define PL_ONE_TASK_EFFECTS(OP)                                                \
  void transform::OP::getEffects(Effects &effects) {                           \
    consumesHandle(getTargetMutable(), effects);                               \
    producesHandle(getOperation()->getOpResults(), effects);                   \
    modifiesPayload(effects);                                                  \
  }
PL_ONE_TASK_EFFECTS(SpmdizeOp)
PL_ONE_TASK_EFFECTS(FanOutMOp)
PL_ONE_TASK_EFFECTS(CoarsenBlocksOp)
PL_ONE_TASK_EFFECTS(FanOutCollectiveOp)
#undef PL_ONE_TASK_EFFECTS

//===----------------------------------------------------------------------===//
// Transforms of several tasks
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
transform::AnchorWaitsOp::apply(TransformRewriter &rewriter,
                                TransformResults &results,
                                TransformState &state) {
  Operation *waiter, *producer, *into = nullptr;
  DiagnosedSilenceableFailure result = takeOne(
      getOperation(), state.getPayloadOps(getTarget()), "target", waiter);
  if (result.succeeded())
    result = takeOne(getOperation(), state.getPayloadOps(getProducer()),
                     "producer", producer);
  if (result.succeeded() && getInto())
    result = takeOne(getOperation(), state.getPayloadOps(getInto()), "consumer",
                     into);
  SmallVector<Operation *> made;
  // Of what is optional and not there, nothing is asked.
  if (!result.succeeded() || !waiter || !producer || (getInto() && !into)) {
    results.set(cast<OpResult>(getTask()), made);
    return result;
  }
  result = transformOne(
      getOperation(), waiter,
      [&](Operation *task,
          Diagnostic &refusal) -> FailureOr<SmallVector<Operation *>> {
        FailureOr<Operation *> waits =
            anchorWaits(rewriter, task, producer,
                        getDeferred() ? WaitForm::deferred : WaitForm::blocking,
                        into, refusal);
        if (failed(waits))
          return failure();
        return SmallVector<Operation *>{*waits};
      },
      made);
  results.set(cast<OpResult>(getTask()), made);
  return result;
}

void transform::AnchorWaitsOp::getEffects(Effects &effects) {
  consumesHandle(getTargetMutable(), effects);
  onlyReadsHandle(getProducerMutable(), effects);
  consumesHandle(getIntoMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  modifiesPayload(effects);
}

DiagnosedSilenceableFailure
transform::FusePublishOp::apply(TransformRewriter &rewriter,
                                TransformResults &results,
                                TransformState &state) {
  SpmdOp producer;
  AtOp exchange;
  DiagnosedSilenceableFailure result = takeOne(
      getOperation(), state.getPayloadOps(getProducer()), "producer", producer);
  if (result.succeeded())
    result = takeOne(getOperation(), state.getPayloadOps(getExchange()),
                     "exchange", exchange);
  SmallVector<Operation *> made;
  if (!result.succeeded() || !producer || !exchange) {
    results.set(cast<OpResult>(getPublish()), made);
    results.set(cast<OpResult>(getFinish()), made);
    return result;
  }
  result = transformOne(
      getOperation(), producer,
      [&](Operation *task,
          Diagnostic &refusal) -> FailureOr<SmallVector<Operation *>> {
        FailureOr<FusedPublish> fused =
            fusePublish(rewriter, producer, exchange, getWorkers(),
                        strings(getNames()), refusal);
        if (failed(fused))
          return failure();
        SmallVector<Operation *> tasks{fused->publish};
        // An exchange that only sent has nothing left to do.
        if (fused->finish)
          tasks.push_back(fused->finish);
        return tasks;
      },
      made);
  if (!result.succeeded())
    return result;
  results.set(cast<OpResult>(getPublish()), ArrayRef(made).take_front());
  results.set(cast<OpResult>(getFinish()), ArrayRef(made).drop_front());
  return result;
}

void transform::FusePublishOp::getEffects(Effects &effects) {
  consumesHandle(getProducerMutable(), effects);
  consumesHandle(getExchangeMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  modifiesPayload(effects);
}
