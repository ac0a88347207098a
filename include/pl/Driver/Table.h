//===- Table.h - Columns of text --------------------------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_TABLE_H
#define PL_DRIVER_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace pl::driver {

/// A table whose columns are as wide as their longest cell. Text is aligned to
/// the left, numbers to the right.
class Table {
public:
  struct Column {
    std::string heading;
    bool right = false;
  };

  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}

  /// One cell per column; control characters of names are escaped.
  void addRow(std::vector<std::string> cells);
  /// Each line starts with `indent` blanks and ends without any.
  void print(llvm::raw_ostream &os, unsigned indent = 2) const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace pl::driver

#endif // PL_DRIVER_TABLE_H
