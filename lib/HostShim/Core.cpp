//===- Core.cpp - one core's memories while it runs a kernel --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Core.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace pl::shim;
using isa::Space;

namespace {

constexpr uint64_t kBytes[isa::kNumSpaces] = {192 * 1024, 512 * 1024, 64 * 1024,
                                              64 * 1024,  128 * 1024, 1024};
constexpr const char *kNames[isa::kNumSpaces] = {"UB",  "L1",  "L0A",
                                                 "L0B", "L0C", "BT"};
constexpr const char *kPipes[8] = {"S",    "V", "MTE1", "MTE2",
                                   "MTE3", "M", "ALL",  "FIX"};
constexpr uint64_t kHiddenScratch = 184 * 1024;
constexpr size_t kAlignment = 4096;

uint64_t totalBytes() {
  uint64_t total = 0;
  for (uint64_t bytes : kBytes)
    total += bytes;
  return (total + kAlignment - 1) / kAlignment * kAlignment;
}

// Kernels reach their core only through the thread they run on: the tile ISA
// passes no context.
thread_local Core *boundCore = nullptr;

Core &requireCore(const char *instruction) {
  if (!boundCore)
    isa::fail(instruction, "no core is bound to this thread");
  return *boundCore;
}

} // namespace

void isa::fail(const char *instruction, const char *format, ...) {
  const char *where = boundCore ? boundCore->where().c_str() : "";
  std::fprintf(stderr, "host shim: %s: ", instruction);
  va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
  std::fprintf(stderr, "%s%s\n", *where ? ", in " : "", where);
  std::abort();
}

Core::Core()
    : memory_(static_cast<char *>(std::aligned_alloc(kAlignment, totalBytes())),
              std::free) {
  if (!memory_)
    isa::fail("Core", "out of memory");
  char *next = memory_.get();
  for (unsigned i = 0; i < isa::kNumSpaces; ++i) {
    spaces_[i] = next;
    next += kBytes[i];
  }
  reset();
}

void Core::reset() {
  std::memset(memory_.get(), kPoisonByte, totalBytes());
  std::memset(flags_, 0, sizeof(flags_));
  ranges_.clear();
  where_.clear();
}

void Core::setKernel(std::string kernel, int block, int blocks) {
  where_ = rank + "kernel " + std::move(kernel) + ", block " +
           std::to_string(block) + " of " + std::to_string(blocks);
}

void Core::allowGm(const void *base, uint64_t bytes, std::string name) {
  ranges_.push_back({static_cast<const char *>(base), bytes, std::move(name)});
}

void Core::finishKernel() {
  for (int s = 0; s < 8; ++s)
    for (int d = 0; d < 8; ++d)
      for (int e = 0; e < 8; ++e)
        if (flags_[s][d][e])
          isa::fail("kernel end",
                    "flag %s -> %s, id %d was set and never waited for",
                    kPipes[s], kPipes[d], e);
}

Core *Core::current() { return boundCore; }

void *Core::address(Space space, uint64_t offset, uint64_t bytes) {
  auto index = unsigned(space);
  if (index >= isa::kNumSpaces)
    isa::fail("TASSIGN", "no such memory on this machine");
  if (offset > kBytes[index] || bytes > kBytes[index] - offset)
    isa::fail("TASSIGN",
              "bytes %" PRIu64 " to %" PRIu64
              " reach past the end of %s (%" PRIu64 " bytes)",
              offset, offset + bytes, kNames[index], kBytes[index]);
  if (offset % 32 != 0)
    isa::fail("TASSIGN", "address %" PRIu64 " of %s is not a multiple of 32",
              offset, kNames[index]);
  return spaces_[index] + offset;
}

void Core::checkGm(const char *instruction, const void *first, uint64_t bytes) {
  if (ranges_.empty() || bytes == 0)
    return;
  auto *begin = static_cast<const char *>(first);
  const Range *started = nullptr;
  for (const Range &range : ranges_) {
    if (begin < range.base || begin >= range.base + range.bytes)
      continue;
    if (bytes <= range.bytes - uint64_t(begin - range.base))
      return;
    started = &range;
  }
  if (started)
    isa::fail(instruction,
              "GM bytes %td to %td of argument %s, which has %" PRIu64 " bytes",
              begin - started->base, begin - started->base + ptrdiff_t(bytes),
              started->name.c_str(), started->bytes);
  isa::fail(instruction,
            "GM address %p starts in none of the task's %zu tensors", first,
            ranges_.size());
}

void Core::setFlag(int source, int destination, int event) {
  if (source < 0 || source > 7 || destination < 0 || destination > 7 ||
      event < 0 || event > 7)
    isa::fail("set_flag", "no such flag: pipes %d and %d, id %d", source,
              destination, event);
  bool &flag = flags_[source][destination][event];
  if (flag)
    isa::fail("set_flag", "flag %s -> %s, id %d is set already", kPipes[source],
              kPipes[destination], event);
  flag = true;
}

void Core::waitFlag(int source, int destination, int event) {
  if (source < 0 || source > 7 || destination < 0 || destination > 7 ||
      event < 0 || event > 7)
    isa::fail("wait_flag", "no such flag: pipes %d and %d, id %d", source,
              destination, event);
  bool &flag = flags_[source][destination][event];
  if (!flag)
    isa::fail("wait_flag", "flag %s -> %s, id %d is never set: a hang",
              kPipes[source], kPipes[destination], event);
  flag = false;
}

void Core::poisonHiddenScratch() {
  std::memset(spaces_[0] + kHiddenScratch, kPoisonByte,
              kBytes[0] - kHiddenScratch);
}

CoreScope::CoreScope(Core &core) : previous_(boundCore) { boundCore = &core; }
CoreScope::~CoreScope() { boundCore = previous_; }

//===----------------------------------------------------------------------===//
// Entry points of the instruction headers
//===----------------------------------------------------------------------===//

void *isa::address(Space space, uint64_t offset, uint64_t bytes) {
  return requireCore("TASSIGN").address(space, offset, bytes);
}
void isa::setFlag(int source, int destination, int event) {
  requireCore("set_flag").setFlag(source, destination, event);
}
void isa::waitFlag(int source, int destination, int event) {
  requireCore("wait_flag").waitFlag(source, destination, event);
}
