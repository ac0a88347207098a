//===- Bind.cpp - arguments of an entry -----------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "fmt/format.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace pl::sim;

static constexpr llvm::StringLiteral kTypeNames[] = {
    "f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

/// More is surely a mistake, and the count of bytes must not overflow.
constexpr int64_t kMaxTensorBytes = int64_t(1) << 40;

Buffer *Executor::makeBuffer(llvm::StringRef name, ElemType type,
                             llvm::ArrayRef<int64_t> shape,
                             mlir::LocationAttr loc) {
  int64_t bytes = int64_t(shim::elemBytes(type));
  bool tooLarge = false, isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0) {
      reject(FailureKind::Limit,
             fmt::format("tensor '{}' has shape {}: an extent is negative",
                         name.str(), shapeText(shape)),
             loc);
      return nullptr;
    }
    isEmpty |= extent == 0;
    tooLarge |= extent > kMaxTensorBytes;
    tooLarge |= !tooLarge && extent && bytes > kMaxTensorBytes / extent;
    if (!tooLarge && extent)
      bytes *= extent;
  }
  if (tooLarge && !isEmpty) {
    reject(FailureKind::Limit,
           fmt::format("tensor '{}' of shape {} is larger than the {} bytes "
                       "that the simulator allows",
                       name.str(), shapeText(shape), kMaxTensorBytes),
           loc);
    return nullptr;
  }
  buffers.push_back(std::make_unique<Buffer>());
  Buffer *buffer = buffers.back().get();
  buffer->name = name.str();
  buffer->type = type;
  buffer->shape.assign(shape.begin(), shape.end());
  buffer->bytes = isEmpty ? 0 : bytes;
  buffer->id = buffers.size() - 1;
  buffer->loc = loc;
  return buffer;
}

/// Finds an argument by the name of its parameter.
template <typename Arg>
static const Arg *findArg(llvm::ArrayRef<Arg> args, llvm::StringRef name) {
  for (const Arg &arg : args)
    if (arg.name == name)
      return &arg;
  return nullptr;
}

bool Executor::makeFresh(Buffer &buffer) {
  buffer.ownedData = spare.take(buffer.bytes, shim::kPoisonByte);
  buffer.ownedShadow = spare.take(buffer.bytes, kFresh);
  buffer.data = buffer.ownedData.get();
  buffer.shadow = buffer.ownedShadow.get();
  return buffer.data && buffer.shadow;
}

void Executor::takeBytes(Buffer &buffer) {
  spare.give(std::move(buffer.ownedData));
  spare.give(std::move(buffer.ownedShadow));
  buffer.ownedData = Bytes();
  buffer.ownedShadow = Bytes();
  buffer.data = buffer.shadow = nullptr;
}

bool Executor::bindDims(llvm::ArrayRef<TensorArg> tensors,
                        std::vector<llvm::SmallVector<int64_t, 4>> &shapes) {
  /// Where a dim got its extent.
  struct Bound {
    int64_t extent;
    std::string param;
    unsigned axis;
  };
  llvm::StringMap<Bound> dims;
  for (const ParamDecl &param : program.entry.params) {
    llvm::SmallVector<int64_t, 4> &shape = shapes.emplace_back(param.shape);
    const TensorArg *arg =
        param.isTensor ? findArg(tensors, param.name) : nullptr;
    if (!arg)
      continue;
    bool fits = arg->shape.size() == param.shape.size();
    for (size_t axis = 0; fits && axis < param.shape.size(); ++axis)
      fits = arg->shape[axis] >= 0 &&
             (param.shape[axis] < 0 || param.shape[axis] == arg->shape[axis]);
    if (!fits || arg->type != param.type) {
      std::string expected;
      for (int64_t extent : param.shape)
        expected += (expected.empty() ? "" : ", ") +
                    (extent < 0 ? std::string("?") : std::to_string(extent));
      return reject(FailureKind::Input,
                    fmt::format("argument '{}' is {} of {}, but the parameter "
                                "is [{}] of {}",
                                param.name, shapeText(arg->shape),
                                kTypeNames[unsigned(arg->type)].str(), expected,
                                kTypeNames[unsigned(param.type)].str()),
                    param.loc);
    }
    shape = arg->shape;
    unsigned dynamic = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (param.shape[axis] >= 0)
        continue;
      const std::string &name = param.dimNames[dynamic++];
      if (name.empty())
        continue;
      Bound now{shape[axis], param.name, unsigned(axis)};
      auto [it, isNew] = dims.try_emplace(name, now);
      if (!isNew && it->second.extent != now.extent)
        return reject(
            FailureKind::Input,
            fmt::format("dim '{}' is {} in '{}' (axis {}) but {} in '{}' (axis "
                        "{}); dims of one name must be equal",
                        name, it->second.extent, it->second.param,
                        it->second.axis, now.extent, now.param, now.axis),
            param.loc);
    }
  }
  for (auto [param, shape] : llvm::zip(program.entry.params, shapes)) {
    unsigned dynamic = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (param.shape[axis] >= 0)
        continue;
      const std::string &name = param.dimNames[dynamic++];
      if (shape[axis] >= 0)
        continue;
      auto it = dims.find(name);
      if (it == dims.end())
        return reject(FailureKind::Input,
                      fmt::format("the extent of axis {} of '{}' is not known: "
                                  "no argument has dim '{}'",
                                  axis, param.name, name),
                      param.loc);
      shape[axis] = it->second.extent;
    }
  }
  return true;
}

bool Executor::bind(llvm::ArrayRef<TensorArg> tensors,
                    llvm::ArrayRef<ScalarArg> scalars, Interpreter &entry) {
  const Code &code = program.entry;
  for (const TensorArg &arg : tensors) {
    bool known = llvm::any_of(code.params, [&](const ParamDecl &param) {
      return param.isTensor && param.name == arg.name;
    });
    if (!known)
      return reject(FailureKind::Input,
                    fmt::format("entry '{}' has no tensor parameter '{}'",
                                code.name, arg.name),
                    code.loc);
  }
  std::vector<llvm::SmallVector<int64_t, 4>> shapes;
  if (!bindDims(tensors, shapes))
    return false;
  for (auto [param, shape] : llvm::zip(code.params, shapes)) {
    params.push_back({&param, nullptr, 0});
    if (!param.isTensor) {
      const ScalarArg *arg = findArg(scalars, param.name);
      if (!arg)
        return reject(
            FailureKind::Input,
            fmt::format("scalar parameter '{}' has no value", param.name),
            param.loc);
      entry.regs[param.slot] = {arg->bits, kDefined};
      continue;
    }
    Buffer *buffer = makeBuffer(param.name, param.type, shape, param.loc);
    if (!buffer)
      return false;
    params.back().buffer = buffer;
    entry.views[param.slot] = View::whole(*buffer);
    const TensorArg *arg = findArg(tensors, param.name);
    llvm::ArrayRef<uint8_t> bytes =
        arg ? arg->bytes : llvm::ArrayRef<uint8_t>();
    if (graphOnly && bytes.empty())
      continue;
    bool hasValue = param.isIn && arg && (!bytes.empty() || buffer->bytes == 0);
    if (hasValue && int64_t(bytes.size()) != buffer->bytes)
      return reject(FailureKind::Input,
                    fmt::format("argument '{}' has {} bytes, but {} of {} "
                                "needs {}",
                                param.name, bytes.size(), shapeText(shape),
                                kTypeNames[unsigned(param.type)].str(),
                                buffer->bytes),
                    param.loc);
    if (hasValue && !param.isOut) {
      // No copy as long as nobody writes it.
      buffer->borrowed = true;
      buffer->data = const_cast<uint8_t *>(bytes.data());
      continue;
    }
    buffer->ownedData = Bytes(buffer->bytes, shim::kPoisonByte);
    buffer->data = buffer->ownedData.get();
    if (hasValue && !bytes.empty() && buffer->data)
      std::memcpy(buffer->data, bytes.data(), bytes.size());
    if (!hasValue) {
      buffer->ownedShadow = Bytes(buffer->bytes, kFresh);
      buffer->shadow = buffer->ownedShadow.get();
    }
    if (!buffer->data || (!hasValue && !buffer->shadow))
      return reject(FailureKind::Limit,
                    fmt::format("no memory left on this host for '{}' of {} "
                                "bytes",
                                param.name, buffer->bytes),
                    param.loc);
    // Programs of a host program get parts of it, which share its marks.
    if (program.isHost && param.isOut && !buffer->prepareWrite())
      return reject(FailureKind::Limit, "no memory left on this host",
                    param.loc);
  }
  return true;
}
