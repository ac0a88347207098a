//===- LoweringCarries.cpp - loops and what they carry --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCarries.h"
#include "LoweringStorage.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// init_values= and pl.yield_
//===----------------------------------------------------------------------===//

bool pl::frontend::getHeaderNames(FunctionLowering &f, const Expr *target,
                                  const Expr *initValues,
                                  ExplicitCarries &carries) {
  ExprList targets;
  if (auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(target))
    targets = tuple->elements;
  for (const Expr *element : targets) {
    auto *name = llvm::dyn_cast<NameExpr>(element);
    if (!name) {
      f.error(DiagCode::LoopHeader, element->range,
              "a carried value has a plain name");
      return false;
    }
    carries.names.push_back(name->name);
    carries.ranges.push_back(name->range);
  }
  if (!initValues) {
    if (carries.names.empty())
      return true;
    f.error(DiagCode::LoopHeader, target->range,
            "carried values need init_values=");
    return false;
  }
  DslValue inits = f.lower(initValues);
  if (inits.isError())
    return false;
  if (inits.kind != DslValue::Kind::Tuple) {
    f.error(DiagCode::LoopHeader, initValues->range,
            "init_values= takes a tuple, but this is " + f.describe(inits));
    return false;
  }
  if (inits.elements.size() != carries.names.size()) {
    f.error(DiagCode::LoopHeader, target ? target->range : initValues->range,
            "init_values= gives " + Twine(inits.elements.size()) +
                " values to " + Twine(carries.names.size()) + " names");
    return false;
  }
  for (DslValue &init : inits.elements) {
    if (init.isError())
      return false;
    if (!canCross(init)) {
      f.error(DiagCode::LoopHeader, initValues->range,
              "a loop cannot carry " + f.describe(init));
      return false;
    }
    carries.inits.push_back(std::move(init));
  }
  return true;
}

/// The call of `pl.yield_` that a statement consists of.
static const CallExpr *getYield(FunctionLowering &f, const Expr *value) {
  auto *call = llvm::dyn_cast_or_null<CallExpr>(value);
  return call && f.getPlName(call->callee) == "pl.yield_" ? call : nullptr;
}

bool ExplicitCarries::takeYield(FunctionLowering &f, StmtList &body) {
  if (names.empty() || body.empty())
    return true;
  if (auto *expr = llvm::dyn_cast<ExprStmt>(body.back()))
    if (getYield(f, expr->value)) {
      f.error(DiagCode::LoopHeader, expr->range,
              "pl.yield_ gives the values after the loop; write "
              "x = pl.yield_(...)");
      return false;
    }
  auto *assign = llvm::dyn_cast<AssignStmt>(body.back());
  const CallExpr *call = assign && assign->targets.size() == 1
                             ? getYield(f, assign->value)
                             : nullptr;
  if (!call)
    return true;
  if (call->args.size() != names.size() || !call->keywords.empty()) {
    f.error(DiagCode::LoopHeader, call->range,
            "this loop carries " + Twine(names.size()) +
                " values, but pl.yield_ gives " + Twine(call->args.size()));
    return false;
  }
  yield = assign;
  body = body.drop_back();
  return true;
}

void ExplicitCarries::bindTargets(FunctionLowering &f,
                                  ArrayRef<DslValue> values) {
  DslValue made = values.front();
  // One value may be given to `a` or to `(a,)`.
  auto *tuple = llvm::dyn_cast<TupleExpr>(yield->targets[0]);
  if (values.size() != 1 || (tuple && tuple->elements.size() == 1))
    made = DslValue::makeTuple(std::vector<DslValue>(values));
  f.bindTarget(yield->targets[0], made, yield->range);
}

void ExplicitCarries::lowerYield(FunctionLowering &f) {
  if (!yield)
    return;
  std::vector<DslValue> values;
  for (const Expr *arg : llvm::cast<CallExpr>(yield->value)->args) {
    values.push_back(f.lower(arg));
    copyNamedArrays(f, arg, values.back());
  }
  for (auto [name, range, value] : llvm::zip(names, ranges, values)) {
    Binding &binding = f.env[name];
    binding.state = Binding::State::Bound;
    binding.value = value;
    binding.range = yield->range;
  }
  ++f.depth;
  bindTargets(f, values);
  --f.depth;
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

CarryingLoop::CarryingLoop(FunctionLowering &f, StmtList body,
                           SourceRange header, StringRef spelling)
    : f(f), body(body), header(header), whole(body) {
  frame.header = header;
  frame.spelling = spelling.str();
  frame.canLeave =
      spelling == "pl.range" || spelling == "while" || spelling == "pl.while_";
}

bool CarryingLoop::isLive(Identifier name) const {
  return readsBeforeBody(name) || getFirstUse(whole, name) == FirstUse::Read ||
         f.isReadAfter(name);
}

LoopDraft &LoopDraft::enter(SourceRange loop) {
  if (next == loops.size() || loops[next]->header.begin != loop.begin) {
    loops.resize(next);
    loops.push_back(std::make_unique<LoopDraft>(loop));
  }
  return *loops[next++];
}

void LoopDraft::keep(ArrayRef<Carry> carried) {
  carries.clear();
  for (const Carry &carry : carried) {
    // The SSA values of a draft go with it.
    if (carry.isPromoted && carry.form.value.isTensor())
      continue;
    carries.push_back(carry);
    carries.back().before.value = DslValue();
  }
}

/// `form`, as wide as the one of another draft.
static ValueForm widenForm(FunctionLowering &f, ValueForm form,
                           const ValueForm &known) {
  if (known.value.isTaskArray() && form.value.isTask())
    return known;
  if (form.value.isTile()) {
    form.type = f.unifyValid(mlir::cast<ir::TileType>(form.type),
                             mlir::cast<ir::TileType>(known.type));
  } else if (form.value.isTensor()) {
    form.type = unifyMemRefs(mlir::cast<mlir::MemRefType>(form.type),
                             mlir::cast<mlir::MemRefType>(known.type));
    mlir::Value root = form.value.tensor->root;
    addOrigins(*form.value.tensor, *known.value.tensor);
    // Values of two drafts cannot be compared, only whether there is one.
    form.value.tensor->root = known.value.tensor->root ? root : mlir::Value();
    for (auto [extent, other] :
         llvm::zip(form.value.tensor->extents, known.value.tensor->extents))
      if (isReadAnew(other))
        extent = other;
  }
  return form;
}

void CarryingLoop::takeKnown(const Carry &known) {
  auto same = [&](const Carry &carry) { return carry.name == known.name; };
  Carry *carry = llvm::find_if(carries, same);
  if (carry == carries.end()) {
    llvm::erase_if(followers, [&](const Follower &follower) {
      return follower.name == known.name;
    });
    carries.push_back(known);
    if (known.isPromoted) {
      carries.back().before.depth = f.depth;
      return;
    }
    carry = &carries.back();
    carry->before = f.env[known.name];
    carry->form = getForm(f, carry->before.value, nullptr);
  }
  carry->form = widenForm(f, std::move(carry->form), known.form);
}

void CarryingLoop::takeDraft(const LoopDraft &draft) {
  for (const Carry &known : draft.carries) {
    auto found = f.env.find(known.name);
    bool isBound =
        found != f.env.end() && found->second.state == Binding::State::Bound;
    if (known.isPromoted
            ? !isBound
            : isBound && canCross(found->second.value) &&
                  f.isSameKind(found->second.value, known.form.value))
      takeKnown(known);
  }
}

void CarryingLoop::choose() {
  changed = getChanged(f, body);
  NameSet own;
  addOwnNames(own);
  for (Identifier name : explicits.names)
    own.insert(name);
  for (Identifier name : own)
    changed.remove(name);
  for (auto [name, range, init] :
       llvm::zip(explicits.names, explicits.ranges, explicits.inits)) {
    Carry carry;
    carry.name = name;
    carry.before.value = init;
    carry.before.range = range;
    carry.before.depth = f.depth + 1;
    carry.form = getForm(f, init, nullptr);
    carries.push_back(std::move(carry));
  }
  for (Identifier name : changed) {
    auto found = f.env.find(name);
    if (found == f.env.end() || found->second.state != Binding::State::Bound)
      continue;
    const DslValue &value = found->second.value;
    bool isStorage =
        value.isTensor() || (value.isArray() && !value.isTaskArray());
    if (isStorage || !canCross(value) || !isLive(name))
      continue;
    auto leader =
        llvm::find_if(llvm::drop_begin(carries, explicits.names.size()),
                      [&](const Carry &carry) {
                        return isSameStorage(carry.before.value, value);
                      });
    if (leader != carries.end()) {
      followers.push_back({name, leader->name, found->second});
      continue;
    }
    Carry carry;
    carry.name = name;
    carry.before = found->second;
    carry.form = getForm(f, value, nullptr);
    carries.push_back(std::move(carry));
  }
}

void CarryingLoop::bindCarries(mlir::ValueRange values) {
  for (auto [carry, value] : llvm::zip(carries, values)) {
    Binding binding = carry.before;
    binding.value = instantiate(f, carry.form, value, header);
    value.setLoc(f.module.getLoc(binding.range, carry.name.str()));
    f.env[carry.name] = std::move(binding);
  }
  bindFollowers();
}

static bool isSameForm(const ValueForm &a, const ValueForm &b) {
  if (a.type != b.type)
    return false;
  if (!a.value.isTensor())
    return true;
  if (a.value.tensor->param != b.value.tensor->param ||
      a.value.tensor->otherParams != b.value.tensor->otherParams ||
      a.value.tensor->root != b.value.tensor->root)
    return false;
  for (auto [x, y] :
       llvm::zip(a.value.tensor->extents, b.value.tensor->extents))
    if (x.value != y.value || x.number != y.number)
      return false;
  return true;
}

bool CarryingLoop::reviseCarry(Carry &carry, const End &end,
                               mlir::Operation *op) {
  Binding &now = (*end.env)[carry.name];
  if (now.state != Binding::State::Bound) {
    if (carry.isPromoted && end.leave)
      return false;
    f.error(DiagCode::MaybeUnbound, header,
            "'" + carry.name.str() +
                "' is carried by this loop, but its body leaves it "
                "without a value")
        .note(now.range, "it is bound here");
    now.value = DslValue::error();
  }
  if (now.value.isError())
    return false;
  bool spreads = carry.form.value.isTask() && now.value.isTaskArray();
  if (!spreads && !f.isSameKind(carry.form.value, now.value)) {
    f.error(DiagCode::ChangedType, header,
            "'" + carry.name.str() +
                "' changes its type in this loop: it was " +
                f.describe(carry.form.value) + ", and the body gives " +
                f.describe(now.value))
        .note(now.range, "it is bound here");
    now.value = DslValue::error();
    return false;
  }
  ValueForm form = unifyForm(f, carry.form, now.value, op);
  if (isSameForm(form, carry.form))
    return false;
  carry.form = std::move(form);
  return true;
}

/// Tensors that change hands, and names that the body binds first.
void CarryingLoop::addCarries(const Environment &now, mlir::Operation *op) {
  NameSet taken;
  for (const Carry &carry : carries)
    taken.insert(carry.name);
  for (const Follower &follower : followers)
    taken.insert(follower.name);
  if (explicits.yield) {
    NameSet targets;
    Stmt *yield = const_cast<AssignStmt *>(explicits.yield);
    collectAssigned(StmtList(yield), targets);
    for (Identifier name : targets)
      taken.insert(name);
  }
  for (Identifier name : changed) {
    if (taken.contains(name))
      continue;
    auto made = now.find(name);
    if (made == now.end() || made->second.state != Binding::State::Bound ||
        made->second.value.isError())
      continue;
    const DslValue &value = made->second.value;
    auto old = before.find(name);
    bool wasBound =
        old != before.end() && old->second.state == Binding::State::Bound;
    Carry carry;
    carry.name = name;
    if (wasBound) {
      const DslValue &given = old->second.value;
      if (given.isError() || isSameValue(given, value) || !isLive(name))
        continue;
      if (!canCross(given) || !canCross(value)) {
        f.error(DiagCode::ChangedType, header,
                "this loop would carry '" + name.str() + "' from " +
                    f.describe(given) + " to " + f.describe(value) +
                    ", which no run-time loop can")
            .note(made->second.range, "it is bound here");
        continue;
      }
      if (!f.isSameKind(given, value)) {
        f.error(DiagCode::ChangedType, header,
                "'" + name.str() + "' changes its type in this loop: it was " +
                    f.describe(given) + ", and the body gives " +
                    f.describe(value))
            .note(made->second.range, "it is bound here");
        continue;
      }
      carry.before = old->second;
      carry.form = unifyForm(f, getForm(f, given, nullptr), value, op);
    } else {
      // A reference to what was made outside is the same after any turn.
      bool isOutside =
          value.isTensor() &&
          !op->isAncestor(
              value.tensor->memref.getParentRegion()->getParentOp());
      if (isOutside || !canCross(value) || !f.isReadAfter(name))
        continue;
      carry.before = made->second;
      carry.before.depth = f.depth;
      carry.before.value = DslValue();
      carry.form = getForm(f, value, op);
      carry.isPromoted = true;
      // Fresh memory needs extents that are known before the loop.
      if (value.isTensor() &&
          llvm::any_of(carry.form.value.tensor->extents, [](const Extent &e) {
            return e.isStatic() && e.number == mlir::ShapedType::kDynamic;
          }))
        continue;
    }
    carries.push_back(std::move(carry));
  }
}

bool CarryingLoop::revise(ArrayRef<End> ends, mlir::Operation *op) {
  size_t count = carries.size();
  bool isNew = false;
  for (const End &end : ends)
    for (Carry &carry : carries)
      isNew |= reviseCarry(carry, end, op);
  for (const End &end : ends)
    isNew |= reviseFollowers(end);
  for (const End &end : ends)
    addCarries(*end.env, op);
  return isNew || carries.size() != count;
}

SmallVector<mlir::Value> CarryingLoop::getYields(const End &end) {
  SmallVector<mlir::Value> yields;
  for (auto [carry, argument] : llvm::zip(carries, arguments)) {
    const Binding &now = (*end.env)[carry.name];
    mlir::Value made;
    if (now.state == Binding::State::Bound && !now.value.isError())
      made = convertTo(f, now.value, carry.form, now.range);
    yields.push_back(made ? made : mlir::Value(argument));
  }
  return yields;
}

void CarryingLoop::run() {
  LoopDraft own(header);
  LoopDraft *outer = f.draft;
  LoopDraft &mine = outer ? outer->enter(header) : own;
  choose();
  takeDraft(mine);
  frame.carried = explicits.names;
  if (!explicits.takeYield(f, body))
    return;
  before = f.env;
  auto bulkBefore = f.bulkWrites, scalarBefore = f.scalarWrites;
  unsigned errors = f.module.session.getDiagnostics().getNumErrors();
  bool outerBranch = f.inBranch;
  mlir::Operation *op = nullptr;
  Environment inside;
  // Each further draft adds a carry or widens a type.
  for (unsigned draft = 0;; ++draft) {
    mlir::Operation *mark = f.builder.getInsertionBlock()->empty() ||
                                    f.builder.getInsertionPoint() ==
                                        f.builder.getInsertionBlock()->begin()
                                ? nullptr
                                : &*std::prev(f.builder.getInsertionPoint());
    SmallVector<mlir::Value> inits;
    for (const Carry &carry : carries) {
      mlir::Value init;
      if (!carry.isPromoted)
        init = convertTo(f, carry.before.value, carry.form, carry.before.range);
      else if (carry.form.value.isScalar() && isNeverEmpty)
        init = f.materialize(
            DslValue::makeHost(carry.form.value.dtype == DTypeKind::BOOL
                                   ? Value::boolean(false)
                                   : Value::integer(0)),
            *carry.form.value.dtype, header);
      else
        init = makeUndefined(f, carry.form, carry.name, header);
      if (!init)
        return;
      inits.push_back(init);
    }
    mlir::OpBuilder::InsertPoint outside = f.builder.saveInsertionPoint();
    op = create(inits);
    f.loops.push_back(&frame);
    f.inBranch = true;
    f.continuations.push_back(getAgain());
    Stmt *yield = const_cast<AssignStmt *>(explicits.yield);
    if (yield)
      f.continuations.push_back(StmtList(yield));
    mine.next = 0;
    f.draft = &mine;
    f.lowerNested(body);
    f.draft = outer;
    if (yield)
      f.continuations.pop_back();
    bool fallsThrough = !f.leftLoop;
    f.leftLoop = false;
    if (fallsThrough)
      explicits.lowerYield(f);
    f.continuations.pop_back();
    f.inBranch = outerBranch;
    f.loops.pop_back();

    SmallVector<End> ends;
    if (fallsThrough)
      ends.push_back({nullptr, &f.env});
    for (auto &[leave, env] : frame.leaves)
      ends.push_back({leave, &env});
    bool isNew = revise(ends, op);
    bool failed = errors != f.module.session.getDiagnostics().getNumErrors();
    // After an error there is no second look: it would say the same again.
    if (failed || !isNew || draft > 64) {
      mlir::OpBuilder::InsertPoint end = f.builder.saveInsertionPoint();
      for (const End &leave : ends)
        if (leave.leave && !failed) {
          f.builder.setInsertionPoint(leave.leave);
          leave.leave->setOperands(getYields(leave));
        }
      f.builder.restoreInsertionPoint(end);
      if (fallsThrough && !failed)
        terminate(getYields(ends.front()));
      else
        terminate(arguments);
      f.builder.restoreInsertionPoint(outside);
      inside = std::move(f.env);
      break;
    }
    op->erase();
    f.builder.restoreInsertionPoint(outside);
    // What the initial values of the draft needed goes with it.
    for (mlir::Value init : llvm::reverse(inits))
      if (mlir::Operation *made = init.getDefiningOp())
        if (made->getBlock() == f.builder.getInsertionBlock() &&
            mlir::isOpTriviallyDead(made) &&
            !mlir::isa<mlir::arith::ConstantOp>(made) &&
            (!mark || mark->isBeforeInBlock(made)))
          made->erase();
    f.env = before;
    f.bulkWrites = bulkBefore;
    f.scalarWrites = scalarBefore;
    frame.leaves.clear();
  }
  mine.keep(ArrayRef<Carry>(carries).drop_front(explicits.names.size()));
  f.env = before;
  bindAfter(inside, op);
}

void CarryingLoop::bindAfter(const Environment &inside, mlir::Operation *op) {
  // After an error, what only the next draft would have carried is unknown.
  while (carries.size() > op->getNumResults()) {
    Binding binding = carries.back().before;
    binding.value = DslValue::error();
    f.env[carries.back().name] = std::move(binding);
    carries.pop_back();
  }
  NameSet names = changed;
  addOwnNames(names);
  NameSet carried;
  for (const Carry &carry : carries)
    carried.insert(carry.name);
  for (Identifier name : names) {
    auto old = f.env.find(name);
    auto now = inside.find(name);
    bool wasBound =
        old != f.env.end() && old->second.state == Binding::State::Bound;
    // After the loop its variable is neither the value before nor, without a
    // turn, the last one.
    bool isVariable = !changed.contains(name);
    if (now == inside.end() || carried.contains(name) ||
        (wasBound && !isVariable))
      continue;
    Binding binding = now->second;
    binding.depth = f.depth;
    const DslValue &value = binding.value;
    bool isOutside =
        value.isTensor() &&
        !op->isAncestor(value.tensor->memref.getParentRegion()->getParentOp());
    if (binding.state == Binding::State::Bound && !isOutside &&
        !value.isError())
      binding.state = Binding::State::LoopOnly;
    f.env[name] = std::move(binding);
  }
  std::vector<DslValue> results;
  size_t numExplicit = explicits.names.size();
  for (auto [index, carry] : llvm::enumerate(carries)) {
    mlir::Value value = op->getResult(index);
    // The name of the first result is that of the op.
    if (index == 0)
      value.setLoc(f.module.getLoc(header, carry.name.str()));
    DslValue made = instantiate(f, carry.form, value, header);
    if (index < numExplicit) {
      results.push_back(made);
      // The names of the header belong to the body, when a yield names the
      // results.
      if (explicits.yield)
        continue;
    }
    Binding binding = carry.before;
    binding.value = made;
    if (index < numExplicit)
      binding.depth = f.depth;
    f.env[carry.name] = std::move(binding);
  }
  bindFollowers();
  if (explicits.yield)
    explicits.bindTargets(f, results);
}
