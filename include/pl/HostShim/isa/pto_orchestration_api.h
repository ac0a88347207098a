//===- pto_orchestration_api.h - what an orchestration source calls -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As on the device, an orchestration object calls the runtime only through the
// table of functions of the bound PTO2Runtime. The host runner binds one that
// runs every task when it is submitted.
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_PTO_ORCHESTRATION_API_H
#define PL_HOSTSHIM_ISA_PTO_ORCHESTRATION_API_H

#include <stdbool.h>

#include "tensor.h"

constexpr int MAX_TENSOR_ARGS = 32;
constexpr int MAX_SCALAR_ARGS = 16;
constexpr int CHIP_MAX_TENSOR_ARGS = 256;
constexpr int CHIP_MAX_SCALAR_ARGS = 128;
constexpr int32_t INVALID_KERNEL_ID = -1;
constexpr int32_t PTO2_ERROR_INVALID_ARGS = 5;

enum class PTO2ScopeMode : uint8_t { AUTO = 0, MANUAL = 1 };
enum class PredicateOp : uint8_t { NONE = 0, EQ, NE, GT, LT, GE, LE };

struct MixedKernels {
  int32_t aic_kernel_id{INVALID_KERNEL_ID};
  int32_t aiv0_kernel_id{INVALID_KERNEL_ID};
  int32_t aiv1_kernel_id{INVALID_KERNEL_ID};
};

class PTO2LaunchSpec {
public:
  int16_t block_num() const { return block_num_; }
  void set_block_num(int16_t n) { block_num_ = n; }
  bool require_sync_start() const { return require_sync_start_; }
  void set_require_sync_start(bool v) { require_sync_start_ = v; }

private:
  int16_t block_num_{1};
  bool require_sync_start_{false};
};

/// A tensor the runtime makes.
class alignas(64) TensorCreateInfo {
public:
  TensorCreateInfo() = default;
  TensorCreateInfo(const uint32_t shapes_in[], uint32_t ndims_in,
                   DataType dtype_in = DataType::FLOAT32,
                   bool manual_dep_in = false)
      : ndims(ndims_in), dtype(dtype_in), manual_dep(manual_dep_in) {
    always_assert(ndims_in > 0 && ndims_in <= uint32_t(MAX_TENSOR_DIMS));
    for (uint32_t i = 0; i < ndims_in; ++i)
      shapes[i] = shapes_in[i];
  }
  template <typename T = uint64_t> void set_initial_value(T value) {
    has_initial_value = true;
    initial_value = to_u64(value);
  }
  uint64_t buffer_size_bytes() const {
    uint64_t total = get_element_size(dtype);
    for (uint32_t i = 0; i < ndims; ++i)
      total *= shapes[i];
    return total;
  }

  uint64_t initial_value = 0;
  bool has_initial_value = false;
  int32_t version = 0;
  uint32_t ndims = 0;
  DataType dtype = DataType::FLOAT32;
  bool manual_dep = false;
  uint32_t shapes[MAX_TENSOR_DIMS] = {};
};

/// What a submit gives back: the task's id and the tensors made for it.
class TaskOutputTensors {
public:
  bool empty() const { return output_count_ == 0; }
  uint32_t size() const { return output_count_; }
  const ChipTensor &get_ref(uint32_t index) const & {
    always_assert(index < output_count_);
    return *tensors_[index];
  }
  const ChipTensor &get_ref(uint32_t index) const && = delete;
  void materialize_output(const ChipTensor &tensor) {
    always_assert(output_count_ < uint32_t(MAX_TENSOR_ARGS));
    tensors_[output_count_++] = &tensor;
  }
  void set_task_id(PTO2TaskId id) { task_id_ = id; }
  PTO2TaskId task_id() const { return task_id_; }

private:
  PTO2TaskId task_id_ = PTO2TaskId::invalid();
  uint32_t output_count_ = 0;
  const ChipTensor *tensors_[MAX_TENSOR_ARGS] = {};
};

class TensorRef {
public:
  TensorRef() = default;
  TensorRef(const TensorRef &) = delete;
  TensorRef &operator=(const TensorRef &) = delete;
  TensorRef &operator=(const ChipTensor *tensor) {
    tensor_ = tensor;
    return *this;
  }
  TensorRef &operator=(const TensorCreateInfo *info) {
    create_info_ = info;
    return *this;
  }
  const ChipTensor &ref() const { return *tensor_; }
  const TensorCreateInfo &create_info() const { return *create_info_; }

private:
  const ChipTensor *tensor_ = nullptr;
  const TensorCreateInfo *create_info_ = nullptr;
};

/// A task runs only if the value of one element compares as asked.
struct CorePredicateOperand {
  const ChipTensor *tensor{nullptr};
  uint32_t ndims{0};
  uint32_t indices[MAX_TENSOR_DIMS]{};
};
struct CoreTaskPredicate {
  CorePredicateOperand operand;
  PredicateOp op{PredicateOp::NONE};
  int64_t target{0};
};

/// The arguments of a task: tensors by address, then scalars.
template <size_t MaxT, size_t MaxS> struct Arg {
  Arg() = default;
  Arg(const Arg &) = delete;
  Arg &operator=(const Arg &) = delete;

  bool has_error{false};
  const char *error_msg{nullptr};
  PTO2LaunchSpec launch_spec;

  int32_t tensor_count() const { return tensor_count_; }
  int32_t scalar_count() const { return scalar_count_; }
  const TensorRef &tensor(int32_t i) const { return tensors_[i]; }
  TensorArgType tag(int32_t i) const { return tags_[i]; }
  uint64_t scalar(int32_t i) const { return scalars_[i]; }

  void set_error(const char *message) {
    if (!has_error) {
      has_error = true;
      error_msg = message;
    }
  }

  // Addresses are kept, so arguments are lvalues that outlive the submit.
  template <typename... Ts> void add_input(Ts &&...tensors) {
    (add<false>(TensorArgType::INPUT, TensorArgType::INPUT,
                static_cast<Ts &&>(tensors)),
     ...);
  }
  template <typename... Ts> void add_output(Ts &&...tensors) {
    (add<true>(TensorArgType::OUTPUT_EXISTING, TensorArgType::OUTPUT,
               static_cast<Ts &&>(tensors)),
     ...);
  }
  template <typename... Ts> void add_inout(Ts &&...tensors) {
    (add<false>(TensorArgType::INOUT, TensorArgType::INOUT,
                static_cast<Ts &&>(tensors)),
     ...);
  }
  template <typename... Ts> void add_no_dep(Ts &&...tensors) {
    (add<false>(TensorArgType::NO_DEP, TensorArgType::NO_DEP,
                static_cast<Ts &&>(tensors)),
     ...);
  }
  template <typename... Ts> void add_scalar(Ts &&...values) {
    static_assert(((std::is_arithmetic_v<std::decay_t<Ts>> ||
                    std::is_enum_v<std::decay_t<Ts>>) &&
                   ...),
                  "scalars are numbers");
    (addScalar(to_u64(values)), ...);
  }

  void set_dependencies(const PTO2TaskId *ids, uint32_t count) {
    if (count == 0) {
      deps_ = nullptr;
      dep_count_ = 0;
      return;
    }
    if (!ids)
      return set_error("set_dependencies: no ids");
    if (deps_)
      return set_error("set_dependencies: may be called once per Arg");
    deps_ = ids;
    dep_count_ = count;
  }
  uint32_t explicit_dep_count() const { return dep_count_; }
  PTO2TaskId explicit_dep(uint32_t i) const {
    always_assert(i < dep_count_);
    return deps_[i];
  }

  void set_allow_early_resolve(bool v = true) { early_resolve_ = v; }
  bool allow_early_resolve() const { return early_resolve_; }
  void set_predicate(const CoreTaskPredicate &p) { predicate_ = p; }
  const CoreTaskPredicate &predicate() const { return predicate_; }
  void set_task_timing_slot(int32_t) {}
  template <typename... Ts> void dump(Ts &&...) {}

private:
  template <bool IsOutput, typename T>
  void add(TensorArgType existing, TensorArgType created, T &&tensor) {
    static_assert(std::is_lvalue_reference_v<T>,
                  "a temporary would be gone when the task runs");
    constexpr bool isInfo = std::is_same_v<std::decay_t<T>, TensorCreateInfo>;
    static_assert(std::is_same_v<std::decay_t<T>, ChipTensor> ||
                      (IsOutput && isInfo),
                  "arguments are ChipTensor; outputs may be TensorCreateInfo");
    if (scalar_count_ != 0)
      return set_error("all tensors must be added before any scalar");
    if (tensor_count_ == int32_t(MaxT))
      return set_error("too many tensor arguments");
    tensors_[tensor_count_] = &tensor;
    tags_[tensor_count_++] = isInfo ? created : existing;
  }
  void addScalar(uint64_t bits) {
    if (scalar_count_ == int32_t(MaxS))
      return set_error("too many scalar arguments");
    scalars_[scalar_count_++] = bits;
  }

  TensorRef tensors_[MaxT];
  TensorArgType tags_[MaxT] = {};
  uint64_t scalars_[MaxS] = {};
  int32_t tensor_count_{0}, scalar_count_{0};
  const PTO2TaskId *deps_{nullptr};
  uint32_t dep_count_{0};
  bool early_resolve_{false};
  CoreTaskPredicate predicate_;
};

using CoreTaskArgs = Arg<MAX_TENSOR_ARGS, MAX_SCALAR_ARGS>;
struct ChipTaskArgs : Arg<CHIP_MAX_TENSOR_ARGS, CHIP_MAX_SCALAR_ARGS> {};

/// Task arguments with room for N dependencies added one by one.
template <uint32_t N = 16> struct CoreTaskArgsWithDeps : CoreTaskArgs {
  void add_dep(PTO2TaskId id) {
    if (id.is_invalid())
      return;
    if (count_ == N)
      return set_error("too many dependencies");
    ids_[count_++] = id;
    set_dependencies(nullptr, 0);
    set_dependencies(ids_, count_);
  }

private:
  PTO2TaskId ids_[N];
  uint32_t count_{0};
};

//===----------------------------------------------------------------------===//
// The runtime's functions
//===----------------------------------------------------------------------===//

struct PTO2Runtime;

struct PTO2RuntimeOps {
  TaskOutputTensors (*submit_task)(PTO2Runtime *, const MixedKernels &,
                                   const CoreTaskArgs &);
  void (*scope_begin)(PTO2Runtime *);
  void (*scope_end)(PTO2Runtime *);
  void (*orchestration_done)(PTO2Runtime *);
  bool (*is_fatal)(PTO2Runtime *);
  void (*report_fatal)(PTO2Runtime *, int32_t code, const char *function,
                       const char *format, ...);
  uint64_t (*get_tensor_data)(PTO2Runtime *, const ChipTensor &, uint32_t ndims,
                              const uint32_t indices[]);
  void (*set_tensor_data)(PTO2Runtime *, const ChipTensor &, uint32_t ndims,
                          const uint32_t indices[], uint64_t value);
  TaskOutputTensors (*alloc_tensors)(PTO2Runtime *, const CoreTaskArgs &);
  TaskOutputTensors (*submit_dummy_task)(PTO2Runtime *, const CoreTaskArgs &);
  int32_t (*available_cluster_count)(PTO2Runtime *);
  int32_t (*available_aiv_count)(PTO2Runtime *);
};

struct PTO2Runtime {
  const PTO2RuntimeOps *ops;
  PTO2ScopeMode pending_scope_mode;
};

extern "C" {
PTO2Runtime *framework_current_runtime(void);
void framework_bind_runtime(PTO2Runtime *rt);
}

static inline PTO2Runtime *current_runtime() {
  return framework_current_runtime();
}

static inline TaskOutputTensors alloc_tensors(const CoreTaskArgs &args) {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->alloc_tensors(rt, args);
}
static inline TaskOutputTensors alloc_tensors(const TensorCreateInfo infos[],
                                              uint32_t count) {
  CoreTaskArgs args;
  for (uint32_t i = 0; i < count; ++i)
    args.add_output(infos[i]);
  return alloc_tensors(args);
}
template <typename... Infos,
          typename = std::enable_if_t<
              (std::is_same_v<Infos, TensorCreateInfo> && ...)>>
static inline TaskOutputTensors alloc_tensors(const Infos &...infos) {
  static_assert(sizeof...(infos) > 0, "nothing to allocate");
  CoreTaskArgs args;
  (args.add_output(infos), ...);
  return alloc_tensors(args);
}

static inline TaskOutputTensors rt_submit_task(const MixedKernels &kernels,
                                               const CoreTaskArgs &args) {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->submit_task(rt, kernels, args);
}
static inline TaskOutputTensors rt_submit_aic_task(int32_t kernel_id,
                                                   const CoreTaskArgs &args) {
  MixedKernels kernels;
  kernels.aic_kernel_id = kernel_id;
  return rt_submit_task(kernels, args);
}
static inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel_id,
                                                   const CoreTaskArgs &args) {
  MixedKernels kernels;
  kernels.aiv0_kernel_id = kernel_id;
  return rt_submit_task(kernels, args);
}
static inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs &args) {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->submit_dummy_task(rt, args);
}

static inline int32_t rt_available_cluster_count() {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->available_cluster_count(rt);
}
static inline int32_t rt_available_aiv_count() {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->available_aiv_count(rt);
}
static inline bool rt_is_fatal() {
  PTO2Runtime *rt = current_runtime();
  return rt->ops->is_fatal(rt);
}
#define rt_report_fatal(code, fmt, ...)                                        \
  do {                                                                         \
    PTO2Runtime *_rt = current_runtime();                                      \
    _rt->ops->report_fatal(_rt, (code), __FUNCTION__, (fmt), ##__VA_ARGS__);   \
  } while (0)
#define LOG_ERROR(...) ((void)0)
#define LOG_WARN(...) ((void)0)
#define LOG_TIMING(...) ((void)0)
#define LOG_INFO(...) ((void)0)
#define LOG_DEBUG(...) ((void)0)

template <typename T = uint64_t>
static inline T get_tensor_data(const ChipTensor &tensor, uint32_t ndims,
                                const uint32_t indices[]) {
  PTO2Runtime *rt = current_runtime();
  return from_u64<T>(rt->ops->get_tensor_data(rt, tensor, ndims, indices));
}
template <typename T = uint64_t>
static inline void set_tensor_data(const ChipTensor &tensor, uint32_t ndims,
                                   const uint32_t indices[], T value) {
  PTO2Runtime *rt = current_runtime();
  rt->ops->set_tensor_data(rt, tensor, ndims, indices, to_u64(value));
}

class PTO2ScopeGuard {
public:
  explicit PTO2ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO)
      : rt_(current_runtime()) {
    rt_->pending_scope_mode = mode;
    rt_->ops->scope_begin(rt_);
  }
  PTO2ScopeGuard(const PTO2ScopeGuard &) = delete;
  ~PTO2ScopeGuard() { rt_->ops->scope_end(rt_); }

private:
  PTO2Runtime *rt_;
};

#define _PTO2_CONCATENATE_IMPL(x, y) x##y
#define _PTO2_CONCATENATE(x, y) _PTO2_CONCATENATE_IMPL(x, y)
#define PTO2_SCOPE_GUARD(...)                                                  \
  [[maybe_unused]] PTO2ScopeGuard _PTO2_CONCATENATE(scope_guard_,              \
                                                    __COUNTER__) {             \
    __VA_ARGS__                                                                \
  }
#define PTO2_SCOPE(...)                                                        \
  if (PTO2ScopeGuard _PTO2_CONCATENATE(scope_guard_,                           \
                                       __COUNTER__){__VA_ARGS__};              \
      true)

#ifndef PTO2_ORCHESTRATION_CONFIG_DEFINED
#define PTO2_ORCHESTRATION_CONFIG_DEFINED
struct PTO2OrchestrationConfig {
  int expected_arg_count;
};
#endif

#endif // PL_HOSTSHIM_ISA_PTO_ORCHESTRATION_API_H
