//===- LoweringLoops.cpp - counted loops and what they carry --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"
#include "LoweringCarries.h"
#include "LoweringComm.h"
#include "LoweringMemory.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Valid extents of merged tiles
//===----------------------------------------------------------------------===//

ir::TileType FunctionLowering::unifyValid(ir::TileType a, ir::TileType b) {
  auto unify = [](int64_t x, int64_t y) {
    return x == y ? x : mlir::ShapedType::kDynamic;
  };
  return a.withValid(unify(a.getValidRows(), b.getValidRows()),
                     unify(a.getValidCols(), b.getValidCols()));
}

mlir::Value FunctionLowering::convertValid(mlir::Value tile, ir::TileType type,
                                           SourceRange range) {
  if (tile.getType() == type)
    return tile;
  SmallVector<mlir::Value> valid;
  for (unsigned axis : {0, 1})
    if (mlir::ShapedType::isDynamic(type.getValid(axis)))
      valid.push_back(getValidExtent(tile, axis, range));
  return ir::SetValidOp::create(builder, loc(range), type, tile, valid);
}

//===----------------------------------------------------------------------===//
// Counted loops
//===----------------------------------------------------------------------===//

namespace {

/// What a header says, as constants or values.
struct Counts {
  DslValue start, stop, step;
  std::optional<int64_t> fixedStart, fixedStop, fixedStep;
  bool isStatic() const { return fixedStart && fixedStop && fixedStep; }
};

class ForLoop final : public CarryingLoop {
public:
  ForLoop(FunctionLowering &f, StmtList body, SourceRange header,
          StringRef spelling, const NameExpr *variable, ir::LoopKind kind,
          int64_t stages, Stmt *loop)
      : CarryingLoop(f, body, header, spelling), variable(variable), kind(kind),
        stages(stages), loop(loop) {}

  mlir::Value lower, upper, step;
  /// Set when the op counts turns: the first value, and the distance of two.
  mlir::Value first, distance;

private:
  mlir::Operation *create(mlir::ValueRange inits) override {
    auto loop = ir::ForOp::create(f.builder, f.loc(header), kind, lower, upper,
                                  step, inits, stages);
    arguments = loop.getCarried();
    loop.getInductionVariable().setLoc(
        f.module.getLoc(variable->range, variable->name.str()));
    mlir::Block *block = &loop.getBody().front();
    if (block->empty())
      f.builder.setInsertionPointToEnd(block);
    else
      f.builder.setInsertionPoint(block->getTerminator());
    mlir::Value value = loop.getInductionVariable();
    if (first) {
      value = mlir::arith::MulIOp::create(f.builder, f.loc(header), value,
                                          distance);
      value =
          mlir::arith::AddIOp::create(f.builder, f.loc(header), first, value);
    }
    Binding induction;
    induction.value = DslValue::makeScalar(value, DTypeKind::INDEX);
    induction.depth = f.depth + 1;
    induction.range = variable->range;
    f.env[variable->name] = std::move(induction);
    bindCarries(arguments);
    return loop;
  }
  void terminate(mlir::ValueRange yields) override {
    if (!yields.empty())
      ir::YieldOp::create(f.builder, f.loc(header), yields);
  }
  StmtList getAgain() const override { return StmtList(loop); }
  void addOwnNames(NameSet &names) const override {
    names.insert(variable->name);
  }

  const NameExpr *variable;
  ir::LoopKind kind;
  int64_t stages;
  Stmt *loop;
};

} // namespace

/// The bounds of a header; false after a report.
static bool getCounts(FunctionLowering &f, const CallExpr *call,
                      StringRef spelling, Counts &counts) {
  if (call->args.empty() || call->args.size() > 3) {
    f.error(DiagCode::LoopHeader, call->range,
            spelling + " takes (stop), (start, stop) or (start, "
                       "stop, step)");
    return false;
  }
  counts.start = DslValue::makeHost(Value::integer(0));
  counts.step = DslValue::makeHost(Value::integer(1));
  DslValue *slots[] = {&counts.start, &counts.stop, &counts.step};
  for (size_t i = 0; i < call->args.size(); ++i) {
    DslValue bound = f.lower(call->args[i]);
    if (bound.isError())
      return false;
    bool isInt = bound.isHostInt() ||
                 (bound.isScalar() && bound.dtype != DTypeKind::BOOL &&
                  !mlir::isa<mlir::FloatType>(bound.value.getType())) ||
                 (bound.isHost() && bound.host.getKind() == ValueKind::DynVar);
    if (!isInt) {
      f.error(DiagCode::LoopHeader, call->args[i]->range,
              "a loop bound must be an integer, but this "
              "is " +
                  f.describe(bound));
      return false;
    }
    *slots[call->args.size() == 1 ? 1 : i] = bound;
  }
  counts.fixedStart = f.getConstantInt(counts.start);
  counts.fixedStop = f.getConstantInt(counts.stop);
  counts.fixedStep = f.getConstantInt(counts.step);
  if (counts.fixedStep == 0) {
    f.error(DiagCode::LoopHeader, call->args[2]->range,
            "the step of a loop must not be 0");
    return false;
  }
  return true;
}

/// The number of turns, when it is known and fits.
static std::optional<int64_t> getTrips(const Counts &counts) {
  if (!counts.isStatic())
    return std::nullopt;
  int64_t start = *counts.fixedStart, stop = *counts.fixedStop,
          step = *counts.fixedStep, distance, trips;
  bool isUp = step > 0;
  if (isUp ? start >= stop : start <= stop)
    return 0;
  if (step == INT64_MIN ||
      llvm::SubOverflow(isUp ? stop : start, isUp ? start : stop, distance))
    return std::nullopt;
  int64_t size = isUp ? step : -step;
  if (llvm::AddOverflow(distance, size - 1, trips))
    return std::nullopt;
  return trips / size;
}

/// `stage=` of pl.pipeline; nothing after a report.
static std::optional<int64_t>
getStages(FunctionLowering &f, const CallExpr *call, const Expr *stage) {
  if (!stage) {
    f.error(DiagCode::PipelineStage, call->range,
            "pl.pipeline needs stage=, the number of iterations "
            "in flight");
    return std::nullopt;
  }
  DslValue value = f.lower(stage);
  std::optional<int64_t> number = f.getConstantInt(value);
  if (number && *number >= 1)
    return number;
  if (!value.isError())
    f.error(DiagCode::PipelineStage, stage->range,
            "stage= must be a constant of at least 1");
  return std::nullopt;
}

/// Names of TaskIds that each turn of a parallel loop of a manual scope binds
/// for itself; what follows waits for all of them.
static SmallVector<Identifier>
getSpreadTasks(FunctionLowering &f, StmtList body, StringRef spelling) {
  using Kind = FunctionLowering::RuntimeScope::Kind;
  SmallVector<Identifier> names;
  if (spelling != "pl.parallel" || f.core || f.runtimeScopes.empty() ||
      f.runtimeScopes.back().kind != Kind::Manual)
    return names;
  NameSet assigned;
  collectAssigned(body, assigned);
  for (Identifier name : assigned) {
    auto found = f.env.find(name);
    if (found == f.env.end() || found->second.state != Binding::State::Bound ||
        !bindsName(body, name))
      continue;
    const DslValue &value = found->second.value;
    if (value.isTask() || value.isNone() || value.isTaskArray())
      names.push_back(name);
  }
  return names;
}

static void lowerUnrolled(FunctionLowering &f, const ForStmt *stmt,
                          StringRef spelling, const Counts &counts,
                          int64_t trips, const NameExpr *variable,
                          ExplicitCarries &explicits) {
  StmtList body = stmt->body;
  if (!explicits.takeYield(f, body))
    return;
  unsigned errors = f.module.session.getDiagnostics().getNumErrors();
  FunctionLowering::LoopFrame frame;
  frame.header = stmt->headerRange;
  frame.spelling = spelling.str();
  frame.carried = explicits.names;
  auto bindExplicit = [&](unsigned level) {
    for (auto [name, range, value] :
         llvm::zip(explicits.names, explicits.ranges, explicits.inits)) {
      Binding binding;
      binding.value = value;
      binding.depth = level;
      binding.range = range;
      f.env[name] = std::move(binding);
    }
  };
  std::vector<std::pair<Identifier, Binding>> hidden;
  for (Identifier name : explicits.names)
    if (auto found = f.env.find(name); found != f.env.end())
      hidden.emplace_back(name, found->second);
  bindExplicit(f.depth + 1);

  SmallVector<Identifier> spread = getSpreadTasks(f, body, spelling);
  SmallVector<Binding> given;
  for (Identifier name : spread)
    given.push_back(f.env[name]);
  SmallVector<SmallVector<mlir::Value>> made(spread.size());
  SmallVector<bool> changes(spread.size(), false);

  llvm::SaveAndRestore copies(f.copies, f.copies * std::max<int64_t>(trips, 1));
  for (int64_t turn = 0; turn < trips; ++turn) {
    Binding binding;
    binding.value = DslValue::makeHost(
        Value::integer(*counts.fixedStart + turn * *counts.fixedStep));
    binding.depth = f.depth + 1;
    binding.range = variable->range;
    f.env[variable->name] = std::move(binding);
    for (auto [name, old] : llvm::zip(spread, given))
      f.env[name] = old;
    f.loops.push_back(&frame);
    Stmt *self = const_cast<ForStmt *>(stmt);
    f.continuations.push_back(StmtList(self));
    Stmt *yield = const_cast<AssignStmt *>(explicits.yield);
    if (yield)
      f.continuations.push_back(StmtList(yield));
    f.lowerNested(body);
    if (yield)
      f.continuations.pop_back();
    explicits.lowerYield(f);
    f.continuations.pop_back();
    f.loops.pop_back();
    // Every turn would say the same.
    if (f.module.session.getDiagnostics().getNumErrors() != errors)
      return;
    for (auto [index, name] : llvm::enumerate(spread)) {
      const DslValue &value = f.env[name].value;
      changes[index] =
          changes[index] || !isSameValue(value, given[index].value);
      made[index].push_back(value.isTaskArray()
                                ? mlir::Value()
                                : getTask(f, value, stmt->headerRange));
    }
  }
  for (auto [index, name] : llvm::enumerate(spread)) {
    if (!changes[index])
      continue;
    DslValue array =
        makeArrayOf(f, DTypeKind::TASK_ID, trips, stmt->headerRange);
    for (auto [slot, task] : llvm::enumerate(made[index]))
      if (task)
        array.value = ir::TaskSetOp::create(
            f.builder, f.loc(stmt->headerRange), array.value.getType(),
            array.value, f.getIndex(slot, stmt->headerRange), task);
    Binding binding = given[index];
    binding.value = array;
    f.env[name] = std::move(binding);
  }
  if (explicits.names.empty())
    return;
  if (!explicits.yield) {
    for (Identifier name : explicits.names)
      f.env[name].depth = f.depth;
    return;
  }
  std::vector<DslValue> results;
  for (Identifier name : explicits.names)
    results.push_back(f.env[name].value);
  for (Identifier name : explicits.names)
    f.env.erase(name);
  for (auto &[name, binding] : hidden)
    f.env[name] = binding;
  explicits.bindTargets(f, results);
}

/// A loop of the IR: on a core, or around tasks with a run-time trip count.
static void lowerCounted(FunctionLowering &f, ForLoop &loop,
                         const CallExpr *call, StringRef spelling,
                         const Counts &counts) {
  loop.isNeverEmpty = getTrips(counts).value_or(0) > 0;
  mlir::Value start = f.toIndex(counts.start, call->range, "a loop bound");
  mlir::Value stop = f.toIndex(counts.stop, call->range, "a loop bound");
  if (!start || !stop)
    return;
  if (!counts.fixedStep && counts.fixedStart && counts.fixedStop &&
      *counts.fixedStart > *counts.fixedStop) {
    f.error(DiagCode::LoopHeader, call->range,
            "this loop counts down, and only a constant step can be negative: "
            "a step of run time must be positive");
    return;
  }
  if (!counts.fixedStep || *counts.fixedStep > 0) {
    mlir::Value step = f.toIndex(counts.step, call->range, "a loop bound");
    if (!step)
      return;
    loop.lower = start;
    loop.upper = stop;
    loop.step = step;
    return loop.run();
  }
  // The op counts upwards: start, start - size, ... while above stop.
  int64_t size = -*counts.fixedStep;
  SourceRange range = call->range;
  mlir::Value trips;
  if (std::optional<int64_t> number = getTrips(counts)) {
    trips = f.getIndex(*number, range);
  } else {
    auto bump = DslValue::makeHost(Value::integer(size - 1));
    DslValue distance = f.scalarBinary(
        range, BinOpKind::Sub, DslValue::makeScalar(start, DTypeKind::INDEX),
        DslValue::makeScalar(stop, DTypeKind::INDEX));
    if (size > 1)
      distance = f.scalarBinary(range, BinOpKind::Add, distance, bump);
    if (distance.isError())
      return;
    trips = f.toIndex(distance, range, "a loop bound");
    if (size > 1)
      trips = f.floorDiv(trips, f.getIndex(size, range), range);
  }
  loop.lower = f.getIndex(0, range);
  loop.upper = trips;
  loop.step = f.getIndex(1, range);
  loop.first = start;
  loop.distance = f.getIndex(-size, range);
  loop.run();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// The loop variable and the names of `i, (a, b)`.
static const NameExpr *getVariable(FunctionLowering &f, const ForStmt *stmt,
                                   StringRef spelling, const Expr *initValues,
                                   ExplicitCarries &explicits) {
  if (auto *name = llvm::dyn_cast<NameExpr>(stmt->target)) {
    if (!initValues)
      return name;
    f.error(DiagCode::LoopHeader, stmt->target->range,
            "init_values= needs names for what the loop "
            "carries: for i, (a, b) in " +
                spelling + "(...)");
    return nullptr;
  }
  auto *tuple = llvm::dyn_cast<TupleExpr>(stmt->target);
  auto *variable = tuple && tuple->elements.size() == 2
                       ? llvm::dyn_cast<NameExpr>(tuple->elements[0])
                       : nullptr;
  if (!variable || !llvm::isa<TupleExpr>(tuple->elements[1])) {
    f.error(DiagCode::LoopHeader, stmt->target->range,
            "a loop binds its variable, or a variable and "
            "the names it carries: i, (a, b)");
    return nullptr;
  }
  if (!getHeaderNames(f, tuple->elements[1], initValues, explicits))
    return nullptr;
  return variable;
}

static void lowerCountedFor(FunctionLowering &f, const ForStmt *stmt,
                            const CallExpr *call, StringRef name) {
  SourceRange header = stmt->headerRange;
  const Expr *stage = nullptr, *initValues = nullptr;
  for (const KeywordArg &keyword : call->keywords) {
    if (keyword.name == "init_values" && name != "pl.unroll") {
      initValues = keyword.value;
      continue;
    }
    if (keyword.name == "stage" && name == "pl.pipeline") {
      stage = keyword.value;
      continue;
    }
    static const StringRef known[] = {"stage", "init_values"};
    f.error(DiagCode::WrongArguments, keyword.range,
            name + " has no keyword '" + keyword.name.str() + "'" +
                didYouMean(keyword.name, known));
    return;
  }
  ExplicitCarries explicits;
  const NameExpr *variable = getVariable(f, stmt, name, initValues, explicits);
  Counts counts;
  if (!variable || !getCounts(f, call, name, counts))
    return;
  int64_t stages = 1;
  if (name == "pl.pipeline") {
    if (!f.core) {
      f.error(DiagCode::MisplacedOp, header,
              "pl.pipeline belongs into a core scope (pl.at, pl.spmd)");
      return;
    }
    std::optional<int64_t> number = getStages(f, call, stage);
    if (!number)
      return;
    stages = *number;
    if (!counts.fixedStep || *counts.fixedStep < 0) {
      f.error(DiagCode::LoopHeader, call->args[2]->range,
              "the step of pl.pipeline must be a positive constant");
      return;
    }
  }
  if (name == "pl.parallel" && f.core) {
    f.error(DiagCode::MisplacedOp, header,
            "pl.parallel belongs into orchestration; inside a core "
            "scope use pl.range or pl.pipeline");
    return;
  }
  constexpr int64_t kMaxTrips = 4096;
  std::optional<int64_t> trips = getTrips(counts);
  if (name == "pl.unroll" && (!trips || *trips > kMaxTrips / f.copies)) {
    if (counts.isStatic())
      f.error(DiagCode::UnrollBounds, header,
              "this loop is unrolled and has more than " + Twine(kMaxTrips) +
                  " iterations");
    else
      f.error(DiagCode::UnrollBounds, call->range,
              "pl.unroll needs compile-time bounds; use pl.range "
              "for a run-time trip count");
    return;
  }
  // Around tasks, loops are unrolled where they can be.
  bool unrolls = name == "pl.unroll" ||
                 (!f.core && trips && *trips <= kMaxTrips / f.copies &&
                  !leavesLoop(stmt->body));
  if (unrolls)
    return lowerUnrolled(f, stmt, name, counts, *trips, variable, explicits);
  SmallVector<Identifier> spread = getSpreadTasks(f, stmt->body, name);
  if (!spread.empty()) {
    f.error(DiagCode::ParallelCarry, header,
            "pl.parallel in a manual scope keeps one TaskId of '" +
                spread.front().str() +
                "' for each iteration, and needs a static trip count")
        .note(f.env[spread.front()].range, "'" + spread.front().str() +
                                               "' is bound here, before the "
                                               "loop");
    return;
  }
  if (name == "pl.range" && counts.isStatic() && *counts.fixedStep == 1 &&
      lowerFillLoop(f, stmt, *counts.fixedStart, *counts.fixedStop))
    return;
  ir::LoopKind kind = name == "pl.pipeline"   ? ir::LoopKind::pipeline
                      : name == "pl.parallel" ? ir::LoopKind::parallel
                                              : ir::LoopKind::range;
  ForLoop loop(f, stmt->body, header, name, variable, kind, stages,
               const_cast<ForStmt *>(stmt));
  loop.explicits = std::move(explicits);
  lowerCounted(f, loop, call, name, counts);
}

void FunctionLowering::lowerFor(const ForStmt *stmt) {
  if (isHost())
    return lowerHostLoop(*this, stmt);
  auto *call = llvm::dyn_cast<CallExpr>(stmt->iter);
  std::string spelling = call ? getPlName(call->callee) : "";
  StringRef name = spelling;
  if (!stmt->orelse.empty())
    error(DiagCode::UnsupportedPython, stmt->orelse.front()->range.start(),
          "the else of a loop is not part of kernels");
  if (name == "pl.spmd") {
    if (!llvm::isa<NameExpr>(stmt->target)) {
      error(DiagCode::LoopHeader, stmt->target->range,
            "pl.spmd gives one block index");
      return;
    }
    return lowerSpmd(call, nullptr, stmt, stmt->body, stmt->headerRange);
  }
  if (name == "pl.while_")
    return lowerExplicitWhile(*this, stmt, call);
  if (name == "pl.split_aiv")
    return lowerSplitAiv(*this, stmt, call);
  if (name == "pl.range" || name == "pl.pipeline" || name == "pl.parallel" ||
      name == "pl.unroll")
    return lowerCountedFor(*this, stmt, call, name);
  static const StringRef known[] = {"pl.range",    "pl.pipeline", "pl.parallel",
                                    "pl.unroll",   "pl.spmd",     "pl.while_",
                                    "pl.split_aiv"};
  error(DiagCode::LoopHeader, stmt->iter->range,
        "a kernel loops over pl.range, pl.pipeline, pl.unroll, pl.parallel "
        "or pl.spmd, but not over '" +
            getText(stmt->iter) + "'" +
            (name.empty() ? std::string() : didYouMean(name, known)));
}
