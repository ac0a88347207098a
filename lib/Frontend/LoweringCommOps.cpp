//===- LoweringCommOps.cpp - operations between ranks and cores -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringTable.h"

using namespace pl::frontend;

ArrayRef<OpRow> pl::frontend::getCommOps() { return {}; }
