//===- CheckLaunches.cpp - Sizes that a host program pins -----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Dialect/PL/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pl {
#define GEN_PASS_DEF_CHECKLAUNCHES
#include "pl/Dialect/PL/Transforms/Passes.h.inc"
} // namespace mlir::pl

using namespace mlir;
using namespace mlir::pl;

namespace {
/// Where one axis of an argument of a launch gets its extent from: an axis of a
/// parameter of the host program.
struct Source {
  BlockArgument host; ///< null: not an axis of a parameter
  int64_t hostAxis = 0;
  BlockArgument callee;
  int64_t calleeAxis = 0;
  int64_t extent =
      ShapedType::kDynamic; ///< what the parameter is declared with
  StringRef dim;            ///< or the name of its dim
};

/// Of a launch: by the dims of the program.
using Dims = llvm::MapVector<StringRef, SmallVector<Source, 2>>;

struct CheckLaunches : mlir::pl::impl::CheckLaunchesBase<CheckLaunches> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SymbolTable functions(getOperation());
    bool good = true;
    for (auto host : getOperation().getOps<func::FuncOp>()) {
      if (!isHost(host))
        continue;
      reported.clear();
      host.walk([&](DispatchOp launch) {
        auto program = functions.lookup<func::FuncOp>(launch.getCallee());
        if (program && !program.isDeclaration()) {
          good &= check(launch, program);
          good &= checkAliases(launch, program);
        }
      });
    }
    if (!good)
      signalPassFailure();
  }

private:
  bool check(DispatchOp launch, func::FuncOp program);
  bool checkAliases(DispatchOp launch, func::FuncOp program);
  bool checkDim(func::FuncOp program, StringRef dim, ArrayRef<Source> sources,
                bool bindsOthers);
  void checkOneForTwo(func::FuncOp program, StringRef dim,
                      ArrayRef<Source> sources, const Dims &dims);

  /// One program may be launched many times.
  llvm::SmallDenseSet<std::pair<Value, int64_t>> reported;
};
} // namespace

/// The name of the dim that a scalar of a host program is; empty if it is none.
static StringRef dimNameOf(Value value) {
  if (auto bound = value.getDefiningOp<BindDimOp>())
    return bound.getName();
  auto extent = value.getDefiningOp<memref::DimOp>();
  auto argument =
      extent ? dyn_cast<BlockArgument>(extent.getSource()) : BlockArgument();
  std::optional<int64_t> axis =
      extent ? extent.getConstantIndex() : std::optional<int64_t>();
  DimAttr name = argument && axis ? dimOf(argument, *axis) : DimAttr();
  return name ? name.getName() : StringRef();
}

/// The axis of a parameter that `axis` of a tensor is all of.
static Source sourceOf(Value tensor, int64_t axis) {
  Source source;
  while (auto view = tensor.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    unsigned from = 0;
    for (int64_t kept = -1; from < dropped.size(); ++from)
      if (!dropped.test(from) && ++kept == axis)
        break;
    OpFoldResult size = view.getMixedSizes()[from];
    if (auto value = dyn_cast<Value>(size)) {
      source.dim = dimNameOf(value);
    } else if (cast<IntegerAttr>(cast<Attribute>(size)).getInt() !=
               view.getSourceType().getDimSize(from)) {
      return Source(); // the program takes a part of its choice
    }
    axis = from;
    tensor = view.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return Source();
  source.host = argument;
  source.hostAxis = axis;
  source.extent = cast<MemRefType>(argument.getType()).getDimSize(axis);
  if (DimAttr name = dimOf(argument, axis); name && source.dim.empty())
    source.dim = name.getName();
  return source;
}

static std::string axisOf(BlockArgument argument, int64_t axis) {
  return "axis " + std::to_string(axis) + " of '" + nameOf(argument) + "'";
}

static void noteHost(InFlightDiagnostic &diag, const Source &source) {
  diag.attachNote(source.host.getLoc())
      << "'" << nameOf(source.host) << "' is declared here";
}

static void noteCallee(InFlightDiagnostic &diag, const Source &source,
                       func::FuncOp program) {
  diag.attachNote(source.callee.getLoc())
      << axisOf(source.callee, source.calleeAxis) << " of '"
      << program.getName() << "' is declared here";
}

bool CheckLaunches::checkDim(func::FuncOp program, StringRef dim,
                             ArrayRef<Source> sources, bool bindsOthers) {
  auto isPinned = [](const Source &source) {
    return !ShapedType::isDynamic(source.extent);
  };
  const Source *fixed = llvm::find_if(sources, isPinned);
  if (fixed == sources.end()) {
    // Two names for one dim: the run compares them. One of them may be right.
    const Source *right = llvm::find_if(
        sources, [&](const Source &source) { return source.dim == dim; });
    if (right == sources.end())
      right = sources.begin();
    for (const Source &other : sources) {
      if (other.dim == right->dim || other.dim.empty() || right->dim.empty() ||
          !reported.insert({other.host, other.hostAxis}).second)
        continue;
      InFlightDiagnostic diag = mlir::emitWarning(other.host.getLoc());
      diag << "PL113: " << axisOf(other.host, other.hostAxis) << " is '"
           << other.dim << "' and " << axisOf(right->host, right->hostAxis)
           << " is '" << right->dim << "', but '" << program.getName()
           << "' has one dim '" << dim
           << "' for both: tensors in which they differ are refused only when "
              "they come; write one dim for both";
      noteHost(diag, *right);
      noteCallee(diag, other, program);
    }
    return true;
  }
  if (!bindsOthers || !reported.insert({fixed->host, fixed->hostAxis}).second)
    return true;
  const Source *open = llvm::find_if_not(sources, isPinned);
  // Another tensor says that the extent comes with the tensors.
  bool isWrong = open != sources.end();
  InFlightDiagnostic diag = isWrong ? mlir::emitError(fixed->host.getLoc())
                                    : mlir::emitWarning(fixed->host.getLoc());
  diag << "PL113: " << axisOf(fixed->host, fixed->hostAxis) << " is always "
       << fixed->extent << " here, but '" << program.getName()
       << "' leaves it open as its dim '" << dim << "'";
  if (isWrong)
    diag << ", which " << axisOf(open->host, open->hostAxis)
         << " gives another value whenever it is not " << fixed->extent;
  else
    diag << ": tensors of any other size are refused, and the dim is bound to "
            "no extent of a run";
  diag << "; write the dim instead of " << fixed->extent
       << (isWrong ? ""
                   : ", or the number in the program if there is no other");
  if (isWrong)
    noteHost(diag, *open);
  noteCallee(diag, *fixed, program);
  return !isWrong;
}

/// A dim of the host program, by the name of one of the program, for another.
void CheckLaunches::checkOneForTwo(func::FuncOp program, StringRef dim,
                                   ArrayRef<Source> sources, const Dims &dims) {
  for (const Source &source : sources) {
    auto same = dims.find(source.dim);
    if (source.dim.empty() || source.dim == dim || same == dims.end())
      continue;
    const Source *other =
        llvm::find_if(same->second, [&](const Source &candidate) {
          return candidate.dim == source.dim;
        });
    if (other == same->second.end() ||
        !reported.insert({source.host, source.hostAxis}).second)
      continue;
    InFlightDiagnostic diag = mlir::emitWarning(source.host.getLoc());
    diag << "PL113: " << axisOf(source.host, source.hostAxis) << " is '"
         << source.dim << "' here, as " << axisOf(other->host, other->hostAxis)
         << " is, but '" << program.getName()
         << "' has a dim of its own for it, '" << dim
         << "': tensors in which the two differ are refused; write '" << dim
         << "'";
    noteHost(diag, *other);
    noteCallee(diag, source, program);
  }
}

/// Whether two arguments are the same elements. Two windows of one buffer are
/// left to the simulator: signals may well have two names.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  auto view = a.getDefiningOp<memref::SubViewOp>(),
       second = b.getDefiningOp<memref::SubViewOp>();
  return view && second && isSame(view.getSource(), second.getSource()) &&
         view.getMixedOffsets() == second.getMixedOffsets() &&
         view.getMixedSizes() == second.getMixedSizes() &&
         view.getMixedStrides() == second.getMixedStrides();
}

/// Edges are derived by tensor: two parameters of a program share no elements.
bool CheckLaunches::checkAliases(DispatchOp launch, func::FuncOp program) {
  bool good = true;
  auto isWritten = [&](unsigned index) {
    auto direction =
        program.getArgAttrOfType<DirectionAttr>(index, PLDialect::kDirection);
    return direction && direction.getValue() != Direction::in;
  };
  OperandRange args = launch.getArgs();
  for (unsigned first = 0; first < args.size(); ++first)
    for (unsigned second = first + 1; second < args.size(); ++second) {
      if (!isa<MemRefType>(args[first].getType()) ||
          !isSame(args[first], args[second]) ||
          (!isWritten(first) && !isWritten(second)) ||
          !reported.insert({program.getArgument(first), -1 - int64_t(second)})
               .second)
        continue;
      BlockArgument a = program.getArgument(first),
                    b = program.getArgument(second);
      good = false;
      InFlightDiagnostic diag =
          launch.emitError()
          << "PL117: '" << nameOf(a) << "' and '" << nameOf(b) << "' of '"
          << program.getSymName() << "' are given the same tensor, and '"
          << nameOf(isWritten(second) ? b : a)
          << "' is written: tasks on two parameters are not ordered; give it "
             "once, or a copy of it";
      diag.attachNote(a.getLoc()) << "'" << nameOf(a) << "' is declared here";
      diag.attachNote(b.getLoc()) << "'" << nameOf(b) << "' is declared here";
    }
  return good;
}

bool CheckLaunches::check(DispatchOp launch, func::FuncOp program) {
  Dims dims;
  bool bindsOthers = false;
  for (auto [parameter, value] :
       llvm::zip_equal(program.getArguments(), launch.getArgs())) {
    auto type = dyn_cast<MemRefType>(parameter.getType());
    // The host program itself makes windows as large as it likes.
    if (!type || isa_and_nonnull<WindowAttr>(type.getMemorySpace()))
      continue;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      DimAttr name = dimOf(parameter, axis);
      if (!name)
        continue;
      Source source = sourceOf(value, axis);
      if (!source.host)
        continue;
      ++numChecked;
      source.callee = parameter;
      source.calleeAxis = axis;
      bindsOthers |= ShapedType::isDynamic(source.extent);
      dims[name.getName()].push_back(source);
    }
  }
  bool good = true;
  for (auto &[dim, sources] : dims)
    good &= checkDim(program, dim, sources, bindsOthers);
  for (auto &[dim, sources] : dims)
    checkOneForTwo(program, dim, sources, dims);
  return good;
}
