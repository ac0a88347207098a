//===- HostJson.h - Values of the host world as JSON ----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_HOSTJSON_H
#define PL_DRIVER_HOSTJSON_H

#include "pl/Frontend/Value.h"

#include "llvm/Support/JSON.h"

namespace pl::driver {

/// A parameter's value; what JSON has no word for becomes its text.
llvm::json::Value toJson(const frontend::Value &value);

} // namespace pl::driver

#endif // PL_DRIVER_HOSTJSON_H
