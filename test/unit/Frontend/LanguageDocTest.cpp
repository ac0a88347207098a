//===- LanguageDocTest.cpp - docs and codes say what the code has ---------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Frontend/DiagCodes.h"
#include "pl/Frontend/Diagnostics.h"
#include "pl/Frontend/Lowering.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <set>
#include <type_traits>

using namespace llvm;
using namespace pl::frontend;

namespace {

std::string read(const Twine &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(PL_SOURCE_DIR + Twine("/") + path);
  EXPECT_TRUE(bool(buffer)) << path.str();
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The names in code of a page: in `...` and in fenced blocks.
StringSet<> getCodeWords(StringRef page) {
  StringSet<> words;
  bool isFenced = false;
  for (StringRef line : split(page, '\n')) {
    if (line.starts_with("```")) {
      isFenced = !isFenced;
      continue;
    }
    bool isCode = isFenced;
    for (StringRef part : split(line, '`')) {
      while (isCode && !part.empty()) {
        part = part.drop_until([](char c) { return isAlpha(c) || c == '_'; });
        StringRef word =
            part.take_while([](char c) { return isAlnum(c) || c == '_'; });
        words.insert(word);
        part = part.drop_front(word.size());
      }
      isCode = isFenced || !isCode;
    }
  }
  return words;
}

TEST(LanguageDoc, NamesEveryOperation) {
  std::string page = read("docs/Language.md");
  StringSet<> words = getCodeWords(page);
  std::vector<StringRef> names = getOpNames();
  EXPECT_GT(names.size(), 150u);
  for (StringRef name : names)
    EXPECT_TRUE(words.contains(name.substr(name.rfind('.') + 1)))
        << name.str() << " is not in docs/Language.md";
}

TEST(LanguageDoc, ListsWhatStopsAtPhasePl) {
  std::string text = read("docs/Language.md");
  StringRef page = text;
  StringRef section = page.split("\n## What stops at phase pl\n").second;
  ASSERT_FALSE(section.empty());
  section = section.split("\n## ").first;
  std::set<std::string> listed;
  for (StringRef line : split(section, '\n')) {
    if (!line.starts_with("| `pl."))
      continue;
    SmallVector<StringRef> parts;
    SplitString(line.drop_front().split('|').first, parts, " `");
    for (StringRef part : parts)
      EXPECT_TRUE(listed.insert(part.str()).second)
          << part.str() << " is listed twice";
  }
  mlir::MLIRContext context;
  context.loadDialect<mlir::pl::PLDialect>();
  std::set<std::string> stopping;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasTrait<mlir::pl::OpTrait::NotLoweredYet>())
      stopping.insert(name.getStringRef().str());
  for (const std::string &name : stopping)
    EXPECT_TRUE(listed.count(name))
        << name << " stops at phase pl; the section does not say so";
  for (const std::string &name : listed)
    EXPECT_TRUE(stopping.count(name))
        << name << " is lowered; the section says that it stops";
}

// An error or a warning without a code does not compile.
template <typename... Args>
using ErrorCall =
    decltype(std::declval<DiagnosticEngine &>().error(std::declval<Args>()...));
template <typename... Args>
using WarningCall = decltype(std::declval<DiagnosticEngine &>().warning(
    std::declval<Args>()...));
static_assert(
    is_detected<ErrorCall, DiagCode, SourceRange, const char *>::value);
static_assert(!is_detected<ErrorCall, SourceRange, const char *>::value);
static_assert(!is_detected<WarningCall, SourceRange, const char *>::value);

// Nor does one of the language say that it has none: only pl.static_print does.
TEST(DiagCodes, NoneIsForWhatTheProgramPrints) {
  std::error_code error;
  unsigned files = 0;
  for (sys::fs::directory_iterator file(PL_SOURCE_DIR "/lib/Frontend", error),
       end;
       file != end && !error; file.increment(error)) {
    StringRef name = sys::path::filename(file->path());
    if (!name.ends_with(".cpp") && !name.ends_with(".h"))
      continue;
    ++files;
    std::string text = read("lib/Frontend/" + name);
    size_t expected = name == "LoweringTaskOps.cpp" ? 1
                      : name == "Diagnostics.cpp"   ? 2
                                                    : 0;
    EXPECT_EQ(StringRef(text).count("DiagCode::None"), expected) << name.str();
  }
  EXPECT_GT(files, 50u);
}

} // namespace
