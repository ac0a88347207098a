//===- pl-opt.cpp - Runs passes on pl IR ----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/TransformOps/PLTransformOps.h"
#include "pl/Driver/Pipeline.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  pl::driver::registerPipelines();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::pl::PLDialect>();
  mlir::pl::registerTransformOps(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes on pl IR\n", registry));
}
