//===- Interpreter.h - executes compact code for one block ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_INTERPRETER_H
#define PL_LIB_SIM_INTERPRETER_H

#include "Memory.h"
#include "Races.h"

namespace pl::sim {

/// A scalar: its bits, and what it depends on if that was undefined.
struct Reg {
  uint64_t bits = 0;
  uint8_t taint = kDefined;
};

/// A buffer of the running block.
struct Tile {
  const TileDecl *decl = nullptr;
  uint8_t *data = nullptr, *shadow = nullptr;
  int64_t validRows = 0, validCols = 0;
};

/// The access that first met an undefined value.
struct Origin {
  std::string what; ///< `'x'[3, 0]`, or the name of a buffer
  std::string task;
  int64_t block = 0;
  mlir::LocationAttr loc;
};

/// An atomic add of a block, applied once the blocks before it are done.
struct PendingAdd {
  Buffer *buffer = nullptr;
  int64_t start = 0, pitch = 0, rows = 0, cols = 0; ///< bytes, rows, elements
  size_t data = 0; ///< position in BlockLog::addBytes
  bool clean = true;
  uint8_t site = 0;
  mlir::LocationAttr loc;
};

/// A cell of a signal.
struct Cell {
  Buffer *buffer = nullptr;
  int64_t byte = 0;

  int32_t value() const;
};

/// A notify, performed when the block that issued it has stopped for it.
struct Notify {
  Cell cell;
  int32_t value = 0;
  bool isSet = false;
  mlir::LocationAttr loc;
};

/// What a wait is for.
struct Condition {
  Cell cell;
  int32_t expected = 0;
  enum Kind : uint8_t { Equal, AtLeast, Deferred } kind = AtLeast;
  mlir::LocationAttr loc;

  /// Deferred waits compare unsigned, as the runtime does.
  bool holds() const;
};

/// What a block did, apart from the values it stored.
struct BlockLog {
  std::vector<std::pair<unsigned, AccessSet>> accesses; ///< by buffer id
  std::vector<PendingAdd> adds;
  std::vector<uint8_t> addBytes, addShadow;
  std::vector<std::pair<uint8_t, Origin>> origins;
  std::optional<Notify> notify;  ///< where it stopped for one
  std::optional<Condition> wait; ///< where it stopped for one
  std::vector<Condition> deferred;
  std::optional<Failure> failure;
  uint8_t failureSite = 0; ///< what an undefined value of the failure came from
  uint64_t undefinedUses = 0;
  double matmulSeconds = 0;

  AccessSet &accessesOf(unsigned buffer);
  /// Keeps the first origin of each site.
  void noteOrigin(uint8_t site, Origin origin);
};

class Cluster;
struct Issued;
struct Pipes;

/// What orchestrations and host programs do beyond scalars. Members return
/// false to stop the run; each kind of program has its own ops.
class Orchestrator {
public:
  virtual ~Orchestrator() = default;
  // Of orchestrations.
  virtual bool alloc(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
                     mlir::LocationAttr loc, View &view) {
    return false;
  }
  virtual bool launch(const LaunchDecl &decl, bool isDummy, int64_t blocks,
                      llvm::ArrayRef<View> views, llvm::ArrayRef<Reg> scalars,
                      llvm::ArrayRef<unsigned> deps, mlir::LocationAttr loc,
                      unsigned &task) {
    return false;
  }
  /// Whether tasks launched so far are not done. Memory is about to be used.
  virtual bool hasOpenTasks() { return false; }
  // Of host programs.
  virtual bool worldSize(mlir::LocationAttr loc, int64_t &size) {
    return false;
  }
  virtual bool allocWindow(const AllocDecl &decl, llvm::ArrayRef<int64_t> shape,
                           mlir::LocationAttr loc, View &view) {
    return false;
  }
  virtual bool windowView(const View &buffer, const AllocDecl &decl,
                          llvm::ArrayRef<int64_t> shape, mlir::LocationAttr loc,
                          View &view) {
    return false;
  }
  virtual bool dispatch(const DispatchDecl &decl, llvm::ArrayRef<View> views,
                        llvm::ArrayRef<Reg> scalars,
                        std::optional<int64_t> device, mlir::LocationAttr loc) {
    return false;
  }
};

/// Flags: 8 events from each of 8 pipes to each.
constexpr size_t kNumTokens = 8 * 8 * 8;

/// Why code stopped.
enum class Stop : uint8_t {
  End,
  Failure, ///< `log.failure` says why, or the orchestrator stopped the run
  Notify,  ///< `log.notify` is to be performed
  Wait,    ///< until `log.wait` holds
  Slot,    ///< until a ring of the cluster has a slot or tile for `waitsAt`
  Tasks    ///< until all tasks launched so far are done
};

/// Where and as what some code runs.
struct Context {
  llvm::StringRef task;
  bool isEntry = false;
  int64_t block = 0, numBlocks = 1;
  /// Blocks run one after another, so adds need no log.
  bool addDirectly = false;
  Orchestrator *host = nullptr;
  /// Of a mixed kernel: the other cores, and which of them this is.
  Cluster *cluster = nullptr;
  unsigned queue = 0;
  /// Pipes work as this seed draws, not in program order.
  std::optional<uint64_t> pipeSeed;
};

/// Adds one logged atomic add to its tensor.
void applyAdd(const PendingAdd &add, const uint8_t *bytes,
              const uint8_t *shadow, const Context &context, BlockLog &log);

class Interpreter {
public:
  explicit Interpreter(const Code &code);
  ~Interpreter();

  std::vector<Reg> regs;
  std::vector<View> views;

  /// Goes to the beginning.
  void start(CoreMemory *core);
  /// Runs on to the end or the next stop.
  Stop resume(const Context &context, BlockLog &log);
  /// The instruction that could not go on.
  const Instr &waitsAt() const;

private:
  bool step(const Instr &instr);
  bool fail(FailureKind kind, const Instr &instr, std::string message);
  std::string where() const;
  /// False, with a failure, if a value that decides something is undefined.
  bool decided(const Instr &instr, const Reg &reg, llvm::StringRef use);
  llvm::ArrayRef<int32_t> operandsOf(const Instr &instr) const {
    return llvm::ArrayRef(code.operands)
        .slice(instr.operands, instr.numOperands);
  }
  int64_t integer(int32_t reg) const { return int64_t(regs[reg].bits); }

  // Interpreter.cpp
  bool intBinary(const Instr &instr);
  void compareFloat(const Instr &instr);
  void convert(const Instr &instr);
  bool subView(const Instr &instr);
  bool reinterpret(const Instr &instr);
  bool setValid(const Instr &instr);
  bool flag(const Instr &instr);
  bool leftoverFlags();
  bool callHost(const Instr &instr);

  static std::string describeFlag(int64_t flag);

  // Pipes.cpp
  enum class Issue : uint8_t { Scalar, Queued, Stopped };
  /// Gives an instruction to its pipe. `Scalar`: the scalar unit executes it
  /// now; `Stopped`: for `stop`.
  Issue issue(const Instr &instr, Stop &stop);
  void enqueue(const Instr &instr, unsigned pipe);
  void exchange(Issued &item, bool isBack);
  Stop work();

  // Host.cpp
  bool callHostProgram(const Instr &instr);
  bool bindDim(const Instr &instr);

  // Comm.cpp
  struct Box;
  bool toPeer(const Instr &instr, llvm::StringRef verb, View &view);
  bool box(const Instr &instr, llvm::StringRef verb, const View &view,
           llvm::ArrayRef<int32_t> offsets, llvm::ArrayRef<int32_t> sizes,
           Box &box);
  bool transfer(const Instr &instr);
  bool sendUndefined(const Instr &instr, const Buffer &source, int64_t byte,
                     const Buffer &target);
  bool cell(const Instr &instr, llvm::StringRef verb, const View &view,
            Cell &cell);
  bool notify(const Instr &instr);
  bool wait(const Instr &instr);

  // GlobalAccess.cpp
  struct Window {
    Buffer *buffer;
    int64_t start, pitch, rows, cols; ///< bytes, bytes, rows, elements
    int64_t rowBytes;
  };
  bool resolve(const Instr &instr, llvm::StringRef verb, const View &view,
               int64_t rows, int64_t cols, Window &window);
  void record(const Instr &instr, const Window &window, AccessKind kind);
  void noteOrigin(const Instr &instr, std::string what);
  bool load(const Instr &instr);
  bool store(const Instr &instr);
  bool readElement(const Instr &instr);
  bool writeElement(const Instr &instr);

  // Handshakes.cpp
  Stop handshake(const Instr &instr);
  bool moveSlot(const Instr &instr, const Tile &tile, int64_t slot);

  // TileExec.cpp
  bool tileOp(const Instr &instr);
  void elementwise(const Instr &instr);
  void rowReduce(const Instr &instr);
  void colReduce(const Instr &instr);
  void expandBinary(const Instr &instr);
  void expand(const Instr &instr);
  void iota(const Instr &instr);
  bool copyTile(const Instr &instr);
  bool fillPad(const Instr &instr);
  bool transpose(const Instr &instr);
  bool gather(const Instr &instr);
  bool matmul(const Instr &instr);
  void poisonScratch(const Instr &instr);
  bool inside(const Instr &instr, const Tile &tile, int64_t rows, int64_t cols);

  void markDefined(const Tile &tile, int64_t rows, int64_t cols);
  bool isTileClean(const Tile &tile, int64_t rows, int64_t cols) const;

  const Code &code;
  std::vector<Tile> tiles;
  std::vector<uint8_t> tokens; ///< of flags, by Instr::imm
  std::vector<uint8_t> rowBuffer, shadowBuffer;
  size_t next = 0;              ///< instruction
  std::unique_ptr<Pipes> pipes; ///< if they do not work in program order
  CoreMemory *core = nullptr;
  const Context *context = nullptr;
  BlockLog *log = nullptr;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_INTERPRETER_H
