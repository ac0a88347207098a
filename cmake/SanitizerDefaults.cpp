//===- SanitizerDefaults.cpp - run-time options of the sanitizer presets --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Part of every program of the presets asan and ubsan, so that a program
// started by hand behaves as in the tests. What ASAN_OPTIONS or UBSAN_OPTIONS
// say comes later and wins.
//
// A finding, leaks included, aborts: its usual exit code is 1, which is that of
// a rejected source, so a test of an error message would take it for one.
//
// LLVM's bump allocator poisons what it has not handed out yet. Our objects are
// instrumented, the packaged libMLIR and libLLVM are not: when they take more
// memory from an allocator that our code filled first (the storage of an MLIR
// context, for one), nothing unpoisons it, and the first read of a good object
// would be reported. Poisoning by the program is therefore off; the heap, the
// stack, globals and containers are still checked.

extern "C" __attribute__((visibility("default"))) const char *
__asan_default_options() {
  return "allow_user_poisoning=0:abort_on_error=1";
}

extern "C" __attribute__((visibility("default"))) const char *
__ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
