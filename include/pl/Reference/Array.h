//===- Array.h - The n-d array behind fixtures and goldens ------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Reference` is the array library of the host world: fixtures and goldens run
// on it and on nothing else. It has torch's names and meaning, it links nothing
// of the dialect, the simulator or the host shim, and every mistake of its
// caller comes back as an `llvm::Error` worded for the person who wrote the
// fixture. Results do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_ARRAY_H
#define PL_REFERENCE_ARRAY_H

#include "pl/Reference/DType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace pl::ref {

using Dims = llvm::SmallVector<int64_t, 6>;

/// An error whose text is `message`.
llvm::Error fail(const llvm::Twine &message);

/// "[2, 3]"
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// A strided view of shared storage. Copying an Array copies the view, so both
/// see the same elements; `clone` copies the elements.
class Array {
public:
  /// No array at all (`isValid` is false) until one is assigned; use
  /// the factories.
  Array() = default;

  /// A zero-filled contiguous array. Fails for a negative extent, for more than
  /// `maxElements` and for more than `maxRank` dims.
  static llvm::Expected<Array> create(DType dtype,
                                      llvm::ArrayRef<int64_t> shape);

  /// The error `create` would give, if any.
  static llvm::Error checkShape(llvm::ArrayRef<int64_t> shape);

  /// As `create`, for shapes that are known to be good (they come from arrays
  /// that exist).
  static Array make(DType dtype, llvm::ArrayRef<int64_t> shape);

  /// A view of the same storage with another shape; offset and strides count
  /// elements. The caller vouches that it stays inside.
  Array withLayout(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, int64_t offset) const;

  DType dtype() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  int64_t offset() const { return start; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  int64_t dim(int64_t axis) const { return extents[axis]; }
  int64_t numel() const;
  int64_t bytes() const { return numel() * dtypeBytes(type); }
  bool isValid() const { return storage != nullptr; }
  bool isContiguous() const;
  bool sharesStorage(const Array &other) const {
    return storage == other.storage;
  }

  /// This array when it is contiguous, else a contiguous copy.
  Array contiguous() const;
  /// A contiguous copy in any case.
  Array clone() const;

  /// The first element of the view. T must be the storage type of the dtype.
  template <typename T> T *data() const {
    return reinterpret_cast<T *>(rawData());
  }
  char *rawData() const {
    return storage ? storage->memory + start * dtypeBytes(type) : nullptr;
  }

  /// The elements of a contiguous array.
  template <typename T> llvm::ArrayRef<T> elements() const {
    return llvm::ArrayRef<T>(data<T>(), static_cast<size_t>(numel()));
  }

  /// Element number `flat` in row-major order, one at a time: for messages and
  /// small values, not for loops.
  double getDouble(int64_t flat) const;
  int64_t getInt(int64_t flat) const;
  void setDouble(int64_t flat, double value);
  void setInt(int64_t flat, int64_t value);

  /// The storage index (in elements, offset included) of element `flat`.
  int64_t storageIndex(int64_t flat) const;

  /// 16 GiB of the widest dtype; a larger array is a mistake in the fixture.
  /// Views obey it too, so every array can be copied and converted.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  static constexpr int64_t maxElements = int64_t(1) << 14;
#else
  static constexpr int64_t maxElements = int64_t(1) << 31;
#endif
  static constexpr size_t maxRank = 64;

  /// Bytes of all arrays of this process that are alive.
  static int64_t getLiveBytes();
  /// An error when `bytes` more do not fit what arrays may take together: the
  /// larger part of the machine's memory, or what was set.
  static llvm::Error checkRoom(int64_t bytes);
  static void setMemoryLimit(int64_t bytes);

private:
  friend llvm::Expected<Array> bitcast(const Array &array, DType dtype);

  struct Storage {
    char *memory = nullptr;
    size_t bytes = 0;
    bool isMapped = false; // else from calloc
    Storage() = default;
    ~Storage();
    /// Zeroed; false when there is no memory.
    bool allocate(size_t bytes);
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;
  };

  std::shared_ptr<Storage> storage;
  Dims extents;
  Dims steps;
  int64_t start = 0;
  DType type = DType::FP32;
};

/// Row-major strides in elements.
Dims contiguousStrides(llvm::ArrayRef<int64_t> shape);

/// Product of the extents; nothing when negative or beyond int64.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Row-major coordinates of element `flat`.
Dims unflatten(int64_t flat, llvm::ArrayRef<int64_t> shape);

/// "[1, 0, 7]" for element `flat`.
std::string indexString(int64_t flat, llvm::ArrayRef<int64_t> shape);

/// Converts elements as torch does: to bf16 and fp16 round to nearest even (a
/// double goes through float32), float to integer truncates (NaN gives 0),
/// integers wrap, anything to bool is `!= 0`. Returns the array itself when
/// the dtype is already right.
Array convert(const Array &array, DType dtype);

/// A view of the same bytes as another dtype, as torch's `view(dtype)`: the
/// last dim grows or shrinks with the size of an element.
llvm::Expected<Array> bitcast(const Array &array, DType dtype);

/// Copies `source`, converted and broadcast, into the elements `destination`
/// views.
llvm::Error copyInto(const Array &destination, const Array &source);

} // namespace pl::ref

#endif // PL_REFERENCE_ARRAY_H
