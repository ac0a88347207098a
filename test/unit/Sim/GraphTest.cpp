//===- GraphTest.cpp - orders, edges, races, limits -----------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTesting.h"

#include "Races.h"
#include "Schedule.h"

#include <set>

using namespace pl::sim;

namespace {

const Param kX{"x", "memref<8x16xf32>", "in"};
const Param kY{"y", "memref<8x16xf32>", "inout"};

/// y[2b : 2b + 2] = f(x[2b : 2b + 2]); `op` works on %t.
std::string rowsKernel(llvm::StringRef name, llvm::StringRef op,
                       llvm::StringRef atomic = "") {
  return kernelText(
      "aiv", name, {kX, kY},
      "%c2 = arith.constant 2 : index\n"
      "%k = arith.constant 3.0 : f32\n"
      "%r = arith.muli %b, %c2 : index\n"
      "%t = pl.buffer \"t\" at 0 : !pl.buffer<2x16xf32, vec, nd>\n"
      "pl.load %x[%r, %c0] : memref<8x16xf32> into %t : "
      "!pl.buffer<2x16xf32, vec, nd>\n" +
          op.str() + "pl.store %t, %y[%r, %c0] " + atomic.str() +
          " : !pl.buffer<2x16xf32, vec, nd>, memref<8x16xf32>");
}

const char *kTriple =
    "pl.muls %t, %k : !pl.buffer<2x16xf32, vec, nd>, f32 into %t : "
    "!pl.buffer<2x16xf32, vec, nd>\n";

std::string launchXY(llvm::StringRef kernel, llvm::StringRef x,
                     llvm::StringRef y, llvm::StringRef deps = "") {
  return "pl.launch @" + kernel.str() + " blocks(%c4) args(" + x.str() + ", " +
         y.str() + " : memref<8x16xf32>, memref<8x16xf32>)" + deps.str() + "\n";
}

RunOptions inOrder(Order order, uint64_t seed = 0) {
  RunOptions options;
  options.order = order;
  options.seed = seed;
  return options;
}

/// tmp = 3 x; y = 3 tmp; with or without the edge.
std::string chain(bool withEdge) {
  return phaseTiles(
      rowsKernel("triple", kTriple) +
      entryText({kX, kY},
                "%tmp = pl.alloc \"tmp\"() : memref<8x16xf32>\n%a = " +
                    launchXY("triple", "%x", "%tmp") + "%b = " +
                    launchXY("triple", "%tmp", "%y",
                             withEdge ? " deps(%a : [#pl.edge<raw, \"tmp\">])"
                                      : "")));
}

TEST(Graph, EdgeOrdersTasks) {
  TestProgram program(chain(true));
  std::vector<float> x = randomFloats(128, 7), y(128, 0);
  for (Order order :
       {Order::Program, Order::Oldest, Order::Newest, Order::Shuffle}) {
    RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                   inOrder(order));
    expectOk(result);
    std::vector<float> got = output<float>(result, "y");
    for (int i = 0; i < 128; ++i)
      EXPECT_EQ(got[i], x[i] * 3.0f * 3.0f);
    EXPECT_EQ(result.startOrder, (std::vector<unsigned>{0, 1}));
    ASSERT_EQ(result.tasks.size(), 2u);
    ASSERT_EQ(result.tasks[1].deps.size(), 1u);
    EXPECT_EQ(result.tasks[1].deps[0].reason, "raw tmp");
  }
}

TEST(Graph, MissingEdgeIsARace) {
  TestProgram program(chain(false));
  std::vector<float> x = randomFloats(128, 7), y(128, 0);
  for (Order order : {Order::Program, Order::Newest}) {
    RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                   inOrder(order));
    expectFailure(result, FailureKind::Race,
                  {"tasks 'triple' and 'triple' conflict on 'tmp'", "[0, 0]",
                   "add an edge: deps=[<task of 'triple'>]"});
  }
  // The reader first: what it read was never written.
  RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                 inOrder(Order::Newest));
  expectFailure(result, FailureKind::Undefined,
                {"element [0, 0] of output 'y' is undefined", "'tmp'[",
                 "task 'triple' (block"});
}

/// Two readers of one tensor, then a writer of it: WAR; two writers: WAW.
TEST(Graph, WriteAfterReadAndWriteAfterWrite) {
  std::string kernels = rowsKernel("copy", "") + rowsKernel("triple", kTriple);
  Param z{"z", "memref<8x16xf32>", "inout"};
  auto program = [&](llvm::StringRef body) {
    return phaseTiles(kernels + entryText({kX, kY, z}, body));
  };
  std::vector<float> x = randomFloats(128, 8), y(128, 1), zero(128, 2);
  llvm::SmallVector<TensorArg> args = {
      arg("x", {8, 16}, x), arg("y", {8, 16}, y), arg("z", {8, 16}, zero)};

  TestProgram war(program("%a = " + launchXY("copy", "%y", "%z") +
                          "%b = " + launchXY("triple", "%x", "%y")));
  expectFailure(war.run(args), FailureKind::Race,
                {"'copy' reads it and 'triple' writes it"});
  TestProgram warOrdered(program(
      "%a = " + launchXY("copy", "%y", "%z") + "%b = " +
      launchXY("triple", "%x", "%y", " deps(%a : [#pl.edge<war, \"y\">])")));
  expectOk(warOrdered.run(args));

  TestProgram waw(program("%a = " + launchXY("copy", "%x", "%y") +
                          "%b = " + launchXY("triple", "%x", "%y")));
  expectFailure(waw.run(args), FailureKind::Race,
                {"'copy' writes it and 'triple' writes it"});
  // A path through a dummy orders as well as an edge.
  TestProgram path(
      program("%a = " + launchXY("copy", "%x", "%y") +
              "%d = pl.dummy \"join\" deps(%a : [#pl.edge<user>])\n%b = " +
              launchXY("triple", "%x", "%y", " deps(%d : [#pl.edge<user>])")));
  RunResult result = path.run(args, inOrder(Order::Newest));
  expectOk(result);
  EXPECT_EQ(result.tasks[1].kind, TaskKind::Dummy);
}

TEST(Graph, BlocksOfOneTaskConflict) {
  std::string body = R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<2x16xf32, vec, nd>
    %k = arith.constant 3.0 : f32
    pl.full %k : f32 into %t : !pl.buffer<2x16xf32, vec, nd>
    pl.store %t, %y[%b, %c0] : !pl.buffer<2x16xf32, vec, nd>, memref<8x16xf32>
  )mlir";
  std::vector<float> y(128, 0);
  TestProgram program(oneKernel("aiv", {kY}, body, "%c4"));
  expectFailure(
      program.run({arg("y", {8, 16}, y)}), FailureKind::Race,
      {"blocks 0 and 1 of task 'k' conflict on 'y' at [1, 0]..[1, 15]",
       "atomic add"});
}

/// Sixteen blocks add different values to one row.
TEST(Graph, AtomicAddsLandInTheOrderOfTheRun) {
  Param v{"v", "memref<16x16xf32>", "in"},
      sum{"sum", "memref<1x16xf32>", "inout"};
  std::string body = R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    pl.load %v[%b, %c0] : memref<16x16xf32> into %t : !pl.buffer<1x16xf32, vec, nd>
    pl.store %t, %sum[%c0, %c0] atomic add : !pl.buffer<1x16xf32, vec, nd>, memref<1x16xf32>
  )mlir";
  std::string source = oneKernel("aiv", {v, sum}, body, "%c16");
  source.replace(source.find("%t = pl.launch"), 0,
                 "%c16 = arith.constant 16 : index\n");
  TestProgram program(source);
  std::vector<float> values = randomFloats(256, 9), start(16, 0.1f);
  for (float &x : values)
    x *= 1.0f / 3.0f;
  std::vector<float> inProgramOrder = start;
  for (int b = 0; b < 16; ++b)
    for (int c = 0; c < 16; ++c)
      inProgramOrder[c] += values[b * 16 + c];
  std::set<std::vector<float>> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> first;
    for (unsigned threads : {1, 2, 4}) {
      RunOptions options = inOrder(Order::Shuffle, seed);
      options.threads = threads;
      RunResult result = program.run(
          {arg("v", {16, 16}, values), arg("sum", {1, 16}, start)}, options);
      expectOk(result);
      std::vector<float> got = output<float>(result, "sum");
      if (first.empty())
        first = got;
      EXPECT_EQ(got, first) << "seed " << seed << ", threads " << threads;
      for (int c = 0; c < 16; ++c)
        EXPECT_NEAR(got[c], inProgramOrder[c], 1e-4);
    }
    seen.insert(first);
  }
  // Different orders round differently; it would be odd if none did.
  EXPECT_GT(seen.size(), 1u);
  RunOptions options;
  options.threads = 4;
  RunResult result = program.run(
      {arg("v", {16, 16}, values), arg("sum", {1, 16}, start)}, options);
  EXPECT_EQ(output<float>(result, "sum"), inProgramOrder);
}

/// A kernel that reads what it adds to sees the adds of the blocks before it.
TEST(Graph, ReadingWhatIsAddedTo) {
  Param log{"log", "memref<8x16xf32>", "inout"};
  std::string body = R"mlir(
    %k = arith.constant 1.0 : f32
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    %u = pl.buffer "u" at 64 : !pl.buffer<1x16xf32, vec, nd>
    pl.full %k : f32 into %t : !pl.buffer<1x16xf32, vec, nd>
    pl.store %t, %y[%b, %c0] atomic add : !pl.buffer<1x16xf32, vec, nd>, memref<8x16xf32>
    pl.store %t, %y[%b, %c0] atomic add : !pl.buffer<1x16xf32, vec, nd>, memref<8x16xf32>
    pl.load %y[%b, %c0] : memref<8x16xf32> into %u : !pl.buffer<1x16xf32, vec, nd>
    pl.store %u, %log[%b, %c0] : !pl.buffer<1x16xf32, vec, nd>, memref<8x16xf32>
  )mlir";
  TestProgram program(oneKernel("aiv", {kY, log}, body, "%c4"));
  std::vector<float> y(128, 5), seen(128, 0);
  for (unsigned threads : {1, 4}) {
    RunOptions options = inOrder(Order::Shuffle, 3);
    options.threads = threads;
    RunResult result =
        program.run({arg("y", {8, 16}, y), arg("log", {8, 16}, seen)}, options);
    expectOk(result);
    EXPECT_EQ(output<float>(result, "log")[63], 7.0f);
    EXPECT_EQ(output<float>(result, "log")[64], 0.0f);
  }
}

/// Adds do not conflict with each other, but with reads and stores they do.
TEST(Graph, AddsConflictWithReadsAndStores) {
  std::string kernels =
      rowsKernel("copy", "") + rowsKernel("add", "", "atomic add");
  Param z{"z", "memref<8x16xf32>", "inout"};
  auto program = [&](llvm::StringRef first, llvm::StringRef second) {
    return phaseTiles(
        kernels +
        entryText({kX, kY, z}, "%a = " + first.str() + "%b = " + second.str()));
  };
  std::vector<float> x = randomFloats(128, 8), y(128, 1), zero(128, 2);
  llvm::SmallVector<TensorArg> args = {
      arg("x", {8, 16}, x), arg("y", {8, 16}, y), arg("z", {8, 16}, zero)};
  std::string add = launchXY("add", "%x", "%y");
  TestProgram adds(program(add, launchXY("add", "%z", "%y")));
  expectOk(adds.run(args));
  TestProgram stores(program(add, launchXY("copy", "%z", "%y")));
  expectFailure(stores.run(args), FailureKind::Race,
                {"'add' adds atomically to it and 'copy' writes it"});
  TestProgram reads(program(add, launchXY("copy", "%y", "%z")));
  expectFailure(reads.run(args), FailureKind::Race,
                {"'add' adds atomically to it and 'copy' reads it"});
}

/// Eight independent copies into rows of their own, then a join.
TEST(Graph, ShuffleStartsTasksInManyOrders) {
  std::string kernel =
      kernelText("aiv", "put", {kX, kY, {"r", "index", ""}}, R"mlir(
    %t = pl.buffer "t" at 0 : !pl.buffer<1x16xf32, vec, nd>
    pl.load %x[%r, %c0] : memref<8x16xf32> into %t : !pl.buffer<1x16xf32, vec, nd>
    pl.store %t, %y[%r, %c0] : !pl.buffer<1x16xf32, vec, nd>, memref<8x16xf32>)mlir");
  std::string body = "%c8 = arith.constant 8 : index\n"
                     "scf.for %i = %c0 to %c8 step %c1 {\n"
                     "%t = pl.launch @put blocks(%c1) args(%x, %y, %i : "
                     "memref<8x16xf32>, memref<8x16xf32>, index)\n}\n";
  TestProgram program(phaseTiles(kernel + entryText({kX, kY}, body)));
  std::vector<float> x = randomFloats(128, 10), y(128, 0);
  std::set<std::vector<unsigned>> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                   inOrder(Order::Shuffle, seed));
    expectOk(result);
    EXPECT_EQ(output<float>(result, "y"), x);
    orders.insert(result.startOrder);
    RunResult again = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                  inOrder(Order::Shuffle, seed));
    EXPECT_EQ(again.startOrder, result.startOrder);
  }
  EXPECT_GE(orders.size(), 15u);
  RunResult newest = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)},
                                 inOrder(Order::Newest));
  EXPECT_EQ(newest.startOrder, (std::vector<unsigned>{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(Graph, NumberOfBlocks) {
  auto source = [](llvm::StringRef blocks) {
    return phaseTiles(
        rowsKernel("copy", "") +
        entryText({kX, kY}, "%n = arith.constant " + blocks.str() +
                                " : index\n%a = pl.launch @copy blocks(%n) "
                                "args(%x, %y : memref<8x16xf32>, "
                                "memref<8x16xf32>)\n"));
  };
  std::vector<float> x = randomFloats(128, 7), y(128, 4);
  llvm::SmallVector<TensorArg> args = {arg("x", {8, 16}, x),
                                       arg("y", {8, 16}, y)};
  TestProgram none(source("0"));
  RunResult result = none.run(args);
  expectOk(result);
  EXPECT_EQ(output<float>(result, "y"), y);
  EXPECT_EQ(result.startOrder.size(), 1u);
  TestProgram negative(source("-1"));
  expectFailure(negative.run(args), FailureKind::Limit,
                {"'copy' is launched with -1 blocks"});
  TestProgram many(source("32768"));
  expectFailure(many.run(args), FailureKind::Limit, {"32768 blocks", "32767"});
}

TEST(Graph, LaunchingWithoutEnd) {
  std::string body = "%many = arith.constant 1000000000000 : index\n"
                     "scf.for %i = %c0 to %many step %c1 {\n"
                     "%t = pl.dummy \"again\"\n}\n";
  TestProgram program(phaseTiles(entryText({kY}, body)));
  std::vector<float> y(128, 4);
  expectFailure(program.run({arg("y", {8, 16}, y)}), FailureKind::Limit,
                {"launches more than 65536 tasks"});
}

/// A scalar that a task wrote decides how the next one is launched.
TEST(Graph, OrchestrationReadsWhatTasksWrote) {
  std::string kernel =
      kernelText("aiv", "count", {{"n", "memref<1xi64>", "out"}},
                 "%v = arith.constant 3 : i64\n"
                 "pl.write %v, %n[%c0] : i64, memref<1xi64>\n");
  std::string body = "%n = pl.alloc \"n\"() : memref<1xi64>\n"
                     "%a = pl.launch @count blocks(%c1) args(%n : "
                     "memref<1xi64>)\n"
                     "%v = pl.read %n[%c0] : memref<1xi64> -> i64\n"
                     "%i = arith.index_cast %v : i64 to index\n"
                     "%b = pl.launch @copy blocks(%i) args(%x, %y : "
                     "memref<8x16xf32>, memref<8x16xf32>)\n";
  TestProgram program(
      phaseTiles(kernel + rowsKernel("copy", "") + entryText({kX, kY}, body)));
  std::vector<float> x = randomFloats(128, 7), y(128, 4);
  RunResult result = program.run({arg("x", {8, 16}, x), arg("y", {8, 16}, y)});
  expectOk(result);
  EXPECT_EQ(result.tasks[1].blocks, 3);
  std::vector<float> got = output<float>(result, "y");
  EXPECT_EQ(got[95], x[95]);
  EXPECT_EQ(got[96], 4.0f);
}

TEST(Graph, WithoutRunning) {
  TestProgram program(chain(true));
  TensorArg x, y;
  x.name = "x", y.name = "y";
  x.shape = y.shape = {8, 16};
  RunResult result = program.program->graph({x, y}, {});
  expectOk(result);
  ASSERT_EQ(result.tasks.size(), 2u);
  EXPECT_EQ(result.tasks[0].blocks, 4);
  EXPECT_TRUE(result.startOrder.empty());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST(Schedule, DeadlockSaysWhoWaitsForWhom) {
  Schedule schedule(Order::Program, 0);
  schedule.add({});
  schedule.add({2}); // waits for a task that waits for it
  schedule.add({1, 0});
  schedule.add({7}); // waits for a task that does not exist
  EXPECT_EQ(schedule.start(), 0u);
  schedule.complete(0);
  EXPECT_EQ(schedule.start(), std::nullopt);
  EXPECT_FALSE(schedule.allComplete());
  std::vector<TaskInfo> tasks(4);
  for (unsigned i = 0; i < 4; ++i)
    tasks[i].name = std::string(1, char('a' + i));
  Failure failure = describeDeadlock(schedule, tasks);
  EXPECT_EQ(failure.kind, FailureKind::Deadlock);
  EXPECT_EQ(failure.message, "no progress: 3 tasks wait and none can start");
  ASSERT_EQ(failure.notes.size(), 3u);
  EXPECT_EQ(failure.notes[0].message, "'b' (task 1) waits for 'c' (task 2)");
  EXPECT_EQ(failure.notes[2].message,
            "'d' (task 3) waits for task 7, which does not exist");
}

/// Random rectangles against a map of bytes.
TEST(Races, OverlapAndUnionAgreeWithBytes) {
  std::mt19937 engine(11);
  auto draw = [&](int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  };
  auto bytesOf = [](const Access &a) {
    std::set<int64_t> bytes;
    for (int64_t r = 0; r < a.rows; ++r)
      for (int64_t i = 0; i < a.rowBytes; ++i)
        bytes.insert(a.start + r * a.pitch + i);
    return bytes;
  };
  for (int n = 0; n < 20000; ++n) {
    auto make = [&](int64_t pitch) {
      Access a;
      a.pitch = pitch;
      a.rows = draw(1, 4);
      int64_t col = draw(0, pitch - 1);
      a.rowBytes = draw(1, pitch - col);
      a.start = draw(0, 3) * pitch + col;
      return a;
    };
    int64_t pitch = draw(2, 8);
    Access a = make(pitch), b = make(n % 3 ? pitch : draw(2, 8));
    std::set<int64_t> left = bytesOf(a), right = bytesOf(b), common;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                          std::inserter(common, common.end()));
    std::optional<int64_t> byte = firstOverlap(a, b);
    ASSERT_EQ(byte.has_value(), !common.empty());
    if (byte)
      ASSERT_EQ(*byte, *common.begin());
    AccessSet set;
    set.add(a);
    set.add(b);
    std::set<int64_t> got, all = left;
    all.insert(right.begin(), right.end());
    for (const Access &part : set.get()) {
      std::set<int64_t> bytes = bytesOf(part);
      got.insert(bytes.begin(), bytes.end());
    }
    ASSERT_EQ(got, all);
  }
}

TEST(Races, NeighboursBecomeOneRectangle) {
  // Windows of 16 rows x 64 bytes that tile 48 rows x 256 bytes of 1024.
  AccessSet set;
  for (int64_t row = 0; row < 48; row += 16)
    for (int64_t col = 0; col < 256; col += 64)
      set.add({512 + row * 1024 + col, 64, 1024, 16, AccessKind::Read, {}});
  ASSERT_EQ(set.get().size(), 1u);
  EXPECT_EQ(set.get()[0].rows, 48);
  EXPECT_EQ(set.get()[0].rowBytes, 256);
}

TEST(Races, ManyTasksCostLittle) {
  // 4000 writers of rows of their own and a reader of all before each.
  std::vector<OwnedAccess> accesses;
  for (unsigned i = 0; i < 4000; ++i)
    accesses.push_back(
        {{int64_t(i) * 64, 64, 64, 1, AccessKind::Write, {}}, i});
  accesses.push_back({{0, 64, 64, 4000, AccessKind::Read, {}}, 4000});
  unsigned asked = 0;
  auto found = findConflicts(
      accesses,
      [&](unsigned, unsigned late) {
        ++asked;
        return late != 4000;
      },
      3);
  EXPECT_EQ(found.size(), 3u);
  EXPECT_LT(asked, 20000u);
}

TEST(Races, Reachability) {
  Reachability reach;
  reach.addTask({});
  for (unsigned i = 1; i < 300; ++i)
    reach.addTask({i - 1});
  reach.addTask({});
  EXPECT_TRUE(reach.ordered(0, 299));
  EXPECT_TRUE(reach.ordered(299, 70));
  EXPECT_FALSE(reach.ordered(0, 300));
  EXPECT_FALSE(reach.ordered(300, 299));
}

} // namespace
