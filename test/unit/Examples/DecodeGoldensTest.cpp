//===- DecodeGoldensTest.cpp - The decode goldens against outside numbers -===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The goldens in python-free-dsl-examples/decode are the witnesses of the
// decode kernels; here they have a witness themselves. A folder of saved data
// that another implementation made holds, for each stage, inputs and expected
// outputs. Every golden runs on the inputs and is judged as its stage is.
//
// The data is looked for in the folder that the environment variable
// PL_SHARED_DATA names, else in ../shared/data beside the checkout. Where there
// is none the tests are skipped.
//
// A second test alters one step of a golden at a time: each such golden must
// fail, so the comparisons see what they are for.
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/Module.h"
#include "pl/Reference/Compare.h"
#include "pl/Reference/Create.h"
#include "pl/Reference/Elementwise.h"
#include "pl/Reference/SavedData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <functional>

using namespace llvm;
using namespace pl::frontend;
using pl::ref::Array;
using pl::ref::CompareResult;
using pl::ref::SavedData;

namespace {

using Comparator = std::function<Expected<CompareResult>(
    const SavedData &, const Array &actual, const Array &expected)>;

/// One result of a golden, and the saved tensor it must match.
struct Output {
  std::string name;
  Comparator compare;
};

struct Stage {
  /// Where the saved tensors lie: "fixture/NAME", or "" for the whole layer.
  std::string folder;
  std::string file, function;
  std::vector<Output> outputs;
  /// Parameters that are not called like their saved tensor in `in/`.
  std::vector<std::pair<std::string, std::string>> renamed = {};

  std::string getPath(StringRef inOrOut, StringRef name) const {
    return (Twine(folder) + (folder.empty() ? "" : "/") + inOrOut + "/" + name)
        .str();
  }
};

//===----------------------------------------------------------------------===//
// Comparators
//===----------------------------------------------------------------------===//

Comparator ratioAllclose(double atol, double rtol, double ratio = 0.005) {
  return [=](const SavedData &, const Array &actual, const Array &expected) {
    return pl::ref::compareRatioAllclose(actual, expected,
                                         {atol, rtol, ratio, {}, 0, false});
  };
}

Comparator exact() {
  return [](const SavedData &, const Array &actual, const Array &expected) {
    return pl::ref::compareExact(actual, expected);
  };
}

/// Only the rows of real tokens count; `tokens` names the tensor that has one
/// row for each.
Comparator packedHeads(std::string tokens) {
  return [tokens](const SavedData &data, const Array &actual,
                  const Array &expected) -> Expected<CompareResult> {
    ArrayRef<int64_t> shape = data.find(tokens)->shape;
    int64_t perGroup = shape[1] / expected.dim(0);
    return pl::ref::compareRatioAllclose(
        actual, expected,
        {1e-4, 1.0 / 128, 0.005, shape[0] * perGroup, 1, false});
  };
}

/// The partial sums of one rank: rows of the tokens of all ranks, then zeros.
Comparator partialSums(std::string localT) {
  return [localT](const SavedData &data, const Array &actual,
                  const Array &expected) -> Expected<CompareResult> {
    Expected<Array> rows = data.read(localT);
    if (!rows)
      return rows.takeError();
    int64_t ranks = *data.getProperties().getInteger("tp");
    return pl::ref::compareRatioAllclose(
        actual, expected,
        {1e-4, 1.0 / 128, 0.0, ranks * rows->getInt(0), 0, true});
  };
}

/// INT8 values may differ by one step, all of them.
Comparator withinOneStep() {
  return [](const SavedData &, const Array &actual, const Array &expected) {
    return pl::ref::compareRatioAllclose(actual, expected,
                                         {1.0, 0.0, 0.0, {}, 0, false});
  };
}

Comparator mappedPool(std::string mapping) {
  return [mapping](const SavedData &data, const Array &actual,
                   const Array &expected) -> Expected<CompareResult> {
    Expected<Array> rows = data.read(mapping);
    if (!rows)
      return rows.takeError();
    return pl::ref::compareMappedPool(actual, expected, *rows,
                                      {1e-4, 1.0 / 128, 0.005});
  };
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// A bf16 value may differ by one step of its last bit.
Comparator bf16() { return ratioAllclose(1e-4, 1.0 / 128); }
Comparator fp32() { return ratioAllclose(2.5e-5, 5e-3); }

Stage getHcPre() {
  return {"fixture/hc_pre",
          "hc_pre_golden.plk",
          "golden_hc_pre",
          {{"x_mixed", bf16()}, {"post", fp32()}, {"comb", fp32()}}};
}

Stage getRmsNorm() {
  return {"fixture/rms_norm",
          "rms_norm_golden.plk",
          "golden_rms_norm",
          {{"x_normed", bf16()}}};
}

Stage getQr() {
  return {"fixture/qkv",
          "qkv_proj_rope_golden.plk",
          "golden_qr",
          {{"qr", withinOneStep()}, {"qr_scale", fp32()}}};
}

/// From the expected qr: one INT8 step there changes a whole row here.
Stage getQ() {
  return {"fixture/qkv",
          "qkv_proj_rope_golden.plk",
          "golden_q",
          {{"q", bf16()}},
          {{"qr", "out/qr"},
           {"qr_scale", "out/qr_scale"},
           {"freqs_cos", "in/rope_cos"},
           {"freqs_sin", "in/rope_sin"}}};
}

Stage getKv() {
  return {"fixture/qkv",
          "qkv_proj_rope_golden.plk",
          "golden_kv",
          {{"kv", bf16()}},
          {{"x_normed", "in/x"},
           {"freqs_cos", "in/rope_cos"},
           {"freqs_sin", "in/rope_sin"}}};
}

Stage getSparseAttn(StringRef fixture = "sparse_attn") {
  std::string folder = ("fixture/" + fixture).str();
  return {folder,
          "sparse_attn_swa_golden.plk",
          "golden_sparse_attn",
          {{"o_packed_heads", packedHeads(folder + "/in/q")}}};
}

Stage getOProj() {
  return {"fixture/o_proj",
          "o_proj_golden.plk",
          "golden_o_proj",
          {{"o_partial", partialSums("fixture/o_proj/in/local_t")}}};
}

/// Rows that no rank sends keep what the results held before, which is -7.
Stage getCollectives() {
  return {"fixture/collectives",
          "collectives_golden.plk",
          "golden_collectives",
          {{"kv_group", exact()},
           {"attention_local_groups", exact()},
           {"o_local", exact()}}};
}
constexpr double contentBefore = -7.0;

Stage getHcPost() {
  return {"fixture/hc_post",
          "hc_post_golden.plk",
          "golden_hc_post",
          {{"y", ratioAllclose(1e-3, 1e-3, 0.0)}}};
}

Stage getLayer() {
  Comparator reldiff = [](const SavedData &, const Array &actual,
                          const Array &expected) {
    return pl::ref::compareRatioReldiff(actual, expected, {3e-3, 0.008, 1.0});
  };
  return {
      "",
      "decode_swa_golden.plk",
      "golden_decode_swa",
      {{"x_out", reldiff}, {"kv_cache", mappedPool("in/swa_slot_mapping")}}};
}

//===----------------------------------------------------------------------===//
// Running a golden
//===----------------------------------------------------------------------===//

/// The text of one of the examples with one place of it replaced.
struct Alteration {
  Stage stage;
  /// The file that has `from`, exactly once.
  std::string file, from, to;
};

struct Verdict {
  std::string error;
  bool passed = true;
  /// One line per output.
  std::string table;
};

std::string examplePath(StringRef file) {
  SmallString<128> path(PL_EXAMPLES_DIR);
  sys::path::append(path, "decode", file);
  return path.str().str();
}

class DecodeGoldens : public testing::Test {
protected:
  void SetUp() override {
    const char *given = std::getenv("PL_SHARED_DATA");
    SmallString<128> folder(given ? given : PL_SHARED_DATA_DIR);
    sys::path::append(folder, "swa-tiny-tp2");
    if (!given && !sys::fs::exists(folder))
      GTEST_SKIP() << "no saved data in " << folder.str().str()
                   << "; PL_SHARED_DATA names its folder";
    Expected<SavedData> opened = SavedData::open(folder);
    ASSERT_TRUE(static_cast<bool>(opened)) << toString(opened.takeError());
    data.emplace(std::move(*opened));
  }

  /// `altered` is the path of a file to be used in place of the example of
  /// the same name.
  Verdict run(const Stage &stage, StringRef altered = "");
  void expectPass(const Stage &stage);
  void expectFail(const Alteration &alteration);

  std::optional<SavedData> data;

private:
  Expected<Value> readArgument(const Stage &stage, StringRef name);
  LogicalResult judge(const Stage &stage, const Value &result,
                      Verdict &verdict);
};

Expected<Value> DecodeGoldens::readArgument(const Stage &stage,
                                            StringRef name) {
  std::string path = stage.getPath("in", name);
  for (const auto &[parameter, tensor] : stage.renamed)
    if (parameter == name)
      path = stage.folder + "/" + tensor;
  const pl::ref::SavedTensor *output = data->find(stage.getPath("out", name));
  bool isGiven = data->find(path) || !output;
  Expected<Array> array =
      isGiven ? data->read(path)
              : pl::ref::full(output->shape,
                              pl::ref::Scalar::ofFloat(contentBefore),
                              output->dtype);
  if (!array)
    return array.takeError();
  return Value::array(std::make_shared<Array>(std::move(*array)));
}

LogicalResult DecodeGoldens::judge(const Stage &stage, const Value &result,
                                   Verdict &verdict) {
  const auto *tuple = result.as<TupleObject>();
  if ((tuple ? tuple->elements.size() : 1) != stage.outputs.size()) {
    verdict.error = "the golden gives another number of results";
    return failure();
  }
  for (auto [i, output] : enumerate(stage.outputs)) {
    const Value &value = tuple ? tuple->elements[i] : result;
    Expected<Array> expected = data->read(stage.getPath("out", output.name));
    if (!expected || !value.isArray()) {
      verdict.error = output.name + ": " +
                      (expected ? "the golden gives no tensor"
                                : toString(expected.takeError()));
      return failure();
    }
    Expected<CompareResult> compared =
        output.compare(*data, *value.getArray(), *expected);
    if (!compared) {
      verdict.error = output.name + ": " + toString(compared.takeError());
      return failure();
    }
    verdict.table += formatv(
        "{0,-20} {1,-24} compared {2,8}  bad {3,6} of {4,6}  worst {5:e3}  "
        "{6}\n",
        stage.function, output.name, compared->compared, compared->bad,
        compared->allowed, compared->worst, compared->passed ? "pass" : "FAIL");
    verdict.passed &= compared->passed;
  }
  return success();
}

Verdict DecodeGoldens::run(const Stage &stage, StringRef altered) {
  Verdict verdict;
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  raw_string_ostream errors(verdict.error);
  diagnostics.printTo(errors);
  LoadOptions options;
  const json::Object &properties = data->getProperties();
  options.defines = {{"preset", properties.getString("preset")->str()},
                     {"tp", std::to_string(*properties.getInteger("tp"))}};
  options.includeDirs = {examplePath("")};
  std::string path = examplePath(stage.file);
  if (!altered.empty()) {
    if (sys::path::filename(altered) == stage.file)
      path = altered.str();
    else
      options.overrides = {{sys::path::stem(altered).str(), altered.str()}};
  }
  Session session(sources, diagnostics, options, createArrayOps());
  if (failed(session.loadFile(path)))
    return verdict;
  const Value *golden = session.getMainModule()->find(stage.function);
  const auto *function = golden ? golden->as<FunctionObject>() : nullptr;
  if (!function) {
    verdict.error = stage.file + " has no function " + stage.function;
    return verdict;
  }
  std::vector<Value> args;
  for (const Param &parameter : function->params) {
    Expected<Value> argument = readArgument(stage, parameter.name);
    if (!argument) {
      verdict.error = toString(argument.takeError());
      return verdict;
    }
    args.push_back(*argument);
  }
  FailureOr<Value> result = session.call(*golden, args);
  diagnostics.flush();
  if (succeeded(result))
    (void)judge(stage, *result, verdict);
  return verdict;
}

void DecodeGoldens::expectPass(const Stage &stage) {
  Verdict verdict = run(stage);
  outs() << verdict.table;
  outs().flush();
  EXPECT_EQ(verdict.error, "");
  EXPECT_TRUE(verdict.passed) << verdict.table;
  EXPECT_FALSE(verdict.table.empty());
}

void DecodeGoldens::expectFail(const Alteration &alteration) {
  std::string what = alteration.file + ": '" + alteration.from + "' -> '" +
                     alteration.to + "'";
  auto source = MemoryBuffer::getFile(examplePath(alteration.file));
  ASSERT_TRUE(static_cast<bool>(source)) << alteration.file;
  auto [before, after] = (*source)->getBuffer().split(alteration.from);
  ASSERT_EQ((*source)->getBuffer().count(alteration.from), 1u) << what;
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("plc-goldens", folder));
  SmallString<128> path(folder);
  sys::path::append(path, alteration.file);
  {
    std::error_code error;
    raw_fd_ostream os(path, error);
    ASSERT_FALSE(error) << path.str().str();
    os << before << alteration.to << after;
  }
  Verdict verdict = run(alteration.stage, path);
  (void)sys::fs::remove_directories(folder);
  EXPECT_EQ(verdict.error, "") << what;
  EXPECT_FALSE(verdict.passed) << what << '\n' << verdict.table;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST_F(DecodeGoldens, HcPre) { expectPass(getHcPre()); }
TEST_F(DecodeGoldens, RmsNorm) { expectPass(getRmsNorm()); }
TEST_F(DecodeGoldens, Qkv) {
  expectPass(getQr());
  expectPass(getQ());
  expectPass(getKv());
}
TEST_F(DecodeGoldens, SparseAttn) { expectPass(getSparseAttn()); }
TEST_F(DecodeGoldens, SparseAttnShort) {
  expectPass(getSparseAttn("sparse_attn_short"));
}
TEST_F(DecodeGoldens, OProj) { expectPass(getOProj()); }
TEST_F(DecodeGoldens, Collectives) { expectPass(getCollectives()); }
TEST_F(DecodeGoldens, HcPost) { expectPass(getHcPost()); }
TEST_F(DecodeGoldens, WholeLayer) { expectPass(getLayer()); }

/// A folder of saved data has a stage for each golden, and the reverse.
TEST_F(DecodeGoldens, EveryStageHasAGolden) {
  EXPECT_EQ(data->getStages(),
            (std::vector<std::string>{"collectives", "hc_post", "hc_pre",
                                      "o_proj", "qkv", "rms_norm",
                                      "sparse_attn", "sparse_attn_short"}));
}

/// One step of a golden at a time is left out or done differently.
TEST_F(DecodeGoldens, AnAlteredStepIsSeen) {
  const Alteration alterations[] = {
      {getHcPre(), "hc_pre_golden.plk", "(flat @ hc_fn.T) * inv",
       "flat @ hc_fn.T"},
      {getHcPre(), "hc_pre_golden.plk", "post = 2.0 * ", "post = "},
      {getHcPre(), "hc_pre_golden.plk", "range(M.hc_sinkhorn_iters - 1)",
       "range(1)"},
      {getHcPre(), "hc_pre_golden.plk", "reshape(rows, hc, hc), dim=2)",
       "reshape(rows, hc, hc), dim=1)"},
      {getRmsNorm(), "rms_norm_golden.plk", " * norm_w.float()", ""},
      {getRmsNorm(), "rms_norm_golden.plk", "torch.rsqrt(", "torch.sqrt("},
      {getQr(), "qkv_proj_rope_golden.plk", "golden_norm(low)", "low"},
      {getQr(), "qkv_proj_rope_golden.plk", " * gamma_cq.float()", ""},
      {getQr(), "quantize_golden.plk", "x.abs().amax(", "x.amax("},
      {getQ(), "qkv_proj_rope_golden.plk", " * wq_b_scale\n", "\n"},
      {getQ(), "qkv_proj_rope_golden.plk", "heads = golden_norm(wide.reshape(",
       "heads = (wide.reshape("},
      {getQ(), "qkv_proj_rope_golden.plk", "even * cos - odd * sin",
       "even * cos + odd * sin"},
      {getQ(), "qkv_proj_rope_golden.plk", "x[..., 0::2]", "x[..., :half]"},
      {getKv(), "qkv_proj_rope_golden.plk", "golden_norm(latent)", "latent"},
      {getKv(), "qkv_proj_rope_golden.plk", " * gamma_ckv.float()", ""},
      {getKv(), "qkv_proj_rope_golden.plk", "freqs_cos[:, :half]",
       "freqs_cos[:, half:]"},
      {getSparseAttn(), "sparse_attn_swa_golden.plk",
       "l + torch.exp(attn_sink.reshape(1, -1, 1) - m)", "l"},
      {getSparseAttn(), "sparse_attn_swa_golden.plk", ", sign=-1.0)", ")"},
      {getSparseAttn(), "sparse_attn_swa_golden.plk", " * head_dim**-0.5", ""},
      {getSparseAttn(), "sparse_attn_swa_golden.plk", "column < swa_lens",
       "column + 1 < swa_lens"},
      {getSparseAttn("sparse_attn_short"), "sparse_attn_swa_golden.plk",
       "(indices >= 0) & (column < swa_lens.reshape(rows, 1))",
       "column < window"},
      {getSparseAttn(), "sparse_attn_swa_golden.plk", "M.o_groups, per_group, ",
       "per_group, M.o_groups, "},
      {getOProj(), "o_proj_golden.plk", "(a8, w.T) * scale", "(a8, w.T)"},
      {getOProj(), "o_proj_golden.plk", "total * wo_b_scale", "total"},
      {getOProj(), "o_proj_golden.plk",
       "wo_b[:, g * o_lora : (g + 1) * o_lora]", "wo_b[:, :o_lora]"},
      {getOProj(), "quantize_golden.plk", "torch.round", "torch.trunc"},
      {getOProj(), "o_proj_golden.plk", "group_t = tp * int(local_t)",
       "group_t = tp * int(local_t) + 1"},
      {getCollectives(), "collectives_golden.plk",
       "group[:, s * local_t : (s + 1) * local_t] = local[s, :local_t]",
       "group[:, s * T_PAD : (s + 1) * T_PAD] = local[s]"},
      {getCollectives(), "collectives_golden.plk", "source = (r * groups + lg)",
       "source = (lg * ranks + r)"},
      {getCollectives(), "collectives_golden.plk", "total = total + rows[s]",
       "total = rows[s]"},
      {getHcPost(), "hc_post_golden.plk", "weights[:, i]", "weights[:, :, i]"},
      {getHcPost(), "hc_post_golden.plk", " * post.reshape(rows, hc, 1)", ""},
      {getLayer(), "sparse_attn_swa_golden.plk",
       "l + torch.exp(attn_sink.reshape(1, -1, 1) - m)", "l"},
      {getLayer(), "swa_cache_golden.plk", "slots >= 0", "slots >= -1"},
      {getLayer(), "swa_cache_golden.plk", "slots >= 0", "slots > 10000"},
  };
  for (const Alteration &alteration : alterations)
    expectFail(alteration);
}

} // namespace
