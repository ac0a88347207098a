//===- Cluster.h - a cube core and two vector cores that exchange tiles ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rings of a block of a mixed task. Each core runs on a thread of its own
// and waits here for slots and tiles; when all that still run wait, the program
// ends with a message that says for what.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_CLUSTER_H
#define PL_HOSTSHIM_CLUSTER_H

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace pl::shim {

class Cluster {
public:
  static constexpr int kNumCores = 3; ///< the cube, vector lanes 0 and 1

  /// A core names the ring that it is about to use.
  void open(int core, bool toCube, int64_t slots);
  /// Wait for a slot, or for a tile; return the number of those before it.
  int64_t beginPush(int core, bool toCube);
  int64_t beginPop(int core, bool toCube);
  void endPush(int core, bool toCube);
  void endPop(int core, bool toCube);
  /// The core has ended. Ends the program if tiles are left once all have.
  void finish(int core);

private:
  struct Ring {
    int64_t slots = 0;
    int64_t pushed[kNumCores] = {}, freed[kNumCores] = {};
  };
  template <typename Condition>
  void wait(int core, const char *instruction, bool toCube, Condition ready);

  std::mutex mutex_;
  std::condition_variable changed_;
  Ring rings_[2];
  int running_ = kNumCores, waiting_ = 0;
  uint64_t changes_ = 0;
};

} // namespace pl::shim

#endif // PL_HOSTSHIM_CLUSTER_H
