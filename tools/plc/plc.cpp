//===- plc.cpp - The compiler, checker and simulator of pl ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"

int main(int argc, char **argv) { return pl::driver::plcMain(argc, argv); }
