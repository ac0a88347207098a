// RUN: pl-opt %s -pl-prune-edges | FileCheck %s

pl.kernel aiv @k(%x: memref<17x64xf32>) {
}

// CHECK-LABEL: func.func @paths
func.func @paths(%x: memref<17x64xf32>, %n: index) {
  // CHECK: %[[A:.*]] = pl.launch @k
  %a = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>)
  // CHECK: %[[B:.*]] = pl.launch @k {{.*}} deps(%[[A]] : [#pl.edge<raw, "x">])
  %b = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>) deps(%a : [#pl.edge<raw, "x">])
  // c waits for a through b.
  // CHECK: %[[C:.*]] = pl.launch @k {{.*}} deps(%[[B]] : [#pl.edge<war, "x">])
  %c = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>) deps(%a, %b : [#pl.edge<raw, "x">, #pl.edge<war, "x">])
  // What the user wrote stays, though it is implied.
  // CHECK: %[[D:.*]] = pl.dummy deps(%[[A]], %[[C]] : [#pl.edge<user>, #pl.edge<user>])
  %d = pl.dummy deps(%a, %c : [#pl.edge<user>, #pl.edge<user>])
  // And implies others, as it always stays.
  // CHECK: pl.launch @k {{.*}} deps(%[[D]] : [#pl.edge<user>])
  %e = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>) deps(%d, %a, %b : [#pl.edge<user>, #pl.edge<raw, "x">, #pl.edge<waw, "x">])
  // Two that nothing orders are both kept.
  // CHECK: %[[F:.*]] = pl.launch @k
  %f = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>)
  // CHECK: pl.launch @k {{.*}} deps(%[[C]], %[[F]] : [#pl.edge<raw, "x">, #pl.edge<waw, "x">])
  %g = pl.launch @k blocks(%n) args(%x : memref<17x64xf32>) deps(%c, %f : [#pl.edge<raw, "x">, #pl.edge<waw, "x">])
  return
}
