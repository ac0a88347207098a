//===- Sim.h - the functional simulator: run a program, get values --------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// `Program::create` decodes a module in phase `tiles` once; `run` executes an
// entry on given inputs: it evaluates the orchestration to a list of tasks,
// runs them one after another in the asked order, each task's blocks on all
// host threads, and checks bounds, definedness and races while it does. A host
// program runs programs on several ranks; their tasks take turns. Values depend
// on program, inputs, order and seed only, never on the threads.
//
//===----------------------------------------------------------------------===//

#ifndef PL_SIM_SIM_H
#define PL_SIM_SIM_H

#include "pl/HostShim/Scalar.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pl::sim {

using shim::ElemType;

/// The element type of tensors of an MLIR type, `index` being 64 bits; nothing
/// for types that no tensor has.
std::optional<ElemType> getElemType(mlir::Type type);

/// Which of the ready tasks starts next.
enum class Order : uint8_t {
  Program, ///< the one written first
  Oldest,  ///< the one that has been ready longest
  Newest,  ///< the one that became ready last; blocks run from the last
  Shuffle  ///< drawn from the seed, and so is the order of blocks
};

/// How the pipes of a core work.
enum class PipeOrder : uint8_t {
  Program,    ///< as if there were one
  Adversarial ///< as late as they may, in an order drawn from the seed
};

struct RunOptions {
  Order order = Order::Program;
  PipeOrder pipes = PipeOrder::Program;
  uint64_t seed = 0; ///< of what is drawn
  /// Host threads; 0 means all of them.
  unsigned threads = 0;
  /// How often the program runs, each time on its inputs and on the windows as
  /// they were left.
  unsigned rounds = 1;
  /// Cores of each kind on a rank that blocks may hold while they wait; 0 means
  /// as many as the machine has.
  unsigned cores = 0;
  /// Names of window buffers whose signals may end with other values.
  std::vector<std::string> persistent;
  /// Most failures of one kind that are reported.
  unsigned maxReports = 10;
};

/// A tensor argument of the entry. Bytes are packed, row-major.
struct TensorArg {
  std::string name;
  ElemType type = ElemType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  /// Initial bytes; empty for an output, which starts as poison.
  llvm::ArrayRef<uint8_t> bytes;
};

/// A scalar argument of the entry: the bits of its element type, integers and
/// index sign-extended.
struct ScalarArg {
  std::string name;
  uint64_t bits = 0;
};

/// A written parameter after the run.
struct TensorResult {
  std::string name;
  ElemType type = ElemType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> bytes;
  unsigned round = 0;
};

enum class TaskKind : uint8_t { AIC, AIV, Mix, Dummy };
llvm::StringRef stringify(TaskKind kind);

/// One edge of the task graph, seen from the task that waits.
struct TaskEdge {
  unsigned task;
  std::string reason; ///< `raw x [0:8]`, `user`, ...
};

/// An argument of a task of a graph: a view of a tensor, or the bits of a
/// scalar.
struct TaskArgInfo {
  enum class Kind : uint8_t { Input, Output, InOut, Scalar };
  Kind kind = Kind::Scalar;
  unsigned tensor = 0; ///< in the tensors of the rank
  int64_t offset = 0;  ///< in elements, like the strides
  llvm::SmallVector<int64_t, 4> shape, strides;
  uint64_t bits = 0;
};
llvm::StringRef stringify(TaskArgInfo::Kind kind);

/// A tensor that tasks of a graph use.
struct TensorInfo {
  std::string name;
  ElemType type = ElemType::F32;
  int64_t elements = 0;
  /// As if all were in one memory, one after the other.
  uint64_t address = 0;
};

struct TaskInfo {
  std::string name;
  TaskKind kind = TaskKind::Dummy;
  int64_t blocks = 0;
  bool earlyResolve = false;
  mlir::LocationAttr location;
  llvm::SmallVector<TaskEdge, 4> deps;
  std::vector<TaskArgInfo> args; ///< of a graph only
  double seconds = 0;            ///< it took on this host, all blocks
};

enum class FailureKind : uint8_t {
  Input,      ///< the arguments do not fit the entry
  Bounds,     ///< an access outside a tensor or tile
  Undefined,  ///< an undefined value decided something
  Race,       ///< conflicting accesses that nothing orders
  Deadlock,   ///< nothing can start any more
  Limit,      ///< a limit of the machine or of this simulator
  Arithmetic, ///< division by zero and the like in scalar code
  Signal      ///< a signal that is left over, or changed under a waiter
};
llvm::StringRef stringify(FailureKind kind);

struct Note {
  std::string message;
  mlir::LocationAttr location;
};

struct Failure {
  FailureKind kind = FailureKind::Input;
  std::string message;
  mlir::LocationAttr location; ///< null if there is none
  llvm::SmallVector<Note, 2> notes;
};

/// What ran on one rank, in the first round.
struct RankResult {
  std::vector<TaskInfo> tasks;      ///< in program order
  std::vector<unsigned> startOrder; ///< indices of tasks, as they started
  std::vector<TensorInfo> tensors;  ///< of a graph only
};

struct RunResult {
  bool ok() const { return failures.empty(); }

  std::vector<TaskInfo> tasks;      ///< in program order; of rank 0
  std::vector<unsigned> startOrder; ///< indices of tasks, as they started
  std::vector<TensorInfo> tensors;  ///< of a graph only; of rank 0
  /// By rank; empty unless the entry is a host program.
  std::vector<RankResult> ranks;
  std::vector<Failure> failures;
  /// Undefined values that tasks of a run without failures read, the first at
  /// each place: nothing that is left depends on them.
  std::vector<Failure> remarks;
  std::vector<TensorResult> outputs;
  /// How often an undefined value took part in a computation; not a failure.
  uint64_t undefinedUses = 0;
  double wallSeconds = 0; ///< from the call of `run` to its end
  // What all threads together worked.
  double matmulSeconds = 0; ///< inside matmul routines
  double blockSeconds = 0;  ///< inside kernels, matmul routines included
};

struct ProgramCode;

/// A decoded program. The module must outlive it.
class Program {
public:
  Program(Program &&);
  Program &operator=(Program &&);
  ~Program();

  /// Decodes the orchestration or host program `entry` (the only one if empty),
  /// the programs it runs and all kernels they launch. Reports what cannot be
  /// simulated as a diagnostic and returns nothing.
  static std::optional<Program> create(mlir::ModuleOp module,
                                       llvm::StringRef entry = {});

  /// Executes the entry. Outputs may be left out of `tensors`: their shapes
  /// follow from the names of their dims.
  RunResult run(llvm::ArrayRef<TensorArg> tensors,
                llvm::ArrayRef<ScalarArg> scalars,
                const RunOptions &options) const;

  /// Only the task list for these inputs: `tasks` of the result.
  RunResult graph(llvm::ArrayRef<TensorArg> tensors,
                  llvm::ArrayRef<ScalarArg> scalars) const;

private:
  explicit Program(std::unique_ptr<ProgramCode> code);
  std::unique_ptr<ProgramCode> code;
};

} // namespace pl::sim

#endif // PL_SIM_SIM_H
