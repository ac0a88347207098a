//===- Run.cpp - plc run --------------------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Driver/Commands.h"
#include "pl/Driver/Report.h"

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Frontend/DiagCodes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using pl::frontend::DictObject;
using pl::frontend::EntryRecord;
using pl::frontend::Ref;
using pl::frontend::Value;
using Verdict = pl::driver::OutputVerdict::Verdict;

namespace pl::driver {

static sim::Order convert(RunOrder order) {
  switch (order) {
  case RunOrder::Program:
    return sim::Order::Program;
  case RunOrder::Oldest:
    return sim::Order::Oldest;
  case RunOrder::Newest:
    return sim::Order::Newest;
  case RunOrder::Shuffle:
    return sim::Order::Shuffle;
  }
  return sim::Order::Program;
}

namespace {

/// One run from the input to the verdict. Each step reports what stops it.
class Runner {
public:
  Runner(const Options &options, raw_ostream &err)
      : options(options), compiled(options, err) {}

  int run(raw_ostream &out);

private:
  LogicalResult prepare();
  LogicalResult simulate(const sim::Program &program);
  int runSeeds(const sim::Program &program);
  LogicalResult makeExpected();
  LogicalResult expectFromGolden();
  LogicalResult judge();
  LogicalResult save();

  const Options &options;
  Compilation compiled;
  std::optional<Replay> replay;
  std::vector<Parameter> parameters;
  RunInputs inputs;
  /// By output, in the order of the parameters; empty without a golden.
  std::vector<NamedArray> expected;
  std::vector<NamedArray> actual;
  /// The outputs of all rounds but the last, round after round.
  std::vector<NamedArray> earlier;
  RunReport report;
};

} // namespace

/// Everything before the simulation.
LogicalResult Runner::prepare() {
  if (!options.goldenData.empty()) {
    FailureOr<Replay> opened = Replay::open(compiled);
    if (failed(opened))
      return failure();
    replay.emplace(std::move(*opened));
  }
  if (failed(compiled.load()) ||
      (replay && failed(replay->selectEntry(compiled))) ||
      failed(compiled.selectEntry()) ||
      failed(compiled.compileTo(Phase::Tiles)))
    return failure();
  FailureOr<std::vector<Parameter>> read = readParameters(compiled);
  if (failed(read))
    return failure();
  parameters = std::move(*read);
  report.entry = compiled.getEntryFunction().getName().str();
  if (failed(checkComparators(compiled, parameters)))
    return failure();
  Stopwatch::Scope time(compiled.getStopwatch(), "inputs");
  FailureOr<RunInputs> made =
      readInputs(compiled, parameters, replay ? &*replay : nullptr);
  if (failed(made))
    return failure();
  inputs = std::move(*made);
  return success();
}

LogicalResult Runner::simulate(const sim::Program &program) {
  Stopwatch::Scope time(compiled.getStopwatch(), "simulate");
  sim::RunOptions how;
  how.order = convert(options.order);
  if (options.pipesAdversarial)
    how.pipes = sim::PipeOrder::Adversarial;
  how.seed = report.seed;
  how.threads = options.threads;
  how.rounds = options.rounds;
  how.cores = options.cores;
  if (frontend::Session *session = compiled.getSession())
    if (const EntryRecord *record = session->getEntry(compiled.getEntry()))
      how.persistent = record->persistent;
  std::vector<sim::TensorArg> args = makeTensorArgs(inputs, parameters);
  report.result = program.run(args, inputs.scalars, how);
  report.outputs.clear();
  actual.clear();
  earlier.clear();
  for (const sim::TensorResult &output : report.result.outputs) {
    Expected<ref::Array> array = makeArray(output);
    if (!array)
      return compiled.error("output '" + output.name +
                            "': " + toString(array.takeError()));
    bool isLast = output.round + 1 == options.rounds;
    (isLast ? actual : earlier).push_back({output.name, std::move(*array)});
  }
  return success();
}

LogicalResult Runner::expectFromGolden() {
  frontend::Session *session = compiled.getSession();
  const EntryRecord *record =
      session ? session->getEntry(compiled.getEntry()) : nullptr;
  if (!record || record->golden.isEmpty())
    return success();
  FailureOr<Ref<DictObject>> made =
      session->callGolden(compiled.getEntry(), inputs.fixture);
  compiled.getDiagnostics().flush();
  if (failed(made))
    return failure();
  SmallVector<StringRef> names;
  for (const NamedArray &output : actual)
    names.push_back(output.name);
  for (const auto &entry : (*made)->table.getEntries())
    if (entry.key.isStr() && !is_contained(names, entry.key.getStr()))
      compiled.getDiagnostics().warning(
          frontend::DiagCode::FixtureMismatch, record->goldenRange,
          "the golden gives '" + entry.key.getStr() +
              "', which is no output of '" + compiled.getEntry()->name + "'" +
              frontend::didYouMean(entry.key.getStr(), names));
  compiled.getDiagnostics().flush();
  for (const NamedArray &output : actual) {
    const Value *value = (*made)->table.find(output.name);
    if (!value) {
      SmallVector<StringRef> given;
      for (const auto &entry : (*made)->table.getEntries())
        if (entry.key.isStr())
          given.push_back(entry.key.getStr());
      compiled.getDiagnostics().error(
          frontend::DiagCode::FixtureMismatch, record->goldenRange,
          "the golden gives no '" + output.name + "'; it gives " +
              (given.empty() ? "nothing" : join(given, ", ")));
      compiled.getDiagnostics().flush();
      return failure();
    }
    FailureOr<Value> forced = session->force(*value);
    compiled.getDiagnostics().flush();
    if (failed(forced))
      return failure();
    if (!forced->isArray()) {
      compiled.getDiagnostics().error(
          frontend::DiagCode::FixtureMismatch, record->goldenRange,
          "the golden gives a " + frontend::getTypeName(*forced) + " for '" +
              output.name + "', not a tensor");
      compiled.getDiagnostics().flush();
      return failure();
    }
    expected.push_back({output.name, forced->getArray()->contiguous()});
  }
  return success();
}

LogicalResult Runner::makeExpected() {
  if (!expected.empty())
    return success();
  Stopwatch::Scope time(compiled.getStopwatch(), "golden");
  if (!replay)
    return expectFromGolden();
  for (const NamedArray &output : actual) {
    Expected<ref::Array> array =
        replay->readOutput(output.name, output.array.rank());
    if (!array)
      return compiled.error("expected output '" + output.name +
                            "': " + toString(array.takeError()));
    expected.push_back({output.name, std::move(*array)});
  }
  replay->reportAltered(compiled);
  return success();
}

LogicalResult Runner::judge() {
  Stopwatch::Scope time(compiled.getStopwatch(), "compare");
  bool good = true;
  size_t count = actual.size();
  for (size_t i = 0; i < earlier.size() + count; ++i) {
    const NamedArray &output =
        i < earlier.size() ? earlier[i] : actual[i - earlier.size()];
    unsigned round = options.rounds > 1 ? unsigned(i / count) + 1 : 0;
    if (expected.empty()) {
      OutputVerdict verdict;
      verdict.name = output.name;
      verdict.round = round;
      report.outputs.push_back(std::move(verdict));
      continue;
    }
    ArrayRef<NamedArray> ofRound =
        i < earlier.size()
            ? ArrayRef<NamedArray>(earlier).slice(i / count * count, count)
            : ArrayRef<NamedArray>(actual);
    FailureOr<OutputVerdict> verdict =
        judgeOutput(compiled, i % count, ofRound, expected, inputs,
                    replay ? replay->findAltered(output.name) : "");
    if (failed(verdict)) {
      good = false;
      continue;
    }
    verdict->round = round;
    report.passed &= verdict->verdict == Verdict::Pass;
    report.outputs.push_back(std::move(*verdict));
  }
  return success(good);
}

LogicalResult Runner::save() {
  if (options.saveData.empty())
    return success();
  Stopwatch::Scope time(compiled.getStopwatch(), "save");
  if (failed(saveRun(compiled, inputs, parameters, expected, actual)))
    return failure();
  report.files.push_back((expected.empty()
                              ? "inputs and simulated outputs: "
                              : "inputs, expected and simulated outputs: ") +
                         options.saveData);
  return success();
}

/// Simulates and judges with one seed after the other, up to the first that
/// does not pass.
int Runner::runSeeds(const sim::Program &program) {
  for (report.seed = options.seed;; ++report.seed) {
    if (failed(simulate(program)))
      return compiled.getExitCode();
    ++report.numSeeds;
    bool simulated = report.result.ok();
    reportFailures(compiled, report.result);
    for (const sim::Failure &failure : report.result.failures)
      if (failure.kind == sim::FailureKind::Input)
        return ExitRejected;
    report.passed = simulated;
    report.files.clear();
    if (simulated &&
        (failed(makeExpected()) || failed(save()) || failed(judge())))
      return compiled.getExitCode();
    if (!report.passed || report.numSeeds == options.seeds)
      return report.passed ? ExitGood : ExitFailed;
  }
}

int Runner::run(raw_ostream &out) {
  if (failed(prepare()))
    return compiled.getExitCode();
  std::optional<sim::Program> program =
      sim::Program::create(compiled.getModule(), report.entry);
  compiled.getDiagnostics().flush();
  if (!program) {
    if (!compiled.getDiagnostics().hasErrors())
      (void)compiled.error("internal: the simulator refused the program "
                           "without a reason");
    return compiled.getExitCode();
  }
  int code = runSeeds(*program);
  if (code != ExitGood && code != ExitFailed)
    return code;
  if (options.json)
    printJsonReport(out, compiled, report);
  else
    printReport(out, compiled, report);
  out.flush();
  for (const OutputVerdict &output : report.outputs)
    if (!output.message.empty())
      reportWrong(compiled, output);
  return code;
}

int runRun(const Options &options, raw_ostream &out, raw_ostream &err) {
  return Runner(options, err).run(out);
}

} // namespace pl::driver
