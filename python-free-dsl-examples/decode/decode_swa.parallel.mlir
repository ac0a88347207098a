// Revision `cp` of decode_swa.plk with the tasks of revision `parallel`:
//
//   plc run decode_swa.plk -D revision=cp --schedule decode_swa.parallel.mlir

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%layer: !transform.any_op) {
    // All-gather of the tokens: 16 workers push and read back, and the waits hold a core
    // behind the task of this rank that theirs depends on. One rank alone has none of it.
    %one_push = transform.pl.task "ag_push" in %layer optional
    %push = transform.pl.fan_out_collective %one_push workers 16 tile 8 strided
    %one_readback = transform.pl.task "ag_readback" in %layer optional
    %readback = transform.pl.fan_out_collective %one_readback workers 16 tile 16 strided
    %arrived = transform.pl.task "ag_wait_payload" in %layer optional
    transform.pl.anchor_waits %arrived after %push
    %read = transform.pl.task "ag_wait_readback" in %layer optional
    %retire = transform.pl.task "ag_retire" in %layer optional
    transform.pl.anchor_waits %read after %readback into %retire

    // Keys and values: four times the blocks for the rows of all ranks; the norm takes
    // two tiles of rows a block.
    %kv = transform.pl.task "kv_proj_matmul" in %layer
    transform.pl.fan_out_m %kv factor 4 strided
    %norm = transform.pl.task "kv_rms_norm_rope" in %layer
    transform.pl.coarsen_blocks %norm factor 2

    // Cache rows and bias have nothing in common. No two tokens have one slot.
    %insert = transform.pl.task "swa_cache_insert_valid_bias" in %layer
    %write, %bias = transform.pl.split_fused_tasks %insert
        into ["swa_cache_writeback", "swa_valid_bias"]
    transform.pl.spmdize %write tile 32 assume_disjoint
    transform.pl.spmdize %bias tile 1
    transform.yield
  }
}
