//===- HostPl.cpp - the `pl` and `pld` modules at module level ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/HostPl.h"

#include "StdModules.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pl::frontend {

using Ctx = CallContext;

//===----------------------------------------------------------------------===//
// Fixtures, goldens, comparisons
//===----------------------------------------------------------------------===//

EntryRecord &Interpreter::getEntry(const Ref<KernelObject> &kernel) {
  for (EntryRecord &entry : entries)
    if (entry.kernel == kernel)
      return entry;
  entries.emplace_back();
  entries.back().kernel = kernel;
  return entries.back();
}

static KernelObject *needKernel(Ctx &call) {
  auto *kernel = call.args.empty() ? nullptr : call.args[0].as<KernelObject>();
  if (kernel)
    return kernel;
  if (call.args.empty())
    (void)call.raise("TypeError",
                     "pl." + call.callee + "() needs the entry it belongs to");
  else if (call.args[0].as<OpaqueObject>())
    (void)call.interpreter.raiseOpaque(call.args[0], call.range);
  else
    (void)call.raise("TypeError", "pl." + call.callee +
                                      "() needs a kernel, not a '" +
                                      getTypeName(call.args[0]) + "'");
  return nullptr;
}

/// A decorator that gives an entry one function.
static Result decorateFor(Ctx &call, Value EntryRecord::*function,
                          SourceRange EntryRecord::*place) {
  Ref<KernelObject> kernel(needKernel(call));
  if (!kernel)
    return failure();
  SourceRange range = call.range;
  return makeNative(
      call.callee, [kernel, function, place, range](Ctx &inner) -> Result {
        if (inner.args.size() != 1 || !inner.args[0].as<FunctionObject>())
          return inner.raise("TypeError",
                             "@pl." + inner.callee + " decorates a function");
        EntryRecord &entry = inner.interpreter.getEntry(kernel);
        Value &slot = entry.*function;
        SourceRange &where = entry.*place;
        if (!slot.isEmpty()) {
          (void)inner.raise("ValueError", "entry '" + kernel->name +
                                              "' has a second " + inner.callee);
          inner.interpreter.pending->notes.emplace_back(Severity::Note, where,
                                                        "the first is here");
          return failure();
        }
        slot = inner.args[0];
        where = range;
        return inner.args[0];
      });
}

static Result compareOutputs(Ctx &call) {
  Ref<KernelObject> kernel(needKernel(call));
  if (!kernel)
    return failure();
  EntryRecord &entry = call.interpreter.getEntry(kernel);
  SmallVector<StringRef> names;
  for (const Param &param : kernel->getParams())
    names.push_back(param.name);
  for (const NamedValue &keyword : call.keywords) {
    auto *comparator = keyword.value.as<ComparatorObject>();
    if (!comparator)
      return call.raise("TypeError",
                        "pl.compare(): '" + keyword.name +
                            "' needs a comparator such as pl.exact(), not a '" +
                            getTypeName(keyword.value) + "'");
    if (!is_contained(names, keyword.name))
      return call.raise("ValueError", "entry '" + kernel->name +
                                          "' has no parameter '" +
                                          keyword.name + "'" +
                                          didYouMean(keyword.name, names));
    CompareRecord record{keyword.name.str(), Ref<ComparatorObject>(comparator),
                         call.range};
    bool replaced = false;
    for (CompareRecord &existing : entry.compares)
      if (existing.output == record.output) {
        existing = record;
        replaced = true;
      }
    if (!replaced)
      entry.compares.push_back(record);
  }
  return Value::none();
}

/// `pl.persistent(entry, "cells_buf", ...)`: signals that one run leaves for
/// the next.
static Result declarePersistent(Ctx &call) {
  bool hasEntry = !call.args.empty() && call.args[0].as<KernelObject>();
  if (!hasEntry || call.args.size() < 2 || !call.keywords.empty())
    return call.raise("TypeError",
                      "pl.persistent() takes an entry and the names of its "
                      "window buffers");
  EntryRecord &entry = call.interpreter.getEntry(
      Ref<KernelObject>(call.args[0].as<KernelObject>()));
  for (const Value &value : ArrayRef(call.args).drop_front()) {
    FailureOr<StringRef> name = call.asStr(value, "the name of a buffer");
    if (failed(name))
      return failure();
    entry.persistent.push_back(name->str());
  }
  return Value::none();
}

static Result makeComparator(Ctx &call, ComparatorObject::Kind kind,
                             ArrayRef<StringRef> names, unsigned required) {
  SmallVector<Value> bound;
  if (failed(call.bind(names, required, bound)))
    return failure();
  Ref<ComparatorObject> comparator(new ComparatorObject(kind));
  comparator->range = call.range;
  comparator->prefix = Value::none();
  comparator->ratio = 0.005;
  for (size_t i = 0; i < names.size(); ++i) {
    if (bound[i].isEmpty())
      continue;
    StringRef name = names[i];
    if (name == "prefix") {
      comparator->prefix = bound[i];
      continue;
    }
    if (name == "mapping" || name == "where_equal") {
      FailureOr<StringRef> text =
          call.asStr(bound[i], ("'" + name + "'").str());
      if (failed(text))
        return failure();
      // Both name the tensor that says which rows are looked at, and how.
      comparator->mapping = text->str();
      continue;
    }
    if (name == "zero_tail" || name == "kept_tail") {
      FailureOr<bool> on = call.asBool(bound[i], ("'" + name + "'").str());
      if (failed(on))
        return failure();
      (name == "zero_tail" ? comparator->zeroTail : comparator->keptTail) = *on;
      continue;
    }
    if (name == "axis") {
      FailureOr<int64_t> axis = call.asInt(bound[i], "'axis'");
      if (failed(axis))
        return failure();
      comparator->axis = *axis;
      continue;
    }
    FailureOr<double> number = call.asFloat(bound[i], ("'" + name + "'").str());
    if (failed(number))
      return failure();
    // NaN fails this as well.
    if (!(*number >= 0))
      return call.raise("ValueError", "pl." + call.callee + "(): '" + name +
                                          "' must be at least 0, but is " +
                                          repr(bound[i]));
    double *slot = name == "atol"       ? &comparator->atol
                   : name == "rtol"     ? &comparator->rtol
                   : name == "ratio"    ? &comparator->ratio
                   : name == "at_least" ? &comparator->atLeast
                   : name == "d"        ? &comparator->d
                   : name == "pct"      ? &comparator->pct
                                        : &comparator->cap;
    *slot = *number;
  }
  return Value(comparator);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static Result usageError(Ctx &call, const Twine &message) {
  (void)call.raise("ValueError", message);
  call.interpreter.pending->isUsage = true;
  call.interpreter.pending->fatal = true;
  return failure();
}

static std::string listChoices(ArrayRef<Value> choices) {
  std::string text;
  for (const Value &choice : choices)
    text += (text.empty() ? "" : ", ") + str(choice);
  return text;
}

/// What the command line says, in the type of the default.
static std::optional<Value>
convertParam(StringRef text, const Value &defaultValue, StringRef &expected) {
  if (defaultValue.isBool()) {
    expected = "true or false";
    std::string lower = text.lower();
    if (lower == "true" || lower == "1" || lower == "yes" || lower == "on")
      return Value::boolean(true);
    if (lower == "false" || lower == "0" || lower == "no" || lower == "off")
      return Value::boolean(false);
    return std::nullopt;
  }
  if (defaultValue.isInt()) {
    expected = "an integer";
    int64_t number;
    if (text.getAsInteger(0, number))
      return std::nullopt;
    return Value::integer(number);
  }
  if (defaultValue.isFloat()) {
    expected = "a number";
    double number;
    if (text.empty() || text.getAsDouble(number))
      return std::nullopt;
    return Value::real(number);
  }
  return Value::str(text);
}

static Result makeParam(Ctx &call) {
  SmallVector<Value> bound;
  if (failed(call.bind({"name", "default", "choices", "help"}, 2, bound)))
    return failure();
  Interpreter &interpreter = call.interpreter;
  FailureOr<StringRef> name = call.asStr(bound[0], "the name");
  if (failed(name))
    return failure();
  const Value &defaultValue = bound[1];
  if (!defaultValue.isNumber() && !defaultValue.isStr() &&
      !defaultValue.isNone())
    return call.raise("TypeError",
                      "pl.param(): the default must be an int, float, bool or "
                      "string, not a '" +
                          getTypeName(defaultValue) + "'");
  ParamRecord record;
  record.name = name->str();
  record.defaultValue = defaultValue;
  record.value = defaultValue;
  record.range = call.range;
  if (!bound[2].isEmpty() && !bound[2].isNone()) {
    FailureOr<std::vector<Value>> choices =
        call.asSequence(bound[2], "'choices'");
    if (failed(choices))
      return failure();
    record.choices = std::move(*choices);
  }
  if (!bound[3].isEmpty() && !bound[3].isNone()) {
    FailureOr<StringRef> help = call.asStr(bound[3], "'help'");
    if (failed(help))
      return failure();
    record.help = help->str();
  }
  auto allowed = [&](const Value &value) {
    return record.choices.empty() ||
           llvm::any_of(record.choices, [&](const Value &choice) {
             return equalValues(choice, value);
           });
  };
  if (!allowed(defaultValue) && !defaultValue.isNone())
    return call.raise("ValueError", "the default of parameter '" + record.name +
                                        "' is none of " +
                                        listChoices(record.choices));
  for (const ParamRecord &existing : interpreter.params) {
    if (existing.name != record.name)
      continue;
    if (equalValues(existing.defaultValue, defaultValue))
      return existing.value;
    (void)call.raise("ValueError",
                     "parameter '" + record.name +
                         "' is declared twice with different defaults");
    interpreter.pending->notes.emplace_back(Severity::Note, existing.range,
                                            "the first declaration is here");
    return failure();
  }
  // The last -D of a name wins.
  for (const auto &[defined, text] : interpreter.options.defines) {
    if (defined != record.name)
      continue;
    StringRef expected;
    std::optional<Value> value = convertParam(text, defaultValue, expected);
    if (!value)
      return usageError(call, "-D " + record.name + "=" + text + ": '" +
                                  record.name + "' takes " + expected);
    if (!allowed(*value))
      return usageError(call, "-D " + record.name + "=" + text + ": '" +
                                  record.name + "' is one of " +
                                  listChoices(record.choices));
    record.value = *value;
    record.isSet = true;
  }
  interpreter.params.push_back(record);
  return record.value;
}

//===----------------------------------------------------------------------===//
// The modules
//===----------------------------------------------------------------------===//

Ref<ModuleObject> Interpreter::makePlModule() {
  Ref<ModuleObject> module(new ModuleObject("pl"));
  auto add = [&](StringRef name, NativeFn fn) {
    module->set(name, makeNative(name, std::move(fn)));
  };
  for (unsigned i = 0; i <= static_cast<unsigned>(DTypeKind::TASK_ID); ++i) {
    DTypeKind dtype = static_cast<DTypeKind>(i);
    module->set(getName(dtype), Value::dtype(dtype));
  }
  module->set("BFLOAT16", Value::dtype(DTypeKind::BF16));

  addPlEnums(*module);

  auto annotation = [&](StringRef name, TypeAnnotation::Kind kind,
                        Direction direction, bool isWrapper) {
    TypeAnnotation type;
    type.kind = kind;
    type.direction = direction;
    module->set(name, Value(new AnnotationObject(type, isWrapper)));
  };
  using Kind = TypeAnnotation::Kind;
  annotation("Tensor", Kind::Tensor, Direction::In, false);
  annotation("Tile", Kind::Tile, Direction::In, false);
  annotation("Scalar", Kind::Scalar, Direction::In, false);
  annotation("Array", Kind::Array, Direction::In, false);
  annotation("Tuple", Kind::Tuple, Direction::In, false);
  annotation("Out", Kind::Tensor, Direction::Out, true);
  annotation("InOut", Kind::Tensor, Direction::InOut, true);
  TypeAnnotation taskId;
  taskId.kind = Kind::Scalar;
  taskId.dtype = DTypeKind::TASK_ID;
  module->set("TaskId", Value(new AnnotationObject(taskId)));

  addPlKernels(*module);

  add("dynamic", [](Ctx &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"name"}, 1, bound)))
      return failure();
    FailureOr<StringRef> name = call.asStr(bound[0], "the name");
    if (failed(name))
      return failure();
    bool good = !name->empty() && !isDigit(name->front());
    for (char c : *name)
      good &= isAlnum(c) || c == '_';
    if (!good)
      return call.raise(
          "ValueError",
          "the name of a dynamic dim must be an identifier, not " +
              repr(bound[0]));
    return Value(new DynVarObject(name->str(), call.range));
  });
  add("param", makeParam);
  add("fixture", [](Ctx &call) {
    return decorateFor(call, &EntryRecord::fixture, &EntryRecord::fixtureRange);
  });
  add("golden", [](Ctx &call) {
    return decorateFor(call, &EntryRecord::golden, &EntryRecord::goldenRange);
  });
  add("check_inputs", [](Ctx &call) {
    return decorateFor(call, &EntryRecord::inputCheck,
                       &EntryRecord::inputCheckRange);
  });
  add("compare", compareOutputs);
  add("persistent", declarePersistent);
  add("main", [](Ctx &call) -> Result {
    KernelObject *kernel = needKernel(call);
    if (!kernel)
      return failure();
    // Only the file that is run decides; an imported stage has its own.
    const ModuleObject *main = call.interpreter.mainModule.get();
    if (main && call.range.buffer == main->buffer)
      call.interpreter.mainEntry = kernel;
    return Value::none();
  });
  add("lazy", [](Ctx &call) -> Result {
    if (call.args.size() != 1 || !call.keywords.empty())
      return call.raise("TypeError",
                        "pl.lazy() takes one function without arguments");
    return Value(new LazyObject(call.args[0]));
  });
  using Comparator = ComparatorObject::Kind;
  add("ratio_allclose", [](Ctx &call) {
    return makeComparator(call, Comparator::RatioAllclose,
                          {"atol", "rtol", "ratio", "prefix", "axis",
                           "zero_tail", "kept_tail", "where_equal", "at_least"},
                          2);
  });
  add("ratio_reldiff", [](Ctx &call) {
    return makeComparator(call, Comparator::RatioReldiff, {"d", "pct", "cap"},
                          2);
  });
  add("mapped_pool", [](Ctx &call) {
    return makeComparator(call, Comparator::MappedPool,
                          {"mapping", "atol", "rtol", "ratio"}, 3);
  });
  add("exact",
      [](Ctx &call) { return makeComparator(call, Comparator::Exact, {}, 0); });
  module->set("distributed", Value(makePldModule(module.get())));
  return module;
}

Ref<ModuleObject> Interpreter::makePldModule(ModuleObject *pl) {
  Ref<ModuleObject> module(new ModuleObject("pld"));
  TypeAnnotation type;
  type.kind = TypeAnnotation::Kind::DistributedTensor;
  module->set("DistributedTensor", Value(new AnnotationObject(type)));
  addPldEnums(*module);
  module->set("AtomicType", *pl->find("AtomicType"));
  pl->set("DistributedTensor", *module->find("DistributedTensor"));
  return module;
}

} // namespace pl::frontend
