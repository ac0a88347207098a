//===- Writer.h - Writes the EmitC of one function --------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_CONVERSION_PLTOEMITC_WRITER_H
#define PL_LIB_CONVERSION_PLTOEMITC_WRITER_H

#include "Names.h"

#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::pl {

/// Writes the body of one C++ function as EmitC.
///
/// A scalar of the source becomes either a named constant
/// (`const int64_t row = ...;`) or part of the expression that uses it; which
/// of the two is decided where it is defined. Names are known to EmitC as
/// literals, so that instructions stay ops and still print the user's words.
/// Structured control flow is copied; what is particular to kernels or to the
/// orchestration is in `emitOp` of the subclass.
class Writer {
public:
  Writer(OpBuilder &builder, Names &names, bool lineDirectives)
      : builder(builder), names(names), lineDirectives(lineDirectives) {}
  virtual ~Writer() = default;

protected:
  /// Emits one op that is not a scalar or control flow.
  virtual LogicalResult emitOp(Operation *op) = 0;
  /// Emits what was put off: before control flow, and where a block ends.
  virtual LogicalResult flush(Location loc) { return success(); }

  /// Emits all ops of a block; its terminator is left to the caller.
  LogicalResult emitBlock(Block &block);

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  /// The C++ type of a scalar or element.
  static FailureOr<std::string> cppType(Type type);
  /// The EmitC type of a scalar: indices are 64-bit, floats without a builtin
  /// type of C++ are opaque.
  Type emitType(Type type);
  Type opaque(StringRef text) {
    return emitc::OpaqueType::get(builder.getContext(), text);
  }

  Value literal(Location loc, StringRef text, Type type) {
    return emitc::LiteralOp::create(builder, loc, type, text);
  }
  /// A name or text whose type C++ does not need to be told.
  Value literal(Location loc, StringRef text) {
    return literal(loc, text, opaque("auto"));
  }
  /// A declaration, directive or comment; `{}` in it prints an argument.
  void verbatim(Location loc, const Twine &text, ValueRange arguments = {});
  /// A call used as a statement.
  void call(Location loc, StringRef callee, ValueRange arguments,
            ArrayRef<StringRef> templateArguments = {});
  /// The text of a constant of scalar type.
  static FailureOr<std::string> constantText(TypedAttr value);
  /// The source line as a comment or directive, when it is not that of the
  /// statement before.
  void line(Location loc);

  //===--------------------------------------------------------------------===//
  // Scalars
  //===--------------------------------------------------------------------===//

  /// `value` inside a declaration, an assignment, a condition or a bound:
  /// a literal or an expression, printed in place.
  Value expr(Location loc, Value value);
  /// The operand of a call: always a name or a constant.
  Value operand(Location loc, Value value);
  /// Makes `value` known as `text`.
  Value bind(Value value, StringRef text);
  void setLeaf(Value value, Value leaf) { leaves[value] = leaf; }
  /// `const TYPE NAME = init;` (a value or a place), and `value` known by that
  /// name.
  LogicalResult declare(Location loc, Value value, StringRef name, Value init);
  /// The user's name of a value, or of what it is used for, or `fallback`.
  static std::string hint(Value value, StringRef fallback = "n");
  /// The name the user gave to a value, or nothing.
  static StringRef userName(Value value);

  /// Takes out the declarations that nothing printed refers to.
  void dropUnused();

  LogicalResult notYet(Operation *op, const Twine &what);

  OpBuilder &builder;
  Names &names;

  /// Builds the tree of `value` inside `expression`.
  Value build(emitc::ExpressionOp expression, OpBuilder &inside, Value value);
  Value number(emitc::ExpressionOp expression, OpBuilder &inside, int64_t value,
               Type type);

private:
  LogicalResult emitScalar(Operation *op);
  /// `bounds` are lower, upper, step.
  LogicalResult emitLoop(Operation *op, ArrayRef<Value> bounds, Value counter,
                         ValueRange inits, ValueRange carried,
                         ValueRange yielded);
  LogicalResult emitIf(scf::IfOp op);

  /// May `op` be printed where its only user prints?
  bool isInline(Operation *op);
  unsigned treeSize(Value value);
  Value buildOp(emitc::ExpressionOp expression, OpBuilder &inside,
                Operation *op);
  /// A variable for each carried value, assigned `values`.
  LogicalResult assign(Location loc, ArrayRef<Value> variables,
                       ValueRange values);
  FailureOr<SmallVector<Value>> declareVariables(Location loc,
                                                 ValueRange results);
  LogicalResult readVariable(Location loc, Value value, Value variable,
                             StringRef fallback);

  bool lineDirectives;
  std::string lastLine;
  /// Declarations and the literals of their names.
  SmallVector<std::pair<Operation *, Value>> declarations;
  /// Values of the source that have a name, a constant or a variable in EmitC.
  DenseMap<Value, Value> leaves;
};

} // namespace mlir::pl

#endif // PL_LIB_CONVERSION_PLTOEMITC_WRITER_H
