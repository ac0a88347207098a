//===- LoweringLanes.cpp - barriers of a launch, vector lanes -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"
#include "LoweringRegions.h"
#include "LoweringStorage.h"

#include "pl/Dialect/PL/IR/PLCommOps.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Cores of one launch
//===----------------------------------------------------------------------===//

/// A string constant out of a few.
static bool getWord(FunctionLowering &f, OpCall &op, unsigned arg,
                    StringRef name, ArrayRef<StringRef> words,
                    std::string &word) {
  word = words.front().str();
  if (!op.args[arg])
    return true;
  DslValue value = f.lower(op.args[arg]);
  if (value.isError())
    return false;
  if (value.isHost() && value.host.isStr()) {
    word = value.host.getStr().str();
    if (llvm::is_contained(words, word))
      return true;
  }
  std::string list;
  for (auto [index, candidate] : llvm::enumerate(words)) {
    if (index)
      list += index + 1 == words.size() ? " or " : ", ";
    list += "\"" + candidate.str() + "\"";
  }
  f.error(DiagCode::UnknownChoice, op.args[arg]->range,
          name + "= of " + op.spelling + " is " + list + ", but this is " +
              (value.isHost() ? repr(value.host) : f.describe(value)));
  return false;
}

static DslValue lowerSyncAll(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  std::string cores, mode;
  bool good =
      getWord(f, op, 0, "core_type", {"mix", "aiv_only", "aic_only"}, cores);
  good &= getWord(f, op, 1, "mode", {"hard", "soft"}, mode);
  if (!good)
    return DslValue::error();
  const Expr *workspace = op.args[2], *used = op.args[3];
  mlir::Value memref, participants;
  if (mode == "hard") {
    if (const Expr *extra = workspace ? workspace : used)
      return f.fail(DiagCode::WrongArguments, extra->range,
                    "gm_workspace= and used_cores= of " + op.spelling +
                        " belong to mode=\"soft\"; the hard barrier counts "
                        "every core of the machine");
  } else {
    if (!workspace || !used)
      return f.fail(DiagCode::WrongArguments, op.range(),
                    op.spelling + " with mode=\"soft\" needs " +
                        (workspace ? "used_cores=, the number of cores that "
                                     "meet (0: as launched)"
                                   : "gm_workspace=, a zeroed INT32 tensor of "
                                     "at least 16 elements"));
    DslValue tensor = getTensorOperand(f, op, 2, "gm_workspace");
    DslValue number = getInteger(f, op, 3, "used_cores");
    if (tensor.isError() || number.isError())
      return DslValue::error();
    int64_t count = 1;
    bool isStatic = true;
    for (const Extent &extent : tensor.tensor->extents) {
      isStatic &= extent.isStatic();
      count *= extent.isStatic() ? extent.number : 1;
    }
    if (tensor.tensor->dtype != DTypeKind::INT32 || (isStatic && count < 16))
      return f.fail(DiagCode::WrongArguments, workspace->range,
                    "gm_workspace= of " + op.spelling +
                        " is a zeroed INT32 tensor of at least 16 elements, "
                        "but this is " +
                        f.describe(tensor));
    std::optional<int64_t> constant = f.getConstantInt(number);
    if (constant && (*constant < 0 || *constant > INT32_MAX))
      return f.fail(DiagCode::OutOfRange, used->range,
                    "used_cores= of " + op.spelling + " must be in [0, " +
                        Twine(INT32_MAX) + "], but this is " +
                        Twine(*constant));
    memref = tensor.tensor->memref;
    if (constant != 0) {
      participants = toInt32(f, number, used->range);
      if (!participants)
        return DslValue::error();
    }
    f.noteRead(*tensor.tensor, op.range());
    f.noteWrite(*tensor.tensor, op.range());
  }
  ir::SyncCores kind = *ir::symbolizeSyncCores(cores);
  ir::SyncAllOp::create(f.builder, f.loc(op.range()), kind, memref,
                        participants);
  return DslValue::makeTuple({});
}

static DslValue lowerFence(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  ir::FenceOp::create(f.builder, f.loc(op.range()));
  return DslValue::makeTuple({});
}

/// All of memory, or `(tensor, shapes, offsets)`.
static DslValue lowerCacheInvalid(FunctionLowering &f, OpCall &op) {
  if (!checkPlace(f, op))
    return DslValue::error();
  mlir::Value memref;
  SmallVector<mlir::Value> offsets, sizes;
  if (op.args[0]) {
    DslValue tensor = getTensorOperand(f, op, 0, "tensor");
    if (tensor.isError())
      return tensor;
    if (!op.args[1] || !op.args[2])
      return f.fail(DiagCode::WrongArguments, op.range(),
                    op.spelling + " takes nothing, or (tensor, "
                                  "shapes, offsets)");
    FunctionLowering::Window window;
    SmallVector<DslValue> valid;
    if (!f.getSliceWindow(op, tensor, op.args[2], op.args[1], nullptr, window,
                          valid) ||
        !f.checkBounds(*tensor.tensor, window, window.sizes, "region"))
      return DslValue::error();
    for (auto [from, to] : {std::pair(&window.offsets, &offsets),
                            std::pair(&window.sizes, &sizes)})
      for (const DslValue &value : *from) {
        to->push_back(f.toIndex(value, op.range(), "an offset"));
        if (!to->back())
          return DslValue::error();
      }
    memref = tensor.tensor->memref;
  }
  ir::CacheInvalidOp::create(f.builder, f.loc(op.range()), memref, offsets,
                             sizes);
  return DslValue::makeTuple({});
}

template <typename OpTy>
static DslValue lowerCount(FunctionLowering &f, OpCall &op) {
  return DslValue::makeScalar(
      OpTy::create(f.builder, f.loc(op.range()), f.builder.getI32Type()),
      DTypeKind::INT32);
}

static DslValue lowerSubblockIndex(FunctionLowering &f, OpCall &op) {
  return DslValue::makeScalar(
      ir::SubblockIdxOp::create(f.builder, f.loc(op.range()),
                                f.builder.getIndexType()),
      DTypeKind::INDEX);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

template <typename OpTy>
static DslValue lowerLaneCrossing(FunctionLowering &f, OpCall &op) {
  constexpr bool halves = std::is_same_v<OpTy, ir::AivShardOp>;
  if (!f.core || !f.core->lanes)
    return f.fail(DiagCode::MisplacedOp, op.range(),
                  op.spelling + " belongs into a region 'for lane in "
                                "pl.split_aiv(2, mode=...)', whose mode it "
                                "follows");
  DslValue source = f.lower(op.args[0]);
  if (source.isError())
    return source;
  if (!source.isTile())
    return f.fail(DiagCode::MixedLevels, op.args[0]->range,
                  op.spelling + " takes a tile, but this is " +
                      f.describe(source));
  if (source.shape.size() != 2)
    return f.fail(DiagCode::WrongRank, op.args[0]->range,
                  op.spelling +
                      " takes a tile of two axes, but this "
                      "is " +
                      f.describe(source));
  ir::SplitMode mode = mlir::cast<ir::SplitAivOp>(f.core->lanes).getMode();
  ir::TileType type = ir::getLaneTile(source.getTileType(), mode, halves);
  if (!type)
    return f.fail(DiagCode::SplitAxis, op.args[0]->range,
                  op.spelling +
                      " joins the lanes' halves, but this tile is valid in "
                      "part only: the two parts make no box (an odd extent "
                      "crosses from cube to vector only)");
  mlir::Value made =
      OpTy::create(f.builder, f.loc(op.range()), type, mode, source.value);
  DslValue result =
      DslValue::makeTile(made, *source.dtype, {type.getRows(), type.getCols()});
  result.isTileLevel = source.isTileLevel;
  return result;
}

/// The mode of pl.split_aiv; reports what is wrong with its arguments.
static std::optional<ir::SplitMode> getSplitMode(FunctionLowering &f,
                                                 const CallExpr *call) {
  const Expr *mode = nullptr;
  for (const KeywordArg &keyword : call->keywords) {
    StringRef name = keyword.name;
    if (name == "mode") {
      mode = keyword.value;
    } else if (name == "optimizations") {
      f.error(DiagCode::BadSplit, keyword.range,
              "pl.split_aiv takes no optimizations=: it is "
              "itself how the lanes share the work");
      return std::nullopt;
    } else {
      static const StringRef known[] = {"mode"};
      f.error(DiagCode::WrongArguments, keyword.range,
              "pl.split_aiv has no keyword '" + name + "'" +
                  didYouMean(keyword.name, known));
      return std::nullopt;
    }
  }
  if (call->args.size() != 1) {
    f.error(DiagCode::BadSplit, call->range,
            "pl.split_aiv takes one number, the 2 lanes");
    return std::nullopt;
  }
  DslValue lanes = f.lower(call->args[0]);
  if (lanes.isError())
    return std::nullopt;
  if (f.getConstantInt(lanes) != 2) {
    f.error(DiagCode::BadSplit, call->args[0]->range,
            "a cluster has 2 vector lanes: pl.split_aiv takes 2, but this is " +
                f.describe(lanes));
    return std::nullopt;
  }
  if (!mode) {
    f.error(DiagCode::BadSplit, call->range,
            "pl.split_aiv needs mode=: pl.SplitMode.UP_DOWN or "
            "LEFT_RIGHT to halve tiles, NONE to run the body on "
            "both lanes");
    return std::nullopt;
  }
  std::string member;
  if (!f.checkEnum(mode, "mode=", "SplitMode", member))
    return std::nullopt;
  return member == "UP_DOWN"      ? ir::SplitMode::up_down
         : member == "LEFT_RIGHT" ? ir::SplitMode::left_right
                                  : ir::SplitMode::none;
}

void pl::frontend::lowerSplitAiv(FunctionLowering &f, const ForStmt *stmt,
                                 const CallExpr *call) {
  SourceRange header = stmt->headerRange;
  auto *target = llvm::dyn_cast<NameExpr>(stmt->target);
  if (!target) {
    f.error(DiagCode::LoopHeader, stmt->target->range,
            "pl.split_aiv gives one lane index");
    return;
  }
  if (!f.core) {
    f.error(DiagCode::MisplacedOp, header,
            "pl.split_aiv belongs into a core scope (pl.at, pl.spmd)");
    return;
  }
  if (f.core->lanes) {
    f.error(DiagCode::BadSplit, header,
            "pl.split_aiv cannot be inside another: its body is one "
            "of the two lanes already")
        .note(f.core->lanesHeader, "the outer region is here");
    return;
  }
  std::optional<ir::SplitMode> mode = getSplitMode(f, call);
  if (!mode)
    return;
  NameSet assigned = getChanged(f, stmt->body);
  assigned.remove(target->name);
  Environment before = f.env;

  auto region = ir::SplitAivOp::create(f.builder, f.loc(header),
                                       mlir::TypeRange(), *mode);
  mlir::Block &body = region.getBody().emplaceBlock();
  mlir::Value lane =
      body.addArgument(f.builder.getIndexType(),
                       f.module.getLoc(target->range, target->name.str()));
  Binding index;
  index.value = DslValue::makeScalar(lane, DTypeKind::INDEX);
  index.depth = f.depth + 1;
  index.range = target->range;
  f.env[target->name] = std::move(index);
  f.core->lanes = region;
  f.core->lanesHeader = header;
  {
    mlir::OpBuilder::InsertionGuard guard(f.builder);
    f.builder.setInsertionPointToEnd(&body);
    // break and continue would leave one lane only.
    FunctionLowering::LoopFrame frame;
    frame.header = header;
    frame.spelling = "pl.split_aiv";
    f.loops.push_back(&frame);
    f.lowerNested(stmt->body);
    f.loops.pop_back();
  }
  f.core->lanes = nullptr;

  // The body runs exactly once on each lane: what it leaves in a name is what
  // the name has afterwards.
  SmallVector<mlir::Value> yields;
  SmallVector<std::pair<Identifier, size_t>> names;
  for (Identifier name : assigned) {
    auto found = f.env.find(name);
    if (found == f.env.end() || found->second.state != Binding::State::Bound)
      continue;
    Binding &binding = found->second;
    DslValue &value = binding.value;
    mlir::Value made = value.isTensor() ? value.tensor->memref : value.value;
    if (value.isError() || !made ||
        !region.getBody().isAncestor(made.getParentRegion())) {
      binding.depth = std::min(binding.depth, f.depth);
      continue;
    }
    if ((value.isTile() || value.isScalar()) && f.isReadAfter(name)) {
      // Names of one tile stay that.
      auto same = llvm::find_if(names, [&](auto &other) {
        return isSameStorage(f.env[other.first].value, value);
      });
      size_t index = same == names.end() ? yields.size() : same->second;
      if (index == yields.size())
        yields.push_back(made);
      names.emplace_back(name, index);
      binding.depth = std::min(binding.depth, f.depth);
      continue;
    }
    auto old = before.find(name);
    if (old != before.end() && !f.isReadAfter(name))
      binding = old->second;
    else
      binding.state = Binding::State::LeftScope;
  }
  mlir::OpBuilder::InsertionGuard guard(f.builder);
  f.builder.setInsertionPointToEnd(&body);
  ir::YieldOp::create(f.builder, f.loc(header), yields);
  if (yields.empty())
    return;
  f.builder.setInsertionPoint(region);
  auto made = ir::SplitAivOp::create(
      f.builder, region.getLoc(), mlir::ValueRange(yields).getTypes(), *mode);
  made.getBody().takeBody(region.getBody());
  region.erase();
  for (auto [name, index] : names) {
    mlir::Value result = made.getResult(index);
    f.env[name].value.value = result;
    result.setLoc(f.module.getLoc(header, name.str()));
  }
}

static const OpRow laneOps[] = {
    {"system.syncall", "core_type,mode,gm_workspace,used_cores", 0,
     lowerSyncAll, false},
    {"system.fence", "", 0, lowerFence, false},
    {"system.cacheinvalid", "tensor,shapes,offsets", 0, lowerCacheInvalid,
     false},
    {"system.available_cluster_count", "", 0,
     lowerCount<ir::AvailableClustersOp>, false},
    {"system.available_aiv_count", "", 0,
     lowerCount<ir::AvailableVectorCoresOp>, false},
    {"get_subblock_idx", "", 0, lowerSubblockIndex, true},
    {"aiv_shard", "x", 1, lowerLaneCrossing<ir::AivShardOp>, true},
    {"aic_gather", "x", 1, lowerLaneCrossing<ir::AicGatherOp>, true},
};

ArrayRef<OpRow> pl::frontend::getLaneOps() { return laneOps; }
