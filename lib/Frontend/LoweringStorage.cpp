//===- LoweringStorage.cpp - names that stand for one tile ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringStorage.h"
#include "LoweringCarries.h"

#include "pl/Frontend/Interpreter.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace pl::frontend;

void pl::frontend::giveStorage(DslValue &value) {
  if (value.isTile() && !value.tensor)
    value.tensor = std::make_shared<TensorRef>();
  for (DslValue &element : value.elements)
    giveStorage(element);
}

bool pl::frontend::isSameStorage(const DslValue &a, const DslValue &b) {
  return a.isTile() && b.isTile() && a.tensor && a.tensor == b.tensor &&
         a.value == b.value;
}

static bool isBound(const Binding &binding) {
  return binding.state == Binding::State::Bound;
}

/// Calls `visit` for each tile that a value is or holds.
static void forEachTile(DslValue &value,
                        llvm::function_ref<void(DslValue &)> visit) {
  if (value.isTile())
    visit(value);
  for (DslValue &element : value.elements)
    forEachTile(element, visit);
}

SmallVector<Identifier> pl::frontend::getPartners(FunctionLowering &f,
                                                  Identifier name) {
  SmallVector<Identifier> partners;
  auto found = f.env.find(name);
  if (found == f.env.end() || !isBound(found->second) ||
      !found->second.value.isTile())
    return partners;
  for (auto &[other, binding] : f.env)
    if (other != name && isBound(binding) &&
        isSameStorage(binding.value, found->second.value))
      partners.push_back(other);
  llvm::sort(partners, [&](Identifier a, Identifier b) {
    SourceRange x = f.env[a].range, y = f.env[b].range;
    return std::pair(x.buffer, x.begin) < std::pair(y.buffer, y.begin);
  });
  return partners;
}

//===----------------------------------------------------------------------===//
// What may be one tile
//===----------------------------------------------------------------------===//

static bool isTerminated(mlir::Region &region) {
  return !region.empty() && !region.back().empty() &&
         region.back().back().hasTrait<mlir::OpTrait::IsTerminator>();
}

/// Values whose memory `value` may be: through loops, branches and views. A
/// loop that is being made has its initial values only.
static llvm::SmallPtrSet<mlir::Value, 8> getOrigins(mlir::Value value) {
  llvm::SmallPtrSet<mlir::Value, 8> seen;
  SmallVector<mlir::Value> work{value};
  constexpr size_t kMaxOrigins = 256;
  while (!work.empty() && seen.size() < kMaxOrigins) {
    mlir::Value next = work.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(next);
    mlir::Operation *op =
        argument ? argument.getOwner()->getParentOp() : next.getDefiningOp();
    if (auto loop = mlir::dyn_cast_or_null<mlir::LoopLikeOpInterface>(op)) {
      // A result is what the last turn left in the argument of the body.
      if (!argument) {
        work.push_back(
            loop.getTiedLoopRegionIterArg(mlir::cast<mlir::OpResult>(next)));
        continue;
      }
      if (mlir::OpOperand *init = loop.getTiedLoopInit(argument))
        work.push_back(init->get());
      if (llvm::all_of(loop.getLoopRegions(), [](mlir::Region *region) {
            return isTerminated(*region);
          }))
        if (mlir::OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
          work.push_back(yielded->get());
    } else if (auto branch = mlir::dyn_cast_or_null<mlir::scf::IfOp>(op)) {
      unsigned index = mlir::cast<mlir::OpResult>(next).getResultNumber();
      work.push_back(branch.thenYield().getOperand(index));
      work.push_back(branch.elseYield().getOperand(index));
    } else if (mlir::isa_and_nonnull<ir::ReshapeOp, ir::SetValidOp>(op)) {
      work.push_back(op->getOperand(0));
    }
  }
  return seen;
}

static bool mayShare(mlir::Value a, mlir::Value b) {
  llvm::SmallPtrSet<mlir::Value, 8> origins = getOrigins(a);
  return llvm::any_of(getOrigins(b), [&](mlir::Value origin) {
    return origins.contains(origin);
  });
}

void pl::frontend::bindWritten(FunctionLowering &f, Identifier name,
                               DslValue value, SourceRange range) {
  auto found = f.env.find(name);
  DslValue old = found == f.env.end() ? DslValue() : found->second.value;
  f.bindName(name, std::move(value), range);
  DslValue now = f.env[name].value;
  if (!old.isTile() || !now.isTile() || old.value == now.value)
    return;
  now.tensor = f.env[name].value.tensor = old.tensor;
  // The first in the text of those that may be the same.
  std::pair<Identifier, SourceRange> doubtful;
  for (auto &[other, binding] : f.env) {
    if (other == name || !isBound(binding))
      continue;
    bool isDoubtful = false;
    forEachTile(binding.value, [&](DslValue &tile) {
      if (isSameStorage(tile, old))
        tile.value = now.value;
      else if (tile.tensor == old.tensor && tile.value != now.value)
        isDoubtful |= mayShare(tile.value, old.value);
    });
    SourceRange first = doubtful.second;
    if (isDoubtful && f.isReadAfter(other) &&
        (!first.isValid() ||
         std::pair(binding.range.buffer, binding.range.begin) <
             std::pair(first.buffer, first.begin)))
      doubtful = {other, binding.range};
  }
  if (!doubtful.second.isValid())
    return;
  StringRef text = doubtful.first;
  f.error(DiagCode::SubscriptWrite, range,
          "this writes into the tile of '" + name.str() +
              "', which may be that of '" + text + "' too, and '" + text +
              "' is read later")
      .note(doubtful.second, "'" + text +
                                 "' is bound here; bind it after the write, or "
                                 "to a tile of its own");
}

//===----------------------------------------------------------------------===//
// Names of one tile in loops
//===----------------------------------------------------------------------===//

void CarryingLoop::bindFollowers() {
  for (const Follower &follower : followers) {
    Binding binding = follower.before;
    binding.value = f.env[follower.leader].value;
    f.env[follower.name] = std::move(binding);
  }
}

/// A follower that the body gives another tile is carried by itself.
bool CarryingLoop::reviseFollowers(const End &end) {
  size_t count = followers.size();
  llvm::erase_if(followers, [&](const Follower &follower) {
    const Binding &now = (*end.env)[follower.name];
    const Binding &leader = (*end.env)[follower.leader];
    if (now.value.isError() || leader.value.isError() ||
        (now.state == Binding::State::Bound &&
         leader.state == Binding::State::Bound &&
         isSameStorage(now.value, leader.value)))
      return false;
    Carry carry;
    carry.name = follower.name;
    carry.before = follower.before;
    carry.form = getForm(f, carry.before.value, nullptr);
    carries.push_back(std::move(carry));
    return true;
  });
  return followers.size() != count;
}

//===----------------------------------------------------------------------===//
// Tiles of callers
//===----------------------------------------------------------------------===//

/// No name of a program has a star.
static Identifier getWatchName(FunctionLowering &f, Identifier name) {
  return f.module.session.getInterpreter().context.getIdentifier(
      ("*" + name.str()).str());
}

bool pl::frontend::isWatchName(Identifier name) {
  return name.str().starts_with("*");
}

void pl::frontend::watchParam(FunctionLowering &f, Identifier name) {
  Binding binding = f.env[name];
  f.env[getWatchName(f, name)] = std::move(binding);
}

mlir::Value pl::frontend::getWatched(FunctionLowering &f, Identifier name) {
  auto found = f.env.find(getWatchName(f, name));
  return found != f.env.end() && isBound(found->second) &&
                 found->second.value.isTile()
             ? found->second.value.value
             : mlir::Value();
}

void pl::frontend::replaceStored(FunctionLowering &f, const DslValue &old,
                                 mlir::Value now) {
  for (auto &[name, binding] : f.env)
    if (isBound(binding))
      forEachTile(binding.value, [&](DslValue &tile) {
        if (isSameStorage(tile, old))
          tile.value = now;
      });
}
