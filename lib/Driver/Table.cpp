//===- Table.cpp - Columns of text ----------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Table.h"

#include "pl/Frontend/PrintableText.h"
#include "pl/Frontend/Value.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace pl::driver {

void Table::addRow(std::vector<std::string> cells) {
  for (std::string &cell : cells)
    cell = frontend::makePrintable(cell);
  rows.push_back(std::move(cells));
}

void Table::print(llvm::raw_ostream &os, unsigned indent) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t width = frontend::countCharacters(columns[i].heading);
    for (const std::vector<std::string> &row : rows)
      width = std::max(width, frontend::countCharacters(row[i]));
    widths.push_back(width);
  }
  auto printRow = [&](auto getCell) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string &cell = getCell(i);
      std::string blanks(widths[i] - frontend::countCharacters(cell), ' ');
      line += columns[i].right ? blanks + cell : cell + blanks;
      line += "  ";
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  };
  printRow([&](size_t i) -> const std::string & { return columns[i].heading; });
  for (const std::vector<std::string> &row : rows)
    printRow([&](size_t i) -> const std::string & { return row[i]; });
}

} // namespace pl::driver
