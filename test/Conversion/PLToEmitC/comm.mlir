// Instructions between ranks that no example has.
//
// RUN: pl-opt %s -convert-pl-to-emitc | FileCheck %s

module attributes {pl.phase = "tiles"} {
func.func @main(%w: memref<4x8x16xf32, #pl.window> {pl.name = "w", pl.direction = #pl.direction<inout>},
                %x: memref<4x8x16xf32> {pl.name = "x", pl.direction = #pl.direction<inout>},
                %s: memref<4xi32, #pl.window> {pl.name = "s", pl.direction = #pl.direction<inout>})
    attributes {pl.kind = #pl.func_kind<orchestration>} {
  %c1 = arith.constant 1 : index
  %t = pl.launch @k blocks(%c1) args(%w, %x, %s : memref<4x8x16xf32, #pl.window>, memref<4x8x16xf32>, memref<4xi32, #pl.window>)
  return
}
// CHECK-LABEL: emitc.file "kernels/aiv/k.cpp"
pl.kernel aiv @k(%w: memref<4x8x16xf32, #pl.window> {pl.name = "w", pl.direction = #pl.direction<inout>},
                 %x: memref<4x8x16xf32> {pl.name = "x", pl.direction = #pl.direction<inout>},
                 %s: memref<4xi32, #pl.window> {pl.name = "s", pl.direction = #pl.direction<inout>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i32
  // CHECK: static_cast<int32_t>({}->rankId)
  %me = pl.rank %w : memref<4x8x16xf32, #pl.window>
  %peer = arith.index_cast %me : i32 to index
  %ping = pl.buffer "ping" at 0 : !pl.buffer<8x16xf32, vec, nd>
  %pong = pl.buffer "pong" at 512 : !pl.buffer<8x16xf32, vec, nd>
  // Three axes, from the peer, through two stages.
  // CHECK: GlobalTensor<float, Shape<1, 1, 2, 8, 16>, Stride<1, 1, 128, 16, 1>, Layout::ND> source_gm(on_peer({}, {}, {})
  // CHECK: GlobalTensor<float, Shape<1, 1, 2, 8, 16>, Stride<1, 1, 128, 16, 1>, Layout::ND> target_gm({},
  // CHECK: call_opaque "comm::TGET"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
  pl.get %w[%c1, %c0, %c0] peer %peer to %x[%c0, %c0, %c0] sizes(%c2, %c8, %c16) chunk 8 x 16 pipeline stages(%ping, %pong : !pl.buffer<8x16xf32, vec, nd>, !pl.buffer<8x16xf32, vec, nd>) : memref<4x8x16xf32, #pl.window>, memref<4x8x16xf32>
  // CHECK: call_opaque "comm::TPUT"{{.*}}AtomicType::AtomicAdd
  pl.put %x[%c0, %c0, %c0] to %w[%c1, %c0, %c0] peer %peer sizes(%c1, %c8, %c16) atomic add stages(%ping : !pl.buffer<8x16xf32, vec, nd>) : memref<4x8x16xf32>, memref<4x8x16xf32, #pl.window>
  // CHECK: call_opaque "TLOAD"
  pl.remote_load %w[%c0, %c0, %c0] peer %peer : memref<4x8x16xf32, #pl.window> into %ping : !pl.buffer<8x16xf32, vec, nd>
  // CHECK: call_opaque "TSTORE"{{.*}}AtomicType::AtomicAdd
  pl.remote_store %ping, %w[%c1, %c0, %c0] peer %peer atomic add : !pl.buffer<8x16xf32, vec, nd>, memref<4x8x16xf32, #pl.window>
  // CHECK: comm::NotifyOp::Set
  pl.notify set %one, %s[%c1] peer %peer : memref<4xi32, #pl.window>
  // CHECK: comm::WaitCmp::EQ
  pl.wait eq %one, %s[%c1] : memref<4xi32, #pl.window>
}
}
