//===- BuildDirectoryTest.cpp - Tests of build directories ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Target/Cpp/BuildDirectory.h"

#include "pl/Conversion/PLToEmitC/Passes.h"
#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pl;

static const char *const kProgram = R"mlir(
module attributes {pl.phase = "tiles"} {
  func.func @program(
      %x: memref<?x48xbf16> {pl.name = "x", pl.direction = #pl.direction<in>, pl.dims = [#pl.dim<"T">]},
      %y: memref<17x48xf32> {pl.name = "y", pl.direction = #pl.direction<out>},
      %n: index {pl.name = "n"}) attributes {pl.kind = #pl.func_kind<orchestration>} {
    %c2 = arith.constant 2 : index
    %a = pl.launch @first blocks(%c2) args(%x, %y, %n : memref<?x48xbf16>, memref<17x48xf32>, index)
    %b = pl.launch @second blocks(%c2) args(%y : memref<17x48xf32>) deps(%a : [#pl.edge<waw, "y">])
    return
  }
  pl.kernel aiv @first(%x: memref<?x48xbf16> {pl.name = "x", pl.direction = #pl.direction<in>},
      %y: memref<17x48xf32> {pl.name = "y", pl.direction = #pl.direction<out>}, %n: index {pl.name = "n"}) {
  }
  pl.kernel aic @second(%y: memref<17x48xf32> {pl.name = "y", pl.direction = #pl.direction<inout>}) {
  }
}
)mlir";

namespace {
class BuildDirectoryTest : public ::testing::Test {
protected:
  BuildDirectoryTest() {
    context.loadDialect<PLDialect, emitc::EmitCDialect>();
  }
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("plc-build", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  OwningOpRef<ModuleOp> program(llvm::StringRef source = kProgram) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &context);
    PassManager passes(&context);
    passes.addPass(createConvertPLToEmitC());
    if (!module || failed(passes.run(*module)))
      return nullptr;
    return module;
  }
  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> result(directory);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  bool exists(llvm::StringRef name) {
    return llvm::sys::fs::exists(path(name));
  }
  std::string read(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "(nothing)";
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path(name)));
    std::error_code error;
    llvm::raw_fd_ostream os(path(name), error);
    ASSERT_FALSE(error);
    os << text;
  }

  MLIRContext context;
  llvm::SmallString<128> directory;
};
} // namespace

TEST_F(BuildDirectoryTest, WritesEveryFile) {
  OwningOpRef<ModuleOp> module = program();
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(emitCpp(*module, directory, {"a2a3", "1.2.3"})));
  EXPECT_NE(read("kernels/aiv/first.cpp").find("#if defined(__DAV_VEC__)"),
            std::string::npos);
  EXPECT_NE(read("kernels/aic/second.cpp").find("#if defined(__DAV_CUBE__)"),
            std::string::npos);
  EXPECT_NE(read("orchestration/program.cpp").find("rt_submit_aiv_task(0, "),
            std::string::npos);
  // One program per file, and nothing left over from writing.
  EXPECT_EQ(read("kernels/aiv/first.cpp").find("second"), std::string::npos);
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error))
    EXPECT_FALSE(llvm::StringRef(it->path()).ends_with(".tmp")) << it->path();
}

TEST_F(BuildDirectoryTest, ManifestDescribesTheProgram) {
  OwningOpRef<ModuleOp> module = program();
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(emitCpp(*module, directory, {"a2a3", "1.2.3"})));
  auto root = llvm::json::parse(read("manifest.json"));
  ASSERT_TRUE(bool(root)) << llvm::toString(root.takeError());
  const llvm::json::Object &manifest = *root->getAsObject();
  EXPECT_EQ(manifest.getString("plc"), "1.2.3");
  EXPECT_EQ(manifest.getString("machine"), "a2a3");

  const llvm::json::Array &kernels = *manifest.getArray("kernels");
  ASSERT_EQ(kernels.size(), 2u);
  const llvm::json::Object &second = *kernels[1].getAsObject();
  EXPECT_EQ(second.getInteger("func_id"), 1);
  EXPECT_EQ(second.getString("name"), "second");
  EXPECT_EQ(second.getString("core"), "aic");
  EXPECT_EQ(second.getString("source"), "kernels/aic/second.cpp");
  EXPECT_EQ(*second.getArray("signature"), llvm::json::Array({"INOUT"}));

  const llvm::json::Object &orchestration =
      *manifest.getObject("orchestration");
  EXPECT_EQ(orchestration.getString("function_name"),
            "aicpu_orchestration_entry");
  EXPECT_EQ(orchestration.getString("source"), "orchestration/program.cpp");

  const llvm::json::Array &params = *manifest.getArray("params");
  ASSERT_EQ(params.size(), 3u);
  const llvm::json::Object &x = *params[0].getAsObject();
  EXPECT_EQ(x.getString("name"), "x");
  EXPECT_EQ(x.getString("dtype"), "bfloat16");
  EXPECT_EQ(x.getString("direction"), "in");
  EXPECT_EQ(*x.getArray("shape"), llvm::json::Array({"T", 48}));
  EXPECT_EQ(params[1].getAsObject()->getString("direction"), "out");
  // A scalar has no shape.
  EXPECT_EQ(params[2].getAsObject()->getString("dtype"), "int64");
  EXPECT_EQ(params[2].getAsObject()->getArray("shape"), nullptr);

  std::string config = read("kernel_config.py");
  EXPECT_NE(config.find("\"core_type\": \"aic\""), std::string::npos);
  EXPECT_NE(config.find("\"signature\": [\"IN\", \"OUT\"],"),
            std::string::npos);
}

TEST_F(BuildDirectoryTest, SameProgramSameBytes) {
  FailureOr<std::vector<BuildFile>> first = buildFiles(*program());
  FailureOr<std::vector<BuildFile>> second = buildFiles(*program());
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  ASSERT_EQ(first->size(), second->size());
  for (size_t i = 0; i < first->size(); ++i) {
    EXPECT_EQ((*first)[i].path, (*second)[i].path);
    EXPECT_EQ((*first)[i].text, (*second)[i].text);
  }
}

TEST_F(BuildDirectoryTest, ReplacesItsOwnFilesAndNoOthers) {
  write("notes.txt", "mine");
  write("kernels/aiv/by_hand.cpp", "mine too");
  ASSERT_TRUE(succeeded(emitCpp(*program(), directory, {"a2a3", "1"})));

  std::string smaller = kProgram;
  size_t launch = smaller.find("    %b = pl.launch");
  smaller.erase(launch, smaller.find('\n', launch) - launch);
  size_t kernel = smaller.find("  pl.kernel aic");
  smaller.erase(kernel, smaller.find("  }\n", kernel) + 4 - kernel);
  OwningOpRef<ModuleOp> module = program(smaller);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(emitCpp(*module, directory, {"a2a3", "1"})));

  EXPECT_FALSE(exists("kernels/aic/second.cpp"));
  EXPECT_TRUE(exists("kernels/aiv/first.cpp"));
  EXPECT_EQ(read("notes.txt"), "mine");
  EXPECT_EQ(read("kernels/aiv/by_hand.cpp"), "mine too");
}

TEST_F(BuildDirectoryTest, AForeignManifestRemovesNothing) {
  write("kernels/aiv/old.cpp", "theirs");
  write("manifest.json", R"({"kernels": [{"source": "kernels/aiv/old.cpp"}]})");
  ASSERT_TRUE(succeeded(emitCpp(*program(), directory, {"a2a3", "1"})));
  EXPECT_EQ(read("kernels/aiv/old.cpp"), "theirs");
}

TEST_F(BuildDirectoryTest, SaysWhatCannotBeWritten) {
  OwningOpRef<ModuleOp> module = program();
  write("kernels", "a file where a folder should be");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(emitCpp(*module, directory)));
  EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
  EXPECT_NE(message.find("first.cpp"), std::string::npos) << message;
}

TEST_F(BuildDirectoryTest, PrintsAllFiles) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ASSERT_TRUE(succeeded(printCpp(*program(), os)));
  EXPECT_EQ(text.find("// ==== orchestration/program.cpp\n"), 0u) << text;
  EXPECT_NE(text.find("\n// ==== kernels/aiv/first.cpp\n"), std::string::npos);
}

TEST_F(BuildDirectoryTest, WantsPhaseEmitC) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(buildFiles(*module)));
  EXPECT_NE(message.find("is in phase `tiles`"), std::string::npos) << message;
}
