//===- PLDialect.cpp - Registration and attributes ------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/IR/PLCommOps.h"
#include "pl/Dialect/PL/IR/PLCrossCoreOps.h"
#include "pl/Dialect/PL/IR/PLHostOps.h"
#include "pl/Dialect/PL/IR/PLMemoryOps.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"
#include "pl/Dialect/PL/IR/PLVectorOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

#include "pl/Dialect/PL/IR/PLDialect.cpp.inc"
#include "pl/Dialect/PL/IR/PLEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "pl/Dialect/PL/IR/PLAttrs.cpp.inc"
#include "pl/Dialect/PL/IR/PLInterfaces.cpp.inc"

void PLDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pl/Dialect/PL/IR/PLAttrs.cpp.inc"
      >();
}

namespace {
/// Inline functions of the language are always spliced, tasks and all.
struct PLInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void PLDialect::initialize() {
  registerTypes();
  registerAttributes();
  addInterfaces<PLInliner>();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLHostOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLTaskOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLCommOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLCrossCoreOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLMemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pl/Dialect/PL/IR/PLVectorOps.cpp.inc"
      >();
}
