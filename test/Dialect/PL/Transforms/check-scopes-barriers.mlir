// RUN: pl-opt %s --pl-check-scopes --split-input-file --verify-diagnostics

// One block for each core of the kind, by number or as the device has.
func.func @good(%x: memref<48x64xf32>, %m: memref<16x16xbf16>, %n: index) {
  %c24 = arith.constant 24 : index
  %c48 = arith.constant 48 : index
  %t = pl.spmd "vector" blocks(%c48) {
  ^bb0(%b: index):
    pl.sync_all aiv_only
  } {pl.sync_start}
  %u = pl.spmd "mixed" blocks(%c24) {
  ^bb0(%b: index):
    %a = pl.load %m[%b, %b] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
    %p = pl.matmul %a, %a : !pl.tile<16x16xbf16>, !pl.tile<16x16xbf16> -> !pl.tile<16x16xf32>
    %e = pl.exp %p : !pl.tile<16x16xf32> -> !pl.tile<16x16xf32>
    pl.sync_all mix
    pl.sync_all aiv_only
  } {pl.sync_start}
  // Whoever calls this says how many: undecided.
  %v = pl.spmd "dynamic" blocks(%n) {
  ^bb0(%b: index):
    pl.sync_all aiv_only
  }
  %cores = pl.available_vector_cores
  %blocks = arith.index_cast %cores : i32 to index
  %w = pl.spmd "all" blocks(%blocks) {
  ^bb0(%b: index):
    pl.sync_all aiv_only
  } {pl.sync_start}
  return
}

// -----

func.func @partial(%ws: memref<16xi32>, %count: i32) {
  %c24 = arith.constant 24 : index
  // expected-note @+1 {{the launch is here}}
  %t = pl.spmd "half" blocks(%c24) {
  ^bb0(%b: index):
    // expected-error @+1 {{the hard pl.system.syncall waits for all 48 vector cores of a2a3, but the launch has 24 blocks; launch one block for each, or use mode="soft" with gm_workspace= and used_cores=}}
    pl.sync_all aiv_only
    pl.sync_all aiv_only workspace %ws participants %count : memref<16xi32>
  }
  // expected-note @+1 {{the launch is here}}
  %u = pl.at "one" {
    // expected-error @+1 {{the hard pl.system.syncall waits for all 48 vector cores of a2a3, but the launch has 1 block;}}
    pl.sync_all aiv_only
  }
  return
}

// -----

func.func @wrong_query() {
  %clusters = pl.available_clusters
  %blocks = arith.index_cast %clusters : i32 to index
  // expected-note @+1 {{the launch is here}}
  %t = pl.spmd "all" blocks(%blocks) {
  ^bb0(%b: index):
    // expected-error @+1 {{the hard pl.system.syncall waits for all vector cores, but the launch has one block for each cluster; use pl.system.available_aiv_count(), or mode="soft"}}
    pl.sync_all aiv_only
  }
  return
}

// -----

func.func @never(%m: memref<16x16xbf16>) {
  %c24 = arith.constant 24 : index
  %c48 = arith.constant 48 : index
  %t = pl.spmd "vector" blocks(%c48) {
  ^bb0(%b: index):
    // expected-error @+1 {{pl.system.syncall with core_type="mix" never ends: it waits for cube cores, and this scope has only vector work; use core_type="aiv_only"}}
    pl.sync_all mix
  }
  %u = pl.spmd "cube" blocks(%c24) {
  ^bb0(%b: index):
    %a = pl.load %m[%b, %b] : memref<16x16xbf16> -> !pl.tile<16x16xbf16>
    %p = pl.matmul %a, %a : !pl.tile<16x16xbf16>, !pl.tile<16x16xbf16> -> !pl.tile<16x16xf32>
    // expected-error @+1 {{pl.system.syncall with core_type="aiv_only" never ends: it waits for vector cores, and this scope has only cube work; use core_type="aic_only"}}
    pl.sync_all aiv_only
    pl.sync_all aic_only
  } {pl.sync_start}
  return
}

// -----

func.func @waves() {
  %c48 = arith.constant 48 : index
  // expected-note @+1 {{the launch is here}}
  %t = pl.spmd "vector" blocks(%c48) {
  ^bb0(%b: index):
    // expected-error @+1 {{the hard pl.system.syncall needs all blocks of the launch at once, but without sync_start=True they may start in waves: the first would wait for the others for ever; launch with sync_start=True, or use mode="soft"}}
    pl.sync_all aiv_only
  }
  return
}

// -----

// Nobody can say before it runs that the blocks are as many as the cores.
func.func @dynamic(%n: index) attributes {pl.kind = #pl.func_kind<orchestration>} {
  // expected-note @+1 {{the launch is here}}
  %v = pl.spmd "dynamic" blocks(%n) {
  ^bb0(%b: index):
    // expected-error @+1 {{the hard pl.system.syncall waits for all 48 vector cores of a2a3, but how many blocks the launch has is only known when it runs: any other number never ends; launch pl.system.available_aiv_count() blocks and let each take a share, or use mode="soft" with gm_workspace= and used_cores=}}
    pl.sync_all aiv_only
  } {pl.sync_start}
  return
}
