//===- Array.cpp - The n-d array behind fixtures and goldens --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Array.h"
#include "Loops.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace pl::ref;

llvm::Error pl::ref::fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string pl::ref::shapeString(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Memory is the process's, and so is the account of it.
static std::atomic<int64_t> liveBytes{0};
static std::atomic<int64_t> memoryLimit{0};

static int64_t getDefaultLimit() {
#ifdef __linux__
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<int64_t>(sysconf(_SC_PAGESIZE)) / 5 * 4;
#else
  return int64_t(16) << 30;
#endif
}

int64_t Array::getLiveBytes() { return liveBytes; }

void Array::setMemoryLimit(int64_t bytes) { memoryLimit = bytes; }

llvm::Error Array::checkRoom(int64_t bytes) {
  constexpr int64_t alwaysFits = int64_t(1) << 20;
  if (bytes <= alwaysFits)
    return llvm::Error::success();
  if (memoryLimit == 0)
    memoryLimit = getDefaultLimit();
  int64_t limit = memoryLimit, held = liveBytes;
  if (bytes <= limit - held)
    return llvm::Error::success();
  return fail("tensors of " + llvm::Twine(bytes >> 20) +
              " MiB do not fit: others hold " + llvm::Twine(held >> 20) +
              " MiB of the " + llvm::Twine(limit >> 20) + " there are");
}

Array::Storage::~Storage() {
  liveBytes -= static_cast<int64_t>(bytes);
#ifdef __linux__
  if (isMapped) {
    munmap(memory, bytes);
    return;
  }
#endif
  std::free(memory);
}

bool Array::Storage::allocate(size_t wanted) {
#ifdef __linux__
  // Large arrays on large pages: touching memory for the first time costs more
  // than most elementwise operations otherwise.
  constexpr size_t leastMapped = size_t(8) << 20;
  if (wanted >= leastMapped) {
    void *mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return false;
    (void)madvise(mapped, wanted, MADV_HUGEPAGE);
    memory = static_cast<char *>(mapped);
    isMapped = true;
  }
#endif
  if (!memory)
    memory = static_cast<char *>(std::calloc(std::max<size_t>(wanted, 1), 1));
  if (!memory)
    return false;
  bytes = wanted;
  liveBytes += static_cast<int64_t>(bytes);
  return true;
}

Dims pl::ref::contiguousStrides(llvm::ArrayRef<int64_t> shape) {
  Dims strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

std::optional<int64_t> pl::ref::countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool anyZero = false, overflows = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    anyZero |= extent == 0;
    overflows |= llvm::MulOverflow(count, std::max<int64_t>(extent, 1), count);
  }
  if (overflows)
    return std::nullopt;
  return anyZero ? 0 : count;
}

Dims pl::ref::unflatten(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  Dims index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0)
      continue;
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

std::string pl::ref::indexString(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  return shapeString(unflatten(flat, shape));
}

llvm::Error Array::checkShape(llvm::ArrayRef<int64_t> shape) {
  for (int64_t extent : shape)
    if (extent < 0)
      return fail("a tensor cannot have the negative extent " +
                  llvm::Twine(extent) + " (shape " + shapeString(shape) + ")");
  if (shape.size() > maxRank)
    return fail("a tensor has at most " + llvm::Twine(maxRank) + " dims, not " +
                llvm::Twine(shape.size()));
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > maxElements)
    return fail("a tensor of shape " + shapeString(shape) +
                " has more than the limit of " + llvm::Twine(maxElements) +
                " elements");
  return llvm::Error::success();
}

llvm::Expected<Array> Array::create(DType dtype,
                                    llvm::ArrayRef<int64_t> shape) {
  if (llvm::Error error = checkShape(shape))
    return error;
  Array array;
  array.type = dtype;
  array.extents.assign(shape.begin(), shape.end());
  array.steps = contiguousStrides(shape);
  size_t bytes = static_cast<size_t>(array.numel() * dtypeBytes(dtype));
  array.storage = std::make_shared<Storage>();
  if (llvm::Error error = checkRoom(static_cast<int64_t>(bytes)))
    return error;
  if (!array.storage->allocate(bytes))
    return fail("no memory for a " + dtypeName(dtype) + " tensor of shape " +
                shapeString(shape));
  return array;
}

Array Array::make(DType dtype, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<Array> array = create(dtype, shape);
  if (!array)
    llvm::report_fatal_error(array.takeError(), /*gen_crash_diag=*/false);
  return std::move(*array);
}

Array Array::withLayout(llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> strides, int64_t offset) const {
  Array view = *this;
  view.extents.assign(shape.begin(), shape.end());
  view.steps.assign(strides.begin(), strides.end());
  view.start = offset;
  return view;
}

int64_t Array::numel() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

bool Array::isContiguous() const {
  int64_t expected = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 0)
      return true;
    if (extents[d] != 1 && steps[d] != expected)
      return false;
    expected *= extents[d];
  }
  return true;
}

Array Array::contiguous() const { return isContiguous() ? *this : clone(); }

Array Array::clone() const {
  Array copy = make(type, extents);
  copyElements(copy, *this);
  return copy;
}

int64_t Array::storageIndex(int64_t flat) const {
  Dims index = unflatten(flat, extents);
  int64_t position = start;
  for (size_t d = 0; d < index.size(); ++d)
    position += index[d] * steps[d];
  return position;
}

double Array::getDouble(int64_t flat) const {
  int64_t at = storageIndex(flat);
  return dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return static_cast<double>(
        load(reinterpret_cast<const T *>(storage->memory)[at]));
  });
}

int64_t Array::getInt(int64_t flat) const {
  int64_t at = storageIndex(flat);
  return dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return convertValue<int64_t>(
        reinterpret_cast<const T *>(storage->memory)[at]);
  });
}

void Array::setDouble(int64_t flat, double value) {
  int64_t at = storageIndex(flat);
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    reinterpret_cast<T *>(storage->memory)[at] = convertValue<T>(value);
  });
}

void Array::setInt(int64_t flat, int64_t value) {
  int64_t at = storageIndex(flat);
  dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    reinterpret_cast<T *>(storage->memory)[at] = convertValue<T>(value);
  });
}

/// `destination[i] = convert(source[i])` over views of one shape.
static void convertElements(const Array &destination, const Array &source) {
  LoopPlan plan(source.shape(), {destination.strides(), source.strides()});
  dispatch(destination.dtype(), [&](auto toTag) {
    using To = typename decltype(toTag)::type;
    dispatch(source.dtype(), [&](auto fromTag) {
      using From = typename decltype(fromTag)::type;
      To *to = destination.data<To>();
      const From *from = source.data<From>();
      plan.forEach([&](llvm::ArrayRef<int64_t> at, int64_t n,
                       llvm::ArrayRef<int64_t> step) {
        To *out = to + at[0];
        const From *in = from + at[1];
        if (step[0] == 1 && step[1] == 1) {
          for (int64_t i = 0; i < n; ++i)
            out[i] = convertValue<To>(in[i]);
          return;
        }
        for (int64_t i = 0; i < n; ++i)
          out[i * step[0]] = convertValue<To>(in[i * step[1]]);
      });
    });
  });
}

Array pl::ref::convert(const Array &array, DType dtype) {
  if (array.dtype() == dtype)
    return array;
  Array result = Array::make(dtype, array.shape());
  convertElements(result, array);
  return result;
}

llvm::Expected<Array> pl::ref::bitcast(const Array &array, DType dtype) {
  if (array.dtype() == dtype)
    return array;
  if (dtype == DType::Bool)
    return fail("the bytes of a " + dtypeName(array.dtype()) +
                " tensor cannot be viewed as bool");
  int64_t from = dtypeBytes(array.dtype()), to = dtypeBytes(dtype);
  Dims shape(array.shape()), strides(array.strides());
  int64_t offset = array.offset();
  bool fits = from == to || (!shape.empty() && strides.back() == 1);
  if (fits && from > to) {
    int64_t ratio = from / to;
    shape.back() *= ratio;
    for (int64_t &stride : llvm::MutableArrayRef<int64_t>(strides).drop_back())
      stride *= ratio;
    offset *= ratio;
  } else if (fits && from < to) {
    int64_t ratio = to / from;
    fits = shape.back() % ratio == 0 && offset % ratio == 0;
    shape.back() /= ratio;
    for (int64_t &stride :
         llvm::MutableArrayRef<int64_t>(strides).drop_back()) {
      fits &= stride % ratio == 0;
      stride /= ratio;
    }
    offset /= ratio;
  }
  if (!fits)
    return fail("a " + dtypeName(array.dtype()) + " tensor of shape " +
                shapeString(array.shape()) + " and strides " +
                shapeString(array.strides()) + " cannot be viewed as " +
                dtypeName(dtype));
  if (llvm::Error error = Array::checkShape(shape))
    return error;
  Array view = array.withLayout(shape, strides, offset);
  view.type = dtype;
  return view;
}

/// True when the byte ranges the two views may touch have a byte in common.
static bool mayOverlap(const Array &a, const Array &b) {
  if (!a.sharesStorage(b) || a.numel() == 0 || b.numel() == 0)
    return false;
  auto range = [](const Array &x) {
    int64_t low = x.offset(), high = x.offset();
    for (int64_t d = 0; d < x.rank(); ++d) {
      int64_t reach = (x.dim(d) - 1) * x.strides()[d];
      (reach < 0 ? low : high) += reach;
    }
    int64_t size = dtypeBytes(x.dtype());
    return std::make_pair(low * size, (high + 1) * size);
  };
  auto [lowA, highA] = range(a);
  auto [lowB, highB] = range(b);
  return lowA < highB && lowB < highA;
}

llvm::Error pl::ref::copyInto(const Array &destination, const Array &source) {
  int64_t extra = destination.rank() - source.rank();
  auto mismatch = [&] {
    return fail("a tensor of shape " + shapeString(source.shape()) +
                " does not fit one of shape " +
                shapeString(destination.shape()));
  };
  Array from = source;
  // Torch lets leading extents of 1 go in an assignment.
  Dims sourceShape(source.shape()), sourceStrides(source.strides());
  while (extra < 0) {
    if (sourceShape.front() != 1)
      return mismatch();
    sourceShape.erase(sourceShape.begin());
    sourceStrides.erase(sourceStrides.begin());
    ++extra;
  }
  Dims strides(destination.rank(), 0);
  for (int64_t d = extra; d < destination.rank(); ++d) {
    int64_t extent = sourceShape[d - extra];
    if (extent == destination.dim(d))
      strides[d] = sourceStrides[d - extra];
    else if (extent != 1)
      return mismatch();
  }
  // `x[1:] = x[:-1]` reads the old values.
  if (mayOverlap(destination, source)) {
    from = source.clone();
    return copyInto(destination, from);
  }
  from = source.withLayout(destination.shape(), strides, source.offset());
  if (from.dtype() == destination.dtype())
    copyElements(destination, from);
  else
    convertElements(destination, from);
  return llvm::Error::success();
}
