//===- RaceReport.cpp - What a race is, in the user's names ---------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceChecker.h"
#include "Undecided.h"

#include "pl/Analysis/OptOuts.h"
#include "pl/Analysis/UserNames.h"
#include "pl/Dialect/PL/IR/PLTaskOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pl;

/// Reports of one function; more are likely to have the same reason.
static constexpr unsigned kMaxReports = 8;

static std::string number(int64_t first, int64_t last, StringRef one) {
  std::string text = one.str();
  if (first == last)
    return text + " " + std::to_string(first);
  return text + "s " + std::to_string(first) + ".." + std::to_string(last);
}

/// "rows 4..7 of 'y'".
static std::string placeText(const Conflict &conflict) {
  std::string name = nameOf(conflict.root);
  int64_t row = 1;
  for (size_t axis = 1; axis < conflict.shape.size(); ++axis)
    row *= conflict.shape[axis];
  if (conflict.shape.empty() || row == 0)
    return "'" + name + "'";
  return number(conflict.low / row, (conflict.high - 1) / row,
                conflict.shape.size() > 1 ? "row" : "element") +
         " of '" + name + "'";
}

static bool isPlural(const Conflict &conflict) {
  int64_t row = 1;
  for (size_t axis = 1; axis < conflict.shape.size(); ++axis)
    row *= conflict.shape[axis];
  return row == 0 || conflict.low / row != (conflict.high - 1) / row;
}

/// "adds to", "writes", "reads".
static StringRef verbOf(const Touch &touch, bool isMany = false) {
  if (touch.atomic)
    return isMany ? "add to" : "adds to";
  if (touch.writes)
    return isMany ? "write" : "writes";
  return isMany ? "read" : "reads";
}

/// Why no edge was derived for a conflict at `root`.
std::string RaceChecker::whyNoEdge(Suspects suspects, Value root) const {
  if (tasks[suspects.second].isManual)
    return "in a manual scope none is derived";
  if (isManualDep(root))
    return "manual_dep= of '" + nameOf(root) + "' says that none is needed";
  const Task &later = tasks[suspects.second];
  const Task &task =
      llvm::is_contained(later.optOuts, root) ? later : tasks[suspects.first];
  return ("no_dep_args= of '" + taskLabel(task.op) + "' says that '" +
          nameOf(root) + "' needs none")
      .str();
}

void RaceChecker::report(Suspects suspects, const Conflict &conflict,
                         StringRef dim, int64_t value) {
  // An unrolled loop makes many tasks of one place.
  if (!reported.insert(
          {conflict.first.op->getLoc(), conflict.second.op->getLoc()}) ||
      reported.size() > kMaxReports)
    return;
  const Touch &first = conflict.first, &second = conflict.second;
  std::string when;
  if (!dim.empty())
    when = (" when " + dim + " is " + Twine(value)).str();
  StringRef them = isPlural(conflict) ? "them" : "it";
  InFlightDiagnostic diag = mlir::emitError(second.op->getLoc()) << "PL112: ";
  StringRef name = taskLabel(tasks[suspects.second].op);
  if (suspects.isOneTask()) {
    int64_t one = *first.block, other = *second.block;
    if (first.writes == second.writes && first.atomic == second.atomic)
      diag << "blocks " << std::min(one, other) << " and "
           << std::max(one, other) << " of '" << name << "' both "
           << verbOf(second, /*isMany=*/true) << ' ' << placeText(conflict);
    else
      diag << "block " << other << " of '" << name << "' " << verbOf(second)
           << ' ' << placeText(conflict) << " and block " << one << ' '
           << verbOf(first) << ' ' << them;
    diag << when
         << ", but blocks run side by side: give each its own part, or make "
            "two tasks";
    if (first.op != second.op)
      diag.attachNote(first.op->getLoc())
          << "block " << one << ' ' << verbOf(first) << ' ' << them << " here";
    return;
  }
  Operation *earlier = tasks[suspects.first].op;
  // A task that reads comes second among touches, but maybe not in the program.
  bool isSwapped = earlier->isAncestor(second.op);
  Operation *later = tasks[suspects.second].op;
  Operation *of = isSwapped ? earlier : later,
            *with = isSwapped ? later : earlier;
  auto sets = [&](const Touch &touch, const Touch &other) {
    return other.atomic && touch.writes && !touch.atomic ? StringRef("sets")
                                                         : verbOf(touch);
  };
  diag << "task '" << taskLabel(of) << "' " << sets(second, first) << ' '
       << placeText(conflict) << " and task '" << taskLabel(with) << "' "
       << sets(first, second) << ' ' << them << when
       << ", but nothing orders the two: name the task of '"
       << taskLabel(earlier) << "' in deps= of '" << taskLabel(later) << "'";
  diag.attachNote(first.op->getLoc())
      << "task '" << taskLabel(with) << "' " << sets(first, second) << ' '
      << them << " here";
  diag.attachNote(later->getLoc())
      << "no path of edges leads to this task from '" << taskLabel(earlier)
      << "'; " << whyNoEdge(suspects, conflict.root);
}

/// That there is a conflict for some sizes.
void RaceChecker::remark(Suspects suspects, const Conflict &conflict,
                         int64_t size) {
  if (!remarks || !remarked.insert(conflict.root).second)
    return;
  std::string why = placeText(conflict);
  bool isMany = isPlural(conflict) && !StringRef(why).starts_with("'");
  why += isMany ? " are touched twice" : " is touched twice";
  StringRef separator = " when ";
  for (StringRef name : names) {
    why += (separator + name + " is " + Twine(size)).str();
    separator = " and ";
  }
  why += ", but not for all sizes and scalars";
  std::string what =
      ("blocks of '" + taskLabel(tasks[suspects.first].op) + "'").str();
  if (!suspects.isOneTask())
    what = ("tasks '" + taskLabel(tasks[suspects.first].op) + "' and '" +
            taskLabel(tasks[suspects.second].op) + "'")
               .str();
  InFlightDiagnostic diag = emitUndecided(
      conflict.second.op->getLoc(), "whether " + what + " meet here", why);
  if (conflict.first.op != conflict.second.op)
    diag.attachNote(conflict.first.op->getLoc()) << "the other place";
}

void RaceChecker::remarkTooLong(unsigned task, unsigned other) {
  if (!remarks)
    return;
  std::string question = "whether its blocks meet";
  if (task != other)
    question = ("whether it meets '" + taskLabel(tasks[other].op) +
                "', which nothing orders")
                   .str();
  emitUndecided(tasks[task].op->getLoc(), question,
                "'" + taskLabel(tasks[task].op) +
                    "' has too many blocks and steps to follow");
}
