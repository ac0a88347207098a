//===- SimTesting.h - run small programs in tests -------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_TEST_UNIT_SIM_SIMTESTING_H
#define PL_TEST_UNIT_SIM_SIMTESTING_H

#include "pl/Dialect/PL/IR/PL.h"
#include "pl/Sim/Sim.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

namespace pl::sim {

template <typename T> constexpr ElemType elemTypeOf();
template <> constexpr ElemType elemTypeOf<float>() { return ElemType::F32; }
template <> constexpr ElemType elemTypeOf<int32_t>() { return ElemType::I32; }
template <> constexpr ElemType elemTypeOf<int64_t>() { return ElemType::I64; }
template <> constexpr ElemType elemTypeOf<int8_t>() { return ElemType::I8; }
/// BF16 as its bits.
template <> constexpr ElemType elemTypeOf<uint16_t>() { return ElemType::BF16; }

template <typename T>
TensorArg arg(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
              const std::vector<T> &data) {
  TensorArg result;
  result.name = name.str();
  result.type = elemTypeOf<T>();
  result.shape.assign(shape.begin(), shape.end());
  result.bytes = {reinterpret_cast<const uint8_t *>(data.data()),
                  data.size() * sizeof(T)};
  return result;
}

inline std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> result(count);
  for (float &x : result)
    x = float(int(engine() % 2001) - 1000) / 256.0f;
  return result;
}

/// A parameter of a test kernel: a tensor type or a scalar type of MLIR.
struct Param {
  std::string name, type, direction;
};

inline std::string paramList(llvm::ArrayRef<Param> params) {
  std::string text;
  for (const Param &param : params) {
    if (!text.empty())
      text += ", ";
    text += "%" + param.name + ": " + param.type + " {pl.name = \"" +
            param.name + "\"";
    if (!param.direction.empty())
      text += ", pl.direction = #pl.direction<" + param.direction + ">";
    text += "}";
  }
  return text;
}

inline std::string kernelText(llvm::StringRef core, llvm::StringRef name,
                              llvm::ArrayRef<Param> params,
                              llvm::StringRef body) {
  return "pl.kernel " + core.str() + " @" + name.str() + "(" +
         paramList(params) + ") {\n" +
         "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n" +
         "%b = pl.block_idx\n" + body.str() + "\n}\n";
}

/// An entry; `%c0` to `%c4` are constants of type index.
inline std::string entryText(llvm::ArrayRef<Param> params,
                             llvm::StringRef body) {
  std::string text =
      "func.func @main(" + paramList(params) +
      ") attributes {pl.kind = #pl.func_kind<orchestration>} {\n";
  for (int i = 0; i <= 4; ++i)
    text += "%c" + std::to_string(i) + " = arith.constant " +
            std::to_string(i) + " : index\n";
  return text + body.str() + "\nreturn\n}\n";
}

/// `pl.launch @kernel blocks(n) args(...)`, with all parameters by name.
inline std::string launchText(llvm::StringRef kernel, llvm::StringRef blocks,
                              llvm::ArrayRef<Param> args,
                              llvm::StringRef deps = "") {
  std::string names, types;
  for (const Param &arg : args) {
    names += (names.empty() ? "%" : ", %") + arg.name;
    types += (types.empty() ? "" : ", ") + arg.type;
  }
  return "pl.launch @" + kernel.str() + " blocks(" + blocks.str() + ") args(" +
         names + " : " + types + ")" + deps.str();
}

inline std::string phaseTiles(llvm::StringRef body) {
  return "module attributes {pl.phase = \"tiles\"} {\n" + body.str() + "}\n";
}

/// A module of one kernel, launched once.
inline std::string oneKernel(llvm::StringRef core, llvm::ArrayRef<Param> params,
                             llvm::StringRef body, llvm::StringRef blocks) {
  return phaseTiles(
      kernelText(core, "k", params, body) +
      entryText(params, "%t = " + launchText("k", blocks, params)));
}

/// A decoded module, or the text of the diagnostics that refused it.
class TestProgram {
public:
  explicit TestProgram(const std::string &source) {
    context.loadDialect<mlir::pl::PLDialect>();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            errors += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    module = mlir::parseSourceString<mlir::ModuleOp>(
        source, mlir::ParserConfig(&context), "test.mlir");
    if (module)
      program = Program::create(*module);
  }

  RunResult run(llvm::ArrayRef<TensorArg> tensors, RunOptions options = {},
                llvm::ArrayRef<ScalarArg> scalars = {}) {
    if (!program) {
      ADD_FAILURE() << "not decoded: " << errors;
      return {};
    }
    return program->run(tensors, scalars, options);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Program> program;
  std::string errors;
};

template <typename T>
std::vector<T> output(const RunResult &result, llvm::StringRef name) {
  for (const TensorResult &tensor : result.outputs)
    if (tensor.name == name) {
      EXPECT_EQ(tensor.type, elemTypeOf<T>());
      std::vector<T> values(tensor.bytes.size() / sizeof(T));
      if (!values.empty())
        std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      return values;
    }
  ADD_FAILURE() << "no output " << name.str();
  return {};
}

/// All failures with their notes, to search in.
inline std::string failureText(const RunResult &result) {
  std::string text;
  for (const Failure &failure : result.failures) {
    text += stringify(failure.kind).str() + ": " + failure.message + "\n";
    for (const Note &note : failure.notes)
      text += "  note: " + note.message + "\n";
  }
  return text;
}

inline void expectOk(const RunResult &result) {
  EXPECT_TRUE(result.ok()) << failureText(result);
}

inline void expectFailure(const RunResult &result, FailureKind kind,
                          llvm::ArrayRef<llvm::StringRef> parts) {
  std::string text = failureText(result);
  bool found = false;
  for (const Failure &failure : result.failures)
    found |= failure.kind == kind;
  EXPECT_TRUE(found) << text;
  for (llvm::StringRef part : parts)
    EXPECT_NE(text.find(part.str()), std::string::npos)
        << "expected '" << part.str() << "' in:\n"
        << text;
}

} // namespace pl::sim

#endif // PL_TEST_UNIT_SIM_SIMTESTING_H
