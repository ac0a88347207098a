//===- Compare.cpp - How found values are judged --------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Compare.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace pl::ref;
using llvm::Expected;
using llvm::Twine;

int64_t pl::ref::roundBudget(double share, int64_t count) {
  double exact = share * static_cast<double>(count);
  double below = std::floor(exact), rest = exact - below;
  bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0.0);
  return static_cast<int64_t>(up ? below + 1.0 : below);
}

static llvm::Error checkPair(const Array &actual, const Array &expected) {
  if (actual.shape() != expected.shape())
    return fail("the found tensor has shape " + shapeString(actual.shape()) +
                ", but the expected one has " + shapeString(expected.shape()));
  if (actual.dtype() != expected.dtype())
    return fail("the found tensor is " + dtypeName(actual.dtype()) +
                ", but the expected one is " + dtypeName(expected.dtype()));
  return llvm::Error::success();
}

namespace {

/// How one element compares.
struct Judgement {
  double difference;
  bool bad;
  bool finite;
};

/// Gathers judgements into a result.
class Tally {
public:
  Tally(const Array &actual, const Array &expected)
      : actual(actual), expected(expected) {}

  void add(int64_t flat, const Judgement &judgement) {
    ++result.compared;
    result.nonFinite += !judgement.finite;
    double difference = judgement.finite
                            ? judgement.difference
                            : std::numeric_limits<double>::infinity();
    if (result.worstFlat < 0 || difference > result.worst) {
      result.worst = difference;
      result.worstFlat = flat;
    }
    if (judgement.bad || !judgement.finite)
      addBad(flat);
  }

  void addBad(int64_t flat) {
    ++result.bad;
    if (result.firstBad && result.firstBad->flat <= flat)
      return;
    result.firstBad =
        BadElement{flat, unflatten(flat, actual.shape()),
                   actual.getDouble(flat), expected.getDouble(flat)};
  }

  /// "first wrong element [1, 2]: found 3, expected 4"
  std::string describeFirst() const {
    if (!result.firstBad)
      return "";
    return llvm::formatv("first wrong element {0}: found {1}, expected {2}",
                         shapeString(result.firstBad->index),
                         numberText(result.firstBad->actual),
                         numberText(result.firstBad->expected));
  }

  /// Sets the verdict from the budget; `failFor` gives more reasons after.
  void finish(double share) {
    result.allowed = roundBudget(share, result.compared);
    result.passed = true;
    if (result.nonFinite > 0)
      failWith(
          llvm::formatv("{0} values are NaN or infinite", result.nonFinite));
    if (result.bad > result.allowed)
      failWith(llvm::formatv("{0} of {1} values are wrong, {2} may be",
                             result.bad, result.compared, result.allowed));
  }

  /// Fails for something that no single element shows.
  void failFor(const Twine &reason) {
    if (!result.reason.empty())
      result.reason += "; ";
    result.reason += reason.str();
    failWith(reason);
  }

  void failWith(const Twine &reason) {
    result.passed = false;
    if (!result.message.empty())
      result.message += "; ";
    result.message += reason.str();
  }

  CompareResult take() {
    if (!result.passed && result.firstBad)
      result.message += "; " + describeFirst();
    return std::move(result);
  }

  CompareResult result;

  /// Short, but with every digit of a float32.
  std::string numberText(double value) const {
    if (std::isnan(value))
      return "nan";
    if (std::isinf(value))
      return value > 0 ? "inf" : "-inf";
    if (!isFloating(actual.dtype()))
      return llvm::formatv("{0}", static_cast<int64_t>(value));
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(
        actual.dtype() == DType::FP64 ? "%.17g" : "%.9g", value);
    return text;
  }

private:
  const Array &actual;
  const Array &expected;
};

} // namespace

/// |a - e| > atol + rtol * |e|, in float32.
static Judgement judgeAllclose(float a, float e, float atol, float rtol) {
  float difference = std::fabs(a - e);
  return {difference, difference > atol + rtol * std::fabs(e),
          std::isfinite(a) && std::isfinite(e)};
}

Expected<std::vector<bool>> pl::ref::findEqualRows(const Array &actual,
                                                   const Array &expected) {
  if (llvm::Error error = checkPair(actual, expected))
    return error;
  if (actual.rank() == 0)
    return fail("a 0-d tensor has no rows");
  int64_t width = actual.dim(actual.rank() - 1);
  Array found = convert(actual, DType::FP64).contiguous();
  Array wanted = convert(expected, DType::FP64).contiguous();
  const double *a = found.data<double>(), *e = wanted.data<double>();
  std::vector<bool> equal(width ? actual.numel() / width : 0);
  for (size_t row = 0; row < equal.size(); ++row, a += width, e += width)
    equal[row] = std::equal(a, a + width, e);
  return equal;
}

Expected<CompareResult>
pl::ref::compareRatioAllclose(const Array &actual, const Array &expected,
                              const RatioAllclose &how) {
  if (llvm::Error error = checkPair(actual, expected))
    return error;
  int64_t prefix = 1, extent = 1, inner = 1;
  if (how.prefix) {
    Expected<int64_t> axis = normalizeAxis(how.axis, actual.shape());
    if (!axis)
      return axis.takeError();
    if (actual.rank() == 0)
      return fail("a prefix of a 0-d tensor");
    extent = actual.dim(*axis);
    prefix = *how.prefix;
    if (prefix < 0 || prefix > extent)
      return fail("the prefix " + Twine(prefix) + " is not within dim " +
                  Twine(*axis) + " of shape " + shapeString(actual.shape()));
    for (int64_t d = *axis + 1; d < actual.rank(); ++d)
      inner *= actual.dim(d);
  }
  const std::vector<bool> &runs = how.runs;
  if (!runs.empty() && actual.numel() % static_cast<int64_t>(runs.size()))
    return fail("a tensor of shape " + shapeString(actual.shape()) +
                " does not fall into " + Twine(runs.size()) + " equal runs");
  int64_t run = runs.empty() ? 1 : actual.numel() / int64_t(runs.size());
  Array found = convert(actual, DType::FP32).contiguous();
  Array wanted = convert(expected, DType::FP32).contiguous();
  const float *a = found.data<float>(), *e = wanted.data<float>();
  float atol = static_cast<float>(how.atol),
        rtol = static_cast<float>(how.rtol);
  Tally tally(actual, expected);
  Array kept;
  size_t size = dtypeBytes(actual.dtype());
  Array raw = actual.contiguous();
  if (how.keptTail) {
    if (llvm::Error error = checkPair(actual, *how.keptTail))
      return error;
    kept = how.keptTail->contiguous();
  }
  auto isKept = [&](int64_t i) {
    return std::memcmp(raw.rawData() + i * size, kept.rawData() + i * size,
                       size) == 0;
  };
  std::optional<int64_t> firstInTail, firstChanged;
  for (int64_t i = 0, n = actual.numel(); i < n; ++i) {
    if (!runs.empty() && !runs[i / run])
      continue;
    if (i / inner % extent < prefix)
      tally.add(i, judgeAllclose(a[i], e[i], atol, rtol));
    else if (how.zeroTail && a[i] != 0.0f && !firstInTail)
      firstInTail = i;
    else if (how.keptTail && !firstChanged && !isKept(i))
      firstChanged = i;
  }
  tally.finish(how.ratio);
  if (!runs.empty()) {
    int64_t left = llvm::count(runs, true);
    int64_t needed = std::max<int64_t>(
        1, static_cast<int64_t>(std::ceil(how.atLeast * double(runs.size()))));
    if (left == 0)
      tally.failFor("nothing is left to compare");
    else if (left < needed)
      tally.failFor(llvm::formatv("only {0} of {1} rows are left to compare, "
                                  "but {2} must be",
                                  left, runs.size(), needed));
  }
  if (firstChanged)
    tally.failFor(llvm::formatv(
        "the tail after the prefix is not what it was: {0} is {1}, was {2}",
        indexString(*firstChanged, actual.shape()),
        tally.numberText(actual.getDouble(*firstChanged)),
        tally.numberText(kept.getDouble(*firstChanged))));
  if (firstInTail)
    tally.failFor(
        llvm::formatv("the tail after the prefix is not zero: {0} is {1}",
                      indexString(*firstInTail, actual.shape()),
                      actual.getDouble(*firstInTail)));
  return tally.take();
}

Expected<CompareResult> pl::ref::compareRatioReldiff(const Array &actual,
                                                     const Array &expected,
                                                     const RatioReldiff &how) {
  if (llvm::Error error = checkPair(actual, expected))
    return error;
  if (!(how.d > 0.0))
    return fail("ratio_reldiff needs d > 0");
  Array found = convert(actual, DType::FP64).contiguous();
  Array wanted = convert(expected, DType::FP64).contiguous();
  Tally tally(actual, expected);
  double worstBad = 0.0;
  for (int64_t i = 0, n = actual.numel(); i < n; ++i) {
    double a = found.data<double>()[i], e = wanted.data<double>()[i];
    double difference = std::fabs(a - e);
    double base =
        std::max({std::fabs(a), std::fabs(e), 0x1p-14 / how.d}) + 1e-9;
    double r = difference < how.d ? difference : difference / base;
    bool bad = r > how.d;
    if (bad)
      worstBad = std::max(worstBad, r);
    tally.add(i, {r, bad, std::isfinite(a) && std::isfinite(e)});
  }
  tally.finish(how.pct);
  if (worstBad >= how.cap)
    tally.failFor(llvm::formatv(
        "the worst difference {0} at {1} reaches the cap {2}", worstBad,
        indexString(tally.result.worstFlat, actual.shape()), how.cap));
  return tally.take();
}

/// Marks the rows of one pool that `slots` names.
static llvm::Error markRows(llvm::ArrayRef<int64_t> slots, int64_t rows,
                            int64_t firstEntry,
                            llvm::ArrayRef<int64_t> mappingShape,
                            llvm::MutableArrayRef<int64_t> namedBy) {
  for (auto [entry, slot] : llvm::enumerate(slots)) {
    int64_t flat = firstEntry + static_cast<int64_t>(entry);
    if (slot == -1)
      continue;
    std::string place = indexString(flat, mappingShape);
    if (slot < -1 || slot >= rows)
      return fail("the mapping's entry " + place + " is " + Twine(slot) +
                  ", but the pool has rows 0 to " + Twine(rows - 1) +
                  " (-1 skips a token)");
    if (namedBy[slot] >= 0)
      return fail("the mapping names row " + Twine(slot) + " twice: at " +
                  indexString(namedBy[slot], mappingShape) + " and at " +
                  place);
    namedBy[slot] = flat;
  }
  return llvm::Error::success();
}

Expected<CompareResult> pl::ref::compareMappedPool(const Array &actual,
                                                   const Array &expected,
                                                   const Array &mapping,
                                                   const MappedPool &how) {
  if (llvm::Error error = checkPair(actual, expected))
    return error;
  if (!isIntegral(mapping.dtype()) || mapping.rank() < 1 || mapping.rank() > 2)
    return fail("a mapping must be an integer tensor [T] or [ranks, T], but it "
                "is " +
                dtypeName(mapping.dtype()) + " " +
                shapeString(mapping.shape()));
  bool perRank = mapping.rank() == 2;
  if (actual.rank() < (perRank ? 2 : 1) ||
      (perRank && actual.dim(0) != mapping.dim(0)))
    return fail("a pool of shape " + shapeString(actual.shape()) +
                " does not go with a mapping of shape " +
                shapeString(mapping.shape()));
  int64_t pools = perRank ? mapping.dim(0) : 1;
  int64_t width = actual.shape().back();
  int64_t rows = 1;
  for (int64_t extent : actual.shape().drop_back().drop_front(perRank))
    rows *= extent;
  int64_t tokens = mapping.shape().back();
  Array slots = convert(mapping, DType::Int64).contiguous();
  llvm::SmallVector<int64_t, 0> namedBy(static_cast<size_t>(pools * rows), -1);
  for (int64_t pool = 0; pool < pools; ++pool)
    if (llvm::Error error = markRows(
            slots.elements<int64_t>().slice(static_cast<size_t>(pool * tokens),
                                            static_cast<size_t>(tokens)),
            rows, pool * tokens, mapping.shape(),
            llvm::MutableArrayRef<int64_t>(namedBy).slice(
                static_cast<size_t>(pool * rows), static_cast<size_t>(rows))))
      return error;
  Array found = convert(actual, DType::FP32).contiguous();
  Array wanted = convert(expected, DType::FP32).contiguous();
  const float *a = found.data<float>(), *e = wanted.data<float>();
  float atol = static_cast<float>(how.atol),
        rtol = static_cast<float>(how.rtol);
  Tally tally(actual, expected);
  int64_t changed = 0;
  std::optional<int64_t> firstChanged;
  for (int64_t row = 0; row < pools * rows; ++row) {
    for (int64_t i = row * width; i < (row + 1) * width; ++i) {
      if (namedBy[row] >= 0) {
        tally.add(i, judgeAllclose(a[i], e[i], atol, rtol));
      } else if (!(a[i] == e[i])) {
        ++changed;
        if (!firstChanged)
          firstChanged = i;
      }
    }
  }
  tally.finish(how.ratio);
  if (firstChanged) {
    tally.failWith(llvm::formatv("{0} values of rows that the mapping does not "
                                 "name differ, the first in "
                                 "row {1}",
                                 changed,
                                 *firstChanged / std::max<int64_t>(width, 1)));
    tally.addBad(*firstChanged);
    tally.result.bad += changed - 1;
  }
  return tally.take();
}

Expected<CompareResult> pl::ref::compareExact(const Array &actual,
                                              const Array &expected) {
  if (llvm::Error error = checkPair(actual, expected))
    return error;
  Tally tally(actual, expected);
  // int64 does not fit a double; everything else does.
  bool wide = actual.dtype() == DType::Int64;
  DType dtype = wide ? DType::Int64 : DType::FP64;
  Array found = convert(actual, dtype).contiguous();
  Array wanted = convert(expected, dtype).contiguous();
  for (int64_t i = 0, n = actual.numel(); i < n; ++i) {
    if (wide) {
      int64_t a = found.data<int64_t>()[i], e = wanted.data<int64_t>()[i];
      double difference =
          std::fabs(static_cast<double>(a) - static_cast<double>(e));
      tally.add(i, {difference, a != e, true});
      continue;
    }
    double a = found.data<double>()[i], e = wanted.data<double>()[i];
    bool same = a == e;
    double difference = same ? 0.0 : std::fabs(a - e);
    if (difference != difference)
      difference = std::numeric_limits<double>::infinity();
    tally.add(i, {difference, !same, true});
  }
  tally.finish(0.0);
  return tally.take();
}
