//===- Interpreter.cpp - scalars, control, views, orchestration -----------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Pipes.h"

#include "fmt/format.h"
#include "llvm/Support/MathExtras.h"

using namespace pl::sim;

AccessSet &BlockLog::accessesOf(unsigned buffer) {
  for (auto &[id, set] : accesses)
    if (id == buffer)
      return set;
  return accesses.emplace_back(buffer, AccessSet()).second;
}

Interpreter::Interpreter(const Code &code)
    : regs(code.numRegs), views(code.numViews), code(code),
      tiles(code.tiles.size()) {}

Interpreter::~Interpreter() = default;

const Instr &Interpreter::waitsAt() const {
  return pipes && pipes->stuckAt ? *pipes->stuckAt : code.instrs[next];
}

std::string Interpreter::where() const {
  if (context->isEntry)
    return fmt::format("entry '{}'", code.name);
  return fmt::format("kernel '{}', block {}", code.name, context->block);
}

bool Interpreter::fail(FailureKind kind, const Instr &instr,
                       std::string message) {
  log->failure = Failure{kind, where() + ": " + message, instr.loc, {}};
  return false;
}

bool Interpreter::decided(const Instr &instr, const Reg &reg,
                          llvm::StringRef use) {
  if (reg.taint == kDefined)
    return true;
  log->failureSite = reg.taint;
  return fail(FailureKind::Undefined, instr,
              fmt::format("{} depends on an undefined value", use.str()));
}

void Interpreter::start(CoreMemory *memory) {
  core = memory;
  next = 0;
  tokens.clear();
  pipes.reset();
  for (size_t i = 0; i < tiles.size(); ++i) {
    const TileDecl &decl = code.tiles[i];
    tiles[i] = {&decl, core->data(decl.space) + decl.address,
                core->shadow(decl.space) + decl.address,
                std::max<int64_t>(decl.validRows, 0),
                std::max<int64_t>(decl.validCols, 0)};
  }
}

Stop Interpreter::resume(const Context &where, BlockLog &to) {
  context = &where;
  log = &to;
  if (context->pipeSeed && !pipes) {
    pipes = std::make_unique<Pipes>(*context->pipeSeed + context->queue);
    tokens.resize(kNumTokens);
  }
  while (next < code.instrs.size()) {
    const Instr &instr = code.instrs[next];
    if (pipes) {
      Stop stop = Stop::End;
      Issue how = issue(instr, stop);
      if (how == Issue::Stopped)
        return stop;
      if (how == Issue::Queued) {
        ++next;
        continue;
      }
    }
    switch (instr.op) {
    case Op::Return:
      return leftoverFlags() ? Stop::End : Stop::Failure;
    case Op::Notify:
      ++next;
      return notify(instr) ? Stop::Notify : Stop::Failure;
    case Op::Wait:
      ++next;
      return wait(instr) ? Stop::Wait : Stop::Failure;
    case Op::Push:
    case Op::Pop:
      if (Stop stop = handshake(instr); stop != Stop::End)
        return stop;
      ++next;
      continue;
    case Op::Read:
    case Op::Write:
      if (context->host && context->host->hasOpenTasks())
        return Stop::Tasks;
      break;
    default:
      break;
    }
    ++next;
    if (!step(instr))
      return Stop::Failure;
  }
  return Stop::End;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The value of the low `width` bits: sign-extended, an i1 as 0 or 1.
static int64_t wrap(uint64_t bits, int64_t width) {
  if (width == 1)
    return int64_t(bits & 1);
  return width >= 64 ? int64_t(bits) : llvm::SignExtend64(bits, width);
}

static uint64_t zeroExtend(uint64_t bits, int64_t width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// Nothing for a division by zero, a quotient that does not fit, or a shift by
/// the width or more.
static std::optional<uint64_t> evaluate(IntOp op, uint64_t x, uint64_t y,
                                        int64_t width) {
  int64_t a = int64_t(x), b = int64_t(y);
  uint64_t ua = zeroExtend(x, width), ub = zeroExtend(y, width);
  bool overflows = a == INT64_MIN && b == -1;
  switch (op) {
  case IntOp::Add:
    return x + y;
  case IntOp::Sub:
    return x - y;
  case IntOp::Mul:
    return x * y;
  case IntOp::DivS:
    if (b == 0 || overflows)
      return std::nullopt;
    return a / b;
  case IntOp::RemS:
    if (b == 0 || overflows)
      return std::nullopt;
    return a % b;
  case IntOp::FloorDivS:
    if (b == 0 || overflows)
      return std::nullopt;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  case IntOp::CeilDivS:
    if (b == 0 || overflows)
      return std::nullopt;
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  case IntOp::DivU:
  case IntOp::RemU:
  case IntOp::CeilDivU:
    if (ub == 0)
      return std::nullopt;
    if (op == IntOp::RemU)
      return ua % ub;
    return ua / ub + (op == IntOp::CeilDivU && ua % ub != 0);
  case IntOp::MinS:
    return std::min(a, b);
  case IntOp::MaxS:
    return std::max(a, b);
  case IntOp::MinU:
    return std::min(ua, ub);
  case IntOp::MaxU:
    return std::max(ua, ub);
  case IntOp::And:
    return x & y;
  case IntOp::Or:
    return x | y;
  case IntOp::Xor:
    return x ^ y;
  case IntOp::Shl:
  case IntOp::ShrS:
  case IntOp::ShrU:
    if (ub >= uint64_t(width))
      return std::nullopt;
    if (op == IntOp::Shl)
      return x << ub;
    return op == IntOp::ShrS ? uint64_t(a >> ub) : ua >> ub;
  }
  return std::nullopt;
}

bool Interpreter::intBinary(const Instr &instr) {
  const Reg &a = regs[instr.a], &b = regs[instr.b];
  std::optional<uint64_t> value =
      evaluate(IntOp(instr.sub), a.bits, b.bits, instr.imm);
  uint8_t taint = std::max(a.taint, b.taint);
  if (!value) {
    if (taint) {
      regs[instr.dst] = {0, taint};
      return true;
    }
    return fail(FailureKind::Arithmetic, instr,
                fmt::format("integer operation on {} and {} has no result: it "
                            "divides by zero, overflows, or shifts too far",
                            int64_t(a.bits), int64_t(b.bits)));
  }
  regs[instr.dst] = {uint64_t(wrap(*value, instr.imm)), taint};
  return true;
}

static bool compareInt(IntPredicate predicate, uint64_t x, uint64_t y,
                       int64_t width) {
  // A signed i1 is -1 or 0.
  int64_t a = width == 1 ? -int64_t(x) : int64_t(x);
  int64_t b = width == 1 ? -int64_t(y) : int64_t(y);
  uint64_t ua = zeroExtend(x, width), ub = zeroExtend(y, width);
  switch (predicate) {
  case IntPredicate::EQ:
    return x == y;
  case IntPredicate::NE:
    return x != y;
  case IntPredicate::SLT:
    return a < b;
  case IntPredicate::SLE:
    return a <= b;
  case IntPredicate::SGT:
    return a > b;
  case IntPredicate::SGE:
    return a >= b;
  case IntPredicate::ULT:
    return ua < ub;
  case IntPredicate::ULE:
    return ua <= ub;
  case IntPredicate::UGT:
    return ua > ub;
  case IntPredicate::UGE:
    return ua >= ub;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static float asFloat(ElemType type, uint64_t bits) {
  float value = 0;
  pl::shim::castRow(ElemType::F32, &value, type, &bits, 1,
                    pl::shim::RoundMode::None);
  return value;
}

void Interpreter::compareFloat(const Instr &instr) {
  const Reg &a = regs[instr.a], &b = regs[instr.b];
  float x = asFloat(instr.type, a.bits), y = asFloat(instr.type, b.bits);
  bool unordered = x != x || y != y;
  // The predicate is a set: equal 1, greater 2, less 4, unordered 8.
  unsigned holds = unordered ? 8 : x == y ? 1 : x > y ? 2 : 4;
  constexpr uint8_t sets[] = {0, 1,  2,  3,  4,  5,  6, 7,
                              9, 10, 11, 12, 13, 14, 8, 15};
  bool result = sets[instr.sub & 15] & holds;
  regs[instr.dst] = {uint64_t(result), std::max(a.taint, b.taint)};
}

void Interpreter::convert(const Instr &instr) {
  const Reg &from = regs[instr.a];
  uint64_t result = 0;
  shim::castRow(instr.type, &result, instr.type2, &from.bits, 1, instr.mode);
  if (!shim::isFloat(instr.type))
    result = uint64_t(wrap(result, int64_t(shim::elemBytes(instr.type)) * 8));
  regs[instr.dst] = {result, from.taint};
}

//===----------------------------------------------------------------------===//
// Views and buffers
//===----------------------------------------------------------------------===//

bool Interpreter::subView(const Instr &instr) {
  View source = views[instr.a], result;
  result.buffer = source.buffer;
  result.offset = source.offset;
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  for (int32_t reg : operands)
    if (!decided(instr, regs[reg], "a view"))
      return false;
  for (unsigned axis = 0; axis < source.rank; ++axis) {
    int64_t offset = integer(operands[axis]);
    int64_t size = integer(operands[source.rank + axis]);
    int64_t stride = integer(operands[2 * source.rank + axis]);
    int64_t extent = source.sizes[axis];
    __int128 last = __int128(offset) + __int128(size - 1) * stride;
    if (size < 0 || stride < 1 || offset < 0 || offset > extent ||
        (size > 0 && last >= extent))
      return fail(FailureKind::Bounds, instr,
                  fmt::format("view of {} elements from {} (stride {}) on axis "
                              "{} of '{}', which has {} there",
                              size, offset, stride, axis, source.buffer->name,
                              extent));
    result.offset += offset * source.strides[axis];
    if (instr.imm >> axis & 1)
      continue;
    result.sizes[result.rank] = size;
    result.strides[result.rank++] = stride * source.strides[axis];
  }
  views[instr.dst] = result;
  return true;
}

bool Interpreter::reinterpret(const Instr &instr) {
  Buffer *buffer = views[instr.a].buffer;
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  for (int32_t reg : operands)
    if (!decided(instr, regs[reg], "a view"))
      return false;
  View result;
  result.buffer = buffer;
  result.offset = integer(operands[0]);
  result.rank = (operands.size() - 1) / 2;
  if (result.rank > kMaxRank)
    return fail(FailureKind::Limit, instr, "a view of more than 8 axes");
  int64_t count = buffer->bytes / int64_t(shim::elemBytes(buffer->type));
  __int128 last = result.offset;
  bool isEmpty = false, isNegative = result.offset < 0;
  for (unsigned axis = 0; axis < result.rank; ++axis) {
    int64_t size = result.sizes[axis] = integer(operands[1 + axis]);
    int64_t stride = result.strides[axis] =
        integer(operands[1 + result.rank + axis]);
    isEmpty |= size == 0;
    isNegative |= size < 0 || stride < 0;
    if (last < __int128(INT64_MAX))
      last += __int128(size - 1) * stride;
  }
  if (isNegative || (!isEmpty && last >= count))
    return fail(
        FailureKind::Bounds, instr,
        fmt::format("view [{}] of '{}', which has {} elements",
                    fmt::join(result.sizes, result.sizes + result.rank, ", "),
                    buffer->name, count));
  views[instr.dst] = result;
  return true;
}

bool Interpreter::setValid(const Instr &instr) {
  Tile &tile = tiles[instr.dst];
  auto set = [&](int32_t reg, int64_t extent, llvm::StringRef axis,
                 int64_t &valid) {
    if (reg < 0)
      return true;
    if (!decided(instr, regs[reg], "a valid extent"))
      return false;
    valid = integer(reg);
    if (valid >= 0 && valid <= extent)
      return true;
    return fail(FailureKind::Bounds, instr,
                fmt::format("{} valid {} in '{}', which has {}", valid,
                            axis.str(), tile.decl->name, extent));
  };
  return set(instr.a, tile.decl->rows, "rows", tile.validRows) &&
         set(instr.b, tile.decl->cols, "columns", tile.validCols);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

std::string Interpreter::describeFlag(int64_t flag) {
  return fmt::format("{} to {} event {}", pipeName(flag / 64).str(),
                     pipeName(flag / 8 % 8).str(), flag % 8);
}

bool Interpreter::flag(const Instr &instr) {
  if (tokens.empty())
    tokens.resize(kNumTokens);
  uint8_t &count = tokens[instr.imm];
  if (instr.op == Op::WaitFlag) {
    if (count == 0)
      return fail(FailureKind::Deadlock, instr,
                  fmt::format("waits for flag {}, which nothing before it sets",
                              describeFlag(instr.imm)));
    --count;
    return true;
  }
  if (count == 1 && pipes)
    return fail(FailureKind::Deadlock, instr,
                fmt::format("sets flag {} again before its last token was "
                            "taken; that stops the core",
                            describeFlag(instr.imm)));
  if (count == 255)
    return fail(FailureKind::Limit, instr,
                fmt::format("sets flag {} again and again, and nothing waits "
                            "for it",
                            describeFlag(instr.imm)));
  ++count;
  return true;
}

bool Interpreter::leftoverFlags() {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i]) {
      Instr end;
      end.loc = code.loc;
      return fail(FailureKind::Deadlock, end,
                  fmt::format("ends with flag {} set: the next kernel on this "
                              "core would see it",
                              describeFlag(int64_t(i))));
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Orchestration
//===----------------------------------------------------------------------===//

bool Interpreter::callHost(const Instr &instr) {
  llvm::ArrayRef<int32_t> operands = operandsOf(instr);
  if (instr.op == Op::Alloc) {
    const AllocDecl &decl = code.allocs[instr.imm];
    llvm::SmallVector<int64_t, 4> shape(decl.shape);
    for (int64_t &extent : shape)
      if (extent < 0) {
        if (!decided(instr, regs[operands.front()], "a size"))
          return false;
        extent = integer(operands.front());
        operands = operands.drop_front();
      }
    return context->host->alloc(decl, shape, instr.loc, views[instr.dst]);
  }
  const LaunchDecl &decl = code.launches[instr.imm];
  int64_t blocks = 0;
  llvm::SmallVector<View, 8> viewArgs;
  llvm::SmallVector<Reg, 8> scalars;
  if (instr.op == Op::Launch) {
    if (!decided(instr, regs[operands.front()], "a number of blocks"))
      return false;
    blocks = integer(operands.front());
    operands = operands.drop_front();
    for (bool isTensor : decl.isTensor) {
      if (isTensor)
        viewArgs.push_back(views[operands.front()]);
      else
        scalars.push_back(regs[operands.front()]);
      operands = operands.drop_front();
    }
  }
  llvm::SmallVector<unsigned, 8> deps;
  for (int32_t reg : operands)
    deps.push_back(unsigned(regs[reg].bits));
  unsigned task = 0;
  if (!context->host->launch(decl, instr.op == Op::Dummy, blocks, viewArgs,
                             scalars, deps, instr.loc, task))
    return false;
  regs[instr.dst] = {task, kDefined};
  return true;
}

//===----------------------------------------------------------------------===//
// One instruction
//===----------------------------------------------------------------------===//

bool Interpreter::step(const Instr &instr) {
  switch (instr.op) {
  case Op::Const:
    regs[instr.dst] = {uint64_t(instr.imm), kDefined};
    return true;
  case Op::Copy:
    regs[instr.dst] = regs[instr.a];
    return true;
  case Op::IntBinary:
    return intBinary(instr);
  case Op::FloatBinary: {
    Reg a = regs[instr.a], b = regs[instr.b], result;
    shim::binaryRow(instr.type, shim::BinaryOp(instr.sub), &result.bits,
                    &a.bits, &b.bits, 1);
    result.taint = std::max(a.taint, b.taint);
    regs[instr.dst] = result;
    return true;
  }
  case Op::FloatNeg: {
    Reg a = regs[instr.a], result;
    shim::unaryRow(instr.type, shim::UnaryOp::Neg, &result.bits, &a.bits, 1);
    result.taint = a.taint;
    regs[instr.dst] = result;
    return true;
  }
  case Op::CompareInt: {
    const Reg &a = regs[instr.a], &b = regs[instr.b];
    bool holds = compareInt(IntPredicate(instr.sub), a.bits, b.bits, instr.imm);
    regs[instr.dst] = {uint64_t(holds), std::max(a.taint, b.taint)};
    return true;
  }
  case Op::CompareFloat:
    compareFloat(instr);
    return true;
  case Op::Select: {
    Reg condition = regs[instr.a];
    Reg value = regs[condition.bits & 1 ? instr.b : instr.c];
    value.taint = std::max(value.taint, condition.taint);
    regs[instr.dst] = value;
    return true;
  }
  case Op::Resize: {
    const Reg &from = regs[instr.a];
    // Extending an i1 by its sign gives -1.
    uint64_t bits = instr.sub        ? zeroExtend(from.bits, instr.imm)
                    : instr.imm == 1 ? -(from.bits & 1)
                                     : from.bits;
    regs[instr.dst] = {uint64_t(wrap(bits, instr.imm2)), from.taint};
    return true;
  }
  case Op::Convert:
    convert(instr);
    return true;
  case Op::Jump:
    next = size_t(instr.imm);
    return true;
  case Op::JumpIfZero:
    if (!decided(instr, regs[instr.a], "a branch"))
      return false;
    if (!(regs[instr.a].bits & 1))
      next = size_t(instr.imm);
    return true;
  case Op::LoopHead:
    if (!decided(instr, regs[instr.a], "the start of a loop") ||
        !decided(instr, regs[instr.b], "the end of a loop") ||
        !decided(instr, regs[instr.c], "the step of a loop"))
      return false;
    if (integer(instr.c) <= 0)
      return fail(FailureKind::Arithmetic, instr,
                  fmt::format("a loop steps by {}; it must be positive",
                              integer(instr.c)));
    if (integer(instr.a) >= integer(instr.b))
      next = size_t(instr.imm);
    return true;
  case Op::LoopNext: {
    int64_t sum;
    if (__builtin_add_overflow(integer(instr.a), integer(instr.b), &sum))
      return true;
    regs[instr.a].bits = uint64_t(sum);
    next = size_t(instr.imm);
    return true;
  }
  case Op::WhileGuard:
    if (++regs[instr.a].bits > (uint64_t(1) << 28))
      return fail(FailureKind::Deadlock, instr,
                  "a while loop does not end within 2^28 iterations");
    return true;
  case Op::Return:
    return true;
  case Op::ExpectDim: {
    const View &view = views[instr.a];
    if (view.sizes[instr.imm] == instr.imm2)
      return true;
    return fail(FailureKind::Bounds, instr,
                fmt::format("axis {} of '{}' has extent {}, but is taken to "
                            "have {}",
                            instr.imm, view.buffer->name, view.sizes[instr.imm],
                            instr.imm2));
  }
  case Op::CopyView:
    views[instr.dst] = views[instr.a];
    return true;
  case Op::Dim: {
    const View &view = views[instr.a];
    if (!decided(instr, regs[instr.b], "an axis"))
      return false;
    int64_t axis = integer(instr.b);
    if (axis < 0 || axis >= int64_t(view.rank))
      return fail(FailureKind::Bounds, instr,
                  fmt::format("axis {} of '{}', which has {}", axis,
                              view.buffer->name, view.rank));
    regs[instr.dst] = {uint64_t(view.sizes[axis]), kDefined};
    return true;
  }
  case Op::SubView:
    return subView(instr);
  case Op::Reinterpret:
    return reinterpret(instr);
  case Op::SetValid:
    return setValid(instr);
  case Op::Load:
  case Op::RemoteLoad:
    return load(instr);
  case Op::Store:
  case Op::RemoteStore:
    return store(instr);
  case Op::Put:
  case Op::Get:
    return transfer(instr);
  case Op::DeferWait:
    return wait(instr);
  case Op::RankOf:
  case Op::NumRanks: {
    const Buffer &window = *views[instr.a].buffer;
    uint64_t count = window.ranks ? window.ranks->size() : 1;
    regs[instr.dst] = {instr.op == Op::RankOf ? window.rank : count, kDefined};
    return true;
  }
  case Op::Read:
    return readElement(instr);
  case Op::Write:
    return writeElement(instr);
  case Op::BlockIdx:
    regs[instr.dst] = {uint64_t(context->block), kDefined};
    return true;
  case Op::BlockNum:
    regs[instr.dst] = {uint64_t(context->numBlocks), kDefined};
    return true;
  case Op::LaneIdx:
    regs[instr.dst] = {context->queue == kLane1Queue, kDefined};
    return true;
  case Op::SetFlag:
  case Op::WaitFlag:
    return flag(instr);
  case Op::PipeBarrier:
    return true;
  case Op::Alloc:
  case Op::Launch:
  case Op::Dummy:
    return callHost(instr);
  case Op::WorldSize:
  case Op::AllocWindow:
  case Op::WindowView:
  case Op::Dispatch:
    return callHostProgram(instr);
  case Op::BindDim:
    return bindDim(instr);
  default:
    return tileOp(instr);
  }
}
