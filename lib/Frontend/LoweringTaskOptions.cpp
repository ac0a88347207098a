//===- LoweringTaskOptions.cpp - what a user says about a task ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Frontend/Interpreter.h"

using namespace pl::frontend;
using RuntimeScope = FunctionLowering::RuntimeScope;

mlir::ArrayAttr FunctionLowering::getUserEdges(size_t count) {
  mlir::Attribute edge =
      ir::EdgeAttr::get(builder.getContext(), ir::EdgeKind::user, {}, {});
  return builder.getArrayAttr(SmallVector<mlir::Attribute>(count, edge));
}

mlir::StringAttr FunctionLowering::getNameHint(const Expr *expr) {
  if (!expr)
    return {};
  DslValue value = lower(expr);
  if (!value.isHost() || !value.host.isStr()) {
    if (!value.isError())
      error(DiagCode::WrongArguments, expr->range,
            "name_hint= must be a string, but this is " + describe(value));
    return {};
  }
  StringRef text = value.host.getStr();
  if (text.empty())
    return {};
  bool isIdentifier =
      !llvm::isDigit(text.front()) &&
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier) {
    error(DiagCode::WrongArguments, expr->range,
          "name_hint= must be an identifier, but this is '" + text + "'");
    return {};
  }
  return builder.getStringAttr(text);
}

//===----------------------------------------------------------------------===//
// deps=
//===----------------------------------------------------------------------===//

namespace {

/// Collects the entries of one deps=.
class DepsLowering {
public:
  DepsLowering(FunctionLowering &f, SmallVectorImpl<mlir::Value> &tasks)
      : f(f), tasks(tasks) {}

  bool lowerEntry(const Expr *entry);

private:
  bool lowerComprehension(const ComprehensionExpr *comprehension);
  bool noteEntry(const Expr *entry, bool isWhole);

  FunctionLowering &f;
  SmallVectorImpl<mlir::Value> &tasks;
  const Expr *whole = nullptr, *single = nullptr;
};

} // namespace

/// A whole array does not stand beside single slots.
bool DepsLowering::noteEntry(const Expr *entry, bool isWhole) {
  const Expr *&mine = isWhole ? whole : single;
  const Expr *other = isWhole ? single : whole;
  if (!mine)
    mine = entry;
  if (!other)
    return true;
  f.error(DiagCode::DepsEntry, entry->range,
          "deps= cannot mix a whole TASK_ID array with single "
          "slots; name the array alone, or each slot")
      .note(other->range, isWhole ? "the slot is here" : "the array is here");
  return false;
}

bool DepsLowering::lowerEntry(const Expr *entry) {
  if (auto *comprehension = llvm::dyn_cast<ComprehensionExpr>(entry))
    return noteEntry(entry, /*isWhole=*/false) &&
           lowerComprehension(comprehension);
  DslValue value = f.lower(entry);
  if (value.isError())
    return false;
  if (llvm::isa<SubscriptExpr>(entry) && !noteEntry(entry, /*isWhole=*/false))
    return false;
  if (value.isTask()) {
    appendTask(value.value, tasks);
    return true;
  }
  if (value.isTaskArray()) {
    appendTasks(f, value.value, entry->range, tasks);
    return noteEntry(entry, /*isWhole=*/true);
  }
  if (value.isNone())
    return true;
  f.error(DiagCode::DepsEntry, entry->range,
          "deps= entries must be TaskIds, but '" + f.getText(entry) + "' is " +
              f.describe(value));
  return false;
}

/// The values that a comprehension goes over, from constants alone.
static bool getItems(FunctionLowering &f, const Expr *iter,
                     std::vector<DslValue> &items) {
  auto isRunTime = [&](const Expr *expr) {
    f.error(DiagCode::DepsComprehension, expr->range,
            "a comprehension in deps= is expanded at compile "
            "time, but '" +
                f.getText(expr) + "' is known at run time only");
    return false;
  };
  // range(...) of names that are constants here, such as those of pl.unroll.
  auto *call = llvm::dyn_cast<CallExpr>(iter);
  auto *callee = call ? llvm::dyn_cast<NameExpr>(call->callee) : nullptr;
  if (callee && callee->name == "range" && call->keywords.empty() &&
      !call->args.empty() && call->args.size() <= 3) {
    int64_t bounds[3] = {0, 0, 1};
    for (auto [index, arg] : llvm::enumerate(call->args)) {
      DslValue value = f.lower(arg);
      if (value.isError())
        return false;
      std::optional<int64_t> number = f.getConstantInt(value);
      if (!number)
        return isRunTime(arg);
      bounds[call->args.size() == 1 ? 1 : index] = *number;
    }
    constexpr size_t kMaxItems = 1 << 16;
    if (bounds[2] == 0) {
      f.error(DiagCode::DepsComprehension, call->args[2]->range,
              "the step of range() must not be 0");
      return false;
    }
    for (int64_t i = bounds[0];
         bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
      items.push_back(DslValue::makeHost(Value::integer(i)));
      if (llvm::AddOverflow(i, bounds[2], i))
        break;
      if (items.size() > kMaxItems) {
        f.error(DiagCode::DepsComprehension, iter->range,
                "this comprehension has more than " + Twine(kMaxItems) +
                    " entries");
        return false;
      }
    }
    return true;
  }
  DslValue value = f.lower(iter);
  if (value.isError())
    return false;
  if (value.kind == DslValue::Kind::Tuple) {
    items = std::move(value.elements);
    return true;
  }
  if (!value.isHost())
    return isRunTime(iter);
  ArrayRef<Value> list;
  if (auto *tuple = value.host.as<TupleObject>()) {
    list = tuple->elements;
  } else if (auto *hostList = value.host.as<ListObject>()) {
    list = hostList->elements;
  } else if (auto *range = value.host.as<RangeObject>()) {
    for (int64_t i = 0; i < range->length; ++i)
      items.push_back(
          DslValue::makeHost(Value::integer(range->start + i * range->step)));
    return true;
  } else {
    f.error(DiagCode::DepsComprehension, iter->range,
            "a comprehension in deps= goes over a range, a list "
            "or a tuple, but this is " +
                f.describe(value));
    return false;
  }
  for (const Value &element : list)
    items.push_back(DslValue::makeHost(element));
  return true;
}

bool DepsLowering::lowerComprehension(const ComprehensionExpr *comprehension) {
  bool isList = comprehension->comprehension == ComprehensionKind::List ||
                comprehension->comprehension == ComprehensionKind::Generator;
  if (!isList || comprehension->clauses.size() != 1) {
    f.error(DiagCode::DepsComprehension, comprehension->range,
            "a comprehension in deps= is a list with one "
            "for");
    return false;
  }
  const ComprehensionClause &clause = comprehension->clauses[0];
  auto *name = llvm::dyn_cast<NameExpr>(clause.target);
  if (!name) {
    f.error(DiagCode::DepsComprehension, clause.target->range,
            "a comprehension in deps= binds one name");
    return false;
  }
  std::vector<DslValue> items;
  if (!getItems(f, clause.iter, items))
    return false;
  std::optional<Binding> hidden;
  if (auto found = f.env.find(name->name); found != f.env.end())
    hidden = found->second;
  bool good = true;
  for (DslValue &item : items) {
    Binding binding;
    binding.value = std::move(item);
    binding.depth = f.depth + 1;
    binding.range = name->range;
    f.env[name->name] = std::move(binding);
    bool keeps = true;
    for (const Expr *condition : clause.conditions) {
      DslValue value = f.lower(condition);
      std::optional<bool> holds = f.getHostCondition(value);
      if (!holds) {
        if (!value.isError())
          f.error(DiagCode::DepsComprehension, condition->range,
                  "a condition of a comprehension in deps= "
                  "must be a constant True or False, but "
                  "this is " +
                      f.describe(value));
        good = keeps = false;
        break;
      }
      keeps &= *holds;
    }
    if (keeps)
      good &= lowerEntry(comprehension->element);
    if (!good)
      break;
  }
  if (hidden)
    f.env[name->name] = *hidden;
  else
    f.env.erase(name->name);
  return good;
}

bool FunctionLowering::lowerDeps(const Expr *deps,
                                 SmallVectorImpl<mlir::Value> &tasks) {
  if (!deps)
    return true;
  DepsLowering lowering(*this, tasks);
  if (llvm::isa<ComprehensionExpr>(deps))
    return lowering.lowerEntry(deps);
  ExprList entries;
  if (auto *list = llvm::dyn_cast<ListExpr>(deps)) {
    entries = list->elements;
  } else if (auto *tuple = llvm::dyn_cast<TupleExpr>(deps)) {
    entries = tuple->elements;
  } else if (auto *constant = llvm::dyn_cast<ConstantExpr>(deps);
             constant && constant->constant == ConstantKind::None) {
    return true;
  } else {
    error(DiagCode::DepsEntry, deps->range,
          "deps= takes a list of TaskIds written out, but this is "
          "'" +
              getText(deps) + "'");
    return false;
  }
  bool good = true;
  for (const Expr *entry : entries)
    good &= lowering.lowerEntry(entry);
  return good;
}

//===----------------------------------------------------------------------===//
// The other keywords
//===----------------------------------------------------------------------===//

/// The elements of a list written at the call.
static bool getLiteralList(FunctionLowering &f, const Expr *expr,
                           StringRef what, ExprList &list) {
  if (auto *literal = llvm::dyn_cast<ListExpr>(expr)) {
    list = literal->elements;
    return true;
  }
  if (auto *constant = llvm::dyn_cast<ConstantExpr>(expr);
      constant && constant->constant == ConstantKind::None)
    return true;
  f.error(DiagCode::NotConstant, expr->range,
          what + " takes a list written out, but this is '" + f.getText(expr) +
              "'");
  return false;
}

static bool getTensors(FunctionLowering &f, const Expr *expr, StringRef what,
                       SmallVectorImpl<DslValue> &tensors) {
  ExprList list;
  if (!expr)
    return true;
  if (!getLiteralList(f, expr, what, list))
    return false;
  bool good = true;
  for (const Expr *entry : list) {
    if (!llvm::isa<NameExpr>(entry)) {
      f.error(DiagCode::WrongArguments, entry->range,
              what + " takes names of tensors, but this is '" +
                  f.getText(entry) + "'");
      good = false;
      continue;
    }
    DslValue value = f.lower(entry);
    if (value.isTensor()) {
      tensors.push_back(value);
      continue;
    }
    if (!value.isError())
      f.error(DiagCode::WrongArguments, entry->range,
              what + " takes names of tensors, but '" + f.getText(entry) +
                  "' is " + f.describe(value));
    good = false;
  }
  return good;
}

/// The arguments of `pl.split(...)` or `pl.cross_core_slot(...)`.
static bool getArguments(FunctionLowering &f, const CallExpr *call,
                         StringRef spelling, ArrayRef<StringRef> params,
                         llvm::MutableArrayRef<const Expr *> found) {
  if (call->args.size() > params.size()) {
    f.error(DiagCode::WrongArguments, call->range,
            spelling + " takes at most " + Twine(params.size()) + " arguments");
    return false;
  }
  for (auto [index, arg] : llvm::enumerate(call->args))
    found[index] = arg;
  for (const KeywordArg &keyword : call->keywords) {
    auto at = llvm::find(params, keyword.name.str());
    if (at == params.end()) {
      f.error(DiagCode::WrongArguments, keyword.range,
              spelling + " has no keyword '" + keyword.name.str() + "'" +
                  didYouMean(keyword.name, params));
      return false;
    }
    found[at - params.begin()] = keyword.value;
  }
  return true;
}

/// `optimizations=[pl.split(mode), pl.cross_core_slot(slot_num=n)]`.
static bool getOptimizations(FunctionLowering &f, const Expr *expr,
                             FunctionLowering::TaskOptions &options) {
  ExprList list;
  if (!expr)
    return true;
  if (!getLiteralList(f, expr, "optimizations=", list))
    return false;
  mlir::Builder &builder = f.builder;
  const Expr *splitAt = nullptr, *slotsAt = nullptr;
  auto setSlots = [&](const Expr *value, const Expr *entry) {
    if (slotsAt) {
      f.error(DiagCode::BadSplit, entry->range,
              "the number of slots is given twice")
          .note(slotsAt->range, "it is given here too");
      return false;
    }
    slotsAt = entry;
    DslValue number = f.lower(value);
    std::optional<int64_t> count = f.getConstantInt(number);
    if (!count || *count < 1) {
      if (!number.isError())
        f.error(DiagCode::NotConstant, value->range,
                "slot_num= must be a constant of at least 1");
      return false;
    }
    options.attrs.push_back(
        builder.getNamedAttr("pl.slots", builder.getI64IntegerAttr(*count)));
    return true;
  };
  for (const Expr *entry : list) {
    auto *call = llvm::dyn_cast<CallExpr>(entry);
    std::string name = call ? f.getPlName(call->callee) : "";
    if (name == "pl.split") {
      const Expr *args[2] = {};
      if (!getArguments(f, call, name, {"mode", "slot_num"}, args))
        return false;
      if (splitAt) {
        f.error(DiagCode::BadSplit, entry->range, "pl.split is given twice")
            .note(splitAt->range, "it is given here too");
        return false;
      }
      splitAt = entry;
      std::string member;
      if (!args[0]) {
        f.error(DiagCode::BadSplit, entry->range,
                "pl.split needs a mode, such as "
                "pl.SplitMode.UP_DOWN");
        return false;
      }
      if (!f.checkEnum(args[0], "the mode of pl.split", "SplitMode", member))
        return false;
      ir::SplitMode mode = member == "UP_DOWN"      ? ir::SplitMode::up_down
                           : member == "LEFT_RIGHT" ? ir::SplitMode::left_right
                                                    : ir::SplitMode::none;
      options.attrs.push_back(builder.getNamedAttr(
          "pl.split", ir::SplitModeAttr::get(builder.getContext(), mode)));
      if (args[1] && !setSlots(args[1], entry))
        return false;
    } else if (name == "pl.cross_core_slot") {
      const Expr *args[1] = {};
      if (!getArguments(f, call, name, {"slot_num"}, args))
        return false;
      if (!args[0]) {
        f.error(DiagCode::BadSplit, entry->range,
                "pl.cross_core_slot needs slot_num=");
        return false;
      }
      if (!setSlots(args[0], entry))
        return false;
    } else {
      f.error(DiagCode::BadSplit, entry->range,
              "optimizations= holds pl.split(...) and "
              "pl.cross_core_slot(...), but not '" +
                  f.getText(entry) + "'");
      return false;
    }
  }
  return true;
}

/// `predicate=(t[i, j] OP literal)`, with the literal on either side.
static bool getPredicate(FunctionLowering &f, const Expr *expr,
                         FunctionLowering::TaskOptions &options) {
  if (!expr)
    return true;
  if (auto *constant = llvm::dyn_cast<ConstantExpr>(expr);
      constant && constant->constant == ConstantKind::None)
    return true;
  auto *compare = llvm::dyn_cast<CompareExpr>(expr);
  auto wrong = [&](SourceRange range) {
    f.error(DiagCode::Predicate, range,
            "predicate= is one comparison of an element of a tensor "
            "with an integer, such as t[i, 0] > 0");
    return false;
  };
  if (!compare || compare->ops.size() != 1 || compare->ops[0] > CmpOpKind::GtE)
    return wrong(expr->range);
  const Expr *left = compare->left, *right = compare->comparators[0];
  static constexpr ir::CmpKind kinds[] = {ir::CmpKind::eq, ir::CmpKind::ne,
                                          ir::CmpKind::lt, ir::CmpKind::le,
                                          ir::CmpKind::gt, ir::CmpKind::ge};
  static constexpr ir::CmpKind turned[] = {ir::CmpKind::eq, ir::CmpKind::ne,
                                           ir::CmpKind::gt, ir::CmpKind::ge,
                                           ir::CmpKind::lt, ir::CmpKind::le};
  bool isTurned = !llvm::isa<SubscriptExpr>(left);
  options.predicateCmp = (isTurned ? turned : kinds)[unsigned(compare->ops[0])];
  if (isTurned)
    std::swap(left, right);
  auto *element = llvm::dyn_cast<SubscriptExpr>(left);
  if (!element || !llvm::isa<NameExpr>(element->value))
    return wrong(expr->range);
  DslValue tensor = f.lower(element->value);
  DslValue number = f.lower(right);
  if (tensor.isError() || number.isError())
    return false;
  std::optional<int64_t> literal = f.getConstantInt(number);
  if (!tensor.isTensor() || !literal)
    return wrong(tensor.isTensor() ? right->range : element->range);
  mlir::Type type = f.module.getElementType(tensor.tensor->dtype);
  if (!type.isIntOrIndex()) {
    f.error(DiagCode::Predicate, element->range,
            "a predicate compares integers, but this is " + f.describe(tensor));
    return false;
  }
  FunctionLowering::Window window;
  window.range = element->range;
  if (!f.getWindow(element, tensor.tensor->extents, window))
    return false;
  if (!window.isElement())
    return wrong(element->range);
  if (!f.checkBounds(*tensor.tensor, window, window.sizes, "element"))
    return false;
  for (const DslValue &offset : window.offsets) {
    mlir::Value index = f.toIndex(offset, element->range, "an index");
    if (!index)
      return false;
    options.predicateIndices.push_back(index);
  }
  f.noteRead(*tensor.tensor, element->range);
  options.predicate = tensor;
  options.predicateValue = *literal;
  return true;
}

FunctionLowering::TaskOptions FunctionLowering::lowerTaskOptions(
    SourceRange header, const llvm::StringMap<const Expr *> &keywords,
    bool &good) {
  if (core) {
    error(DiagCode::NestedScope, header,
          "a core scope cannot be inside another")
        .note(core->header, "the outer scope is here");
    good = false;
  }
  TaskOptions options;
  if (!runtimeScopes.empty() &&
      runtimeScopes.back().kind == RuntimeScope::Kind::Cluster)
    for (StringRef name : {"deps", "allow_early_resolve", "predicate"})
      if (const Expr *expr = keywords.lookup(name)) {
        error(DiagCode::RuntimeScope, expr->range,
              "a task of a pl.cluster takes no " + name + "=")
            .note(runtimeScopes.back().header, "the cluster is here");
        good = false;
      }
  good &= lowerDeps(keywords.lookup("deps"), options.deps);
  auto getFlag = [&](StringRef name) {
    std::optional<bool> flag =
        getBool(keywords.lookup(name), (name + "=").str(), /*absent=*/false);
    good &= flag.has_value();
    return flag.value_or(false);
  };
  options.allowEarly = getFlag("allow_early_resolve");
  options.name = getNameHint(keywords.lookup("name_hint"));
  for (auto [keyword, attr] :
       {std::pair<StringRef, StringRef>{"sync_start", "pl.sync_start"},
        std::pair<StringRef, StringRef>{"windowize", "pl.windowize"}})
    if (getFlag(keyword))
      options.attrs.push_back(
          builder.getNamedAttr(attr, builder.getUnitAttr()));
  good &= getOptimizations(*this, keywords.lookup("optimizations"), options);
  good &= getTensors(*this, keywords.lookup("no_dep_args"),
                     "no_dep_args=", options.noDeps);
  good &= getTensors(*this, keywords.lookup("dumps"), "dumps=", options.dumps);
  good &= getPredicate(*this, keywords.lookup("predicate"), options);
  return options;
}

void FunctionLowering::applyTaskOptions(mlir::Operation *task,
                                        TaskOptions &options) {
  for (mlir::NamedAttribute attr : options.attrs)
    task->setDiscardableAttr(attr.getName(), attr.getValue());
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&task->getRegion(0).front());
  mlir::Location where = task->getLoc();
  for (const DslValue &tensor : options.noDeps)
    ir::NoDepOp::create(builder, where, tensor.tensor->memref);
  for (const DslValue &tensor : options.dumps)
    ir::DumpOp::create(builder, where, tensor.tensor->memref);
  if (options.predicate.isTensor())
    ir::PredicateOp::create(builder, where, options.predicate.tensor->memref,
                            options.predicateIndices, options.predicateCmp,
                            options.predicateValue);
}
