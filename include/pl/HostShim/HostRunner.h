//===- HostRunner.h - runs an emitted program on the host -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for the task-graph runtime: binds a function table of its own and
// runs every task's blocks when the orchestration submits the task, in program
// order, on one core whose memories are poisoned before each block. Fresh GM is
// poison as well. A program that uses it exports PLHostShim's symbols (the
// kernels' shared objects call into it); CMake: ENABLE_EXPORTS.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_HOSTRUNNER_H
#define PL_HOSTSHIM_HOSTRUNNER_H

#include "pl/HostShim/Core.h"
#include "pl/HostShim/RankGroup.h"
#include "pl/HostShim/isa/pto_orchestration_api.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pl::shim {

enum class CoreKind : uint8_t { AIC, AIV };

class HostRunner {
public:
  using KernelEntry = void (*)(int64_t *);
  using OrchestrationEntry = void (*)(const ChipTaskArgs &);

  /// What was submitted, for comparison with the compiler's own task graph.
  struct Task {
    PTO2TaskId id;
    std::string name; ///< the kernel's; "dummy" or "alloc" otherwise
    int funcId = -1;
    int blocks = 0;
    bool earlyResolve = false;
    std::vector<TensorArgType> directions;
    std::vector<PTO2TaskId> deps;
  };

  HostRunner();
  ~HostRunner();
  HostRunner(const HostRunner &) = delete;
  HostRunner &operator=(const HostRunner &) = delete;

  /// Registers the kernel of a function id.
  void addKernel(int funcId, std::string name, CoreKind kind,
                 KernelEntry entry);
  /// The same from a shared object that exports `kernel_entry`. False: see
  /// error().
  bool loadKernel(int funcId, std::string name, CoreKind kind,
                  const std::string &path);
  /// What a kernel takes: its tensors ("IN", "OUT", "INOUT") and the number of
  /// its scalars. A submission that differs is an error.
  void setSignature(int funcId, std::vector<std::string> tensors,
                    unsigned numScalars);
  void setOrchestration(OrchestrationEntry entry) { orchestration_ = entry; }
  /// From a shared object that exports `aicpu_orchestration_entry`.
  bool loadOrchestration(const std::string &path);

  /// Arguments of the program, in order. `data` stays the caller's.
  void addTensor(std::string name, DataType dtype,
                 const std::vector<uint32_t> &shape, void *data);
  void addScalar(uint64_t bits) { scalars_.push_back(bits); }

  /// Runs on one rank of a group: its windows, and those of the others, may be
  /// reached. Both outlive the runner.
  void setRank(RankGroup &group, unsigned rank);

  /// Runs the program once. False: see error().
  bool run();

  const std::string &error() const { return error_; }
  const std::vector<Task> &tasks() const { return tasks_; }

private:
  struct Runtime;
  struct Kernel {
    std::string name;
    CoreKind kind;
    KernelEntry entry;
    bool hasSignature = false;
    std::vector<std::string> tensors;
    unsigned numScalars = 0;
  };
  struct Library;

  void fail(std::string message);
  void *open(const std::string &path, const char *symbol);
  const ChipTensor *makeTensor(const TensorCreateInfo &info, PTO2TaskId owner);
  bool collect(const CoreTaskArgs &args, PTO2TaskId id, Task &task,
               std::vector<const ChipTensor *> &tensors,
               TaskOutputTensors &outputs);
  bool takes(const Kernel &kernel, const CoreTaskArgs &args);
  bool passes(const CoreTaskPredicate &predicate);
  void allowPeers(Core &core, const ChipTensor &tensor,
                  const std::string &name);
  void waitDeferred(const std::vector<DeferredWait> &deferred);
  void runBlock(const Kernel &kernel, Core &core, int block,
                const std::vector<const ChipTensor *> &tensors,
                const CoreTaskArgs &args, int lane,
                std::vector<DeferredWait> &deferred);
  /// Runs the sides of a mixed task, one thread each.
  void runCluster(const Kernel *const (&kernels)[3], int block,
                  const std::vector<const ChipTensor *> &tensors,
                  const CoreTaskArgs &args);
  void runBlocks(const Kernel &kernel,
                 const std::vector<const ChipTensor *> &tensors,
                 const CoreTaskArgs &args, int lane);
  TaskOutputTensors submit(const MixedKernels &kernels,
                           const CoreTaskArgs &args);
  TaskOutputTensors allocate(const CoreTaskArgs &args);
  TaskOutputTensors submitDummy(const CoreTaskArgs &args);

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Core> core_;
  RankGroup *group_ = nullptr;
  unsigned rank_ = 0;
  std::unique_ptr<Core> lanes_[2]; ///< of mixed tasks, made when needed
  std::map<int, Kernel> kernels_;
  OrchestrationEntry orchestration_ = nullptr;
  std::vector<std::unique_ptr<Library>> libraries_;
  std::deque<ChipTensor> tensors_; ///< arguments, then what was allocated
  size_t numArguments_ = 0;
  std::map<const void *, std::string> bufferNames_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<uint64_t> scalars_;
  std::vector<Task> tasks_;
  std::vector<PTO2ScopeMode> scopes_;
  std::string error_;
};

} // namespace pl::shim

#endif // PL_HOSTSHIM_HOSTRUNNER_H
