//===- Writer.cpp - Writes the EmitC of one function ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "pl/Analysis/UserNames.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::pl;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

FailureOr<std::string> Writer::cppType(Type type) {
  if (type.isIndex())
    return std::string("int64_t");
  if (type.isF32())
    return std::string("float");
  if (type.isF64())
    return std::string("double");
  if (type.isF16())
    return std::string("half");
  if (type.isBF16())
    return std::string("bfloat16_t");
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return std::string("bool");
    if (width == 8 || width == 16 || width == 32 || width == 64)
      return (integer.isUnsigned() ? "uint" : "int") + std::to_string(width) +
             "_t";
  }
  return failure();
}

Type Writer::emitType(Type type) {
  if (type.isIndex())
    return builder.getI64Type();
  if (type.isF16())
    return opaque("half");
  if (type.isBF16())
    return opaque("bfloat16_t");
  if (isa<TaskType>(type))
    return opaque("PTO2TaskId");
  return type;
}

/// The shortest decimal that reads back as `value`.
static std::string floatText(const APFloat &value, bool isDouble) {
  if (value.isInfinity())
    return value.isNegative() ? "-__builtin_inff()" : "__builtin_inff()";
  if (value.isNaN())
    return "__builtin_nanf(\"\")";
  SmallString<32> text;
  for (unsigned digits = 1;; ++digits) {
    text.clear();
    value.toString(text, digits, /*FormatMaxPadding=*/6,
                   /*TruncateZero=*/true);
    APFloat back(value.getSemantics());
    auto status = back.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (digits >= 17 ||
        (!errorToBool(status.takeError()) && back.bitwiseIsEqual(value)))
      break;
  }
  std::string result(text.str());
  if (result.find_first_of(".eE") == std::string::npos)
    result += ".0";
  return isDouble ? result : result + "f";
}

FailureOr<std::string> Writer::constantText(TypedAttr value) {
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return std::string(boolean.getValue() ? "true" : "false");
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getValue().getBitWidth() > 64)
      return failure();
    if (integer.getType().isUnsignedInteger())
      return std::to_string(integer.getValue().getZExtValue()) + "u";
    int64_t number = integer.getValue().getSExtValue();
    if (number == INT64_MIN)
      return std::string("(-9223372036854775807 - 1)");
    return std::to_string(number);
  }
  if (auto real = dyn_cast<FloatAttr>(value)) {
    Type type = real.getType();
    if (type.isF32() || type.isF64())
      return floatText(real.getValue(), type.isF64());
    FailureOr<std::string> name = cppType(type);
    if (failed(name))
      return failure();
    bool losesInfo;
    APFloat single = real.getValue();
    single.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return "static_cast<" + *name + ">(" + floatText(single, false) + ")";
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Writer::verbatim(Location loc, const Twine &text, ValueRange arguments) {
  emitc::VerbatimOp::create(builder, loc, builder.getStringAttr(text),
                            arguments);
}

static ArrayAttr opaqueAttrs(OpBuilder &builder, ArrayRef<StringRef> texts) {
  if (texts.empty())
    return {};
  SmallVector<Attribute> attributes;
  for (StringRef text : texts)
    attributes.push_back(emitc::OpaqueAttr::get(builder.getContext(), text));
  return builder.getArrayAttr(attributes);
}

void Writer::call(Location loc, StringRef callee, ValueRange arguments,
                  ArrayRef<StringRef> templateArguments) {
  emitc::CallOpaqueOp::create(builder, loc, TypeRange(), callee, arguments,
                              ArrayAttr(),
                              opaqueAttrs(builder, templateArguments));
}

void Writer::line(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return;
  std::string here =
      lineDirectives
          ? "#line " + std::to_string(file.getLine()) + " \"" +
                file.getFilename().str() + "\""
          : "// " + llvm::sys::path::filename(file.getFilename()).str() + ":" +
                std::to_string(file.getLine());
  if (here == lastLine)
    return;
  lastLine = here;
  verbatim(loc, here);
}

StringRef Writer::userName(Value value) {
  StringRef name = nameOf(value.getLoc());
  // What a pass made for a loop may carry the loop's location.
  Operation *def = value.getDefiningOp();
  for (Operation *op = def ? def->getParentOp() : nullptr; op;
       op = op->getParentOp())
    if (op->getLoc() == def->getLoc())
      return {};
  return name;
}

std::string Writer::hint(Value value, StringRef fallback) {
  if (StringRef name = userName(value); !name.empty())
    return name.str();
  // What a nameless number is for says more than what it is made of.
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto buffer = dyn_cast<BufferOp>(user)) {
      bool isRows = use.getOperandNumber() == 0 &&
                    ShapedType::isDynamic(buffer.getType().getValidRows());
      return isRows ? "rows" : "cols";
    }
    if (auto launch = dyn_cast<LaunchOp>(user);
        launch && launch.getBlocks() == value)
      return launch.getKernel().str() + "_blocks";
  }
  return fallback.str();
}

Value Writer::bind(Value value, StringRef text) {
  Value known = literal(value.getLoc(), text, emitType(value.getType()));
  leaves[value] = known;
  return known;
}

LogicalResult Writer::declare(Location loc, Value value, StringRef name,
                              Value init) {
  std::string type;
  if (isa<TaskType>(value.getType())) {
    type = "PTO2TaskId";
  } else {
    FailureOr<std::string> scalar = cppType(value.getType());
    if (failed(scalar))
      return emitError(loc) << "has no C++ type for " << value.getType();
    type = *scalar;
  }
  std::string unique = names.make(name);
  verbatim(loc, "const " + type + " " + unique + " = {};", init);
  Operation *declaration = &*std::prev(builder.getInsertionPoint());
  declarations.push_back({declaration, bind(value, unique)});
  return success();
}

void Writer::dropUnused() {
  // From the last: what a dropped declaration uses may then be unused too.
  for (auto [declaration, name] : llvm::reverse(declarations)) {
    if (!name.use_empty())
      continue;
    name.getDefiningOp()->erase();
    SmallVector<Value> inputs(declaration->getOperands());
    declaration->erase();
    for (Value input : inputs)
      if (auto expression = input.getDefiningOp<emitc::ExpressionOp>();
          expression && input.use_empty())
        expression.erase();
  }
  declarations.clear();
}

LogicalResult Writer::notYet(Operation *op, const Twine &what) {
  return op->emitOpError() << "is not emitted as C++ yet: " << what;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Writer::emitBlock(Block &block) {
  for (Operation &op : block) {
    bool isTerminator = op.hasTrait<mlir::OpTrait::IsTerminator>();
    if ((isTerminator || op.getNumRegions() != 0) && failed(flush(op.getLoc())))
      return failure();
    if (isTerminator)
      continue;
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](scf::ForOp loop) {
              return emitLoop(
                  loop,
                  {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                  loop.getInductionVar(), loop.getInitArgs(),
                  loop.getRegionIterArgs(), loop.getYieldedValues());
            })
            .Case([&](ForOp loop) {
              return emitLoop(
                  loop, {loop.getLower(), loop.getUpper(), loop.getStep()},
                  loop.getInductionVariable(), loop.getInits(),
                  loop.getCarried(), loop.getYield()->getOperands());
            })
            .Case([&](scf::IfOp branch) { return emitIf(branch); })
            .Default([&](Operation *other) {
              if (isa_and_nonnull<arith::ArithDialect>(other->getDialect()))
                return emitScalar(other);
              return emitOp(other);
            });
    if (failed(result))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>> Writer::declareVariables(Location loc,
                                                       ValueRange results) {
  SmallVector<Value> variables;
  for (Value result : results) {
    if (!isa<TaskType>(result.getType()) && failed(cppType(result.getType()))) {
      emitError(loc) << "carries a value of type " << result.getType()
                     << ", which has no C++ variable";
      return failure();
    }
    // The printer names a variable itself; the comment says whose it is.
    if (StringRef name = userName(result); !name.empty())
      verbatim(loc, "// " + name);
    auto type = emitc::LValueType::get(emitType(result.getType()));
    variables.push_back(emitc::VariableOp::create(
        builder, loc, type, emitc::OpaqueAttr::get(builder.getContext(), "")));
  }
  return variables;
}

LogicalResult Writer::assign(Location loc, ArrayRef<Value> variables,
                             ValueRange values) {
  for (auto [variable, value] : llvm::zip_equal(variables, values)) {
    Value text = expr(loc, value);
    if (!text)
      return failure();
    emitc::AssignOp::create(builder, loc, variable, text);
  }
  return success();
}

LogicalResult Writer::readVariable(Location loc, Value value, Value variable,
                                   StringRef fallback) {
  if (value.use_empty())
    return success();
  return declare(loc, value, hint(value, fallback), variable);
}

LogicalResult Writer::emitLoop(Operation *op, ArrayRef<Value> bounds,
                               Value counter, ValueRange inits,
                               ValueRange carried, ValueRange yielded) {
  Location loc = op->getLoc();
  FailureOr<SmallVector<Value>> variables =
      declareVariables(loc, op->getResults());
  if (failed(variables) || failed(assign(loc, *variables, inits)))
    return failure();
  SmallVector<Value> texts;
  for (Value bound : bounds) {
    texts.push_back(expr(loc, bound));
    if (!texts.back())
      return failure();
  }
  line(loc);
  auto loop =
      emitc::ForOp::create(builder, loc, texts[0], texts[1], texts[2], nullptr);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    leaves[counter] = loop.getInductionVar();
    StringRef name = userName(counter);
    if (!name.empty() && !counter.use_empty() &&
        failed(declare(loc, counter, name, loop.getInductionVar())))
      return failure();
    for (auto [argument, variable] : llvm::zip_equal(carried, *variables))
      if (failed(readVariable(loc, argument, variable, "carried")))
        return failure();
    if (failed(emitBlock(*counter.getParentBlock())) ||
        failed(assign(loc, *variables, yielded)))
      return failure();
  }
  for (auto [result, variable] : llvm::zip_equal(op->getResults(), *variables))
    if (failed(readVariable(loc, result, variable, "carried")))
      return failure();
  return success();
}

LogicalResult Writer::emitIf(scf::IfOp op) {
  Location loc = op.getLoc();
  FailureOr<SmallVector<Value>> variables =
      declareVariables(loc, op.getResults());
  if (failed(variables))
    return failure();
  Value condition = expr(loc, op.getCondition());
  if (!condition)
    return failure();
  line(loc);
  bool hasElse = !op.getElseRegion().empty() &&
                 (op.getNumResults() != 0 ||
                  op.getElseRegion().front().getOperations().size() > 1);
  auto branch = emitc::IfOp::create(builder, loc, condition,
                                    /*addThenBlock=*/true, hasElse);
  auto emitSide = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    if (to.front().empty() ||
        !to.front().back().hasTrait<mlir::OpTrait::IsTerminator>()) {
      builder.setInsertionPointToEnd(&to.front());
      emitc::YieldOp::create(builder, loc, Value());
    }
    builder.setInsertionPoint(to.front().getTerminator());
    if (failed(emitBlock(from.front())))
      return failure();
    return assign(loc, *variables, from.front().getTerminator()->getOperands());
  };
  if (failed(emitSide(op.getThenRegion(), branch.getThenRegion())))
    return failure();
  if (hasElse && failed(emitSide(op.getElseRegion(), branch.getElseRegion())))
    return failure();
  for (auto [result, variable] : llvm::zip_equal(op.getResults(), *variables))
    if (failed(readVariable(loc, result, variable, "chosen")))
      return failure();
  return success();
}
