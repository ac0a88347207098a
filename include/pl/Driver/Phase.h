//===- Phase.h - The phases a program goes through --------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_DRIVER_PHASE_H
#define PL_DRIVER_PHASE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace pl::driver {

/// In the order a program goes through them; docs/Phases.md says what each one
/// guarantees.
enum class Phase : uint8_t { AST, PL, Tasks, Tiles, EmitC, Cpp };

/// "ast", "pl", "tasks", "tiles", "emitc", "cpp".
llvm::StringRef stringify(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

} // namespace pl::driver

#endif // PL_DRIVER_PHASE_H
