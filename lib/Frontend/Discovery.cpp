//===- Discovery.cpp - what a file's own main block says of its kernels ---===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two things cannot be read off definitions: the shapes of a kernel for which
// only `pl.Tensor` is written, and the programs that a function makes when it
// is called. The statements of `if __name__ == "__main__":` know both. They are
// walked here one by one: what fails is left out, conditions that are not known
// count as both, and a call of a kernel is not made but noted.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace pl::frontend {

namespace {

class Discovery {
public:
  Discovery(Interpreter &interpreter,
            DenseMap<const KernelObject *, StringMap<TypeAnnotation>> &shapes)
      : interpreter(interpreter), shapes(shapes) {}

  void walkMain(ModuleObject &module);
  /// Calls the functions that make a program and need nothing for it.
  void callBuilders(ModuleObject &module);

private:
  void walk(StmtList statements, Env &env);
  void walk(const Stmt *stmt, Env &env);
  void walkCall(const CallExpr *call, Env &env);
  void enter(const FunctionObject &function, const CallExpr *call, Env &env);
  void note(const KernelObject &kernel, const CallExpr *call, Env &env);
  bool getArguments(const CallExpr *call, Env &env, std::vector<Value> &args);
  /// The value, or Empty with nothing pending.
  Value evaluate(const Expr *expr, Env &env) {
    Value value = interpreter.evaluate(expr, env);
    interpreter.pending.reset();
    return value;
  }

  Interpreter &interpreter;
  DenseMap<const KernelObject *, StringMap<TypeAnnotation>> &shapes;
  unsigned depth = 0;
  bool isOver = false; // the body at hand has returned
};

} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool Discovery::getArguments(const CallExpr *call, Env &env,
                             std::vector<Value> &args) {
  for (const Expr *arg : call->args) {
    const auto *starred = dyn_cast<StarredExpr>(arg);
    Value value = evaluate(starred ? starred->value : arg, env);
    if (!starred) {
      args.push_back(std::move(value)); // Empty where it is not known
      continue;
    }
    bool good =
        !value.isEmpty() && interpreter.toVector(value, arg->range, args);
    interpreter.pending.reset();
    if (!good)
      return false;
  }
  return true;
}

void Discovery::note(const KernelObject &kernel, const CallExpr *call,
                     Env &env) {
  if (shapes.count(&kernel))
    return;
  std::vector<Value> args;
  if (!getArguments(call, env, args))
    return;
  ArrayRef<Param> params = kernel.getParams();
  StringMap<TypeAnnotation> &known = shapes[&kernel];
  auto noteOne = [&](StringRef name, const Value &value) {
    if (std::optional<TypeAnnotation> type = getArrayType(interpreter, value))
      known[name] = std::move(*type);
  };
  for (size_t i = 0; i < args.size() && i < params.size(); ++i)
    noteOne(params[i].name, args[i]);
  for (const KeywordArg &keyword : call->keywords)
    for (const Param &param : params)
      if (keyword.name && param.name == keyword.name)
        noteOne(param.name, evaluate(keyword.value, env));
}

/// A function of the file is walked as well: it may be where things happen.
void Discovery::enter(const FunctionObject &function, const CallExpr *call,
                      Env &env) {
  constexpr unsigned kMaxDepth = 4;
  if (depth >= kMaxDepth || !function.def || !function.scope)
    return;
  std::vector<Value> args;
  if (!getArguments(call, env, args) || args.size() > function.params.size())
    return;
  Ref<Frame> frame = interpreter.makeFrame(
      function.scope, function.closure.get(), function.module.get());
  // The first slots of a function are its parameters, in order.
  for (size_t i = 0; i < function.params.size(); ++i) {
    Value value = i < args.size() ? args[i] : Value();
    for (const KeywordArg &keyword : call->keywords)
      if (keyword.name && function.params[i].name == keyword.name)
        value = evaluate(keyword.value, env);
    if (value.isEmpty() && i < function.defaults.size())
      value = function.defaults[i];
    frame->slots[i] = std::move(value);
  }
  Env inner;
  inner.module = function.module.get();
  inner.frame = frame.get();
  inner.scope = function.scope;
  ++depth;
  walk(function.def->body, inner);
  --depth;
  isOver = false;
}

void Discovery::walkCall(const CallExpr *call, Env &env) {
  const Expr *callee = call->callee;
  // Of `kernel.compile(x, ...)` the shapes are those of a call.
  if (const auto *attribute = dyn_cast<AttributeExpr>(callee)) {
    Value base = evaluate(attribute->value, env);
    if (const auto *kernel = base.as<KernelObject>())
      return note(*kernel, call, env);
  }
  Value value = evaluate(callee, env);
  if (const auto *kernel = value.as<KernelObject>())
    return note(*kernel, call, env);
  if (const auto *function = value.as<FunctionObject>())
    return enter(*function, call, env);
  if (value.isEmpty())
    if (const auto *subscript = dyn_cast<SubscriptExpr>(callee)) {
      // One of several kernels, by a key that is not known.
      Value table = evaluate(subscript->value, env);
      if (const auto *dict = table.as<DictObject>()) {
        for (const ValueTable::Entry &entry : dict->table.getEntries())
          if (const auto *kernel = entry.value.as<KernelObject>())
            note(*kernel, call, env);
        return;
      }
    }
  for (const Expr *arg : call->args)
    if (const auto *inner = dyn_cast<CallExpr>(arg))
      walkCall(inner, env);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Discovery::walk(StmtList statements, Env &env) {
  for (const Stmt *stmt : statements) {
    if (isOver)
      return;
    walk(stmt, env);
  }
}

void Discovery::walk(const Stmt *stmt, Env &env) {
  if (!interpreter.step(stmt->range)) {
    interpreter.pending.reset();
    isOver = true;
    return;
  }
  switch (stmt->kind) {
  case NodeKind::ExprStmt:
    if (auto *call = dyn_cast<CallExpr>(cast<ExprStmt>(stmt)->value))
      walkCall(call, env);
    return;
  case NodeKind::If: {
    auto *branch = cast<IfStmt>(stmt);
    Value test = evaluate(branch->test, env);
    std::optional<bool> truth;
    if (!test.isEmpty() && test.getKind() != ValueKind::Opaque)
      truth = interpreter.truth(test, branch->test->range);
    interpreter.pending.reset();
    if (truth != false)
      walk(branch->body, env);
    if (!truth)
      isOver = false;
    if (truth != true)
      walk(branch->orelse, env);
    if (!truth)
      isOver = false;
    return;
  }
  case NodeKind::For: {
    auto *loop = cast<ForStmt>(stmt);
    std::vector<Value> elements;
    Value iterable = evaluate(loop->iter, env);
    if (!iterable.isEmpty())
      (void)interpreter.toVector(iterable, loop->iter->range, elements);
    interpreter.pending.reset();
    constexpr size_t kMaxTurns = 64;
    for (const Value &element : ArrayRef(elements).take_front(kMaxTurns)) {
      if (isOver)
        return;
      bool good = succeeded(interpreter.assign(loop->target, element, env));
      interpreter.pending.reset();
      if (good)
        walk(loop->body, env);
    }
    return;
  }
  case NodeKind::With:
    return walk(cast<WithStmt>(stmt)->body, env);
  case NodeKind::Try:
    return walk(cast<TryStmt>(stmt)->body, env);
  case NodeKind::Return:
  case NodeKind::Raise: {
    const Expr *value = stmt->kind == NodeKind::Return
                            ? cast<ReturnStmt>(stmt)->value
                            : cast<RaiseStmt>(stmt)->exception;
    if (auto *call = dyn_cast_or_null<CallExpr>(value))
      walkCall(call, env);
    isOver = true;
    return;
  }
  case NodeKind::Assign: {
    // A kernel gives no value here; its call is noted all the same.
    if (auto *call = dyn_cast<CallExpr>(cast<AssignStmt>(stmt)->value)) {
      Value callee = evaluate(call->callee, env);
      const auto *attribute = dyn_cast<AttributeExpr>(call->callee);
      Value base = attribute ? evaluate(attribute->value, env) : Value();
      if (callee.as<KernelObject>() || base.as<KernelObject>())
        return walkCall(call, env);
    }
    [[fallthrough]];
  }
  case NodeKind::AnnAssign:
  case NodeKind::AugAssign:
  case NodeKind::Import:
  case NodeKind::ImportFrom:
  case NodeKind::FunctionDef:
  case NodeKind::ClassDef:
    (void)interpreter.execute(stmt, env);
    interpreter.pending.reset();
    return;
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// `__name__ == "__main__"`.
static bool isMainTest(const Expr *test) {
  const auto *compare = dyn_cast<CompareExpr>(test);
  if (!compare || compare->comparators.size() != 1)
    return false;
  const auto *name = dyn_cast<NameExpr>(compare->left);
  return name && name->name == "__name__";
}

void Discovery::walkMain(ModuleObject &module) {
  Env env;
  env.module = &module;
  for (const Stmt *stmt : module.ast->body)
    if (const auto *branch = dyn_cast<IfStmt>(stmt);
        branch && isMainTest(branch->test))
      walk(branch->body, env);
}

/// Whether statements define a class that is decorated with `pl.program`.
static bool makesProgram(StmtList statements) {
  for (const Stmt *stmt : statements)
    if (const auto *cls = dyn_cast<ClassDefStmt>(stmt))
      for (const Expr *decorator : cls->decorators) {
        const auto *call = dyn_cast<CallExpr>(decorator);
        const auto *attribute =
            dyn_cast<AttributeExpr>(call ? call->callee : decorator);
        if (attribute && attribute->attr == "program")
          return true;
      }
  return false;
}

void Discovery::callBuilders(ModuleObject &module) {
  Env env;
  env.module = &module;
  auto callOne = [&](const Value &value, bool isMethod) {
    const auto *function = value.as<FunctionObject>();
    if (!function || !function->def || !makesProgram(function->def->body))
      return;
    SmallVector<Value, 1> args;
    for (size_t i = 0; i < function->params.size(); ++i) {
      bool hasDefault =
          i < function->defaults.size() && !function->defaults[i].isEmpty();
      if (hasDefault)
        continue;
      // A method that makes a program rarely needs the object it belongs to.
      if (!isMethod || i != 0)
        return;
      args.push_back(Value::none());
    }
    (void)interpreter.call(value, args, {}, function->def->range);
    interpreter.pending.reset();
  };
  for (const Stmt *stmt : module.ast->body) {
    if (const auto *def = dyn_cast<FunctionDefStmt>(stmt)) {
      if (const Value *value = module.find(def->name.name))
        callOne(*value, /*isMethod=*/false);
    } else if (const auto *def = dyn_cast<ClassDefStmt>(stmt)) {
      // One with a base that is not known is not known either, but has been
      // made.
      const ClassObject *cls = nullptr;
      for (const Ref<ClassObject> &made : interpreter.allClasses)
        if (made->range.buffer == def->headerRange.buffer &&
            made->range.begin == def->headerRange.begin)
          cls = made.get();
      if (!cls)
        continue;
      for (const ValueTable::Entry &entry : cls->attributes.getEntries())
        if (!entry.key.isEmpty())
          callOne(entry.value, /*isMethod=*/true);
    }
  }
}

void Session::discover() {
  if (discovered || !getMainModule() || !getMainModule()->ast)
    return;
  discovered = true;
  ModuleObject &module = *interpreter->mainModule;
  // What the walk binds and prints is nobody's business.
  StringMap<Value> globals = module.globals;
  raw_ostream *output = interpreter->options.output;
  uint64_t stepLimit = interpreter->options.stepLimit;
  constexpr uint64_t kMaxSteps = 2'000'000;
  interpreter->options.output = &nulls();
  interpreter->options.stepLimit = kMaxSteps;
  interpreter->enterThread();
  interpreter->resetSteps();
  Discovery discovery(*interpreter, shapes);
  discovery.walkMain(module);
  if (collectEntries().empty())
    discovery.callBuilders(module);
  // In place: names know where their values are.
  for (auto &global : module.globals)
    global.second = globals.lookup(global.getKey());
  interpreter->options.output = output;
  interpreter->options.stepLimit = stepLimit;
  interpreter->resetSteps();
}

} // namespace pl::frontend
