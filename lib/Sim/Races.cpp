//===- Races.cpp - accesses of tasks, and those that nothing orders -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Races.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace pl::sim;

//===----------------------------------------------------------------------===//
// Rectangles
//===----------------------------------------------------------------------===//

/// Rows of `b` that may touch bytes [begin, end): the first of them, or -1.
static int64_t firstRowTouching(const Access &b, int64_t begin, int64_t end) {
  // Row k covers [start + k * pitch, + rowBytes).
  int64_t low = begin - b.start - b.rowBytes + 1; // least offset that reaches
  int64_t k = low <= 0 ? 0 : (b.pitch ? (low + b.pitch - 1) / b.pitch : 0);
  if (k >= b.rows || b.start + k * b.pitch >= end)
    return -1;
  return b.start + k * b.pitch + b.rowBytes > begin ? k : -1;
}

std::optional<int64_t> pl::sim::firstOverlap(const Access &a, const Access &b) {
  const Access &few = a.rows <= b.rows ? a : b;
  const Access &many = a.rows <= b.rows ? b : a;
  for (int64_t r = 0; r < few.rows; ++r) {
    int64_t begin = few.start + r * few.pitch, end = begin + few.rowBytes;
    int64_t k = firstRowTouching(many, begin, end);
    if (k >= 0)
      return std::max(begin, many.start + k * many.pitch);
  }
  return std::nullopt;
}

/// Where the common bytes that begin at `byte` end.
static int64_t overlapEnd(const Access &a, const Access &b, int64_t byte) {
  auto rowEnd = [byte](const Access &x) {
    int64_t row = x.rows > 1 ? (byte - x.start) / x.pitch : 0;
    return x.start + std::min(row, x.rows - 1) * x.pitch + x.rowBytes;
  };
  return std::min(rowEnd(a), rowEnd(b));
}

/// Tries the union with `b` beginning `row` rows and `col` bytes after `a`.
static bool uniteAt(Access &a, const Access &b, int64_t row, int64_t col) {
  int64_t rowEnd = row + b.rows, colEnd = col + b.rowBytes;
  bool inside =
      row >= 0 && rowEnd <= a.rows && col >= 0 && colEnd <= a.rowBytes;
  if (inside)
    return true;
  bool around =
      row <= 0 && rowEnd >= a.rows && col <= 0 && colEnd >= a.rowBytes;
  bool sameRows =
      row == 0 && rowEnd == a.rows && col <= a.rowBytes && colEnd >= 0;
  bool sameCols =
      col == 0 && colEnd == a.rowBytes && row <= a.rows && rowEnd >= 0;
  if (!around && !sameRows && !sameCols)
    return false;
  int64_t top = std::min<int64_t>(row, 0), left = std::min<int64_t>(col, 0);
  int64_t bottom = std::max(rowEnd, a.rows);
  int64_t right = std::max(colEnd, a.rowBytes);
  if (right - left > a.pitch)
    return false;
  a.start += top * a.pitch + left;
  a.rows = bottom - top;
  a.rowBytes = right - left;
  return true;
}

/// Makes `a` the union of both if that is a rectangle again.
static bool unite(Access &a, const Access &b) {
  if (a.kind != b.kind || a.pitch != b.pitch || a.pitch <= 0)
    return false;
  int64_t shift = b.start - a.start;
  int64_t row = shift / a.pitch, col = shift % a.pitch;
  if (col < 0) {
    col += a.pitch;
    --row;
  }
  // The same place can be seen as left of `a` one row further down.
  return uniteAt(a, b, row, col) ||
         (col && uniteAt(a, b, row + 1, col - a.pitch));
}

void AccessSet::add(Access access) {
  if (access.rows <= 0 || access.rowBytes <= 0)
    return;
  // A union may touch another rectangle, so it is added anew.
  constexpr size_t window = 32;
  for (bool merged = true; merged;) {
    merged = false;
    size_t first = accesses.size() > window ? accesses.size() - window : 0;
    for (size_t i = accesses.size(); i-- > first;) {
      Access both = accesses[i];
      if (!unite(both, access))
        continue;
      bool unchanged = both.start == accesses[i].start &&
                       both.rows == accesses[i].rows &&
                       both.rowBytes == accesses[i].rowBytes;
      if (unchanged)
        return;
      access = both;
      accesses.erase(accesses.begin() + i);
      merged = true;
      break;
    }
  }
  accesses.push_back(access);
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

std::vector<Conflict>
pl::sim::findConflicts(std::vector<OwnedAccess> accesses,
                       llvm::function_ref<bool(unsigned, unsigned)> ordered,
                       unsigned limit) {
  std::vector<Conflict> found;
  llvm::DenseSet<std::pair<unsigned, unsigned>> reported;
  auto key = [](const OwnedAccess &x) {
    return std::tuple(x.access.start, x.owner, x.access.kind, x.access.rows,
                      x.access.rowBytes);
  };
  llvm::sort(accesses, [&](const OwnedAccess &a, const OwnedAccess &b) {
    return key(a) < key(b);
  });
  // Sweep by first byte; `active` are those that may still reach further. A
  // pair of equal kinds conflicts only if both are writes.
  std::vector<const OwnedAccess *> active[3];
  auto check = [&](const OwnedAccess &now, AccessKind kind) {
    auto &list = active[unsigned(kind)];
    llvm::erase_if(list, [&](const OwnedAccess *a) {
      return a->access.end() <= now.access.start;
    });
    for (const OwnedAccess *other : list) {
      if (found.size() >= limit)
        return;
      if (other->owner == now.owner)
        continue;
      auto pair = std::minmax(other->owner, now.owner);
      std::pair<unsigned, unsigned> owners(pair.first, pair.second);
      if (reported.contains(owners) || ordered(owners.first, owners.second))
        continue;
      std::optional<int64_t> byte = firstOverlap(other->access, now.access);
      if (!byte)
        continue;
      reported.insert(owners);
      bool swap = now.owner < other->owner;
      found.push_back({swap ? now : *other, swap ? *other : now, *byte,
                       overlapEnd(other->access, now.access, *byte)});
    }
  };
  for (const OwnedAccess &now : accesses) {
    AccessKind kind = now.access.kind;
    check(now, AccessKind::Write);
    if (kind != AccessKind::Read)
      check(now, AccessKind::Read);
    if (kind != AccessKind::Add)
      check(now, AccessKind::Add);
    if (found.size() >= limit)
      break;
    active[unsigned(kind)].push_back(&now);
  }
  llvm::sort(found, [](const Conflict &a, const Conflict &b) {
    return std::pair(a.first.owner, a.second.owner) <
           std::pair(b.first.owner, b.second.owner);
  });
  return found;
}

void Reachability::addTask(llvm::ArrayRef<unsigned> deps) {
  unsigned id = before.size();
  std::vector<uint64_t> row(id / 64 + 1);
  for (unsigned dep : deps) {
    const std::vector<uint64_t> &other = before[dep];
    for (size_t i = 0; i < other.size(); ++i)
      row[i] |= other[i];
    row[dep / 64] |= uint64_t(1) << dep % 64;
  }
  before.push_back(std::move(row));
}
