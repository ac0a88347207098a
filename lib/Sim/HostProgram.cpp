//===- HostProgram.cpp - windows and programs of a host program -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "Executor.h"

#include "fmt/format.h"

#include <cstring>

using namespace pl::sim;

//===----------------------------------------------------------------------===//
// Ops of host programs
//===----------------------------------------------------------------------===//

bool Interpreter::bindDim(const Instr &instr) {
  const BindDecl &decl = code.bindings[instr.imm];
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  int64_t value = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    int64_t extent = integer(operands[i]);
    int64_t rest = extent - decl.offsets[i];
    if (rest < 0 || rest % decl.scales[i])
      return fail(FailureKind::Input, instr,
                  fmt::format("{} has extent {}, which is not {} * {} + {} for "
                              "any {}",
                              decl.sources[i], extent, decl.scales[i],
                              decl.name, decl.offsets[i], decl.name));
    int64_t found = rest / decl.scales[i];
    if (i > 0 && found != value)
      return fail(FailureKind::Input, instr,
                  fmt::format("dim '{}' is {} by {} but {} by {}", decl.name,
                              value, decl.sources[0], found, decl.sources[i]));
    value = found;
  }
  regs[instr.dst] = {uint64_t(value), kDefined};
  return true;
}

bool Interpreter::callHostProgram(const Instr &instr) {
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  if (instr.op == Op::WorldSize) {
    int64_t size = 0;
    if (!context->host->worldSize(instr.loc, size))
      return false;
    regs[instr.dst] = {uint64_t(size), kDefined};
    return true;
  }
  if (instr.op == Op::Dispatch) {
    const DispatchDecl &decl = code.dispatches[instr.imm];
    llvm::SmallVector<View, 16> viewArgs;
    llvm::SmallVector<Reg, 8> scalars;
    for (auto [isTensor, slot] : llvm::zip(decl.isTensor, operands)) {
      if (isTensor)
        viewArgs.push_back(views[slot]);
      else
        scalars.push_back(regs[slot]);
    }
    std::optional<int64_t> device;
    if (instr.a >= 0)
      device = integer(instr.a);
    return context->host->dispatch(decl, viewArgs, scalars, device, instr.loc);
  }
  const AllocDecl &decl = code.allocs[instr.imm];
  llvm::SmallVector<int64_t, 4> shape(decl.shape);
  for (int64_t &extent : shape)
    if (extent < 0) {
      extent = integer(operands.front());
      operands = operands.drop_front();
    }
  if (instr.op == Op::AllocWindow)
    return context->host->allocWindow(decl, shape, instr.loc, views[instr.dst]);
  return context->host->windowView(views[instr.a], decl, shape, instr.loc,
                                   views[instr.dst]);
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

void HostProgram::beginRound(unsigned number) {
  round = number;
  nextWindow = 0;
  slices.clear();
}

/// There are as many ranks as the tensors of the host program have entries on
/// their first axis.
bool HostProgram::makeRanks(mlir::LocationAttr loc) {
  if (world)
    return true;
  const Executor::BoundParam *first = nullptr;
  for (const Executor::BoundParam &param : run.params) {
    if (!param.buffer || param.buffer->shape.empty())
      continue;
    if (!first) {
      first = &param;
    } else if (param.buffer->shape[0] != first->buffer->shape[0]) {
      return run.reject(
          FailureKind::Input,
          fmt::format("'{}' has data of {} ranks, but '{}' of {}: the first "
                      "axis of every tensor of a host program is the rank",
                      first->param->name, first->buffer->shape[0],
                      param.param->name, param.buffer->shape[0]),
          param.param->loc);
    }
  }
  world = first ? first->buffer->shape[0] : 1;
  constexpr int64_t kMaxRanks = 64;
  if (world < 1 || world > kMaxRanks)
    return run.reject(FailureKind::Limit,
                      fmt::format("the program has {} ranks; from 1 to {} are "
                                  "simulated",
                                  world, kMaxRanks),
                      loc);
  for (unsigned rank = run.ranks.size(); rank < world; ++rank)
    run.ranks.push_back(std::make_unique<Rank>(run, rank));
  return true;
}

bool HostProgram::worldSize(mlir::LocationAttr loc, int64_t &size) {
  if (!makeRanks(loc))
    return false;
  size = world;
  return true;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

bool HostProgram::allocWindow(const AllocDecl &decl,
                              llvm::ArrayRef<int64_t> shape,
                              mlir::LocationAttr loc, View &view) {
  if (!makeRanks(loc))
    return false;
  // Later rounds get the windows of the first as they were left.
  if (nextWindow < windows.size()) {
    Buffer *known = windows[nextWindow]->ranks[0];
    if (known->bytes != shape[0])
      return run.reject(FailureKind::Limit,
                        fmt::format("window buffer '{}' has {} bytes in one "
                                    "round and {} in another",
                                    decl.name, known->bytes, shape[0]),
                        loc);
    view = View::whole(*windows[nextWindow++]->ranks[0]);
    return true;
  }
  auto window = std::make_unique<WindowBuffer>();
  for (unsigned rank = 0; rank < world; ++rank) {
    Buffer *buffer = run.makeBuffer(decl.name, decl.type, shape, loc);
    if (!buffer)
      return false;
    if (!run.graphOnly && !run.makeFresh(*buffer))
      return run.reject(FailureKind::Limit,
                        fmt::format("no memory left on this host for window "
                                    "'{}' of {} bytes on {} ranks",
                                    decl.name, buffer->bytes, world),
                        loc);
    buffer->rank = rank;
    window->ranks.push_back(buffer);
  }
  for (Buffer *buffer : window->ranks)
    buffer->ranks = &window->ranks;
  view = View::whole(*window->ranks[0]);
  windowOf[&window->ranks] = window.get();
  windows.push_back(std::move(window));
  ++nextWindow;
  return true;
}

bool HostProgram::windowView(const View &given, const AllocDecl &decl,
                             llvm::ArrayRef<int64_t> shape,
                             mlir::LocationAttr loc, View &view) {
  WindowBuffer *window = windowOf[given.buffer->ranks];
  int64_t bytes = int64_t(shim::elemBytes(decl.type));
  bool fits = true;
  for (int64_t extent : shape)
    fits &= extent >= 0 && !__builtin_mul_overflow(bytes, extent, &bytes);
  if (!fits || bytes > window->ranks[0]->bytes)
    return run.reject(FailureKind::Bounds,
                      fmt::format("the window [{}] does not fit its buffer "
                                  "'{}' of {} bytes",
                                  fmt::join(shape.begin(), shape.end(), ", "),
                                  given.buffer->name, window->ranks[0]->bytes),
                      loc);
  // The names of elements in reports are those of the first typed view.
  if (!window->isTyped) {
    window->isTyped = true;
    for (Buffer *buffer : window->ranks) {
      buffer->type = decl.type;
      buffer->shape.assign(shape.begin(), shape.end());
    }
  }
  Buffer *base = window->ranks[0];
  if (base->type == decl.type && llvm::ArrayRef(base->shape) == shape) {
    view = View::whole(*base);
    return true;
  }
  for (const auto &known : views) {
    Buffer *first = known->front();
    if (windowOf[known.get()] == window && first->type == decl.type &&
        llvm::ArrayRef(first->shape) == shape) {
      view = View::whole(*first);
      return true;
    }
  }
  auto &list = views.emplace_back(std::make_unique<std::vector<Buffer *>>());
  windowOf[list.get()] = window;
  for (Buffer *whole : window->ranks) {
    Buffer *part = run.makeBuffer(whole->name, decl.type, shape, loc);
    if (!part)
      return false;
    // The same bytes: accesses through either are accesses of one memory.
    part->id = whole->id;
    part->data = whole->data;
    part->shadow = whole->shadow;
    part->rank = whole->rank;
    part->ranks = list.get();
    list->push_back(part);
  }
  view = View::whole(*list->front());
  return true;
}

std::vector<Buffer *> HostProgram::getSignals() const {
  std::vector<Buffer *> signals;
  for (const auto &window : windows)
    if (window->isSignal)
      llvm::append_range(signals, window->ranks);
  return signals;
}

bool HostProgram::hasWindow(llvm::StringRef name) const {
  return llvm::any_of(windows, [&](const auto &window) {
    return window->ranks.front()->name == name;
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool HostProgram::bindWindow(const ParamDecl &param, const View &given,
                             unsigned rank, mlir::LocationAttr loc,
                             View &view) {
  view = given;
  view.buffer = (*given.buffer->ranks)[rank];
  WindowBuffer *window = windowOf[given.buffer->ranks];
  if (!param.use.signals || window->isSignal)
    return true;
  // Signals start at zero, and other windows as poison.
  window->isSignal = true;
  for (Buffer *buffer : window->ranks)
    if (buffer->data) {
      std::memset(buffer->data, 0, size_t(buffer->bytes));
      std::memset(buffer->shadow, kDefined, size_t(buffer->bytes));
    }
  return true;
}

/// A program gets whole tensors: a packed part of a parameter becomes one.
bool HostProgram::bindArgument(const ParamDecl &param, const View &given,
                               unsigned rank, mlir::LocationAttr loc,
                               View &view) {
  bool fits = given.rank == param.shape.size();
  for (unsigned axis = 0; fits && axis < given.rank; ++axis)
    fits = param.shape[axis] < 0 || param.shape[axis] == given.sizes[axis];
  if (!fits)
    return run.reject(
        FailureKind::Input,
        fmt::format("parameter '{}' gets a tensor of shape [{}]", param.name,
                    fmt::join(given.sizes, given.sizes + given.rank, ", ")),
        loc);
  if (given.buffer->ranks)
    return bindWindow(param, given, rank, loc, view);
  int64_t count = 1;
  for (unsigned axis = given.rank; axis-- > 0;) {
    if (given.sizes[axis] > 1 && given.strides[axis] != count)
      return run.reject(FailureKind::Limit,
                        fmt::format("parameter '{}' gets a part of '{}' that "
                                    "is not packed",
                                    param.name, given.buffer->name),
                        loc);
    count *= given.sizes[axis];
  }
  int64_t size = int64_t(shim::elemBytes(given.buffer->type));
  Buffer *&part = slices[{given.buffer, given.offset, count}];
  if (!part) {
    Buffer *whole = given.buffer;
    part = run.makeBuffer(param.name, whole->type,
                          llvm::ArrayRef(given.sizes, given.rank), whole->loc);
    if (!part)
      return false;
    part->whole = whole;
    part->start = given.offset * size;
    part->borrowed = whole->borrowed;
    part->data = whole->data ? whole->data + given.offset * size : nullptr;
    part->shadow =
        whole->shadow ? whole->shadow + given.offset * size : nullptr;
  }
  view = View::whole(*part);
  view.rank = given.rank;
  return true;
}

/// Dims of one name have one extent.
bool HostProgram::checkDims(const Code &program, llvm::ArrayRef<View> given,
                            mlir::LocationAttr loc) {
  std::map<std::string, std::pair<int64_t, std::string>> known;
  for (const ParamDecl &param : program.params) {
    if (!param.isTensor)
      continue;
    const View &view = given.front();
    given = given.drop_front();
    unsigned dynamic = 0;
    for (unsigned axis = 0; axis < view.rank; ++axis) {
      if (param.shape[axis] >= 0)
        continue;
      const std::string &name = param.dimNames[dynamic++];
      if (name.empty())
        continue;
      auto [found, isNew] =
          known.try_emplace(name, view.sizes[axis], param.name);
      if (!isNew && found->second.first != view.sizes[axis])
        return run.reject(
            FailureKind::Input,
            fmt::format("dim '{}' of '{}' is {} in '{}' but {} in '{}'; dims "
                        "of one name must be equal",
                        name, program.name, found->second.first,
                        found->second.second, view.sizes[axis], param.name),
            loc);
    }
  }
  return true;
}

bool HostProgram::dispatch(const DispatchDecl &decl, llvm::ArrayRef<View> given,
                           llvm::ArrayRef<Reg> scalars,
                           std::optional<int64_t> device,
                           mlir::LocationAttr loc) {
  if (!world && !device) {
    world = 1;
    run.ranks.push_back(std::make_unique<Rank>(run, 0));
  }
  if (!makeRanks(loc))
    return false;
  int64_t rank = device.value_or(0);
  if (rank < 0 || rank >= world)
    return run.reject(FailureKind::Bounds,
                      fmt::format("device={} of a launch, but there are {} "
                                  "ranks",
                                  rank, world),
                      loc);
  Dispatch made;
  made.program = &run.program.programs[decl.program];
  made.round = round;
  made.loc = loc;
  made.scalars.assign(scalars.begin(), scalars.end());
  if (!checkDims(*made.program, given, loc))
    return false;
  for (const ParamDecl &param : made.program->params) {
    if (!param.isTensor)
      continue;
    if (!bindArgument(param, given.front(), unsigned(rank), loc,
                      made.views.emplace_back()))
      return false;
    given = given.drop_front();
  }
  run.ranks[rank]->queue.push_back(std::move(made));
  return true;
}
