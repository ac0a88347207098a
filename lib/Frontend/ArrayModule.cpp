//===- ArrayModule.cpp - Operators, attributes and subscripts of tensors --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"
#include "pl/Reference/Index.h"
#include "pl/Reference/Linalg.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace pl;

namespace pl::frontend {

char GeneratorObject::classId = 0;
char NoGradObject::classId = 0;

GeneratorObject *GeneratorObject::of(const Value &value) {
  auto *host = value.as<HostObject>();
  return host && host->getClassId() == &classId
             ? static_cast<GeneratorObject *>(host)
             : nullptr;
}

std::unique_ptr<ArrayOps> createArrayOps() {
  return std::make_unique<ArrayLibrary>();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Either side of an operator: a tensor or a number.
static bool isOperand(const Value &value) {
  return value.isArray() || value.isNumber();
}

static ref::Operand toOperand(const Value &value) {
  return value.isArray() ? ref::Operand(*value.getArray())
                         : ref::Operand(toScalar(value));
}

static LogicalResult raiseError(CallContext &ctx, Error error) {
  return ctx.raise("RuntimeError", toString(std::move(error)));
}

static FailureOr<Value> give(CallContext &ctx, Expected<ref::Array> result) {
  if (!result)
    return raiseError(ctx, result.takeError());
  return makeArray(std::move(*result));
}

static LogicalResult raiseOperands(CallContext &ctx, StringRef spelling,
                                   const Value &lhs, const Value &rhs) {
  for (const Value *side : {&lhs, &rhs})
    if (side->as<OpaqueObject>())
      return ctx.interpreter.raiseOpaque(*side, ctx.range);
  return ctx.raise("TypeError", "'" + spelling + "' does not take a '" +
                                    getTypeName(lhs) + "' and a '" +
                                    getTypeName(rhs) + "'");
}

static Expected<ref::Array> applyBinary(BinOpKind op, const ref::Operand &lhs,
                                        const ref::Operand &rhs) {
  switch (op) {
  case BinOpKind::Add:
    return binary(ref::BinaryOp::Add, lhs, rhs);
  case BinOpKind::Sub:
    return binary(ref::BinaryOp::Sub, lhs, rhs);
  case BinOpKind::Mult:
    return binary(ref::BinaryOp::Mul, lhs, rhs);
  case BinOpKind::MatMult:
    if (lhs.isPlain() || rhs.isPlain())
      return ref::fail("'@' needs tensors on both sides");
    return ref::matmul(lhs.array(), rhs.array());
  case BinOpKind::Div:
    // torch's `number / tensor` is `tensor.reciprocal() * number`: rounded
    // twice, so not always the nearest quotient.
    if (lhs.isPlain() && !rhs.isPlain()) {
      Expected<ref::Array> inverse =
          ref::unary(ref::UnaryOp::Reciprocal, rhs.array());
      return inverse ? binary(ref::BinaryOp::Mul, *inverse, lhs)
                     : std::move(inverse);
    }
    return binary(ref::BinaryOp::Div, lhs, rhs);
  case BinOpKind::FloorDiv:
    return binary(ref::BinaryOp::FloorDiv, lhs, rhs);
  case BinOpKind::Mod:
    return binary(ref::BinaryOp::Remainder, lhs, rhs);
  case BinOpKind::Pow:
    return binary(ref::BinaryOp::Pow, lhs, rhs);
  case BinOpKind::LShift:
    return binary(ref::BinaryOp::ShiftLeft, lhs, rhs);
  case BinOpKind::RShift:
    return binary(ref::BinaryOp::ShiftRight, lhs, rhs);
  case BinOpKind::BitOr:
    return binary(ref::BinaryOp::BitOr, lhs, rhs);
  case BinOpKind::BitXor:
    return binary(ref::BinaryOp::BitXor, lhs, rhs);
  case BinOpKind::BitAnd:
    return binary(ref::BinaryOp::BitAnd, lhs, rhs);
  }
  llvm_unreachable("all operators are handled");
}

uint64_t ArrayLibrary::getLiveBytes() const {
  return static_cast<uint64_t>(ref::Array::getLiveBytes());
}

bool ArrayLibrary::admit(CallContext &ctx, ArrayRef<Value> values) {
  constexpr uint64_t elementsPerStep = 256;
  int64_t elements = 0, bytes = 0;
  for (const Value &value : values)
    if (value.isArray()) {
      elements += value.getArray()->numel();
      bytes += value.getArray()->bytes();
    }
  if (!ctx.interpreter.step(
          ctx.range, static_cast<uint64_t>(elements) / elementsPerStep + 1))
    return false;
  Error error = ref::Array::checkRoom(2 * bytes);
  if (!error)
    return true;
  (void)ctx.raise("MemoryError", toString(std::move(error)));
  return false;
}

FailureOr<Value> ArrayLibrary::binary(CallContext &ctx, BinOpKind op,
                                      const Value &lhs, const Value &rhs) {
  if (!isOperand(lhs) || !isOperand(rhs))
    return raiseOperands(ctx, getSpelling(op), lhs, rhs);
  if (!admit(ctx, {lhs, rhs}))
    return failure();
  if (op == BinOpKind::MatMult && lhs.isArray() && rhs.isArray() &&
      rhs.getArray()->rank() > 0) {
    constexpr uint64_t productsPerStep = 16384;
    const ref::Array &right = *rhs.getArray();
    uint64_t columns = static_cast<uint64_t>(right.dim(right.rank() - 1));
    if (!ctx.interpreter.step(ctx.range,
                              static_cast<uint64_t>(lhs.getArray()->numel()) *
                                  columns / productsPerStep))
      return failure();
  }
  return give(ctx, applyBinary(op, toOperand(lhs), toOperand(rhs)));
}

/// Puts what an in-place operation gave into its tensor.
static FailureOr<Value> writeBack(CallContext &ctx, const Value &self,
                                  const ref::Array &result, StringRef what) {
  const ref::Array &target = *self.getArray();
  if (ref::isFloating(result.dtype()) && !ref::isFloating(target.dtype()))
    return ctx.raise("RuntimeError",
                     "'" + what + "' gives " + ref::dtypeName(result.dtype()) +
                         ", which a tensor of " +
                         ref::dtypeName(target.dtype()) + " cannot hold");
  if (result.shape() != target.shape())
    return ctx.raise("RuntimeError", "'" + what + "' gives the shape " +
                                         ref::shapeString(result.shape()) +
                                         ", but the tensor has " +
                                         ref::shapeString(target.shape()));
  if (Error error = ref::copyInto(target, result))
    return raiseError(ctx, std::move(error));
  return self;
}

FailureOr<Value> ArrayLibrary::inPlace(CallContext &ctx, BinOpKind op,
                                       const Value &lhs, const Value &rhs) {
  if (!isOperand(rhs))
    return raiseOperands(ctx, (getSpelling(op) + "=").str(), lhs, rhs);
  if (!admit(ctx, {lhs, rhs}))
    return failure();
  Expected<ref::Array> result = applyBinary(op, toOperand(lhs), toOperand(rhs));
  if (!result)
    return raiseError(ctx, result.takeError());
  return writeBack(ctx, lhs, *result, (getSpelling(op) + "=").str());
}

FailureOr<Value> ArrayLibrary::unary(CallContext &ctx, UnaryOpKind op,
                                     const Value &operand) {
  const ref::Array &array = *operand.getArray();
  if (!admit(ctx, {operand}))
    return failure();
  switch (op) {
  case UnaryOpKind::Neg:
    return give(ctx, ref::unary(ref::UnaryOp::Neg, array));
  case UnaryOpKind::Pos:
    return operand;
  case UnaryOpKind::Invert:
    return give(ctx, ref::unary(ref::UnaryOp::BitNot, array));
  case UnaryOpKind::Not: {
    FailureOr<bool> value = truth(ctx, operand);
    if (failed(value))
      return failure();
    return Value::boolean(!*value);
  }
  }
  llvm_unreachable("all operators are handled");
}

static std::optional<ref::CompareOp> toCompareOp(CmpOpKind op) {
  switch (op) {
  case CmpOpKind::Eq:
    return ref::CompareOp::Eq;
  case CmpOpKind::NotEq:
    return ref::CompareOp::Ne;
  case CmpOpKind::Lt:
    return ref::CompareOp::Lt;
  case CmpOpKind::LtE:
    return ref::CompareOp::Le;
  case CmpOpKind::Gt:
    return ref::CompareOp::Gt;
  case CmpOpKind::GtE:
    return ref::CompareOp::Ge;
  default:
    return std::nullopt;
  }
}

FailureOr<Value> ArrayLibrary::compare(CallContext &ctx, CmpOpKind op,
                                       const Value &lhs, const Value &rhs) {
  if (op == CmpOpKind::In || op == CmpOpKind::NotIn) {
    if (!isOperand(lhs))
      return raiseOperands(ctx, getSpelling(op), lhs, rhs);
    Expected<ref::Array> same =
        ref::compare(ref::CompareOp::Eq, toOperand(lhs), toOperand(rhs));
    if (!same)
      return raiseError(ctx, same.takeError());
    Expected<ref::Array> any = ref::reduce(ref::ReduceOp::Any, *same);
    if (!any)
      return raiseError(ctx, any.takeError());
    return Value::boolean((any->getInt(0) != 0) == (op == CmpOpKind::In));
  }
  std::optional<ref::CompareOp> known = toCompareOp(op);
  if (!known || !isOperand(lhs) || !isOperand(rhs)) {
    // A tensor is never equal to something that is no number.
    if (op == CmpOpKind::Eq || op == CmpOpKind::NotEq)
      return Value::boolean(op == CmpOpKind::NotEq);
    return raiseOperands(ctx, getSpelling(op), lhs, rhs);
  }
  if (!admit(ctx, {lhs, rhs}))
    return failure();
  return give(ctx, ref::compare(*known, toOperand(lhs), toOperand(rhs)));
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// One bound of a slice; absent when None.
static LogicalResult toBound(CallContext &ctx, const Value &value,
                             std::optional<int64_t> &bound) {
  if (value.isNone() || value.isEmpty())
    return success();
  FailureOr<int64_t> number = ctx.asInt(value, "a slice bound");
  if (failed(number))
    return failure();
  bound = *number;
  return success();
}

static LogicalResult toItem(ArrayLibrary &library, CallContext &ctx,
                            const Value &given,
                            SmallVectorImpl<ref::IndexItem> &items) {
  Value value = ctx.interpreter.force(given, ctx.range);
  if (value.isEmpty())
    return failure();
  switch (value.getKind()) {
  case ValueKind::Int:
    items.push_back(ref::IndexItem::at(value.getInt()));
    return success();
  case ValueKind::None:
    items.push_back(ref::IndexItem::newAxis());
    return success();
  case ValueKind::Ellipsis:
    items.push_back(ref::IndexItem::ellipsis());
    return success();
  case ValueKind::Array:
    items.push_back(ref::IndexItem::of(*value.getArray()));
    return success();
  case ValueKind::Slice: {
    const auto *slice = value.as<SliceObject>();
    std::optional<int64_t> start, stop, step;
    if (failed(toBound(ctx, slice->lower, start)) ||
        failed(toBound(ctx, slice->upper, stop)) ||
        failed(toBound(ctx, slice->step, step)))
      return failure();
    items.push_back(ref::IndexItem::range(start, stop, step.value_or(1)));
    return success();
  }
  case ValueKind::List:
  case ValueKind::Range: {
    TensorCall call(library, ctx, {});
    std::optional<ref::Array> array = call.fromNested(value, std::nullopt);
    if (!array)
      return failure();
    // An empty list selects nothing.
    if (array->numel() == 0)
      array = ref::convert(*array, ref::DType::Int64);
    items.push_back(ref::IndexItem::of(*array));
    return success();
  }
  case ValueKind::Opaque:
    return ctx.interpreter.raiseOpaque(value, ctx.range);
  default:
    return ctx.raise("TypeError", "a tensor cannot be indexed by a '" +
                                      getTypeName(value) + "'");
  }
}

static LogicalResult toItems(ArrayLibrary &library, CallContext &ctx,
                             const Value &index,
                             SmallVectorImpl<ref::IndexItem> &items) {
  const auto *tuple = index.as<TupleObject>();
  if (!tuple)
    return toItem(library, ctx, index, items);
  for (const Value &element : tuple->elements)
    if (failed(toItem(library, ctx, element, items)))
      return failure();
  return success();
}

FailureOr<Value> ArrayLibrary::getItem(CallContext &ctx, const Value &array,
                                       const Value &index) {
  SmallVector<ref::IndexItem, 4> items;
  if (failed(toItems(*this, ctx, index, items)))
    return failure();
  Expected<ref::Array> result = ref::index(*array.getArray(), items);
  if (!result)
    return ctx.raise("IndexError", toString(result.takeError()));
  return makeArray(std::move(*result));
}

LogicalResult ArrayLibrary::setItem(CallContext &ctx, const Value &array,
                                    const Value &index, const Value &given) {
  SmallVector<ref::IndexItem, 4> items;
  if (failed(toItems(*this, ctx, index, items)))
    return failure();
  Value value = ctx.interpreter.force(given, ctx.range);
  if (value.isEmpty())
    return failure();
  if (!isOperand(value)) {
    TensorCall call(*this, ctx, {});
    std::optional<ref::Array> made = call.fromNested(value, std::nullopt);
    if (!made)
      return failure();
    value = makeArray(std::move(*made));
  }
  if (Error error =
          ref::assignIndex(*array.getArray(), items, toOperand(value)))
    return ctx.raise("RuntimeError", toString(std::move(error)));
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions to host values
//===----------------------------------------------------------------------===//

FailureOr<Value> ArrayLibrary::item(CallContext &ctx, const Value &value) {
  const ref::Array &array = *value.getArray();
  if (array.numel() != 1)
    return ctx.raise("RuntimeError", "a tensor of shape " +
                                         ref::shapeString(array.shape()) +
                                         " is no single number");
  return elementValue(array, 0);
}

FailureOr<bool> ArrayLibrary::truth(CallContext &ctx, const Value &value) {
  const ref::Array &array = *value.getArray();
  if (array.numel() != 1)
    return ctx.raise("RuntimeError",
                     "a tensor of shape " + ref::shapeString(array.shape()) +
                         " is neither true nor false; use .any() or .all()");
  return ref::convert(array, ref::DType::Bool).getInt(0) != 0;
}

FailureOr<int64_t> ArrayLibrary::length(CallContext &ctx, const Value &value) {
  const ref::Array &array = *value.getArray();
  if (array.rank() == 0)
    return ctx.raise("TypeError", "a 0-d tensor has no length");
  return array.dim(0);
}

std::string ArrayLibrary::repr(const Value &array) {
  return describeArray(*array.getArray());
}

Value ArrayLibrary::clone(const Value &array) {
  return makeArray(array.getArray()->clone());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static Value toTuple(ArrayRef<int64_t> extents) {
  std::vector<Value> elements;
  for (int64_t extent : extents)
    elements.push_back(Value::integer(extent));
  return Value::tuple(std::move(elements));
}

Value ArrayLibrary::findMethod(const Value &self, StringRef name) {
  auto entry = entries.find(name);
  bool writesBack = false;
  if (entry == entries.end() && name.ends_with("_") && name.size() > 1) {
    entry = entries.find(name.drop_back());
    writesBack = entry != entries.end();
    if (writesBack && !entry->second.inPlace)
      return Value();
  }
  if (entry == entries.end() || entry->second.offered == Offered::Function)
    return Value();
  const Entry *found = &entry->second;
  return makeNative(
      name,
      [this, self, found, writesBack](CallContext &ctx) -> FailureOr<Value> {
        SmallVector<Value, 6> args{self};
        args.append(ctx.args.begin(), ctx.args.end());
        FailureOr<Value> result = call(ctx, found->fn, args);
        if (failed(result) || !writesBack)
          return result;
        return writeBack(ctx, self, *result->getArray(), ctx.callee);
      });
}

FailureOr<Value> ArrayLibrary::getAttr(CallContext &ctx, const Value &value,
                                       StringRef name) {
  if (!value.isArray())
    return hostAttr(ctx, value, name);
  const ref::Array &array = *value.getArray();
  if (name == "shape")
    return toTuple(array.shape());
  if (name == "dtype")
    return Value::dtype(fromRef(array.dtype()));
  if (name == "ndim")
    return Value::integer(array.rank());
  if (name == "T")
    return makeArray(ref::reverseDims(array));
  if (name == "mT")
    return give(ctx, ref::transpose(array, -1, -2));
  if (name == "device")
    return Value::str("cpu");
  if (name == "data")
    return value;
  if (name == "requires_grad" || name == "is_cuda")
    return Value::boolean(false);
  if (name == "itemsize")
    return Value::integer(ref::dtypeBytes(array.dtype()));
  if (name == "nbytes")
    return Value::integer(array.bytes());
  Value method = findMethod(value, name);
  if (!method.isEmpty())
    return method;
  SmallVector<StringRef, 0> known{"shape", "dtype", "ndim", "T", "device"};
  for (const auto &entry : entries)
    if (entry.second.offered != Offered::Function)
      known.push_back(entry.first());
  return ctx.raiseNoAttribute(value, name, known);
}

FailureOr<Value> ArrayLibrary::hostAttr(CallContext &ctx, const Value &value,
                                        StringRef name) {
  if (GeneratorObject::of(value)) {
    if (name == "manual_seed")
      return makeNative(name, [value](CallContext &ctx) -> FailureOr<Value> {
        SmallVector<Value, 1> values;
        if (failed(ctx.bind({"seed"}, 1, values)))
          return failure();
        FailureOr<int64_t> seed = ctx.asInt(values[0], "seed");
        if (failed(seed))
          return failure();
        GeneratorObject::of(value)->generator.manualSeed(
            static_cast<uint64_t>(*seed));
        return value;
      });
    if (name == "initial_seed")
      return makeNative(name, [value](CallContext &) -> FailureOr<Value> {
        return Value::integer(
            static_cast<int64_t>(GeneratorObject::of(value)->generator.seed));
      });
    return ctx.raiseNoAttribute(value, name, {"manual_seed", "initial_seed"});
  }
  if (name == "__enter__")
    return makeNative(
        name, [value](CallContext &) -> FailureOr<Value> { return value; });
  if (name == "__exit__")
    return makeNative(name, [](CallContext &) -> FailureOr<Value> {
      return Value::boolean(false);
    });
  // `@torch.no_grad()` leaves a function as it is.
  if (name == "__call__")
    return makeNative(name, [](CallContext &ctx) -> FailureOr<Value> {
      if (ctx.args.size() == 1)
        return ctx.args[0];
      return ctx.raise("TypeError", "no_grad() decorates one function");
    });
  return ctx.raiseNoAttribute(value, name);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void ArrayLibrary::add(StringRef name, Offered offered, TensorFn fn) {
  entries[name] = {std::move(fn), offered, /*inPlace=*/false};
}

void ArrayLibrary::addInPlace(StringRef name, TensorFn fn) {
  entries[name] = {std::move(fn), Offered::Both, /*inPlace=*/true};
}

FailureOr<Value> ArrayLibrary::call(CallContext &ctx, const TensorFn &fn,
                                    ArrayRef<Value> args) {
  TensorCall call(*this, ctx, args);
  if (call.hasFailed() || !admit(ctx, call.args))
    return failure();
  FailureOr<Value> result = fn(call);
  return call.hasFailed() ? FailureOr<Value>(failure()) : result;
}

Value ArrayLibrary::makeFunction(StringRef name, const TensorFn &fn) {
  return makeNative(name, [this, fn](CallContext &ctx) -> FailureOr<Value> {
    return call(ctx, fn, ctx.args);
  });
}

} // namespace pl::frontend
