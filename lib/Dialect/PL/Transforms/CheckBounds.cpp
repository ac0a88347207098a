//===- CheckBounds.cpp - No access leaves its tensor ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Undecided.h"

#include "pl/Analysis/AccessRegions.h"
#include "pl/Analysis/DimSamples.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Of larger tiles, one and a bit are too many rows to try every time.
constexpr int64_t kMaxTile = 16;
/// All sizes up to this are tried before one is called always wrong.
constexpr int64_t kMaxSample = 36;
/// The most rows that a program may count on.
constexpr int64_t kManyRows = 1 << 16;
/// As the others of a dim: more than any pitch or width within a tile.
constexpr int64_t kLarge = 512;
/// Scalars of the caller may be anything.
constexpr int64_t kLargeScalar = 4099;
/// Steps that one entry may take.
constexpr int64_t kMaxEntrySteps = 4'000'000;
/// Reports of one function; more are likely to have the same reason.
constexpr unsigned kMaxReports = 8;

/// An op that leaves a tensor for some values of the dims.
struct Suspect {
  Operation *task, *op;
  Value root;
  bool writes;
  int64_t size; ///< all dims, when it was seen
  auto key() const { return std::tuple(op, root.getAsOpaquePointer(), writes); }
};

/// What executing an op showed.
enum class Seen : uint8_t { notRun, inside, outside, unknown };

class BoundsChecker {
public:
  BoundsChecker(func::FuncOp func, DimSamples &samples, bool remarks)
      : func(func), samples(samples), names(samples.getNames()),
        remarks(remarks) {}
  LogicalResult run();
  int64_t numJudged = 0, numUndecided = 0;

private:
  void collect(Operation *task, int64_t size);
  Seen look(const Suspect &suspect, const DimValues &dims, int64_t scalar);
  Seen lookForAllScalars(const Suspect &suspect, const DimValues &dims);
  bool isAlwaysOutside(const Suspect &suspect);
  int64_t tailOf(const Suspect &suspect, StringRef dim);
  Operation *tailHandler(const Suspect &suspect, StringRef dim, int64_t tile);
  void judge(const Suspect &suspect);
  void remark(const Suspect &suspect);
  void report(const Suspect &suspect, StringRef dim, int64_t tile,
              Operation *handler);

  func::FuncOp func;
  DimSamples &samples;
  ArrayRef<StringRef> names;
  llvm::SetVector<Operation *> tasks;
  std::vector<Suspect> suspects;
  std::set<std::tuple<Operation *, void *, bool>> known;
  /// The last place outside that `look` saw.
  std::optional<Touch> witness;
  int64_t steps = kMaxEntrySteps; ///< that are left
  llvm::SmallSetVector<Location, 8> reported;
  bool failedAny = false;
  bool remarks;
  DenseSet<Value> remarked;
};
} // namespace

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

static bool isSure(const Touch &touch) {
  return touch.outside && touch.certain && touch.exact && touch.block;
}

void BoundsChecker::collect(Operation *task, int64_t size) {
  DimValues dims = samples.valuesOf("", 0, size);
  Footprint footprint(func, dims);
  footprint.useValidExtents();
  for (Value scalar : samples.getScalars())
    footprint.assume(scalar, 1);
  footprint.walk(
      task, [](Value) { return true; },
      [&](const Touch &touch) {
        if (!isSure(touch))
          return true;
        Suspect suspect{task, touch.op, touch.root, touch.writes, size};
        if (known.insert(suspect.key()).second)
          suspects.push_back(suspect);
        return true;
      });
  steps -= footprint.stepsOfLastWalk();
}

Seen BoundsChecker::look(const Suspect &suspect, const DimValues &dims,
                         int64_t scalarValue) {
  Footprint footprint(func, dims);
  footprint.useValidExtents();
  for (Value scalar : samples.getScalars())
    footprint.assume(scalar, scalarValue);
  Seen seen = Seen::notRun;
  bool isWhole = footprint.walk(
      suspect.task, [&](Value root) { return root == suspect.root; },
      [&](const Touch &touch) {
        if (touch.op != suspect.op || touch.writes != suspect.writes)
          return true;
        if (isSure(touch)) {
          seen = Seen::outside;
          witness = touch;
          return false;
        }
        if (!touch.ranges || !touch.certain || !touch.exact)
          seen = Seen::unknown;
        else if (seen == Seen::notRun && !touch.ranges->empty())
          seen = Seen::inside;
        return true;
      });
  steps -= footprint.stepsOfLastWalk();
  return isWhole || seen == Seen::outside ? seen : Seen::unknown;
}

static bool isConditional(const Suspect &suspect) {
  for (Operation *around = suspect.op->getParentOp(); around != suspect.task;
       around = around->getParentOp())
    if (isa<scf::IfOp>(around))
      return true;
  return false;
}

/// Outside whatever scalars are; inside, or unknown, for one of them.
Seen BoundsChecker::lookForAllScalars(const Suspect &suspect,
                                      const DimValues &dims) {
  SmallVector<int64_t, 5> values = {1};
  if (!samples.getScalars().empty())
    values = {0, 2, samples.getWholeTile(), kLargeScalar, 1};
  Seen all = Seen::notRun;
  for (int64_t value : values) {
    Seen seen = look(suspect, dims, value);
    if (seen == Seen::inside || seen == Seen::unknown)
      return seen;
    // A branch may leave it out for the values that scalars really have.
    if (seen == Seen::notRun && isConditional(suspect))
      return Seen::unknown;
    if (seen == Seen::outside)
      all = seen;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Judgement
//===----------------------------------------------------------------------===//

/// Whether nothing that is tried keeps the op within its tensor.
bool BoundsChecker::isAlwaysOutside(const Suspect &suspect) {
  int64_t whole = samples.getWholeTile();
  // What runs for whole tiles only may have room for few of them.
  llvm::SetVector<int64_t> sizes;
  for (int64_t size : {whole, int64_t(1), 2 * whole, 3 * whole + 1})
    sizes.insert(size);
  // A fixed number of rows may be there in every run.
  for (int64_t size = 64; size <= kManyRows; size *= 2)
    sizes.insert(size);
  for (StringRef name : names)
    for (int64_t tile : samples.tilesOf(name))
      sizes.insert(tile);
  for (int64_t size = 2; size <= kMaxSample; ++size)
    sizes.insert(size);
  SmallVector<DimValues> tries;
  for (int64_t size : sizes)
    tries.push_back(samples.valuesOf("", 0, size));
  if (names.size() > 1)
    for (StringRef name : names)
      for (int64_t size : {int64_t(1), int64_t(8), whole, 2 * whole}) {
        tries.push_back(samples.valuesOf(name, size, kLarge));
        tries.push_back(samples.valuesOf(name, kLarge, size));
      }
  bool isOutside = false;
  for (const DimValues &dims :
       names.empty() ? ArrayRef(tries).take_front() : ArrayRef(tries)) {
    Seen seen = lookForAllScalars(suspect, dims);
    if (seen == Seen::inside || seen == Seen::unknown || steps < 0)
      return false;
    isOutside |= seen == Seen::outside;
  }
  return isOutside;
}

/// The tile of which `dim` must be a multiple for the op to be right; 0: none.
int64_t BoundsChecker::tailOf(const Suspect &suspect, StringRef dim) {
  auto seenFor = [&](int64_t value) {
    return lookForAllScalars(suspect, samples.valuesOf(dim, value, kLarge));
  };
  for (int64_t tile : samples.tilesOf(dim)) {
    // One row less, or one more, than whole tiles.
    if (seenFor(2 * tile - 1) != Seen::outside ||
        seenFor(tile + 1) != Seen::outside)
      continue;
    if (seenFor(tile) == Seen::inside && seenFor(2 * tile) == Seen::inside &&
        seenFor(3 * tile) == Seen::inside)
      return tile;
  }
  return 0;
}

/// What says in the task itself that `dim` may end within a tile: a guard,
/// which is sure, or a count that is rounded up, which may be of no
/// consequence.
Operation *BoundsChecker::tailHandler(const Suspect &suspect, StringRef dim,
                                      int64_t tile) {
  for (const Guard &guard : samples.guardsOf(dim))
    if (tile % guard.tile == 0 && suspect.task->isAncestor(guard.op))
      return guard.op;
  SmallVector<Value> open;
  for (Operation *around = suspect.op->getParentOp(); around;
       around = around->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(around))
      open.push_back(loop.getUpper());
    if (auto spmd = dyn_cast<SpmdOp>(around))
      open.push_back(spmd.getBlocks());
  }
  llvm::SetVector<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value) || !op || op->getNumRegions())
      continue;
    if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::CeilDivSIOp>(op)) {
      std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
      LinearExpr sum = LinearExpr::of(op->getOperand(0)), rest = sum;
      for (auto [term, coefficient] : sum.getTerms())
        rest = rest - LinearExpr::symbol(term) * coefficient;
      bool roundsUp = isa<arith::CeilDivSIOp>(op) ||
                      (divisor && rest.asConstant() == *divisor - 1);
      if (divisor && *divisor > 1 && tile % *divisor == 0 && roundsUp &&
          samples.dimsOf(value).contains(dim))
        return op;
    }
    llvm::append_range(open, op->getOperands());
  }
  return nullptr;
}

/// "rows 8..15", and "it has 8".
static std::string placeText(const Touch::Outside &outside) {
  std::string numbers = std::to_string(outside.first);
  if (outside.first != outside.last)
    numbers += ".." + std::to_string(outside.last);
  StringRef s = outside.first == outside.last ? "" : "s";
  size_t rank = outside.shape.size();
  if (rank == 1)
    return ("element" + s + " " + numbers).str();
  if (outside.axis + 2 == rank)
    return ("row" + s + " " + numbers).str();
  if (outside.axis + 1 == rank)
    return ("column" + s + " " + numbers).str();
  return numbers + " along axis " + std::to_string(outside.axis);
}

void BoundsChecker::report(const Suspect &suspect, StringRef dim, int64_t tile,
                           Operation *handler) {
  if (!witness || reported.size() >= kMaxReports ||
      !reported.insert(suspect.op->getLoc()))
    return;
  const Touch::Outside &outside = *witness->outside;
  bool isMany = outside.first != outside.last;
  std::string shape;
  for (int64_t extent : outside.shape)
    shape += (shape.empty() ? "[" : ", ") + std::to_string(extent);
  shape += "]";
  bool isError = !handler || isa<arith::MinSIOp>(handler);
  failedAny |= isError;
  InFlightDiagnostic diag =
      isError ? suspect.op->emitError() : suspect.op->emitWarning();
  diag << "PL114: ";
  diag << placeText(outside) << " of ";
  if (outside.isView)
    diag << "a view " << shape << " of ";
  if (witness->isRemote)
    diag << "the window ";
  diag << "'" << nameOf(suspect.root) << "' ";
  if (!outside.isView && outside.shape.size() > 1)
    diag << shape << " ";
  diag << (isMany ? "are " : "is ")
       << (witness->atomic   ? "added to"
           : witness->writes ? "written"
                             : "read")
       << " here";
  if (!dim.empty())
    diag << " when " << dim << " is " << tile + 1;
  diag << ", but "
       << (outside.isView      ? "the view"
           : witness->isRemote ? "the window"
                               : "it")
       << " has " << outside.shape[outside.axis];
  if (!dim.empty())
    diag << "; none is outside when it is a multiple of " << tile
         << ": say how many rows are there, valid_shape=[pl.min(" << tile
         << ", " << dim << " - first row), ...], or clamp the last tile";
  else if (!names.empty() || !samples.getScalars().empty())
    diag << ", whatever dims and scalars are";
  if (handler)
    diag.attachNote(handler->getLoc())
        << dim << " may be no multiple of " << tile << ": here "
        << (isError ? "a part of a tile is taken care of"
                    : "a part of a tile counts as one");
  Location made = suspect.root.getLoc();
  if (made != suspect.op->getLoc())
    diag.attachNote(made) << "'" << nameOf(suspect.root) << "' is "
                          << (isa<BlockArgument>(suspect.root) ? "declared"
                                                               : "made")
                          << " here";
}

void BoundsChecker::judge(const Suspect &suspect) {
  ++numJudged;
  if (isAlwaysOutside(suspect)) {
    // The smallest sizes that show it.
    if (look(suspect, samples.valuesOf("", 0, 1), 1) != Seen::outside)
      look(suspect, samples.valuesOf("", 0, samples.getWholeTile()), 1);
    return report(suspect, "", 0, nullptr);
  }
  for (StringRef dim : names) {
    if (steps < 0)
      break;
    int64_t tile = tailOf(suspect, dim);
    if (!tile)
      continue;
    Operation *handler = tailHandler(suspect, dim, tile);
    if (handler &&
        lookForAllScalars(suspect, samples.valuesOf(dim, tile + 1, kLarge)) ==
            Seen::outside)
      return report(suspect, dim, tile, handler);
  }
  ++numUndecided;
  remark(suspect);
}

/// That places outside are touched for some sizes; once for each tensor.
void BoundsChecker::remark(const Suspect &suspect) {
  if (!remarks || !remarked.insert(suspect.root).second ||
      look(suspect, samples.valuesOf("", 0, suspect.size), 1) != Seen::outside)
    return;
  std::string why = placeText(*witness->outside);
  why += witness->outside->first == witness->outside->last ? " is touched"
                                                           : " are touched";
  StringRef separator = " when ";
  for (StringRef name : names) {
    why += (separator + name + " is " + Twine(suspect.size)).str();
    separator = " and ";
  }
  emitUndecided(suspect.op->getLoc(),
                "whether this stays inside '" + Twine(nameOf(suspect.root)) +
                    "'",
                why + ", but not for all sizes");
}

LogicalResult BoundsChecker::run() {
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<AtOp, SpmdOp>(op))
      return WalkResult::advance();
    tasks.insert(op);
    return WalkResult::skip();
  });
  int64_t tile = 1;
  for (StringRef name : names)
    for (int64_t one : samples.tilesOf(name))
      if (one <= kMaxTile)
        tile = std::max(tile, one);
  SmallVector<int64_t, 2> sizes = {1};
  if (tile > 1)
    sizes.push_back(tile + 1);
  for (Operation *task : tasks)
    for (int64_t size : sizes)
      if (steps > 0)
        collect(task, size);
  for (const Suspect &suspect : suspects)
    if (steps > 0)
      judge(suspect);
  if (steps <= 0 && remarks)
    emitUndecided(func.getLoc(),
                  "whether all that '" + func.getName() +
                      "' touches is inside of its tensors",
                  "its tasks have too many blocks and steps to follow");
  return failure(failedAny);
}

namespace {
struct CheckBounds : mlir::pl::impl::CheckBoundsBase<CheckBounds> {
  using CheckBoundsBase::CheckBoundsBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!isOrchestration(getOperation()))
      return;
    BoundsChecker checker(getOperation(), getAnalysis<DimSamples>(), remarks);
    if (failed(checker.run()))
      signalPassFailure();
    numJudged += checker.numJudged;
    numUndecided += checker.numUndecided;
  }
};
} // namespace
