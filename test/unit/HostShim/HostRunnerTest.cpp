//===- HostRunnerTest.cpp - tasks, allocations, orders, mistakes ----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/HostShim/HostRunner.h"
#include "pl/HostShim/isa/intrinsic.h"
#include "pl/HostShim/isa/pto/pto-inst.hpp"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace pto;
using pl::shim::CoreKind;
using pl::shim::HostRunner;

namespace {

float *dataOf(int64_t *args, int i) {
  auto *tensor = reinterpret_cast<ChipTensor *>(args[i]);
  return tensor->data_as<float>() + tensor->start_offset;
}

using Line = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using GmLine =
    GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;

/// args: in, out, scale. Block b handles row b.
void scaleRow(int64_t *args) {
  Line row;
  TASSIGN<0x0>(row);
  int64_t block = get_block_idx(args);
  GmLine in(dataOf(args, 0) + block * 16), out(dataOf(args, 1) + block * 16);
  TLOAD(row, in);
  TMULS(row, row, from_u64<float>(uint64_t(args[2])));
  TSTORE(out, row);
}

/// args: in, sum. Adds every row of the grid to one line.
void addRow(int64_t *args) {
  Line row;
  TASSIGN<0x0>(row);
  GmLine in(dataOf(args, 0) + int64_t(get_block_idx(args)) * 16);
  GmLine sum(dataOf(args, 1));
  TLOAD(row, in);
  TSTORE<Line, GmLine, AtomicType::AtomicAdd>(sum, row);
}

/// args: out. Writes what fresh on-chip memory holds.
void storeFresh(int64_t *args) {
  Line row;
  TASSIGN<0x0>(row);
  GmLine out(dataOf(args, 0));
  TSTORE(out, row);
  TEXPANDS(row, 1.0f);
}

/// args: lane[2]. Each vector core writes its own number.
void storeLane(int64_t *args) {
  int32_t lane = get_sub_block_id(args);
  dataOf(args, 0)[lane] = float(lane + 1);
}

/// args: out. One row further than the tensor reaches.
void storeOutside(int64_t *args) {
  Line row;
  TASSIGN<0x0>(row);
  TEXPANDS(row, 1.0f);
  GmLine out(dataOf(args, 0) + 16);
  TSTORE(out, row);
}

constexpr uint32_t kRows = 5;

void orchestrate(const ChipTaskArgs &args) {
  const ChipTensor &in = args.tensor(0).ref();
  const ChipTensor &sum = args.tensor(1).ref();
  PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
    const uint32_t shape[2] = {kRows, 16};
    TensorCreateInfo info(shape, 2, DataType::FLOAT32);
    TaskOutputTensors made = alloc_tensors(info);
    const ChipTensor &scaled = made.get_ref(0);

    CoreTaskArgs scale;
    scale.add_input(in);
    scale.add_output(scaled);
    scale.add_scalar(from_u64<float>(args.scalar(0)));
    scale.launch_spec.set_block_num(kRows);
    const PTO2TaskId first[1] = {made.task_id()};
    scale.set_dependencies(first, 1);
    TaskOutputTensors scaleTask = rt_submit_aiv_task(0, scale);

    CoreTaskArgs fence;
    const PTO2TaskId second[1] = {scaleTask.task_id()};
    fence.set_dependencies(second, 1);
    TaskOutputTensors fenceTask = rt_submit_dummy_task(fence);

    // The last two rows only.
    const uint32_t viewShape[2] = {2, 16}, offset[2] = {3, 0};
    const ChipTensor tail = scaled.view(viewShape, offset);
    CoreTaskArgs add;
    add.add_input(tail);
    add.add_inout(sum);
    add.launch_spec.set_block_num(2);
    add.set_allow_early_resolve();
    const PTO2TaskId third[2] = {scaleTask.task_id(), fenceTask.task_id()};
    add.set_dependencies(third, 2);
    rt_submit_aiv_task(1, add);
  }
}

TEST(HostRunner, RunsTasksInProgramOrder) {
  std::vector<float> in(kRows * 16), sum(16, 1.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);
  HostRunner runner;
  runner.addKernel(0, "scale", CoreKind::AIV, scaleRow);
  runner.addKernel(1, "add", CoreKind::AIV, addRow);
  runner.setOrchestration(orchestrate);
  runner.addTensor("in", DataType::FLOAT32, {kRows, 16}, in.data());
  runner.addTensor("sum", DataType::FLOAT32, {16}, sum.data());
  runner.addScalar(to_u64(0.5f));
  ASSERT_TRUE(runner.run()) << runner.error();
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(sum[i], 1.0f + in[48 + i] * 0.5f + in[64 + i] * 0.5f);

  const std::vector<HostRunner::Task> &tasks = runner.tasks();
  ASSERT_EQ(tasks.size(), 4u);
  EXPECT_EQ(tasks[0].name, "alloc");
  EXPECT_EQ(tasks[1].name, "scale");
  EXPECT_EQ(tasks[1].blocks, int(kRows));
  EXPECT_EQ(tasks[2].name, "dummy");
  EXPECT_TRUE(tasks[3].earlyResolve);
  ASSERT_EQ(tasks[3].deps.size(), 2u);
  EXPECT_EQ(tasks[3].deps[1], tasks[2].id);
  EXPECT_EQ(tasks[3].directions[1], TensorArgType::INOUT);

  // Once more gives the same again: nothing is left over.
  sum.assign(16, 1.0f);
  ASSERT_TRUE(runner.run()) << runner.error();
  EXPECT_EQ(sum[3], 1.0f + in[51] * 0.5f + in[67] * 0.5f);
  EXPECT_EQ(runner.tasks().size(), 4u);
}

TEST(HostRunner, FreshMemoryIsPoison) {
  std::vector<float> out(16, 0.0f);
  HostRunner runner;
  runner.addKernel(7, "fresh", CoreKind::AIV, storeFresh);
  runner.setOrchestration([](const ChipTaskArgs &args) {
    const ChipTensor &out = args.tensor(0).ref();
    const uint32_t shape[1] = {4};
    TensorCreateInfo info(shape, 1), zero(shape, 1);
    zero.set_initial_value(0.0f);
    TaskOutputTensors made = alloc_tensors(info, zero);
    const uint32_t index[1] = {3};
    EXPECT_TRUE(std::isnan(get_tensor_data<float>(made.get_ref(0), 1, index)));
    EXPECT_EQ(get_tensor_data<float>(made.get_ref(1), 1, index), 0.0f);
    CoreTaskArgs task;
    task.add_output(out);
    task.launch_spec.set_block_num(2);
    rt_submit_aiv_task(7, task);
  });
  runner.addTensor("out", DataType::FLOAT32, {16}, out.data());
  ASSERT_TRUE(runner.run()) << runner.error();
  // The second block does not see the first block's ones.
  for (float x : out)
    EXPECT_TRUE(std::isnan(x));
}

TEST(HostRunner, BothVectorCoresRun) {
  std::vector<float> lanes(2, 0.0f);
  HostRunner runner;
  runner.addKernel(0, "lanes", CoreKind::AIV, storeLane);
  runner.setOrchestration([](const ChipTaskArgs &args) {
    const ChipTensor &out = args.tensor(0).ref();
    CoreTaskArgs task;
    task.add_output(out);
    MixedKernels kernels;
    kernels.aiv0_kernel_id = 0;
    kernels.aiv1_kernel_id = 0;
    rt_submit_task(kernels, task);
  });
  runner.addTensor("lanes", DataType::FLOAT32, {2}, lanes.data());
  ASSERT_TRUE(runner.run()) << runner.error();
  EXPECT_EQ(lanes[0], 1.0f);
  EXPECT_EQ(lanes[1], 2.0f);
}

TEST(HostRunner, ReportsWhatTheRuntimeWouldReject) {
  auto errorOf = [](HostRunner::OrchestrationEntry entry) {
    std::vector<float> out(16);
    HostRunner runner;
    runner.addKernel(0, "scale", CoreKind::AIV, scaleRow);
    runner.setOrchestration(entry);
    runner.addTensor("out", DataType::FLOAT32, {16}, out.data());
    EXPECT_FALSE(runner.run());
    return runner.error();
  };
  EXPECT_EQ(errorOf([](const ChipTaskArgs &) {
              CoreTaskArgs task;
              rt_submit_aiv_task(3, task);
            }),
            "no kernel has function id 3");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &) {
              CoreTaskArgs task;
              rt_submit_aic_task(0, task);
            }),
            "kernel scale is submitted to the wrong core");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &args) {
              const ChipTensor &out = args.tensor(0).ref();
              CoreTaskArgs task;
              task.add_scalar(1);
              task.add_input(out);
              rt_submit_aiv_task(0, task);
            }),
            "task scale: all tensors must be added before any scalar");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &) {
              CoreTaskArgs task;
              task.launch_spec.set_block_num(0);
              rt_submit_aiv_task(0, task);
            }),
            "task scale has 0 blocks; 1 to 32767 are possible");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &) {
              CoreTaskArgs task;
              const PTO2TaskId deps[1] = {PTO2TaskId::make(0, 9)};
              task.set_dependencies(deps, 1);
              rt_submit_aiv_task(0, task);
            }),
            "task scale depends on a task that was not submitted");
}

TEST(HostRunner, SubmissionsFitTheSignature) {
  std::vector<float> out(64);
  auto errorOf = [&](HostRunner::OrchestrationEntry entry) {
    HostRunner runner;
    runner.addKernel(0, "scale", CoreKind::AIV, scaleRow);
    runner.setSignature(0, {"INOUT"}, 2);
    runner.setOrchestration(entry);
    runner.addTensor("out", DataType::FLOAT32, {64}, out.data());
    EXPECT_FALSE(runner.run());
    return runner.error();
  };
  EXPECT_EQ(errorOf([](const ChipTaskArgs &args) {
              CoreTaskArgs task;
              task.add_inout(args.tensor(0).ref());
              task.add_scalar(1);
              rt_submit_aiv_task(0, task);
            }),
            "kernel scale takes 1 tensor and 2 scalars, but is submitted with "
            "1 tensor and 1 scalar");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &) {
              CoreTaskArgs task;
              task.add_scalar(1);
              task.add_scalar(2);
              rt_submit_aiv_task(0, task);
            }),
            "kernel scale takes 1 tensor and 2 scalars, but is submitted with "
            "0 tensors and 2 scalars");
  EXPECT_EQ(errorOf([](const ChipTaskArgs &args) {
              CoreTaskArgs task;
              task.add_output(args.tensor(0).ref());
              task.add_scalar(1);
              task.add_scalar(2);
              rt_submit_aiv_task(0, task);
            }),
            "tensor 0 of kernel scale is INOUT, but is submitted as OUT");
}

TEST(HostRunnerDeath, StoresStayInTheTensor) {
  std::vector<float> out(64);
  HostRunner runner;
  runner.addKernel(0, "outside", CoreKind::AIV, storeOutside);
  runner.setOrchestration([](const ChipTaskArgs &args) {
    const ChipTensor &out = args.tensor(0).ref();
    const uint32_t shape[1] = {16}, offset[1] = {32};
    const ChipTensor part = out.view(shape, offset);
    CoreTaskArgs task;
    task.add_output(part);
    rt_submit_aiv_task(0, task);
  });
  runner.addTensor("out", DataType::FLOAT32, {64}, out.data());
  EXPECT_DEATH((void)runner.run(),
               "TSTORE: GM address .* in kernel outside, block 0 of 1");
}

TEST(HostRunner, MissingFilesAreErrors) {
  HostRunner runner;
  EXPECT_FALSE(runner.loadKernel(0, "k", CoreKind::AIV, "/nowhere/k.so"));
  EXPECT_NE(runner.error().find("/nowhere/k.so"), std::string::npos);
}

} // namespace
