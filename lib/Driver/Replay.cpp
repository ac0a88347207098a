//===- Replay.cpp - Saved runs --------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostJson.h"

#include "pl/Driver/RunData.h"
#include "pl/Reference/Shape.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using pl::frontend::ParamRecord;
using pl::frontend::Session;
using pl::frontend::Value;

namespace pl::driver {

json::Value toJson(const Value &value) {
  if (value.isBool())
    return value.getBool();
  if (value.isInt())
    return value.getInt();
  if (value.isFloat())
    return value.getFloat();
  if (value.isNone())
    return nullptr;
  if (value.isStr())
    return json::fixUTF8(value.getStr());
  return json::fixUTF8(frontend::repr(value));
}

/// The text of -D that gives a value of a manifest; nothing for what no
/// parameter can be (null, lists, objects).
static std::optional<std::string> toDefine(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Boolean:
    return *value.getAsBoolean() ? "true" : "false";
  case json::Value::Number:
    if (std::optional<int64_t> integer = value.getAsInteger())
      return std::to_string(*integer);
    return frontend::formatDouble(*value.getAsNumber());
  case json::Value::String:
    return value.getAsString()->str();
  default:
    return std::nullopt;
  }
}

FailureOr<Replay> Replay::open(Compilation &compiled) {
  StringRef directory = compiled.getOptions().goldenData;
  StringRef stage;
  if (!sys::fs::is_directory(directory) && directory.contains(':'))
    std::tie(directory, stage) = directory.rsplit(':');
  Expected<ref::SavedData> data = ref::SavedData::open(directory);
  if (!data)
    return compiled.error("--golden-data: " + toString(data.takeError()));
  Replay replay(std::move(*data));
  if (!stage.empty()) {
    std::vector<std::string> stages = replay.data.getStages();
    if (!is_contained(stages, stage)) {
      SmallVector<StringRef> names(stages.begin(), stages.end());
      return compiled.usageError(
          "--golden-data: " + directory + " has no stage '" + stage + "'" +
          frontend::didYouMean(stage, names) +
          (names.empty() ? Twine("") : "; it has " + llvm::join(names, ", ")));
    }
    replay.stage = stage.str();
    replay.inPrefix = ("fixture/" + stage + "/in/").str();
    replay.outPrefix = ("fixture/" + stage + "/out/").str();
  }
  if (stage.empty() && failed(replay.checkRanks(compiled)))
    return failure();
  if (failed(replay.mergeParameters(compiled)))
    return failure();
  return replay;
}

/// Tensors of several ranks have a leading rank axis, or are stored once. What
/// one rank gets is certain only when the manifest says how many ranks there
/// are and how many token rows each has.
LogicalResult Replay::checkRanks(Compilation &compiled) const {
  bool hasRanks = any_of(data.getTensors(), [](const ref::SavedTensor &tensor) {
    return tensor.isReplicated();
  });
  if (!hasRanks)
    return success();
  StringRef directory = compiled.getOptions().goldenData;
  for (StringRef name : {"tp", "local_t"})
    if (!data.getProperties().getInteger(name))
      return compiled.error("--golden-data: " + directory +
                            " holds the data of several ranks, but its "
                            "manifest does not say '" +
                            name + "': the shapes of the replay are ambiguous");
  int64_t ranks = *data.getProperties().getInteger("tp");
  for (const ref::SavedTensor &tensor : data.getTensors()) {
    StringRef name = tensor.name;
    if (tensor.isReplicated() ||
        !(name.starts_with("in/") || name.starts_with("out/")))
      continue;
    if (tensor.shape.empty() || tensor.shape[0] != ranks)
      return compiled.error(
          "--golden-data: " + directory + ": '" + name + "' has the shape " +
          ref::shapeString(tensor.shape) +
          ", but its manifest says tp = " + Twine(ranks) +
          ", which is the first extent of every tensor that is "
          "not marked as stored once");
  }
  return success();
}

/// What the manifest says about a parameter: under its own name, or among the
/// sizes (`dims`), or `NAME_pages` among the page counts.
const json::Value *Replay::findProperty(StringRef name) const {
  const json::Object &properties = data.getProperties();
  if (const json::Value *value = properties.get(name))
    return value;
  if (const json::Object *dims = properties.getObject("dims"))
    if (const json::Value *value = dims->get(name))
      return value;
  const json::Object *pages = properties.getObject("pages");
  if (pages && name.consume_back("_pages"))
    return pages->get(name);
  return nullptr;
}

/// What saved data calls a preset is what modules call it, but for one: `tiny`
/// of the layers hca and csa has sizes of its own, which modules that know both
/// call `tiny-hca`.
static json::Value renamePreset(const ParamRecord &param,
                                const json::Object &properties,
                                const json::Value &saved) {
  StringRef layer = properties.getString("layer").value_or("");
  bool isOther = param.name == "preset" && saved.getAsString() == "tiny" &&
                 (layer == "hca" || layer == "csa");
  bool knowsBoth = any_of(param.choices, [](const Value &choice) {
    return choice.isStr() && choice.getStr() == "tiny-hca";
  });
  return isOther && knowsBoth ? json::Value("tiny-hca") : saved;
}

/// The module is executed once, unheard, to learn which parameters it declares;
/// what is wrong with it is reported by the load that follows.
LogicalResult Replay::mergeParameters(Compilation &compiled) const {
  const Options &options = compiled.getOptions();
  if (StringRef(options.file).ends_with(".mlir"))
    return success();
  if (options.file == "-")
    return compiled.usageError("--golden-data needs a file, not standard "
                               "input: the module is read twice");
  frontend::SourceManager sources;
  frontend::DiagnosticEngine unheard(sources);
  frontend::LoadOptions load;
  load.includeDirs = options.includeDirs;
  load.defines = options.defines;
  load.argv = options.argv;
  load.output = &nulls();
  Session session(sources, unheard, std::move(load),
                  frontend::createArrayOps());
  (void)session.loadFile(options.file);
  for (const ParamRecord &param : session.getParams()) {
    const json::Value *found = findProperty(param.name);
    if (!found)
      continue;
    json::Value saved = renamePreset(param, data.getProperties(), *found);
    std::optional<std::string> text = toDefine(saved);
    if (!text)
      continue;
    if (!param.isSet) {
      compiled.defines.emplace_back(param.name, *text);
      continue;
    }
    if (toJson(param.value) != saved)
      return compiled.usageError(
          "-D " + param.name + "=" + frontend::str(param.value) +
          " contradicts the saved data, where " + param.name + " is " + *text);
  }
  return success();
}

/// The name by which --entry finds a kernel.
static std::string getFullName(const frontend::KernelObject &kernel) {
  return kernel.programName.empty() ? kernel.name
                                    : kernel.programName + "." + kernel.name;
}

LogicalResult Replay::selectEntry(Compilation &compiled) const {
  std::optional<StringRef> saved = data.getProperties().getString("entry");
  Session *session = compiled.getSession();
  if (!session || !stage.empty() || !saved)
    return success();
  StringRef given = compiled.getOptions().entry;
  SmallVector<StringRef> names;
  const frontend::KernelObject *known = compiled.findEntry(*saved, names);
  if (!given.empty()) {
    // Where the saved one is gone, another may have its place.
    const frontend::KernelObject *chosen = session->findKernel(given);
    if (!known || !chosen || known == chosen)
      return success();
    return compiled.usageError("--entry " + given +
                               " contradicts the saved data, which is of '" +
                               *saved + "'");
  }
  std::string why;
  const frontend::KernelObject *main = session->getMainEntry(why);
  if (main && (main->name == *saved || getFullName(*main) == *saved))
    return success();
  if (!known)
    return compiled.usageError(
        "the saved data is of '" + *saved + "', and the module has no such " +
        "kernel; it has " + (names.empty() ? "none" : llvm::join(names, ", ")) +
        ": give the one that takes its place with --entry");
  compiled.entryName = saved->str();
  return success();
}

bool Replay::hasInput(StringRef name) const {
  return data.find((inPrefix + name).str()) != nullptr;
}

Expected<ref::Array> Replay::read(const std::string &name, int64_t rank) const {
  Expected<ref::Array> array = data.read(name);
  if (!array)
    return array;
  if (data.isAltered(name, *array) && !is_contained(altered, name))
    altered.push_back(name);
  std::optional<int64_t> ranks = data.getProperties().getInteger("tp");
  if (!data.find(name)->isReplicated() || array->rank() + 1 != rank || !ranks)
    return array;
  SmallVector<int64_t> shape = {*ranks};
  append_range(shape, array->shape());
  Expected<ref::Array> repeated = ref::broadcastTo(*array, shape);
  if (repeated)
    return repeated->contiguous();
  return repeated;
}

Expected<ref::Array> Replay::readInput(StringRef name, int64_t rank) const {
  return read((inPrefix + name).str(), rank);
}

Expected<ref::Array> Replay::readOutput(StringRef name, int64_t rank) const {
  return read((outPrefix + name).str(), rank);
}

Expected<ref::Array> Replay::readScalar(StringRef name,
                                        ref::DType dtype) const {
  const std::string file = (inPrefix + name).str();
  if (data.find(file) || !stage.empty())
    return read(file, /*rank=*/0);
  const json::Value *value = findProperty(name);
  if (!value)
    return ref::fail("there is no '" + file + "', and the manifest does not " +
                     "say '" + name + "'");
  ref::Array scalar = ref::Array::make(dtype, {});
  std::optional<int64_t> integer = value->getAsInteger();
  if (std::optional<bool> flag = value->getAsBoolean())
    integer = *flag;
  if (ref::isFloating(dtype) && value->getAsNumber())
    scalar.setDouble(0, *value->getAsNumber());
  else if (!ref::isFloating(dtype) && integer)
    scalar.setInt(0, *integer);
  else
    return ref::fail(formatv("the manifest says it is {0}", *value).str());
  bool isExact = ref::isFloating(dtype) || scalar.getInt(0) == *integer;
  if (!isExact)
    return ref::fail("the manifest says it is " + Twine(*integer) +
                     ", which no " + ref::dtypeName(dtype) + " is");
  return scalar;
}

void Replay::reportAltered(Compilation &compiled) const {
  for (const std::string &name : altered)
    compiled.getDiagnostics().warning(frontend::DiagCode::FixtureMismatch, {},
                                      data.find(name)->file +
                                          " was changed after it was saved");
  compiled.getDiagnostics().flush();
}

std::string Replay::findAltered(StringRef name) const {
  for (const std::string &file : altered)
    if (StringRef(file).starts_with(inPrefix) ||
        file == (outPrefix + name).str())
      return data.find(file)->file;
  return "";
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

/// How an output was judged, as the manifest says it.
static std::string describe(const frontend::ComparatorObject &how) {
  using Kind = frontend::ComparatorObject::Kind;
  auto number = [](double value) { return frontend::formatDouble(value); };
  switch (how.comparator) {
  case Kind::RatioAllclose:
    return "ratio_allclose(" + number(how.atol) + ", " + number(how.rtol) +
           ", ratio=" + number(how.ratio) + ")";
  case Kind::RatioReldiff:
    return "ratio_reldiff(" + number(how.d) + ", " + number(how.pct) + ", " +
           number(how.cap) + ")";
  case Kind::MappedPool:
    return "mapped_pool(\"" + how.mapping + "\", atol=" + number(how.atol) +
           ", rtol=" + number(how.rtol) + ", ratio=" + number(how.ratio) + ")";
  case Kind::Exact:
    return "exact()";
  }
  return "";
}

LogicalResult saveRun(Compilation &compiled, const RunInputs &inputs,
                      ArrayRef<Parameter> parameters,
                      ArrayRef<NamedArray> expected,
                      ArrayRef<NamedArray> simulated) {
  StringRef directory = compiled.getOptions().saveData;
  auto wrong = [&](Error error) {
    return compiled.error("--save-data: " + toString(std::move(error)));
  };
  Expected<ref::SavedDataWriter> writer =
      ref::SavedDataWriter::create(directory);
  if (!writer)
    return wrong(writer.takeError());
  for (const Parameter &parameter : parameters)
    if (parameter.isTensor && parameter.isRead())
      if (const ref::Array *array = inputs.find(parameter.name))
        if (Error error = writer->add("in/" + parameter.name, *array))
          return wrong(std::move(error));
  for (const Parameter &parameter : parameters) {
    auto scalar = find_if(inputs.scalars, [&](const sim::ScalarArg &arg) {
      return !parameter.isTensor && arg.name == parameter.name;
    });
    if (scalar == inputs.scalars.end())
      continue;
    ref::DType dtype = getScalarDType(parameter);
    ref::Array array = ref::Array::make(dtype, {});
    std::memcpy(array.rawData(), &scalar->bits,
                static_cast<size_t>(ref::dtypeBytes(dtype)));
    if (Error error = writer->add("in/" + parameter.name, array))
      return wrong(std::move(error));
  }
  for (const NamedArray &tensor : expected)
    if (Error error = writer->add("out/" + tensor.name, tensor.array))
      return wrong(std::move(error));
  for (const NamedArray &tensor : simulated)
    if (Error error = writer->add("run/" + tensor.name, tensor.array))
      return wrong(std::move(error));
  json::Object properties;
  if (frontend::Session *session = compiled.getSession()) {
    for (const ParamRecord &param : session->getParams())
      properties[param.name] = toJson(param.value);
    properties["entry"] = getFullName(*compiled.getEntry());
    json::Object comparators;
    if (const auto *record = session->getEntry(compiled.getEntry()))
      for (const frontend::CompareRecord &compare : record->compares)
        comparators[compare.output] = describe(*compare.comparator);
    properties["comparators"] = std::move(comparators);
  }
  if (Error error = writer->finish(std::move(properties)))
    return wrong(std::move(error));
  return success();
}

} // namespace pl::driver
