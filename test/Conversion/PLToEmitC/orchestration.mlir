// The orchestration: allocation in one call, explicit ids with their reasons,
// a task that may have no blocks, a literal as a 64-bit argument.
// RUN: pl-opt %s --convert-pl-to-emitc -o %t.mlir
// RUN: mlir-translate --mlir-to-cpp --allow-unregistered-dialect --file-id=orchestration/program.cpp %t.mlir -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// RUN: %cxx -std=c++17 -Wall -Werror -fsyntax-only -I %source_dir/include/pl/HostShim/isa %t.cpp

// CHECK:      extern "C" __attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& v1) {
// CHECK-NEXT: const ChipTaskArgs& orch_args = v1;
// CHECK-NEXT: const ChipTensor& x = orch_args.tensor(0).ref();
// CHECK-NEXT: const ChipTensor& y = orch_args.tensor(2).ref();
// CHECK-NEXT: const float eps = from_u64<float>(orch_args.scalar(0));
// CHECK-NEXT: // Tasks wait for the ids they are given and nothing else.
// CHECK-NEXT: PTO2_SCOPE_GUARD(PTO2ScopeMode::MANUAL);
// CHECK-NEXT: const int64_t tokens = x.shapes[0];
// CHECK-NEXT: const int64_t norm_blocks = (tokens + 7) / 8;
// CHECK-NEXT: // p.plk:4
// CHECK-NEXT: const uint32_t kv_shape[] = {static_cast<uint32_t>(tokens), 48};
// CHECK-NEXT: TensorCreateInfo kv_info(kv_shape, 2, DataType::FLOAT32);
// CHECK-NEXT: // p.plk:5
// CHECK-NEXT: const uint32_t class_shape[] = {16, 8};
// CHECK-NEXT: TensorCreateInfo class_info(class_shape, 2, DataType::INT32);
// CHECK-NEXT: TaskOutputTensors v2 = alloc_tensors(kv_info, class_info);
// CHECK-NEXT: const TaskOutputTensors& buffers = v2;
// CHECK-NEXT: const ChipTensor& kv = buffers.get_ref(0);
// CHECK-NEXT: const ChipTensor& class_ = buffers.get_ref(1);
// CHECK-NEXT: // p.plk:6
// CHECK-NEXT: CoreTaskArgs seed_args;
// CHECK-NEXT: seed_args.add_inout(kv);
// CHECK-NEXT: seed_args.add_output(class_);
// CHECK-NEXT: seed_args.launch_spec.set_block_num(3);
// CHECK-NEXT: seed_args.set_allow_early_resolve();
// CHECK-NEXT: const PTO2TaskId seed_deps[] = {buffers.task_id()};
// CHECK-NEXT: seed_args.set_dependencies(seed_deps, 1);
// CHECK-NEXT: TaskOutputTensors v3 = rt_submit_aic_task(0, seed_args);
// CHECK-NEXT: const PTO2TaskId seed_task = v3.task_id();
// CHECK-NEXT: // p.plk:7
// CHECK-NEXT: CoreTaskArgs late_args;
// CHECK-NEXT: // waits for seed_task: user
// CHECK-NEXT: const PTO2TaskId late_deps[] = {seed_task};
// CHECK-NEXT: late_args.set_dependencies(late_deps, 1);
// CHECK-NEXT: TaskOutputTensors v4 = rt_submit_dummy_task(late_args);
// CHECK-NEXT: const PTO2TaskId late_task = v4.task_id();
// CHECK-NEXT: // p.plk:8
// CHECK-NEXT: CoreTaskArgs norm_args;
// CHECK-NEXT: norm_args.add_input(x);
// CHECK-NEXT: norm_args.add_inout(kv);
// CHECK-NEXT: norm_args.add_output(y);
// CHECK-NEXT: norm_args.add_scalar(tokens);
// CHECK-NEXT: norm_args.add_scalar(eps);
// CHECK-NEXT: norm_args.add_scalar(static_cast<int64_t>(3));
// CHECK-NEXT: const int16_t norm_block_num = static_cast<int16_t>(norm_blocks);
// CHECK-NEXT: norm_args.launch_spec.set_block_num(norm_block_num);
// CHECK-NEXT: // waits for seed_task: raw kv [0:T, 0:48]
// CHECK-NEXT: // waits for late_task: user
// CHECK-NEXT: const PTO2TaskId norm_deps[] = {seed_task, late_task, buffers.task_id()};
// CHECK-NEXT: norm_args.set_dependencies(norm_deps, 3);
// CHECK-NEXT: TaskOutputTensors v5 = norm_blocks > 0 ? rt_submit_aiv_task(1, norm_args) : rt_submit_dummy_task(norm_args);
// CHECK-NEXT: const PTO2TaskId norm_task = v5.task_id();
// CHECK-NEXT: // p.plk:9
// CHECK-NEXT: CoreTaskArgs norm_1_args;
// CHECK-NEXT: norm_1_args.add_input(x);
// CHECK-NEXT: norm_1_args.add_inout(kv);
// CHECK-NEXT: norm_1_args.add_output(y);
// CHECK-NEXT: norm_1_args.add_scalar(tokens);
// CHECK-NEXT: norm_1_args.add_scalar(eps);
// CHECK-NEXT: norm_1_args.add_scalar(static_cast<int64_t>(3));
// CHECK-NEXT: const int16_t norm_1_block_num = static_cast<int16_t>(norm_blocks);
// CHECK-NEXT: norm_1_args.launch_spec.set_block_num(norm_1_block_num);
// CHECK-NEXT: // waits for norm_task: waw y
// CHECK-NEXT: const PTO2TaskId norm_1_deps[] = {norm_task, buffers.task_id()};
// CHECK-NEXT: norm_1_args.set_dependencies(norm_1_deps, 2);
// CHECK-NEXT: if (norm_blocks > 0) {
// CHECK-NEXT: rt_submit_aiv_task(1, norm_1_args);
// CHECK-NEXT: } else {
// CHECK-NEXT: rt_submit_dummy_task(norm_1_args);
// CHECK-NEXT: }
// CHECK-NEXT: return;

module attributes {pl.phase = "tiles"} {
  func.func @program(
      %x: memref<?x48xf32> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %unused: memref<4xi32> {pl.name = "unused", pl.direction = #pl.direction<in>},
      %y: memref<?x48xf32> {pl.name = "y", pl.direction = #pl.direction<out>, pl.dims = [#pl.dim<"T">]},
      %eps: f32 {pl.name = "eps"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %t = memref.dim %x, %c0 : memref<?x48xf32> loc("tokens"("p.plk":3:1))
    %sum = arith.addi %t, %c7 : index
    %n = arith.floordivsi %sum, %c8 : index
    %kv = pl.alloc "kv"(%t) : memref<?x48xf32> loc("p.plk":4:1)
    %idx = pl.alloc "class"() : memref<16x8xi32> loc("p.plk":5:1)
    %seed = pl.launch @seed blocks(%c3) args(%kv, %idx : memref<?x48xf32>, memref<16x8xi32>) early_resolve loc("p.plk":6:1)
    %late = pl.dummy "late" deps(%seed : [#pl.edge<user>]) loc("p.plk":7:1)
    %norm = pl.launch @norm blocks(%n) args(%x, %kv, %y, %t, %eps, %c3 : memref<?x48xf32>, memref<?x48xf32>, memref<?x48xf32>, index, f32, index)
      deps(%seed, %late : [#pl.edge<raw, "kv", "[0:T, 0:48]">, #pl.edge<user>]) loc("p.plk":8:1)
    %last = pl.launch @norm blocks(%n) args(%x, %kv, %y, %t, %eps, %c3 : memref<?x48xf32>, memref<?x48xf32>, memref<?x48xf32>, index, f32, index)
      deps(%norm : [#pl.edge<waw, "y">]) loc("p.plk":9:1)
    return
  }
  pl.kernel aic @seed(%kv: memref<?x48xf32> {pl.name = "kv", pl.direction = #pl.direction<inout>}, %idx: memref<16x8xi32> {pl.name = "idx", pl.direction = #pl.direction<out>}) {
    %b = pl.block_idx
    pl.pipe_barrier all
  }
  pl.kernel aiv @norm(%x: memref<?x48xf32> {pl.name = "x", pl.direction = #pl.direction<in>}, %kv: memref<?x48xf32> {pl.name = "kv", pl.direction = #pl.direction<inout>},
    %y: memref<?x48xf32> {pl.name = "y", pl.direction = #pl.direction<out>}, %t: index {pl.name = "t"}, %eps: f32 {pl.name = "eps"}, %k: index {pl.name = "k"}) {
    %b = pl.block_idx
  }
}
