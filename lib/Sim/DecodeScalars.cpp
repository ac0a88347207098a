//===- DecodeScalars.cpp - arith ops, tensor views ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace pl::sim;
using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

/// The width of an integer or index.
static int64_t widthOf(mlir::Type type) {
  return type.isIndex() ? 64 : int64_t(type.getIntOrFloatBitWidth());
}

static std::optional<IntOp> intOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<IntOp>>(op)
      .Case<arith::AddIOp>([](auto) { return IntOp::Add; })
      .Case<arith::SubIOp>([](auto) { return IntOp::Sub; })
      .Case<arith::MulIOp>([](auto) { return IntOp::Mul; })
      .Case<arith::DivSIOp>([](auto) { return IntOp::DivS; })
      .Case<arith::DivUIOp>([](auto) { return IntOp::DivU; })
      .Case<arith::RemSIOp>([](auto) { return IntOp::RemS; })
      .Case<arith::RemUIOp>([](auto) { return IntOp::RemU; })
      .Case<arith::FloorDivSIOp>([](auto) { return IntOp::FloorDivS; })
      .Case<arith::CeilDivSIOp>([](auto) { return IntOp::CeilDivS; })
      .Case<arith::CeilDivUIOp>([](auto) { return IntOp::CeilDivU; })
      .Case<arith::MinSIOp>([](auto) { return IntOp::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return IntOp::MaxS; })
      .Case<arith::MinUIOp>([](auto) { return IntOp::MinU; })
      .Case<arith::MaxUIOp>([](auto) { return IntOp::MaxU; })
      .Case<arith::AndIOp>([](auto) { return IntOp::And; })
      .Case<arith::OrIOp>([](auto) { return IntOp::Or; })
      .Case<arith::XOrIOp>([](auto) { return IntOp::Xor; })
      .Case<arith::ShLIOp>([](auto) { return IntOp::Shl; })
      .Case<arith::ShRSIOp>([](auto) { return IntOp::ShrS; })
      .Case<arith::ShRUIOp>([](auto) { return IntOp::ShrU; })
      .Default([](auto) { return std::nullopt; });
}

static std::optional<pl::shim::BinaryOp> floatOp(Operation *op) {
  using pl::shim::BinaryOp;
  return llvm::TypeSwitch<Operation *, std::optional<BinaryOp>>(op)
      .Case<arith::AddFOp>([](auto) { return BinaryOp::Add; })
      .Case<arith::SubFOp>([](auto) { return BinaryOp::Sub; })
      .Case<arith::MulFOp>([](auto) { return BinaryOp::Mul; })
      .Case<arith::DivFOp>([](auto) { return BinaryOp::Div; })
      .Case<arith::MaximumFOp>([](auto) { return BinaryOp::Max; })
      .Case<arith::MinimumFOp>([](auto) { return BinaryOp::Min; })
      .Default([](auto) { return std::nullopt; });
}

/// An integer of `width` bits for conversions, where other widths than those of
/// elements count as 64 bits.
static ElemType integerElement(int64_t width, bool isUnsigned) {
  return getIntegerElemType(width, isUnsigned)
      .value_or(isUnsigned ? ElemType::U64 : ElemType::I64);
}

bool Decoder::decodeScalar(Operation *op) {
  auto reject = [&] {
    op->emitError() << "'" << op->getName() << "' on "
                    << op->getOperandTypes().front()
                    << " is not simulated: scalars are integers, index, f32, "
                       "f16 or bf16";
    return false;
  };
  mlir::Type resultType = op->getResult(0).getType();
  mlir::Type type =
      op->getNumOperands() ? op->getOperand(0).getType() : resultType;

  if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(op)) {
    int64_t bits;
    if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(constantOp.getValue()))
      bits = type.isInteger(1) ? int64_t(integer.getValue().getZExtValue())
                               : integer.getValue().getSExtValue();
    else if (auto value =
                 mlir::dyn_cast<mlir::FloatAttr>(constantOp.getValue());
             value && getElemType(type))
      bits = int64_t(value.getValue().bitcastToAPInt().getZExtValue());
    else {
      op->emitError() << "constant of type " << type << " is not simulated";
      return false;
    }
    slots[op->getResult(0)] = constant(bits, op);
    return true;
  }

  int32_t dst = define(op->getResult(0));
  llvm::SmallVector<int32_t, 8> in = slotsOf(op->getOperands());
  if (std::optional<IntOp> kind = intOp(op)) {
    if (!type.isIntOrIndex() || widthOf(type) > 64)
      return reject();
    Instr &instr = emit(Op::IntBinary, op);
    instr.sub = uint8_t(*kind);
    instr.imm = widthOf(type);
    instr.dst = dst, instr.a = in[0], instr.b = in[1];
    return true;
  }
  if (std::optional<shim::BinaryOp> kind = floatOp(op)) {
    std::optional<ElemType> element = getElemType(type);
    if (!element)
      return reject();
    Instr &instr = emit(Op::FloatBinary, op);
    instr.sub = uint8_t(*kind);
    instr.type = *element;
    instr.dst = dst, instr.a = in[0], instr.b = in[1];
    return true;
  }
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op)) {
    if (!type.isIntOrIndex() || widthOf(type) > 64)
      return reject();
    Instr &instr = emit(Op::CompareInt, op);
    // arith numbers its predicates in the order of IntPredicate.
    instr.sub = uint8_t(compare.getPredicate());
    instr.imm = widthOf(type);
    instr.dst = dst, instr.a = in[0], instr.b = in[1];
    return true;
  }
  if (auto compare = mlir::dyn_cast<arith::CmpFOp>(op)) {
    std::optional<ElemType> element = getElemType(type);
    if (!element)
      return reject();
    Instr &instr = emit(Op::CompareFloat, op);
    instr.sub = uint8_t(compare.getPredicate());
    instr.type = *element;
    instr.dst = dst, instr.a = in[0], instr.b = in[1];
    return true;
  }
  if (mlir::isa<arith::SelectOp>(op)) {
    if (mlir::isa<mlir::MemRefType>(resultType))
      return reject();
    Instr &instr = emit(Op::Select, op);
    instr.dst = dst, instr.a = in[0], instr.b = in[1], instr.c = in[2];
    return true;
  }
  if (mlir::isa<arith::NegFOp>(op)) {
    std::optional<ElemType> element = getElemType(type);
    if (!element)
      return reject();
    Instr &instr = emit(Op::FloatNeg, op);
    instr.type = *element;
    instr.dst = dst, instr.a = in[0];
    return true;
  }
  if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                arith::ExtUIOp, arith::TruncIOp>(op)) {
    if (!type.isIntOrIndex() || !resultType.isIntOrIndex())
      return reject();
    Instr &instr = emit(Op::Resize, op);
    instr.sub = mlir::isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
    instr.imm = widthOf(type);
    instr.imm2 = widthOf(resultType);
    instr.dst = dst, instr.a = in[0];
    return true;
  }
  bool toFloat = mlir::isa<arith::SIToFPOp, arith::UIToFPOp>(op);
  bool toInt = mlir::isa<arith::FPToSIOp, arith::FPToUIOp>(op);
  bool resize = mlir::isa<arith::ExtFOp, arith::TruncFOp>(op);
  if (toFloat || toInt || resize) {
    bool isUnsigned = mlir::isa<arith::UIToFPOp, arith::FPToUIOp>(op);
    std::optional<ElemType> from =
        toFloat ? integerElement(widthOf(type), isUnsigned) : getElemType(type);
    std::optional<ElemType> to =
        toInt ? integerElement(widthOf(resultType), isUnsigned)
              : getElemType(resultType);
    if (!from || !to)
      return reject();
    Instr &instr = emit(Op::Convert, op);
    instr.type = *to;
    instr.type2 = *from;
    instr.mode = toInt ? shim::RoundMode::Trunc : shim::RoundMode::Rint;
    instr.dst = dst, instr.a = in[0];
    return true;
  }
  op->emitError() << "'" << op->getName() << "' is not simulated";
  return false;
}

bool Decoder::decodeView(Operation *op) {
  if (auto dim = mlir::dyn_cast<memref::DimOp>(op)) {
    int32_t dst = define(dim.getResult());
    Instr &instr = emit(Op::Dim, op);
    instr.dst = dst;
    instr.a = slot(dim.getSource());
    instr.b = slot(dim.getIndex());
    return true;
  }
  auto derive = [&](Value source, Value result) {
    auto it = paramOf.find(source);
    if (it != paramOf.end()) {
      int32_t param = it->second;
      paramOf[result] = param;
    }
    return define(result);
  };
  if (auto subview = mlir::dyn_cast<memref::SubViewOp>(op)) {
    llvm::SmallVector<int32_t, 8> operands =
        mixed(subview.getStaticOffsets(), subview.getOffsets(), op);
    llvm::append_range(operands,
                       mixed(subview.getStaticSizes(), subview.getSizes(), op));
    llvm::append_range(
        operands, mixed(subview.getStaticStrides(), subview.getStrides(), op));
    int32_t dst = derive(subview.getSource(), subview.getResult());
    Instr &instr = emit(Op::SubView, op);
    instr.dst = dst;
    instr.a = slot(subview.getSource());
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (int axis : dropped.set_bits())
      instr.imm |= int64_t(1) << axis;
    setOperands(instr, operands);
    return true;
  }
  if (auto cast = mlir::dyn_cast<memref::ReinterpretCastOp>(op)) {
    if (!mlir::isa<mlir::MemRefType>(cast.getSource().getType()))
      return op->emitError() << "is not simulated on an unranked tensor", false;
    llvm::SmallVector<int32_t, 8> operands =
        mixed(cast.getStaticOffsets(), cast.getOffsets(), op);
    llvm::append_range(operands,
                       mixed(cast.getStaticSizes(), cast.getSizes(), op));
    llvm::append_range(operands,
                       mixed(cast.getStaticStrides(), cast.getStrides(), op));
    int32_t dst = derive(cast.getSource(), cast.getResult());
    Instr &instr = emit(Op::Reinterpret, op);
    instr.dst = dst;
    instr.a = slot(cast.getSource());
    setOperands(instr, operands);
    return true;
  }
  if (auto cast = mlir::dyn_cast<memref::CastOp>(op)) {
    auto type = mlir::dyn_cast<mlir::MemRefType>(cast.getResult().getType());
    if (!type || !mlir::isa<mlir::MemRefType>(cast.getSource().getType()))
      return op->emitError() << "is not simulated on an unranked tensor", false;
    for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
      if (mlir::ShapedType::isDynamic(extent))
        continue;
      Instr &check = emit(Op::ExpectDim, op);
      check.a = slot(cast.getSource());
      check.imm = int64_t(axis);
      check.imm2 = extent;
    }
    int32_t dst = derive(cast.getSource(), cast.getResult());
    Instr &instr = emit(Op::CopyView, op);
    instr.dst = dst;
    instr.a = slot(cast.getSource());
    return true;
  }
  op->emitError() << "'" << op->getName() << "' is not simulated";
  return false;
}
