//===- Einsum.cpp - torch.einsum ------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Elementwise.h"
#include "pl/Reference/Linalg.h"
#include "pl/Reference/Reduce.h"
#include "pl/Reference/Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace pl::ref;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A tensor whose dims carry labels, each once. Dims of an ellipsis have the
/// labels '\x01', '\x02', … counted from the last one.
struct Labelled {
  Array array;
  std::string labels;
};

} // namespace

static bool isEllipsisLabel(char label) { return label < ' '; }

/// The labels of one operand's dims, `...` written out.
static Expected<std::string> expandLabels(StringRef term, int64_t rank) {
  std::string labels;
  size_t letters = llvm::count_if(term, llvm::isAlpha);
  bool hasEllipsis = term.contains("...");
  int64_t hidden = rank - static_cast<int64_t>(letters);
  auto mismatch = [&] {
    return fail("einsum: '" + term + "' does not describe a tensor of rank " +
                Twine(rank));
  };
  if (hidden < 0 || (hidden > 0 && !hasEllipsis) || hidden > 20)
    return mismatch();
  while (!term.empty()) {
    if (term.consume_front("...")) {
      if (!hasEllipsis)
        return fail("einsum: more than one '...' in a term");
      hasEllipsis = false;
      for (int64_t i = hidden; i > 0; --i)
        labels += static_cast<char>(i);
      continue;
    }
    if (!llvm::isAlpha(term.front()))
      return fail(Twine("einsum: unexpected '") + Twine(term.front()) +
                  "' in a term");
    labels += term.front();
    term = term.drop_front();
  }
  return labels;
}

/// A view where a label that comes twice is the diagonal of its dims.
static Expected<Labelled> takeDiagonals(const Array &array, StringRef labels) {
  Labelled result;
  Dims shape, strides;
  for (size_t d = 0; d < labels.size(); ++d) {
    size_t at = result.labels.find(labels[d]);
    if (at == std::string::npos) {
      result.labels += labels[d];
      shape.push_back(array.shape()[d]);
      strides.push_back(array.strides()[d]);
      continue;
    }
    if (shape[at] != array.shape()[d])
      return fail(Twine("einsum: label '") + Twine(labels[d]) +
                  "' stands for extents " + Twine(shape[at]) + " and " +
                  Twine(array.shape()[d]));
    strides[at] += array.strides()[d];
  }
  result.array = array.withLayout(shape, strides, array.offset());
  return result;
}

/// Sums over the labels that are not in `wanted`.
static llvm::Error sumOut(Labelled &term, StringRef wanted) {
  Dims dims;
  std::string kept;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (wanted.contains(term.labels[d]))
      kept += term.labels[d];
    else
      dims.push_back(static_cast<int64_t>(d));
  }
  if (dims.empty())
    return llvm::Error::success();
  Expected<Array> sum = reduce(ReduceOp::Sum, term.array, dims,
                               /*keepdim=*/false, term.array.dtype());
  if (!sum)
    return sum.takeError();
  term = {std::move(*sum), std::move(kept)};
  return llvm::Error::success();
}

/// Dims in the order of `labels`; a label the term lacks becomes an extent
/// of 1.
static Expected<Array> arrange(const Labelled &term, StringRef labels) {
  Dims order;
  Array array = term.array;
  std::string have = term.labels;
  for (char label : labels) {
    size_t at = have.find(label);
    if (at == std::string::npos) {
      Expected<Array> wider = unsqueeze(array, array.rank());
      if (!wider)
        return wider;
      array = std::move(*wider);
      at = have.size();
      have += label;
    }
    order.push_back(static_cast<int64_t>(at));
  }
  return permute(array, order);
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

/// Contracts two terms into one over the labels that `wanted` does not name.
static Expected<Labelled> contract(Labelled a, Labelled b, StringRef wanted) {
  if (llvm::Error error = sumOut(a, b.labels + wanted.str()))
    return error;
  if (llvm::Error error = sumOut(b, a.labels + wanted.str()))
    return error;
  std::string batch, left, right, inner;
  for (char label : a.labels) {
    bool shared = StringRef(b.labels).contains(label);
    (!shared ? left : wanted.contains(label) ? batch : inner) += label;
  }
  for (char label : b.labels)
    if (!StringRef(a.labels).contains(label))
      right += label;
  Expected<Array> x = arrange(a, batch + left + inner);
  if (!x)
    return x.takeError();
  Expected<Array> y = arrange(b, batch + inner + right);
  if (!y)
    return y.takeError();
  // Extents of 1 stretch in ellipsis dims only; elsewhere they must be equal.
  size_t nb = batch.size(), nl = left.size(), ni = inner.size();
  Dims batchShape;
  for (size_t d = 0; d < nb; ++d)
    batchShape.push_back(std::max(x->shape()[d], y->shape()[d]) == 1 ? 1
                         : x->shape()[d] == 1 ? y->shape()[d]
                                              : x->shape()[d]);
  ArrayRef<int64_t> leftShape = x->shape().slice(nb, nl);
  ArrayRef<int64_t> rightShape = y->shape().drop_front(nb + ni);
  Dims innerX(x->shape().drop_front(nb + nl)), innerY(y->shape().slice(nb, ni)),
      innerShape;
  for (size_t d = 0; d < ni; ++d)
    innerShape.push_back(innerX[d] == 1 ? innerY[d] : innerX[d]);
  auto stretched = [&](const Array &array, ArrayRef<int64_t> first,
                       ArrayRef<int64_t> second,
                       Dims folded) -> Expected<Array> {
    Dims shape(batchShape);
    llvm::append_range(shape, first);
    llvm::append_range(shape, second);
    Expected<Array> wide = broadcastTo(array, shape);
    if (!wide)
      return wide;
    return reshape(*wide, folded);
  };
  int64_t batches = product(batchShape), m = product(leftShape),
          n = product(rightShape), k = product(innerShape);
  Expected<Array> lhs = stretched(*x, leftShape, innerShape, {batches, m, k});
  if (!lhs)
    return lhs.takeError();
  Expected<Array> rhs = stretched(*y, innerShape, rightShape, {batches, k, n});
  if (!rhs)
    return rhs.takeError();
  Expected<Array> flat = bmm(*lhs, *rhs);
  if (!flat)
    return flat.takeError();
  Dims shape(batchShape);
  llvm::append_range(shape, leftShape);
  llvm::append_range(shape, rightShape);
  Expected<Array> result = reshape(*flat, shape);
  if (!result)
    return result.takeError();
  return Labelled{std::move(*result), batch + left + right};
}

/// Every label has one extent, apart from stretching 1s under an ellipsis.
static llvm::Error checkExtents(ArrayRef<Labelled> terms) {
  int64_t extents[128];
  std::fill(std::begin(extents), std::end(extents), -1);
  for (const Labelled &term : terms)
    for (size_t d = 0; d < term.labels.size(); ++d) {
      char label = term.labels[d];
      int64_t &known = extents[static_cast<unsigned char>(label) & 127];
      int64_t extent = term.array.shape()[d];
      bool stretches = isEllipsisLabel(label) && (known == 1 || extent == 1);
      if (known == -1 || (stretches && known == 1))
        known = extent;
      else if (known != extent && !stretches)
        return fail(Twine("einsum: ") +
                    (isEllipsisLabel(label)
                         ? std::string("the dims of '...'")
                         : std::string("label '") + label + "'") +
                    " stand" + (isEllipsisLabel(label) ? "" : "s") +
                    " for extents " + Twine(known) + " and " + Twine(extent));
    }
  return llvm::Error::success();
}

/// Labels of the result: as written, or the ellipsis and then every letter that
/// comes once, in alphabetical order.
static Expected<std::string> outputLabels(StringRef inputs,
                                          std::optional<StringRef> output,
                                          ArrayRef<Labelled> terms) {
  std::string hidden;
  for (const Labelled &term : terms) {
    std::string own;
    for (char label : term.labels)
      if (isEllipsisLabel(label))
        own += label;
    if (own.size() > hidden.size())
      hidden = own;
  }
  std::string labels;
  if (!output) {
    for (char letter : StringRef("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz"))
      if (llvm::count(inputs, letter) == 1)
        labels += letter;
    return hidden + labels;
  }
  StringRef rest = *output;
  while (!rest.empty()) {
    if (rest.consume_front("...")) {
      labels += hidden;
      continue;
    }
    char letter = rest.front();
    rest = rest.drop_front();
    if (!llvm::isAlpha(letter) || !inputs.contains(letter) ||
        StringRef(labels).contains(letter))
      return fail(Twine("einsum: '") + Twine(letter) +
                  "' of the output must be a letter of the inputs, used once");
    labels += letter;
  }
  return labels;
}

Expected<Array> pl::ref::einsum(StringRef equation, ArrayRef<Array> operands) {
  std::string text;
  for (char c : equation)
    if (c != ' ')
      text += c;
  size_t arrow = text.find("->");
  StringRef inputs = StringRef(text).substr(0, arrow);
  std::optional<StringRef> output;
  if (arrow != std::string::npos)
    output = StringRef(text).drop_front(arrow + 2);
  llvm::SmallVector<StringRef, 4> termTexts;
  inputs.split(termTexts, ',');
  if (operands.empty() || termTexts.size() != operands.size())
    return fail("einsum: '" + equation + "' has " +
                Twine(static_cast<int64_t>(termTexts.size())) + " terms for " +
                Twine(static_cast<int64_t>(operands.size())) + " tensors");
  llvm::SmallVector<Labelled, 4> terms;
  for (auto [termText, operand] : llvm::zip_equal(termTexts, operands)) {
    Expected<std::string> labels = expandLabels(termText, operand.rank());
    if (!labels)
      return labels.takeError();
    Expected<Labelled> term = takeDiagonals(operand, *labels);
    if (!term)
      return term.takeError();
    terms.push_back(std::move(*term));
  }
  if (llvm::Error error = checkExtents(terms))
    return error;
  Expected<std::string> wanted = outputLabels(inputs, output, terms);
  if (!wanted)
    return wanted.takeError();
  Labelled result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    // What later terms or the output still need.
    std::string needed = *wanted;
    for (size_t j = i + 1; j < terms.size(); ++j)
      needed += terms[j].labels;
    Expected<Labelled> next = contract(std::move(result), terms[i], needed);
    if (!next)
      return next.takeError();
    result = std::move(*next);
  }
  if (llvm::Error error = sumOut(result, *wanted))
    return error;
  Expected<Array> arranged = arrange(result, *wanted);
  if (!arranged)
    return arranged;
  return arranged->contiguous();
}
