//===- HostRunner.cpp - runs an emitted program on the host ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/HostRunner.h"
#include "pl/HostShim/Cluster.h"
#include "pl/HostShim/RankGroup.h"
#include "pl/HostShim/isa/intrinsic.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>

using namespace pl::shim;

namespace {
// The orchestration API passes no context, so the bound runtime belongs to the
// thread that runs the orchestration.
thread_local PTO2Runtime *boundRuntime = nullptr;

constexpr int kArgumentSlots = 64;
/// Runtime limit on blocks of one task.
constexpr int kMaxBlocks = 32767;
} // namespace

extern "C" __attribute__((visibility("default"))) PTO2Runtime *
framework_current_runtime(void) {
  if (!boundRuntime)
    isa::fail("orchestration", "no runtime is bound to this thread");
  return boundRuntime;
}

extern "C" __attribute__((visibility("default"))) void
framework_bind_runtime(PTO2Runtime *rt) {
  boundRuntime = rt;
}

/// The public part first: the orchestration sees a PTO2Runtime.
struct HostRunner::Runtime : PTO2Runtime {
  HostRunner *runner;

  static HostRunner &of(PTO2Runtime *rt) {
    return *static_cast<Runtime *>(rt)->runner;
  }
  static void reportFatal(PTO2Runtime *rt, int32_t code, const char *function,
                          const char *format, ...)
      __attribute__((format(printf, 4, 5)));
  static const PTO2RuntimeOps table;
};

void HostRunner::Runtime::reportFatal(PTO2Runtime *rt, int32_t code,
                                      const char *function, const char *format,
                                      ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  of(rt).fail(std::string(function) + ": " + text + " (code " +
              std::to_string(code) + ")");
}

struct HostRunner::Library {
  void *handle;
  explicit Library(void *handle) : handle(handle) {}
  Library(const Library &) = delete;
  ~Library() { dlclose(handle); }
};

const PTO2RuntimeOps HostRunner::Runtime::table = {
    /*submit_task=*/[](PTO2Runtime *rt, const MixedKernels &kernels,
                       const CoreTaskArgs &args) {
      return of(rt).submit(kernels, args);
    },
    /*scope_begin=*/
    [](PTO2Runtime *rt) {
      HostRunner &runner = of(rt);
      PTO2ScopeMode mode = rt->pending_scope_mode;
      if (mode == PTO2ScopeMode::AUTO && !runner.scopes_.empty() &&
          runner.scopes_.back() == PTO2ScopeMode::MANUAL)
        runner.fail("an automatic scope inside a manual one");
      runner.scopes_.push_back(mode);
    },
    /*scope_end=*/[](PTO2Runtime *rt) { of(rt).scopes_.pop_back(); },
    /*orchestration_done=*/[](PTO2Runtime *) {},
    /*is_fatal=*/[](PTO2Runtime *rt) { return !of(rt).error_.empty(); },
    /*report_fatal=*/reportFatal,
    /*get_tensor_data=*/
    [](PTO2Runtime *rt, const ChipTensor &tensor, uint32_t ndims,
       const uint32_t indices[]) -> uint64_t {
      uint64_t size = get_element_size(tensor.dtype), bits = 0;
      uint64_t offset = tensor.compute_flat_offset(indices, ndims);
      if ((offset + 1) * size > tensor.buffer.size) {
        of(rt).fail("get_tensor_data reads past the end of a tensor");
        return 0;
      }
      std::memcpy(&bits, tensor.data_as<char>() + offset * size, size);
      return bits;
    },
    /*set_tensor_data=*/
    [](PTO2Runtime *rt, const ChipTensor &tensor, uint32_t ndims,
       const uint32_t indices[], uint64_t value) {
      uint64_t size = get_element_size(tensor.dtype);
      uint64_t offset = tensor.compute_flat_offset(indices, ndims);
      if ((offset + 1) * size > tensor.buffer.size)
        return of(rt).fail("set_tensor_data writes past the end of a tensor");
      std::memcpy(tensor.data_as<char>() + offset * size, &value, size);
    },
    /*alloc_tensors=*/
    [](PTO2Runtime *rt, const CoreTaskArgs &args) {
      return of(rt).allocate(args);
    },
    /*submit_dummy_task=*/
    [](PTO2Runtime *rt, const CoreTaskArgs &args) {
      return of(rt).submitDummy(args);
    },
    /*available_cluster_count=*/[](PTO2Runtime *) -> int32_t { return 24; },
    /*available_aiv_count=*/[](PTO2Runtime *) -> int32_t { return 48; },
};

HostRunner::HostRunner()
    : runtime_(std::make_unique<Runtime>()), core_(std::make_unique<Core>()) {
  runtime_->ops = &Runtime::table;
  runtime_->pending_scope_mode = PTO2ScopeMode::AUTO;
  runtime_->runner = this;
}

HostRunner::~HostRunner() = default;

void HostRunner::fail(std::string message) {
  if (error_.empty())
    error_ = std::move(message);
}

//===----------------------------------------------------------------------===//
// What runs, and on what
//===----------------------------------------------------------------------===//

void HostRunner::addKernel(int funcId, std::string name, CoreKind kind,
                           KernelEntry entry) {
  Kernel &kernel = kernels_[funcId];
  kernel.name = std::move(name);
  kernel.kind = kind;
  kernel.entry = entry;
}

void HostRunner::setSignature(int funcId, std::vector<std::string> tensors,
                              unsigned numScalars) {
  Kernel &kernel = kernels_[funcId];
  kernel.hasSignature = true;
  kernel.tensors = std::move(tensors);
  kernel.numScalars = numScalars;
}

void *HostRunner::open(const std::string &path, const char *symbol) {
  // A name without a slash would be searched for in the system's folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fail(dlerror());
    return nullptr;
  }
  libraries_.push_back(std::make_unique<Library>(handle));
  void *address = dlsym(handle, symbol);
  if (!address)
    fail(path + " does not export " + symbol);
  return address;
}

bool HostRunner::loadKernel(int funcId, std::string name, CoreKind kind,
                            const std::string &path) {
  void *entry = open(path, "kernel_entry");
  if (entry)
    addKernel(funcId, std::move(name), kind,
              reinterpret_cast<KernelEntry>(entry));
  return entry;
}

bool HostRunner::loadOrchestration(const std::string &path) {
  void *entry = open(path, "aicpu_orchestration_entry");
  orchestration_ = reinterpret_cast<OrchestrationEntry>(entry);
  return entry;
}

void HostRunner::addTensor(std::string name, DataType dtype,
                           const std::vector<uint32_t> &shape, void *data) {
  tensors_.push_back(
      make_tensor_external(data, shape.data(), uint32_t(shape.size()), dtype));
  bufferNames_[data] = std::move(name);
  numArguments_ = tensors_.size();
}

bool HostRunner::run() {
  if (!orchestration_)
    fail("no orchestration is loaded");
  if (!error_.empty())
    return false;
  tasks_.clear();
  tensors_.resize(numArguments_);
  buffers_.clear();
  ChipTaskArgs args;
  for (ChipTensor &tensor : tensors_)
    args.add_input(tensor);
  for (uint64_t bits : scalars_)
    args.add_scalar(bits);
  if (args.has_error) {
    fail(args.error_msg);
    return false;
  }
  PTO2Runtime *previous = boundRuntime;
  framework_bind_runtime(runtime_.get());
  orchestration_(args);
  framework_bind_runtime(previous);
  return error_.empty();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

const ChipTensor *HostRunner::makeTensor(const TensorCreateInfo &info,
                                         PTO2TaskId owner) {
  uint64_t bytes = info.buffer_size_bytes();
  auto buffer = std::make_unique<char[]>(bytes + 64);
  // Buffers of the runtime start on a cache line.
  uint64_t misaligned = reinterpret_cast<uint64_t>(buffer.get()) % 64;
  char *data = buffer.get() + (misaligned ? 64 - misaligned : 0);
  if (info.has_initial_value) {
    uint64_t size = get_element_size(info.dtype);
    for (uint64_t offset = 0; offset < bytes; offset += size)
      std::memcpy(data + offset, &info.initial_value, size);
  } else {
    std::memset(data, kPoisonByte, bytes);
  }
  buffers_.push_back(std::move(buffer));
  tensors_.push_back(
      make_tensor_external(data, info.shapes, info.ndims, info.dtype));
  tensors_.back().owner_task_id = owner;
  return &tensors_.back();
}

bool HostRunner::collect(const CoreTaskArgs &args, PTO2TaskId id, Task &task,
                         std::vector<const ChipTensor *> &tensors,
                         TaskOutputTensors &outputs) {
  if (args.has_error) {
    fail("task " + task.name + ": " + args.error_msg);
    return false;
  }
  task.id = id;
  task.earlyResolve = args.allow_early_resolve();
  for (int32_t i = 0; i < args.tensor_count(); ++i) {
    task.directions.push_back(args.tag(i));
    const ChipTensor *tensor;
    if (args.tag(i) == TensorArgType::OUTPUT) {
      tensor = makeTensor(args.tensor(i).create_info(), id);
      outputs.materialize_output(*tensor);
    } else {
      tensor = &args.tensor(i).ref();
    }
    tensors.push_back(tensor);
  }
  for (uint32_t i = 0; i < args.explicit_dep_count(); ++i) {
    PTO2TaskId dep = args.explicit_dep(i);
    if (dep.is_invalid() || dep.raw >= tasks_.size()) {
      fail("task " + task.name + " depends on a task that was not submitted");
      return false;
    }
    task.deps.push_back(dep);
  }
  outputs.set_task_id(id);
  return true;
}

/// The kernel finds its arguments by their places alone, so nothing else sees
/// one that is missing.
bool HostRunner::takes(const Kernel &kernel, const CoreTaskArgs &args) {
  if (!kernel.hasSignature || args.has_error)
    return true;
  auto count = [](size_t number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  auto tensors = size_t(args.tensor_count());
  auto scalars = size_t(args.scalar_count());
  if (tensors != kernel.tensors.size() || scalars != kernel.numScalars) {
    fail("kernel " + kernel.name + " takes " +
         count(kernel.tensors.size(), "tensor") + " and " +
         count(kernel.numScalars, "scalar") + ", but is submitted with " +
         count(tensors, "tensor") + " and " + count(scalars, "scalar"));
    return false;
  }
  for (size_t i = 0; i < tensors; ++i) {
    TensorArgType tag = args.tag(int32_t(i));
    if (tag == TensorArgType::NO_DEP)
      continue;
    const char *given = tag == TensorArgType::INPUT   ? "IN"
                        : tag == TensorArgType::INOUT ? "INOUT"
                                                      : "OUT";
    if (kernel.tensors[i] == given)
      continue;
    fail("tensor " + std::to_string(i) + " of kernel " + kernel.name + " is " +
         kernel.tensors[i] + ", but is submitted as " + given);
    return false;
  }
  return true;
}

bool HostRunner::passes(const CoreTaskPredicate &predicate) {
  if (predicate.op == PredicateOp::NONE)
    return true;
  const CorePredicateOperand &operand = predicate.operand;
  uint64_t bits = Runtime::table.get_tensor_data(
      runtime_.get(), *operand.tensor, operand.ndims, operand.indices);
  auto shift = unsigned(64 - 8 * get_element_size(operand.tensor->dtype));
  int64_t value = int64_t(bits << shift) >> shift;
  switch (predicate.op) {
  case PredicateOp::EQ:
    return value == predicate.target;
  case PredicateOp::NE:
    return value != predicate.target;
  case PredicateOp::GT:
    return value > predicate.target;
  case PredicateOp::LT:
    return value < predicate.target;
  case PredicateOp::GE:
    return value >= predicate.target;
  default:
    return value <= predicate.target;
  }
}

void HostRunner::runBlock(const Kernel &kernel, Core &core, int block,
                          const std::vector<const ChipTensor *> &tensors,
                          const CoreTaskArgs &args, int lane,
                          std::vector<DeferredWait> &deferred) {
  int blocks = args.launch_spec.block_num();
  LocalContext local = {block, blocks, &deferred};
  GlobalContext global = {lane};
  CoreScope scope(core);
  core.reset();
  core.setKernel(kernel.name, block, blocks);
  int64_t slots[kArgumentSlots];
  std::memset(slots, kPoisonByte, sizeof(slots));
  int next = 0;
  // A copy, as a kernel could write to its descriptors.
  std::vector<ChipTensor> descriptors;
  descriptors.reserve(tensors.size());
  for (const ChipTensor *tensor : tensors) {
    descriptors.push_back(*tensor);
    slots[next++] = reinterpret_cast<int64_t>(&descriptors.back());
    uint64_t size = get_element_size(tensor->dtype);
    auto name = bufferNames_.find(tensor->data_as<void>());
    std::string text =
        std::to_string(next - 1) +
        (name == bufferNames_.end() ? "" : " (" + name->second + ")");
    core.allowGm(tensor->data_as<char>() + tensor->start_offset * size,
                 tensor->extent_elem() * size, text);
    allowPeers(core, *tensor, text);
  }
  for (int32_t i = 0; i < args.scalar_count(); ++i)
    slots[next++] = int64_t(args.scalar(i));
  slots[SPMD_LOCAL_CONTEXT_INDEX] = reinterpret_cast<int64_t>(&local);
  slots[SPMD_GLOBAL_CONTEXT_INDEX] = reinterpret_cast<int64_t>(&global);
  kernel.entry(slots);
  core.finishKernel();
}

void HostRunner::runBlocks(const Kernel &kernel,
                           const std::vector<const ChipTensor *> &tensors,
                           const CoreTaskArgs &args, int lane) {
  std::vector<DeferredWait> deferred;
  for (int block = 0; block < args.launch_spec.block_num(); ++block)
    runBlock(kernel, *core_, block, tensors, args, lane, deferred);
  waitDeferred(deferred);
}

/// Tasks run in program order, so whatever follows waits for this one.
void HostRunner::waitDeferred(const std::vector<DeferredWait> &deferred) {
  for (const DeferredWait &condition : deferred)
    group_->wait(condition.cell, int32_t(condition.expected),
                 RankGroup::Compare::UnsignedGE, core_->where());
}

void HostRunner::runCluster(const Kernel *const (&kernels)[3], int block,
                            const std::vector<const ChipTensor *> &tensors,
                            const CoreTaskArgs &args) {
  Core *cores[3] = {core_.get(), nullptr, nullptr};
  for (int lane : {0, 1}) {
    if (!lanes_[lane])
      lanes_[lane] = std::make_unique<Core>();
    cores[1 + lane] = lanes_[lane].get();
    cores[1 + lane]->group = core_->group;
    cores[1 + lane]->rank = core_->rank;
  }
  Cluster cluster;
  std::vector<DeferredWait> deferred[3];
  std::vector<std::thread> threads;
  for (int index = 0; index < 3; ++index)
    threads.emplace_back([&, index] {
      cores[index]->joinCluster(&cluster, index);
      if (kernels[index])
        runBlock(*kernels[index], *cores[index], block, tensors, args,
                 index == 2 ? 1 : 0, deferred[index]);
      CoreScope scope(*cores[index]);
      cluster.finish(index);
      cores[index]->joinCluster(nullptr, 0);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<DeferredWait> &waits : deferred)
    waitDeferred(waits);
}

void HostRunner::setRank(RankGroup &group, unsigned rank) {
  group_ = core_->group = &group;
  rank_ = rank;
  core_->rank = "rank " + std::to_string(rank) + ", ";
}

/// A task that gets a window may reach that of every rank.
void HostRunner::allowPeers(Core &core, const ChipTensor &tensor,
                            const std::string &name) {
  if (!group_)
    return;
  uint64_t size = get_element_size(tensor.dtype);
  char *first = tensor.data_as<char>() + tensor.start_offset * size;
  char *start = group_->windows(rank_);
  uint64_t bytes = group_->context(rank_).winSize;
  if (first < start || first >= start + bytes)
    return;
  for (unsigned peer = 0; peer < group_->size(); ++peer)
    if (peer != rank_)
      core.allowGm(group_->windows(peer) + (first - start),
                   tensor.extent_elem() * size,
                   name + " of rank " + std::to_string(peer));
}

TaskOutputTensors HostRunner::submit(const MixedKernels &kernels,
                                     const CoreTaskArgs &args) {
  TaskOutputTensors outputs;
  if (!error_.empty())
    return outputs;
  int ids[3] = {kernels.aic_kernel_id, kernels.aiv0_kernel_id,
                kernels.aiv1_kernel_id};
  Task task;
  const Kernel *entries[3] = {};
  for (int slot = 0; slot < 3; ++slot) {
    if (ids[slot] == INVALID_KERNEL_ID)
      continue;
    auto found = kernels_.find(ids[slot]);
    if (found == kernels_.end()) {
      fail("no kernel has function id " + std::to_string(ids[slot]));
      return outputs;
    }
    entries[slot] = &found->second;
    if ((found->second.kind == CoreKind::AIC) != (slot == 0)) {
      fail("kernel " + found->second.name + " is submitted to the wrong core");
      return outputs;
    }
    if (!takes(found->second, args))
      return outputs;
    if (task.name.empty()) {
      task.name = found->second.name;
      task.funcId = ids[slot];
    }
  }
  if (task.funcId < 0) {
    fail("a task without a kernel");
    return outputs;
  }
  task.blocks = args.launch_spec.block_num();
  if (task.blocks < 1 || task.blocks > kMaxBlocks) {
    fail("task " + task.name + " has " + std::to_string(task.blocks) +
         " blocks; 1 to " + std::to_string(kMaxBlocks) + " are possible");
    return outputs;
  }
  std::vector<const ChipTensor *> tensors;
  if (!collect(args, {tasks_.size()}, task, tensors, outputs))
    return outputs;
  tasks_.push_back(task);
  if (!passes(args.predicate()))
    return outputs;
  if (entries[0] && (entries[1] || entries[2])) {
    for (int block = 0; block < task.blocks; ++block)
      runCluster(entries, block, tensors, args);
    return outputs;
  }
  for (int slot = 0; slot < 3; ++slot)
    if (entries[slot])
      runBlocks(*entries[slot], tensors, args, slot == 2 ? 1 : 0);
  return outputs;
}

TaskOutputTensors HostRunner::allocate(const CoreTaskArgs &args) {
  TaskOutputTensors outputs;
  if (!error_.empty())
    return outputs;
  Task task;
  task.name = "alloc";
  std::vector<const ChipTensor *> tensors;
  if (collect(args, {tasks_.size()}, task, tensors, outputs))
    tasks_.push_back(task);
  return outputs;
}

TaskOutputTensors HostRunner::submitDummy(const CoreTaskArgs &args) {
  TaskOutputTensors outputs;
  if (!error_.empty())
    return outputs;
  Task task;
  task.name = "dummy";
  std::vector<const ChipTensor *> tensors;
  if (collect(args, {tasks_.size()}, task, tensors, outputs))
    tasks_.push_back(task);
  return outputs;
}
