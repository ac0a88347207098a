//===- Names.cpp - Identifiers of the emitted C++ -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir::pl;

/// Words of C++, common macros, and what the headers of the tile ISA and of
/// the runtime put into the global namespace or into `pto`.
static const char *const reservedWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
    "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // Macros and names of the C library.
    "assert", "errno", "linux", "main", "stderr", "stdin", "stdout", "unix",
    "I", "EOF", "NULL", "NAN", "INFINITY", "int8_t", "int16_t", "int32_t",
    "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "std",
    // The tile ISA and the runtime.
    "pto", "half", "bfloat16_t", "float16_t", "float32_t", "Tile", "TileType",
    "ConvTile", "GlobalTensor", "Shape", "Stride", "Layout", "BLayout",
    "SLayout", "PadValue", "CompactMode", "RoundMode", "SaturationMode",
    "AtomicType", "RecordEvent", "Event", "ChipTensor", "DataType",
    "TensorCreateInfo", "CoreTaskArgs", "ChipTaskArgs", "TaskOutputTensors",
    "alloc_tensors", "from_u64", "to_u64", "set_flag", "wait_flag",
    "pipe_barrier", "set_mask_norm", "set_vector_mask", "set_atomic_none",
    "dcci", "dsb", "cache_line_t", "dcci_dst_t", "get_block_idx",
    "get_block_num", "get_sub_block_id", "kernel_entry", "args", "orch_args"};

/// TADD, MGATHER, PIPE_V, EVENT_ID0, PTO2_SCOPE, ...: instructions, constants
/// and macros of the headers are capital letters with digits or underscores.
/// Short names such as T or KV_OM are the user's.
static bool isIsaName(StringRef name) {
  bool capitals = all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
  });
  if (!capitals)
    return name.starts_with("PTO2");
  if (name.starts_with("PIPE_") || name.starts_with("EVENT_ID") ||
      name.starts_with("PTO") || name.starts_with("INT") ||
      name.starts_with("UINT") || name.starts_with("DSB_"))
    return true;
  if (name == "MGATHER" || name == "MSCATTER" || name == "SYNCALL")
    return true;
  return name.size() >= 3 && name.starts_with("T") && !name.contains('_');
}

std::string Names::identifier(StringRef hint) {
  std::string name;
  for (char c : hint) {
    if (!isAlnum(c))
      c = '_';
    // Two underscores, or one before a capital at the start, are the
    // implementation's.
    if (c == '_' && (name.empty() || name.back() == '_'))
      continue;
    name.push_back(c);
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  if (name.empty())
    name = "n";
  if (isDigit(name.front()))
    name.insert(0, "n");
  if (is_contained(reservedWords, name) || isIsaName(name))
    name += "_";
  return name;
}

std::string Names::comment(StringRef name) {
  std::string text = name.str();
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = '?';
  return text;
}

bool Names::isPrinterName(StringRef name) const {
  unsigned number;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, number))
    return false;
  char first = name.front();
  return first == 'v' || (first >= 'i' && first < 'i' + int(loopDepth));
}

std::string Names::make(StringRef hint) {
  std::string base = identifier(hint);
  if (isPrinterName(base))
    base += "_";
  std::string name = base;
  for (unsigned i = 1; !taken.insert(name).second; ++i)
    name = base + (base.back() == '_' ? "" : "_") + std::to_string(i);
  return name;
}
