//===- Conflicts.cpp - Touches of the same elements -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/Conflicts.h"

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Elements that someone writes, or reads.
class Claims {
public:
  /// Calls `visit(claim, low, high)` for what others hold of `[low, high)`.
  void meet(const Touch &touch, int64_t owner, int64_t low, int64_t high,
            function_ref<void(const Touch &, int64_t, int64_t)> visit) const {
    auto next = claims.upper_bound(low);
    if (next != claims.begin())
      --next;
    for (; next != claims.end() && next->first < high; ++next)
      if (next->second.end > low && next->second.owner != owner &&
          !(next->second.touch.atomic && touch.atomic))
        visit(next->second.touch, std::max(low, next->first),
              std::min(high, next->second.end));
  }
  /// What is not held yet is `owner`'s.
  void claim(const Touch &touch, int64_t owner, int64_t low, int64_t high) {
    auto next = claims.upper_bound(low);
    if (next != claims.begin())
      low = std::max(low, std::prev(next)->second.end);
    while (low < high) {
      int64_t end = next == claims.end() ? high : std::min(high, next->first);
      if (low < end)
        claims.emplace_hint(next, low, Claim{end, owner, touch});
      if (next == claims.end())
        break;
      low = next->second.end;
      ++next;
    }
  }

private:
  struct Claim {
    int64_t end, owner;
    Touch touch;
  };
  std::map<int64_t, Claim> claims; ///< by begin; they do not meet
};
} // namespace

void mlir::pl::findConflicts(ArrayRef<const std::vector<Touch> *> tasks,
                             function_ref<bool(Value)> wanted,
                             std::vector<Conflict> &conflicts) {
  DenseMap<Value, Claims> writes;
  std::map<std::tuple<Operation *, Operation *>, unsigned> found;
  auto meet = [&](const Touch &touch, int64_t owner) {
    auto claims = writes.find(touch.root);
    if (claims == writes.end())
      return;
    auto visit = [&](const Touch &other, int64_t from, int64_t to) {
      auto [known, isNew] =
          found.try_emplace(std::tuple(other.op, touch.op), conflicts.size());
      if (isNew) {
        Conflict conflict{touch.root, other, touch, from, to};
        conflict.second.ranges.reset();
        conflicts.push_back(std::move(conflict));
        return;
      }
      Conflict &same = conflicts[known->second];
      if (same.first.block != other.block || same.second.block != touch.block)
        return;
      same.low = std::min(same.low, from);
      same.high = std::max(same.high, to);
    };
    for (auto [low, high] : *touch.ranges)
      claims->second.meet(touch, owner, low, high, visit);
  };
  auto ownerOf = [&](size_t index, const Touch &touch) {
    return tasks.size() == 1 ? *touch.block : int64_t(index);
  };
  for (auto [index, list] : llvm::enumerate(tasks))
    for (const Touch &touch : *list) {
      if (!touch.writes || !wanted(touch.root))
        continue;
      meet(touch, ownerOf(index, touch));
      Touch claim = touch;
      claim.ranges.reset();
      for (auto [low, high] : *touch.ranges)
        writes[touch.root].claim(claim, ownerOf(index, touch), low, high);
    }
  for (auto [index, list] : llvm::enumerate(tasks))
    for (const Touch &touch : *list)
      if (!touch.writes && wanted(touch.root))
        meet(touch, ownerOf(index, touch));
}
