//===- LoweringImpl.h - parts of the lowering to the `pl` phase -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ModuleLowering owns the module and the inline functions made so far;
// FunctionLowering walks one body. Its members are spread over files by what
// they lower: LoweringStatements, LoweringLoops, LoweringScopes,
// LoweringExpressions, LoweringScalars, LoweringOps, LoweringMemory.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGIMPL_H
#define PL_LIB_FRONTEND_LOWERINGIMPL_H

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Lowering.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace llvm {
template <> struct DenseMapInfo<pl::frontend::Identifier> {
  using Entry = pl::frontend::Identifier::Entry;
  static pl::frontend::Identifier getEmptyKey() {
    return pl::frontend::Identifier(DenseMapInfo<const Entry *>::getEmptyKey());
  }
  static pl::frontend::Identifier getTombstoneKey() {
    return pl::frontend::Identifier(
        DenseMapInfo<const Entry *>::getTombstoneKey());
  }
  static unsigned getHashValue(pl::frontend::Identifier name) {
    return DenseMapInfo<const void *>::getHashValue(name.getOpaque());
  }
  static bool isEqual(pl::frontend::Identifier a, pl::frontend::Identifier b) {
    return a == b;
  }
};
} // namespace llvm

namespace pl::frontend {

namespace ir = ::mlir::pl;
/// More than any on-chip memory holds; products of extents stay small.
constexpr int64_t kMaxTileElements = int64_t(1) << 31;
/// Bytes of a tensor must fit 64 bits.
constexpr int64_t kMaxTensorElements = int64_t(1) << 56;
/// Copies of a loop's body from which on they should share what they call.
constexpr int64_t kManyCopies = 16;
/// Marks a load that another, transposed one stands for, until the end.
constexpr llvm::StringLiteral kReplaced = "pl.replaced";
using llvm::ArrayRef;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Values of the device world
//===----------------------------------------------------------------------===//

/// The extent of one axis of a tensor.
struct Extent {
  int64_t number = 0; // when `value` is null
  mlir::Value value;  // a run-time extent, of type index
  std::string symbol; // of a dynamic dim, else empty
  bool isStatic() const { return !value; }
};

/// A tensor in global memory: a reference, never a value.
struct TensorRef {
  mlir::Value memref;
  DTypeKind dtype = DTypeKind::FP32;
  SmallVector<Extent> extents;
  /// The parameter it is or is a view of; -1 for what was made here.
  int param = -1;
  /// Name of the parameter or allocation.
  std::string name;
  /// The parameter or allocation itself.
  mlir::Value root;
  /// Further parameters it may be, after a branch or a loop chose one.
  SmallVector<int, 0> otherParams;
};

struct DslValue {
  enum class Kind : uint8_t {
    Error, // reported already; whatever uses it stays silent
    Host,  // a constant, with a dtype when one was given
    Scalar,
    Tensor,
    Tile,
    Task,
    Array, // of TaskIds: a value; of numbers: storage that its name owns
    Tuple,
    CommCtx, // the ranks that share the window `tensor`
  };
  Kind kind = Kind::Error;
  Value host;
  std::optional<DTypeKind>
      dtype;         // of Host (may be absent), Scalar, Tile, Array
  mlir::Value value; // of Scalar, Tile, Task, Array
  std::shared_ptr<TensorRef> tensor;
  /// Shape of a tile as the user sees it (the tile has rows and columns), or
  /// the number of slots of an array.
  SmallVector<int64_t, 2> shape;
  /// Of Tile: made by pl.load, pl.create_tile or pl.tile.*, where the language
  /// has rules of its own; otherwise a value of tensor level that is on chip.
  bool isTileLevel = false;
  std::vector<DslValue> elements;

  static DslValue error() { return {}; }
  static DslValue makeHost(Value host, std::optional<DTypeKind> dtype = {});
  static DslValue makeScalar(mlir::Value value, DTypeKind dtype);
  static DslValue makeTensor(std::shared_ptr<TensorRef> tensor);
  static DslValue makeTile(mlir::Value value, DTypeKind dtype,
                           ArrayRef<int64_t> shape);
  static DslValue makeTask(mlir::Value value);
  static DslValue makeArray(mlir::Value value, DTypeKind dtype, int64_t size);
  static DslValue makeTuple(std::vector<DslValue> elements);

  bool isError() const { return kind == Kind::Error; }
  bool isHost() const { return kind == Kind::Host; }
  bool isScalar() const { return kind == Kind::Scalar; }
  bool isTensor() const { return kind == Kind::Tensor; }
  bool isTile() const { return kind == Kind::Tile; }
  bool isTask() const { return kind == Kind::Task; }
  bool isArray() const { return kind == Kind::Array; }
  bool isTaskArray() const { return isArray() && dtype == DTypeKind::TASK_ID; }
  bool isHostInt() const { return isHost() && host.isInt(); }
  bool isHostNumber() const { return isHost() && host.isNumber(); }
  bool isNone() const { return isHost() && host.isNone(); }
  ir::TileType getTileType() const {
    return mlir::cast<ir::TileType>(value.getType());
  }
};

/// What a name stands for at one point.
struct Binding {
  enum class State : uint8_t {
    Bound,
    OneBranch, // bound in one arm of the `if` at `range` only
    LoopOnly,  // first bound in the body of the loop at `range`
    LeftScope, // bound in the core scope at `range`, which is over
  };
  State state = State::Bound;
  DslValue value;
  /// Nesting of the block that first bound the name.
  unsigned depth = 0;
  SourceRange range;
};

using Environment = llvm::DenseMap<Identifier, Binding>;

//===----------------------------------------------------------------------===//
// Questions about syntax
//===----------------------------------------------------------------------===//

using NameSet = llvm::SmallSetVector<Identifier, 8>;

/// Names that the statements assign, also in nested blocks.
void collectAssigned(StmtList statements, NameSet &names);
/// What running the statements does first with a name.
enum class FirstUse : uint8_t { None, Read, Write };
FirstUse getFirstUse(StmtList statements, Identifier name);
bool readsName(const Expr *expr, Identifier name);
bool isUnsigned(DTypeKind dtype);
bool isFloat(DTypeKind dtype);
/// 1 for BOOL, else the bits in memory.
unsigned getBits(DTypeKind dtype);
/// "an INT32", "an FP32", "a BF16".
std::string getWithArticle(DTypeKind dtype);
/// The dotted spelling "a.b.c" of a name or attribute chain, else "".
std::string getDottedName(const Expr *expr);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// How a function uses one of its tensor parameters, in program order.
struct ParamEffects {
  bool reads = false;
  bool writes = false;
  bool readFirst = false; // read while nothing was written
  SourceRange firstRead, firstWrite;
};

/// One element of what a function returns.
struct ReturnSlot {
  enum class Kind : uint8_t { Param, Result, Host };
  Kind kind = Kind::Host;
  unsigned index = 0; // of the parameter or result
  DslValue value;     // dtype, shape and extents as seen in the callee
};

/// An inline function for one kind of call.
struct LoweredFunction {
  mlir::func::FuncOp func;
  bool failed = false;
  /// Per parameter: the argument of the function, or -1 for a constant.
  SmallVector<int> arguments;
  SmallVector<ParamEffects> effects;
  SmallVector<ReturnSlot> returns;
  bool returnsTuple = false;
  bool returnsValue = false;
  /// Whether the body asks for the block index.
  bool readsBlockIndex = false;
  /// Arrays of TaskIds that the body changes: the parameter, and the result
  /// that holds what the argument's name stands for afterwards.
  SmallVector<std::pair<unsigned, unsigned>> changedArrays;
  /// The first pl.scope or pl.manual_scope of the body, if any.
  SourceRange runtimeScope;
};

class FunctionLowering;
struct LoopDraft;

/// What is written about one parameter of a kernel.
struct ParamAnnotation {
  bool isGiven = false;
  TypeAnnotation type;
  /// Of `x.bind_dynamic(axis, dim)` for a tensor whose shape is not written.
  SmallVector<std::pair<int64_t, Ref<DynVarObject>>, 1> binds;
};

class ModuleLowering {
public:
  ModuleLowering(mlir::MLIRContext &context, Session &session);

  mlir::OwningOpRef<mlir::ModuleOp> lower(KernelObject &entry);

  mlir::Location getLoc(SourceRange range);
  mlir::Location getLoc(SourceRange range, StringRef name);
  /// A unique readable name for a dynamic dim.
  StringRef getSymbol(const DynVarObject *dim);
  std::string makeUniqueSymbol(StringRef base);
  std::string makeUniqueFunctionName(StringRef base);

  /// One for each parameter, with what bind_dynamic says; empty for a kernel
  /// without parameters, null after a report.
  const SmallVector<ParamAnnotation, 0> *
  getAnnotations(const KernelObject &kernel);
  bool applyBindDynamic(const KernelObject &kernel,
                        SmallVectorImpl<ParamAnnotation> &annotations);

  /// Reports once: the same text at the same place is dropped.
  Diagnostic &report(Severity severity, DiagCode code, SourceRange range,
                     const Twine &text);
  /// Of the elements of tensors and tiles: UINT32 is `ui32`.
  mlir::Type getElementType(DTypeKind dtype);
  /// Of scalars, which have no sign of their own: UINT32 is `i32`.
  mlir::Type getScalarType(DTypeKind dtype);

  mlir::MLIRContext &context;
  Session &session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<std::unique_ptr<LoweredFunction>> functions;
  /// Functions being lowered, outermost first, and the calls that reached them.
  SmallVector<std::pair<const KernelObject *, SourceRange>> stack;

private:
  llvm::DenseMap<const DynVarObject *, std::string> symbols;
  llvm::StringSet<> usedSymbols, usedNames;
  llvm::StringSet<> reported;
  Diagnostic dropped;
  llvm::DenseMap<const KernelObject *,
                 std::unique_ptr<SmallVector<ParamAnnotation, 0>>>
      annotations;
};

/// A call of an operation with its arguments bound to parameters.
struct OpCall {
  const CallExpr *call = nullptr;
  std::string spelling;           // as written: "pl.tile.add"
  StringRef name;                 // of the table: "add"
  bool isTileForm = false;        // spelled pl.tile.*
  bool isTensorForm = false;      // spelled pl.tensor.*
  SmallVector<const Expr *> args; // null where absent
  SourceRange range() const { return call->range; }
};

/// Walks one body. What lowers an operation may be a free function elsewhere
/// (LoweringTable.h), so the members are open to the files of this folder.
class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &module, KernelObject &kernel);

  /// A program of a chip or of the host. Tensors whose shape is not written
  /// are as `actuals`, if there are any.
  void lowerProgram(LoweredFunction &result, ArrayRef<DslValue> actuals,
                    bool isPrivate);
  /// A function for one kind of call; the result is kept by the module.
  void lowerInline(LoweredFunction &result, ArrayRef<DslValue> arguments,
                   SourceRange callRange, bool inCoreScope);

  //===--- Reports --------------------------------------------------------===//
  Diagnostic &error(DiagCode code, SourceRange range, const Twine &text);
  Diagnostic &warning(DiagCode code, SourceRange range, const Twine &text);
  DslValue fail(DiagCode code, SourceRange range, const Twine &text) {
    error(code, range, text);
    return DslValue::error();
  }
  DslValue notLowered(SourceRange range, const Twine &what) {
    return fail(DiagCode::NotLowered, range, what + " is not lowered yet");
  }
  std::string describe(const DslValue &value);
  std::string getText(const Expr *expr);
  std::string getText(SourceRange range);

  //===--- Building -------------------------------------------------------===//
  mlir::Location loc(SourceRange range) { return module.getLoc(range); }
  /// A constant at the top of the function or core scope, one per value.
  mlir::Value getConstant(mlir::TypedAttr attr, SourceRange range);
  mlir::Value getIndex(int64_t value, SourceRange range);
  /// The run-time extent of a dynamic dim of the parameters, read once.
  mlir::Value getSymbolValue(StringRef symbol);
  mlir::Operation *createOp(StringRef name, SourceRange range,
                            mlir::ValueRange operands, mlir::Type result,
                            ArrayRef<mlir::NamedAttribute> attrs = {});
  /// An op that computes a tile (one segment per operand).
  mlir::Value createCompute(StringRef name, SourceRange range,
                            mlir::ValueRange operands, mlir::Type result,
                            ArrayRef<mlir::NamedAttribute> attrs = {});
  void nameValue(mlir::Value value, Identifier name, SourceRange range);

  //===--- Signatures (LoweringModule.cpp, LoweringEntry.cpp) -------------===//
  bool bindProgramParams(ArrayRef<DslValue> actuals,
                         SmallVectorImpl<mlir::Type> &types);
  void beginFunction(mlir::func::FuncOp func);
  void setArgumentAttributes(mlir::func::FuncOp func);
  void checkDirections();
  DslValue lowerKernelCall(const CallExpr *call, KernelObject &callee);
  bool bindInlineParam(unsigned index, const DslValue &actual,
                       const TypeAnnotation &annotation, SourceRange callRange);
  void noteRead(const TensorRef &tensor, SourceRange range);
  void noteWrite(const TensorRef &tensor, SourceRange range);
  std::string getSignature(const KernelObject &callee,
                           ArrayRef<DslValue> arguments, bool inCoreScope);
  DslValue importReturn(const ReturnSlot &slot, const LoweredFunction &callee,
                        mlir::func::CallOp call, ArrayRef<DslValue> actuals,
                        SourceRange range);

  //===--- Statements -----------------------------------------------------===//
  void lowerStatements(StmtList statements);
  void lowerStatement(const Stmt *stmt);
  void lowerAssign(const Expr *target, const Expr *value, SourceRange range);
  void lowerReturn(const ReturnStmt *stmt);
  void lowerIf(const IfStmt *stmt);
  void lowerExprStatement(const ExprStmt *stmt);
  void bindName(Identifier name, DslValue value, SourceRange range);
  void bindTarget(const Expr *target, DslValue value, SourceRange range);
  void poison(const Expr *target);
  /// Runs nested statements one level down.
  void lowerNested(StmtList statements);
  bool isReadAfter(Identifier name);
  /// Whether values of the two may share a name ("same kind, dtype, shape").
  bool isSameKind(const DslValue &a, const DslValue &b);
  std::optional<bool> getHostCondition(const DslValue &value);
  mlir::Value lowerCondition(const DslValue &value, const Expr *test);
  /// One side of a run-time branch, and what the names stand for at its end.
  struct Arm {
    mlir::Block *block;
    Environment env;
    bool leaves; // by break or continue
  };
  void mergeBranches(const IfStmt *stmt, mlir::scf::IfOp ifOp,
                     const Environment &before, ArrayRef<Arm> arms);

  //===--- Loops (LoweringLoops.cpp) --------------------------------------===//
  void lowerFor(const ForStmt *stmt);
  void lowerWhile(const WhileStmt *stmt);
  /// `break` and `continue`.
  void lowerLeave(const Stmt *stmt);
  /// The type both tiles fit, `?` where their valid extents differ.
  ir::TileType unifyValid(ir::TileType a, ir::TileType b);
  mlir::Value convertValid(mlir::Value tile, ir::TileType type,
                           SourceRange range);

  //===--- Scopes (LoweringScopes.cpp) ------------------------------------===//
  void lowerWith(const WithStmt *stmt);
  void lowerAt(const WithStmt *stmt, const CallExpr *call);
  void lowerRuntimeScope(const WithStmt *stmt, const CallExpr *call,
                         StringRef name);
  /// `with pl.spmd(...)` (loop null) and `for i in pl.spmd(...)`.
  void lowerSpmd(const CallExpr *call, const Expr *taskTarget,
                 const ForStmt *loop, StmtList body, SourceRange header);
  bool lowerDeps(const Expr *deps, SmallVectorImpl<mlir::Value> &tasks);
  DslValue lowerDummy(OpCall &op);
  void lowerScopeBody(mlir::Region &region, SourceRange header, StmtList body,
                      bool isSpmd, mlir::Value blocks, const ForStmt *loop);
  mlir::ArrayAttr getUserEdges(size_t count);
  mlir::StringAttr getNameHint(const Expr *expr);
  /// What pl.at and pl.spmd share: where a core scope may stand, and its
  /// keywords. Clears `good` after an error.
  struct TaskOptions {
    SmallVector<mlir::Value> deps;
    mlir::StringAttr name;
    bool allowEarly = false;
    /// Of the op, as discardable attributes.
    SmallVector<mlir::NamedAttribute> attrs;
    /// Tensors whose accesses make no edges, and those to dump.
    SmallVector<DslValue> noDeps, dumps;
    /// `predicate=(t[i, j] OP literal)`.
    DslValue predicate;
    SmallVector<mlir::Value> predicateIndices;
    ir::CmpKind predicateCmp = ir::CmpKind::eq;
    int64_t predicateValue = 0;
  };
  TaskOptions lowerTaskOptions(SourceRange header,
                               const llvm::StringMap<const Expr *> &keywords,
                               bool &good);
  /// Writes what the options say about a task that was made.
  void applyTaskOptions(mlir::Operation *task, TaskOptions &options);

  //===--- Expressions ----------------------------------------------------===//
  DslValue lower(const Expr *expr);
  DslValue lowerName(const NameExpr *expr);
  DslValue lowerAttribute(const AttributeExpr *expr);
  DslValue lowerBinOp(const BinOpExpr *expr);
  DslValue lowerUnary(const UnaryOpExpr *expr);
  DslValue lowerCompare(const CompareExpr *expr);
  DslValue lowerBool(const BoolOpExpr *expr);
  DslValue lowerCall(const CallExpr *expr);
  DslValue lowerSubscript(const SubscriptExpr *expr);
  /// True when every name of the expression comes from outside the body and it
  /// calls nothing of `pl`.
  bool isHostExpr(const Expr *expr);
  DslValue evaluateHost(const Expr *expr);
  const Value *lookupHost(Identifier name);
  /// The dotted name of something in the `pl` module, "pl.tile.add".
  std::string getPlName(const Expr *expr);
  /// The kernel that `name`, `module.name` or `self.name` stands for, or null.
  KernelObject *getCallee(const Expr *expr);
  /// The host value of `name` or `module.name`, or null.
  const Value *getMember(const Expr *expr);
  bool isDynamicDim(const Expr *expr);

  //===--- Scalars --------------------------------------------------------===//
  DslValue foldBinary(SourceRange range, BinOpKind op, const DslValue &lhs,
                      const DslValue &rhs);
  DslValue scalarBinary(SourceRange range, BinOpKind op, DslValue lhs,
                        DslValue rhs);
  DslValue scalarMinMax(SourceRange range, bool isMin, DslValue lhs,
                        DslValue rhs);
  DslValue scalarCast(SourceRange range, DslValue value, DTypeKind dtype);
  /// Brings two scalars to one dtype (language.md 4.6).
  bool promote(SourceRange range, StringRef what, DslValue &lhs, DslValue &rhs);
  /// A constant as an SSA value of a dtype; reports what does not fit.
  mlir::Value materialize(const DslValue &value, DTypeKind dtype,
                          SourceRange range);
  /// A scalar operand of a tile: a literal and an index take the dtype.
  mlir::Value materializeFor(const DslValue &tile, DslValue value,
                             SourceRange range);
  DslValue toScalar(DslValue value, SourceRange range);
  /// An integer as an index value.
  mlir::Value toIndex(const DslValue &value, SourceRange range, StringRef what);
  mlir::Value floorDiv(mlir::Value lhs, mlir::Value rhs, SourceRange range);
  mlir::Value floorMod(mlir::Value lhs, mlir::Value rhs, SourceRange range);
  bool isNonNegative(mlir::Value value, unsigned depth = 0);
  /// b - a when it is a constant, found symbolically.
  std::optional<int64_t> getConstantDifference(const DslValue &a,
                                               const DslValue &b);
  std::optional<int64_t> getConstantInt(const DslValue &value);

  //===--- Operations -----------------------------------------------------===//
  DslValue lowerOp(const CallExpr *call, StringRef plName);
  DslValue lowerTileBinary(SourceRange range, StringRef name, DslValue lhs,
                           DslValue rhs);
  DslValue lowerElementwise(OpCall &op);
  DslValue lowerUnaryOp(OpCall &op);
  DslValue lowerExpand(OpCall &op);
  DslValue lowerBroadcast(OpCall &op);
  DslValue lowerReduce(OpCall &op);
  DslValue lowerCast(OpCall &op);
  DslValue lowerFull(OpCall &op);
  DslValue lowerArange(OpCall &op);
  DslValue lowerReshape(OpCall &op);
  DslValue lowerTranspose(OpCall &op);
  DslValue lowerGather(OpCall &op);
  DslValue lowerSetValid(OpCall &op);
  DslValue lowerFillPad(OpCall &op);
  DslValue lowerMatmul(OpCall &op);
  DslValue lowerMatmulAcc(OpCall &op);
  DslValue lowerMinMax(OpCall &op);
  DslValue lowerConst(OpCall &op);
  DslValue lowerBlockIndex(OpCall &op);
  DslValue lowerBlockNum(OpCall &op);
  DslValue lowerStaticAssert(OpCall &op);
  DslValue lowerDynamic(OpCall &op);
  /// The result of an op by the rule of the dialect, as a tile.
  /// Tile-level and tensor-level values do not meet in one operation.
  bool checkLevels(SourceRange range, const Twine &what,
                   ArrayRef<DslValue> sources);
  DslValue makeTileOp(SourceRange range, StringRef name,
                      ArrayRef<DslValue> sources, ir::TileType hint = {},
                      ArrayRef<mlir::NamedAttribute> attrs = {});
  std::optional<DTypeKind> getDType(const Expr *expr, StringRef what);
  /// A dtype that a tile can have.
  std::optional<DTypeKind> getTileDType(const Expr *expr, StringRef what);
  /// Reports a tensor or tile whose size no machine could address.
  bool checkSize(ArrayRef<int64_t> shape, int64_t limit, SourceRange range);
  std::optional<bool> getBool(const Expr *expr, StringRef what, bool absent);
  /// A list or tuple of values, written out or a host constant.
  bool getList(const Expr *expr, StringRef what,
               SmallVectorImpl<DslValue> &list);
  bool getStaticShape(const Expr *expr, StringRef what,
                      SmallVectorImpl<int64_t> &shape);
  /// An operand of a compute op: a tile, or a tensor that is loaded.
  DslValue toTile(OpCall &op, unsigned arg);
  DslValue toTile(DslValue value, SourceRange range, StringRef what);
  bool checkEnum(const Expr *expr, StringRef what, StringRef enumName,
                 std::string &member);
  FailureOr<ir::TileType> inferTile(SourceRange range, StringRef name,
                                    ArrayRef<ir::TileType> sources,
                                    ir::TileType hint);
  /// The tile with the valid extents of another of the same shape.
  mlir::Value convertValidLike(mlir::Value tile, mlir::Value like,
                               SourceRange range);
  mlir::Value getValidExtent(mlir::Value tile, unsigned axis,
                             SourceRange range);
  /// Valid extents from values: the static ones, and the operands of the
  /// others.
  bool getValidBox(ArrayRef<DslValue> valid, int64_t rows, int64_t cols,
                   SourceRange range, int64_t (&box)[2],
                   SmallVectorImpl<mlir::Value> &operands);
  DslValue setValid(DslValue tile, int64_t rows, int64_t cols,
                    ArrayRef<mlir::Value> operands, SourceRange range);
  DslValue tileReshape(SourceRange range, DslValue tile,
                       ArrayRef<int64_t> shape);

  //===--- Memory (LoweringMemory.cpp, LoweringViews.cpp) -----------------===//
  /// A window of a tensor or tile as written in a subscript or slice.
  struct Window {
    SmallVector<DslValue> offsets; // Host ints or scalars, one per axis
    SmallVector<DslValue> sizes;   // extents before dropping
    SmallVector<bool> dropped;     // axes an integer index drops
    SourceRange range;
    bool isElement() const;
  };
  bool getWindow(const SubscriptExpr *expr, ArrayRef<Extent> extents,
                 Window &window);
  bool checkBounds(const TensorRef &tensor, const Window &window,
                   ArrayRef<DslValue> boxes, StringRef what);
  DslValue loadWindow(const TensorRef &tensor, const Window &window,
                      ArrayRef<DslValue> valid, SourceRange range);
  /// How a window of at most two wide axes is read or written: the tensor or
  /// a view of it, the offsets, and which axes are rows and columns.
  struct Access {
    mlir::Value memref;
    SmallVector<mlir::Value> offsets;
    int64_t rows = 1, cols = 1;
    size_t rowAxis = ~size_t(0), colAxis = 0;
  };
  bool getAccess(const TensorRef &tensor, const Window &window,
                 ArrayRef<int64_t> sizes, Access &access);
  DslValue viewWindow(const TensorRef &tensor, const Window &window,
                      SourceRange range);
  DslValue tileWindow(const DslValue &tile, const Window &window,
                      ArrayRef<DslValue> valid, SourceRange range);
  DslValue viewReshape(SourceRange range, const TensorRef &tensor,
                       ArrayRef<DslValue> shape);
  void lowerSubscriptAssign(const SubscriptExpr *target, const Expr *value,
                            SourceRange range);
  /// `hasSizes` says that the window has sizes, which the tile must fit.
  bool storeTile(DslValue tile, const TensorRef &tensor, Window &window,
                 bool hasSizes, bool atomic, SourceRange range);
  /// One kernel must not write a tensor both by elements and by tiles.
  bool noteAccessKind(const TensorRef &tensor, bool isScalar,
                      SourceRange range);
  DslValue lowerStoreTo(OpCall &op, const Expr *tile, const Expr *offsets,
                        const Expr *tensor, const Expr *atomic);
  bool getSliceWindow(OpCall &op, const DslValue &source, const Expr *offsets,
                      const Expr *shape, const Expr *validShape, Window &window,
                      SmallVectorImpl<DslValue> &valid);
  DslValue makeEmptyTile(ArrayRef<int64_t> shape, DTypeKind dtype,
                         SourceRange range);
  DslValue lowerSlice(OpCall &op);
  DslValue lowerLoad(OpCall &op);
  DslValue lowerStore(OpCall &op);
  DslValue lowerAssemble(OpCall &op);
  DslValue lowerCreateTensor(OpCall &op);
  DslValue lowerCreateTile(OpCall &op);
  DslValue lowerRead(OpCall &op);
  DslValue lowerWrite(OpCall &op);
  DslValue lowerDim(OpCall &op);
  bool getIndices(const Expr *expr, const TensorRef &tensor,
                  SmallVectorImpl<mlir::Value> &indices, SourceRange range);
  bool getAtomic(const Expr *expr, bool &atomic);
  DslValue getExtent(const Extent &extent);

  ModuleLowering &module;
  KernelObject &kernel;
  mlir::OpBuilder builder;
  mlir::func::FuncOp func;
  Environment env;
  unsigned depth = 0;

  /// Where constants go: the function, then each core scope.
  struct Prologue {
    mlir::Block *block = nullptr;
    mlir::Operation *last = nullptr;
    llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Value> values;
  };
  SmallVector<Prologue> prologues;
  mlir::Value
  insertInPrologue(Prologue &prologue,
                   llvm::function_ref<mlir::Value(mlir::OpBuilder &)>);

  struct ParamInfo {
    Identifier name;
    SourceRange range;
    TypeAnnotation annotation;
    bool isWritten = true; // the annotation, by the user
    DslValue value;
    int argument = -1;
    ParamEffects effects;
    SmallVector<std::string> dims; // symbols of the dynamic axes
  };
  SmallVector<ParamInfo, 0> params;
  /// Symbol to the parameter axis that carries it, or to a known extent.
  struct SymbolInfo {
    unsigned param = 0;
    unsigned axis = 0;
    int64_t known = -1;
    mlir::Value value;
  };
  llvm::StringMap<SymbolInfo> symbols;
  /// Axes of a host program that give the value of a symbol:
  /// extent = scale * value + offset.
  struct DimSource {
    unsigned param, axis;
    int64_t scale, offset;
  };
  llvm::StringMap<SmallVector<DimSource, 2>> dimSources;

  /// Set while lowering the body of a core scope, or a function called in one.
  struct CoreScope {
    SourceRange header;
    mlir::Value blockIndex; // null: read with pl.block_idx
    mlir::Value blocks;
    bool isFunction = false;
    bool isSpmd = false;
    /// The pl.split_aiv around what is being lowered, and where it begins.
    mlir::Operation *lanes = nullptr;
    SourceRange lanesHeader;
  };
  std::optional<CoreScope> core;
  bool readsBlockIndex = false;
  /// Tensors that the kernel at hand writes, by root: one of the writes.
  llvm::DenseMap<mlir::Value, SourceRange> bulkWrites, scalarWrites;
  /// The store of one value to a whole tensor, while it is the only one.
  llvm::DenseMap<mlir::Value, mlir::Operation *> fills;

  /// What runs after the statement being lowered, innermost last.
  SmallVector<StmtList> continuations;
  /// What is known of statements and names; an unrolled loop asks again.
  llvm::DenseMap<std::pair<const Stmt *, Identifier>, FirstUse> firstUses;
  /// How often the statement being lowered is lowered by unrolled loops.
  int64_t copies = 1;
  LoweredFunction *result = nullptr;
  bool sawReturn = false;
  /// Something was wrong here, reported now or for an earlier call.
  bool hadError = false;
  /// The name being assigned, for allocations.
  Identifier targetName;
  /// Of a chip or the host, not one that another function calls.
  bool isEntry = false;
  ir::FuncKind funcKind = ir::FuncKind::orchestration;
  bool isHost() const { return funcKind == ir::FuncKind::host; }
  /// Inside a run-time branch or loop of this function.
  bool inBranch = false;
  /// The scopes of the orchestration around the statement, innermost last.
  struct RuntimeScope {
    enum class Kind : uint8_t { Auto, Manual, Cluster, Hierarchy };
    Kind kind = Kind::Auto;
    SourceRange header;
  };
  SmallVector<RuntimeScope> runtimeScopes;
  /// The loops around the statement within its scope, innermost last.
  struct LoopFrame {
    SourceRange header;
    std::string spelling;
    bool canLeave = false; // by break and continue
    /// What init_values= carries: always read again.
    SmallVector<Identifier> carried;
    /// Each break and continue, and what the names stood for there.
    std::vector<std::pair<mlir::Operation *, Environment>> leaves;
  };
  SmallVector<LoopFrame *> loops;
  /// What the loops inside the one being lowered carried in its last draft.
  LoopDraft *draft = nullptr;
  /// Control left the enclosing loop: what follows is never reached.
  bool leftLoop = false;
  /// Call expressions that are statements by themselves.
  const CallExpr *statementCall = nullptr;
  /// The call that is the statement being lowered, with nothing assigned.
  const CallExpr *bareCall = nullptr;
};

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGIMPL_H
