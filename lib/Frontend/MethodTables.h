//===- MethodTables.h - methods of built-in types -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_METHODTABLES_H
#define PL_LIB_FRONTEND_METHODTABLES_H

#include "pl/Frontend/Interpreter.h"

namespace pl::frontend {

using Method =
    std::function<llvm::FailureOr<Value>(CallContext &, const Value &self)>;
using MethodTable = llvm::StringMap<Method>;

/// Each fills an empty table and gives it back.
const MethodTable &getStringMethods(MethodTable &table);
const MethodTable &getListMethods(MethodTable &table);
const MethodTable &getTupleMethods(MethodTable &table);
const MethodTable &getDictMethods(MethodTable &table);
const MethodTable &getSetMethods(MethodTable &table);

/// Sorts in place by key; false when a comparison raised
/// (BuiltinSequences.cpp).
bool sortValues(CallContext &call, std::vector<Value> &elements, Value key,
                bool reverse);
/// Adds the entries of a dict or of pairs (BuiltinTypes.cpp).
bool updateDict(CallContext &call, ValueTable &table, const Value &source);

/// The tables of one interpreter.
struct Methods {
  MethodTable str, list, tuple, dict, set, none;
  Methods() {
    getStringMethods(str);
    getListMethods(list);
    getTupleMethods(tuple);
    getDictMethods(dict);
    getSetMethods(set);
  }
  const MethodTable &of(ValueKind kind) const {
    switch (kind) {
    case ValueKind::Str:
      return str;
    case ValueKind::List:
      return list;
    case ValueKind::Tuple:
    case ValueKind::Range:
      return tuple;
    case ValueKind::Dict:
      return dict;
    case ValueKind::Set:
      return set;
    default:
      return none;
    }
  }
};

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_METHODTABLES_H
