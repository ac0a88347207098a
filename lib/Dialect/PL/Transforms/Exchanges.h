//===- Exchanges.h - The parts of a task that sends -------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_DIALECT_PL_TRANSFORMS_EXCHANGES_H
#define PL_LIB_DIALECT_PL_TRANSFORMS_EXCHANGES_H

#include "Credits.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pl {

/// A number or view that another place may compute again.
bool isScalar(Operation *op);

/// The notifies of `op` if it is a notify, or loops and branches around
/// notifies and nothing else; empty otherwise.
SmallVector<NotifyOp> notifiesOf(Operation *op);

/// The credits of the signals that `sends` of one task add to, if each of them
/// could be done `times` times as often. If not, starts the refusal `cannot
/// WHAT task 'NAME': ...`.
FailureOr<SmallVector<Credits>> rescalable(ArrayRef<NotifyOp> sends,
                                           int64_t times, StringRef what,
                                           Operation *task,
                                           Diagnostic &refusal);

/// Does what `rescalable` found possible.
void rescale(RewriterBase &rewriter, ArrayRef<Credits> credits,
             ArrayRef<NotifyOp> sends, int64_t times);

/// The loops between `op` and `root`, which is `op` itself or around it,
/// outermost first; nothing if there is anything else between them.
std::optional<SmallVector<ForOp>> loopsAround(Operation *op, Operation *root);

/// Computes numbers of one region again in another place.
class Recomputation {
public:
  /// What is outside of `from` is there already.
  explicit Recomputation(Region &from) : from(&from) {}

  IRMapping &getMapping() { return mapping; }
  /// The first op or argument's owner that `value` needs and that is no scalar
  /// and not in `known`, or null: then `compute` works.
  Operation *obstacle(Value value, ValueRange known) const;
  Value compute(OpBuilder &builder, Value value);

private:
  Region *from;
  IRMapping mapping;
};

} // namespace mlir::pl

#endif // PL_LIB_DIALECT_PL_TRANSFORMS_EXCHANGES_H
