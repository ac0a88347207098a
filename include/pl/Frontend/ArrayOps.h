//===- ArrayOps.h - how the array library plugs into the interpreter ------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter knows nothing of tensors but that they exist. Everything a
// program does with one (and with the other objects the library hands out) goes
// through this interface. An operation that fails raises through the context
// (`return ctx.raise("ValueError", "…")`) and returns what that gives.
//
//===----------------------------------------------------------------------===//

#ifndef PL_FRONTEND_ARRAYOPS_H
#define PL_FRONTEND_ARRAYOPS_H

#include "pl/Frontend/AST.h"
#include "pl/Frontend/Objects.h"
#include "pl/Frontend/Value.h"

#include <memory>
#include <string>

namespace pl::frontend {

class ArrayOps {
public:
  virtual ~ArrayOps() = default;

  /// What `import NAME` binds (`torch`, `torch.nn.functional`, …), or Empty
  /// when the library has no such module; it is asked once per name. Use
  /// ModuleObject for a namespace.
  virtual Value getModule(llvm::StringRef name) = 0;

  /// `value.name`; `value` is an array or a HostObject. Methods are natives
  /// bound to the value (see makeNative). Unknown names:
  /// `ctx.raiseNoAttribute`.
  virtual llvm::FailureOr<Value> getAttr(CallContext &ctx, const Value &value,
                                         llvm::StringRef name) = 0;
  virtual llvm::LogicalResult setAttr(CallContext &ctx, const Value &value,
                                      llvm::StringRef name,
                                      const Value &newValue);

  /// At least one side is an array.
  virtual llvm::FailureOr<Value> binary(CallContext &ctx, BinOpKind op,
                                        const Value &lhs, const Value &rhs) = 0;
  /// `lhs op= rhs` where lhs is an array. The default computes `lhs op rhs` and
  /// rebinds the name, which is right unless the array is aliased.
  virtual llvm::FailureOr<Value> inPlace(CallContext &ctx, BinOpKind op,
                                         const Value &lhs, const Value &rhs);
  virtual llvm::FailureOr<Value> unary(CallContext &ctx, UnaryOpKind op,
                                       const Value &operand) = 0;
  /// Eq, NotEq, Lt, LtE, Gt, GtE; also In and NotIn with an array on the right.
  virtual llvm::FailureOr<Value> compare(CallContext &ctx, CmpOpKind op,
                                         const Value &lhs,
                                         const Value &rhs) = 0;

  /// `array[index]`: an int, slice, None, Ellipsis, array, list or a tuple of
  /// those.
  virtual llvm::FailureOr<Value> getItem(CallContext &ctx, const Value &array,
                                         const Value &index) = 0;
  virtual llvm::LogicalResult setItem(CallContext &ctx, const Value &array,
                                      const Value &index,
                                      const Value &value) = 0;

  /// `if array:`, `bool(array)`.
  virtual llvm::FailureOr<bool> truth(CallContext &ctx, const Value &array) = 0;
  /// `len(array)`; iteration is length plus getItem.
  virtual llvm::FailureOr<int64_t> length(CallContext &ctx,
                                          const Value &array) = 0;
  /// The one element as int, float or bool: what `int(array)`, `float(array)`
  /// and use as an index need.
  virtual llvm::FailureOr<Value> item(CallContext &ctx, const Value &array) = 0;
  virtual std::string repr(const Value &array) = 0;
  /// A copy that shares no storage.
  virtual Value clone(const Value &array) = 0;
  /// Bytes of all tensors that are alive.
  virtual uint64_t getLiveBytes() const { return 0; }
};

/// The product's array library. Defined by ArrayModule.cpp.
std::unique_ptr<ArrayOps> createArrayOps();

} // namespace pl::frontend

#endif // PL_FRONTEND_ARRAYOPS_H
