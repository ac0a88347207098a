//===- Pipes.cpp - the queues of instructions of one core -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipes.h"

#include "fmt/format.h"

using namespace pl::sim;

/// More than that and the scalar unit waits.
static constexpr size_t kMaxOpen = 4096;
/// How far an instruction of a pipe may overtake others.
static constexpr size_t kReach = 8;

llvm::StringRef pl::sim::pipeName(unsigned pipe) {
  constexpr llvm::StringLiteral names[] = {"s",    "v",    "m",   "mte1",
                                           "mte2", "mte3", "fix", "all"};
  return names[pipe];
}

static unsigned fromPipe(const Instr &flag) { return flag.imm / 64; }
static unsigned toPipe(const Instr &flag) { return flag.imm / 8 % 8; }

//===----------------------------------------------------------------------===//
// Who works next
//===----------------------------------------------------------------------===//

void Pipes::shuffle() {
  if (random.below(4))
    return;
  for (unsigned i = kNumPipes - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
}

Issued *Pipes::pick(unsigned pipe, llvm::ArrayRef<uint8_t> tokens) {
  std::deque<Issued> &queue = queues[pipe];
  if (queue.empty())
    return nullptr;
  Issued &head = queue.front();
  switch (head.instr->op) {
  case Op::WaitFlag:
    return tokens[head.instr->imm] ? &head : nullptr;
  case Op::PipeBarrier:
  case Op::Push:
  case Op::Pop:
    return &head;
  default:
    break;
  }
  llvm::SmallVector<Issued *, kReach> candidates;
  for (size_t i = 0; i < std::min(queue.size(), kReach); ++i) {
    Issued &item = queue[i];
    Op op = item.instr->op;
    if (op == Op::WaitFlag || op == Op::PipeBarrier || op == Op::Push ||
        op == Op::Pop)
      break;
    // A flag tells that all before it is done.
    if (!item.isDone && (op != Op::SetFlag || i == 0))
      candidates.push_back(&item);
  }
  return candidates[random.below(candidates.size())];
}

bool Pipes::hasSet(int64_t flag) const {
  for (const Issued &item : queues[flag / 64])
    if (item.instr->op == Op::SetFlag && item.instr->imm == flag)
      return true;
  return false;
}

void Pipes::finish(unsigned pipe, Issued &item) {
  item.isDone = true;
  --numOpen;
  std::deque<Issued> &queue = queues[pipe];
  while (!queue.empty() && queue.front().isDone)
    queue.pop_front();
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

namespace {
enum class Slot : uint8_t { None, Tile, View, Reg };
struct Uses {
  Slot dst, a, b, c;
};
} // namespace

/// What the slots of an instruction of a pipe are.
static Uses usesOf(Op op) {
  switch (op) {
  case Op::Load:
    return {Slot::Tile, Slot::View, Slot::None, Slot::None};
  case Op::RemoteLoad:
    return {Slot::Tile, Slot::View, Slot::None, Slot::Reg};
  case Op::Store:
    return {Slot::None, Slot::Tile, Slot::View, Slot::None};
  case Op::RemoteStore:
    return {Slot::None, Slot::Tile, Slot::View, Slot::Reg};
  case Op::Scalar:
    return {Slot::Tile, Slot::Tile, Slot::Reg, Slot::None};
  case Op::Full:
  case Op::Iota:
    return {Slot::Tile, Slot::Reg, Slot::None, Slot::None};
  default:
    return {Slot::Tile, Slot::Tile, Slot::Tile, Slot::Tile};
  }
}

static bool storesToTensor(Op op) {
  return op == Op::Store || op == Op::RemoteStore;
}

void Interpreter::enqueue(const Instr &instr, unsigned pipe) {
  Issued &item = pipes->queues[pipe].emplace_back();
  ++pipes->numOpen;
  item.instr = &instr;
  if (instr.op == Op::SetFlag || instr.op == Op::WaitFlag ||
      instr.op == Op::PipeBarrier)
    return;
  Uses uses = usesOf(instr.op);
  auto keep = [&](Slot kind, int32_t slot) {
    if (slot < 0)
      return;
    if (kind == Slot::Tile)
      item.valid.push_back(
          {slot, tiles[slot].validRows, tiles[slot].validCols});
    else if (kind == Slot::Reg)
      item.regs.emplace_back(slot, regs[slot]);
    else if (kind == Slot::View) {
      item.viewSlot = slot;
      item.view = views[slot];
    }
  };
  keep(uses.dst, instr.dst);
  keep(uses.a, instr.a);
  keep(uses.b, instr.b);
  keep(uses.c, instr.c);
  for (int32_t reg : operandsOf(instr))
    keep(Slot::Reg, reg);
}

/// Exchanges what the scalar unit knows now with what it knew then. A slot may
/// be there twice, so going back is done from the end.
void Interpreter::exchange(Issued &item, bool isBack) {
  auto swapRange = [&](auto &&range, auto swapOne) {
    if (isBack)
      for (auto &entry : llvm::reverse(range))
        swapOne(entry);
    else
      for (auto &entry : range)
        swapOne(entry);
  };
  swapRange(item.regs,
            [&](auto &entry) { std::swap(regs[entry.first], entry.second); });
  swapRange(item.valid, [&](Issued::Valid &entry) {
    std::swap(tiles[entry.tile].validRows, entry.rows);
    std::swap(tiles[entry.tile].validCols, entry.cols);
  });
  if (item.viewSlot >= 0)
    std::swap(views[item.viewSlot], item.view);
}

Interpreter::Issue Interpreter::issue(const Instr &instr, Stop &stop) {
  auto until = [&](llvm::function_ref<bool()> enough) {
    while (!enough()) {
      stop = work();
      if (stop != Stop::End)
        return false;
    }
    return true;
  };
  auto isDrained = [&] { return pipes->numOpen == 0; };
  unsigned pipe = instr.pipe;
  switch (instr.op) {
  case Op::Return:
    for (const std::deque<Issued> &queue : pipes->queues)
      for (const Issued &item : queue)
        if (!item.isDone && storesToTensor(item.instr->op)) {
          fail(FailureKind::Race, *item.instr,
               fmt::format("the kernel may end before this store to '{}' has "
                           "landed: no barrier comes after it",
                           item.view.buffer->name));
          stop = Stop::Failure;
          return Issue::Stopped;
        }
    return until(isDrained) ? Issue::Scalar : Issue::Stopped;
  case Op::PipeBarrier:
    if (pipe == kAllPipes)
      return until(isDrained) ? Issue::Queued : Issue::Stopped;
    break;
  case Op::WaitFlag:
    pipe = toPipe(instr);
    if (pipe == kScalarPipe)
      return until([&] { return tokens[instr.imm] != 0; }) ? Issue::Scalar
                                                           : Issue::Stopped;
    break;
  case Op::SetFlag:
    pipe = fromPipe(instr);
    break;
  default:
    break;
  }
  if (pipe == kScalarPipe)
    return Issue::Scalar;
  if (!until([&] { return pipes->numOpen < kMaxOpen; }))
    return Issue::Stopped;
  enqueue(instr, pipe);
  return Issue::Queued;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// One pipe does one thing. `Stop::End`: it did.
Stop Interpreter::work() {
  pipes->shuffle();
  const Instr *awaited = nullptr;
  pipes->stuckAt = nullptr;
  for (unsigned pipe : pipes->order) {
    Issued *item = pipes->pick(pipe, tokens);
    if (!item) {
      // The flag that nothing will set is the one to report.
      if (std::deque<Issued> &queue = pipes->queues[pipe];
          !queue.empty() && !pipes->hasSet(queue.front().instr->imm))
        awaited = queue.front().instr;
      continue;
    }
    const Instr &instr = *item->instr;
    Stop stop = Stop::End;
    exchange(*item, /*isBack=*/false);
    if (instr.op == Op::Push || instr.op == Op::Pop)
      stop = handshake(instr);
    else if (!step(instr))
      stop = Stop::Failure;
    exchange(*item, /*isBack=*/true);
    if (stop == Stop::Slot) {
      pipes->stuckAt = &instr;
      continue;
    }
    if (stop == Stop::End)
      pipes->finish(pipe, *item);
    return stop;
  }
  if (pipes->stuckAt)
    return Stop::Slot;
  llvm::StringRef why = "which nothing before it sets";
  if (!awaited) {
    awaited = &code.instrs[next];
    for (const std::deque<Issued> &queue : pipes->queues)
      if (!queue.empty()) {
        awaited = queue.front().instr;
        why = "and the pipe that is to set it waits as well";
      }
  }
  fail(FailureKind::Deadlock, *awaited,
       fmt::format("waits for flag {}, {}", describeFlag(awaited->imm),
                   why.str()));
  return Stop::Failure;
}
