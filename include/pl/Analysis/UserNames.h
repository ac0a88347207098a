//===- UserNames.h - Names the user gave ------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_ANALYSIS_USERNAMES_H
#define PL_ANALYSIS_USERNAMES_H

#include "mlir/IR/Value.h"

#include <string>

namespace mlir::pl {

class DimAttr;

/// The name (`pl.dims`) of dynamic axis `axis` of a function's argument, or
/// null.
DimAttr dimOf(BlockArgument argument, int64_t axis);

/// The name in a location: that of the innermost NameLoc, through call sites.
StringRef nameOf(Location loc);

/// The user's name of a value: `pl.name` of an argument, the name of an
/// allocation or buffer, the symbol of a dynamic dim, or the NameLoc; empty
/// when there is none.
std::string nameOf(Value value);

/// The name of a task, which is a pl.at, pl.spmd, pl.dummy or pl.launch; empty
/// when it has none.
StringRef taskName(Operation *task);
/// The same for reports: "task" when it has none.
StringRef taskLabel(Operation *task);

} // namespace mlir::pl

#endif // PL_ANALYSIS_USERNAMES_H
