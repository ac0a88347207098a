// Control flow of an orchestration: tasks that a loop carries or a branch
// chooses, allocations where they are used, a launch of no blocks.
// RUN: pl-opt %s --convert-pl-to-emitc='line-directives' -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=orchestration/steps.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK:      extern "C" __attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& v1) {
// CHECK-NEXT: const ChipTaskArgs& orch_args = v1;
// CHECK-NEXT: const ChipTensor& x = orch_args.tensor(0).ref();
// CHECK-NEXT: const int64_t steps = from_u64<int64_t>(orch_args.scalar(0));
// CHECK-NEXT: const bool flag = from_u64<bool>(orch_args.scalar(1));
// CHECK-NEXT: const int32_t small = from_u64<int32_t>(orch_args.scalar(2));
// CHECK-NEXT: // Tasks wait for the ids they are given and nothing else.
// CHECK-NEXT: PTO2_SCOPE_GUARD(PTO2ScopeMode::MANUAL);
// CHECK-NEXT: const int64_t extent = x.shapes[0];
// CHECK-NEXT: const int64_t n = extent * 2;
// CHECK:      const uint32_t scratch_shape[] = {static_cast<uint32_t>(n), 16};
// CHECK-NEXT: TensorCreateInfo scratch_info(scratch_shape, 2, DataType::FLOAT32);
// CHECK-NEXT: TaskOutputTensors v2 = alloc_tensors(scratch_info);
// CHECK-NEXT: const TaskOutputTensors& buffers = v2;
// CHECK-NEXT: const ChipTensor& scratch = buffers.get_ref(0);
// CHECK-NEXT: #line 3 "s.plk"
// CHECK-NEXT: CoreTaskArgs start_args;
// CHECK-NEXT: TaskOutputTensors v3 = rt_submit_dummy_task(start_args);
// CHECK-NEXT: const PTO2TaskId start_task = v3.task_id();
// CHECK-NEXT: // end
// CHECK-NEXT: PTO2TaskId v4;
// CHECK-NEXT: v4 = start_task;
// CHECK-NEXT: #line 4 "s.plk"
// CHECK-NEXT: for (int64_t i5 = 0; i5 < steps; i5 += 1) {
// CHECK-NEXT: const PTO2TaskId carried = v4;
// CHECK:      const uint32_t part_shape[] = {static_cast<uint32_t>(extent), 16};
// CHECK-NEXT: TensorCreateInfo part_info(part_shape, 2, DataType::FLOAT32);
// CHECK-NEXT: TaskOutputTensors v6 = alloc_tensors(part_info);
// CHECK-NEXT: const TaskOutputTensors& buffers_1 = v6;
// CHECK-NEXT: const ChipTensor& part = buffers_1.get_ref(0);
// CHECK-NEXT: #line 5 "s.plk"
// CHECK-NEXT: CoreTaskArgs work_args;
// CHECK-NEXT: work_args.add_inout(x);
// CHECK-NEXT: work_args.add_output(part);
// CHECK-NEXT: work_args.add_scalar(i5);
// CHECK-NEXT: work_args.add_scalar(static_cast<int32_t>(-1));
// CHECK-NEXT: work_args.add_scalar(static_cast<float>(0.000001f));
// CHECK-NEXT: work_args.launch_spec.set_block_num(2);
// CHECK-NEXT: // waits for carried: waw x [0:T, 0:16]
// CHECK-NEXT: const PTO2TaskId work_deps[] = {carried, buffers_1.task_id()};
// CHECK-NEXT: work_args.set_dependencies(work_deps, 2);
// CHECK-NEXT: TaskOutputTensors v7 = rt_submit_aiv_task(0, work_args);
// CHECK-NEXT: const PTO2TaskId work_task = v7.task_id();
// CHECK-NEXT: v4 = work_task;
// CHECK-NEXT: }
// CHECK-NEXT: const PTO2TaskId end = v4;
// CHECK-NEXT: // chosen
// CHECK-NEXT: PTO2TaskId v8;
// CHECK-NEXT: #line 6 "s.plk"
// CHECK-NEXT: if (flag) {
// CHECK-NEXT: #line 7 "s.plk"
// CHECK-NEXT: CoreTaskArgs work_1_args;
// CHECK-NEXT: work_1_args.add_inout(x);
// CHECK-NEXT: work_1_args.add_output(scratch);
// CHECK-NEXT: work_1_args.add_scalar(steps);
// CHECK-NEXT: work_1_args.add_scalar(small);
// CHECK-NEXT: work_1_args.add_scalar(static_cast<float>(0.000001f));
// CHECK-NEXT: // waits for end: waw x
// CHECK-NEXT: const PTO2TaskId work_1_deps[] = {end, buffers.task_id()};
// CHECK-NEXT: work_1_args.set_dependencies(work_1_deps, 2);
// CHECK-NEXT: TaskOutputTensors v9 = rt_submit_dummy_task(work_1_args);
// CHECK-NEXT: const PTO2TaskId work_1_task = v9.task_id();
// CHECK-NEXT: v8 = work_1_task;
// CHECK-NEXT: } else {
// CHECK-NEXT: v8 = end;
// CHECK-NEXT: }
// CHECK-NEXT: const PTO2TaskId chosen = v8;
// CHECK-NEXT: #line 8 "s.plk"
// CHECK-NEXT: CoreTaskArgs last_args;
// CHECK-NEXT: // waits for chosen: user
// CHECK-NEXT: const PTO2TaskId last_deps[] = {chosen};
// CHECK-NEXT: last_args.set_dependencies(last_deps, 1);
// CHECK-NEXT: rt_submit_dummy_task(last_args);
// CHECK-NEXT: return;

module attributes {pl.phase = "tiles"} {
  func.func @steps(
      %x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<inout>, pl.dims = [#pl.dim<"T">]},
      %steps: index {pl.name = "steps"}, %flag: i1 {pl.name = "flag"}, %small: i32 {pl.name = "small"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cn1 = arith.constant -1 : i32
    %eps = arith.constant 1.0e-06 : f32
    %t = memref.dim %x, %c0 : memref<?x16xf32>
    %two = arith.muli %t, %c2 : index
    %view = memref.reinterpret_cast %x to offset: [0], sizes: [%two, 8], strides: [8, 1] : memref<?x16xf32> to memref<?x8xf32, strided<[8, 1]>>
    %rows = memref.dim %view, %c0 : memref<?x8xf32, strided<[8, 1]>>
    %scratch = pl.alloc "scratch"(%rows) : memref<?x16xf32>
    %start = pl.dummy "start" loc("s.plk":3:1)
    %end = pl.for range %i = %c0 to %steps step %c1 iter(%before = %start : !pl.task) {
      %part = pl.alloc "part"(%t) : memref<?x16xf32>
      %step = pl.launch @work blocks(%c2) args(%x, %part, %i, %cn1, %eps : memref<?x16xf32>, memref<?x16xf32>, index, i32, f32) deps(%before : [#pl.edge<waw, "x", "[0:T, 0:16]">]) loc("s.plk":5:1)
      pl.yield %step : !pl.task
    } loc("end"("s.plk":4:1))
    %chosen = scf.if %flag -> (!pl.task) {
      %none = pl.launch @work blocks(%c0) args(%x, %scratch, %steps, %small, %eps : memref<?x16xf32>, memref<?x16xf32>, index, i32, f32) deps(%end : [#pl.edge<waw, "x">]) loc("s.plk":7:1)
      scf.yield %none : !pl.task
    } else {
      scf.yield %end : !pl.task
    } loc("chosen"("s.plk":6:1))
    %last = pl.dummy "last" deps(%chosen : [#pl.edge<user>]) loc("s.plk":8:1)
    return
  }
  pl.kernel aiv @work(%x: memref<?x16xf32> {pl.name = "x", pl.direction = #pl.direction<inout>}, %y: memref<?x16xf32> {pl.name = "y", pl.direction = #pl.direction<out>}, %i: index {pl.name = "i"}, %j: i32 {pl.name = "j"}, %eps: f32 {pl.name = "eps"}) {
  }
}
