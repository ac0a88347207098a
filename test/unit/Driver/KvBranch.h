//===- KvBranch.h - The key/value branch, compiled for a test -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_DRIVER_KVBRANCH_H
#define PL_TEST_UNIT_DRIVER_KVBRANCH_H

#include "CompiledExample.h"

namespace pl::driver {

/// The small preset with 24 tokens, compiled to some phase, and its inputs.
class KvBranch : public CompiledExample {
protected:
  void compileTo(Phase phase) {
    load("decode/kv_branch.plk",
         {{"preset", "tiny"}, {"tokens", "24"}, {"varied", "true"}});
    ASSERT_TRUE(succeeded(compiled->compileTo(phase)));
    makeInputs();
  }
};

} // namespace pl::driver

#endif // PL_TEST_UNIT_DRIVER_KVBRANCH_H
