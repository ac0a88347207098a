// Round trip of the further ops on tiles.
//
// RUN: pl-opt %s | pl-opt | FileCheck %s
// RUN: pl-opt %s --mlir-print-op-generic | pl-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: !pl.tile<8x64xf32>, %i: !pl.tile<8x64xi32>, %u: !pl.tile<8x64xui16>, %s: f32, %n: i32) {
  // CHECK: pl.sin %{{.*}} : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  %0 = pl.sin %a : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.precise_div %{{.*}}, %{{.*}} : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  %1 = pl.precise_div %a, %0 : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.precise_log
  %2 = pl.precise_log %1 : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.precise_recip
  %3 = pl.precise_recip %2 : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.and %{{.*}}, %{{.*}} : !pl.tile<8x64xui16>, !pl.tile<8x64xui16> -> !pl.tile<8x64xui16>
  %4 = pl.and %u, %u : !pl.tile<8x64xui16>, !pl.tile<8x64xui16> -> !pl.tile<8x64xui16>
  // CHECK: pl.or
  %5 = pl.or %4, %u : !pl.tile<8x64xui16>, !pl.tile<8x64xui16> -> !pl.tile<8x64xui16>
  // CHECK: pl.xor
  %6 = pl.xor %5, %u : !pl.tile<8x64xui16>, !pl.tile<8x64xui16> -> !pl.tile<8x64xui16>
  // CHECK: pl.not
  %7 = pl.not %6 : !pl.tile<8x64xui16> -> !pl.tile<8x64xui16>
  // CHECK: pl.ands %{{.*}}, %{{.*}} : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  %8 = pl.ands %i, %n : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  // CHECK: pl.ors
  %9 = pl.ors %8, %n : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  // CHECK: pl.xors
  %10 = pl.xors %9, %n : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  // CHECK: pl.shl %
  %11 = pl.shl %10, %i : !pl.tile<8x64xi32>, !pl.tile<8x64xi32> -> !pl.tile<8x64xi32>
  // CHECK: pl.shr %
  %12 = pl.shr %11, %i : !pl.tile<8x64xi32>, !pl.tile<8x64xi32> -> !pl.tile<8x64xi32>
  // CHECK: pl.shls
  %13 = pl.shls %12, %n : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  // CHECK: pl.shrs
  %14 = pl.shrs %13, %n : !pl.tile<8x64xi32>, i32 -> !pl.tile<8x64xi32>
  // CHECK: pl.fmod %
  %15 = pl.fmod %a, %3 : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.fmods
  %16 = pl.fmods %15, %s : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x64xf32>
  // CHECK: pl.rem %
  %17 = pl.rem %16, %a : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.rems
  %18 = pl.rems %17, %s : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x64xf32>
  // CHECK: pl.prelu
  %19 = pl.prelu %18, %a : !pl.tile<8x64xf32>, !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.lrelu
  %20 = pl.lrelu %19, %s : !pl.tile<8x64xf32>, f32 -> !pl.tile<8x64xf32>
  // CHECK: pl.cos
  %21 = pl.cos %20 : !pl.tile<8x64xf32> -> !pl.tile<8x64xf32>
  // CHECK: pl.scalar_cast %{{.*}} round : f32 -> i32
  %22 = pl.scalar_cast %s round : f32 -> i32
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%a: !pl.tile<8x64xf32, valid = 4x64>, %b: !pl.tile<8x64xf32, valid = ?x64>) {
  // CHECK: pl.part_add %{{.*}} -> !pl.tile<8x64xf32, valid = ?x64>
  %0 = pl.part_add %a, %b : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = ?x64> -> !pl.tile<8x64xf32, valid = ?x64>
  // CHECK: pl.part_mul
  %1 = pl.part_mul %a, %a : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = 4x64> -> !pl.tile<8x64xf32, valid = 4x64>
  // CHECK: pl.part_max
  %2 = pl.part_max %a, %1 : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = 4x64> -> !pl.tile<8x64xf32, valid = 4x64>
  // CHECK: pl.part_min
  %3 = pl.part_min %a, %2 : !pl.tile<8x64xf32, valid = 4x64>, !pl.tile<8x64xf32, valid = 4x64> -> !pl.tile<8x64xf32, valid = 4x64>
  return
}

// CHECK-LABEL: func.func @choose
func.func @choose(%a: !pl.tile<8x320xf32, valid = 8x300>, %s: f32) {
  // CHECK: pl.cmp lt %{{.*}}, %{{.*}} : !pl.tile<8x320xf32, valid = 8x300>, !pl.tile<8x320xf32, valid = 8x300> -> !pl.tile<8x320xf32, valid = 8x300>
  %0 = pl.cmp lt %a, %a : !pl.tile<8x320xf32, valid = 8x300>, !pl.tile<8x320xf32, valid = 8x300> -> !pl.tile<8x320xf32, valid = 8x300>
  // CHECK: pl.cmps ne %{{.*}}, %{{.*}} : !pl.tile<8x320xf32, valid = 8x300>, f32
  %1 = pl.cmps ne %a, %s : !pl.tile<8x320xf32, valid = 8x300>, f32 -> !pl.tile<8x320xf32, valid = 8x300>
  // CHECK: pl.cmp_mask ge %{{.*}} -> !pl.tile<8x64xui8, valid = 8x38>
  %2 = pl.cmp_mask ge %a, %a : !pl.tile<8x320xf32, valid = 8x300>, !pl.tile<8x320xf32, valid = 8x300> -> !pl.tile<8x64xui8, valid = 8x38>
  // CHECK: pl.cmps_mask eq
  %3 = pl.cmps_mask eq %a, %s : !pl.tile<8x320xf32, valid = 8x300>, f32 -> !pl.tile<8x64xui8, valid = 8x38>
  // CHECK: pl.sel %{{.*}}, %{{.*}}, %{{.*}} : !pl.tile<8x64xui8, valid = 8x38>, !pl.tile<8x320xf32, valid = 8x300>, !pl.tile<8x320xf32, valid = 8x300>
  %4 = pl.sel %2, %a, %1 : !pl.tile<8x64xui8, valid = 8x38>, !pl.tile<8x320xf32, valid = 8x300>, !pl.tile<8x320xf32, valid = 8x300> -> !pl.tile<8x320xf32, valid = 8x300>
  // CHECK: pl.sels %{{.*}}, %{{.*}}, %{{.*}} : !pl.tile<8x64xui8, valid = 8x38>, !pl.tile<8x320xf32, valid = 8x300>, f32
  %5 = pl.sels %3, %4, %s : !pl.tile<8x64xui8, valid = 8x38>, !pl.tile<8x320xf32, valid = 8x300>, f32 -> !pl.tile<8x320xf32, valid = 8x300>
  return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%a: !pl.tile<8x64xf32, valid = 8x?>) {
  // CHECK: pl.row_prod %{{.*}} -> !pl.tile<8x1xf32>
  %p = pl.row_prod %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<8x1xf32>
  // CHECK: pl.row_argmax %{{.*}} -> !pl.tile<8x1xi32>
  %0 = pl.row_argmax %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<8x1xi32>
  // CHECK: pl.row_argmin
  %1 = pl.row_argmin %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<8x1xi32>
  // CHECK: pl.col_min %{{.*}} -> !pl.tile<1x64xf32, valid = 1x?>
  %c = pl.col_min %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<1x64xf32, valid = 1x?>
  // CHECK: pl.col_prod
  %2 = pl.col_prod %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<1x64xf32, valid = 1x?>
  // CHECK: pl.col_argmax %{{.*}} -> !pl.tile<1x64xi32, valid = 1x?>
  %3 = pl.col_argmax %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<1x64xi32, valid = 1x?>
  // CHECK: pl.col_argmin
  %4 = pl.col_argmin %a : !pl.tile<8x64xf32, valid = 8x?> -> !pl.tile<1x64xi32, valid = 1x?>
  // CHECK: pl.row_expand_expdif %{{.*}}, %{{.*}} : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<8x1xf32> -> !pl.tile<8x64xf32, valid = 8x?>
  %5 = pl.row_expand_expdif %a, %p : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<8x1xf32> -> !pl.tile<8x64xf32, valid = 8x?>
  // CHECK: pl.row_expand_max
  %6 = pl.row_expand_max %5, %p : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<8x1xf32> -> !pl.tile<8x64xf32, valid = 8x?>
  // CHECK: pl.row_expand_min
  %7 = pl.row_expand_min %6, %p : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<8x1xf32> -> !pl.tile<8x64xf32, valid = 8x?>
  // CHECK: pl.col_expand_max
  %8 = pl.col_expand_max %7, %c : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<1x64xf32, valid = 1x?> -> !pl.tile<8x64xf32, valid = 8x?>
  // CHECK: pl.col_expand_min
  %9 = pl.col_expand_min %8, %c : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<1x64xf32, valid = 1x?> -> !pl.tile<8x64xf32, valid = 8x?>
  // CHECK: pl.col_expand_expdif
  %10 = pl.col_expand_expdif %9, %c : !pl.tile<8x64xf32, valid = 8x?>, !pl.tile<1x64xf32, valid = 1x?> -> !pl.tile<8x64xf32, valid = 8x?>
  return
}

// CHECK-LABEL: func.func @sort
func.func @sort(%x: !pl.tile<1x256xf32>, %start: i32) {
  // CHECK: pl.iota %{{.*}} : i32 -> !pl.tile<1x256xui32>
  %i = pl.iota %start : i32 -> !pl.tile<1x256xui32>
  // CHECK: pl.iota_down %{{.*}} : i32 -> !pl.tile<1x256xi32>
  %d = pl.iota_down %start : i32 -> !pl.tile<1x256xi32>
  // CHECK: pl.sort32 %{{.*}}, %{{.*}} : !pl.tile<1x256xf32>, !pl.tile<1x256xui32> -> !pl.tile<1x512xf32>
  %p = pl.sort32 %x, %i : !pl.tile<1x256xf32>, !pl.tile<1x256xui32> -> !pl.tile<1x512xf32>
  %c64 = arith.constant 64 : index
  // CHECK: pl.mrgsort %{{.*}} block(%{{.*}}) : !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  %m = pl.mrgsort %p block(%c64) : !pl.tile<1x512xf32> -> !pl.tile<1x512xf32>
  // CHECK: pl.mrgsort_lists %{{.*}}, %{{.*}}, %{{.*}} : !pl.tile<1x512xf32>, !pl.tile<1x512xf32>, !pl.tile<1x512xf32> -> !pl.tile<1x1536xf32>
  %l = pl.mrgsort_lists %m, %m, %m : !pl.tile<1x512xf32>, !pl.tile<1x512xf32>, !pl.tile<1x512xf32> -> !pl.tile<1x1536xf32>
  // CHECK: pl.mrgsort_lists %{{.*}}, %{{.*}} exhausted :
  %e = pl.mrgsort_lists %m, %m exhausted : !pl.tile<1x512xf32>, !pl.tile<1x512xf32> -> !pl.tile<1x1024xf32>
  // CHECK: pl.gather_mask p1010 %{{.*}} : !pl.tile<1x512xf32> -> !pl.tile<1x256xi32>
  %g = pl.gather_mask p1010 %m : !pl.tile<1x512xf32> -> !pl.tile<1x256xi32>
  // CHECK: pl.gather_mask p0001 %{{.*}} : !pl.tile<1x512xf32> -> !pl.tile<1x128xf32>
  %h = pl.gather_mask p0001 %m : !pl.tile<1x512xf32> -> !pl.tile<1x128xf32>
  // CHECK: pl.scatter_mask p0101 %{{.*}}, %{{.*}} : !pl.tile<1x512xf32>, !pl.tile<1x256xf32> -> !pl.tile<1x512xf32>
  %s = pl.scatter_mask p0101 %m, %x : !pl.tile<1x512xf32>, !pl.tile<1x256xf32> -> !pl.tile<1x512xf32>
  // CHECK: pl.scatter %{{.*}}, %{{.*}}, %{{.*}} : !pl.tile<1x512xf32>, !pl.tile<1x256xi32>, !pl.tile<1x256xf32> -> !pl.tile<1x512xf32>
  %t = pl.scatter %m, %g, %x : !pl.tile<1x512xf32>, !pl.tile<1x256xi32>, !pl.tile<1x256xf32> -> !pl.tile<1x512xf32>
  // CHECK: pl.scatter %{{.*}}, %{{.*}}, %{{.*}} flat :
  %u = pl.scatter %m, %g, %x flat : !pl.tile<1x512xf32>, !pl.tile<1x256xi32>, !pl.tile<1x256xf32> -> !pl.tile<1x512xf32>
  // CHECK: pl.gather_blocks %{{.*}}, %{{.*}} : !pl.tile<1x512xf32>, !pl.tile<1x256xui32> -> !pl.tile<1x2048xf32>
  %b = pl.gather_blocks %m, %i : !pl.tile<1x512xf32>, !pl.tile<1x256xui32> -> !pl.tile<1x2048xf32>
  // CHECK: pl.tri %{{.*}} upper -> !pl.tile<8x64xi32>
  %tri = pl.tri %c64 upper -> !pl.tile<8x64xi32>
  // CHECK: pl.gather_compare ge %{{.*}}, %{{.*}} offset 2 : !pl.tile<1x256xf32>, f32 -> !pl.tile<1x16xi32>, !pl.tile<1x1xui32>
  %f = arith.constant 0.5 : f32
  %k, %count = pl.gather_compare ge %x, %f offset 2 : !pl.tile<1x256xf32>, f32 -> !pl.tile<1x16xi32>, !pl.tile<1x1xui32>
  // CHECK: pl.random(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) rounds 7 -> !pl.tile<8x64xui32>
  %r = pl.random (%start, %start, %start, %start, %start, %start) rounds 7 -> !pl.tile<8x64xui32>
  // CHECK: pl.reinterpret %{{.*}} : !pl.tile<1x256xf32> -> !pl.tile<1x512xi16>
  %bits = pl.reinterpret %x : !pl.tile<1x256xf32> -> !pl.tile<1x512xi16>
  return
}

// In the buffer form the destination and the scratch are operands.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%a: !pl.buffer<8x64xi32, vec, nd>, %t: !pl.buffer<8x64xi32, vec, nd>) {
  // CHECK: pl.xor %{{.*}}, %{{.*}} : !pl.buffer<8x64xi32, vec, nd>, !pl.buffer<8x64xi32, vec, nd> into %{{.*}} : !pl.buffer<8x64xi32, vec, nd> scratch(%{{.*}} : !pl.buffer<8x64xi32, vec, nd>)
  pl.xor %a, %a : !pl.buffer<8x64xi32, vec, nd>, !pl.buffer<8x64xi32, vec, nd> into %t : !pl.buffer<8x64xi32, vec, nd> scratch(%t : !pl.buffer<8x64xi32, vec, nd>)
  return
}
