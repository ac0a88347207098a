// Revision `base` of decode_swa.plk with the tasks of revision `fused`:
//
//   plc run decode_swa.plk -D revision=base --schedule decode_swa.fused.mlir

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%layer: !transform.any_op) {
    // The workers that finish heads store them straight where the exchange would have
    // put them: into the windows of the ranks that project their groups. One rank
    // alone exchanges nothing.
    %norm = transform.pl.task "merge_norm" in %layer optional
    %exchange = transform.pl.task "o_group_a2a" in %layer optional
    transform.pl.fuse_publish %norm with %exchange workers 48
        into ["swa_merge_publish", "o_group_a2a_finish"]
    transform.yield
  }
}
