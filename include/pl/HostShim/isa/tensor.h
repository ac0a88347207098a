//===- tensor.h - the tensor descriptor kernels and orchestration share ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field order and size are the runtime's wire format: 128 bytes, two cache
// lines. Kernels read `buffer.addr` (bytes) and `start_offset` (elements).
//
//===----------------------------------------------------------------------===//

#ifndef PL_HOSTSHIM_ISA_TENSOR_H
#define PL_HOSTSHIM_ISA_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

constexpr int MAX_TENSOR_DIMS = 5;

enum class AddressSpace : uint8_t { HOST = 0, DEVICE = 1 };

enum class DataType : uint8_t {
  FLOAT32,
  FLOAT16,
  INT32,
  INT16,
  INT8,
  UINT8,
  BFLOAT16,
  INT64,
  UINT64,
  UINT16,
  UINT32,
  BOOL,
  FP8E4M3FN,
  FP8E8M0,
  FP4E2M1,
  DATA_TYPE_NUM
};

inline uint64_t get_element_size(DataType dtype) {
  constexpr uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1};
  return dtype < DataType::DATA_TYPE_NUM ? sizes[static_cast<int>(dtype)] : 0;
}

/// A value's bits in a 64-bit argument slot; the rest is zero.
template <typename T> inline uint64_t to_u64(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,
                "a scalar argument fits in 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T> inline T from_u64(uint64_t bits) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,
                "a scalar argument fits in 8 bytes");
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

#define always_assert(condition)                                               \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__,          \
                   __LINE__, #condition);                                      \
      std::abort();                                                            \
    }                                                                          \
  } while (0)
#define debug_assert(condition) always_assert(condition)

struct PTO2TaskId {
  uint64_t raw;

  static constexpr PTO2TaskId make(uint8_t ring, uint32_t local) {
    return {uint64_t(ring) << 32 | local};
  }
  static constexpr PTO2TaskId invalid() { return {UINT64_MAX}; }
  constexpr uint8_t ring() const { return uint8_t(raw >> 32); }
  constexpr uint32_t local() const { return uint32_t(raw); }
  constexpr bool is_valid() const { return raw != UINT64_MAX; }
  constexpr bool is_invalid() const { return raw == UINT64_MAX; }
  constexpr bool operator==(const PTO2TaskId &other) const {
    return raw == other.raw;
  }
  constexpr bool operator!=(const PTO2TaskId &other) const {
    return raw != other.raw;
  }
};

struct PTOBufferHandle {
  uint64_t addr; ///< bytes
  uint64_t size; ///< bytes
};

enum class TensorArgType : int32_t {
  INPUT = 0,
  OUTPUT = 1, ///< the runtime allocates
  INOUT = 2,
  OUTPUT_EXISTING = 3,
  NO_DEP = 4
};

struct alignas(64) ChipTensor {
  PTOBufferHandle buffer;
  PTO2TaskId owner_task_id;
  uint64_t start_offset; ///< elements from the buffer's start to the view's
  int32_t version;
  uint32_t ndims;
  DataType dtype;
  bool manual_dep;
  bool is_contiguous;
  AddressSpace address_space;
  uint32_t shapes[MAX_TENSOR_DIMS];

  uint64_t extent_elem_cache;
  uint32_t strides[MAX_TENSOR_DIMS]; ///< elements
  uint8_t _pad_cl2[36];

  uint64_t numel() const {
    uint64_t total = 1;
    for (uint32_t i = 0; i < ndims; ++i)
      total *= shapes[i];
    return total;
  }
  /// Elements from the view's first to one past its last.
  uint64_t extent_elem() const {
    return is_contiguous ? numel() : extent_elem_cache;
  }
  uint64_t nbytes() const { return numel() * get_element_size(dtype); }
  template <typename T> T *data_as() const {
    return reinterpret_cast<T *>(static_cast<uintptr_t>(buffer.addr));
  }

  uint64_t compute_flat_offset(const uint32_t indices[],
                               uint32_t in_ndims) const {
    uint64_t offset = start_offset;
    for (uint32_t i = 0; i < in_ndims; ++i)
      offset += uint64_t(indices[i]) * strides[i];
    return offset;
  }

  void init_external(void *addr, uint64_t buffer_size_bytes,
                     const uint32_t in_shapes[], uint32_t in_ndims,
                     DataType in_dtype, int32_t in_version,
                     bool in_manual_dep = false,
                     AddressSpace in_space = AddressSpace::HOST) {
    always_assert(in_ndims > 0 && in_ndims <= uint32_t(MAX_TENSOR_DIMS));
    *this = ChipTensor();
    buffer = {reinterpret_cast<uint64_t>(addr), buffer_size_bytes};
    owner_task_id = PTO2TaskId::invalid();
    version = in_version;
    dtype = in_dtype;
    manual_dep = in_manual_dep;
    address_space = in_space;
    setRowMajor(in_shapes, in_ndims);
  }

  ChipTensor view(const uint32_t view_shapes[], const uint32_t view_offsets[],
                  bool in_manual_dep = false) const {
    ChipTensor result = *this;
    bool empty = false;
    for (uint32_t i = 0; i < ndims; ++i)
      empty |= view_shapes[i] == 0;
    for (uint32_t i = 0; i < ndims; ++i) {
      if (!empty) {
        always_assert(view_offsets[i] + view_shapes[i] <= shapes[i]);
        result.start_offset += uint64_t(view_offsets[i]) * strides[i];
      }
      result.shapes[i] = view_shapes[i];
    }
    result.manual_dep = in_manual_dep;
    result.refreshDerived();
    return result;
  }

  ChipTensor transpose(uint32_t x, uint32_t y,
                       bool in_manual_dep = false) const {
    always_assert(x < ndims && y < ndims);
    ChipTensor result = *this;
    result.shapes[x] = shapes[y];
    result.shapes[y] = shapes[x];
    result.strides[x] = strides[y];
    result.strides[y] = strides[x];
    result.manual_dep = in_manual_dep;
    result.refreshDerived();
    return result;
  }

  ChipTensor reshape(const uint32_t new_shapes[], uint32_t new_ndims,
                     bool in_manual_dep = false) const {
    ChipTensor result = *this;
    always_assert(is_contiguous);
    result.setRowMajor(new_shapes, new_ndims);
    always_assert(result.numel() == numel());
    result.manual_dep = in_manual_dep;
    return result;
  }

private:
  void setRowMajor(const uint32_t in_shapes[], uint32_t in_ndims) {
    ndims = in_ndims;
    uint32_t stride = 1;
    for (uint32_t i = in_ndims; i-- > 0;) {
      shapes[i] = in_shapes[i];
      strides[i] = stride;
      stride *= in_shapes[i];
    }
    is_contiguous = true;
    extent_elem_cache = stride;
  }
  void refreshDerived() {
    uint64_t extent = 1, packed = 1;
    is_contiguous = true;
    for (uint32_t i = ndims; i-- > 0;) {
      is_contiguous &= strides[i] == packed;
      if (shapes[i] == 0) {
        is_contiguous = true;
        extent_elem_cache = 0;
        return;
      }
      extent += uint64_t(shapes[i] - 1) * strides[i];
      packed *= shapes[i];
    }
    extent_elem_cache = extent;
  }
};

static_assert(sizeof(ChipTensor) == 128, "two cache lines");
static_assert(offsetof(ChipTensor, start_offset) == 24, "wire format");
static_assert(offsetof(ChipTensor, shapes) == 44, "wire format");
static_assert(offsetof(ChipTensor, strides) == 72, "wire format");

inline ChipTensor
make_tensor_external(void *addr, const uint32_t shapes[], uint32_t ndims,
                     DataType dtype = DataType::FLOAT32,
                     bool manual_dep = false, int32_t version = 0,
                     AddressSpace space = AddressSpace::HOST) {
  uint64_t total = 1;
  for (uint32_t i = 0; i < ndims; ++i)
    total *= shapes[i];
  ChipTensor tensor;
  tensor.init_external(addr, total * get_element_size(dtype), shapes, ndims,
                       dtype, version, manual_dep, space);
  return tensor;
}

#endif // PL_HOSTSHIM_ISA_TENSOR_H
