//===- GlobalAccess.cpp - loads, stores and elements of tensors -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;
using pl::shim::Placement;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// `'x', which has 10 rows`, or the shape of the view where indices are its.
static std::string describeExtent(const View &view, int64_t extent,
                                  llvm::StringRef unit) {
  if (view.isWhole())
    return fmt::format("'{}', which has {} {}", view.buffer->name, extent,
                       unit.str());
  return fmt::format("a view [{}] of '{}', which has {} {}",
                     fmt::join(view.sizes, view.sizes + view.rank, ", "),
                     view.buffer->name, extent, unit.str());
}

bool Interpreter::resolve(const Instr &instr, llvm::StringRef verb,
                          const View &view, int64_t rows, int64_t cols,
                          Window &window) {
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  for (int32_t reg : operands)
    if (!decided(instr, regs[reg], "the address of a " + verb.str()))
      return false;
  int64_t size = int64_t(shim::elemBytes(view.buffer->type));
  int64_t element = view.offset;
  unsigned rank = view.rank;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t at = integer(operands[axis]);
    bool isCol = axis + 1 == rank, isRow = axis + 2 == rank;
    int64_t count = isCol ? cols : isRow ? rows : 1;
    int64_t extent = view.sizes[axis];
    if (at < 0 || at > extent - count) {
      llvm::StringRef unit = isCol   ? (rank == 1 ? "elements" : "columns")
                             : isRow ? "rows"
                                     : "entries";
      std::string axisText =
          isCol || isRow ? unit.str() : fmt::format("entries (axis {})", axis);
      std::string range = count == 1
                              ? fmt::format("{}", at)
                              : fmt::format("{}..{}", at, at + count - 1);
      return fail(FailureKind::Bounds, instr,
                  fmt::format("{} of {} {} of {}", verb.str(), axisText, range,
                              describeExtent(view, extent, unit)));
    }
    element += at * view.strides[axis];
  }
  if (cols > 1 && view.strides[rank - 1] != 1)
    return fail(FailureKind::Limit, instr,
                fmt::format("{} of '{}' through a view whose columns are not "
                            "contiguous, which is not simulated",
                            verb.str(), view.buffer->name));
  window.buffer = view.buffer;
  window.start = element * size;
  window.rows = rows;
  window.cols = cols;
  window.rowBytes = cols * size;
  window.pitch = rank > 1 ? view.strides[rank - 2] * size : window.rowBytes;
  return true;
}

void Interpreter::record(const Instr &instr, const Window &window,
                         AccessKind kind) {
  log->accessesOf(window.buffer->id)
      .add({window.start, window.rowBytes, window.pitch, window.rows, kind,
            instr.loc});
}

void BlockLog::noteOrigin(uint8_t site, Origin origin) {
  for (auto &[known, first] : origins)
    if (known == site)
      return;
  origins.emplace_back(site, std::move(origin));
}

void Interpreter::noteOrigin(const Instr &instr, std::string what) {
  log->noteOrigin(instr.site, {std::move(what), context->task.str(),
                               context->block, instr.loc});
}

/// Replaces "never written" by the name of the access that met it. Returns the
/// position of the first one, or -1.
static int64_t nameFresh(uint8_t *shadow, int64_t count, uint8_t site) {
  int64_t first = -1;
  for (int64_t i = 0; i < count; ++i)
    if (shadow[i] == kFresh) {
      shadow[i] = site;
      if (first < 0)
        first = i;
    }
  return first;
}

/// Whether the rows of a tensor are defined.
static bool isWindowClean(const uint8_t *shadow, int64_t rows, int64_t rowBytes,
                          int64_t pitch) {
  if (!shadow)
    return true;
  for (int64_t r = 0; r < rows; ++r)
    if (!isClean(shadow + r * pitch, rowBytes))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Load
//===----------------------------------------------------------------------===//

bool Interpreter::load(const Instr &instr) {
  const Tile &tile = tiles[instr.dst];
  bool transposed = instr.sub;
  int64_t rows = tile.validRows, cols = tile.validCols;
  if (rows == 0 || cols == 0)
    return true;
  Window window;
  View source = views[instr.a];
  if (instr.op == Op::RemoteLoad && !toPeer(instr, "load", source))
    return false;
  if (!resolve(instr, "load", source, transposed ? cols : rows,
               transposed ? rows : cols, window))
    return false;
  record(instr, window, AccessKind::Read);

  const Buffer &buffer = *window.buffer;
  size_t size = shim::elemBytes(buffer.type);
  int64_t ld = window.pitch / int64_t(size);
  Placement from = transposed ? Placement::dn(ld) : Placement::nd(ld);
  copyRegion(size, tile.data, tile.decl->at, 0, 0, buffer.data + window.start,
             from, 0, 0, rows, cols);
  const uint8_t *shadow =
      buffer.shadow ? buffer.shadow + window.start : nullptr;
  if (isWindowClean(shadow, window.rows, window.rowBytes, window.pitch)) {
    markDefined(tile, rows, cols);
    return true;
  }
  ++log->undefinedUses;
  copyRegion(size, tile.shadow, tile.decl->at, 0, 0, shadow, from, 0, 0, rows,
             cols);
  bool met = false;
  forEachRun(size, tile.decl->at, rows, cols, [&](int64_t at, int64_t count) {
    met |= nameFresh(tile.shadow + at, count, instr.site) >= 0;
    return true;
  });
  for (int64_t r = 0; met && r < window.rows; ++r)
    for (int64_t i = 0; met && i < window.rowBytes; ++i)
      if (shadow[r * window.pitch + i] == kFresh) {
        int64_t byte = window.start + r * window.pitch + i;
        noteOrigin(instr,
                   fmt::format("'{}'{}", buffer.name, buffer.indexOf(byte)));
        met = false;
      }
  return true;
}

//===----------------------------------------------------------------------===//
// Store
//===----------------------------------------------------------------------===//

void pl::sim::applyAdd(const PendingAdd &add, const uint8_t *bytes,
                       const uint8_t *shadow, const Context &context,
                       BlockLog &log) {
  Buffer &buffer = *add.buffer;
  int64_t size = int64_t(shim::elemBytes(buffer.type));
  int64_t rowBytes = add.cols * size;
  for (int64_t r = 0; r < add.rows; ++r) {
    int64_t start = add.start + r * add.pitch;
    uint8_t *to = buffer.data + start, *mark = buffer.shadow + start;
    shim::binaryRow(buffer.type, shim::BinaryOp::Add, to, to,
                    bytes + r * rowBytes, size_t(add.cols));
    if (add.clean && isClean(mark, rowBytes))
      continue;
    ++log.undefinedUses;
    int64_t fresh = nameFresh(mark, rowBytes, add.site);
    if (fresh >= 0)
      log.noteOrigin(add.site, {fmt::format("'{}'{}", buffer.name,
                                            buffer.indexOf(start + fresh)),
                                context.task.str(), context.block, add.loc});
    if (!add.clean)
      for (int64_t i = 0; i < rowBytes; ++i)
        mark[i] = std::max(mark[i], shadow[r * rowBytes + i]);
  }
}

bool Interpreter::store(const Instr &instr) {
  const Tile &tile = tiles[instr.a];
  int64_t rows = tile.validRows, cols = tile.validCols;
  if (rows == 0 || cols == 0)
    return true;
  bool adds = instr.sub;
  Window window;
  View target = views[instr.b];
  bool isRemote = instr.op == Op::RemoteStore;
  if (isRemote && !toPeer(instr, "store", target))
    return false;
  if (!resolve(instr, adds ? "atomic add" : "store", target, rows, cols,
               window))
    return false;
  record(instr, window, adds ? AccessKind::Add : AccessKind::Write);
  Buffer &buffer = *window.buffer;
  if (!buffer.shadow)
    return fail(FailureKind::Limit, instr,
                fmt::format("store to '{}' through a view that is carried by a "
                            "loop, which is not simulated",
                            buffer.name));

  // The valid box in rows of the tensor's element type.
  size_t size = shim::elemBytes(tile.decl->type);
  size_t targetSize = shim::elemBytes(buffer.type);
  bool converts = tile.decl->type != buffer.type;
  bool clean = isTileClean(tile, rows, cols);
  uint8_t *data = buffer.data + window.start;
  uint8_t *shadow = buffer.shadow + window.start;
  int64_t pitch = window.pitch;
  if (adds) {
    pitch = window.rowBytes;
    size_t bytes = size_t(rows * window.rowBytes);
    size_t at = log->addBytes.size();
    log->addBytes.resize(at + bytes);
    log->addShadow.resize(at + bytes);
    log->adds.push_back({&buffer, window.start, window.pitch, rows, cols, at,
                         clean, instr.site, instr.loc});
    data = log->addBytes.data() + at;
    shadow = log->addShadow.data() + at;
  }
  int64_t ld = pitch / int64_t(targetSize);
  if (!converts) {
    copyRegion(size, data, Placement::nd(ld), 0, 0, tile.data, tile.decl->at, 0,
               0, rows, cols);
  } else {
    rowBuffer.resize(size_t(cols) * size);
    for (int64_t r = 0; r < rows; ++r) {
      copyRegion(size, rowBuffer.data(), Placement::nd(cols), 0, 0, tile.data,
                 tile.decl->at, r, 0, 1, cols);
      shim::castRow(buffer.type, data + r * pitch, tile.decl->type,
                    rowBuffer.data(), size_t(cols), shim::RoundMode::Rint);
    }
  }

  if (clean) {
    if (!adds)
      for (int64_t r = 0; r < rows; ++r)
        std::memset(shadow + r * pitch, kDefined, size_t(window.rowBytes));
  } else {
    ++log->undefinedUses;
    shadowBuffer.resize(size_t(cols) * size);
    bool met = false;
    for (int64_t r = 0; r < rows; ++r) {
      copyRegion(size, shadowBuffer.data(), Placement::nd(cols), 0, 0,
                 tile.shadow, tile.decl->at, r, 0, 1, cols);
      met |=
          nameFresh(shadowBuffer.data(), cols * int64_t(size), instr.site) >= 0;
      for (int64_t c = 0; c < cols; ++c)
        std::memset(shadow + r * pitch + c * int64_t(targetSize),
                    shadowBuffer[size_t(c) * size], targetSize);
    }
    if (met)
      noteOrigin(instr, fmt::format("buffer '{}'", tile.decl->name));
    if (isRemote) {
      for (uint8_t taint : shadowBuffer)
        log->failureSite = std::max(log->failureSite, taint);
      return fail(FailureKind::Undefined, instr,
                  fmt::format("stores an undefined value of '{}' into '{}' of "
                              "rank {}",
                              tile.decl->name, buffer.name, buffer.rank));
    }
  }
  if (!adds)
    return true;
  if (context->addDirectly) {
    applyAdd(log->adds.back(), log->addBytes.data(), log->addShadow.data(),
             *context, *log);
    log->adds.clear();
    log->addBytes.clear();
    log->addShadow.clear();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool Interpreter::readElement(const Instr &instr) {
  Window window;
  if (!resolve(instr, "read", views[instr.a], 1, 1, window))
    return false;
  record(instr, window, AccessKind::Read);
  const Buffer &buffer = *window.buffer;
  Reg result;
  size_t size = shim::elemBytes(buffer.type);
  std::memcpy(&result.bits, buffer.data + window.start, size);
  if (!shim::isFloat(buffer.type)) {
    // Registers hold integers sign-extended, whatever their signedness.
    unsigned shift = 64 - 8 * unsigned(size);
    result.bits = uint64_t(int64_t(result.bits << shift) >> shift);
  }
  if (buffer.shadow)
    for (size_t i = 0; i < size; ++i)
      result.taint = std::max(result.taint, buffer.shadow[window.start + i]);
  if (result.taint)
    ++log->undefinedUses;
  if (result.taint == kFresh) {
    result.taint = instr.site;
    noteOrigin(instr, fmt::format("'{}'{}", buffer.name,
                                  buffer.indexOf(window.start)));
  }
  regs[instr.dst] = result;
  return true;
}

bool Interpreter::writeElement(const Instr &instr) {
  Window window;
  if (!resolve(instr, "write", views[instr.b], 1, 1, window))
    return false;
  record(instr, window, AccessKind::Write);
  Buffer &buffer = *window.buffer;
  const Reg &value = regs[instr.a];
  size_t size = shim::elemBytes(buffer.type);
  if (context->host && !buffer.prepareWrite())
    return fail(FailureKind::Limit, instr, "no memory left on this host");
  std::memcpy(buffer.data + window.start, &value.bits, size);
  std::memset(buffer.shadow + window.start, value.taint, size);
  return true;
}
