//===- Linalg.cpp - Matrix products ---------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Linalg.h"
#include "Loops.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cblas.h>
#include <memory>

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::Twine;

/// Elements of a widened panel: 64 MiB of doubles.
static constexpr int64_t panelElements = 8 << 20;

static void gemm(bool transA, bool transB, int m, int n, int k, const double *a,
                 int lda, const double *b, int ldb, double *c) {
  cblas_dgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans,
              transB ? CblasTrans : CblasNoTrans, m, n, k, 1.0, a, lda, b, ldb,
              0.0, c, n);
}
static void gemm(bool transA, bool transB, int m, int n, int k, const float *a,
                 int lda, const float *b, int ldb, float *c) {
  cblas_sgemm(CblasRowMajor, transA ? CblasTrans : CblasNoTrans,
              transB ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a, lda, b, ldb,
              0.0f, c, n);
}

namespace {

/// Rows [r, r+rows) and columns [c, c+columns) of a matrix view, widened to G.
/// A matrix that lies transposed in memory stays so.
template <typename G> struct Panel {
  std::unique_ptr<G[]> data;
  bool transposed = false;
  int leading = 0;

  Panel(const Array &matrix, int64_t r, int64_t rows, int64_t c,
        int64_t columns) {
    int64_t stepR = matrix.strides()[0], stepC = matrix.strides()[1];
    int64_t offset = r * stepR + c * stepC;
    transposed = stepR == 1 && stepC != 1;
    if (transposed) {
      std::swap(stepR, stepC);
      std::swap(rows, columns);
    }
    leading = static_cast<int>(std::max<int64_t>(columns, 1));
    // Not value-initialised: every element is written below.
    data.reset(
        new G[static_cast<size_t>(std::max<int64_t>(rows * columns, 1))]);
    dispatch(matrix.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T *from = matrix.data<T>() + offset;
      parallelRanges(rows, (1 << 16) / std::max<int64_t>(columns, 1) + 1,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t row = begin; row < end; ++row) {
                         const T *in = from + row * stepR;
                         G *out = data.get() + row * columns;
                         if (stepC == 1)
                           for (int64_t i = 0; i < columns; ++i)
                             out[i] = static_cast<G>(load(in[i]));
                         else
                           for (int64_t i = 0; i < columns; ++i)
                             out[i] = static_cast<G>(load(in[i * stepC]));
                       }
                     });
    });
  }
};

} // namespace

/// Multiplies [m, k] by [k, n] panel by panel; `store(row, column, count,
/// products)` takes `count` results of one row.
template <typename G, typename Store>
static void multiplyPanels(const Array &a, const Array &b, Store store) {
  int64_t m = a.dim(0), k = a.dim(1), n = b.dim(1);
  int64_t panel =
      std::max<int64_t>(panelElements / std::max<int64_t>(k, 1), 16);
  int64_t stepM = std::min(panel, m), stepN = std::min(panel, n);
  std::unique_ptr<G[]> products(new G[static_cast<size_t>(stepM * stepN)]);
  for (int64_t r = 0; r < m; r += stepM) {
    int64_t rows = std::min(stepM, m - r);
    Panel<G> left(a, r, rows, 0, k);
    for (int64_t c = 0; c < n; c += stepN) {
      int64_t columns = std::min(stepN, n - c);
      Panel<G> right(b, 0, k, c, columns);
      gemm(left.transposed, right.transposed, static_cast<int>(rows),
           static_cast<int>(columns), static_cast<int>(k), left.data.get(),
           left.leading, right.data.get(), right.leading, products.get());
      parallelRanges(
          rows, (1 << 16) / columns + 1, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
              store(r + row, c, columns, products.get() + row * columns);
          });
    }
  }
}

static double largestMagnitude(const Array &matrix) {
  double largest = 0.0;
  Array dense = matrix.contiguous();
  dispatch(dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *in = dense.data<T>();
    for (int64_t i = 0, n = dense.numel(); i < n; ++i)
      largest = std::max(largest, std::fabs(static_cast<double>(load(in[i]))));
  });
  return largest;
}

/// The product of integer matrices whose sums may pass 2^53.
template <typename T, typename Store>
static void multiplyWide(const Array &a, const Array &b, Store store) {
  Array left = convert(a, DType::Int64), right = convert(b, DType::Int64);
  int64_t m = a.dim(0), k = a.dim(1), n = b.dim(1);
  std::unique_ptr<__int128[]> row(new __int128[static_cast<size_t>(n)]);
  left = left.contiguous();
  right = right.contiguous();
  for (int64_t i = 0; i < m; ++i) {
    std::fill(row.get(), row.get() + n, __int128(0));
    for (int64_t j = 0; j < k; ++j) {
      __int128 factor = left.data<int64_t>()[i * k + j];
      const int64_t *in = right.data<int64_t>() + j * n;
      for (int64_t c = 0; c < n; ++c)
        row[c] += factor * in[c];
    }
    store(i, row.get());
  }
}

/// `out = a b` for integer matrices; false when a sum does not fit `out`.
static bool multiplyIntegers(const Array &a, const Array &b, const Array &out) {
  double bound =
      largestMagnitude(a) * largestMagnitude(b) * static_cast<double>(a.dim(1));
  int64_t n = out.dim(1);
  return dispatch(out.dtype(), [&](auto tag) -> bool {
    using T = typename decltype(tag)::type;
    if constexpr (isFloatStorage<T> || std::is_same_v<T, bool>) {
      return false;
    } else {
      // Bits of one row may be lost, so the flag is per row.
      llvm::SmallVector<char, 0> lost(static_cast<size_t>(a.dim(0)), 0);
      auto storeRow = [&](int64_t row, int64_t column, int64_t count,
                          const auto *products) {
        T *to = out.data<T>() + row * n + column;
        char bad = 0;
        for (int64_t i = 0; i < count; ++i) {
          int64_t value = static_cast<int64_t>(products[i]);
          to[i] = static_cast<T>(value);
          bad |= static_cast<int64_t>(to[i]) != value;
        }
        lost[row] |= bad;
      };
      // A float holds integers up to 2^24 exactly, a double up to 2^53.
      if (bound <= 0x1p24)
        multiplyPanels<float>(a, b, storeRow);
      else if (bound <= 0x1p53)
        multiplyPanels<double>(a, b, storeRow);
      else
        multiplyWide<T>(a, b, [&](int64_t row, const __int128 *sums) {
          for (int64_t i = 0; i < n; ++i) {
            T value = static_cast<T>(sums[i]);
            out.data<T>()[row * n + i] = value;
            lost[row] |= static_cast<__int128>(value) != sums[i];
          }
        });
      return llvm::none_of(lost, [](char c) { return c; });
    }
  });
}

static void multiplyFloats(const Array &a, const Array &b, const Array &out) {
  int64_t n = out.dim(1);
  dispatchFloating(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    multiplyPanels<double>(a, b,
                           [&](int64_t row, int64_t column, int64_t count,
                               const double *products) {
                             T *to = out.data<T>() + row * n + column;
                             for (int64_t i = 0; i < count; ++i)
                               to[i] = storeDouble<T>(products[i]);
                           });
  });
}

static std::string bothShapes(const Array &a, const Array &b) {
  return shapeString(a.shape()) + " and " + shapeString(b.shape());
}

Expected<Array> pl::ref::matmul(const Array &a, const Array &b,
                                std::optional<DType> resultDType) {
  if (a.rank() == 0 || b.rank() == 0)
    return fail("matmul needs tensors with dims, but got shapes " +
                bothShapes(a, b));
  if (a.dtype() != b.dtype())
    return fail("matmul needs equal dtypes, but got " + dtypeName(a.dtype()) +
                " and " + dtypeName(b.dtype()));
  if (a.dtype() == DType::Bool)
    return fail("matmul is not defined for bool");
  DType dtype = resultDType.value_or(a.dtype());
  bool floats = isFloating(a.dtype());
  if (floats != isFloating(dtype))
    return fail("matmul of " + dtypeName(a.dtype()) + " cannot give " +
                dtypeName(dtype));
  Expected<Array> left = a.rank() == 1 ? unsqueeze(a, 0) : a;
  Expected<Array> right = b.rank() == 1 ? unsqueeze(b, 1) : b;
  if (!left || !right)
    return llvm::joinErrors(left.takeError(), right.takeError());
  int64_t m = left->dim(left->rank() - 2), k = left->dim(left->rank() - 1);
  int64_t n = right->dim(right->rank() - 1);
  if (k != right->dim(right->rank() - 2))
    return fail("matmul of shapes " + bothShapes(a, b) + ": " + Twine(k) +
                " columns meet " + Twine(right->dim(right->rank() - 2)) +
                " rows");
  if (k > std::numeric_limits<int>::max())
    return fail("matmul of shapes " + bothShapes(a, b) +
                ": the inner extent is too large");
  Expected<Dims> batch =
      broadcastShapes(left->shape().drop_back(2), right->shape().drop_back(2));
  if (!batch)
    return fail("matmul of shapes " + bothShapes(a, b) + ": " +
                llvm::toString(batch.takeError()));
  auto stretch = [&](const Array &array) -> Expected<Array> {
    Dims shape(*batch);
    llvm::append_range(shape, array.shape().take_back(2));
    return broadcastTo(array, shape);
  };
  left = stretch(*left);
  if (!left)
    return left;
  right = stretch(*right);
  if (!right)
    return right;
  Dims shape(*batch);
  shape.append({m, n});
  Expected<Array> result = Array::create(dtype, shape);
  if (!result)
    return result;
  int64_t batches = 1;
  for (int64_t extent : *batch)
    batches *= extent;
  bool empty = m == 0 || n == 0 || k == 0;
  for (int64_t i = 0; i < batches && !empty; ++i) {
    Dims at = unflatten(i, *batch);
    auto matrixAt = [&](const Array &array) {
      int64_t offset = array.offset();
      for (size_t d = 0; d < at.size(); ++d)
        offset += at[d] * array.strides()[d];
      return array.withLayout(array.shape().take_back(2),
                              array.strides().take_back(2), offset);
    };
    Array x = matrixAt(*left), y = matrixAt(*right), out = matrixAt(*result);
    if (floats)
      multiplyFloats(x, y, out);
    else if (!multiplyIntegers(x, y, out))
      return fail("a product of the " + dtypeName(a.dtype()) +
                  " matmul does not fit " + dtypeName(dtype) +
                  "; widen the operands first, for example with .int()");
  }
  if (a.rank() == 1)
    shape.erase(shape.end() - 2);
  if (b.rank() == 1)
    shape.pop_back();
  return reshape(*result, shape);
}

Expected<Array> pl::ref::mm(const Array &a, const Array &b) {
  if (a.rank() != 2 || b.rank() != 2)
    return fail("mm needs two matrices, but got shapes " + bothShapes(a, b));
  return matmul(a, b);
}

Expected<Array> pl::ref::bmm(const Array &a, const Array &b) {
  if (a.rank() != 3 || b.rank() != 3 || a.dim(0) != b.dim(0))
    return fail("bmm needs two batches of as many matrices, but got shapes " +
                bothShapes(a, b));
  return matmul(a, b);
}
