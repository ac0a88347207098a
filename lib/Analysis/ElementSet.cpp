//===- ElementSet.cpp - Elements of a tensor as ranges --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Footprint.h"

using namespace mlir;
using namespace mlir::pl;

void ElementSet::insert(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  auto next = ends.upper_bound(begin);
  if (next != ends.begin()) {
    auto previous = std::prev(next);
    if (previous->second >= begin) {
      begin = previous->first;
      end = std::max(end, previous->second);
      next = ends.erase(previous);
    }
  }
  while (next != ends.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends.erase(next);
  }
  ends.emplace_hint(next, begin, end);
}

std::optional<std::pair<int64_t, int64_t>>
ElementSet::firstMissing(int64_t begin, int64_t end) const {
  auto next = ends.upper_bound(begin);
  if (next != ends.begin())
    begin = std::max(begin, std::prev(next)->second);
  if (begin >= end)
    return std::nullopt;
  return std::pair(begin,
                   next == ends.end() ? end : std::min(end, next->first));
}
