//===- Annotations.cpp - annotations as values ----------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"
#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

static StringRef kindName(TypeAnnotation::Kind kind) {
  switch (kind) {
  case TypeAnnotation::Kind::Tensor:
    return "pl.Tensor";
  case TypeAnnotation::Kind::DistributedTensor:
    return "pld.DistributedTensor";
  case TypeAnnotation::Kind::Tile:
    return "pl.Tile";
  case TypeAnnotation::Kind::Scalar:
    return "pl.Scalar";
  case TypeAnnotation::Kind::Array:
    return "pl.Array";
  case TypeAnnotation::Kind::Tuple:
    return "tuple";
  case TypeAnnotation::Kind::None:
    return "None";
  }
  return "";
}

static bool toDim(Interpreter &interpreter, const Value &value, size_t axis,
                  SourceRange range, Dim &dim) {
  if (auto *dynamic = value.as<DynVarObject>()) {
    dim.dynamic = dynamic;
    return true;
  }
  if (value.isInt()) {
    dim.extent = value.getInt();
    if (dim.extent >= 0)
      return true;
    (void)interpreter.raise(
        "ValueError",
        "axis " + Twine(axis) +
            " of the shape is negative: " + Twine(dim.extent),
        range);
    return false;
  }
  if (value.as<OpaqueObject>()) {
    (void)interpreter.raiseOpaque(value, range);
    return false;
  }
  (void)interpreter.raise(
      "TypeError",
      "axis " + Twine(axis) +
          " of the shape must be an integer or a dynamic dim (pl.dynamic), "
          "not a '" +
          getTypeName(value) + "'",
      range);
  return false;
}

Value Interpreter::subscriptAnnotation(const AnnotationObject *base,
                                       const Value &index, SourceRange range) {
  TypeAnnotation annotation = base->annotation;
  if (base->isWrapper) {
    StringRef name =
        annotation.direction == Direction::Out ? "pl.Out" : "pl.InOut";
    FailureOr<TypeAnnotation> inner = toAnnotation(index, range);
    if (failed(inner))
      return Value();
    if (inner->hasDirection)
      return fail("TypeError", name + " cannot hold another direction", range);
    if (inner->kind == TypeAnnotation::Kind::Scalar)
      return fail("TypeError",
                  name + " of a pl.Scalar: a scalar parameter is always an "
                         "input",
                  range);
    inner->direction = annotation.direction;
    inner->hasDirection = true;
    return Value(new AnnotationObject(std::move(*inner)));
  }
  if (annotation.kind == TypeAnnotation::Kind::Tuple &&
      annotation.elements.empty()) {
    FailureOr<TypeAnnotation> tuple = toAnnotation(
        index.as<TupleObject>() ? index : Value::tuple({index}), range);
    return failed(tuple) ? Value()
                         : Value(new AnnotationObject(std::move(*tuple)));
  }
  if (annotation.hasShape || annotation.dtype ||
      annotation.kind == TypeAnnotation::Kind::Tuple)
    return fail("TypeError",
                "'" + str(annotation) + "' cannot be subscripted again", range);
  std::vector<Value> parts{index};
  if (const auto *tuple = index.as<TupleObject>())
    parts = tuple->elements;
  StringRef name = kindName(annotation.kind);
  auto takeDtype = [&](const Value &value) {
    if (value.isDType()) {
      annotation.dtype = value.getDType();
      return true;
    }
    if (value.as<OpaqueObject>())
      (void)raiseOpaque(value, range);
    else
      (void)raise("TypeError",
                  name + " needs a dtype such as pl.FP32, not " +
                      shortRepr(value),
                  range);
    return false;
  };
  if (annotation.kind == TypeAnnotation::Kind::Scalar) {
    if (parts.size() != 1)
      return fail("TypeError", "pl.Scalar takes one dtype", range);
    return takeDtype(parts[0]) ? Value(new AnnotationObject(annotation))
                               : Value();
  }
  if (parts.size() < 2)
    return fail("TypeError",
                name + (annotation.kind == TypeAnnotation::Kind::Array
                            ? " takes a size and a dtype"
                            : " takes a shape and a dtype"),
                range);
  std::vector<Value> dims{parts[0]};
  if (annotation.kind != TypeAnnotation::Kind::Array) {
    const auto *list = parts[0].as<ListObject>();
    const auto *tuple = parts[0].as<TupleObject>();
    if (!list && !tuple) {
      if (parts[0].as<OpaqueObject>()) {
        (void)raiseOpaque(parts[0], range);
        return Value();
      }
      return fail("TypeError",
                  "the shape of " + name + " must be a list, not a '" +
                      getTypeName(parts[0]) + "'",
                  range);
    }
    dims = list ? list->elements : tuple->elements;
    annotation.hasShape = true;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    annotation.dims.emplace_back();
    if (!toDim(*this, dims[i], i, range, annotation.dims.back()))
      return Value();
  }
  if (!takeDtype(parts[1]))
    return Value();
  annotation.extras.assign(parts.begin() + 2, parts.end());
  return Value(new AnnotationObject(std::move(annotation)));
}

FailureOr<TypeAnnotation> Interpreter::toAnnotation(const Value &value,
                                                    SourceRange range) {
  if (const auto *annotation = value.as<AnnotationObject>()) {
    if (annotation->isWrapper)
      return raise("TypeError",
                   "pl.Out and pl.InOut need the type they wrap, as in "
                   "pl.Out[pl.Tensor[...]]",
                   range);
    return annotation->annotation;
  }
  TypeAnnotation result;
  if (value.isNone()) {
    result.kind = TypeAnnotation::Kind::None;
    return result;
  }
  if (const auto *tuple = value.as<TupleObject>()) {
    result.kind = TypeAnnotation::Kind::Tuple;
    for (const Value &element : tuple->elements) {
      FailureOr<TypeAnnotation> part = toAnnotation(element, range);
      if (failed(part))
        return failure();
      result.elements.push_back(std::move(*part));
    }
    return result;
  }
  if (value.isDType()) {
    result.kind = TypeAnnotation::Kind::Scalar;
    result.dtype = value.getDType();
    return result;
  }
  // Python's own types are scalars of the language's defaults.
  if (const auto *native = value.as<NativeObject>())
    if (native->constructs == ValueKind::Int ||
        native->constructs == ValueKind::Float ||
        native->constructs == ValueKind::Bool) {
      result.kind = TypeAnnotation::Kind::Scalar;
      result.dtype = native->constructs == ValueKind::Int     ? DTypeKind::INDEX
                     : native->constructs == ValueKind::Float ? DTypeKind::FP32
                                                              : DTypeKind::BOOL;
      return result;
    }
  if (value.as<OpaqueObject>())
    return raiseOpaque(value, range);
  return raise("TypeError",
               shortRepr(value) + " is no type of a kernel parameter; use "
                                  "pl.Tensor[...], pl.Scalar[...] or "
                                  "pld.DistributedTensor[...]",
               range);
}

} // namespace pl::frontend
