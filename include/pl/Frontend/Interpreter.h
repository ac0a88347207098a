//===- Interpreter.h - executes the host world ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree-walking interpreter of module level, fixtures and goldens: Python's
// meaning on 64-bit integers and doubles. An operation that returns a Value
// returns an Empty one when it raised; the exception is then pending, and the
// caller hands the failure on. Limits on steps, calls and the stack make every
// program end.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_INTERPRETER_H
#define PL_FRONTEND_INTERPRETER_H

#include "pl/Frontend/Module.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <thread>

namespace pl::frontend {

struct Methods;

/// Names of one function, lambda or comprehension and their slots.
struct FunctionScope {
  FunctionScope *parent = nullptr;
  std::vector<Identifier> names;
  llvm::DenseMap<const void *, uint32_t> slots;
  llvm::DenseMap<const void *, bool> globals; // declared `global`
  bool isGenerator = false;
};

/// Where code runs.
struct Env {
  ModuleObject *module = nullptr;
  Frame *frame = nullptr; // null at module level
  FunctionScope *scope = nullptr;
  ClassObject *classBody = nullptr; // its namespace comes first
};

/// How a statement ended.
enum class Flow : uint8_t { Normal, Break, Continue, Return, Raise };

/// An exception on its way up.
struct PendingException {
  struct Call {
    std::string function;
    SourceRange range;
  };
  Ref<InstanceObject> value;
  SourceRange range;
  std::vector<Call> calls; // outermost first
  std::vector<Diagnostic> notes;
  bool fatal = false;    // no `except` catches it
  bool isUsage = false;  // the command line is wrong
  bool reported = false; // diagnostics tell already
};

class Interpreter;
/// Shape and dtype of an array.
std::optional<TypeAnnotation> getArrayType(Interpreter &interpreter,
                                           const Value &value);

class Interpreter {
public:
  Interpreter(SourceManager &sources, DiagnosticEngine &diagnostics,
              LoadOptions options, std::unique_ptr<ArrayOps> arrays);
  ~Interpreter();
  Interpreter(const Interpreter &) = delete;

  //===--- Programs (ModuleLoader.cpp) ------------------------------------===//
  Ref<ModuleObject> loadFile(llvm::StringRef path);
  Ref<ModuleObject> loadBuffer(llvm::StringRef name, llvm::StringRef path,
                               uint32_t buffer);
  /// The value of `import NAME`: a module, or an opaque value. Empty: raised.
  Value importModule(llvm::StringRef name, SourceRange range,
                     const ModuleObject *from);

  //===--- Exceptions (Exceptions.cpp) ------------------------------------===//
  llvm::LogicalResult raise(llvm::StringRef type, const llvm::Twine &message,
                            SourceRange range);
  llvm::LogicalResult raiseNoAttribute(const Value &value, llvm::StringRef name,
                                       llvm::ArrayRef<llvm::StringRef> known,
                                       SourceRange range);
  /// The same, for functions that return a Value.
  Value fail(llvm::StringRef type, const llvm::Twine &message,
             SourceRange range) {
    (void)raise(type, message, range);
    return Value();
  }
  /// Needs the value of something that was not found.
  llvm::LogicalResult raiseOpaque(const Value &opaque, SourceRange range);
  bool hasPending() const { return pending.has_value(); }
  /// The exception that is pending, to be changed or cleared.
  std::optional<PendingException> pending;
  /// Reports the pending exception as a diagnostic and clears it.
  void reportPending();
  ClassObject *getExceptionClass(llvm::StringRef name);

  //===--- Execution (Statements.cpp, Expressions.cpp) --------------------===//
  Flow execute(StmtList statements, Env &env);
  Flow execute(const Stmt *statement, Env &env);
  Value evaluate(const Expr *expr, Env &env);
  llvm::LogicalResult assign(const Expr *target, Value value, Env &env);

  //===--- Calls (Calls.cpp) ----------------------------------------------===//
  Value call(const Value &callee, llvm::ArrayRef<Value> args,
             llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  /// A lazy value is made (once); other values are given back.
  Value force(const Value &value, SourceRange range = {});
  /// Lists, tuples, dicts, sets, instances and arrays are copied.
  Value deepCopy(const Value &value, unsigned depth = 0);

  //===--- Operations (Operators, Comparisons, Attributes, Items.cpp) -----===//
  Value binary(BinOpKind op, const Value &lhs, const Value &rhs,
               SourceRange range);
  Value inPlace(BinOpKind op, const Value &lhs, const Value &rhs,
                SourceRange range);
  Value unary(UnaryOpKind op, const Value &operand, SourceRange range);
  Value compare(CmpOpKind op, const Value &lhs, const Value &rhs,
                SourceRange range);
  std::optional<bool> truth(const Value &value, SourceRange range);
  std::optional<bool> equal(const Value &lhs, const Value &rhs,
                            SourceRange range);
  std::optional<bool> less(const Value &lhs, const Value &rhs,
                           SourceRange range);
  std::optional<bool> contains(const Value &container, const Value &item,
                               SourceRange range);
  Value getAttr(const Value &value, llvm::StringRef name, SourceRange range);
  /// What a module of ours gives for a name that it does not have: an error
  /// only where it is needed.
  Value makeLacking(const ModuleObject &module, llvm::StringRef name,
                    SourceRange range);
  /// Empty without raising when there is no such attribute.
  Value findAttr(const Value &value, llvm::StringRef name, SourceRange range);
  llvm::LogicalResult setAttr(const Value &value, llvm::StringRef name,
                              const Value &newValue, SourceRange range);
  Value getItem(const Value &value, const Value &index, SourceRange range);
  llvm::LogicalResult setItem(const Value &value, const Value &index,
                              const Value &newValue, SourceRange range);
  llvm::LogicalResult deleteItem(const Value &value, const Value &index,
                                 SourceRange range);
  /// Hash, or TypeError "unhashable type".
  std::optional<uint64_t> hash(const Value &value, SourceRange range);
  /// An int where one is needed (bools and one-element integer arrays too).
  std::optional<int64_t> toIndex(const Value &value, SourceRange range,
                                 llvm::StringRef what);
  std::optional<int64_t> length(const Value &value, SourceRange range);

  //===--- Iteration (Iteration.cpp) --------------------------------------===//
  Ref<IteratorObject> iterate(const Value &value, SourceRange range);
  /// Calls `visit` for each element until it returns false; fails when an
  /// element raised or `visit` left an exception pending.
  llvm::LogicalResult forEach(const Value &value, SourceRange range,
                              llvm::function_ref<bool(const Value &)> visit);
  bool toVector(const Value &value, SourceRange range,
                std::vector<Value> &elements);

  //===--- Text (Formatting.cpp, FormatStrings.cpp) -----------------------===//
  Value toStr(const Value &value, SourceRange range);
  Value toRepr(const Value &value, SourceRange range);
  /// `format(value, spec)`.
  Value format(const Value &value, llvm::StringRef spec, SourceRange range);
  /// `text % args`.
  Value formatPercent(llvm::StringRef text, const Value &args,
                      SourceRange range);
  /// `text.format(…)`.
  Value formatFields(llvm::StringRef text, llvm::ArrayRef<Value> args,
                     llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  /// repr for messages: never raises, cut when long.
  std::string shortRepr(const Value &value);

  //===--- Names (Names.cpp) ----------------------------------------------===//
  Value lookup(const NameExpr *name, Env &env);
  void store(const NameExpr *name, Value value, Env &env);
  void store(Identifier name, Value value, Env &env);
  llvm::LogicalResult erase(const NameExpr *name, Env &env);
  /// By text, as kernels look names up from outside. Null: unbound.
  const Value *lookup(llvm::StringRef name, const Frame *frame,
                      const ModuleObject *module) const;
  FunctionScope *analyse(const FunctionDefStmt *function,
                         FunctionScope *parent);
  FunctionScope *analyse(const LambdaExpr *lambda, FunctionScope *parent);
  FunctionScope *analyse(const ComprehensionExpr *comprehension,
                         FunctionScope *parent);
  Ref<Frame> makeFrame(FunctionScope *scope, Frame *parent,
                       ModuleObject *module);

  //===--- Constants of other modules (ModuleValues.cpp) ------------------===//
  void noteModuleRead(const ModuleObject &module, llvm::StringRef name,
                      const Value &value, SourceRange range);
  void noteModuleWrite(ModuleObject &module, llvm::StringRef name,
                       SourceRange range);
  /// Warns of modules that read a constant before it was changed.
  void reportStaleReads();

  //===--- Annotations (Annotations.cpp) ----------------------------------===//
  /// What an annotation's value says; fails with an exception.
  llvm::FailureOr<TypeAnnotation> toAnnotation(const Value &value,
                                               SourceRange range);
  Value subscriptAnnotation(const AnnotationObject *base, const Value &index,
                            SourceRange range);

  //===--- Limits ---------------------------------------------------------===//
  /// One statement, loop turn or call. False (and raised) when there were too
  /// many.
  bool step(SourceRange range, uint64_t cost = 1) {
    steps += cost;
    return steps <= nextLook || lookAtLimits(range);
  }
  void resetSteps() {
    steps = 0;
    nextLook = kStepsPerLook;
  }
  /// False (and raised) when the stack is nearly used up.
  bool checkStack(SourceRange range) {
    char here;
    return reinterpret_cast<uintptr_t>(&here) > stackLimit ||
           stackExhausted(range);
  }
  /// Remembers how deep the stack of this thread may grow. Called at every
  /// entry from outside.
  void enterThread();
  /// Largest list or string an operation may make.
  static constexpr int64_t kMaxElements = int64_t(1) << 24;
  /// Asked before a list or string of so many elements is made. False (and
  /// raised) when it is too large, or when memory is used up.
  bool checkSize(int64_t elements, SourceRange range);

  //===--- State ----------------------------------------------------------===//
  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  LoadOptions options;
  std::unique_ptr<ArrayOps> arrays;
  ASTContext context;

  llvm::StringMap<Value> builtins;
  Ref<ModuleObject> mainModule;
  std::vector<Ref<KernelObject>> kernels;
  /// All that were made, also those that names stand for as something unknown.
  std::vector<Ref<ClassObject>> allClasses;
  std::vector<EntryRecord> entries;
  std::vector<ParamRecord> params;
  Ref<KernelObject> mainEntry;
  bool usageErrors = false;
  /// Statements of `try` whose handlers catch a failing import.
  unsigned importGuards = 0;

  EntryRecord &getEntry(const Ref<KernelObject> &kernel);
  /// Writes what `print` prints.
  llvm::raw_ostream &getOutput();

  //===--- Parts of the above, shared by several files --------------------===//
  void addBuiltins();                             // Builtins.cpp
  void addBuiltinTypes();                         // BuiltinTypes.cpp
  void addExceptionClasses();                     // Exceptions.cpp
  Value makeStandardModule(llvm::StringRef name); // StdModules.cpp
  Ref<ModuleObject> makePlModule();               // HostPl.cpp
  Ref<ModuleObject> makePldModule(ModuleObject *pl);
  Value importBuiltinModule(llvm::StringRef name);
  /// A method of a built-in type, or Empty (ContainerMethods.cpp).
  Value findMethod(const Value &value, llvm::StringRef name);
  /// Calls it without making a bound method; sets `found`.
  Value callMethod(const Value &value, llvm::StringRef name,
                   CallContext &context, bool &found);
  Value instantiate(ClassObject *cls, llvm::ArrayRef<Value> args,
                    llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  Value applyDataclass(ClassObject *cls, llvm::ArrayRef<NamedValue> options,
                       SourceRange range);
  Value defineClass(const ClassDefStmt *statement, Env &env);
  Value defineFunction(const FunctionDefStmt *statement, Env &env);
  bool isInstance(const Value &value, const Value &type, SourceRange range,
                  bool &result);
  Value typeOf(const Value &value);

  /// Results of `return`, and the exception that `raise` alone re-raises.
  Value returnValue;
  std::vector<PendingException> handled;
  std::vector<PendingException::Call> callStack;

private:
  friend struct CallScope;
  /// The limits on steps and memory are looked at every so often.
  static constexpr uint64_t kStepsPerLook = uint64_t(1) << 16;
  bool lookAtLimits(SourceRange range);
  bool checkMemory(SourceRange range, uint64_t more);
  bool stackExhausted(SourceRange range);

  Value evaluateUncommon(const Expr *expr, Env &env);
  Value evaluateCall(const CallExpr *call, Env &env);
  Value evaluateComprehension(const ComprehensionExpr *expr, Env &env);
  /// Runs the clauses from `clause` on, the first of them over `iterable`, and
  /// calls `emit` for each element that passes; false when something raised or
  /// `emit` gave false.
  bool runClauses(const ComprehensionExpr *expr, size_t clause,
                  const Value &iterable, Env &env,
                  llvm::function_ref<bool()> emit);
  Value evaluateConstant(const ConstantExpr *constant);
  Value evaluateJoined(const JoinedStrExpr *joined, Env &env);
  Value evaluateCompare(const CompareExpr *expr, Env &env);
  bool evaluateElements(ExprList elements, Env &env,
                        std::vector<Value> &values);
  Value callFunction(const FunctionObject *function, llvm::ArrayRef<Value> args,
                     llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  bool bindArguments(const FunctionObject *function, Frame &frame,
                     llvm::ArrayRef<Value> args,
                     llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  Value callNative(const NativeObject *native, llvm::ArrayRef<Value> args,
                   llvm::ArrayRef<NamedValue> keywords, SourceRange range);
  bool makeDefaults(llvm::ArrayRef<Param> params, Env &env,
                    std::vector<Value> &defaults);

  Flow executeFor(const ForStmt *statement, Env &env);
  Flow executeWhile(const WhileStmt *statement, Env &env);
  Flow executeTry(const TryStmt *statement, Env &env);
  Flow executeWith(const WithStmt *statement, size_t item, Env &env);
  Flow executeMatch(const MatchStmt *statement, Env &env);
  bool matches(const Pattern *pattern, const Value &subject, Env &env,
               bool &result);
  Flow executeImport(const ImportStmt *statement, Env &env);
  Flow executeImportFrom(const ImportFromStmt *statement, Env &env);
  Flow executeRaise(const RaiseStmt *statement, Env &env);
  Flow executeAssert(const AssertStmt *statement, Env &env);
  Flow executeAugAssign(const AugAssignStmt *statement, Env &env);
  Flow executeDelete(const Expr *target, Env &env);
  bool unpack(const Value &value, ExprList targets, SourceRange range,
              Env &env);
  bool handlerMatches(const ExceptHandler &handler, Env &env, bool &result);
  Value unboundName(Identifier name, Env &env, SourceRange range, bool isLocal);

  std::string findModuleFile(llvm::StringRef name, const ModuleObject *from);
  /// "circular import: 'a' -> 'b' -> 'a'", for a module that is being imported.
  std::string describeImportCycle(const ModuleObject *module) const;

  std::vector<std::unique_ptr<FunctionScope>> scopes;
  llvm::StringMap<Value> moduleCache; // by name: built-in and opaque
  llvm::StringMap<Ref<ModuleObject>> filesByPath;
  llvm::StringMap<Ref<ClassObject>> exceptionClasses;
  std::shared_ptr<Methods> methods;
  /// All that were made, to break circles at the end.
  std::vector<Ref<ModuleObject>> allModules;
  /// Those whose statements run, the outermost first.
  std::vector<const ModuleObject *> importing;
  struct ModuleUse {
    SourceRange range;
    Value value; // read, or the module written to
  };
  /// Buffer of the module and the name in it.
  using ModuleName = std::pair<uint32_t, std::string>;
  std::map<ModuleName, std::vector<ModuleUse>> moduleReads;
  std::map<ModuleName, ModuleUse> moduleWrites;
  Frame *frames = nullptr;
  uint64_t steps = 0;
  uint64_t nextLook = kStepsPerLook;
  /// Bytes asked for since memory was looked at, and those held at the start.
  uint64_t unseenBytes = 0;
  uint64_t startBytes = 0;
  unsigned callDepth = 0;
  uintptr_t stackLimit = 0;
  uintptr_t stackBottom = 0;
  std::thread::id enteredThread;
};

/// Restores depth and call stack when a call ends.
struct CallScope {
  CallScope(Interpreter &interpreter, llvm::StringRef function,
            SourceRange range)
      : interpreter(interpreter) {
    ++interpreter.callDepth;
    interpreter.callStack.push_back({function.str(), range});
  }
  ~CallScope() {
    --interpreter.callDepth;
    interpreter.callStack.pop_back();
  }
  Interpreter &interpreter;
};

} // namespace pl::frontend

#endif // PL_FRONTEND_INTERPRETER_H
