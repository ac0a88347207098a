//===- Judge.h - Whether outputs are what they should be --------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_JUDGE_H
#define PL_DRIVER_JUDGE_H

#include "pl/Driver/RunData.h"

namespace pl::driver {

/// One row of the table of outputs.
struct OutputVerdict {
  enum class Verdict : uint8_t { Pass, Fail, Unchecked };
  std::string name;
  /// Counted from 1; 0 where there is only one.
  unsigned round = 0;
  int64_t compared = 0;
  int64_t bad = 0;
  double worst = 0;
  /// The comparator that decides, or null: then exactly. Meaningless while
  /// Unchecked.
  const frontend::ComparatorObject *how = nullptr;
  /// How many may be wrong.
  int64_t allowedBad = 0;
  Verdict verdict = Verdict::Unchecked;
  /// What is wrong, with the first wrong element; empty unless Fail.
  std::string message;
  /// The pl.compare that decided; invalid where none did.
  frontend::SourceRange judgedBy;
};
llvm::StringRef stringify(OutputVerdict::Verdict verdict);
/// What an output may differ by: "atol 0.001, rtol 0.01; 12 bad", "exact", or
/// "-" for one that nothing judged.
std::string describeAllowed(const OutputVerdict &verdict);

/// Checks that each written parameter of an entry with expected outputs has a
/// comparator and that comparators name written parameters. Call before the
/// run: these are mistakes of the module.
llvm::LogicalResult checkComparators(Compilation &compiled,
                                     llvm::ArrayRef<Parameter> parameters);

/// Judges output number `index` of `actual`, which has its expected value at
/// the same place of `expected`, as `pl.compare` says. `alteredFile` names a
/// saved file that was changed after it was saved and that decides this output,
/// or is empty: such an output gets no share of wrong values. Fails, with a
/// diagnostic, where the comparison itself is impossible: other shapes, a
/// mapping that names a row twice.
llvm::FailureOr<OutputVerdict> judgeOutput(Compilation &compiled, size_t index,
                                           llvm::ArrayRef<NamedArray> actual,
                                           llvm::ArrayRef<NamedArray> expected,
                                           const RunInputs &inputs,
                                           llvm::StringRef alteredFile);

} // namespace pl::driver

#endif // PL_DRIVER_JUDGE_H
