// What options may be.

// RUN: not pl-opt %s -pl-fan-out-collective="task=crew workers=0" 2>&1 | FileCheck %s --check-prefix=WORKERS
// RUN: not pl-opt %s -pl-fan-out-collective="task=crew workers=2 tile=-3" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not pl-opt %s -pl-fan-out-collective="workers=2" 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: pl-opt %s -pl-fan-out-collective="task=cerw workers=2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pl-opt %s -pl-fuse-publish="producer=make workers=2" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not pl-opt %s -pl-fuse-publish="producer=make exchange=post workers=0" 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not pl-opt %s -pl-fuse-publish="producer=make exchange=post names=one" 2>&1 | FileCheck %s --check-prefix=NAMES

// WORKERS: error: cannot fan out task 'crew': workers is 0, but must be between 1 and 2147483647
// TILE: error: cannot fan out task 'crew': tile is -3, but must be between 1 and 2147483647
// TASK: error: pl-fan-out-collective needs the option task=NAME
// NONE: warning: there is no task 'cerw' in 'f'
// BOTH: error: pl-fuse-publish needs the options producer=NAME and exchange=NAME
// SHARE: error: cannot fuse task 'make': workers is 0, but must be between 1 and 2147483647
// NAMES: error: cannot fuse task 'make': two names are needed, or none

func.func @f(%c: index) {
  %t = pl.at "crew" {
  }
  %u = pl.spmd "make" blocks(%c) {
  ^bb0(%b: index):
  }
  %v = pl.at "post" {
  }
  return
}
