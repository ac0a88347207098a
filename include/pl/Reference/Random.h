//===- Random.h - Seeded random arrays ------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stream is defined by counters alone: word w of block b of draw d under
// seed s is a function of (s, d, b, w), Philox-4x32 with ten rounds, so an
// array is the same on every machine and with any number of threads, and
// element i does not depend on how many follow. Each call takes the next draw
// number.
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_RANDOM_H
#define PL_REFERENCE_RANDOM_H

#include "pl/Reference/Array.h"
#include <array>

namespace pl::ref {

struct Generator {
  uint64_t seed = 0;
  /// Draws taken so far.
  uint64_t draws = 0;

  void manualSeed(uint64_t newSeed) { *this = {newSeed, 0}; }
};

/// Four 32-bit words: block `block` of draw `draw` under `seed`.
std::array<uint32_t, 4> randomBlock(uint64_t seed, uint64_t draw,
                                    uint64_t block);

/// Fills a float array with multiples of 2^-24 (float64: 2^-53, bfloat16: 2^-8,
/// float16: 2^-11) in [0, 1), scaled to [low, high].
llvm::Error fillUniform(const Array &array, Generator &generator,
                        double low = 0.0, double high = 1.0);

/// Fills a float array with normals: Box-Muller on pairs of 32-bit words,
/// rounded once from double. Nothing lies beyond 6.77 standard deviations.
llvm::Error fillNormal(const Array &array, Generator &generator,
                       double mean = 0.0, double deviation = 1.0);

/// Fills with integers in [low, high).
llvm::Error fillIntegers(const Array &array, Generator &generator, int64_t low,
                         int64_t high);

/// 0 … n-1 in random order, int64.
llvm::Expected<Array> randomPermutation(int64_t n, Generator &generator);

} // namespace pl::ref

#endif // PL_REFERENCE_RANDOM_H
