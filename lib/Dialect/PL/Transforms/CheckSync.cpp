//===- CheckSync.cpp - Flags order all that shares bytes ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/InCoreAccess.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include <bitset>

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKSYNC
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
constexpr unsigned kNumEvents = 8;
constexpr unsigned kNumTokens = kNumPipes * kNumPipes * kNumEvents;

/// One flag: an event from one pipe to another.
struct Token {
  Pipe from, to;
  unsigned event;

  unsigned index() const {
    return (unsigned(from) * kNumPipes + unsigned(to)) * kNumEvents + event;
  }
};

/// Work that a pipe may not have finished: bytes it touches, or (`token` >= 0)
/// a flag it has yet to take.
struct Work {
  Pipe pipe;
  Touched touched{};
  int token = -1;
  Operation *op = nullptr;
  /// Pipes whose later work starts after this is done.
  PipeSet ordered = 0;
  /// Flags that are set after this is done and not taken yet.
  std::bitset<kNumTokens> tokens;

  bool sameAs(const Work &other) const {
    return pipe == other.pipe && token == other.token &&
           touched == other.touched;
  }
};

/// Is the token of a flag there? `maybe`: on some path only.
enum class There : uint8_t { no, yes, maybe };

struct State {
  SmallVector<Work> work;
  std::array<There, kNumTokens> tokens{};

  void add(Work added) {
    for (Work &known : work)
      if (known.sameAs(added)) {
        // A pipe works in order: the later work stands for both.
        known = added;
        return;
      }
    work.push_back(std::move(added));
  }

  /// Joins the state of another path. Returns true if this one changed.
  bool join(const State &other) {
    bool changed = false;
    for (const Work &theirs : other.work) {
      auto mine = llvm::find_if(
          work, [&](const Work &known) { return known.sameAs(theirs); });
      if (mine == work.end()) {
        work.push_back(theirs);
        changed = true;
        continue;
      }
      PipeSet ordered = mine->ordered & theirs.ordered;
      std::bitset<kNumTokens> common = mine->tokens & theirs.tokens;
      changed |= ordered != mine->ordered || common != mine->tokens;
      mine->ordered = ordered;
      mine->tokens = common;
    }
    for (auto [mine, theirs] : llvm::zip(tokens, other.tokens))
      if (mine != theirs && mine != There::maybe) {
        mine = There::maybe;
        changed = true;
      }
    return changed;
  }
};

class SyncChecker {
public:
  explicit SyncChecker(KernelOp kernel) : kernel(kernel) {}
  LogicalResult run();
  int64_t numChecked = 0;

private:
  void visitBlock(Block &block, State &state, bool report);
  void visitLoop(scf::ForOp loop, State &state, bool report);
  void visitAccess(Operation *op, const InCoreAccess &access, State &state,
                   bool report);
  void visitSet(SetFlagOp set, State &state, bool report);
  void visitWait(WaitFlagOp wait, State &state, bool report);
  void visitBarrier(PipeBarrierOp barrier, State &state);
  void checkEnd(const State &state);

  KernelOp kernel;
  bool failedAny = false;
};
} // namespace

static std::string nameOfTouched(const Touched &touched) {
  std::string name = nameOf(touched.value);
  return name.empty() ? "a buffer" : "'" + name + "'";
}

void SyncChecker::visitAccess(Operation *op, const InCoreAccess &access,
                              State &state, bool report) {
  if (report) {
    ++numChecked;
    for (const Work &earlier : state.work) {
      // The scalar unit finishes each access before the next.
      if (earlier.token >= 0 || (earlier.ordered & bit(access.pipe)) ||
          (earlier.pipe == access.pipe && access.pipe == Pipe::s))
        continue;
      auto clash = llvm::find_if(access.touched, [&](const Touched &bytes) {
        return bytes.conflicts(earlier.touched);
      });
      if (clash == access.touched.end())
        continue;
      InFlightDiagnostic diag =
          op->emitError() << "PL201: " << op->getName() << " on pipe "
                          << stringifyPipe(access.pipe)
                          << (clash->writes ? " writes " : " reads ")
                          << nameOfTouched(*clash) << " while pipe "
                          << stringifyPipe(earlier.pipe) << " may still "
                          << (earlier.touched.writes ? "write " : "read ")
                          << nameOfTouched(earlier.touched)
                          << "; no flag or barrier orders them on every path";
      diag.attachNote(earlier.op->getLoc())
          << "by " << earlier.op->getName() << " here";
      failedAny = true;
      break;
    }
  }
  // A notify is over before the scalar unit goes on.
  if (isa<NotifyOp>(op))
    return;
  for (const Touched &touched : access.touched) {
    Work work;
    work.pipe = access.pipe;
    work.touched = touched;
    work.op = op;
    state.add(work);
  }
}

static std::string textOf(Token token) {
  return ("event " + Twine(token.event) + " from " + stringifyPipe(token.from) +
          " to " + stringifyPipe(token.to))
      .str();
}

void SyncChecker::visitSet(SetFlagOp set, State &state, bool report) {
  Token token{set.getFrom(), set.getTo(), unsigned(set.getEvent())};
  unsigned index = token.index();
  bool mayBeThere =
      state.tokens[index] != There::no ||
      llvm::any_of(state.work, [&](const Work &work) {
        return work.token == int(index) && !(work.ordered & bit(token.from));
      });
  if (report && mayBeThere) {
    set.emitError() << "PL202: sets " << textOf(token)
                    << " while its last token may still be there; a flag set "
                       "twice stops the core";
    failedAny = true;
  }
  state.tokens[index] = There::yes;
  for (Work &work : state.work)
    work.tokens[index] =
        work.pipe == token.from || (work.ordered & bit(token.from));
}

void SyncChecker::visitWait(WaitFlagOp wait, State &state, bool report) {
  Token token{wait.getFrom(), wait.getTo(), unsigned(wait.getEvent())};
  unsigned index = token.index();
  if (report && state.tokens[index] != There::yes) {
    wait.emitError() << "PL203: waits for " << textOf(token) << ", which "
                     << (state.tokens[index] == There::no
                             ? "nothing sets before"
                             : "is set on some paths only");
    failedAny = true;
  }
  state.tokens[index] = There::no;
  for (Work &work : state.work)
    if (work.tokens[index]) {
      work.tokens.reset(index);
      work.ordered |= bit(token.to);
    }
  Work taken;
  taken.pipe = token.to;
  taken.token = index;
  taken.op = wait;
  state.add(taken);
}

void SyncChecker::visitBarrier(PipeBarrierOp barrier, State &state) {
  for (Work &work : state.work)
    if (barrier.getPipe() == Pipe::all)
      work.ordered = PipeSet(~0u);
    else if (work.pipe == barrier.getPipe())
      work.ordered |= bit(barrier.getPipe());
}

void SyncChecker::visitLoop(scf::ForOp loop, State &state, bool report) {
  // The body starts after what came before it, or after itself; `state` only
  // loses orders and tokens, so this ends.
  for (;;) {
    State exit = state;
    visitBlock(*loop.getBody(), exit, /*report=*/false);
    if (!state.join(exit))
      break;
  }
  if (report) {
    State once = state;
    visitBlock(*loop.getBody(), once, /*report=*/true);
  }
}

void SyncChecker::visitBlock(Block &block, State &state, bool report) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, state, report);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State elseState = state;
      visitBlock(branch.getThenRegion().front(), state, report);
      if (!branch.getElseRegion().empty())
        visitBlock(branch.getElseRegion().front(), elseState, report);
      state.join(elseState);
    } else if (auto set = dyn_cast<SetFlagOp>(op)) {
      visitSet(set, state, report);
    } else if (auto wait = dyn_cast<WaitFlagOp>(op)) {
      visitWait(wait, state, report);
    } else if (auto barrier = dyn_cast<PipeBarrierOp>(op)) {
      visitBarrier(barrier, state);
    } else if (std::optional<InCoreAccess> access = inCoreAccessOf(&op)) {
      visitAccess(&op, *access, state, report);
    }
  }
}

void SyncChecker::checkEnd(const State &state) {
  // Consumers start when the kernel ends: its stores must have landed.
  for (const Work &work : state.work)
    if (work.token < 0 && work.touched.writes &&
        isa<MemRefType>(work.touched.value.getType()) && work.pipe != Pipe::s &&
        !(work.ordered & bit(Pipe::s))) {
      work.op->emitError() << "PL204: the kernel may end before this store to "
                           << nameOfTouched(work.touched) << " has landed";
      failedAny = true;
      break;
    }
  for (unsigned index = 0; index < kNumTokens; ++index)
    if (state.tokens[index] != There::no) {
      Token token{Pipe(index / kNumEvents / kNumPipes),
                  Pipe(index / kNumEvents % kNumPipes), index % kNumEvents};
      kernel.emitError() << "PL204: the kernel may end with " << textOf(token)
                         << " still set";
      failedAny = true;
    }
}

LogicalResult SyncChecker::run() {
  for (Block *body : getCoreBodies(kernel)) {
    State state;
    visitBlock(*body, state, /*report=*/true);
    checkEnd(state);
  }
  return failure(failedAny);
}

namespace {
struct CheckSync : mlir::pl::impl::CheckSyncBase<CheckSync> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SyncChecker checker(getOperation());
    if (failed(checker.run()))
      signalPassFailure();
    numChecked += checker.numChecked;
  }
};
} // namespace
