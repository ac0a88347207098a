//===- CheckWindows.cpp - What ranks exchange is there to be read ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLaunches.h"

#include "Undecided.h"
#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/DimSamples.h"
#include "pl/Analysis/LinearExpr.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKWINDOWS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// More ranks are not executed.
constexpr int64_t kMaxRanks = 8;
/// Tiles of more rows are not tried.
constexpr int64_t kMaxTile = 32;
/// Up to this, one dim may be a multiple of another.
constexpr int64_t kMaxOdd = 8;
/// Steps that the programs of one host program may take.
constexpr int64_t kMaxSteps = 6'000'000;
constexpr unsigned kMaxReports = 4;

/// A tensor of one rank: a window, by its buffer, or one of an instance.
using Place = std::pair<int64_t, Value>;

/// What one set of dims makes of all tensors.
struct Contents {
  ElementSet written;
  bool anyWrite = false; ///< of elements that are not known
};

struct Read {
  Place place;
  std::pair<int64_t, int64_t> first, box;
  int64_t rowElements = 1, rows = 1;
  int64_t reader = 0; ///< its rank
};

/// What is wrong with the executions of an op for one set of dims.
struct Findings {
  /// Reads of elements that nobody writes, the first of each op.
  llvm::MapVector<Operation *, Read> lost;
  /// Ranks that are not there.
  llvm::MapVector<Operation *, std::pair<int64_t, Value>> peers;
  llvm::DenseSet<Operation *> executed;
};

class WindowChecker {
public:
  WindowChecker(ArrayRef<Instance> instances, std::optional<int64_t> world)
      : instances(instances), world(world) {}
  bool run();
  int64_t numChecked = 0;
  bool gaveUp = false;

private:
  bool findAll(StringRef dim, int64_t size, int64_t others, int64_t scalar,
               Findings &findings);
  bool isCounted(func::FuncOp program, Operation *op);
  DimSamples &samplesOf(func::FuncOp program);
  void reportLost(Operation *op, const Read &read);
  void reportPeer(Operation *op, int64_t peer);

  ArrayRef<Instance> instances;
  std::optional<int64_t> world;
  llvm::MapVector<Operation *, std::unique_ptr<DimSamples>> samples;
  DenseMap<Operation *, bool> counted;
  /// Writes of each place, for the notes.
  llvm::MapVector<Value, llvm::SetVector<Operation *>> writers;
  /// Windows, by their buffers, and tensors that matter; all if there is none.
  DenseSet<Value> only;
  int64_t steps = kMaxSteps;
};
} // namespace

static bool isWindow(Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  return type && isa_and_nonnull<WindowAttr>(type.getMemorySpace());
}

DimSamples &WindowChecker::samplesOf(func::FuncOp program) {
  std::unique_ptr<DimSamples> &made = samples[program];
  if (!made)
    made = std::make_unique<DimSamples>(program);
  return *made;
}

/// Whether a number that the run knows says how many rows `op` touches: itself,
/// or in the loops and grids around it. Others may read padding.
bool WindowChecker::isCounted(func::FuncOp program, Operation *op) {
  auto [found, isNew] = counted.try_emplace(op, false);
  if (!isNew)
    return found->second;
  SmallVector<Value> open;
  if (auto load = dyn_cast<LoadOp>(op))
    llvm::append_range(open, load.getValid());
  else if (auto load = dyn_cast<RemoteLoadOp>(op))
    llvm::append_range(open, load.getValid());
  else if (auto put = dyn_cast<PutOp>(op))
    llvm::append_range(open, put.getSizes());
  else if (auto get = dyn_cast<GetOp>(op))
    llvm::append_range(open, get.getSizes());
  for (Operation *around = op->getParentOp(); around != program;
       around = around->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(around))
      open.push_back(loop.getUpper());
    else if (auto spmd = dyn_cast<SpmdOp>(around))
      open.push_back(spmd.getBlocks());
  }
  DenseSet<Value> seen;
  bool result = false;
  while (!open.empty() && !result) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    result = llvm::is_contained(samplesOf(program).getScalars(), value) ||
             !samplesOf(program).dimsOf(value).empty();
    if (Operation *def = value.getDefiningOp(); def && !def->getNumRegions())
      for (Value operand : def->getOperands())
        if (operand.getType().isIntOrIndex())
          open.push_back(operand);
  }
  return counted[op] = result;
}

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

/// False: there is too much to execute.
bool WindowChecker::findAll(StringRef dim, int64_t size, int64_t others,
                            int64_t scalar, Findings &findings) {
  std::map<std::pair<int64_t, void *>, Contents> contents;
  std::vector<std::pair<Operation *, Read>> reads;
  auto contentsOf = [&](const Place &place) -> Contents & {
    return contents[{place.first, place.second.getAsOpaquePointer()}];
  };
  for (size_t number = 0; number < instances.size(); ++number) {
    const Instance &instance = instances[number];
    func::FuncOp program = instance.program;
    DimValues dims = samplesOf(program).valuesOf(dim, size, others);
    Footprint footprint(program, dims);
    footprint.useValidExtents();
    for (Value value : samplesOf(program).getScalars())
      footprint.assume(value, scalar);
    for (auto [value, known] : instance.scalars)
      footprint.assume(value, known);
    if (world)
      footprint.assumeRank(instance.rank, *world);
    // Tensors of its own are the same on each rank that runs a program.
    bool isFirst = number == 0 || instances[number - 1].program != program;
    auto isWanted = [&](Value root) {
      auto buffer = instance.buffers.find(root);
      bool isBuffer = buffer != instance.buffers.end();
      auto alloc = root.getDefiningOp<AllocOp>();
      if (!isBuffer && (!isFirst || !alloc || alloc->hasAttr("pl.init_value")))
        return false;
      return only.empty() || only.contains(isBuffer ? buffer->second : root);
    };
    auto placeOf = [&](const Touch &touch) -> std::optional<Place> {
      if (!isWindow(touch.root)) {
        if (touch.root.getDefiningOp<AllocOp>())
          return Place(-1 - int64_t(number), touch.root);
        return std::nullopt;
      }
      auto buffer = instance.buffers.find(touch.root);
      if (buffer == instance.buffers.end())
        return std::nullopt;
      if (!touch.isRemote)
        return Place(instance.rank, buffer->second);
      if (touch.peer)
        return Place(*touch.peer, buffer->second);
      return std::nullopt;
    };
    auto onTouch = [&](const Touch &touch) {
      if (touch.certain)
        findings.executed.insert(touch.op);
      if (touch.isRemote && touch.peer && world && touch.certain &&
          (*touch.peer < 0 || *touch.peer >= *world))
        findings.peers.insert(
            {touch.op, {*touch.peer, instance.buffers.lookup(touch.root)}});
      std::optional<Place> place = placeOf(touch);
      if (!place) {
        // It may be the window of any rank.
        if (touch.isRemote && touch.writes)
          for (int64_t rank = 0; world && rank < *world; ++rank)
            contentsOf({rank, instance.buffers.lookup(touch.root)}).anyWrite =
                true;
        return true;
      }
      if (touch.writes) {
        Contents &state = contentsOf(*place);
        state.anyWrite |= !touch.ranges;
        if (touch.ranges)
          for (auto [begin, end] : *touch.ranges)
            state.written.insert(begin, end);
        writers[place->second].insert(touch.op);
        return true;
      }
      bool isData = !isa<WaitOp, DeferWaitOp>(touch.op);
      if (!isData || !touch.certain || !touch.ranges || touch.ranges->empty() ||
          touch.outside || !isCounted(program, touch.op))
        return true;
      std::optional<SmallVector<int64_t>> shape = footprint.shapeOf(touch.root);
      if (!shape || shape->empty())
        return true;
      Read read{*place,
                touch.ranges->front(),
                {touch.ranges->front().first, touch.ranges->back().second}};
      for (int64_t extent : ArrayRef<int64_t>(*shape).drop_front())
        read.rowElements *= std::max<int64_t>(extent, 1);
      read.rows = shape->front();
      read.reader = instance.rank;
      reads.push_back({touch.op, read});
      return true;
    };
    bool good = true;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<AtOp, SpmdOp>(op))
        return WalkResult::advance();
      good &= footprint.walk(op, isWanted, onTouch);
      steps -= footprint.stepsOfLastWalk();
      good &= steps > 0;
      return good ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (!good)
      return false;
  }
  for (auto &[op, read] : reads) {
    // What nothing writes at all is the front end's concern.
    if (!writers.contains(read.place.second))
      continue;
    Contents &state = contentsOf(read.place);
    if (state.anyWrite)
      continue;
    auto missing = state.written.firstMissing(read.box.first, read.box.second);
    if (missing && missing->first == read.box.first &&
        missing->second >= read.box.second)
      findings.lost.insert({op, read});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Judgement
//===----------------------------------------------------------------------===//

bool WindowChecker::run() {
  Findings first;
  if (!findAll("", 1, 1, 1, first)) {
    gaveUp = true;
    return true;
  }
  numChecked += first.executed.size();
  if (first.lost.empty() && first.peers.empty())
    return true;
  // Few and odd, and whole tiles; tokens of a rank, or of all of them.
  llvm::SmallSetVector<int64_t, 8> sizes;
  llvm::SmallSetVector<StringRef, 4> names;
  for (int64_t size : {2, 5})
    sizes.insert(size);
  for (const Instance &instance : instances)
    for (StringRef name : samplesOf(instance.program).getNames()) {
      names.insert(name);
      for (int64_t tile : samplesOf(instance.program).tilesOf(name))
        if (tile <= kMaxTile)
          sizes.insert(tile);
    }
  auto narrow = [&](StringRef dim, int64_t size, int64_t others,
                    int64_t scalar) {
    Findings found;
    only.clear();
    for (auto &entry : first.lost)
      only.insert(entry.second.place.second);
    for (auto &entry : first.peers)
      only.insert(entry.second.second);
    if (!findAll(dim, size, others, scalar, found)) {
      gaveUp = true;
      return;
    }
    auto isRight = [&](const auto &entry, const auto &list) {
      return found.executed.contains(entry.first) &&
             !list.contains(entry.first);
    };
    first.lost.remove_if(
        [&](const auto &entry) { return isRight(entry, found.lost); });
    first.peers.remove_if(
        [&](const auto &entry) { return isRight(entry, found.peers); });
  };
  for (int64_t size : sizes)
    for (int64_t scalar : {size, int64_t(1)}) {
      if (gaveUp || (first.lost.empty() && first.peers.empty()))
        return true;
      narrow("", 0, size, scalar);
      // Larger ones may be more than the buffers of the program hold.
      if (names.size() > 1 && size <= kMaxOdd)
        for (StringRef name : names) {
          narrow(name, size, world.value_or(2) * size, scalar);
          narrow(name, world.value_or(2) * size, size, scalar);
        }
    }
  if (gaveUp)
    return true;
  unsigned reports = 0;
  llvm::SmallDenseSet<Value> told;
  for (auto &[op, peer] : first.peers)
    if (reports++ < kMaxReports)
      reportPeer(op, peer.first);
  for (auto &[op, read] : first.lost)
    // One reason is enough for a tensor.
    if (told.insert(read.place.second).second && reports++ < kMaxReports)
      reportLost(op, read);
  return first.peers.empty() && first.lost.empty();
}

void WindowChecker::reportPeer(Operation *op, int64_t peer) {
  op->emitError() << "PL115: this reaches rank " << peer << ", but there "
                  << (*world == 1 ? "is " : "are ") << *world
                  << (*world == 1 ? " rank" : " ranks")
                  << ": how the parts are shared out to ranks is computed "
                     "from another number of them";
}

void WindowChecker::reportLost(Operation *op, const Read &read) {
  Value root = read.place.second;
  int64_t firstRow = read.box.first / read.rowElements;
  int64_t lastRow = (read.box.second - 1) / read.rowElements;
  auto buffer = root.getDefiningOp<AllocWindowOp>();
  std::string name = buffer ? buffer.getName().str() : nameOf(root);
  InFlightDiagnostic diag = op->emitError() << "PL115: ";
  if (firstRow == lastRow)
    diag << "row " << firstRow << " of ";
  else
    diag << "rows " << firstRow << ".." << lastRow << " of ";
  bool isShared = read.place.first >= 0;
  diag << (isShared ? "the window '" : "'") << name << "' "
       << (firstRow == lastRow ? "is" : "are") << " read here";
  if (isShared)
    diag << " on rank " << read.reader;
  diag
      << ", but " << (isShared ? "no rank ever writes " : "no task writes ")
      << (firstRow == lastRow ? "it" : "them")
      << ", however many rows there are: the parts of '" << name
      << "' are laid out in two ways; compute where a part begins in one place";
  for (Operation *writer :
       llvm::ArrayRef(writers[root].getArrayRef().take_front(2)))
    diag.attachNote(writer->getLoc()) << "'" << name << "' is written here";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
constexpr StringLiteral kQuestion =
    "whether what ranks read of windows and of each other is written";

struct CheckWindows : mlir::pl::impl::CheckWindowsBase<CheckWindows> {
  using CheckWindowsBase::CheckWindowsBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    SymbolTable functions(getOperation());
    DenseSet<Operation *> launched;
    bool good = true;
    auto check = [&](ArrayRef<Instance> instances,
                     std::optional<int64_t> world) {
      WindowChecker checker(instances, world);
      good &= checker.run();
      numChecked += checker.numChecked;
      numUndecided += checker.gaveUp;
      if (checker.gaveUp && remarks)
        emitUndecided(func::FuncOp(instances.front().program).getLoc(),
                      kQuestion,
                      "the programs have too many blocks and steps to follow");
    };
    for (auto host : getOperation().getOps<func::FuncOp>()) {
      if (!isHost(host))
        continue;
      std::optional<int64_t> world = worldOf(host);
      std::vector<Instance> instances;
      bool isKnown = world && *world <= kMaxRanks && hasOneViewEach(host);
      bool launches = false;
      host.walk([&](DispatchOp launch) {
        launches = true;
        auto program = functions.lookup<func::FuncOp>(launch.getCallee());
        isKnown = isKnown && program && !program.isDeclaration() &&
                  addInstances(launch, program, *world, instances);
        if (program)
          launched.insert(program);
      });
      if (launches && isKnown)
        check(instances, world);
      else
        numUndecided += launches;
      if (launches && !isKnown && remarks)
        emitUndecided(host.getLoc(), kQuestion,
                      !world ? "the number of ranks is known to the run only"
                      : *world > kMaxRanks
                          ? "there are too many ranks to follow"
                          : "a launch depends on data, or a window has two "
                            "shapes");
    }
    // Programs that no host program launches.
    for (auto program : getOperation().getOps<func::FuncOp>()) {
      if (!isOrchestration(program) || launched.contains(program) ||
          program.isDeclaration())
        continue;
      Instance instance;
      instance.program = program;
      check(instance, std::nullopt);
    }
    if (!good)
      signalPassFailure();
  }
};
} // namespace
