//===- pl-bench-matmul.cpp - the product against the host's BLAS ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/Matmul.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <vector>

using namespace pl::shim;

/// GFLOP/s of the fastest of several runs.
template <typename F> static double speed(double flops, F run) {
  double best = 1e30;
  for (int i = 0; i < 25; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return flops / best * 1e-9;
}

int main() {
  openblas_set_num_threads(1);
  llvm::outs() << "one thread, GFLOP/s; operands in the layouts of L0\n"
                  "    M     N     K    sgemm      F32     BF16      I8\n";
  for (int m : {16, 64, 128})
    for (int n : {128, 512})
      for (int k : {256, 1024}) {
        double flops = 2.0 * m * n * k;
        std::vector<float> a(size_t(m) * k, 1.0f), b(size_t(n) * k, 1.0f),
            c(size_t(m) * n);
        double blas = speed(flops, [&] {
          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f,
                      a.data(), k, b.data(), n, 0.0f, c.data(), n);
        });
        llvm::outs() << llvm::format("%5d %5d %5d %8.0f", m, n, k, blas);
        for (ElemType type : {ElemType::F32, ElemType::BF16, ElemType::I8}) {
          int64_t c0 = 32 / int64_t(elemBytes(type));
          bool isInt = type == ElemType::I8;
          TileRef left = {a.data(), type, m, k,
                          Placement::boxed(m, k, 16, c0, true, true)};
          TileRef right = {b.data(), type, k, n,
                           Placement::boxed(k, n, c0, 16, true, false)};
          TileRef result = {c.data(), isInt ? ElemType::I32 : ElemType::F32, m,
                            n, Placement::boxed(m, n, 16, 16, false, true)};
          double own = speed(
              flops, [&] { matmul(result, left, right, /*accumulate=*/true); });
          llvm::outs() << llvm::format(" %8.0f", own);
        }
        llvm::outs() << "\n";
      }
  return 0;
}
