//===- LoweringLoops.cpp - counted loops and what they carry --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringComm.h"
#include "LoweringMemory.h"

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
// Dispatch
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerFor(const ForStmt *stmt) {
  SourceRange header = stmt->headerRange;
  auto *call = llvm::dyn_cast<CallExpr>(stmt->iter);
  std::string spelling = call ? getPlName(call->callee) : "";
  StringRef name = spelling;
  if (!stmt->orelse.empty())
    error(stmt->orelse.front()->range.start(),
          "the else of a loop is not part of kernels");
  bool isCounted = name == "pl.range" || name == "pl.pipeline" ||
                   name == "pl.parallel" || name == "pl.unroll";
  if (name == "pl.spmd") {
    if (!llvm::isa<NameExpr>(stmt->target)) {
      error(stmt->target->range, "pl.spmd gives one block index");
      return;
    }
    return lowerSpmd(call, nullptr, stmt, stmt->body, header);
  }
  if (name == "pl.split_aiv")
    return lowerSplitAiv(*this, stmt, call);
  if (name == "pl.while_") {
    notLowered(header, spelling);
    return;
  }
  if (!isCounted) {
    static const StringRef known[] = {"pl.range",    "pl.pipeline",
                                      "pl.parallel", "pl.unroll",
                                      "pl.spmd",     "pl.split_aiv"};
    error(stmt->iter->range,
          "a kernel loops over pl.range, pl.pipeline, pl.unroll, pl.parallel "
          "or pl.spmd, but not over '" +
              getText(stmt->iter) + "'" +
              (name.empty() ? std::string() : didYouMean(name, known)));
    return;
  }
  if (!llvm::isa<NameExpr>(stmt->target)) {
    notLowered(stmt->target->range,
               "a loop with explicit carries (init_values)");
    return;
  }
  const Expr *stage = nullptr;
  for (const KeywordArg &keyword : call->keywords) {
    if (keyword.name == "init_values") {
      notLowered(keyword.range, "init_values=");
      return;
    }
    if (keyword.name == "stage" && name == "pl.pipeline") {
      stage = keyword.value;
      continue;
    }
    static const StringRef known[] = {"stage", "init_values"};
    error(keyword.range, spelling + " has no keyword '" + keyword.name.str() +
                             "'" + didYouMean(keyword.name, known));
    return;
  }
  if (call->args.empty() || call->args.size() > 3) {
    error(call->range, spelling + " takes (stop), (start, stop) or (start, "
                                  "stop, step)");
    return;
  }
  DslValue bounds[3] = {DslValue::makeHost(Value::integer(0)), DslValue(),
                        DslValue::makeHost(Value::integer(1))};
  for (size_t i = 0; i < call->args.size(); ++i) {
    DslValue bound = lower(call->args[i]);
    if (bound.isError())
      return;
    bool isInt = bound.isHostInt() || bound.isScalar() ||
                 (bound.isHost() && bound.host.getKind() == ValueKind::DynVar);
    if (!isInt) {
      error(call->args[i]->range,
            "a loop bound must be an integer, but this is " + describe(bound));
      return;
    }
    bounds[call->args.size() == 1 ? 1 : i] = bound;
  }
  int64_t stages = 1;
  if (name == "pl.pipeline") {
    if (!core) {
      error(header, "pl.pipeline belongs into a core scope (pl.at, pl.spmd)");
      return;
    }
    if (!stage) {
      error(call->range, "pl.pipeline needs stage=, the number of iterations "
                         "in flight");
      return;
    }
    DslValue value = lower(stage);
    std::optional<int64_t> number = getConstantInt(value);
    if (!number || *number < 1) {
      if (!value.isError())
        error(stage->range, "stage= must be a constant of at least 1");
      return;
    }
    stages = *number;
  }
  std::optional<int64_t> step = getConstantInt(bounds[2]);
  if (step && *step == 0) {
    error(call->args[2]->range, "the step of a loop must not be 0");
    return;
  }
  std::optional<int64_t> start = getConstantInt(bounds[0]);
  std::optional<int64_t> stop = getConstantInt(bounds[1]);
  if (name == "pl.unroll" || !core) {
    if (start && stop && step)
      return lowerUnrolled(stmt, spelling, *start, *stop, *step);
    if (name == "pl.unroll")
      error(call->range, "pl.unroll needs compile-time bounds; use pl.range "
                         "for a run-time trip count");
    else
      notLowered(header, spelling + " with a run-time trip count around tasks");
    return;
  }
  if (name == "pl.parallel") {
    error(header, "pl.parallel belongs into orchestration; inside a core scope "
                  "use pl.range or pl.pipeline");
    return;
  }
  if (!step || *step < 0) {
    error(call->args[2]->range,
          "the step of " + spelling + " must be a positive constant");
    return;
  }
  if (name == "pl.range" && start && stop && step == 1 &&
      lowerFillLoop(*this, stmt, *start, *stop))
    return;
  mlir::Value values[3];
  for (unsigned i = 0; i < 3; ++i) {
    values[i] = toIndex(bounds[i], call->range, "a loop bound");
    if (!values[i])
      return;
  }
  lowerCoreLoop(stmt,
                name == "pl.pipeline" ? ir::LoopKind::pipeline
                                      : ir::LoopKind::range,
                values[0], values[1], values[2], stages);
}

void FunctionLowering::lowerUnrolled(const ForStmt *stmt, StringRef spelling,
                                     int64_t start, int64_t stop,
                                     int64_t step) {
  constexpr unsigned kMaxTrips = 4096;
  Identifier name = llvm::cast<NameExpr>(stmt->target)->name;
  unsigned trips = 0;
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (++trips > kMaxTrips) {
      error(stmt->headerRange, "this loop is unrolled and has more than " +
                                   Twine(kMaxTrips) + " iterations");
      return;
    }
    Binding binding;
    binding.value = DslValue::makeHost(Value::integer(i));
    binding.depth = depth + 1;
    binding.range = stmt->target->range;
    env[name] = std::move(binding);
    continuations.push_back(stmt->body);
    lowerNested(stmt->body);
    continuations.pop_back();
    // Every turn would say the same.
    if (module.session.getDiagnostics().getNumErrors() != errors)
      return;
    if (llvm::AddOverflow(i, step, i))
      return;
  }
}

//===----------------------------------------------------------------------===//
// Loops of a core
//===----------------------------------------------------------------------===//

namespace {
struct Carry {
  Identifier name;
  Binding binding; // before the loop
  mlir::Value init;
};
} // namespace

void FunctionLowering::lowerCoreLoop(const ForStmt *stmt, ir::LoopKind kind,
                                     mlir::Value lower, mlir::Value upper,
                                     mlir::Value step, int64_t stages) {
  SourceRange header = stmt->headerRange;
  Identifier variable = llvm::cast<NameExpr>(stmt->target)->name;
  NameSet assigned;
  collectAssigned(stmt->body, assigned);
  assigned.remove(variable);

  // Values that one iteration hands to the next, or to what follows.
  SmallVector<Carry> carries;
  for (Identifier name : assigned) {
    auto found = env.find(name);
    if (found == env.end() || found->second.state != Binding::State::Bound)
      continue;
    const Binding &binding = found->second;
    if (!binding.value.isScalar() && !binding.value.isTile() &&
        !binding.value.isHostNumber())
      continue;
    if (getFirstUse(stmt->body, name) != FirstUse::Read && !isReadAfter(name))
      continue;
    Carry carry{name, binding, {}};
    if (!carry.binding.value.isTile())
      carry.binding.value = toScalar(binding.value, binding.range);
    if (carry.binding.value.isError())
      continue;
    carry.init = carry.binding.value.value;
    carries.push_back(std::move(carry));
  }

  Environment before = env;
  ir::ForOp loop;
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  bool outerBranch = inBranch;
  while (true) {
    SmallVector<mlir::Value> inits;
    for (const Carry &carry : carries)
      inits.push_back(carry.init);
    loop = ir::ForOp::create(builder, loc(header), kind, lower, upper, step,
                             inits, stages);
    loop.getInductionVariable().setLoc(
        module.getLoc(stmt->target->range, variable.str()));
    Binding induction;
    induction.value =
        DslValue::makeScalar(loop.getInductionVariable(), DTypeKind::INDEX);
    induction.depth = depth + 1;
    induction.range = stmt->target->range;
    env[variable] = std::move(induction);
    for (auto [carry, argument] : llvm::zip(carries, loop.getCarried())) {
      Binding binding = carry.binding;
      binding.value.value = argument;
      argument.setLoc(module.getLoc(binding.range, carry.name.str()));
      env[carry.name] = std::move(binding);
    }
    mlir::OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
    mlir::Block *body = &loop.getBody().front();
    if (body->empty())
      builder.setInsertionPointToEnd(body);
    else
      builder.setInsertionPoint(body->getTerminator());
    continuations.push_back(stmt->body);
    lowerNested(stmt->body);
    continuations.pop_back();

    // What the next iteration gets.
    bool widened = false;
    SmallVector<mlir::Value> yields;
    SmallVector<ir::TileType> types(carries.size());
    for (auto [index, carry] : llvm::enumerate(carries)) {
      const Binding &now = env[carry.name];
      const DslValue &initial = carry.binding.value;
      mlir::Value argument = loop.getCarried()[index];
      DslValue value = now.value;
      if (now.state != Binding::State::Bound) {
        error(header, "'" + carry.name.str() +
                          "' is carried by this loop, but its body leaves it "
                          "without a value")
            .note(now.range, "it is bound here");
        value = DslValue::error();
      }
      if (value.isHostNumber()) {
        mlir::Value made = materialize(value, *initial.dtype, now.range);
        value = made ? DslValue::makeScalar(made, *initial.dtype)
                     : DslValue::error();
      }
      if (!value.isError() && !isSameKind(initial, value)) {
        error(header, "'" + carry.name.str() +
                          "' changes its type in this loop: it was " +
                          describe(initial) + ", and the body gives " +
                          describe(value))
            .note(now.range, "it is bound here");
        value = DslValue::error();
      }
      if (value.isError()) {
        yields.push_back(argument);
        continue;
      }
      if (value.isTile()) {
        auto have = mlir::cast<ir::TileType>(argument.getType());
        types[index] = unifyValid(have, value.getTileType());
        widened |= types[index] != have;
      }
      yields.push_back(value.value);
    }
    // After an error there is no second look: it would say the same again.
    bool failed = errors != module.session.getDiagnostics().getNumErrors();
    if (!widened || failed) {
      builder.setInsertionPointToEnd(body);
      for (size_t i = 0; i < yields.size(); ++i)
        if (types[i] && !failed)
          yields[i] = convertValid(yields[i], types[i], header);
      if (!carries.empty())
        ir::YieldOp::create(builder, loc(header), yields);
      builder.restoreInsertionPoint(outside);
      break;
    }
    // The valid extents change from turn to turn: carry them with the tile.
    builder.restoreInsertionPoint(outside);
    loop.erase();
    env = before;
    for (size_t i = 0; i < carries.size(); ++i)
      if (types[i])
        carries[i].init = convertValid(carries[i].init, types[i], header);
  }
  inBranch = outerBranch;

  Environment inside = std::move(env);
  env = std::move(before);
  assigned.insert(variable);
  for (Identifier name : assigned) {
    auto old = env.find(name);
    auto now = inside.find(name);
    if (now == inside.end())
      continue;
    bool wasBound =
        old != env.end() && old->second.state == Binding::State::Bound;
    const DslValue &value = now->second.value;
    bool isOutside =
        value.isHost() ||
        (value.isTensor() &&
         !loop->isAncestor(
             value.tensor->memref.getParentRegion()->getParentOp()));
    if (!wasBound) {
      Binding binding = now->second;
      binding.depth = depth;
      // A reference to a tensor made outside is the same after any turn.
      if (binding.state == Binding::State::Bound &&
          !(value.isTensor() && isOutside) && !value.isError())
        binding.state = Binding::State::LoopOnly;
      env[name] = std::move(binding);
    } else if (value.isTensor() && old->second.value.isTensor() &&
               value.tensor->memref != old->second.value.tensor->memref &&
               (isReadAfter(name) ||
                getFirstUse(stmt->body, name) == FirstUse::Read)) {
      notLowered(header, "carrying the tensor '" + name.str() +
                             "' from one iteration to the next");
    }
  }
  for (auto [carry, value] : llvm::zip(carries, loop.getResults())) {
    Binding binding = carry.binding;
    binding.value.value = value;
    value.setLoc(module.getLoc(binding.range, carry.name.str()));
    env[carry.name] = std::move(binding);
  }
}
