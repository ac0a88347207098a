//===- Core.h - one core's memories while it runs a kernel ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shim's state: the on-chip memories at their real sizes, the event flags,
// and the GM ranges the running task may touch. A kernel finds its core through
// the thread it runs on.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_CORE_H
#define PL_HOSTSHIM_CORE_H

#include "pl/HostShim/isa/pto/shim/Runtime.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pl::shim {

class RankGroup;
class Cluster;

class Core {
public:
  Core();

  /// Poisons all memories, clears flags, ranges and the name.
  void reset();

  /// Names the kernel and block in messages.
  void setKernel(std::string kernel, int block, int blocks);
  /// Allows accesses to [base, base + bytes); with no range at all, anything.
  void allowGm(const void *base, uint64_t bytes, std::string name);
  /// Ends the program if an event flag is still set.
  void finishKernel();

  /// The core bound to this thread, or null.
  static Core *current();

  /// The cluster it is in while it runs one side of a mixed task, and which
  /// core of it: the cube is 0, the vector lanes are 1 and 2.
  void joinCluster(Cluster *cluster, int index) {
    cluster_ = cluster;
    index_ = index;
  }
  Cluster *cluster() const { return cluster_; }
  int indexInCluster() const { return index_; }

  // What the instructions use.
  void *address(isa::Space space, uint64_t offset, uint64_t bytes);
  void checkGm(const char *instruction, const void *first, uint64_t bytes);
  void setFlag(int source, int destination, int event);
  void waitFlag(int source, int destination, int event);
  /// The top 8 KB of UB, which some instructions overwrite.
  void poisonHiddenScratch();
  const std::string &where() const { return where_; }

  /// The ranks it belongs to, or null.
  RankGroup *group = nullptr;
  /// Its rank, in messages.
  std::string rank;

private:
  friend class CoreScope;
  struct Range {
    const char *base;
    uint64_t bytes;
    std::string name;
  };
  std::unique_ptr<char, void (*)(void *)> memory_;
  char *spaces_[isa::kNumSpaces];
  bool flags_[8][8][8];
  std::vector<Range> ranges_;
  std::string where_;
  Cluster *cluster_ = nullptr;
  int index_ = 0;
};

/// Binds a core to this thread for as long as it lives.
class CoreScope {
public:
  explicit CoreScope(Core &core);
  ~CoreScope();
  CoreScope(const CoreScope &) = delete;
  CoreScope &operator=(const CoreScope &) = delete;

private:
  Core *previous_;
};

} // namespace pl::shim

#endif // PL_HOSTSHIM_CORE_H
