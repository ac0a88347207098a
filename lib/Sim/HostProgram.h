//===- HostProgram.h - windows and programs of a host program -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_HOSTPROGRAM_H
#define PL_LIB_SIM_HOSTPROGRAM_H

#include "Interpreter.h"
#include "Rank.h"

#include <map>

namespace pl::sim {

/// Runs a host program once for each round: the windows are made in the first,
/// and what it dispatches goes into the queues of the ranks.
class HostProgram : public Orchestrator {
public:
  explicit HostProgram(Executor &run) : run(run) {}

  /// Before each round.
  void beginRound(unsigned number);
  /// Buffers of windows that are used as signals, of all ranks.
  std::vector<Buffer *> getSignals() const;
  bool hasWindow(llvm::StringRef name) const;

  bool worldSize(mlir::LocationAttr loc, int64_t &size) override;
  bool allocWindow(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
                   mlir::LocationAttr loc, View &view) override;
  bool windowView(const View &buffer, const AllocDecl &decl,
                  llvm::ArrayRef<int64_t> shape, mlir::LocationAttr loc,
                  View &view) override;
  bool dispatch(const DispatchDecl &decl, llvm::ArrayRef<View> views,
                llvm::ArrayRef<Reg> scalars, std::optional<int64_t> device,
                mlir::LocationAttr loc) override;

private:
  /// A symmetric buffer, by rank; the first typed view names its elements.
  struct WindowBuffer {
    std::vector<Buffer *> ranks;
    bool isTyped = false, isSignal = false;
  };

  bool makeRanks(mlir::LocationAttr loc);
  bool bindArgument(const ParamDecl &param, const View &given, unsigned rank,
                    mlir::LocationAttr loc, View &view);
  bool bindWindow(const ParamDecl &param, const View &given, unsigned rank,
                  mlir::LocationAttr loc, View &view);
  bool checkDims(const Code &program, llvm::ArrayRef<View> views,
                 mlir::LocationAttr loc);

  Executor &run;
  int64_t world = 0; ///< 0: not asked for yet
  unsigned round = 0;
  std::vector<std::unique_ptr<WindowBuffer>> windows;
  size_t nextWindow = 0; ///< of this round
  /// Typed views, with the lists that their buffers point to.
  std::vector<std::unique_ptr<std::vector<Buffer *>>> views;
  std::map<const std::vector<Buffer *> *, WindowBuffer *> windowOf;
  /// Parts of parameters that programs get, of this round.
  std::map<std::tuple<Buffer *, int64_t, int64_t>, Buffer *> slices;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_HOSTPROGRAM_H
