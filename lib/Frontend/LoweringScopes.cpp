//===- LoweringScopes.cpp - core scopes, tasks and their dependencies -----===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

#include "pl/Machine/Machine.h"

using namespace pl::frontend;

mlir::ArrayAttr FunctionLowering::getUserEdges(size_t count) {
  mlir::Attribute edge =
      ir::EdgeAttr::get(builder.getContext(), ir::EdgeKind::user, {}, {});
  return builder.getArrayAttr(SmallVector<mlir::Attribute>(count, edge));
}

std::optional<bool> FunctionLowering::getFlag(const Expr *expr,
                                              StringRef what) {
  return getBool(expr, what, /*absent=*/false);
}

mlir::StringAttr FunctionLowering::getNameHint(const Expr *expr) {
  if (!expr)
    return {};
  DslValue value = lower(expr);
  if (!value.isHost() || !value.host.isStr()) {
    if (!value.isError())
      error(expr->range,
            "name_hint= must be a string, but this is " + describe(value));
    return {};
  }
  StringRef text = value.host.getStr();
  bool isIdentifier =
      !text.empty() && !llvm::isDigit(text.front()) &&
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier) {
    error(expr->range,
          "name_hint= must be an identifier, but this is '" + text + "'");
    return {};
  }
  return builder.getStringAttr(text);
}

//===----------------------------------------------------------------------===//
// deps=
//===----------------------------------------------------------------------===//

bool FunctionLowering::lowerDeps(const Expr *deps,
                                 SmallVectorImpl<mlir::Value> &tasks) {
  if (!deps)
    return true;
  ExprList entries;
  if (auto *list = llvm::dyn_cast<ListExpr>(deps)) {
    entries = list->elements;
  } else if (auto *tuple = llvm::dyn_cast<TupleExpr>(deps)) {
    entries = tuple->elements;
  } else if (llvm::isa<ComprehensionExpr>(deps)) {
    notLowered(deps->range, "a comprehension in deps=");
    return false;
  } else {
    error(deps->range, "deps= takes a list of TaskIds written out, but this is "
                       "'" +
                           getText(deps) + "'");
    return false;
  }
  bool good = true;
  for (const Expr *entry : entries) {
    if (llvm::isa<ComprehensionExpr>(entry)) {
      notLowered(entry->range, "a comprehension in deps=");
      good = false;
      continue;
    }
    DslValue value = lower(entry);
    if (value.isError()) {
      good = false;
    } else if (value.isTask()) {
      if (!llvm::is_contained(tasks, value.value))
        tasks.push_back(value.value);
    } else if (!value.isNone()) {
      error(entry->range, "deps= entries must be TaskIds, but '" +
                              getText(entry) + "' is " + describe(value));
      good = false;
    }
  }
  return good;
}

DslValue FunctionLowering::lowerDummy(OpCall &op) {
  if (core)
    return fail(op.range(), op.spelling + " makes a task, and belongs outside "
                                          "core scopes");
  if (inBranch)
    return notLowered(op.range(), "a task inside a run-time branch");
  SmallVector<mlir::Value> deps;
  if (!lowerDeps(op.args[0], deps))
    return DslValue::error();
  mlir::StringAttr name;
  if (targetName)
    name = builder.getStringAttr(targetName.str());
  mlir::Type type = ir::TaskType::get(builder.getContext());
  return DslValue::makeTask(ir::DummyOp::create(
      builder, loc(op.range()), type, deps, name, getUserEdges(deps.size())));
}

//===----------------------------------------------------------------------===//
// with
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerWith(const WithStmt *stmt) {
  SourceRange header = stmt->headerRange;
  if (stmt->items.size() != 1) {
    error(header, "a kernel enters one scope with each with statement");
    return;
  }
  const WithItem &item = stmt->items[0];
  auto *call = llvm::dyn_cast<CallExpr>(item.context);
  std::string name = call ? getPlName(call->callee) : "";
  if (item.target && !llvm::isa<NameExpr>(item.target)) {
    error(item.target->range, "'as' takes a plain name");
    return;
  }
  if (name == "pl.at")
    return lowerAt(stmt, call);
  if (name == "pl.spmd")
    return lowerSpmd(call, item.target, nullptr, stmt->body, header);
  if (name == "pl.scope" && call->args.empty() && call->keywords.empty()) {
    // An automatic scope bounds lifetimes, which the compiler works out itself.
    if (core)
      error(header, "pl.scope belongs outside core scopes");
    else if (item.target)
      error(item.target->range, "pl.scope() gives no value");
    else
      lowerNested(stmt->body);
    return;
  }
  if (name == "pl.scope" || name == "pl.manual_scope" || name == "pl.cluster") {
    notLowered(header,
               name == "pl.scope" ? "pl.scope with a mode" : Twine(name));
    return;
  }
  static const StringRef known[] = {"pl.at", "pl.spmd", "pl.scope",
                                    "pl.manual_scope"};
  error(item.context->range,
        "a kernel enters pl.at, pl.spmd or pl.scope, but not '" +
            getText(item.context) + "'" +
            (name.empty() ? std::string() : didYouMean(name, known)));
}

/// Sorts the keywords of a scope; reports unknown and unsupported ones.
static bool
collectKeywords(const CallExpr *call, ArrayRef<StringRef> known,
                ArrayRef<StringRef> later, llvm::StringMap<const Expr *> &found,
                llvm::function_ref<void(SourceRange, std::string)> error,
                StringRef spelling) {
  bool good = true;
  SmallVector<StringRef> all(known);
  all.append(later.begin(), later.end());
  for (const KeywordArg &keyword : call->keywords) {
    StringRef name = keyword.name;
    if (llvm::is_contained(known, name)) {
      found[name] = keyword.value;
      continue;
    }
    good = false;
    if (!keyword.name)
      error(keyword.range, (spelling + " does not take **").str());
    else if (llvm::is_contained(later, name))
      error(keyword.range,
            (name + "= of " + spelling + " is not lowered yet").str());
    else
      error(keyword.range, (spelling + " has no keyword '" + name + "'" +
                            didYouMean(name, all))
                               .str());
  }
  return good;
}

FunctionLowering::TaskOptions FunctionLowering::lowerTaskOptions(
    SourceRange header, const llvm::StringMap<const Expr *> &keywords,
    bool &good) {
  if (core) {
    error(header, "a core scope cannot be inside another")
        .note(core->header, "the outer scope is here");
    good = false;
  }
  if (good && inBranch) {
    notLowered(header, "a task inside a run-time branch");
    good = false;
  }
  TaskOptions options;
  good &= lowerDeps(keywords.lookup("deps"), options.deps);
  std::optional<bool> early =
      getFlag(keywords.lookup("allow_early_resolve"), "allow_early_resolve=");
  options.name = getNameHint(keywords.lookup("name_hint"));
  good &= early.has_value();
  options.allowEarly = early.value_or(false);
  return options;
}

void FunctionLowering::lowerAt(const WithStmt *stmt, const CallExpr *call) {
  SourceRange header = stmt->headerRange;
  const Expr *target = stmt->items[0].target;
  llvm::StringMap<const Expr *> keywords;
  auto report = [&](SourceRange range, std::string text) {
    error(range, text);
  };
  bool good = collectKeywords(
      call, {"level", "deps", "allow_early_resolve", "name_hint"},
      {"role", "optimizations", "no_dep_args", "dumps", "windowize"}, keywords,
      report, "pl.at");
  const Expr *level = keywords.lookup("level");
  if (call->args.size() > 1) {
    error(call->args[1]->range, "pl.at takes the level only; the rest are "
                                "keywords");
    good = false;
  } else if (call->args.size() == 1) {
    level = call->args[0];
  }
  if (!level) {
    error(call->range, "pl.at needs level=pl.Level.CORE_GROUP");
    good = false;
  } else {
    std::string member;
    if (!checkEnum(level, "level=", "Level", member)) {
      good = false;
    } else if (member != "CORE_GROUP") {
      notLowered(level->range, "a pl.at of level " + member);
      good = false;
    }
  }
  TaskOptions options = lowerTaskOptions(header, keywords, good);
  if (!good) {
    if (target)
      poison(target);
    return;
  }
  mlir::Type type = ir::TaskType::get(builder.getContext());
  auto op =
      ir::AtOp::create(builder, loc(header), type, options.deps, options.name,
                       getUserEdges(options.deps.size()), options.allowEarly);
  lowerScopeBody(op.getBody(), header, stmt->body, /*isSpmd=*/false, {},
                 nullptr);
  if (target)
    bindTarget(target, DslValue::makeTask(op.getTask()), header);
}

/// `with pl.spmd(n): with pl.at(level=CORE_GROUP, ...):` is one scope.
static const WithStmt *getSoleWith(StmtList body) {
  return body.size() == 1 ? llvm::dyn_cast<WithStmt>(body[0]) : nullptr;
}

void FunctionLowering::lowerSpmd(const CallExpr *call, const Expr *taskTarget,
                                 const ForStmt *loop, StmtList body,
                                 SourceRange header) {
  llvm::StringMap<const Expr *> keywords;
  auto report = [&](SourceRange range, std::string text) {
    error(range, text);
  };
  bool good =
      collectKeywords(call, {"deps", "allow_early_resolve", "name_hint"},
                      {"sync_start", "optimizations", "predicate"}, keywords,
                      report, "pl.spmd");
  if (call->args.size() != 1) {
    error(call->range, "pl.spmd takes one number of blocks");
    good = false;
  }
  if (const Expr *deps = keywords.lookup("deps"); deps && !taskTarget) {
    error(deps->range, "pl.spmd does not accept 'deps=' here; write with "
                       "pl.spmd(..., deps=[...]) as tid");
    good = false;
  }
  TaskOptions options = lowerTaskOptions(header, keywords, good);
  mlir::Value blocks;
  if (call->args.size() == 1) {
    DslValue count = lower(call->args[0]);
    if (std::optional<int64_t> number = getConstantInt(count)) {
      if (*number < 0 || *number > kMaxLaunchLanes) {
        error(call->args[0]->range,
              "pl.spmd takes 0 to " + Twine(kMaxLaunchLanes) +
                  " blocks (the runtime's limit), but this is " +
                  Twine(*number));
        good = false;
      }
    }
    if (good)
      blocks = toIndex(count, call->args[0]->range, "the number of blocks");
  }
  if (!good || !blocks) {
    if (taskTarget)
      poison(taskTarget);
    return;
  }
  if (const WithStmt *inner = getSoleWith(body); inner && !loop)
    if (auto *innerCall = llvm::dyn_cast<CallExpr>(inner->items[0].context))
      if (getPlName(innerCall->callee) == "pl.at") {
        if (inner->items[0].target || innerCall->keywords.size() > 1) {
          notLowered(inner->headerRange,
                     "pl.at with more than a level inside pl.spmd");
          return;
        }
        body = inner->body;
      }
  mlir::Type type = ir::TaskType::get(builder.getContext());
  auto op = ir::SpmdOp::create(builder, loc(header), type, blocks, options.deps,
                               options.name, getUserEdges(options.deps.size()),
                               options.allowEarly);
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  lowerScopeBody(op.getBody(), header, body, /*isSpmd=*/true, blocks, loop);
  bool usesIndex = readsBlockIndex || loop;
  if (!usesIndex && errors == module.session.getDiagnostics().getNumErrors())
    error(header, "the body of pl.spmd neither reads the per-block index "
                  "pl.tile.get_block_idx() nor dispatches a kernel: every "
                  "block would do the same");
  if (taskTarget)
    bindTarget(taskTarget, DslValue::makeTask(op.getTask()), header);
}

void FunctionLowering::lowerScopeBody(mlir::Region &region, SourceRange header,
                                      StmtList body, bool isSpmd,
                                      mlir::Value blocks, const ForStmt *loop) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block &block = region.emplaceBlock();
  CoreScope scope;
  scope.header = header;
  scope.isSpmd = isSpmd;
  scope.blocks = blocks;
  if (isSpmd)
    scope.blockIndex = block.addArgument(builder.getIndexType(), loc(header));
  // Only these names can end up with a value from inside. Looking at all names
  // would cost the square of the number of tasks.
  NameSet assigned;
  if (loop)
    assigned.insert(llvm::cast<NameExpr>(loop->target)->name);
  collectAssigned(body, assigned);
  Environment before;
  for (Identifier name : assigned)
    if (auto found = env.find(name); found != env.end())
      before[name] = found->second;
  Prologue prologue;
  prologue.block = &block;
  prologues.push_back(std::move(prologue));
  core = scope;
  readsBlockIndex = false;
  bulkWrites.clear();
  scalarWrites.clear();
  fills.clear();
  builder.setInsertionPointToEnd(&block);
  if (loop) {
    auto *name = llvm::cast<NameExpr>(loop->target);
    Binding binding;
    binding.value = DslValue::makeScalar(scope.blockIndex, DTypeKind::INDEX);
    binding.depth = depth + 1;
    binding.range = name->range;
    scope.blockIndex.setLoc(module.getLoc(name->range, name->name.str()));
    env[name->name] = std::move(binding);
  }
  lowerNested(body);
  core.reset();
  prologues.pop_back();

  // Only tensors made outside and constants are still there.
  for (Identifier name : assigned) {
    auto found = env.find(name);
    if (found == env.end())
      continue;
    Binding &binding = found->second;
    if (binding.state != Binding::State::Bound || binding.value.isError() ||
        binding.value.isHost())
      continue;
    auto old = before.find(name);
    auto isInside = [&](mlir::Value value) {
      return value && region.isAncestor(value.getParentRegion());
    };
    mlir::Value value = binding.value.isTensor() ? binding.value.tensor->memref
                                                 : binding.value.value;
    if (!isInside(value))
      continue;
    if (old != before.end() && old->second.state == Binding::State::Bound &&
        old->second.value.isTensor())
      binding = old->second; // its name was reused, with a warning
    else
      binding.state = Binding::State::LeftScope;
  }
}
