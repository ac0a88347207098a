//===- PlanMemory.cpp - Addresses of buffers ---*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/Transforms/Passes.h"
#include "pl/Machine/Machine.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pl {
#define GEN_PASS_DEF_PLANMEMORY
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// A buffer and when it is in use, in op numbers; both ends included.
struct Lifetime {
  BufferOp buffer;
  int64_t bytes;
  int64_t first, last;
  int64_t address = -1;
  /// The lifetime whose place this one takes over when that one ends; itself
  /// when it has a place of its own.
  unsigned place = 0;

  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct PlanMemory : mlir::pl::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;
  void runOnOperation() override;

private:
  void numberOps(KernelOp kernel);
  SmallVector<Lifetime> collect(KernelOp kernel, MemorySpace space,
                                bool keepStagesApart);
  void reusePlaces(KernelOp kernel, MutableArrayRef<Lifetime> lifetimes);
  LogicalResult checkBox(BufferOp buffer);
  LogicalResult planSpace(KernelOp kernel, MemorySpace space,
                          const ::pl::MemoryDescription &memory);
  void reportOverflow(KernelOp kernel, ArrayRef<Lifetime> tiles,
                      const ::pl::MemoryDescription &memory);

  /// First and last number of an op with all it holds.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> numbers;
};
} // namespace

static std::string textOf(BufferType type) {
  std::string text;
  llvm::raw_string_ostream(text)
      << '[' << type.getRows() << ", " << type.getCols() << "] "
      << type.getElementType();
  return text;
}

void PlanMemory::numberOps(KernelOp kernel) {
  numbers.clear();
  int64_t next = 0;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { numbers[op].first = next++; });
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t last = numbers[op].first;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          last = std::max(last, numbers[&block.back()].second);
    numbers[op].second = last;
  });
}

/// All ops that use `buffer` or a view of it.
static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    users.push_back(user);
    if (auto view = dyn_cast<BufferViewOp>(user))
      collectUsers(view.getResult(), users);
  }
}

/// Is `buffer` filled by a transfer, which a pipelined loop starts early?
static bool isTransferTarget(BufferOp buffer) {
  return llvm::any_of(buffer->getUsers(), [&](Operation *user) {
    auto tileOp = dyn_cast<TileOpInterface>(user);
    return tileOp && tileOp.getDstOperand() &&
           tileOp.getDstOperand()->get() == buffer.getResult() &&
           (tileOp.getPipe() == Pipe::mte2 || tileOp.getPipe() == Pipe::mte1);
  });
}

SmallVector<Lifetime> PlanMemory::collect(KernelOp kernel, MemorySpace space,
                                          bool keepStagesApart) {
  SmallVector<Lifetime> lifetimes;
  kernel.walk([&](BufferOp buffer) {
    BufferType type = buffer.getResult().getType();
    if (type.getSpace() != space)
      return;
    Block *block = buffer->getBlock();
    SmallVector<Operation *> users;
    collectUsers(buffer.getResult(), users);
    Lifetime lifetime{buffer, type.getNumBytes(), INT64_MAX, -1};
    for (Operation *user : users) {
      if (isa<BufferViewOp>(user))
        continue;
      // A use inside a loop holds the buffer for the whole loop.
      auto [first, last] = numbers.lookup(block->findAncestorOpInBlock(*user));
      lifetime.first = std::min(lifetime.first, first);
      lifetime.last = std::max(lifetime.last, last);
    }
    if (lifetime.last < 0)
      lifetime.first = lifetime.last = numbers.lookup(buffer).first;
    Operation *parent = block->getParentOp();
    if (keepStagesApart && parent->hasAttr(PLDialect::kStages) &&
        isTransferTarget(buffer)) {
      lifetime.first = numbers.lookup(&block->front()).first;
      lifetime.last = numbers.lookup(&block->back()).second;
    }
    lifetime.place = lifetimes.size();
    lifetimes.push_back(lifetime);
  });
  return lifetimes;
}

/// Whether the instruction may write its result over a source of `source`
/// elements. A conversion may where each element takes the place of its own.
static bool mayReplace(TileOpInterface op, unsigned number, Type source,
                       Type result) {
  if (source == result)
    return op.getFacts().mayAlias(number);
  return isa<CastOp>(op) &&
         source.getIntOrFloatBitWidth() == result.getIntOrFloatBitWidth();
}

/// Lets an op write its result where a source lies that ends with it, if the
/// instruction may do so. A place then lives until the last of its tiles.
void PlanMemory::reusePlaces(KernelOp kernel,
                             MutableArrayRef<Lifetime> lifetimes) {
  DenseMap<Value, unsigned> indices;
  for (auto [index, lifetime] : llvm::enumerate(lifetimes))
    indices[lifetime.buffer.getResult()] = index;
  kernel.walk([&](TileOpInterface op) {
    OpOperand *dst = op.getDstOperand();
    auto target = dst ? indices.find(dst->get()) : indices.end();
    if (target == indices.end())
      return;
    Lifetime &made = lifetimes[target->second];
    int64_t now = numbers.lookup(op).first;
    if (made.first != now || made.place != target->second)
      return;
    BufferType type = made.buffer.getResult().getType();
    for (auto [number, source] : llvm::enumerate(op.getTileSources())) {
      auto found = indices.find(source->get());
      if (found == indices.end())
        continue;
      Lifetime &ended = lifetimes[found->second];
      BufferType other = ended.buffer.getResult().getType();
      if (ended.last != now || other.getRows() != type.getRows() ||
          other.getCols() != type.getCols() ||
          other.getLayout() != type.getLayout() ||
          !mayReplace(op, number, other.getElementType(),
                      type.getElementType()))
        continue;
      made.place = ended.place;
      lifetimes[ended.place].last = made.last;
      return;
    }
  });
}

/// Gives each lifetime the lowest address that is free for all of it. Returns
/// the bytes in use at most.
static int64_t place(SmallVectorImpl<Lifetime> &lifetimes, int64_t alignment,
                     bool largestFirst) {
  SmallVector<Lifetime *> order;
  for (auto [index, lifetime] : llvm::enumerate(lifetimes))
    if (lifetime.place == index)
      order.push_back(&lifetime);
  // Pointers into one array: the last comparison keeps the program's order.
  llvm::sort(order, [&](const Lifetime *a, const Lifetime *b) {
    if (largestFirst && a->bytes != b->bytes)
      return a->bytes > b->bytes;
    return std::tie(a->first, a) < std::tie(b->first, b);
  });
  int64_t peak = 0;
  SmallVector<Lifetime *> placed;
  for (Lifetime *lifetime : order) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (Lifetime *other : placed)
      if (lifetime->overlaps(*other))
        taken.push_back({other->address, other->address + other->bytes});
    llvm::sort(taken);
    int64_t address = 0;
    for (auto [begin, end] : taken) {
      if (address + lifetime->bytes <= begin)
        break;
      address = std::max(address, int64_t(llvm::alignTo(end, alignment)));
    }
    lifetime->address = address;
    peak = std::max(peak, address + lifetime->bytes);
    placed.push_back(lifetime);
  }
  for (Lifetime &lifetime : lifetimes)
    lifetime.address = lifetimes[lifetime.place].address;
  return peak;
}

/// Vector tiles are read in blocks.
LogicalResult PlanMemory::checkBox(BufferOp buffer) {
  BufferType type = buffer.getResult().getType();
  if (type.getSpace() != MemorySpace::vec)
    return success();
  int64_t element = type.getElementType().getIntOrFloatBitWidth() / 8;
  bool column = type.getLayout() == Layout::dn;
  int64_t line = (column ? type.getRows() : type.getCols()) * element;
  if (line % ::pl::kBlockBytes == 0)
    return success();
  // More rows are the way out for a single element too: what makes one is a
  // reduction, and it makes a column of several rows.
  column |= type.getCols() == 1;
  return buffer.emitError()
         << "PL045: '" << buffer.getName() << "' " << textOf(type) << " has "
         << (column ? "a column" : "rows") << " of " << line
         << " bytes; vector tiles need multiples of " << ::pl::kBlockBytes
         << ": use " << (column ? "rows" : "columns") << " in multiples of "
         << ::pl::kBlockBytes / element << " and narrow with valid_shape";
}

/// Lists what is live at the fullest point.
void PlanMemory::reportOverflow(KernelOp kernel, ArrayRef<Lifetime> tiles,
                                const ::pl::MemoryDescription &memory) {
  SmallVector<Lifetime> lifetimes; // one for each place
  for (auto [index, lifetime] : llvm::enumerate(tiles))
    if (lifetime.place == index)
      lifetimes.push_back(lifetime);
  int64_t fullest = 0, most = -1;
  for (const Lifetime &at : lifetimes) {
    int64_t bytes = 0;
    for (const Lifetime &other : lifetimes)
      if (other.first <= at.first && at.first <= other.last)
        bytes += llvm::alignTo(other.bytes, memory.alignment);
    if (bytes > most) {
      most = bytes;
      fullest = at.first;
    }
  }
  SmallVector<Lifetime> live;
  for (const Lifetime &lifetime : lifetimes)
    if (lifetime.first <= fullest && fullest <= lifetime.last)
      live.push_back(lifetime);
  llvm::sort(live, [](const Lifetime &a, const Lifetime &b) {
    return std::tie(b.bytes, a.first) < std::tie(a.bytes, b.first);
  });
  Lifetime largest = live.front();
  InFlightDiagnostic diag = largest.buffer.emitError();
  if (largest.bytes > memory.bytes)
    diag << "PL046: tile '" << largest.buffer.getName() << "' "
         << textOf(largest.buffer.getResult().getType()) << " takes "
         << largest.bytes << " bytes of " << memory.name.str() << ", which has "
         << memory.bytes << "; use a smaller tile";
  else
    diag << "PL046: kernel '" << kernel.getSymName() << "' needs " << most
         << " bytes of " << memory.name.str() << " at once, which has "
         << memory.bytes << "; use smaller tiles or fewer stages";
  for (Lifetime &lifetime : live)
    diag.attachNote(lifetime.buffer->getLoc())
        << "live there: '" << lifetime.buffer.getName() << "' "
        << textOf(lifetime.buffer.getResult().getType()) << ", "
        << lifetime.bytes << " bytes";
}

LogicalResult PlanMemory::planSpace(KernelOp kernel, MemorySpace space,
                                    const ::pl::MemoryDescription &memory) {
  // From the plan that lets most overlap to the one that takes least room: a
  // result in the place of a load's target delays the next load.
  struct Plan {
    bool keepStagesApart, reusePlaces, largestFirst;
  };
  static constexpr Plan plans[] = {{true, false, false},  {true, false, true},
                                   {true, true, false},   {true, true, true},
                                   {false, false, false}, {false, false, true},
                                   {false, true, false},  {false, true, true}};
  SmallVector<Lifetime> lifetimes;
  int64_t peak = 0;
  for (const Plan &plan : plans) {
    lifetimes = collect(kernel, space, plan.keepStagesApart);
    if (plan.reusePlaces)
      reusePlaces(kernel, lifetimes);
    peak = place(lifetimes, memory.alignment, plan.largestFirst);
    if (peak <= memory.bytes)
      break;
  }
  if (peak > memory.bytes) {
    reportOverflow(kernel, lifetimes, memory);
    return failure();
  }
  Builder builder(&getContext());
  for (Lifetime &lifetime : lifetimes)
    lifetime.buffer.setAddressAttr(builder.getI64IntegerAttr(lifetime.address));
  if (space == MemorySpace::vec)
    peakVecBytes.updateMax(peak);
  return success();
}

void PlanMemory::runOnOperation() {
  KernelOp kernel = getOperation();
  const ::pl::MachineDescription *description = ::pl::findMachine(machine);
  if (!description) {
    kernel.emitError() << "there is no machine '" << machine << "'";
    return signalPassFailure();
  }
  numberOps(kernel);
  bool failedAny = false;
  kernel.walk([&](BufferOp buffer) { failedAny |= failed(checkBox(buffer)); });
  for (const ::pl::MemoryDescription &memory : description->memories)
    failedAny |=
        failed(planSpace(kernel, *symbolizeMemorySpace(memory.name), memory));
  if (failedAny)
    return signalPassFailure();
  // Views follow their sources; sources come first in the walk.
  Builder builder(&getContext());
  kernel.walk<WalkOrder::PreOrder>([&](BufferViewOp view) {
    Operation *source = view.getSource().getDefiningOp();
    auto base = source->getAttrOfType<IntegerAttr>("address");
    view.setAddressAttr(
        builder.getI64IntegerAttr(base.getInt() + view.getOffset()));
  });
}
