//===- Comm.cpp - transfers between ranks, signals ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;

int32_t Cell::value() const {
  int32_t value;
  std::memcpy(&value, buffer->data + byte, sizeof(value));
  return value;
}

bool Condition::holds() const {
  int32_t value = cell.value();
  switch (kind) {
  case Equal:
    return value == expected;
  case AtLeast:
    return value >= expected;
  case Deferred:
    return uint32_t(value) >= uint32_t(expected);
  }
  return false;
}

/// Replaces a view of this rank's part of a window by that of the peer.
bool Interpreter::toPeer(const Instr &instr, llvm::StringRef verb, View &view) {
  if (!decided(instr, regs[instr.c], "the peer of a " + verb.str()))
    return false;
  int64_t peer = integer(instr.c);
  const std::vector<Buffer *> *ranks = view.buffer->ranks;
  int64_t count = ranks ? int64_t(ranks->size()) : 1;
  if (peer < 0 || peer >= count)
    return fail(FailureKind::Bounds, instr,
                fmt::format("{} to rank {} of '{}', a window of {} ranks",
                            verb.str(), peer, view.buffer->name, count));
  if (ranks)
    view.buffer = (*ranks)[peer];
  return true;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// A box of a tensor: `outer` rectangles of equal rows.
struct Interpreter::Box {
  Buffer *buffer = nullptr;
  int64_t start = 0; ///< bytes
  unsigned numOuter = 0;
  int64_t counts[kMaxRank] = {}, strides[kMaxRank] = {}; ///< bytes, outer axes
  int64_t rows = 1, cols = 1, pitch = 0;                 ///< bytes, elements
  bool isEmpty = false;
};

bool Interpreter::box(const Instr &instr, llvm::StringRef verb,
                      const View &view, llvm::ArrayRef<int32_t> offsets,
                      llvm::ArrayRef<int32_t> sizes, Box &box) {
  int64_t size = int64_t(shim::elemBytes(view.buffer->type));
  int64_t element = view.offset;
  unsigned rank = view.rank;
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (!decided(instr, regs[offsets[axis]], "an offset of a " + verb.str()) ||
        !decided(instr, regs[sizes[axis]], "an extent of a " + verb.str()))
      return false;
    int64_t at = integer(offsets[axis]), count = integer(sizes[axis]);
    int64_t extent = view.sizes[axis];
    if (count < 0 || at < 0 || at > extent - count)
      return fail(FailureKind::Bounds, instr,
                  fmt::format("{} of {} elements from {} on axis {} of '{}', "
                              "which has {} there",
                              verb.str(), count, at, axis, view.buffer->name,
                              extent));
    box.isEmpty |= count == 0;
    element += at * view.strides[axis];
    if (axis + 1 == rank) {
      box.cols = count;
    } else if (axis + 2 == rank) {
      box.rows = count;
      box.pitch = view.strides[axis] * size;
    } else {
      box.counts[box.numOuter] = count;
      box.strides[box.numOuter++] = view.strides[axis] * size;
    }
  }
  if (box.cols > 1 && view.strides[rank - 1] != 1)
    return fail(FailureKind::Limit, instr,
                fmt::format("{} of '{}' through a view whose columns are not "
                            "contiguous, which is not simulated",
                            verb.str(), view.buffer->name));
  if (rank < 2)
    box.pitch = box.cols * size;
  box.buffer = view.buffer;
  box.start = element * size;
  return true;
}

/// What is undefined must not reach another rank.
bool Interpreter::sendUndefined(const Instr &instr, const Buffer &source,
                                int64_t byte, const Buffer &target) {
  uint8_t taint = source.shadow[byte];
  if (taint == kFresh) {
    taint = instr.site;
    noteOrigin(instr, fmt::format("'{}'{}", source.name, source.indexOf(byte)));
  }
  log->failureSite = taint;
  return fail(FailureKind::Undefined, instr,
              fmt::format("puts the undefined element {} of '{}' into '{}' of "
                          "rank {}",
                          source.indexOf(byte), source.name, target.name,
                          target.rank));
}

bool Interpreter::transfer(const Instr &instr) {
  bool isPut = instr.op == Op::Put;
  llvm::StringRef verb = isPut ? "put" : "get";
  View source = views[instr.a], target = views[instr.b];
  if (!toPeer(instr, verb, isPut ? target : source))
    return false;
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  unsigned rank = source.rank;
  llvm::ArrayRef<int32_t> sizes = operands.drop_front(2 * rank);
  Box from, to;
  if (!box(instr, verb, source, operands.take_front(rank), sizes, from) ||
      !box(instr, verb, target, operands.slice(rank, rank), sizes, to))
    return false;
  poisonScratch(instr);
  if (from.isEmpty)
    return true;
  int64_t size = int64_t(shim::elemBytes(from.buffer->type));
  int64_t rowBytes = from.cols * size;
  bool adds = instr.sub;
  bool isRun = from.pitch == rowBytes && to.pitch == rowBytes;
  int64_t chunks = isRun ? 1 : from.rows;
  int64_t bytes = isRun ? rowBytes * from.rows : rowBytes;
  if (!to.buffer->shadow)
    return fail(FailureKind::Limit, instr,
                fmt::format("{} to '{}' through a view that is carried by a "
                            "loop, which is not simulated",
                            verb.str(), to.buffer->name));

  int64_t index[kMaxRank] = {};
  for (bool more = true; more;) {
    int64_t fromStart = from.start, toStart = to.start;
    for (unsigned axis = 0; axis < from.numOuter; ++axis) {
      fromStart += index[axis] * from.strides[axis];
      toStart += index[axis] * to.strides[axis];
    }
    log->accessesOf(from.buffer->id)
        .add({fromStart, rowBytes, from.pitch, from.rows, AccessKind::Read,
              instr.loc});
    log->accessesOf(to.buffer->id)
        .add({toStart, rowBytes, to.pitch, to.rows,
              adds ? AccessKind::Add : AccessKind::Write, instr.loc});
    for (int64_t r = 0; r < chunks; ++r) {
      int64_t at = fromStart + r * from.pitch, into = toStart + r * to.pitch;
      const uint8_t *shadow = from.buffer->shadow;
      bool clean = !shadow || isClean(shadow + at, bytes);
      if (!clean) {
        ++log->undefinedUses;
        if (isPut) {
          while (shadow[at] == kDefined)
            ++at;
          return sendUndefined(instr, *from.buffer, at, *to.buffer);
        }
      }
      if (adds) {
        size_t position = log->addBytes.size();
        log->addBytes.insert(log->addBytes.end(), from.buffer->data + at,
                             from.buffer->data + at + bytes);
        log->addShadow.resize(position + size_t(bytes), kDefined);
        log->adds.push_back({to.buffer, into, rowBytes, bytes / rowBytes,
                             from.cols, position, /*clean=*/true, instr.site,
                             instr.loc});
        continue;
      }
      std::memcpy(to.buffer->data + into, from.buffer->data + at,
                  size_t(bytes));
      if (clean)
        std::memset(to.buffer->shadow + into, kDefined, size_t(bytes));
      else
        std::memcpy(to.buffer->shadow + into, shadow + at, size_t(bytes));
    }
    more = false;
    for (unsigned axis = from.numOuter; axis-- > 0 && !more;) {
      more = ++index[axis] < from.counts[axis];
      if (!more)
        index[axis] = 0;
    }
  }
  if (adds && context->addDirectly) {
    for (const PendingAdd &add : log->adds)
      applyAdd(add, log->addBytes.data() + add.data,
               log->addShadow.data() + add.data, *context, *log);
    log->adds.clear();
    log->addBytes.clear();
    log->addShadow.clear();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

bool Interpreter::cell(const Instr &instr, llvm::StringRef verb,
                       const View &view, Cell &cell) {
  Window window;
  if (!resolve(instr, verb, view, 1, 1, window))
    return false;
  cell = {window.buffer, window.start};
  if (view.buffer->shadow && !isClean(view.buffer->shadow + window.start, 4)) {
    log->failureSite = view.buffer->shadow[window.start];
    return fail(FailureKind::Undefined, instr,
                fmt::format("{} of the undefined cell '{}'{}", verb.str(),
                            view.buffer->name,
                            view.buffer->indexOf(window.start)));
  }
  return decided(instr, regs[instr.a], "the value of a " + verb.str());
}

bool Interpreter::notify(const Instr &instr) {
  View view = views[instr.b];
  Notify made;
  if (!toPeer(instr, "notify", view) || !cell(instr, "notify", view, made.cell))
    return false;
  made.value = int32_t(integer(instr.a));
  made.isSet = instr.sub;
  made.loc = instr.loc;
  log->notify = made;
  return true;
}

bool Interpreter::wait(const Instr &instr) {
  Condition condition;
  bool deferred = instr.op == Op::DeferWait;
  if (!cell(instr, deferred ? "deferred wait" : "wait", views[instr.b],
            condition.cell))
    return false;
  condition.expected = int32_t(integer(instr.a));
  condition.kind = deferred    ? Condition::Deferred
                   : instr.sub ? Condition::AtLeast
                               : Condition::Equal;
  condition.loc = instr.loc;
  if (deferred)
    log->deferred.push_back(condition);
  else
    log->wait = condition;
  return true;
}
