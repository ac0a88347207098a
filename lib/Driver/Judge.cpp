//===- Judge.cpp - Whether outputs are what they should be ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Judge.h"
#include "pl/Frontend/DiagCodes.h"

#include "pl/Reference/Compare.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;
using pl::frontend::ComparatorObject;
using pl::frontend::CompareRecord;
using pl::frontend::EntryRecord;
using pl::frontend::Value;

namespace pl::driver {

StringRef stringify(OutputVerdict::Verdict verdict) {
  switch (verdict) {
  case OutputVerdict::Verdict::Pass:
    return "pass";
  case OutputVerdict::Verdict::Fail:
    return "FAIL";
  case OutputVerdict::Verdict::Unchecked:
    return "unchecked";
  }
  return "";
}

std::string describeAllowed(const OutputVerdict &verdict) {
  using Kind = ComparatorObject::Kind;
  auto number = [](double value) { return frontend::formatDouble(value); };
  if (verdict.verdict == OutputVerdict::Verdict::Unchecked)
    return "-";
  const ComparatorObject *how = verdict.how;
  if (!how || how->comparator == Kind::Exact)
    return "exact";
  bool isReldiff = how->comparator == Kind::RatioReldiff;
  std::string text =
      isReldiff ? "d " + number(how->d)
                : "atol " + number(how->atol) + ", rtol " + number(how->rtol);
  if (verdict.allowedBad == 0)
    return text;
  text += "; " + std::to_string(verdict.allowedBad) + " bad";
  if (isReldiff && std::isfinite(how->cap))
    text += " below " + number(how->cap);
  return text;
}

/// The output that where_equal= names, or "".
static StringRef getOtherOutput(const ComparatorObject &how) {
  return how.comparator == ComparatorObject::Kind::RatioAllclose
             ? StringRef(how.mapping)
             : StringRef();
}

LogicalResult checkComparators(Compilation &compiled,
                               ArrayRef<Parameter> parameters) {
  if (!compiled.getSession())
    return success();
  const EntryRecord *record =
      compiled.getSession()->getEntry(compiled.getEntry());
  bool hasExpected = !compiled.getOptions().goldenData.empty() ||
                     (record && !record->golden.isEmpty());
  if (!hasExpected)
    return success();
  frontend::DiagnosticEngine &diagnostics = compiled.getDiagnostics();
  unsigned before = diagnostics.getNumErrors();
  SmallVector<StringRef> outputs;
  for (const Parameter &parameter : parameters)
    if (parameter.isTensor && parameter.isWritten())
      outputs.push_back(parameter.name);
  SmallVector<StringRef> judged;
  if (record)
    for (const CompareRecord &compare : record->compares) {
      judged.push_back(compare.output);
      if (!is_contained(outputs, compare.output))
        diagnostics.error(frontend::DiagCode::FixtureMismatch, compare.range,
                          "pl.compare names '" + compare.output + "', which '" +
                              compiled.getEntry()->name + "' does not write" +
                              frontend::didYouMean(compare.output, outputs));
      StringRef other = getOtherOutput(*compare.comparator);
      if (!other.empty() && !is_contained(outputs, other))
        diagnostics.error(frontend::DiagCode::FixtureMismatch, compare.range,
                          "where_equal= of '" + compare.output + "' names '" +
                              other + "', which '" + compiled.getEntry()->name +
                              "' does not write" +
                              frontend::didYouMean(other, outputs));
    }
  for (StringRef output : outputs)
    if (!is_contained(judged, output))
      diagnostics.error(frontend::DiagCode::FixtureMismatch,
                        record ? record->goldenRange : frontend::SourceRange(),
                        "output '" + output + "' of '" +
                            compiled.getEntry()->name +
                            "' is not judged; add " + output +
                            "=pl.exact() or another comparator to pl.compare");
  diagnostics.flush();
  return success(diagnostics.getNumErrors() == before);
}

/// How many leading elements count: a number, an input that holds it, or a
/// function of the fixture.
static FailureOr<std::optional<int64_t>>
evaluatePrefix(Compilation &compiled, const ComparatorObject &how,
               const RunInputs &inputs) {
  Value prefix = how.prefix;
  if (prefix.isEmpty() || prefix.isNone())
    return std::optional<int64_t>();
  auto wrong = [&](const Twine &message) {
    compiled.getDiagnostics().error(frontend::DiagCode::FixtureMismatch,
                                    how.range, message);
    compiled.getDiagnostics().flush();
    return failure();
  };
  if (prefix.isStr()) {
    const Value *value = inputs.fixture->table.find(prefix.getStr());
    if (!value)
      return wrong("the prefix names '" + prefix.getStr() +
                   "', which is no input");
    prefix = *value;
  } else if (!prefix.isInt()) {
    FailureOr<Value> result =
        compiled.getSession()->call(prefix, {Value(inputs.fixture)});
    compiled.getDiagnostics().flush();
    if (failed(result))
      return failure();
    prefix = *result;
  }
  if (prefix.isArray() && prefix.getArray()->numel() == 1)
    return std::optional<int64_t>(prefix.getArray()->getInt(0));
  if (!prefix.isInt())
    return wrong("the prefix must be a number, not a " +
                 frontend::getTypeName(prefix));
  return std::optional<int64_t>(prefix.getInt());
}

/// Marks the rows at which the output that `how` names is equal. Its leading
/// dims must be those of an output of `shape`.
static Expected<std::vector<bool>>
findRowsWhereEqual(const ComparatorObject &how, ArrayRef<int64_t> shape,
                   ArrayRef<NamedArray> actual, ArrayRef<NamedArray> expected) {
  auto found = find_if(actual, [&](const NamedArray &output) {
    return output.name == getOtherOutput(how);
  });
  if (found == actual.end())
    return ref::fail("where_equal= names '" + getOtherOutput(how) +
                     "', which is no output");
  ArrayRef<int64_t> rows = found->array.shape();
  if (!rows.empty())
    rows = rows.drop_back();
  if (rows.size() > shape.size() || shape.take_front(rows.size()) != rows)
    return ref::fail("where_equal= names '" + getOtherOutput(how) +
                     "' of shape " + ref::shapeString(found->array.shape()) +
                     ", whose rows are not rows of shape " +
                     ref::shapeString(shape));
  return ref::findEqualRows(found->array,
                            expected[found - actual.begin()].array);
}

static Expected<ref::CompareResult>
compare(const ComparatorObject &how, std::optional<int64_t> prefix,
        size_t index, ArrayRef<NamedArray> allActual,
        ArrayRef<NamedArray> allExpected, const RunInputs &inputs) {
  const ref::Array &actual = allActual[index].array;
  const ref::Array &expected = allExpected[index].array;
  switch (how.comparator) {
  case ComparatorObject::Kind::RatioAllclose: {
    ref::RatioAllclose options;
    options.atol = how.atol;
    options.rtol = how.rtol;
    options.ratio = how.ratio;
    options.prefix = prefix;
    options.axis = how.axis;
    options.zeroTail = how.zeroTail;
    options.atLeast = how.atLeast;
    if (how.keptTail) {
      const ref::Array *before = inputs.find(allActual[index].name);
      if (!before)
        return ref::fail("kept_tail= needs what the output held before, but "
                         "it is no input");
      options.keptTail = *before;
    }
    if (!getOtherOutput(how).empty()) {
      Expected<std::vector<bool>> runs =
          findRowsWhereEqual(how, actual.shape(), allActual, allExpected);
      if (!runs)
        return runs.takeError();
      options.runs = std::move(*runs);
    }
    return ref::compareRatioAllclose(actual, expected, options);
  }
  case ComparatorObject::Kind::RatioReldiff:
    return ref::compareRatioReldiff(actual, expected,
                                    {how.d, how.pct, how.cap});
  case ComparatorObject::Kind::MappedPool: {
    const ref::Array *mapping = inputs.find(how.mapping);
    if (!mapping)
      return ref::fail("the mapping '" + how.mapping + "' is no input");
    Expected<ref::CompareResult> result = ref::compareMappedPool(
        actual, expected, *mapping, {how.atol, how.rtol, how.ratio});
    if (!result)
      return ref::fail("mapping '" + how.mapping +
                       "': " + toString(result.takeError()));
    return result;
  }
  case ComparatorObject::Kind::Exact:
    return ref::compareExact(actual, expected);
  }
  return ref::fail("unknown comparator");
}

/// "kv[3, 17] is 0.25, expected 0.5; 412 of 65536 values are wrong, 327 may be"
static std::string describeFailure(StringRef name,
                                   const ref::CompareResult &result,
                                   StringRef alteredFile) {
  if (!result.firstBad)
    return (name + ": " + result.message).str();
  auto number = [](double value) { return frontend::formatDouble(value); };
  std::string text =
      name.str() + ref::shapeString(result.firstBad->index) + " is " +
      number(result.firstBad->actual) + ", expected " +
      number(result.firstBad->expected) + "; " + std::to_string(result.bad) +
      " of " + std::to_string(result.compared) + " values are wrong, " +
      (result.allowed && alteredFile.empty() ? std::to_string(result.allowed)
                                             : std::string("none")) +
      " may be";
  if (!result.reason.empty())
    text += "; " + result.reason;
  if (!alteredFile.empty())
    text += ": " + alteredFile.str() + " was changed after it was saved";
  if (result.nonFinite)
    text += "; " + std::to_string(result.nonFinite) +
            " are NaN or infinite, which never passes";
  return text;
}

FailureOr<OutputVerdict> judgeOutput(Compilation &compiled, size_t index,
                                     ArrayRef<NamedArray> actual,
                                     ArrayRef<NamedArray> expected,
                                     const RunInputs &inputs,
                                     StringRef alteredFile) {
  StringRef name = actual[index].name;
  const ComparatorObject *how = nullptr;
  frontend::SourceRange range;
  if (frontend::Session *session = compiled.getSession())
    if (const EntryRecord *record = session->getEntry(compiled.getEntry()))
      for (const CompareRecord &candidate : record->compares)
        if (candidate.output == name) {
          how = candidate.comparator.get();
          range = candidate.range;
        }
  std::optional<int64_t> prefix;
  if (how) {
    FailureOr<std::optional<int64_t>> evaluated =
        evaluatePrefix(compiled, *how, inputs);
    if (failed(evaluated))
      return failure();
    prefix = *evaluated;
  }
  // IR has no module that says how to compare: then exactly.
  Expected<ref::CompareResult> result =
      how ? compare(*how, prefix, index, actual, expected, inputs)
          : ref::compareExact(actual[index].array, expected[index].array);
  if (!result) {
    compiled.getDiagnostics().error(frontend::DiagCode::FixtureMismatch, range,
                                    "output '" + name +
                                        "' cannot be "
                                        "compared: " +
                                        toString(result.takeError()));
    compiled.getDiagnostics().flush();
    return failure();
  }
  OutputVerdict verdict;
  verdict.name = name.str();
  verdict.compared = result->compared;
  verdict.judgedBy = range;
  verdict.bad = result->bad;
  verdict.worst = result->worst;
  verdict.how = how;
  verdict.allowedBad = alteredFile.empty() ? result->allowed : 0;
  bool passed = result->passed && (alteredFile.empty() || result->bad == 0);
  verdict.verdict =
      passed ? OutputVerdict::Verdict::Pass : OutputVerdict::Verdict::Fail;
  if (!passed)
    verdict.message = describeFailure(name, *result, alteredFile);
  return verdict;
}

} // namespace pl::driver
