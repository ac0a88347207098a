//===- LoweringCasts.cpp - conversions of tiles and scalars ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringImpl.h"

#include "pl/Dialect/PL/IR/PLVectorOps.h"
#include "pl/Machine/Machine.h"

#include "llvm/ADT/SetVector.h"

using namespace pl::frontend;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Whether some machine can convert, through other types if need be. Which
/// hops it takes is up to the machine; pl-legalize-casts shows them.
static bool isReachable(mlir::Type from, mlir::Type to) {
  auto text = [](mlir::Type type) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  };
  std::string start = text(from), end = text(to);
  for (StringRef name : ::pl::machineNames()) {
    const ::pl::MachineDescription *machine = ::pl::findMachine(name);
    llvm::SmallSetVector<StringRef, 16> seen;
    seen.insert(start);
    for (unsigned i = 0; i < seen.size(); ++i)
      for (const ::pl::CastDescription &cast : machine->casts)
        if (cast.from == seen[i])
          seen.insert(cast.to);
    if (seen.contains(end))
      return true;
  }
  return false;
}

static std::optional<ir::RoundMode> parseMode(const DslValue &value) {
  if (value.isHost() && value.host.isStr())
    return ir::symbolizeRoundMode(value.host.getStr());
  if (value.isHostInt() && value.host.getInt() >= 0)
    return ir::symbolizeRoundMode(value.host.getInt());
  return std::nullopt;
}

DslValue FunctionLowering::lowerCast(OpCall &op) {
  DslValue source = lower(op.args[0]);
  std::optional<DTypeKind> dtype = getDType(op.args[1], "target_type");
  // Ties go away from zero unless the user says otherwise.
  ir::RoundMode mode = ir::RoundMode::round;
  if (op.args[2]) {
    DslValue value = lower(op.args[2]);
    if (value.isError())
      return value;
    std::optional<ir::RoundMode> parsed = parseMode(value);
    if (!parsed) {
      static const StringRef names[] = {"none", "rint",  "round", "floor",
                                        "ceil", "trunc", "odd"};
      return fail(DiagCode::UnknownChoice, op.args[2]->range,
                  "mode= of " + op.spelling +
                      " is none, rint, round, floor, ceil, trunc or odd (0 to "
                      "6), but this is " +
                      (value.isHost() ? repr(value.host) : describe(value)) +
                      (value.isHost() && value.host.isStr()
                           ? didYouMean(value.host.getStr(), names)
                           : std::string()));
    }
    mode = *parsed;
  }
  if (source.isError() || !dtype)
    return DslValue::error();
  if (source.isScalar() || source.isHostNumber()) {
    if (op.args[2] && mode != ir::RoundMode::round)
      return fail(DiagCode::Cast, op.args[2]->range,
                  "a scalar cast has no mode=: it rounds to "
                  "nearest, ties away from zero");
    return scalarCast(op.range(), source, *dtype);
  }
  if (!core)
    return fail(DiagCode::MisplacedOp, op.range(),
                "Misplaced tensor op '" + op.spelling +
                    "': it should be inside an InCore block (pl.at "
                    "or pl.spmd)");
  source = toTile(source, op.args[0]->range, "the operand of " + op.spelling);
  source.tensor = {}; // the result is a tile of its own
  if (source.isError() || source.dtype == *dtype)
    return source;
  if (!getTileDType(op.args[1], "target_type"))
    return DslValue::error();
  ir::TileType type =
      source.getTileType().withElement(module.getElementType(*dtype));
  if (!isReachable(source.getTileType().getElementType(),
                   type.getElementType())) {
    bool sameSize = getBits(*source.dtype) == getBits(*dtype);
    return fail(DiagCode::Cast, op.range(),
                op.spelling + " cannot convert " + getName(*source.dtype) +
                    " to " + getName(*dtype) + ", in any number of steps" +
                    (sameSize ? "; pl.reinterpret_view takes the bits as they "
                                "are"
                              : ""));
  }
  mlir::NamedAttribute attr = builder.getNamedAttr(
      "mode", ir::RoundModeAttr::get(&module.context, mode));
  mlir::Value made =
      createCompute("cast", op.range(), {source.value}, type, {attr});
  source.value = made;
  source.dtype = *dtype;
  return source;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

DslValue FunctionLowering::scalarCast(SourceRange range, DslValue value,
                                      DTypeKind dtype) {
  if (value.isError())
    return value;
  if (dtype == DTypeKind::TASK_ID)
    return fail(DiagCode::Cast, range, "a scalar cannot become a TaskId");
  if (value.isHostNumber() && !value.dtype) {
    // A constant keeps its value: only its type is said.
    if (isFloat(dtype) == value.host.isFloat() || isFloat(dtype)) {
      if (!materialize(value, dtype, range))
        return DslValue::error();
      return DslValue::makeHost(value.host, dtype);
    }
  }
  value = toScalar(value, range);
  if (value.isError() || value.dtype == dtype)
    return value;
  DTypeKind from = *value.dtype;
  mlir::Type type = module.getScalarType(dtype);
  if (!type)
    return notLowered(range, "a scalar of type " + getName(dtype));
  mlir::Location where = loc(range);
  mlir::Value source = value.value, made;
  if (dtype == DTypeKind::BOOL)
    return fail(DiagCode::Cast, range, "a number is not a BOOL; write x != 0");
  if (isFloat(from) && isFloat(dtype) && getBits(dtype) > getBits(from)) {
    made = builder.createOrFold<arith::ExtFOp>(where, type, source);
  } else if (isFloat(from)) {
    // Where something may be lost, the rounding is said.
    made = ir::ScalarCastOp::create(builder, where, type, source,
                                    ir::RoundMode::round);
  } else if (isFloat(dtype)) {
    if (from == DTypeKind::INDEX)
      source = builder.createOrFold<arith::IndexCastOp>(
          where, builder.getI64Type(), source);
    made = from == DTypeKind::BOOL || isUnsigned(from)
               ? builder.createOrFold<arith::UIToFPOp>(where, type, source)
               : builder.createOrFold<arith::SIToFPOp>(where, type, source);
  } else if (from == DTypeKind::INDEX || dtype == DTypeKind::INDEX) {
    made = from == DTypeKind::BOOL || isUnsigned(from)
               ? builder.createOrFold<arith::IndexCastUIOp>(where, type, source)
               : builder.createOrFold<arith::IndexCastOp>(where, type, source);
  } else if (type == source.getType()) {
    made = source; // only the sign is another
  } else if (getBits(dtype) < getBits(from)) {
    made = builder.createOrFold<arith::TruncIOp>(where, type, source);
  } else if (from == DTypeKind::BOOL || isUnsigned(from)) {
    made = builder.createOrFold<arith::ExtUIOp>(where, type, source);
  } else {
    made = builder.createOrFold<arith::ExtSIOp>(where, type, source);
  }
  return DslValue::makeScalar(made, dtype);
}
