#include <stddef.h>
#include <stdint.h>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig
aicpu_orchestration_config(const ChipTaskArgs &orch_args) {
  (void)orch_args;
  PTO2OrchestrationConfig config;
  config.expected_arg_count = 3;
  return config;
}

__attribute__((visibility("default"))) void
aicpu_orchestration_entry(const ChipTaskArgs &orch_args) {
  const ChipTensor &x = orch_args.tensor(0).ref();
  const ChipTensor &w = orch_args.tensor(1).ref();
  const ChipTensor &out = orch_args.tensor(2).ref();
  const int64_t tokens = static_cast<int64_t>(x.shapes[0]);

  PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
    const uint32_t sum_shapes[2] = {static_cast<uint32_t>(tokens), 16};
    TensorCreateInfo sum_info(sum_shapes, 2, DataType::FLOAT32);
    sum_info.set_initial_value(0.0f);
    TaskOutputTensors buffers = alloc_tensors(sum_info);
    const ChipTensor &sum = buffers.get_ref(0);

    CoreTaskArgs product_args;
    product_args.add_input(x);
    product_args.add_input(w);
    product_args.add_inout(sum);
    product_args.launch_spec.set_block_num(2);
    TaskOutputTensors product = rt_submit_aic_task(0, product_args);

    CoreTaskArgs scale_args;
    scale_args.add_input(sum);
    scale_args.add_output(out);
    scale_args.add_scalar(0.5f);
    scale_args.launch_spec.set_block_num(
        static_cast<int16_t>((tokens + 7) / 8));
    const PTO2TaskId scale_deps[1] = {product.task_id()};
    scale_args.set_dependencies(scale_deps, 1);
    rt_submit_aiv_task(1, scale_args);
  }
}
}
