//===- HostOps.cpp - Rules of host programs -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/FuncKinds.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pl;

static bool isWindow(MemRefType type) {
  return isa_and_nonnull<WindowAttr>(type.getMemorySpace());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Buffers are bytes.
static LogicalResult verifyBuffer(Operation *op, Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || buffer.getRank() != 1 ||
      !buffer.getElementType().isInteger(8) || !isWindow(buffer) ||
      !buffer.getLayout().isIdentity())
    return op->emitOpError() << "expects a buffer of bytes in #pl.window, but "
                                "got "
                             << type;
  return success();
}

LogicalResult AllocWindowOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer().getType())))
    return failure();
  auto type = cast<MemRefType>(getBuffer().getType());
  if (type.hasStaticShape() == bool(getBytes()))
    return emitOpError() << "expects a size exactly where the type has none";
  return success();
}

LogicalResult WindowOp::verify() {
  auto type = dyn_cast<MemRefType>(getWindow().getType());
  if (failed(verifyBuffer(*this, getBuffer().getType())))
    return failure();
  if (!type || !isWindow(type) || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat())
    return emitOpError() << "expects a packed tensor in #pl.window, but got "
                         << getWindow().getType();
  if (size_t(type.getNumDynamicDims()) != getDynamicSizes().size())
    return emitOpError() << "expects one size for each of "
                         << type.getNumDynamicDims() << " dynamic dims, got "
                         << getDynamicSizes().size();
  auto buffer = cast<MemRefType>(getBuffer().getType());
  if (!type.hasStaticShape() || !buffer.hasStaticShape())
    return success();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return emitOpError() << "has a size that 64 bits cannot hold";
  if (bytes > buffer.getDimSize(0)) {
    InFlightDiagnostic diag = emitOpError() << "needs " << bytes
                                            << " bytes, but its buffer has "
                                            << buffer.getDimSize(0);
    if (Operation *alloc = getBuffer().getDefiningOp())
      diag.attachNote(alloc->getLoc()) << "the buffer is allocated here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Whether a tensor may be passed for another by its descriptor.
static bool fitsDescriptor(Type given, Type expected) {
  auto from = dyn_cast<MemRefType>(given), to = dyn_cast<MemRefType>(expected);
  if (!from || !to)
    return given == expected;
  return from.getRank() == to.getRank() &&
         from.getElementType() == to.getElementType() &&
         from.getMemorySpace() == to.getMemorySpace() &&
         succeeded(verifyCompatibleShape(from.getShape(), to.getShape()));
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "expects a function named " << getCalleeAttr();
  auto fail = [&](const Twine &text) {
    InFlightDiagnostic diag = emitOpError() << text;
    diag.attachNote(callee.getLoc()) << "the function is here";
    return diag;
  };
  if (!isOrchestration(callee))
    return fail("expects a function of kind orchestration");
  ArrayRef<Type> expected = callee.getArgumentTypes();
  if (expected.size() != getArgs().size())
    return fail("expects the " + Twine(expected.size()) +
                " arguments of the function, but got " +
                Twine(getArgs().size()));
  for (auto [index, argument] : llvm::enumerate(getArgs()))
    if (!fitsDescriptor(argument.getType(), expected[index])) {
      InFlightDiagnostic diag =
          emitOpError() << "expects " << expected[index] << " for argument "
                        << index << ", but got " << argument.getType();
      diag.attachNote(callee.getLoc()) << "the function is here";
      return diag;
    }
  return success();
}

LogicalResult ExternOp::verify() {
  size_t tensors =
      llvm::count_if(getArgs().getTypes(), llvm::IsaPred<MemRefType>);
  if (getDirections().size() != tensors)
    return emitOpError() << "expects a direction for each of " << tensors
                         << " tensors, but got " << getDirections().size();
  return success();
}

LogicalResult BindDimOp::verify() {
  size_t count = getExtents().size();
  if (count == 0 || getScales().size() != count ||
      getOffsets().size() != count || getSources().size() != count)
    return emitOpError() << "expects a scale, an offset and a source for each "
                            "of at least one extent";
  if (llvm::any_of(getScales(), [](int64_t scale) { return scale <= 0; }))
    return emitOpError() << "expects scales of at least 1";
  return success();
}

#define GET_OP_CLASSES
#include "pl/Dialect/PL/IR/PLHostOps.cpp.inc"
