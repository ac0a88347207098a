//===- Exceptions.cpp - raising, reporting and limits ---------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Interpreter.h"

#include <pthread.h>

#include <cstdio>
#ifdef __linux__
#include <unistd.h>
#endif

using namespace llvm;

namespace pl::frontend {

void Interpreter::addExceptionClasses() {
  // Each after its base.
  static constexpr std::pair<const char *, const char *> kClasses[] = {
      {"BaseException", ""},
      {"Exception", "BaseException"},
      {"SystemExit", "BaseException"},
      {"KeyboardInterrupt", "BaseException"},
      {"GeneratorExit", "BaseException"},
      {"ArithmeticError", "Exception"},
      {"OverflowError", "ArithmeticError"},
      {"ZeroDivisionError", "ArithmeticError"},
      {"FloatingPointError", "ArithmeticError"},
      {"AssertionError", "Exception"},
      {"AttributeError", "Exception"},
      {"BufferError", "Exception"},
      {"EOFError", "Exception"},
      {"ImportError", "Exception"},
      {"ModuleNotFoundError", "ImportError"},
      {"LookupError", "Exception"},
      {"IndexError", "LookupError"},
      {"KeyError", "LookupError"},
      {"MemoryError", "Exception"},
      {"NameError", "Exception"},
      {"UnboundLocalError", "NameError"},
      {"OSError", "Exception"},
      {"FileNotFoundError", "OSError"},
      {"FileExistsError", "OSError"},
      {"PermissionError", "OSError"},
      {"TimeoutError", "OSError"},
      {"RuntimeError", "Exception"},
      {"NotImplementedError", "RuntimeError"},
      {"RecursionError", "RuntimeError"},
      {"StopIteration", "Exception"},
      {"SyntaxError", "Exception"},
      {"TypeError", "Exception"},
      {"ValueError", "Exception"},
      {"UnicodeError", "ValueError"},
      {"Warning", "Exception"},
      {"UserWarning", "Warning"},
      {"DeprecationWarning", "Warning"},
      {"RuntimeWarning", "Warning"},
  };
  for (auto [name, base] : kClasses) {
    Ref<ClassObject> cls(new ClassObject(name));
    cls->isException = true;
    if (*base)
      cls->bases.push_back(exceptionClasses[base]);
    (void)cls->orderAncestors(); // one base: always possible
    exceptionClasses[name] = cls;
    builtins[name] = Value(cls);
  }
  builtins["IOError"] = builtins["OSError"];
  builtins["EnvironmentError"] = builtins["OSError"];
}

ClassObject *Interpreter::getExceptionClass(StringRef name) {
  auto it = exceptionClasses.find(name);
  return it == exceptionClasses.end() ? nullptr : it->second.get();
}

LogicalResult Interpreter::raise(StringRef type, const Twine &message,
                                 SourceRange range) {
  ClassObject *cls = getExceptionClass(type);
  Ref<InstanceObject> instance(
      new InstanceObject(cls ? cls : getExceptionClass("RuntimeError")));
  instance->attributes.set("args", Value::tuple({Value::str(message.str())}));
  pending.emplace();
  pending->value = instance;
  pending->range = range;
  pending->calls = callStack;
  return failure();
}

LogicalResult Interpreter::raiseNoAttribute(const Value &value, StringRef name,
                                            ArrayRef<StringRef> known,
                                            SourceRange range) {
  std::string owner;
  if (const auto *module = value.as<ModuleObject>())
    owner = "module '" + module->name + "'";
  else if (const auto *cls = value.as<ClassObject>())
    owner = "class '" + cls->name + "'";
  else
    owner = "'" + getTypeName(value).str() + "' object";
  return raise("AttributeError",
               owner + " has no attribute '" + name + "'" +
                   didYouMean(name, known),
               range);
}

Value OpaqueObject::reach(StringRef step) const {
  constexpr size_t kLongest = 200;
  return Value(
      new OpaqueObject(path.size() < kLongest ? path + step.str() : path,
                       module, importRange, why));
}

LogicalResult Interpreter::raiseOpaque(const Value &value, SourceRange range) {
  const auto *opaque = value.as<OpaqueObject>();
  if (opaque->isLacking()) {
    const SourceRange &named = opaque->importRange;
    bool isHere = named.buffer == range.buffer && named.begin >= range.begin &&
                  named.end <= range.end;
    (void)raise("AttributeError", opaque->why, isHere ? named : range);
    if (!isHere && named.isValid())
      pending->notes.emplace_back(Severity::Note, named, "it is named here");
    return failure();
  }
  (void)raise("ModuleNotFoundError",
              "the value of '" + opaque->path +
                  "' is needed here, but module '" + opaque->module +
                  "' was not found",
              range);
  pending->notes.emplace_back(Severity::Note, opaque->importRange,
                              "imported here; add its directory with -I, or "
                              "move what needs it into a function that is not "
                              "called");
  return failure();
}

LogicalResult CallContext::raise(StringRef type, const Twine &message) {
  return interpreter.raise(type, message, range);
}

LogicalResult CallContext::raiseNoAttribute(const Value &value, StringRef name,
                                            ArrayRef<StringRef> candidates) {
  return interpreter.raiseNoAttribute(value, name, candidates, range);
}

//===----------------------------------------------------------------------===//
// Reporting
//===----------------------------------------------------------------------===//

void Interpreter::reportPending() {
  if (!pending)
    return;
  PendingException exception = std::move(*pending);
  pending.reset();
  if (exception.isUsage)
    usageErrors = true;
  if (exception.reported)
    return;

  std::string text;
  const ClassObject &cls = *exception.value->cls;
  std::string message = str(Value(exception.value));
  if (exception.isUsage)
    text = message;
  else
    text = message.empty() ? cls.name : cls.name + ": " + message;
  constexpr size_t kLongest = 2000;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  // The message of an exception is the program's own text; keep it on one line.
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';

  Diagnostic &diagnostic = diagnostics.error(
      exception.isUsage ? DiagCode::BadParameter : DiagCode::HostException,
      exception.range, text);
  for (Diagnostic &note : exception.notes)
    diagnostic.notes.push_back(std::move(note));
  // The innermost call first, as the caret above is in it. A deep recursion is
  // shown by its ends.
  constexpr size_t kInner = 6, kOuter = 4;
  size_t count = exception.calls.size();
  for (size_t i = 0; i < count; ++i) {
    const PendingException::Call &call = exception.calls[count - 1 - i];
    if (i >= kInner && i + kOuter < count) {
      if (i == kInner)
        diagnostic.note(SourceRange(), std::to_string(count - kInner - kOuter) +
                                           " more calls between");
      continue;
    }
    if (call.range.isValid())
      diagnostic.note(call.range, call.function);
  }
  diagnostics.flush();
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Bytes of this process that are in memory; 0 where nobody knows.
static uint64_t getResidentBytes() {
#ifdef __linux__
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    unsigned long long total = 0, resident = 0;
    int read = std::fscanf(file, "%llu %llu", &total, &resident);
    std::fclose(file);
    if (read == 2)
      return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
#endif
  return 0;
}

bool Interpreter::checkMemory(SourceRange range, uint64_t more) {
  unseenBytes = 0;
  uint64_t tensors = arrays ? arrays->getLiveBytes() : 0;
  uint64_t known = startBytes + tensors;
  uint64_t resident = getResidentBytes();
  if (!startBytes) {
    startBytes = std::max<uint64_t>(resident, tensors + 1) - tensors;
    known = resident;
  }
  uint64_t held = resident > known ? resident - known : 0;
  if (held + more <= options.memoryLimit)
    return true;
  (void)raise("MemoryError",
              "the values of the host program take more than " +
                  Twine(options.memoryLimit >> 20) +
                  " MiB; keep large data in tensors",
              range);
  pending->fatal = true;
  return false;
}

bool Interpreter::lookAtLimits(SourceRange range) {
  nextLook = std::min(steps + kStepsPerLook, options.stepLimit);
  if (steps > options.stepLimit) {
    (void)raise("RuntimeError",
                "the host program took more than " + Twine(options.stepLimit) +
                    " steps; a loop here may never end",
                range);
    pending->fatal = true;
    return false;
  }
  return checkMemory(range, 0);
}

bool Interpreter::stackExhausted(SourceRange range) {
  (void)raise("RecursionError", "the program is nested too deeply", range);
  pending->fatal = true;
  return false;
}

bool Interpreter::checkSize(int64_t elements, SourceRange range) {
  if (elements <= kMaxElements) {
    constexpr uint64_t bytesPerLook = uint64_t(32) << 20;
    uint64_t bytes = static_cast<uint64_t>(elements) * sizeof(Value);
    unseenBytes += bytes;
    if (unseenBytes > bytesPerLook && !checkMemory(range, bytes))
      return false;
    return step(range, elements / 16);
  }
  (void)raise("MemoryError",
              "a value of " + Twine(elements) +
                  " elements is too large; use a tensor",
              range);
  return false;
}

void Interpreter::enterThread() {
  // Leave room for the native code below an evaluation.
  constexpr size_t kReserve = 256 << 10;
  char here;
  uintptr_t top = reinterpret_cast<uintptr_t>(&here);
  // Asking the system is slow, and each expression of a kernel enters anew.
  if (enteredThread != std::this_thread::get_id()) {
    enteredThread = std::this_thread::get_id();
    stackBottom = top - (1u << 20);
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void *address;
      size_t size;
      if (pthread_attr_getstack(&attributes, &address, &size) == 0)
        stackBottom = reinterpret_cast<uintptr_t>(address);
      pthread_attr_destroy(&attributes);
    }
  }
  uintptr_t bottom = stackBottom;
  // An unlimited stack reports an address far away; 64 MiB is plenty.
  bottom = std::max(bottom, top - (64u << 20));
  stackLimit = std::min(bottom + kReserve, top - kReserve / 2);
}

} // namespace pl::frontend
