//===- RankGroup.cpp - ranks that wait for each other ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/RankGroup.h"
#include "pl/HostShim/Core.h"
#include "pl/HostShim/Rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace pl::shim;

RankGroup::RankGroup(unsigned ranks, uint64_t bytes)
    : contexts(ranks), running(ranks) {
  constexpr uint64_t kAlignment = 4096;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    memory.push_back(std::make_unique<char[]>(bytes + kAlignment));
    std::memset(memory.back().get(), kPoisonByte, bytes + kAlignment);
  }
  for (unsigned rank = 0; rank < ranks; ++rank) {
    CommContext &context = contexts[rank];
    context = CommContext();
    context.rankId = rank;
    context.rankNum = ranks;
    context.winSize = bytes;
    for (unsigned other = 0; other < ranks; ++other) {
      auto start = reinterpret_cast<uint64_t>(memory[other].get());
      start = (start + kAlignment - 1) / kAlignment * kAlignment;
      context.windowsIn[other] = context.windowsOut[other] = start;
    }
  }
}

bool RankGroup::Waiter::holds() const {
  int32_t now = *cell;
  switch (compare) {
  case Compare::EQ:
    return now == value;
  case Compare::NE:
    return now != value;
  case Compare::GT:
    return now > value;
  case Compare::GE:
    return now >= value;
  case Compare::LT:
    return now < value;
  case Compare::LE:
    return now <= value;
  case Compare::UnsignedGE:
    return uint32_t(now) >= uint32_t(value);
  }
  return false;
}

void RankGroup::notify(int32_t *cell, int32_t value, bool set) {
  std::lock_guard<std::mutex> lock(mutex);
  *cell = set ? value : int32_t(uint32_t(*cell) + uint32_t(value));
  changed.notify_all();
}

std::string RankGroup::describe(const Waiter &waiter) const {
  auto address = reinterpret_cast<uint64_t>(waiter.cell);
  std::string place = "a cell of no window";
  for (const CommContext &context : contexts) {
    uint64_t start = context.windowsIn[context.rankId];
    if (address >= start && address < start + context.winSize)
      place = "byte " + std::to_string(address - start) +
              " of the windows of rank " + std::to_string(context.rankId);
  }
  return waiter.where + " waits for " + std::to_string(waiter.value) + " in " +
         place + ", which holds " + std::to_string(*waiter.cell);
}

/// Call with the lock.
void RankGroup::checkStuck() {
  if (waiters.size() < running || running == 0)
    return;
  for (const Waiter *waiter : waiters)
    if (waiter->holds())
      return;
  std::string text;
  for (const Waiter *waiter : waiters)
    text += "\n  " + describe(*waiter);
  std::fprintf(stderr, "host shim: all ranks wait:%s\n", text.c_str());
  std::abort();
}

void RankGroup::wait(const int32_t *cell, int32_t value, Compare compare,
                     std::string where) {
  std::unique_lock<std::mutex> lock(mutex);
  Waiter waiter{cell, value, compare, std::move(where)};
  if (waiter.holds())
    return;
  waiters.push_back(&waiter);
  checkStuck();
  changed.wait(lock, [&] { return waiter.holds(); });
  waiters.erase(std::find(waiters.begin(), waiters.end(), &waiter));
}

void RankGroup::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  --running;
  checkStuck();
}

//===----------------------------------------------------------------------===//
// Entry points of the instruction headers
//===----------------------------------------------------------------------===//

static Core &requireCore(const char *instruction) {
  Core *core = Core::current();
  if (!core)
    isa::fail(instruction, "no core is bound to this thread");
  return *core;
}

static RankGroup &requireGroup(const char *instruction) {
  RankGroup *group = requireCore(instruction).group;
  if (!group)
    isa::fail(instruction, "this program runs on one rank, without windows");
  return *group;
}

void isa::transfer(const char *name, const GlobalArg &dst, const GlobalArg &src,
                   const TileArg &stage, const TileArg *second,
                   bool atomicAdd) {
  Core &core = requireCore(name);
  for (unsigned axis = 0; axis < 5; ++axis)
    if (dst.shape[axis] != src.shape[axis])
      isa::fail(name, "the two sides have %lld and %lld elements on axis %u",
                (long long)dst.shape[axis], (long long)src.shape[axis], axis);
  if (dst.stride[4] != 1 && dst.shape[4] > 1)
    isa::fail(name, "columns are not next to each other");
  // Pieces go through the stages; what was there is gone.
  for (const TileArg *tile : {&stage, second})
    if (tile)
      std::memset(tile->data, kPoisonByte,
                  size_t(tile->rows) * size_t(tile->cols) *
                      elemBytes(tile->type));
  auto size = int64_t(elemBytes(src.type));
  int64_t rows = src.shape[3], rowBytes = src.shape[4] * size;
  bool isRun =
      src.stride[3] * size == rowBytes && dst.stride[3] * size == rowBytes;
  int64_t pieces = isRun ? 1 : rows;
  int64_t bytes = isRun ? rows * rowBytes : rowBytes;
  if (rows == 0 || rowBytes == 0)
    return;
  for (int64_t i = 0; i < src.shape[0]; ++i)
    for (int64_t j = 0; j < src.shape[1]; ++j)
      for (int64_t k = 0; k < src.shape[2]; ++k)
        for (int64_t r = 0; r < pieces; ++r) {
          auto at = [&](const GlobalArg &global) {
            return static_cast<char *>(global.data) +
                   (i * global.stride[0] + j * global.stride[1] +
                    k * global.stride[2] + r * global.stride[3]) *
                       size;
          };
          char *to = at(dst), *from = at(src);
          core.checkGm(name, from, uint64_t(bytes));
          core.checkGm(name, to, uint64_t(bytes));
          if (!atomicAdd) {
            std::memcpy(to, from, size_t(bytes));
            continue;
          }
          std::unique_lock<std::mutex> lock;
          if (core.group)
            lock = std::unique_lock<std::mutex>(core.group->addMutex());
          binaryRow(src.type, BinaryOp::Add, to, to, from,
                    size_t(bytes / size));
        }
}

void isa::notify(void *cell, int32_t value, bool set) {
  requireCore("TNOTIFY").checkGm("TNOTIFY", cell, sizeof(int32_t));
  requireGroup("TNOTIFY").notify(static_cast<int32_t *>(cell), value, set);
}

void isa::wait(void *cell, int32_t value, int cmp) {
  Core &core = requireCore("TWAIT");
  core.checkGm("TWAIT", cell, sizeof(int32_t));
  requireGroup("TWAIT").wait(static_cast<int32_t *>(cell), value,
                             RankGroup::Compare(cmp), core.where());
}

void isa::deferWait(void *conditions, void *cell, uint32_t expected) {
  requireCore("defer_wait").checkGm("defer_wait", cell, sizeof(int32_t));
  auto *list = static_cast<std::vector<DeferredWait> *>(conditions);
  if (!list)
    isa::fail("defer_wait", "the task has no list of conditions");
  list->push_back({static_cast<int32_t *>(cell), expected});
}
