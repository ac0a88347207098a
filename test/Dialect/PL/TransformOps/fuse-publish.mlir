// RUN: pl-opt %s -transform-interpreter | FileCheck %s

// Nothing is left of an exchange that only sends; its handle is then empty.

module attributes {transform.with_named_sequence} {
  func.func @scatter(%x: memref<9x48xf16> {pl.name = "x"},
                     %bin: memref<27x48xf16, #pl.window> {pl.name = "bin"},
                     %knock: memref<1xi32, #pl.window> {pl.name = "knock"},
                     %me: index {pl.name = "me"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 9 : index
    %c48 = arith.constant 48 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %b = pl.alloc "crop"() : memref<9x48xf16>
    %done = pl.spmd "reap" blocks(%c9) {
    ^bb0(%k: index):
      %s = pl.load %x[%k, %c0] : memref<9x48xf16> -> !pl.tile<1x48xf16>
      pl.store %s, %b[%k, %c0] : !pl.tile<1x48xf16>, memref<9x48xf16>
    }
    %at = arith.muli %me, %c9 : index
    %sent = pl.at "cart" {
      pl.for range %p = %c0 to %c3 step %c1 {
        pl.put %b[%c0, %c0] to %bin[%at, %c0] peer %p sizes(%c9, %c48)
            : memref<9x48xf16>, memref<27x48xf16, #pl.window>
      }
      pl.for range %p = %c0 to %c3 step %c1 {
        pl.notify add %one, %knock[%c0] peer %p : memref<1xi32, #pl.window>
      }
    }
    %heard = pl.at "store_house" deps(%sent : [#pl.edge<user>]) {
      pl.defer_wait %knock[%c0] reaches %three : memref<1xi32, #pl.window>
    }
    return
  }
  // CHECK: %[[SENT:.*]] = pl.spmd "reap_and_cart" blocks(%{{.*}}) {
  // CHECK: pl.remote_store
  // CHECK-NOT: "cart"
  // CHECK: pl.at "store_house" deps(%[[SENT]] : [#pl.edge<user>])
  // CHECK: reaches %c6_i32

  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %reap = transform.pl.task "reap" in %program
    %cart = transform.pl.task "cart" in %program
    %sent, %left = transform.pl.fuse_publish %reap with %cart workers 2
        into ["reap_and_cart", "left"]
    transform.pl.fan_out_collective %left workers 4 tile 8
    transform.yield
  }
}
