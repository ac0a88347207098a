//===- LoweringCarries.h - loops and what they carry ------------*- C++ -*-===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name that the body of a loop assigns, and that the next turn or the code
// after the loop reads, is carried. Some carries show only once the body is
// lowered (a tensor that changes hands, valid extents that vary): then the
// draft is dropped and the body lowered again. What the loops inside it carried
// is kept, so that they need no drafts of their own the next time: the cost of
// a nest is that of its drafts, not of all their combinations.
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_FRONTEND_LOWERINGCARRIES_H
#define PL_LIB_FRONTEND_LOWERINGCARRIES_H

#include "LoweringRegions.h"

namespace pl::frontend {

/// `init_values=(...)` with the names of the header, and the `pl.yield_` that
/// ends the body, if it has one.
struct ExplicitCarries {
  SmallVector<Identifier> names;
  SmallVector<SourceRange> ranges;
  std::vector<DslValue> inits;
  const AssignStmt *yield = nullptr;

  /// Takes the yield off the end of the body. False after a report.
  bool takeYield(FunctionLowering &f, StmtList &body);
  /// What the names and the targets of the yield stand for after one turn.
  void lowerYield(FunctionLowering &f);
  void bindTargets(FunctionLowering &f, ArrayRef<DslValue> values);
};

/// A carried name, and what it is at the start of each turn.
struct Carry {
  Identifier name;
  /// What it stood for before; no value if the body binds it first.
  Binding before;
  ValueForm form;
  bool isPromoted = false;
};

/// What a loop carried in the last draft of the loop around it. The loops of a
/// body come in the same order in each draft.
struct LoopDraft {
  explicit LoopDraft(SourceRange header) : header(header) {}

  /// The next loop of the body: as the last draft left it, or a new one.
  LoopDraft &enter(SourceRange loop);
  /// Keeps what means something in another draft.
  void keep(ArrayRef<Carry> carried);

  SourceRange header;
  SmallVector<Carry, 0> carries;
  std::vector<std::unique_ptr<LoopDraft>> loops;
  size_t next = 0;
};

class CarryingLoop {
public:
  CarryingLoop(FunctionLowering &f, StmtList body, SourceRange header,
               StringRef spelling);
  virtual ~CarryingLoop() = default;

  /// Lowers the loop and binds what the names stand for after it.
  void run();

  ExplicitCarries explicits;
  /// Known to run at least once.
  bool isNeverEmpty = false;

protected:
  /// Makes the op and its body, with the builder at its end; sets `arguments`.
  virtual mlir::Operation *create(mlir::ValueRange inits) = 0;
  /// Ends the body.
  virtual void terminate(mlir::ValueRange yields) = 0;
  /// What runs again after the body, for liveness.
  virtual StmtList getAgain() const = 0; // the loop
  /// Whether a name is read before the body, in each turn.
  virtual bool readsBeforeBody(Identifier) const { return false; }
  /// The names that belong to the loop itself.
  virtual void addOwnNames(NameSet &) const {}

  /// Binds the carried names to SSA values of their forms.
  void bindCarries(mlir::ValueRange values);

  FunctionLowering &f;
  StmtList body;
  SourceRange header;
  SmallVector<Carry, 0> carries;
  mlir::ValueRange arguments;

private:
  /// A name of the tile that another name carries, throughout the body.
  struct Follower {
    Identifier name, leader;
    Binding before;
  };
  SmallVector<Follower, 0> followers;
  /// Binds the followers to what their leaders stand for.
  void bindFollowers();
  bool isLive(Identifier name) const;
  void choose();
  /// Begins with what the last draft turned out to need.
  void takeDraft(const LoopDraft &draft);
  void takeKnown(const Carry &known);
  /// One end of a turn: the last statement, or a break or continue.
  struct End {
    mlir::Operation *leave;
    Environment *env;
  };
  /// True when another draft is needed.
  bool revise(ArrayRef<End> ends, mlir::Operation *op);
  bool reviseCarry(Carry &carry, const End &end, mlir::Operation *op);
  bool reviseFollowers(const End &end);
  void addCarries(const Environment &now, mlir::Operation *op);
  SmallVector<mlir::Value> getYields(const End &end);
  void bindAfter(const Environment &inside, mlir::Operation *op);

  /// The body with its yield.
  StmtList whole;
  FunctionLowering::LoopFrame frame;
  NameSet changed;
  Environment before;
};

/// The names of a loop header `a, (b, c)`; false after a report.
bool getHeaderNames(FunctionLowering &f, const Expr *target,
                    const Expr *initValues, ExplicitCarries &carries);

/// `for (x,) in pl.while_(init_values=(...,)):` (LoweringWhile.cpp).
void lowerExplicitWhile(FunctionLowering &f, const ForStmt *stmt,
                        const CallExpr *call);

/// Whether the statements give the name itself another value, not only a slot
/// or window of it.
bool bindsName(StmtList statements, Identifier name);

/// Whether the statements leave the loop around them by break or continue.
bool leavesLoop(StmtList statements);

} // namespace pl::frontend

#endif // PL_LIB_FRONTEND_LOWERINGCARRIES_H
