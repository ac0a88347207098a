//===- Ranks.cpp - runs the programs of a host plan on ranks --------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank is a thread that runs its programs one after the other.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "pl/HostShim/HostRunner.h"
#include "pl/HostShim/RankGroup.h"
#include "pl/HostShim/Scalar.h"

#include "llvm/ADT/StringMap.h"

#include <cstring>
#include <thread>

using namespace pl;
using ref::fail;
namespace json = llvm::json;

namespace pl {

/// What the dispatches of a plan come to on the inputs at hand.
class RankPlan {
public:
  explicit RankPlan(HostProgram &program) : program(program) {}
  llvm::Error run();

private:
  struct Tensor {
    std::string name;
    DataType dtype;
    std::vector<uint32_t> shape;
    void *data = nullptr;
    /// Of a window: where it begins in those of a rank.
    std::optional<uint64_t> window;
  };
  struct Job {
    const HostProgram *program;
    std::vector<Tensor> tensors;
    std::vector<uint64_t> scalars;
  };
  struct Window {
    uint64_t start, bytes;
    bool isSignal;
  };

  llvm::Error placeWindows();
  llvm::Error visit(const json::Object &dispatch, size_t depth);
  llvm::Error addJob(const json::Object &dispatch);
  llvm::Expected<Tensor> tensor(const json::Object &given);
  llvm::Expected<int64_t> number(const json::Value &value);
  llvm::Expected<int64_t> operation(const json::Object &object);
  llvm::Expected<std::vector<int64_t>> numbers(const json::Array *list);
  const HostProgram::Param *findParam(llvm::StringRef name) const;

  HostProgram &program;
  int64_t ranks = 1;
  llvm::StringMap<Window> windows;
  uint64_t windowBytes = 0;
  std::vector<int64_t> loops;
  std::vector<std::vector<Job>> jobs; ///< by rank
};

} // namespace pl

const HostProgram::Param *RankPlan::findParam(llvm::StringRef name) const {
  for (const HostProgram::Param &param : program.params)
    if (param.name == name)
      return &param;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

llvm::Expected<int64_t> RankPlan::operation(const json::Object &object) {
  auto op = object.getString("op");
  auto values = numbers(object.getArray("args"));
  if (!values)
    return values.takeError();
  if (!op || values->size() < 2)
    return fail("an operation of the plan is incomplete");
  int64_t a = (*values)[0], b = (*values)[1];
  bool divides =
      *op == "floordiv" || *op == "div" || *op == "rem" || *op == "ceildiv";
  if (divides && b == 0)
    return fail("the plan divides by zero");
  if (*op == "add")
    return a + b;
  if (*op == "sub")
    return a - b;
  if (*op == "mul")
    return a * b;
  if (*op == "div")
    return a / b;
  if (*op == "rem")
    return a % b;
  if (*op == "floordiv")
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  if (*op == "ceildiv")
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  if (*op == "min")
    return std::min(a, b);
  if (*op == "max")
    return std::max(a, b);
  if (*op == "eq")
    return a == b;
  if (*op == "ne")
    return a != b;
  if (*op == "slt")
    return a < b;
  if (*op == "sle")
    return a <= b;
  if (*op == "sgt")
    return a > b;
  if (*op == "sge")
    return a >= b;
  if (*op == "select" && values->size() == 3)
    return a ? b : (*values)[2];
  return fail("the plan has an unknown operation '" + *op + "'");
}

llvm::Expected<int64_t> RankPlan::number(const json::Value &value) {
  if (auto integer = value.getAsInteger())
    return *integer;
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("a number of the plan is none");
  if (auto name = object->getString("scalar")) {
    const HostProgram::Param *param = findParam(*name);
    if (!param || !param->isScalar)
      return fail("the plan names no scalar '" + *name + "'");
    return param->value.getInt(0);
  }
  if (auto depth = object->getInteger("loop"))
    return loops.at(size_t(*depth));
  if (object->getBoolean("world_size"))
    return ranks;
  if (const json::Array *dim = object->getArray("dim")) {
    auto name = dim->size() == 2 ? (*dim)[0].getAsString() : std::nullopt;
    auto axis = dim->size() == 2 ? (*dim)[1].getAsInteger() : std::nullopt;
    const HostProgram::Param *param = name ? findParam(*name) : nullptr;
    if (!param || !axis || *axis < 0 || *axis >= param->value.rank())
      return fail("the plan asks for an extent that is not there");
    return param->value.dim(*axis);
  }
  if (object->getString("bound")) {
    auto extent = number(*object->get("extent"));
    if (!extent)
      return extent.takeError();
    return (*extent - object->getInteger("offset").value_or(0)) /
           std::max<int64_t>(object->getInteger("scale").value_or(1), 1);
  }
  return operation(*object);
}

llvm::Expected<std::vector<int64_t>>
RankPlan::numbers(const json::Array *list) {
  std::vector<int64_t> result;
  if (!list)
    return fail("the plan lacks a list of numbers");
  for (const json::Value &value : *list) {
    auto one = number(value);
    if (!one)
      return one.takeError();
    result.push_back(*one);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// One after the other, on pages of their own.
llvm::Error RankPlan::placeWindows() {
  constexpr uint64_t kPage = 4096;
  const json::Array *list = program.plan.getArray("windows");
  if (!list)
    return fail("the plan has no list 'windows'");
  for (const json::Value &entry : *list) {
    const json::Object *object = entry.getAsObject();
    auto name = object ? object->getString("name") : std::nullopt;
    const json::Value *size = object ? object->get("bytes") : nullptr;
    if (!name || !size)
      return fail("a window needs name and bytes");
    auto bytes = number(*size);
    if (!bytes)
      return bytes.takeError();
    windows[*name] = {windowBytes, uint64_t(*bytes),
                      object->getBoolean("signal").value_or(false)};
    windowBytes += (uint64_t(*bytes) + kPage - 1) / kPage * kPage;
  }
  return llvm::Error::success();
}

llvm::Expected<RankPlan::Tensor> RankPlan::tensor(const json::Object &given) {
  Tensor result;
  if (auto name = given.getString("window")) {
    auto known = windows.find(*name);
    auto dtype = given.getString("dtype");
    auto type = dtype ? ref::parseDType(*dtype) : std::nullopt;
    auto shape = numbers(given.getArray("shape"));
    if (!shape)
      return shape.takeError();
    if (known == windows.end() || !type || !runtimeType(*type))
      return fail("the plan passes an unknown window '" + *name + "'");
    result.name = name->str();
    result.dtype = *runtimeType(*type);
    result.shape.assign(shape->begin(), shape->end());
    result.window = known->second.start;
    return result;
  }
  auto name = given.getString("param");
  const HostProgram::Param *param = name ? findParam(*name) : nullptr;
  if (!param || param->isScalar)
    return fail("the plan passes a tensor that is no parameter");
  result.name = param->name;
  result.dtype = *runtimeType(param->dtype);
  llvm::ArrayRef<int64_t> shape = param->value.shape();
  auto *data = static_cast<char *>(
      const_cast<void *>(static_cast<const void *>(param->value.rawData())));
  if (!given.get("offsets")) {
    result.shape.assign(shape.begin(), shape.end());
    result.data = data;
    return result;
  }
  auto offsets = numbers(given.getArray("offsets"));
  auto sizes = numbers(given.getArray("sizes"));
  auto dropped = numbers(given.getArray("dropped"));
  if (!offsets || !sizes || !dropped)
    return fail("the plan passes a part of '" + param->name +
                "' that it does not describe");
  int64_t start = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if ((*offsets)[axis] < 0 || (*offsets)[axis] + (*sizes)[axis] > shape[axis])
      return fail("the plan passes a part outside '" + param->name + "'");
    start = start * shape[axis] + (*offsets)[axis];
    bool isDropped = false;
    for (int64_t other : *dropped)
      isDropped |= other == int64_t(axis);
    if (!isDropped)
      result.shape.push_back(uint32_t((*sizes)[axis]));
  }
  result.data = data + start * ref::dtypeBytes(param->dtype);
  return result;
}

llvm::Error RankPlan::addJob(const json::Object &dispatch) {
  int64_t rank = 0;
  if (const json::Value *device = dispatch.get("device")) {
    auto given = number(*device);
    if (!given)
      return given.takeError();
    rank = *given;
  }
  if (rank < 0 || rank >= ranks)
    return fail("the plan runs a program on rank " + llvm::Twine(rank) +
                " of " + llvm::Twine(ranks));
  Job job;
  job.program = &program.programs.at(dispatch.getString("directory")->str());
  const json::Array *list = dispatch.getArray("args");
  if (!list)
    return fail("a dispatch has no list 'args'");
  for (const json::Value &entry : *list) {
    const json::Object *given = entry.getAsObject();
    if (!given)
      return fail("an argument of the plan is not an object");
    const json::Value *value = given->get("value");
    if (!value) {
      auto made = tensor(*given);
      if (!made)
        return made.takeError();
      job.tensors.push_back(std::move(*made));
      continue;
    }
    uint64_t bits = 0;
    if (given->getString("dtype") == "float32") {
      auto real = float(value->getAsNumber().value_or(0));
      std::memcpy(&bits, &real, sizeof(real));
      if (const json::Object *object = value->getAsObject())
        if (auto name = object->getString("scalar"))
          if (const HostProgram::Param *param = findParam(*name))
            bits = param->scalarBits;
    } else {
      auto integer = number(*value);
      if (!integer)
        return integer.takeError();
      bits = uint64_t(*integer);
    }
    job.scalars.push_back(bits);
  }
  jobs[size_t(rank)].push_back(std::move(job));
  return llvm::Error::success();
}

llvm::Error RankPlan::visit(const json::Object &dispatch, size_t depth) {
  const json::Array *nest = dispatch.getArray("loops");
  if (!nest || depth == nest->size())
    return addJob(dispatch);
  const json::Object *loop = (*nest)[depth].getAsObject();
  int64_t bounds[3];
  const char *names[] = {"from", "to", "step"};
  for (int i = 0; i < 3; ++i) {
    const json::Value *bound = loop ? loop->get(names[i]) : nullptr;
    if (!bound)
      return fail("a loop of the plan needs from, to, step");
    auto value = number(*bound);
    if (!value)
      return value.takeError();
    bounds[i] = *value;
  }
  if (bounds[2] <= 0)
    return fail("a loop of the plan has a step that is not positive");
  for (int64_t i = bounds[0]; i < bounds[1]; i += bounds[2]) {
    loops.push_back(i);
    llvm::Error error = visit(dispatch, depth + 1);
    loops.pop_back();
    if (error)
      return error;
  }
  return llvm::Error::success();
}

llvm::Error RankPlan::run() {
  // Every tensor has the data of all ranks, rank by rank.
  for (const HostProgram::Param &param : program.params)
    if (!param.isScalar && param.value.rank() > 0) {
      ranks = param.value.dim(0);
      break;
    }
  if (ranks < 1 || ranks > int64_t(COMM_MAX_RANK_NUM))
    return fail("there are " + llvm::Twine(ranks) + " ranks, but 1 to " +
                llvm::Twine(COMM_MAX_RANK_NUM) + " are possible");
  jobs.resize(size_t(ranks));
  if (llvm::Error error = placeWindows())
    return error;
  for (const json::Value &dispatch : *program.plan.getArray("dispatches"))
    if (llvm::Error error = visit(*dispatch.getAsObject(), 0))
      return error;
  shim::RankGroup group{unsigned(ranks), windowBytes};
  for (unsigned rank = 0; rank < unsigned(ranks); ++rank)
    for (const auto &window : windows)
      if (window.getValue().isSignal)
        std::memset(group.windows(rank) + window.getValue().start, 0,
                    size_t(window.getValue().bytes));

  std::vector<std::string> errors(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  auto runRank = [&](unsigned rank) {
    for (const Job &job : jobs[rank]) {
      shim::HostRunner runner;
      runner.setRank(group, rank);
      if (llvm::Error error = job.program->load(runner)) {
        errors[rank] = llvm::toString(std::move(error));
        break;
      }
      for (const Tensor &tensor : job.tensors)
        runner.addTensor(tensor.name, tensor.dtype, tensor.shape,
                         tensor.window ? group.windows(rank) + *tensor.window
                                       : tensor.data);
      for (uint64_t bits : job.scalars)
        runner.addScalar(bits);
      if (job.program->takesContext)
        runner.addScalar(reinterpret_cast<uint64_t>(&group.context(rank)));
      if (!runner.run()) {
        errors[rank] = runner.error();
        break;
      }
    }
    group.leave();
  };
  for (unsigned rank = 0; rank < unsigned(ranks); ++rank)
    threads.emplace_back(runRank, rank);
  for (std::thread &thread : threads)
    thread.join();
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (!errors[size_t(rank)].empty())
      return fail("rank " + llvm::Twine(rank) + ": " + errors[size_t(rank)]);
  for (const auto &window : windows)
    for (unsigned rank = 0; rank < unsigned(ranks); ++rank)
      for (uint64_t byte = 0;
           window.getValue().isSignal && byte < window.getValue().bytes; ++byte)
        if (group.windows(rank)[window.getValue().start + byte])
          return fail("signal '" + window.getKey() + "' of rank " +
                      llvm::Twine(rank) + " does not end at zero");
  return llvm::Error::success();
}

llvm::Error HostProgram::runRanks() { return RankPlan(*this).run(); }
