//===- Names.cpp - scopes and the lookup of names -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's names are found once, by a walk over its body that stops at
// nested functions; a name node then remembers how many frames up its slot is,
// or the entry of the module's table.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

//===----------------------------------------------------------------------===//
// Which names a function binds
//===----------------------------------------------------------------------===//

namespace {

class Binder {
public:
  explicit Binder(FunctionScope &scope) : scope(scope) {}

  void add(Identifier name) {
    if (name.empty() || excluded.count(name.getOpaque()))
      return;
    if (scope.slots.try_emplace(name.getOpaque(), scope.names.size()).second)
      scope.names.push_back(name);
  }

  /// `global` and `nonlocal` hold for the whole body, so they come first.
  void declarations(StmtList body) {
    for (const Stmt *statement : body) {
      if (const auto *global = dyn_cast<GlobalStmt>(statement)) {
        for (const NameRef &name : global->names) {
          excluded[name.name.getOpaque()] = true;
          scope.globals[name.name.getOpaque()] = true;
        }
      } else if (const auto *nonlocal = dyn_cast<NonlocalStmt>(statement)) {
        for (const NameRef &name : nonlocal->names)
          excluded[name.name.getOpaque()] = true;
      } else {
        blocks(statement, [&](StmtList inner) { declarations(inner); });
      }
    }
  }

  void statements(StmtList body) {
    for (const Stmt *statement : body) {
      this->statement(statement);
      blocks(statement, [&](StmtList inner) { statements(inner); });
    }
  }

  void target(const Expr *expr) {
    if (!expr)
      return;
    switch (expr->kind) {
    case NodeKind::Name:
      return add(cast<NameExpr>(expr)->name);
    case NodeKind::Starred:
      return target(cast<StarredExpr>(expr)->value);
    case NodeKind::Tuple:
      for (const Expr *element : cast<TupleExpr>(expr)->elements)
        target(element);
      return;
    case NodeKind::List:
      for (const Expr *element : cast<ListExpr>(expr)->elements)
        target(element);
      return;
    default:
      return expression(expr);
    }
  }

  /// Looks for `:=` and `yield`. Lambdas have names of their own; those of a
  /// comprehension's `:=` belong to the function around it.
  void expression(const Expr *expr) {
    if (!expr)
      return;
    switch (expr->kind) {
    case NodeKind::NamedExpr:
      add(cast<NamedExpr>(expr)->target->name);
      return expression(cast<NamedExpr>(expr)->value);
    case NodeKind::Yield:
      scope.isGenerator = true;
      return expression(cast<YieldExpr>(expr)->value);
    case NodeKind::YieldFrom:
      scope.isGenerator = true;
      return expression(cast<YieldFromExpr>(expr)->value);
    case NodeKind::Await:
      return expression(cast<AwaitExpr>(expr)->value);
    case NodeKind::BoolOp:
      return expressions(cast<BoolOpExpr>(expr)->values);
    case NodeKind::BinOp:
      expression(cast<BinOpExpr>(expr)->lhs);
      return expression(cast<BinOpExpr>(expr)->rhs);
    case NodeKind::UnaryOp:
      return expression(cast<UnaryOpExpr>(expr)->operand);
    case NodeKind::Lambda:
      for (const Param &param : cast<LambdaExpr>(expr)->params)
        expression(param.defaultValue);
      return;
    case NodeKind::IfExp:
      expression(cast<IfExpExpr>(expr)->test);
      expression(cast<IfExpExpr>(expr)->body);
      return expression(cast<IfExpExpr>(expr)->orelse);
    case NodeKind::Dict:
      expressions(cast<DictExpr>(expr)->keys);
      return expressions(cast<DictExpr>(expr)->values);
    case NodeKind::Set:
      return expressions(cast<SetExpr>(expr)->elements);
    case NodeKind::Comprehension: {
      const auto *comprehension = cast<ComprehensionExpr>(expr);
      expression(comprehension->element);
      expression(comprehension->value);
      for (const ComprehensionClause &clause : comprehension->clauses) {
        expression(clause.iter);
        expressions(clause.conditions);
      }
      return;
    }
    case NodeKind::Compare:
      expression(cast<CompareExpr>(expr)->left);
      return expressions(cast<CompareExpr>(expr)->comparators);
    case NodeKind::Call:
      expression(cast<CallExpr>(expr)->callee);
      expressions(cast<CallExpr>(expr)->args);
      for (const KeywordArg &keyword : cast<CallExpr>(expr)->keywords)
        expression(keyword.value);
      return;
    case NodeKind::FormattedValue:
      expression(cast<FormattedValueExpr>(expr)->value);
      return expression(cast<FormattedValueExpr>(expr)->formatSpec);
    case NodeKind::JoinedStr:
      return expressions(cast<JoinedStrExpr>(expr)->values);
    case NodeKind::Attribute:
      return expression(cast<AttributeExpr>(expr)->value);
    case NodeKind::Subscript:
      expression(cast<SubscriptExpr>(expr)->value);
      return expression(cast<SubscriptExpr>(expr)->index);
    case NodeKind::Starred:
      return expression(cast<StarredExpr>(expr)->value);
    case NodeKind::List:
      return expressions(cast<ListExpr>(expr)->elements);
    case NodeKind::Tuple:
      return expressions(cast<TupleExpr>(expr)->elements);
    case NodeKind::Slice:
      expression(cast<SliceExpr>(expr)->lower);
      expression(cast<SliceExpr>(expr)->upper);
      return expression(cast<SliceExpr>(expr)->step);
    default:
      return;
    }
  }

private:
  void expressions(ExprList list) {
    for (const Expr *expr : list)
      expression(expr);
  }

  void pattern(const Pattern *node) {
    add(node->name.name);
    for (const Pattern *inner : node->patterns)
      pattern(inner);
    for (const Pattern *inner : node->keywordPatterns)
      pattern(inner);
  }

  void decorated(ExprList decorators, ArrayRef<Param> params) {
    expressions(decorators);
    for (const Param &param : params)
      expression(param.defaultValue);
  }

  static void blocks(const Stmt *statement,
                     function_ref<void(StmtList)> visit) {
    switch (statement->kind) {
    case NodeKind::For:
      visit(cast<ForStmt>(statement)->body);
      return visit(cast<ForStmt>(statement)->orelse);
    case NodeKind::While:
      visit(cast<WhileStmt>(statement)->body);
      return visit(cast<WhileStmt>(statement)->orelse);
    case NodeKind::If:
      visit(cast<IfStmt>(statement)->body);
      return visit(cast<IfStmt>(statement)->orelse);
    case NodeKind::With:
      return visit(cast<WithStmt>(statement)->body);
    case NodeKind::Match:
      for (const MatchCase &arm : cast<MatchStmt>(statement)->cases)
        visit(arm.body);
      return;
    case NodeKind::Try:
      visit(cast<TryStmt>(statement)->body);
      for (const ExceptHandler &handler : cast<TryStmt>(statement)->handlers)
        visit(handler.body);
      visit(cast<TryStmt>(statement)->orelse);
      return visit(cast<TryStmt>(statement)->finalbody);
    default:
      return;
    }
  }

  void statement(const Stmt *statement) {
    switch (statement->kind) {
    case NodeKind::FunctionDef: {
      const auto *function = cast<FunctionDefStmt>(statement);
      add(function->name.name);
      return decorated(function->decorators, function->params);
    }
    case NodeKind::ClassDef:
      add(cast<ClassDefStmt>(statement)->name.name);
      return expressions(cast<ClassDefStmt>(statement)->decorators);
    case NodeKind::Return:
      return expression(cast<ReturnStmt>(statement)->value);
    case NodeKind::Delete:
      for (const Expr *expr : cast<DeleteStmt>(statement)->targets)
        target(expr);
      return;
    case NodeKind::Assign:
      for (const Expr *expr : cast<AssignStmt>(statement)->targets)
        target(expr);
      return expression(cast<AssignStmt>(statement)->value);
    case NodeKind::AugAssign:
      target(cast<AugAssignStmt>(statement)->target);
      return expression(cast<AugAssignStmt>(statement)->value);
    case NodeKind::AnnAssign:
      target(cast<AnnAssignStmt>(statement)->target);
      return expression(cast<AnnAssignStmt>(statement)->value);
    case NodeKind::For:
      target(cast<ForStmt>(statement)->target);
      return expression(cast<ForStmt>(statement)->iter);
    case NodeKind::While:
      return expression(cast<WhileStmt>(statement)->test);
    case NodeKind::If:
      return expression(cast<IfStmt>(statement)->test);
    case NodeKind::With:
      for (const WithItem &item : cast<WithStmt>(statement)->items) {
        expression(item.context);
        target(item.target);
      }
      return;
    case NodeKind::Match:
      expression(cast<MatchStmt>(statement)->subject);
      for (const MatchCase &arm : cast<MatchStmt>(statement)->cases) {
        pattern(arm.pattern);
        expression(arm.guard);
      }
      return;
    case NodeKind::Raise:
      expression(cast<RaiseStmt>(statement)->exception);
      return expression(cast<RaiseStmt>(statement)->cause);
    case NodeKind::Try:
      for (const ExceptHandler &handler : cast<TryStmt>(statement)->handlers) {
        expression(handler.type);
        add(handler.name.name);
      }
      return;
    case NodeKind::Assert:
      expression(cast<AssertStmt>(statement)->test);
      return expression(cast<AssertStmt>(statement)->message);
    case NodeKind::Import:
      for (const ImportAlias &alias : cast<ImportStmt>(statement)->names)
        addImport(alias);
      return;
    case NodeKind::ImportFrom:
      for (const ImportAlias &alias : cast<ImportFromStmt>(statement)->names)
        add(alias.asName.name ? alias.asName.name : alias.name.name);
      return;
    case NodeKind::ExprStmt:
      return expression(cast<ExprStmt>(statement)->value);
    default:
      return;
    }
  }

  /// `import a.b` binds `a`.
  void addImport(const ImportAlias &alias) {
    if (alias.asName.name)
      return add(alias.asName.name);
    StringRef dotted = alias.name.name;
    if (dotted.contains('.'))
      dottedHeads.push_back(dotted.split('.').first);
    else
      add(alias.name.name);
  }

public:
  /// First parts of dotted imports, which need an identifier of the context.
  SmallVector<StringRef> dottedHeads;

private:
  FunctionScope &scope;
  DenseMap<const void *, bool> excluded;
};

} // namespace

FunctionScope *Interpreter::analyse(const FunctionDefStmt *function,
                                    FunctionScope *parent) {
  if (function->scope)
    return function->scope;
  scopes.push_back(std::make_unique<FunctionScope>());
  FunctionScope *scope = function->scope = scopes.back().get();
  scope->parent = parent;
  Binder binder(*scope);
  for (const Param &param : function->params)
    binder.add(param.name);
  binder.declarations(function->body);
  binder.statements(function->body);
  for (StringRef head : binder.dottedHeads)
    binder.add(context.getIdentifier(head));
  return scope;
}

FunctionScope *Interpreter::analyse(const LambdaExpr *lambda,
                                    FunctionScope *parent) {
  if (lambda->scope)
    return lambda->scope;
  scopes.push_back(std::make_unique<FunctionScope>());
  FunctionScope *scope = lambda->scope = scopes.back().get();
  scope->parent = parent;
  Binder binder(*scope);
  for (const Param &param : lambda->params)
    binder.add(param.name);
  binder.expression(lambda->body);
  return scope;
}

FunctionScope *Interpreter::analyse(const ComprehensionExpr *comprehension,
                                    FunctionScope *parent) {
  if (comprehension->scope)
    return comprehension->scope;
  scopes.push_back(std::make_unique<FunctionScope>());
  FunctionScope *scope = comprehension->scope = scopes.back().get();
  scope->parent = parent;
  Binder binder(*scope);
  for (const ComprehensionClause &clause : comprehension->clauses)
    binder.target(clause.target);
  return scope;
}

Ref<Frame> Interpreter::makeFrame(FunctionScope *scope, Frame *parent,
                                  ModuleObject *module) {
  Ref<Frame> frame(
      new Frame(scope, Ref<Frame>(parent), module, scope->names.size()));
  frame->next = frames;
  frame->link = &frames;
  if (frames)
    frames->link = &frame->next;
  frames = frame.get();
  return frame;
}

Frame::~Frame() {
  if (!link)
    return;
  *link = next;
  if (next)
    next->link = link;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

static void resolve(const NameExpr *name, Env &env) {
  const void *key = name->name.getOpaque();
  unsigned depth = 0;
  for (FunctionScope *scope = env.scope; scope; scope = scope->parent) {
    if (scope->globals.count(key))
      break;
    auto it = scope->slots.find(key);
    if (it != scope->slots.end()) {
      name->binding = NameExpr::Binding::Local;
      name->depth = depth;
      name->slot = it->second;
      return;
    }
    ++depth;
  }
  auto inserted = env.module->globals.try_emplace(name->name.str());
  name->global = &*inserted.first;
  name->binding = NameExpr::Binding::Global;
}

static Frame *frameOf(const NameExpr *name, Env &env) {
  Frame *frame = env.frame;
  for (unsigned depth = name->depth; depth; --depth)
    frame = frame->parent.get();
  return frame;
}

Value Interpreter::unboundName(Identifier name, Env &env, SourceRange range,
                               bool isLocal) {
  if (isLocal)
    return fail("UnboundLocalError",
                "'" + name.str() + "' is used before it has a value", range);
  SmallVector<StringRef> candidates;
  for (FunctionScope *scope = env.scope; scope; scope = scope->parent)
    for (Identifier known : scope->names)
      candidates.push_back(known);
  for (const auto &entry : env.module->globals)
    if (!entry.second.isEmpty())
      candidates.push_back(entry.getKey());
  for (const auto &entry : builtins)
    candidates.push_back(entry.getKey());
  llvm::sort(candidates);
  return fail("NameError",
              "name '" + name.str() + "' is not defined" +
                  didYouMean(name, candidates),
              range);
}

Value Interpreter::lookup(const NameExpr *name, Env &env) {
  if (env.classBody) {
    // Class bodies run once; their names are looked up by text.
    if (const Value *found = env.classBody->attributes.find(name->name.str()))
      return *found;
  }
  if (name->binding == NameExpr::Binding::Unresolved)
    resolve(name, env);
  if (name->binding == NameExpr::Binding::Local) {
    const Value &value = frameOf(name, env)->slots[name->slot];
    if (value.isEmpty())
      return unboundName(name->name, env, name->range, true);
    return value;
  }
  const Value &global =
      static_cast<StringMapEntry<Value> *>(name->global)->second;
  if (!global.isEmpty())
    return global;
  auto builtin = builtins.find(name->name.str());
  if (builtin != builtins.end())
    return builtin->second;
  return unboundName(name->name, env, name->range, false);
}

void Interpreter::store(const NameExpr *name, Value value, Env &env) {
  if (env.classBody) {
    env.classBody->attributes.set(name->name.str(), std::move(value));
    return;
  }
  if (name->binding == NameExpr::Binding::Unresolved)
    resolve(name, env);
  if (name->binding == NameExpr::Binding::Local)
    frameOf(name, env)->slots[name->slot] = std::move(value);
  else
    static_cast<StringMapEntry<Value> *>(name->global)->second =
        std::move(value);
}

void Interpreter::store(Identifier name, Value value, Env &env) {
  if (env.classBody) {
    env.classBody->attributes.set(name.str(), std::move(value));
    return;
  }
  const void *key = name.getOpaque();
  Frame *frame = env.frame;
  for (FunctionScope *scope = env.scope; scope; scope = scope->parent) {
    if (scope->globals.count(key))
      break;
    auto it = scope->slots.find(key);
    if (it != scope->slots.end()) {
      frame->slots[it->second] = std::move(value);
      return;
    }
    frame = frame->parent.get();
  }
  env.module->globals[name.str()] = std::move(value);
}

LogicalResult Interpreter::erase(const NameExpr *name, Env &env) {
  Value current = lookup(name, env);
  if (current.isEmpty())
    return failure();
  if (env.classBody) {
    Value key = Value::str(name->name.str());
    env.classBody->attributes.erase(key, *hashValue(key));
    return success();
  }
  if (name->binding == NameExpr::Binding::Global &&
      static_cast<StringMapEntry<Value> *>(name->global)->second.isEmpty())
    return raise("NameError",
                 "name '" + name->name.str() + "' is not defined here",
                 name->range);
  store(name, Value(), env);
  return success();
}

const Value *Interpreter::lookup(StringRef name, const Frame *frame,
                                 const ModuleObject *module) const {
  for (; frame; frame = frame->parent.get()) {
    ArrayRef<Identifier> names = frame->scope->names;
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i].str() == name && !frame->slots[i].isEmpty())
        return &frame->slots[i];
  }
  if (module)
    if (const Value *found = module->find(name))
      return found;
  auto builtin = builtins.find(name);
  return builtin == builtins.end() ? nullptr : &builtin->second;
}

} // namespace pl::frontend
