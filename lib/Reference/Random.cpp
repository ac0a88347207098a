//===- Random.cpp - Seeded random arrays ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Random.h"
#include "Loops.h"
#include "Math.h"
#include "pl/Reference/Elementwise.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <numeric>

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

// Philox-4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011.
std::array<uint32_t, 4> pl::ref::randomBlock(uint64_t seed, uint64_t draw,
                                             uint64_t block) {
  uint32_t c0 = static_cast<uint32_t>(block),
           c1 = static_cast<uint32_t>(block >> 32),
           c2 = static_cast<uint32_t>(draw),
           c3 = static_cast<uint32_t>(draw >> 32);
  uint32_t k0 = static_cast<uint32_t>(seed),
           k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xd2511f53u) * c0, p1 = uint64_t(0xcd9e8d57u) * c2;
    uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    uint32_t n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {c0, c1, c2, c3};
}

/// Blocks that one thread makes at a time.
static constexpr int64_t blockGrain = 1 << 13;

/// Fills `array` in row-major order: `make(words, values)` turns each block
/// into `perBlock` values of type V, which `store` makes elements of.
template <int perBlock, typename V, typename Make, typename Store>
static void fillBlocks(const Array &array, Generator &generator, Make make,
                       Store store) {
  uint64_t seed = generator.seed, draw = generator.draws++;
  // A view is filled through a contiguous array, in its own order.
  Array dense =
      array.isContiguous() ? array : Array::make(array.dtype(), array.shape());
  int64_t count = dense.numel();
  dispatch(dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T *out = dense.data<T>();
    parallelRanges((count + perBlock - 1) / perBlock, blockGrain,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t b = begin; b < end; ++b) {
                       V values[perBlock];
                       make(randomBlock(seed, draw, static_cast<uint64_t>(b)),
                            values);
                       int64_t first = b * perBlock;
                       int64_t n = std::min<int64_t>(perBlock, count - first);
                       for (int64_t i = 0; i < n; ++i)
                         out[first + i] = store(values[i], tag);
                     }
                   });
  });
  if (!array.isContiguous())
    copyElements(array, dense);
}

static llvm::Error needFloat(const Array &array, llvm::StringRef what) {
  if (isFloating(array.dtype()))
    return llvm::Error::success();
  return fail(what + " needs a float dtype, but got " +
              dtypeName(array.dtype()));
}

llvm::Error pl::ref::fillUniform(const Array &array, Generator &generator,
                                 double low, double high) {
  if (llvm::Error error = needFloat(array, "uniform"))
    return error;
  if (!(low <= high) || !std::isfinite(high - low))
    return fail("uniform: the bounds must be finite and in order");
  double width = high - low;
  auto store = [=](double u, auto tag) {
    return storeDouble<typename decltype(tag)::type>(low + width * u);
  };
  using Words = std::array<uint32_t, 4>;
  if (array.dtype() == DType::FP64) {
    fillBlocks<2, double>(
        array, generator,
        [](const Words &w, double *values) {
          for (int i = 0; i < 2; ++i) {
            uint64_t bits = (uint64_t(w[2 * i]) << 32) | w[2 * i + 1];
            values[i] = static_cast<double>(bits >> 11) * 0x1p-53;
          }
        },
        store);
    return llvm::Error::success();
  }
  // As many bits as the dtype has, so that 1 is never reached by rounding.
  int bits = array.dtype() == DType::FP32   ? 24
             : array.dtype() == DType::FP16 ? 11
                                            : 8;
  double scale = math::powerOfTwo(-bits);
  fillBlocks<4, double>(
      array, generator,
      [=](const Words &w, double *values) {
        for (int i = 0; i < 4; ++i)
          values[i] = static_cast<double>(w[i] >> (32 - bits)) * scale;
      },
      store);
  return llvm::Error::success();
}

/// Two normals out of two words.
static void boxMuller(uint32_t radiusWord, uint32_t angleWord, double *out) {
  double u = (static_cast<double>(radiusWord) + 0.5) * 0x1p-32;
  double radius = std::sqrt(-2.0 * math::log(u));
  // The angle is a quarter turn count and a remainder around an eighth turn.
  uint32_t quarter = angleWord >> 30;
  double rest = static_cast<double>(angleWord & 0x3fffffffu) * 0x1p-30 - 0.5;
  double r = rest * 0x1.921fb54442d18p0;
  double s = math::sinKernel(r), c = math::cosKernel(r);
  constexpr double sqrtHalf = 0x1.6a09e667f3bcdp-1;
  double x = radius * ((c - s) * sqrtHalf), y = radius * ((c + s) * sqrtHalf);
  bool swaps = quarter & 1;
  double a = swaps ? -y : x, b = swaps ? x : y;
  bool negates = quarter & 2;
  out[0] = negates ? -a : a;
  out[1] = negates ? -b : b;
}

llvm::Error pl::ref::fillNormal(const Array &array, Generator &generator,
                                double mean, double deviation) {
  if (llvm::Error error = needFloat(array, "normal"))
    return error;
  if (!(deviation >= 0.0))
    return fail("normal: the standard deviation must not be negative");
  fillBlocks<4, double>(
      array, generator,
      [](const std::array<uint32_t, 4> &w, double *values) {
        boxMuller(w[0], w[1], values);
        boxMuller(w[2], w[3], values + 2);
      },
      [=](double z, auto tag) {
        return storeDouble<typename decltype(tag)::type>(mean + deviation * z);
      });
  return llvm::Error::success();
}

/// The high half of a 64x64-bit product: a number below `range` from 64 bits.
static uint64_t scaleDown(uint64_t bits, uint64_t range) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >>
                               64);
}

llvm::Error pl::ref::fillIntegers(const Array &array, Generator &generator,
                                  int64_t low, int64_t high) {
  if (low >= high)
    return fail("randint: low " + Twine(low) + " is not below high " +
                Twine(high));
  for (int64_t end : {low, high - 1})
    if (llvm::Error error = checkNumber(Scalar::ofInt(end), array.dtype()))
      return error;
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  fillBlocks<2, int64_t>(
      array, generator,
      [=](const std::array<uint32_t, 4> &w, int64_t *values) {
        for (int i = 0; i < 2; ++i) {
          uint64_t bits = (uint64_t(w[2 * i]) << 32) | w[2 * i + 1];
          values[i] = static_cast<int64_t>(static_cast<uint64_t>(low) +
                                           scaleDown(bits, range));
        }
      },
      [](int64_t v, auto tag) {
        return convertValue<typename decltype(tag)::type>(v);
      });
  return llvm::Error::success();
}

Expected<Array> pl::ref::randomPermutation(int64_t n, Generator &generator) {
  Expected<Array> result = Array::create(DType::Int64, {n});
  if (!result)
    return result;
  int64_t *order = result->data<int64_t>();
  std::iota(order, order + n, 0);
  uint64_t draw = generator.draws++;
  for (int64_t i = n - 1; i > 0; --i) {
    auto w = randomBlock(generator.seed, draw, static_cast<uint64_t>(i));
    uint64_t bits = (uint64_t(w[0]) << 32) | w[1];
    std::swap(order[i], order[scaleDown(bits, static_cast<uint64_t>(i) + 1)]);
  }
  return result;
}
