//===- LoweringValues.cpp - values of bodies and their description --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringCall.h"

using namespace pl::frontend;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

DslValue DslValue::makeHost(Value host, std::optional<DTypeKind> dtype) {
  DslValue made;
  made.kind = Kind::Host;
  made.host = std::move(host);
  made.dtype = dtype;
  return made;
}

DslValue DslValue::makeScalar(mlir::Value value, DTypeKind dtype) {
  DslValue made;
  made.kind = Kind::Scalar;
  made.value = value;
  made.dtype = dtype;
  return made;
}

DslValue DslValue::makeTensor(std::shared_ptr<TensorRef> tensor) {
  DslValue made;
  made.kind = Kind::Tensor;
  made.dtype = tensor->dtype;
  made.tensor = std::move(tensor);
  return made;
}

DslValue DslValue::makeTile(mlir::Value value, DTypeKind dtype,
                            ArrayRef<int64_t> shape) {
  DslValue made;
  made.kind = Kind::Tile;
  made.value = value;
  made.dtype = dtype;
  made.shape.assign(shape.begin(), shape.end());
  return made;
}

DslValue DslValue::makeTask(mlir::Value value) {
  DslValue made;
  made.kind = Kind::Task;
  made.value = value;
  made.dtype = DTypeKind::TASK_ID;
  return made;
}

DslValue DslValue::makeArray(mlir::Value value, DTypeKind dtype, int64_t size) {
  DslValue made;
  made.kind = Kind::Array;
  made.value = value;
  made.dtype = dtype;
  made.shape = {size};
  return made;
}

DslValue DslValue::makeTuple(std::vector<DslValue> elements) {
  DslValue made;
  made.kind = Kind::Tuple;
  made.elements = std::move(elements);
  return made;
}

std::string pl::frontend::getWithArticle(DTypeKind dtype) {
  StringRef name = getName(dtype);
  bool isVowel = StringRef("AEFIO").contains(name.front());
  return ((isVowel ? "an " : "a ") + name).str();
}

std::string FunctionLowering::describe(const DslValue &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto comma = [&](auto list, auto print) {
    os << '[';
    llvm::interleaveComma(list, os, print);
    os << ']';
  };
  switch (value.kind) {
  case DslValue::Kind::Error:
    return "an error";
  case DslValue::Kind::Host:
    if (value.dtype)
      os << "the " << getName(*value.dtype) << " constant " << repr(value.host);
    else if (value.host.isNumber())
      os << "the " << getTypeName(value.host) << ' ' << repr(value.host);
    else if (value.host.isNone())
      os << "None";
    else
      os << "a host value of type " << getTypeName(value.host);
    return text;
  case DslValue::Kind::Scalar:
    os << getWithArticle(*value.dtype) << " scalar";
    return text;
  case DslValue::Kind::Tensor:
    if (isWindowBuffer(value)) {
      os << "the window buffer '" << value.tensor->name << "'";
      return text;
    }
    os << "a ";
    comma(value.tensor->extents, [&](const Extent &extent) {
      if (extent.isStatic())
        os << extent.number;
      else
        os << (extent.symbol.empty() ? "?" : extent.symbol);
    });
    os << ' ' << getName(value.tensor->dtype)
       << (isWindow(value) ? " window tensor" : " tensor");
    return text;
  case DslValue::Kind::Tile: {
    os << "a ";
    comma(value.shape, [&](int64_t extent) { os << extent; });
    os << ' ' << getName(*value.dtype) << " tile";
    return text;
  }
  case DslValue::Kind::Task:
    return "a TaskId";
  case DslValue::Kind::Array:
    os << getWithArticle(*value.dtype) << " array of " << value.shape[0];
    return text;
  case DslValue::Kind::Tuple:
    os << "a tuple of " << value.elements.size();
    return text;
  case DslValue::Kind::CommCtx:
    return "a communication context";
  }
  return text;
}

std::string FunctionLowering::getText(SourceRange range) {
  // On one line, without the layout of the source.
  std::string text;
  for (char c : module.session.getSources().getText(range)) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return text;
}

std::string FunctionLowering::getText(const Expr *expr) {
  return getText(expr->range);
}
