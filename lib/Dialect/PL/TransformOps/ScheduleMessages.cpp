//===- ScheduleMessages.cpp - MLIR's errors in a schedule's words ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleMessages.h"

#include "pl/Dialect/PL/TransformOps/PLTransformOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pl;

static constexpr StringLiteral kCode = "PL120: ";
static constexpr StringLiteral kPrefix = "transform.pl.";

namespace {
/// A line of a schedule: its name, and the words after it in their order.
struct Line {
  StringLiteral name, words;
};
} // namespace

static constexpr Line kLines[] = {
    {"task", "\"NAME\" in %program [optional]"},
    {"split_fused_tasks", "%task [into [\"A\", \"B\"]]"},
    {"spmdize", "%task tile N [workers W] [strided] [assume_disjoint] "
                "[into \"NAME\"]"},
    {"fan_out_m", "%task factor F [strided] [into \"NAME\"]"},
    {"coarsen_blocks", "%task factor F [strided] [into \"NAME\"]"},
    {"anchor_waits", "%task after %producer [into %consumer] [deferred]"},
    {"fan_out_collective", "%task workers W tile N [strided] [into \"NAME\"]"},
    {"fuse_publish", "%task with %exchange workers W [into [\"A\", \"B\"]]"},
};

static const Line *findLine(StringRef name) {
  const Line *found = llvm::find_if(
      kLines, [&](const Line &line) { return line.name == name; });
  return found == std::end(kLines) ? nullptr : found;
}

/// One of the words between the operands of a line.
static bool isWord(StringRef word) {
  return word == "optional" || word == "in" || word == "deferred" ||
         word == "tile" || word == "workers" || word == "factor" ||
         word == "strided" || word == "assume_disjoint" || word == "into" ||
         word == "after" || word == "with";
}

static StringRef takeName(StringRef text) {
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// The text of a schedule.
class Source {
public:
  Source(StringRef file, StringRef text) : file(file), text(text) {}

  /// The line of a place in the schedule; nothing for other files.
  std::optional<unsigned> lineOf(Location location) const {
    auto place = dyn_cast<FileLineColRange>(location);
    if (!place || place.getFilename().getValue() != file)
      return std::nullopt;
    return place.getStartLine();
  }

  StringRef getLine(unsigned number) const {
    StringRef rest = text;
    for (; number > 1; --number)
      rest = rest.split('\n').second;
    return rest.split('\n').first;
  }

  /// The text before a place, and from it on.
  std::optional<std::pair<StringRef, StringRef>>
  split(Location location) const {
    std::optional<unsigned> line = lineOf(location);
    if (!line)
      return std::nullopt;
    StringRef at = getLine(*line);
    unsigned column = cast<FileLineColRange>(location).getStartColumn();
    size_t offset = size_t(at.data() - text.data()) +
                    std::min<size_t>(at.size(), column ? column - 1 : 0);
    return std::pair(text.take_front(offset), text.drop_front(offset));
  }

private:
  StringRef file, text;
};
} // namespace

/// The line of a schedule that the place between `before` and `after` belongs
/// to. A line may go on in the next one, with a word.
static const Line *lineAt(StringRef before, StringRef after, StringRef word) {
  size_t start = before.rfind(kPrefix);
  if (start == StringRef::npos)
    return nullptr;
  start += kPrefix.size();
  if (before.drop_front(start).contains('\n') && !isWord(word))
    return nullptr;
  // The place may be in the middle of the name.
  return findLine(takeName(
      StringRef(before.data() + start, before.size() - start + after.size())));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::string listOfLines() {
  std::string text;
  for (const Line &line : kLines)
    text += (text.empty() ? "" : ", ") + line.name.str();
  return text;
}

static const Line *nearestLine(StringRef name) {
  unsigned least = std::max<size_t>(2, name.size() / 3) + 1;
  const Line *nearest = nullptr;
  for (const Line &line : kLines)
    if (unsigned d = name.edit_distance(line.name, true, least); d < least) {
      least = d;
      nearest = &line;
    }
  return nearest;
}

static Diagnostic sayReading(const Diagnostic &reported, const Source &source) {
  std::string whole = reported.str();
  StringRef message = whole;
  const Line *line = nullptr;
  StringRef name;
  if (message.consume_front("custom op '")) {
    std::tie(name, message) = message.split("'");
    message = message.ltrim();
    name.consume_front(kPrefix);
    line = findLine(name);
  } else if (message.starts_with("Dialect `' not found for custom op '")) {
    name = message.split("custom op '").second.split("'").first;
  }
  StringRef before, after;
  if (auto parts = source.split(reported.getLocation()))
    std::tie(before, after) = *parts;
  StringRef word = takeName(after);
  if (!line)
    line = lineAt(before, after, name.empty() ? word : name);
  // The word that asks for what is missing here.
  StringRef previous = before.rtrim();
  size_t end = previous.find_last_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  previous = end == StringRef::npos ? previous : previous.drop_front(end + 1);
  bool isValue = message.contains("attribute value") ||
                 message.contains("invalid kind of attribute");

  Diagnostic said(reported.getLocation(), DiagnosticSeverity::Error);
  said << kCode;
  if (message.starts_with("is unknown")) {
    said << "there is no 'pl." << name.str() << "'; ";
    if (const Line *near = nearestLine(name))
      said << "did you mean 'pl." << near->name.str() << "'?";
    else
      said << "there are " << listOfLines();
    line = nullptr;
  } else if (!name.empty() && !findLine(name) && isWord(name)) {
    said << "'" << name.str() << "' cannot stand here";
  } else if (StringRef(whole).starts_with("Dialect `'")) {
    said << "'" << name.str() << "' is no "
         << (line ? "word of pl." + line->name.str() : "line of a schedule");
  } else if (isValue && (previous == "tile" || previous == "workers" ||
                         previous == "factor")) {
    said << "'" << previous.str() << "' takes a number";
  } else if (isValue && previous == "into") {
    said << "'into' takes names in quotes";
  } else if (isValue && previous == "task") {
    said << "pl.task takes the name of a task in quotes";
  } else if (line && message.starts_with("expected SSA operand")) {
    said << "a handle is missing here, such as %task";
  } else if (message.starts_with("use of undeclared SSA value name")) {
    said << "'" << (after.take_front(1) + takeName(after.drop_front(1))).str()
         << "' is defined nowhere before";
    line = nullptr;
  } else {
    said << message.str();
  }
  if (line)
    said << "; the words of pl." << line->name.str() << " come in the order "
         << line->words.str();
  for (const Diagnostic &note : reported.getNotes())
    if (std::string text = note.str();
        !StringRef(text).starts_with("Available dialects"))
      said.attachNote(note.getLocation()) << text;
  return said;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The line of a schedule at a place, or null.
static Operation *opAt(ModuleOp schedule, Location location) {
  Operation *found = nullptr;
  schedule.walk([&](Operation *op) {
    if (!found && op->getLoc() == location &&
        op->getName().getStringRef().starts_with("transform."))
      found = op;
  });
  return found;
}

static bool isAboutHandles(StringRef message) {
  return message.contains("uses a handle") &&
         message.contains("invalidated by a previously executed transform op");
}

static Diagnostic sayInvalid(const Diagnostic &reported, const Source &source,
                             ModuleOp schedule) {
  std::optional<Location> replaced;
  std::string taken = "this task";
  for (const Diagnostic &note : reported.getNotes()) {
    std::string text = note.str();
    if (StringRef(text).starts_with("invalidated by this transform op"))
      replaced = note.getLocation();
    else if (StringRef(text).starts_with("handle to invalidated ops"))
      if (auto task = dyn_cast_or_null<transform::TaskOp>(
              opAt(schedule, note.getLocation())))
        taken = "'" + task.getName().str() + "'";
  }
  Diagnostic said(reported.getLocation(), DiagnosticSeverity::Error);
  said << kCode << taken << " was replaced";
  Operation *by = replaced ? opAt(schedule, *replaced) : nullptr;
  std::optional<unsigned> line =
      replaced ? source.lineOf(*replaced) : std::nullopt;
  std::string results;
  if (by) {
    StringRef name = by->getName().getStringRef();
    name.consume_front("transform.");
    said << " by " << name.str();
  }
  if (line) {
    said << " at line " << *line;
    auto [left, right] = source.getLine(*line).split('=');
    if (!right.empty() && left.trim().starts_with("%"))
      results = left.trim().str();
  }
  if (!results.empty())
    said << ": use " << results << " from there on";
  else if (by && by->getNumResults() != 0)
    said << ": write '%new =' before that line, and use %new from there on";
  said << ", or take the task by its name again";
  if (replaced)
    said.attachNote(*replaced) << "it was replaced here";
  return said;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

ErrorKeeper::ErrorKeeper(MLIRContext *context)
    : ScopedDiagnosticHandler(context) {
  setHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    kept.push_back(std::move(diagnostic));
    return success();
  });
}

void mlir::pl::emitScheduleErrors(MLIRContext *context,
                                  std::vector<Diagnostic> errors,
                                  StringRef file, StringRef text,
                                  ModuleOp schedule) {
  Source source(file, text);
  DiagnosticEngine &engine = context->getDiagEngine();
  for (Diagnostic &error : errors) {
    std::string message = error.str();
    if (schedule && isAboutHandles(message))
      engine.emit(sayInvalid(error, source, schedule));
    else if (!schedule && !StringRef(message).starts_with(kCode))
      engine.emit(sayReading(error, source));
    else
      engine.emit(std::move(error));
  }
}
