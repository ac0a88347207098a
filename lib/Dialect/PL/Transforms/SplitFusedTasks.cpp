//===- SplitFusedTasks.cpp - Parts that share no data as tasks ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripRules.h"

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_SPLITFUSEDTASKS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

static constexpr llvm::StringLiteral kWhat = "split";

namespace {
/// Why two statements stay in one task, as a note at a place of each.
struct Join {
  Location first;
  std::string firstNote;
  Location second;
  std::string secondNote;
};

/// The statements of a task that share data, as classes. A statement is an op
/// of the body that is not done again in each part that needs it.
class Parts {
public:
  explicit Parts(Operation *task) : body(task->getRegion(0).front()) {}

  /// The ops of each part, in the order of the first of them.
  SmallVector<SmallVector<Operation *>> find();
  /// What keeps statements together, the first few.
  ArrayRef<Join> getJoins() const { return joins; }

private:
  void collectStatements();
  bool isRepeatable(Operation *op);
  void joinByValues();
  void joinBySignals();
  void joinByMemory();
  void join(unsigned a, unsigned b, Join why);
  void addNeeds(Operation *op, SmallVectorImpl<Operation *> &needs);

  Block &body;
  SmallVector<Operation *> statements;
  DenseMap<Operation *, unsigned> numbers; ///< of the statements
  /// What each statement does to memory.
  SmallVector<SmallVector<Access>> accesses;
  DenseSet<Value> written;
  bool hasSignals = false;
  llvm::IntEqClasses classes;
  SmallVector<Join> joins;
};
} // namespace

/// A tile that costs no more than to write it down, or a view of another.
static bool isPlainTile(Operation *op) {
  return isa<EmptyOp, FullOp, IotaOp, SetValidOp, ReshapeOp, SubtileOp>(op);
}

bool Parts::isRepeatable(Operation *op) {
  // A scalar of global memory, if it is the same for the whole of the task.
  if (auto read = dyn_cast<ReadOp>(op))
    return !hasSignals && !written.contains(rootOf(read.getSource()));
  return isMemoryEffectFree(op) &&
         (isPlainTile(op) ||
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<TileType>));
}

void Parts::collectStatements() {
  AccessCollector collector;
  body.walk([&](Operation *op) { hasSignals |= isSignal(op); });
  SmallVector<SmallVector<Access>> all;
  for (Operation &op : body) {
    all.push_back(collector.collect(&op));
    for (const Access &access : all.back())
      if (access.writes)
        written.insert(access.root);
  }
  for (auto [op, ofOp] : llvm::zip_equal(body, all)) {
    if (isRepeatable(&op))
      continue;
    numbers[&op] = statements.size();
    statements.push_back(&op);
    accesses.push_back(std::move(ofOp));
  }
}

/// Ops of the body whose results `op` uses, through those that are repeated.
void Parts::addNeeds(Operation *op, SmallVectorImpl<Operation *> &needs) {
  DenseSet<Operation *> seen;
  SmallVector<Operation *> open{op};
  while (!open.empty())
    open.pop_back_val()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || def->getBlock() != &body || !seen.insert(def).second)
          continue;
        needs.push_back(def);
        if (!numbers.contains(def))
          open.push_back(def);
      }
    });
}

void Parts::join(unsigned a, unsigned b, Join why) {
  constexpr size_t kMaxShown = 2;
  if (classes.findLeader(a) == classes.findLeader(b))
    return;
  classes.join(a, b);
  if (joins.size() < kMaxShown)
    joins.push_back(std::move(why));
}

void Parts::joinByValues() {
  for (Operation *op : statements) {
    SmallVector<Operation *> needs;
    addNeeds(op, needs);
    for (Operation *def : needs)
      if (numbers.contains(def)) {
        std::string name = nameOf(def->getResult(0));
        join(numbers[def], numbers[op],
             {def->getLoc(),
              (name.empty() ? "what" : "'" + name + "', which") +
                  " is computed here",
              op->getLoc(), "is used here"});
      }
  }
}

/// What comes after a wait relies on it, and a notify on what comes before; a
/// deferred wait has its task for itself.
void Parts::joinBySignals() {
  for (Operation *op : statements) {
    bool notifies = false, waits = false;
    op->walk([&](Operation *inner) {
      notifies |= isa<NotifyOp, DeferWaitOp>(inner);
      waits |= isa<WaitOp, DeferWaitOp>(inner);
    });
    if (!notifies && !waits)
      continue;
    for (Operation *other : statements) {
      if (numbers[other] < numbers[op] && notifies)
        join(numbers[other], numbers[op],
             {other->getLoc(), "this is done", op->getLoc(),
              "before it tells others here"});
      if (numbers[other] > numbers[op] && waits)
        join(numbers[op], numbers[other],
             {op->getLoc(), "it waits here", other->getLoc(), "before this"});
    }
  }
}

void Parts::joinByMemory() {
  struct Entry {
    unsigned statement;
    const Access *access;
  };
  llvm::MapVector<Value, SmallVector<Entry>> byRoot;
  for (Operation *op : statements)
    for (const Access &access : accesses[numbers[op]])
      if (written.contains(access.root))
        byRoot[access.root].push_back({numbers[op], &access});
  for (auto &[root, entries] : byRoot)
    for (size_t i = 0; i < entries.size(); ++i)
      for (const Entry &b : ArrayRef(entries).drop_front(i + 1)) {
        const Entry &a = entries[i];
        if ((!a.access->writes && !b.access->writes) ||
            areDisjoint(*a.access, *b.access))
          continue;
        join(a.statement, b.statement,
             {a.access->op->getLoc(),
              "'" + nameOf(a.access->root) + "' is " +
                  describeAccess(*a.access).str() + " here",
              b.access->op->getLoc(),
              "and " + describeAccess(*b.access).str() + " here"});
      }
}

SmallVector<SmallVector<Operation *>> Parts::find() {
  collectStatements();
  classes.grow(statements.size());
  joinByValues();
  joinBySignals();
  joinByMemory();
  llvm::MapVector<unsigned, DenseSet<Operation *>> ofClass;
  for (auto [number, op] : llvm::enumerate(statements)) {
    DenseSet<Operation *> &ops = ofClass[classes.findLeader(number)];
    SmallVector<Operation *> needs;
    addNeeds(op, needs);
    ops.insert(op);
    ops.insert_range(needs);
  }
  SmallVector<SmallVector<Operation *>> parts;
  for (auto &[leader, ops] : ofClass) {
    SmallVector<Operation *> &part = parts.emplace_back();
    for (Operation &op : body)
      if (ops.contains(&op))
        part.push_back(&op);
  }
  return parts;
}

FailureOr<SmallVector<Operation *>>
mlir::pl::splitFusedTask(RewriterBase &rewriter, Operation *task,
                         ArrayRef<StringRef> names, Diagnostic &refusal) {
  auto start = [&]() -> Diagnostic & { return refuse(refusal, kWhat, task); };
  Block &body = task->getRegion(0).front();
  if (auto notes = body.getOps<NoDepOp>(); !notes.empty()) {
    start() << "it has no_dep_args=, and which part they are for is not known";
    refusal.attachNote((*notes.begin()).getLoc()) << "this one";
    return failure();
  }
  if (Operation *unknown = findUnknown(task)) {
    start() << "it holds '" << unknown->getName()
            << "', of which is not known what it touches";
    refusal.attachNote(unknown->getLoc()) << "this one";
    return failure();
  }
  Parts finder(task);
  SmallVector<SmallVector<Operation *>> parts = finder.find();
  if (parts.size() < 2) {
    start() << (finder.getJoins().empty() ? "there is one statement in its body"
                                          : "all its statements share data");
    for (const Join &join : finder.getJoins()) {
      refusal.attachNote(join.first) << join.firstNote;
      refusal.attachNote(join.second) << join.secondNote;
    }
    return failure();
  }
  if (!names.empty() && names.size() != parts.size()) {
    start() << "it has " << int64_t(parts.size()) << " parts, but "
            << int64_t(names.size())
            << (names.size() == 1 ? " name is" : " names are") << " given";
    for (ArrayRef<Operation *> part : parts)
      refusal.attachNote(part.back()->getLoc()) << "one part is here";
    return failure();
  }
  if (failed(checkTaskUses(task, kWhat, refusal)))
    return failure();

  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Operation *> made;
  for (auto [index, part] : llvm::enumerate(parts)) {
    std::string name;
    if (!names.empty())
      name = names[index].str();
    else if (StringRef old = taskName(task); !old.empty())
      name = (old + "_" + Twine(index)).str();
    Operation *one = createTaskLike(rewriter, task, name);
    Block &body = one->getRegion(0).front();
    IRMapping mapping;
    mapping.map(task->getRegion(0).front().getArguments(), body.getArguments());
    rewriter.setInsertionPointToStart(&body);
    for (Operation *op : part)
      rewriter.clone(*op, mapping);
    made.push_back(one);
  }
  replaceTask(rewriter, task, made);
  return made;
}

namespace {
struct SplitFusedTasks : mlir::pl::impl::SplitFusedTasksBase<SplitFusedTasks> {
  using SplitFusedTasksBase::SplitFusedTasksBase;
  void runOnOperation() override {
    if (task.empty() && !names.empty()) {
      emitError(getOperation().getLoc(),
                "pl-split-fused-tasks needs the option "
                "task=NAME to give the parts of a task names");
      return signalPassFailure();
    }
    SmallVector<StringRef> given(names.begin(), names.end());
    auto transform = [&](RewriterBase &rewriter, Operation *op,
                         Diagnostic &refusal) -> LogicalResult {
      FailureOr<SmallVector<Operation *>> parts =
          splitFusedTask(rewriter, op, given, refusal);
      if (failed(parts))
        return failure();
      ++numSplit;
      numParts += parts->size();
      return success();
    };
    if (failed(transformTasks(getOperation(), task, transform)))
      signalPassFailure();
  }
};
} // namespace
