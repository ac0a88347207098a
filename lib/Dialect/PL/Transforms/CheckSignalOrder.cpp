//===- CheckSignalOrder.cpp - Credits are not lost, and ranks do not lock
//--===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLaunches.h"
#include "SignalRun.h"

#include "Undecided.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKSIGNALORDER
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// More ranks are not executed.
constexpr int64_t kMaxRanks = 8;
/// Runs of one program, and executions of two ops that are compared.
constexpr unsigned kMaxRuns = 64, kMaxPairs = 4;
constexpr unsigned kMaxReports = 4, kMaxTellers = 3;

/// What is wrong, with all that is needed to say so.
struct Finding {
  enum class Kind : uint8_t {
    mixed,    ///< set and added to, and nothing orders the two
    takenOff, ///< before a wait that counts it
    mayBeTakenOff,
    tooFew,
    circle
  };
  Kind kind;
  Operation *op;
  std::string text;
  SmallVector<std::pair<Location, std::string>> notes;
};

/// By the ops that it is about, in the order of the reports.
using Findings = llvm::MapVector<std::pair<Operation *, Operation *>, Finding>;

class OrderChecker {
public:
  explicit OrderChecker(const SignalGraph &graph) : graph(graph) {}
  Findings run();
  bool gaveUp = false;

private:
  void findMixed();
  void findHeld();
  void findStuck(const SignalRun &run);
  void findCircle(const SignalRun &run, unsigned wait);
  bool explain(const SignalRun &run, unsigned wait, bool report);
  int64_t toCome(const SignalRun &run, const SignalEvent &wait,
                 std::optional<unsigned> *first = nullptr) const;
  const SignalRun *runWith(unsigned held);

  void noteTellers(unsigned cell, Finding &finding) const;
  std::string cellText(unsigned cell) const;
  static bool changes(const SignalEvent &event) {
    return event.kind == SignalEvent::Kind::set ||
           (event.kind == SignalEvent::Kind::add && event.value != 0);
  }

  const SignalGraph &graph;
  Findings findings;
  std::map<unsigned, SignalRun> runs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string rankText(int64_t rank) {
  return "rank " + std::to_string(rank);
}

std::string OrderChecker::cellText(unsigned number) const {
  const SignalCell &cell = graph.cells[number];
  auto buffer = cell.buffer.getDefiningOp<AllocWindowOp>();
  std::string text =
      "'" + (buffer ? buffer.getName().str() : nameOf(cell.buffer)) + "'";
  for (Operation *user : cell.buffer.getUsers())
    if (auto window = dyn_cast<WindowOp>(user)) {
      auto shape = cast<MemRefType>(window.getType()).getShape();
      SmallVector<int64_t> index(shape.size());
      int64_t left = cell.element;
      for (size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] <= 0)
          return text;
        index[axis] = left % shape[axis];
        left /= shape[axis];
      }
      text += "[";
      for (size_t axis = 0; axis < index.size(); ++axis)
        text += (axis ? ", " : "") + std::to_string(index[axis]);
      return text + "]";
    }
  return text;
}

//===----------------------------------------------------------------------===//
// Set and added to
//===----------------------------------------------------------------------===//

const SignalRun *OrderChecker::runWith(unsigned held) {
  if (auto found = runs.find(held); found != runs.end())
    return &found->second;
  if (runs.size() >= kMaxRuns) {
    gaveUp = true;
    return nullptr;
  }
  return &runs.emplace(held, SignalRun(graph, held)).first->second;
}

void OrderChecker::findMixed() {
  std::map<std::pair<Operation *, Operation *>, unsigned> tried;
  for (auto [number, cell] : llvm::enumerate(graph.cells)) {
    auto isSet = [&](unsigned event) {
      return graph.events[event].kind == SignalEvent::Kind::set;
    };
    if (llvm::none_of(cell.events, isSet))
      continue;
    for (unsigned set : llvm::make_filter_range(cell.events, isSet))
      for (unsigned add : cell.events) {
        const SignalEvent &setter = graph.events[set];
        const SignalEvent &adder = graph.events[add];
        std::pair<Operation *, Operation *> key(setter.op, adder.op);
        if (isSet(add) || !changes(adder) || setter.strand == adder.strand ||
            findings.contains(key) || graph.isBefore(set, add) ||
            graph.isBefore(add, set) || tried[key]++ >= kMaxPairs)
          continue;
        // Each can come first.
        const SignalRun *late = runWith(set), *early = runWith(add);
        if (!late || !early || !late->isPerformed(add) ||
            !early->isPerformed(set))
          continue;
        Finding finding{Finding::Kind::mixed, setter.op, "", {}};
        finding.text =
            cellText(unsigned(number)) + " on " + rankText(cell.rank) +
            " is set here, and nothing orders that and what " +
            rankText(graph.rankOf(adder)) +
            " adds to it: what was added before is lost; add, and take off "
            "what was seen";
        finding.notes.push_back(
            {adder.op->getLoc(),
             "it is added to here, on " + rankText(graph.rankOf(adder))});
        findings.insert({key, std::move(finding)});
      }
  }
}

//===----------------------------------------------------------------------===//
// Taken off too early
//===----------------------------------------------------------------------===//

/// What is still sent to the cell of a wait that nothing gets past.
int64_t OrderChecker::toCome(const SignalRun &run, const SignalEvent &wait,
                             std::optional<unsigned> *first) const {
  int64_t sum = 0;
  for (unsigned number : graph.cells[wait.cell].events) {
    const SignalEvent &event = graph.events[number];
    if (event.isWait() || event.value <= 0 || run.isPerformed(number))
      continue;
    sum += event.value;
    if (first && !*first)
      *first = number;
  }
  return sum;
}

/// Who tells the cell, or others of its signal.
void OrderChecker::noteTellers(unsigned cell, Finding &finding) const {
  llvm::SmallDenseSet<Operation *> seen;
  auto note = [&](function_ref<bool(const SignalCell &)> isMeant) {
    for (const SignalEvent &event : graph.events) {
      const SignalCell &told = graph.cells[event.cell];
      if (event.isWait() || event.value <= 0 || !isMeant(told) ||
          seen.size() == kMaxTellers || !seen.insert(event.op).second)
        continue;
      finding.notes.push_back(
          {event.op->getLoc(), "this, on " + rankText(graph.rankOf(event)) +
                                   ", tells " + cellText(event.cell) + " on " +
                                   rankText(told.rank)});
    }
  };
  const SignalCell &awaited = graph.cells[cell];
  note([&](const SignalCell &told) { return &told == &awaited; });
  // The one that the rank may have meant, then those of other ranks.
  note([&](const SignalCell &told) {
    return told.buffer == awaited.buffer && told.rank == awaited.rank;
  });
  note([&](const SignalCell &told) { return told.buffer == awaited.buffer; });
}

/// Is it the cell of a wait that is short, and not who tells it? Says why.
bool OrderChecker::explain(const SignalRun &run, unsigned number, bool report) {
  const SignalEvent &wait = graph.events[number];
  int64_t value = run.valueOf(wait.cell);
  if (value >= wait.value || value + toCome(run, wait) >= wait.value)
    return false;
  std::optional<unsigned> taker = run.lastTaker(wait.cell);
  if (!report)
    return true;
  std::string cell = cellText(wait.cell);
  if (!taker) {
    int64_t most = value + toCome(run, wait);
    Finding finding{Finding::Kind::tooFew, wait.op, "", {}};
    finding.text = "PL111: waits for " + std::to_string(wait.value) + ", but ";
    if (most == 0)
      finding.text += "nothing arrives";
    else
      finding.text += "at most " + std::to_string(most) +
                      (most == 1 ? " arrives" : " arrive");
    finding.text += " in " + cell + " on " + rankText(graph.rankOf(wait));
    noteTellers(wait.cell, finding);
    findings.insert({{wait.op, nullptr}, std::move(finding)});
    return true;
  }
  const SignalEvent &taking = graph.events[*taker];
  bool isSure = graph.isBefore(*taker, number);
  Finding finding{isSure ? Finding::Kind::takenOff
                         : Finding::Kind::mayBeTakenOff,
                  wait.op,
                  "",
                  {}};
  finding.text = "waits for " + std::to_string(wait.value) + " in " + cell;
  if (isSure)
    finding.text += ", but of what was sent " +
                    std::to_string(run.takenOff(wait.cell)) +
                    " is taken off before, and " + std::to_string(value) +
                    (value == 1 ? " is" : " are") +
                    " left: take off after the last wait that counts it, or "
                    "wait for what is left";
  else
    finding.text += ", but nothing orders it and what takes off " +
                    std::to_string(run.takenOff(wait.cell)) + ", after which " +
                    std::to_string(value) + (value == 1 ? " is" : " are") +
                    " left: let the task that takes off come after this wait";
  finding.notes.push_back(
      {taking.op->getLoc(),
       std::string(taking.kind == SignalEvent::Kind::set ? "it is set to "
                                                         : "it is taken off ") +
           (taking.kind == SignalEvent::Kind::set
                ? std::to_string(taking.value) + " "
                : "") +
           "here, on " + rankText(graph.rankOf(taking))});
  findings.insert({{wait.op, nullptr}, std::move(finding)});
  return true;
}

/// Waits that are looked at last, where something may take off before.
void OrderChecker::findHeld() {
  llvm::DenseMap<Operation *, unsigned> tried;
  for (const SignalCell &cell : graph.cells)
    for (unsigned wait : cell.events) {
      if (!graph.events[wait].isWait())
        continue;
      bool mayFall = llvm::any_of(cell.events, [&](unsigned other) {
        const SignalEvent &event = graph.events[other];
        bool falls = event.kind == SignalEvent::Kind::set ||
                     (event.kind == SignalEvent::Kind::add && event.value < 0);
        return falls && !graph.isBefore(other, wait) &&
               !graph.isBefore(wait, other);
      });
      if (!mayFall || tried[graph.events[wait].op]++ >= kMaxPairs)
        continue;
      const SignalRun *run = runWith(wait);
      if (!run)
        return;
      if (!run->holds(graph.events[wait]))
        explain(*run, wait, /*report=*/true);
    }
}

//===----------------------------------------------------------------------===//
// Circles
//===----------------------------------------------------------------------===//

void OrderChecker::findCircle(const SignalRun &run, unsigned wait) {
  // Each wait with what would end it.
  llvm::MapVector<unsigned, unsigned> path;
  std::optional<unsigned> next = wait;
  while (next && !path.contains(*next)) {
    if (!graph.events[*next].isWait() || explain(run, *next, /*report=*/false))
      return;
    std::optional<unsigned> telling;
    toCome(run, graph.events[*next], &telling);
    if (!telling)
      return;
    path[*next] = *telling;
    next = run.blockerOf(*telling);
  }
  if (!next)
    return;
  SmallVector<std::pair<unsigned, unsigned>> circle(path.begin(), path.end());
  circle.erase(circle.begin(), llvm::find_if(circle, [&](const auto &entry) {
                 return entry.first == *next;
               }));
  // One report for all ranks that stand at the same waits.
  const auto *first = std::min_element(circle.begin(), circle.end());
  std::rotate(circle.begin(), circle.begin() + (first - circle.begin()),
              circle.end());
  for (auto &[at, telling] : circle)
    for (auto &[key, finding] : findings)
      if (finding.kind == Finding::Kind::circle &&
          (key.first == graph.events[at].op ||
           key.second == graph.events[at].op))
        return;
  const SignalEvent &begin = graph.events[circle.front().first];
  const SignalEvent &other =
      graph.events[circle[circle.size() > 1 ? 1 : 0].first];
  Finding finding{Finding::Kind::circle, begin.op, "", {}};
  if (circle.size() == 1)
    finding.text = rankText(graph.rankOf(begin)) +
                   " waits here for what it sends itself, but only after this "
                   "wait: send it first";
  else
    finding.text = rankText(graph.rankOf(begin)) + " waits here for what " +
                   rankText(graph.rankOf(other)) +
                   " sends only after a wait of its own, and so on in a "
                   "circle: none of them goes on; one has to send before it "
                   "waits";
  for (size_t i = 0; i < circle.size(); ++i) {
    const SignalEvent &telling = graph.events[circle[i].second];
    const SignalEvent &blocker =
        graph.events[circle[(i + 1) % circle.size()].first];
    std::string rank = rankText(graph.rankOf(telling));
    finding.notes.push_back(
        {telling.op->getLoc(),
         rank + " sends it to " + cellText(telling.cell) + " here"});
    if (i + 1 < circle.size())
      finding.notes.push_back(
          {blocker.op->getLoc(), "before that, " + rank + " waits here for " +
                                     cellText(blocker.cell)});
  }
  findings.insert({{begin.op, other.op}, std::move(finding)});
}

void OrderChecker::findStuck(const SignalRun &run) {
  for (unsigned wait : run.getStuck())
    explain(run, wait, /*report=*/true);
  for (unsigned wait : run.getStuck())
    findCircle(run, wait);
}

Findings OrderChecker::run() {
  if (graph.events.empty())
    return {};
  findMixed();
  // The rest follows.
  if (!findings.empty())
    return std::move(findings);
  SignalRun all(graph);
  if (all.isComplete())
    findHeld();
  else
    findStuck(all);
  return std::move(findings);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CheckSignalOrder
    : mlir::pl::impl::CheckSignalOrderBase<CheckSignalOrder> {
  using CheckSignalOrderBase::CheckSignalOrderBase;

  void runOnOperation() override;

private:
  bool check(ArrayRef<Instance> instances, int64_t world);
  void remarkUndecided(func::FuncOp where, StringRef why);
};
} // namespace

void CheckSignalOrder::remarkUndecided(func::FuncOp where, StringRef why) {
  if (remarks)
    emitUndecided(where.getLoc(),
                  "whether every wait gets its credits in some order", why);
}

/// False: there was something to report.
bool CheckSignalOrder::check(ArrayRef<Instance> instances, int64_t world) {
  Findings found;
  // The first sample finds, the others must agree: few and odd, whole tiles,
  // more than any number of blocks or tiles.
  const SignalGraph::Sample samples[] = {{1, 1},   {2, 2}, {5, 1},
                                         {32, 32}, {1, 0}, {1024, 4099}};
  for (const SignalGraph::Sample &sample : samples) {
    bool isFirst = &sample == samples;
    std::optional<SignalGraph> graph =
        SignalGraph::of(instances, world, sample);
    if (!graph || graph->isApproximate) {
      ++numUndecided;
      remarkUndecided(instances.front().program,
                      "data decide who tells whom, or there is too much to "
                      "follow");
      return true;
    }
    OrderChecker checker(*graph);
    Findings here = checker.run();
    if (isFirst) {
      numChecked += graph->events.size();
      numUndecided += checker.gaveUp;
      if (checker.gaveUp)
        remarkUndecided(instances.front().program,
                        "there are too many signals to follow");
      found = std::move(here);
    } else {
      found.remove_if([&](const auto &entry) {
        const auto *same = here.find(entry.first);
        return same == here.end() || same->second.kind != entry.second.kind;
      });
    }
    if (found.empty())
      return true;
  }
  unsigned reports = 0;
  llvm::SmallDenseSet<Operation *> setters;
  for (auto &[key, finding] : found) {
    bool isMixed = finding.kind == Finding::Kind::mixed;
    // All that add are notes of who sets.
    if (isMixed && !setters.insert(finding.op).second)
      continue;
    if (reports++ == kMaxReports)
      break;
    InFlightDiagnostic diag = finding.op->emitError();
    if (finding.kind != Finding::Kind::tooFew)
      diag << "PL116: ";
    diag << finding.text;
    for (auto &[otherKey, other] : found)
      if (&other == &finding || (isMixed && otherKey.first == key.first))
        for (auto &[loc, text] : other.notes)
          diag.attachNote(loc) << text;
  }
  return false;
}

void CheckSignalOrder::runOnOperation() {
  markAllAnalysesPreserved();
  SymbolTable functions(getOperation());
  bool good = true;
  for (auto host : getOperation().getOps<func::FuncOp>()) {
    if (!isHost(host))
      continue;
    std::optional<int64_t> world = worldOf(host);
    std::vector<Instance> instances;
    bool isKnown = world && *world <= kMaxRanks && hasOneViewEach(host);
    bool hasSignals = false;
    host.walk([&](Operation *op) {
      // What ranks do together in between.
      isKnown &= !isa<BarrierOp, AllReduceOp, BroadcastOp, ReduceScatterOp,
                      AllGatherOp, AllToAllOp, AllToAllVOp>(op);
      auto launch = dyn_cast<DispatchOp>(op);
      if (!launch)
        return;
      auto program = functions.lookup<func::FuncOp>(launch.getCallee());
      isKnown = isKnown && program && !program.isDeclaration() &&
                addInstances(launch, program, *world, instances);
      if (program)
        for (BlockArgument argument : program.getArguments())
          hasSignals |= llvm::any_of(argument.getUsers(), [](Operation *user) {
            return isa<NotifyOp, WaitOp, DeferWaitOp>(user);
          });
    });
    if (!hasSignals)
      continue;
    if (isKnown)
      good &= check(instances, *world);
    else {
      ++numUndecided;
      remarkUndecided(host, !world ? "the number of ranks is known to the run "
                                     "only"
                            : *world > kMaxRanks
                                ? "there are too many ranks to follow"
                                : "a launch depends on data, a window has two "
                                  "shapes, or ranks do something together in "
                                  "between");
    }
  }
  if (!good)
    signalPassFailure();
}
