//===- Memory.cpp - GM tensors, on-chip memories, definedness -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "pl/Machine/Machine.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace pl::sim;
using pl::shim::Placement;

llvm::StringRef pl::sim::stringify(Space space) {
  constexpr llvm::StringLiteral names[] = {"vec",   "mat", "left",
                                           "right", "acc", "bias"};
  return names[unsigned(space)];
}

int64_t pl::sim::spaceBytes(Space space) {
  return findMachine("a2a3")->findMemory(stringify(space))->bytes;
}

int64_t pl::sim::spaceAlignment(Space space) {
  return findMachine("a2a3")->findMemory(stringify(space))->alignment;
}

Bytes::Bytes(int64_t size, int fill) {
  // Rounded up, and never empty, so that null always means "no memory".
  size_t rounded = (size_t(size) + 64) / 64 * 64;
#ifdef __linux__
  // Large tensors are mapped: they are zero already, and if all of their pages
  // are to be touched, the kernel makes them at once.
  constexpr size_t leastMapped = size_t(1) << 20;
  if (rounded >= leastMapped) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (fill != 0 ? MAP_POPULATE : 0);
    void *memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
      return;
    pointer = static_cast<uint8_t *>(memory);
    mappedBytes = rounded;
    if (fill != 0)
      std::memset(pointer, fill, rounded);
    return;
  }
#endif
  pointer = static_cast<uint8_t *>(std::aligned_alloc(64, rounded));
  if (pointer)
    std::memset(pointer, fill, rounded);
}

Bytes::~Bytes() {
#ifdef __linux__
  if (mappedBytes != 0) {
    munmap(pointer, mappedBytes);
    return;
  }
#endif
  std::free(pointer);
}

Bytes SpareBytes::take(int64_t size, int fill) {
  // The smallest that is large enough, unless most of it would lie idle.
  Bytes *best = nullptr;
  for (Bytes &bytes : spare)
    if (bytes.mappedSize() >= size_t(size) &&
        bytes.mappedSize() / 2 <= size_t(size) &&
        (!best || bytes.mappedSize() < best->mappedSize()))
      best = &bytes;
  if (!best)
    return Bytes(size, fill);
  Bytes found = std::move(*best);
  *best = std::move(spare.back());
  spare.pop_back();
  std::memset(found.get(), fill, size_t(size));
  return found;
}

void SpareBytes::give(Bytes bytes) {
  if (bytes.mappedSize() != 0)
    spare.push_back(std::move(bytes));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool Buffer::prepareWrite() {
  if (isTemporary)
    return true; // Made with both.
  if (borrowed) {
    ownedData = Bytes(bytes, shim::kPoisonByte);
    if (!ownedData.get())
      return false;
    if (bytes)
      std::memcpy(ownedData.get(), data, size_t(bytes));
    data = ownedData.get();
    borrowed = false;
  }
  if (!shadow) {
    ownedShadow = Bytes(bytes, kDefined);
    shadow = ownedShadow.get();
  }
  return shadow != nullptr;
}

std::string Buffer::indexOf(int64_t byte) const {
  int64_t element = byte / int64_t(shim::elemBytes(type));
  llvm::SmallVector<int64_t, 4> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t extent = std::max<int64_t>(shape[axis], 1);
    index[axis] = axis == 0 ? element : element % extent;
    element /= extent;
  }
  return fmt::format("[{}]", fmt::join(index.begin(), index.end(), ", "));
}

View View::whole(Buffer &buffer) {
  View view;
  view.buffer = &buffer;
  view.rank = buffer.shape.size();
  int64_t stride = 1;
  for (unsigned axis = view.rank; axis-- > 0;) {
    view.sizes[axis] = buffer.shape[axis];
    view.strides[axis] = stride;
    stride *= buffer.shape[axis];
  }
  return view;
}

bool View::isWhole() const {
  return offset == 0 && rank == buffer->shape.size() &&
         llvm::equal(llvm::ArrayRef(sizes, rank), buffer->shape);
}

//===----------------------------------------------------------------------===//
// Core memories
//===----------------------------------------------------------------------===//

CoreMemory::CoreMemory() {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    bytes[s] = Bytes(spaceBytes(Space(s)), shim::kPoisonByte);
    shadows[s] = Bytes(spaceBytes(Space(s)), kFresh);
  }
}

CoreMemory::CoreMemory(const int64_t (&used)[kNumSpaces]) {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    bytes[s] = Bytes(used[s], shim::kPoisonByte);
    shadows[s] = Bytes(used[s], kFresh);
  }
}

bool CoreMemory::ok() const {
  for (unsigned s = 0; s < kNumSpaces; ++s)
    if (!bytes[s].get() || !shadows[s].get())
      return false;
  return true;
}

void CoreMemory::poison(const int64_t (&used)[kNumSpaces]) {
  for (unsigned s = 0; s < kNumSpaces; ++s) {
    std::memset(bytes[s].get(), shim::kPoisonByte, size_t(used[s]));
    std::memset(shadows[s].get(), kFresh, size_t(used[s]));
  }
}

bool pl::sim::isClean(const uint8_t *shadow, int64_t count) {
  // Chunks keep the inner loop free of branches, so that it vectorises.
  constexpr int64_t chunk = 256;
  int64_t i = 0;
  for (; i + chunk <= count; i += chunk) {
    uint8_t any = 0;
    for (int64_t j = 0; j < chunk; ++j)
      any |= shadow[i + j];
    if (any)
      return false;
  }
  uint8_t any = 0;
  for (; i < count; ++i)
    any |= shadow[i];
  return any == 0;
}
