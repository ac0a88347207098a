//===- pl-lsp-server.cpp - Language server for pl IR ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Dialect/PL/TransformOps/PLTransformOps.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<mlir::pl::PLDialect>();
  mlir::pl::registerTransformOps(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
