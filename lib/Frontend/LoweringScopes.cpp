//===- LoweringScopes.cpp - core scopes and scopes of the orchestration ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringRegions.h"
#include "LoweringRenames.h"

#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Machine/Machine.h"

using namespace pl::frontend;
using RuntimeScope = FunctionLowering::RuntimeScope;

//===----------------------------------------------------------------------===//
// with
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerWith(const WithStmt *stmt) {
  SourceRange header = stmt->headerRange;
  if (stmt->items.size() != 1) {
    error(DiagCode::UnsupportedPython, header,
          "a kernel enters one scope with each with statement");
    return;
  }
  if (isHost()) {
    error(DiagCode::HostOnly, header,
          "a host program launches programs (@pl.jit) on ranks; scopes "
          "and tasks belong into those");
    return;
  }
  const WithItem &item = stmt->items[0];
  auto *call = llvm::dyn_cast<CallExpr>(item.context);
  std::string name = call ? getPlName(call->callee) : "";
  if (item.target && !llvm::isa<NameExpr>(item.target)) {
    error(DiagCode::NestedScope, item.target->range, "'as' takes a plain name");
    return;
  }
  if (name == "pl.at")
    return lowerAt(stmt, call);
  if (name == "pl.spmd")
    return lowerSpmd(call, item.target, nullptr, stmt->body, header);
  if (name == "pl.scope" || name == "pl.manual_scope" || name == "pl.cluster")
    return lowerRuntimeScope(stmt, call, name);
  if (item.target)
    poison(item.target);
  static const StringRef known[] = {"pl.at", "pl.spmd", "pl.scope",
                                    "pl.manual_scope", "pl.cluster"};
  error(DiagCode::UnknownOperation, item.context->range,
        "a kernel enters pl.at, pl.spmd or pl.scope, but not '" +
            getText(item.context) + "'" +
            (name.empty() ? std::string() : didYouMean(name, known)));
}

//===----------------------------------------------------------------------===//
// Scopes of the orchestration
//===----------------------------------------------------------------------===//

/// The innermost scope that says who orders tasks.
static const RuntimeScope *getManualScope(FunctionLowering &f) {
  for (const RuntimeScope &scope : llvm::reverse(f.runtimeScopes))
    if (scope.kind == RuntimeScope::Kind::Manual)
      return &scope;
  return nullptr;
}

bool pl::frontend::checkRuntimeScope(FunctionLowering &f, SourceRange range) {
  const RuntimeScope *manual = getManualScope(f);
  if (!manual)
    return true;
  f.error(DiagCode::RuntimeScope, range,
          "a scope cannot be inside a manual scope")
      .note(manual->header, "the manual scope is here");
  return false;
}

/// Whether `with pl.scope(mode=...)` is manual; nothing after a report.
static std::optional<bool> getScopeMode(FunctionLowering &f,
                                        const CallExpr *call, StringRef name) {
  if (name == "pl.manual_scope") {
    if (call->args.empty() && call->keywords.empty())
      return true;
    f.error(DiagCode::WrongArguments, call->range,
            "pl.manual_scope takes no arguments");
    return std::nullopt;
  }
  const Expr *mode = call->args.size() == 1 ? call->args[0] : nullptr;
  if (call->args.size() > 1) {
    f.error(DiagCode::WrongArguments, call->args[1]->range,
            "pl.scope takes a mode only");
    return std::nullopt;
  }
  for (const KeywordArg &keyword : call->keywords) {
    if (keyword.name == "mode" && !mode) {
      mode = keyword.value;
      continue;
    }
    static const StringRef known[] = {"mode"};
    f.error(DiagCode::WrongArguments, keyword.range,
            "pl.scope has no keyword '" + keyword.name.str() + "'" +
                didYouMean(keyword.name, known));
    return std::nullopt;
  }
  if (!mode)
    return false;
  std::string member;
  if (!f.checkEnum(mode, "mode=", "ScopeMode", member))
    return std::nullopt;
  return member == "MANUAL";
}

void FunctionLowering::lowerRuntimeScope(const WithStmt *stmt,
                                         const CallExpr *call, StringRef name) {
  SourceRange header = stmt->headerRange;
  RuntimeScope scope;
  scope.header = header;
  mlir::StringAttr hint;
  if (name == "pl.cluster") {
    scope.kind = RuntimeScope::Kind::Cluster;
    for (const KeywordArg &keyword : call->keywords) {
      if (keyword.name == "name_hint") {
        hint = getNameHint(keyword.value);
        continue;
      }
      static const StringRef known[] = {"name_hint"};
      error(DiagCode::WrongArguments, keyword.range,
            "pl.cluster has no keyword '" + keyword.name.str() + "'" +
                didYouMean(keyword.name, known));
      return;
    }
  } else {
    std::optional<bool> isManual = getScopeMode(*this, call, name);
    if (!isManual)
      return;
    if (*isManual)
      scope.kind = RuntimeScope::Kind::Manual;
  }
  if (core) {
    error(DiagCode::MisplacedOp, header, name + " belongs outside core scopes")
        .note(core->header, "the core scope is here");
    return;
  }
  if (const Expr *target = stmt->items[0].target) {
    error(DiagCode::RuntimeScope, target->range, name + " gives no value");
    poison(target);
  }
  bool isCluster = scope.kind == RuntimeScope::Kind::Cluster;
  if (!isCluster && !checkRuntimeScope(*this, header))
    return;
  if (scope.kind == RuntimeScope::Kind::Auto && kernel.getAutoScope()) {
    error(DiagCode::RuntimeScope, header,
          "pl.scope() is placed by the compiler here; to write scopes "
          "by hand, declare the function with auto_scope=False")
        .note(kernel.def->headerRange, "the function is here");
    return;
  }
  if (result && !result->runtimeScope.isValid() && !isCluster)
    result->runtimeScope = header;
  runtimeScopes.push_back(scope);
  if (scope.kind == RuntimeScope::Kind::Auto) {
    // Bounds lifetimes, which the compiler works out itself.
    lowerNested(stmt->body);
  } else {
    lowerRegionScope(*this, stmt->body, header,
                     [&](mlir::OpBuilder &at, mlir::TypeRange types) {
                       if (isCluster)
                         return ir::ClusterOp::create(at, loc(header), types,
                                                      hint)
                             .getOperation();
                       return ir::ScopeOp::create(at, loc(header), types,
                                                  ir::ScopeKind::manual)
                           .getOperation();
                     });
  }
  runtimeScopes.pop_back();
}

//===----------------------------------------------------------------------===//
// pl.at
//===----------------------------------------------------------------------===//

/// Sorts the keywords of a scope; reports unknown ones.
static bool collectKeywords(FunctionLowering &f, const CallExpr *call,
                            ArrayRef<StringRef> known,
                            llvm::StringMap<const Expr *> &found,
                            StringRef spelling) {
  bool good = true;
  for (const KeywordArg &keyword : call->keywords) {
    if (!keyword.name) {
      f.error(DiagCode::WrongArguments, keyword.range,
              spelling + " does not take **");
      good = false;
      continue;
    }
    StringRef name = keyword.name;
    if (!llvm::is_contained(known, name)) {
      f.error(DiagCode::WrongArguments, keyword.range,
              spelling + " has no keyword '" + name + "'" +
                  didYouMean(name, known));
      good = false;
    } else if (!found.try_emplace(name, keyword.value).second) {
      f.error(DiagCode::WrongArguments, keyword.range,
              "'" + name + "' is given twice");
      good = false;
    }
  }
  return good;
}

/// Takes the level (and role) of pl.at out of its arguments.
static bool getLevel(FunctionLowering &f, const CallExpr *call,
                     llvm::StringMap<const Expr *> &keywords,
                     std::string &level) {
  StringRef names[] = {"level", "role"};
  for (auto [index, arg] : llvm::enumerate(call->args)) {
    if (index >= std::size(names)) {
      f.error(DiagCode::WrongArguments, arg->range,
              "pl.at takes a level and a role; the rest are "
              "keywords");
      return false;
    }
    if (!keywords.try_emplace(names[index], arg).second) {
      f.error(DiagCode::WrongArguments, arg->range,
              "'" + names[index] + "' is given twice");
      return false;
    }
  }
  const Expr *expr = keywords.lookup("level");
  if (!expr) {
    f.error(DiagCode::WrongArguments, call->range,
            "pl.at needs level=pl.Level.CORE_GROUP");
    return false;
  }
  return f.checkEnum(expr, "level=", "Level", level);
}

/// A scope above the core group: where its body runs. It is no task.
static void lowerHierarchy(FunctionLowering &f, const WithStmt *stmt,
                           const llvm::StringMap<const Expr *> &keywords,
                           StringRef level) {
  SourceRange header = stmt->headerRange;
  if (f.core) {
    f.error(DiagCode::NestedScope, header,
            "a scope of level " + level +
                " cannot be inside a core "
                "scope")
        .note(f.core->header, "the core scope is here");
    return;
  }
  for (auto &keyword : keywords) {
    StringRef name = keyword.getKey();
    if (name == "level" || name == "role" || name == "name_hint")
      continue;
    f.error(DiagCode::WrongArguments, keyword.second->range,
            "a pl.at of level " + level + " is no task, and takes no " + name +
                "=");
    return;
  }
  if (const Expr *target = stmt->items[0].target) {
    f.error(DiagCode::RuntimeScope, target->range,
            "a pl.at of level " + level + " is no task, and has no TaskId");
    f.poison(target);
  }
  mlir::StringAttr role;
  if (const Expr *expr = keywords.lookup("role")) {
    std::string member;
    if (!f.checkEnum(expr, "role=", "Role", member))
      return;
    role = f.builder.getStringAttr(member);
  }
  mlir::StringAttr name = f.getNameHint(keywords.lookup("name_hint"));
  RuntimeScope scope;
  scope.kind = RuntimeScope::Kind::Hierarchy;
  scope.header = header;
  f.runtimeScopes.push_back(scope);
  lowerRegionScope(
      f, stmt->body, header, [&](mlir::OpBuilder &at, mlir::TypeRange types) {
        return ir::HierarchyOp::create(at, f.loc(header), types,
                                       at.getStringAttr(level), role, name)
            .getOperation();
      });
  f.runtimeScopes.pop_back();
}

static const StringRef atKeywords[] = {
    "level",       "role",  "optimizations",       "deps",
    "no_dep_args", "dumps", "allow_early_resolve", "name_hint",
    "windowize"};

void FunctionLowering::lowerAt(const WithStmt *stmt, const CallExpr *call) {
  SourceRange header = stmt->headerRange;
  const Expr *target = stmt->items[0].target;
  llvm::StringMap<const Expr *> keywords;
  std::string level;
  bool good = collectKeywords(*this, call, atKeywords, keywords, "pl.at");
  good &= getLevel(*this, call, keywords, level);
  if (good && level != "CORE_GROUP")
    return lowerHierarchy(*this, stmt, keywords, level);
  if (const Expr *role = keywords.lookup("role"); good && role) {
    error(DiagCode::WrongArguments, role->range,
          "role= belongs to a level above the core group; leave "
          "it out with pl.Level.CORE_GROUP");
    good = false;
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
  applyTaskOptions(op, options);
  if (target)
    bindTarget(target, DslValue::makeTask(op.getTask()), header);
}

//===----------------------------------------------------------------------===//
// pl.spmd
//===----------------------------------------------------------------------===//

/// `with pl.spmd(n): with pl.at(level=CORE_GROUP, ...):` is one scope.
static const WithStmt *getSoleAt(FunctionLowering &f, StmtList body) {
  auto *with = body.size() == 1 ? llvm::dyn_cast<WithStmt>(body[0]) : nullptr;
  if (!with || with->items.size() != 1)
    return nullptr;
  auto *call = llvm::dyn_cast<CallExpr>(with->items[0].context);
  return call && f.getPlName(call->callee) == "pl.at" ? with : nullptr;
}

/// Adds what the pl.at inside a pl.spmd says to the keywords of both.
static bool mergeKeywords(FunctionLowering &f, const WithStmt *inner,
                          llvm::StringMap<const Expr *> &keywords) {
  auto *call = llvm::cast<CallExpr>(inner->items[0].context);
  llvm::StringMap<const Expr *> found;
  std::string level;
  if (!collectKeywords(f, call, atKeywords, found, "pl.at") ||
      !getLevel(f, call, found, level))
    return false;
  if (level != "CORE_GROUP" || found.count("role")) {
    f.error(DiagCode::NestedScope, inner->headerRange,
            "a pl.at inside pl.spmd is the core scope of "
            "the grid, of level CORE_GROUP");
    return false;
  }
  found.erase("level");
  for (auto &entry : found) {
    bool isFirst = keywords.try_emplace(entry.getKey(), entry.second).second;
    if (isFirst || entry.getKey() == "name_hint")
      continue;
    f.error(DiagCode::WrongArguments, entry.second->range,
            "'" + entry.getKey().str() +
                "' is given twice: pl.spmd and this "
                "pl.at are one task");
    return false;
  }
  return true;
}

void FunctionLowering::lowerSpmd(const CallExpr *call, const Expr *taskTarget,
                                 const ForStmt *loop, StmtList body,
                                 SourceRange header) {
  llvm::StringMap<const Expr *> keywords;
  bool good = collectKeywords(*this, call,
                              {"deps", "allow_early_resolve", "name_hint",
                               "sync_start", "optimizations", "predicate"},
                              keywords, "pl.spmd");
  if (call->args.size() != 1) {
    error(DiagCode::WrongArguments, call->range,
          "pl.spmd takes one number of blocks");
    good = false;
  }
  const WithStmt *inner = loop ? nullptr : getSoleAt(*this, body);
  if (inner && !core) {
    good &= mergeKeywords(*this, inner, keywords);
    if (!taskTarget)
      taskTarget = inner->items[0].target;
    if (taskTarget && !llvm::isa<NameExpr>(taskTarget)) {
      error(DiagCode::NestedScope, taskTarget->range,
            "'as' takes a plain name");
      return;
    }
    body = inner->body;
  }
  if (const Expr *deps = keywords.lookup("deps"); deps && !taskTarget) {
    error(DiagCode::SpmdBody, deps->range,
          "pl.spmd does not accept 'deps=' here; write with "
          "pl.spmd(..., deps=[...]) as tid");
    good = false;
  }
  if (taskTarget && !runtimeScopes.empty() &&
      runtimeScopes.back().kind == RuntimeScope::Kind::Cluster) {
    error(DiagCode::RuntimeScope, taskTarget->range,
          "a pl.spmd of a pl.cluster has no TaskId")
        .note(runtimeScopes.back().header, "the cluster is here");
    good = false;
  }
  TaskOptions options = lowerTaskOptions(header, keywords, good);
  mlir::Value blocks;
  if (call->args.size() == 1) {
    DslValue count = lower(call->args[0]);
    if (std::optional<int64_t> number = getConstantInt(count)) {
      if (*number < 0 || *number > kMaxLaunchLanes) {
        error(DiagCode::BlockCount, call->args[0]->range,
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
  mlir::Type type = ir::TaskType::get(builder.getContext());
  auto op = ir::SpmdOp::create(builder, loc(header), type, blocks, options.deps,
                               options.name, getUserEdges(options.deps.size()),
                               options.allowEarly);
  unsigned errors = module.session.getDiagnostics().getNumErrors();
  lowerScopeBody(op.getBody(), header, body, /*isSpmd=*/true, blocks, loop);
  applyTaskOptions(op, options);
  bool usesIndex = readsBlockIndex || loop;
  if (!usesIndex && errors == module.session.getDiagnostics().getNumErrors())
    error(DiagCode::SpmdBody, header,
          "the body of pl.spmd neither reads the per-block index "
          "pl.tile.get_block_idx() nor dispatches a kernel: every "
          "block would do the same");
  if (taskTarget)
    bindTarget(taskTarget, DslValue::makeTask(op.getTask()), header);
}

/// A tile that the code after a pl.at reads is an output of the task: it goes
/// to global memory, and the name stands for that.
static void storeResult(FunctionLowering &f, mlir::Region &region,
                        Identifier name) {
  auto found = f.env.find(name);
  if (found == f.env.end() || found->second.state != Binding::State::Bound)
    return;
  Binding &binding = found->second;
  DslValue tile = binding.value;
  if (!tile.isTile() || !tile.getTileType().isFullyValid() ||
      !region.isAncestor(tile.value.getParentRegion()) || !f.isReadAfter(name))
    return;
  auto tensor = std::make_shared<TensorRef>();
  tensor->dtype = *tile.dtype;
  tensor->name = name.str().str();
  FunctionLowering::Window window;
  window.range = binding.range;
  for (int64_t extent : tile.shape) {
    Extent made;
    made.number = extent;
    tensor->extents.push_back(made);
    window.offsets.push_back(DslValue::makeHost(Value::integer(0)));
    window.sizes.push_back(DslValue::makeHost(Value::integer(extent)));
    window.dropped.push_back(false);
  }
  {
    mlir::OpBuilder::InsertionGuard guard(f.builder);
    f.builder.setInsertionPoint(region.getParentOp());
    tensor->memref = tensor->root = ir::AllocOp::create(
        f.builder, f.module.getLoc(binding.range, tensor->name),
        mlir::MemRefType::get(tile.shape, f.module.getElementType(*tile.dtype)),
        mlir::ValueRange(), f.builder.getStringAttr(tensor->name));
  }
  if (f.storeTile(tile, *tensor, window, /*hasSizes=*/true, /*atomic=*/false,
                  binding.range))
    binding.value = DslValue::makeTensor(std::move(tensor));
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
  // Loops and branches around a task are not those of its cores.
  SmallVector<LoopFrame *> outerLoops = std::move(loops);
  loops.clear();
  bool outerBranch = inBranch;
  inBranch = false;
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
  loadRenamed(*this, body, before);
  lowerNested(body);
  if (!isSpmd)
    for (Identifier name : assigned)
      if (auto old = before.find(name);
          old == before.end() || !old->second.value.isTensor() ||
          !keepsName(*this, name, old->second.value))
        storeResult(*this, region, name);
  core.reset();
  prologues.pop_back();
  loops = std::move(outerLoops);
  inBranch = outerBranch;

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
        old->second.value.isTensor() &&
        (binding.value.isTensor() || !isReadAfter(name) ||
         keepsName(*this, name, old->second.value)))
      binding = old->second;
    else
      binding.state = Binding::State::LeftScope;
  }
}
