//===- Cluster.cpp - a cube core and two vector cores that exchange tiles -===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Cluster.h"

#include "pl/HostShim/Core.h"

#include <cinttypes>

using namespace pl::shim;

namespace {

constexpr const char *kCores[] = {"the cube", "vector lane 0", "vector lane 1"};

/// Whether a core is at the end of a ring that pushes.
bool pushes(int core, bool toCube) { return (core != 0) == toCube; }

Core &requireCluster(const char *instruction) {
  Core *core = Core::current();
  if (!core || !core->cluster())
    isa::fail(instruction,
              "this core is in no cluster: a kernel with a FIFO is "
              "one side of a mixed task");
  return *core;
}

} // namespace

/// Waits until `ready` holds. Counts those that wait since the last change: if
/// that is everybody who runs, nothing will change any more.
template <typename Condition>
void Cluster::wait(int core, const char *instruction, bool toCube,
                   Condition ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ready()) {
    uint64_t seen = changes_;
    if (++waiting_ == running_)
      isa::fail(instruction,
                "%s waits for a %s that never comes (%s the %s): no core of "
                "the cluster can go on",
                kCores[core], pushes(core, toCube) ? "slot" : "tile",
                pushes(core, toCube) ? "to" : "from",
                toCube == pushes(core, toCube) ? "cube" : "vector cores");
    changed_.wait(lock, [&] { return changes_ != seen; });
  }
}

void Cluster::open(int core, bool toCube, int64_t slots) {
  std::lock_guard<std::mutex> lock(mutex_);
  Ring &ring = rings_[toCube];
  if (ring.slots && ring.slots != slots)
    isa::fail("TPipe",
              "%s has %" PRId64 " slots where another core has %" PRId64,
              kCores[core], slots, ring.slots);
  ring.slots = slots;
}

int64_t Cluster::beginPush(int core, bool toCube) {
  if (!pushes(core, toCube))
    isa::fail("TPUSH", "%s is at the other end of this pipe", kCores[core]);
  Ring &ring = rings_[toCube];
  wait(core, "TPUSH", toCube, [&] {
    int64_t next = ring.pushed[core];
    if (next < ring.slots)
      return true;
    // A credit stands for half a ring, and is waited for once for as many.
    int64_t period = ring.slots <= 2 ? ring.slots : ring.slots / 2;
    int64_t needed = next / period * period - ring.slots + period;
    for (int other = 0; other < kNumCores; ++other)
      if (!pushes(other, toCube) && ring.freed[other] < needed)
        return false;
    return true;
  });
  return ring.pushed[core];
}

int64_t Cluster::beginPop(int core, bool toCube) {
  if (pushes(core, toCube))
    isa::fail("TPOP", "%s is at the other end of this pipe", kCores[core]);
  Ring &ring = rings_[toCube];
  wait(core, "TPOP", toCube, [&] {
    for (int other = 0; other < kNumCores; ++other)
      if (pushes(other, toCube) && ring.pushed[other] <= ring.freed[core])
        return false;
    return true;
  });
  return ring.freed[core];
}

void Cluster::endPush(int core, bool toCube) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++rings_[toCube].pushed[core];
  ++changes_;
  waiting_ = 0;
  changed_.notify_all();
}

void Cluster::endPop(int core, bool toCube) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++rings_[toCube].freed[core];
  ++changes_;
  waiting_ = 0;
  changed_.notify_all();
}

void Cluster::finish(int core) {
  std::lock_guard<std::mutex> lock(mutex_);
  // The others look again whether they can go on without this one.
  --running_;
  ++changes_;
  waiting_ = 0;
  changed_.notify_all();
  if (running_)
    return;
  for (bool toCube : {false, true})
    for (int from = 0; from < kNumCores; ++from)
      for (int to = 0; to < kNumCores; ++to)
        if (pushes(from, toCube) && !pushes(to, toCube) &&
            rings_[toCube].pushed[from] != rings_[toCube].freed[to])
          isa::fail("kernel end",
                    "%s pushed %" PRId64 " tiles and %s took %" PRId64,
                    kCores[from], rings_[toCube].pushed[from], kCores[to],
                    rings_[toCube].freed[to]);
}

//===----------------------------------------------------------------------===//
// Entry points of the instruction headers
//===----------------------------------------------------------------------===//

void isa::openRing(int, bool toCube, int64_t slots) {
  Core &core = requireCluster("TPipe");
  core.cluster()->open(core.indexInCluster(), toCube, slots);
}
int64_t isa::beginPush(bool toCube) {
  Core &core = requireCluster("TPUSH");
  return core.cluster()->beginPush(core.indexInCluster(), toCube);
}
void isa::endPush(bool toCube) {
  Core &core = requireCluster("TPUSH");
  core.cluster()->endPush(core.indexInCluster(), toCube);
}
int64_t isa::beginPop(bool toCube) {
  Core &core = requireCluster("TPOP");
  return core.cluster()->beginPop(core.indexInCluster(), toCube);
}
void isa::endPop(bool toCube) {
  Core &core = requireCluster("TPOP");
  core.cluster()->endPop(core.indexInCluster(), toCube);
}
int isa::subBlock() {
  Core *core = Core::current();
  return core && core->cluster() ? core->indexInCluster() - 1 : 0;
}
