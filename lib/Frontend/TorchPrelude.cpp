//===- TorchPrelude.cpp - torch's functions that are made of others -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written in the host world's own language and loaded at the first use. Float
// functions compute in double and round once at their end. An error in here is
// reported at the user's call.
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pl::frontend {

/// The files of Prelude/, one after the other.
static constexpr StringLiteral kParts[] = {
#include "TorchPrelude.inc"
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Loads the source at the first use. Null: raised.
static ModuleObject *loadPrelude(ArrayLibrary &library,
                                 Interpreter &interpreter) {
  if (!library.prelude) {
    std::string text = join(std::begin(kParts), std::end(kParts), "\n");
    uint32_t buffer = interpreter.sources.addBuffer("<torch>", text);
    library.prelude = interpreter.loadBuffer("torch", "<torch>", buffer);
    if (library.prelude)
      library.prelude->isLibrary = true;
  }
  return library.prelude.get();
}

static TensorFn callPrelude(StringRef name) {
  return [name](TensorCall &call) -> FailureOr<Value> {
    Interpreter &interpreter = call.context.interpreter;
    SourceRange range = call.context.range;
    ModuleObject *module = loadPrelude(call.library, interpreter);
    if (!module)
      return failure();
    SmallVector<NamedValue, 4> keywords;
    for (NamedValue keyword : call.keywords) {
      // numpy's words, as everywhere in the library.
      if (keyword.name == "axis")
        keyword.name = "dim";
      else if (keyword.name == "keepdims")
        keyword.name = "keepdim";
      keywords.push_back(std::move(keyword));
    }
    size_t depth = interpreter.callStack.size();
    Value result =
        interpreter.call(*module->find(name), call.args, keywords, range);
    if (!result.isEmpty())
      return result;
    if (interpreter.pending) {
      interpreter.pending->range = range;
      if (interpreter.pending->calls.size() > depth)
        interpreter.pending->calls.resize(depth);
    }
    return failure();
  };
}

void addPreludeFunctions(ArrayLibrary &library) {
  for (StringLiteral name :
       {StringLiteral("tan"),        StringLiteral("asin"),
        StringLiteral("acos"),       StringLiteral("sinh"),
        StringLiteral("cosh"),       StringLiteral("asinh"),
        StringLiteral("acosh"),      StringLiteral("atanh"),
        StringLiteral("log10"),      StringLiteral("logit"),
        StringLiteral("erfinv"),     StringLiteral("frac"),
        StringLiteral("deg2rad"),    StringLiteral("rad2deg"),
        StringLiteral("nan_to_num"), StringLiteral("hypot"),
        StringLiteral("copysign"),   StringLiteral("lerp"),
        StringLiteral("addcmul"),    StringLiteral("addcdiv"),
        StringLiteral("addmm"),      StringLiteral("baddbmm"),
        StringLiteral("addmv")})
    library.addInPlace(name, callPrelude(name));
  for (StringLiteral name :
       {StringLiteral("atan2"),       StringLiteral("signbit"),
        StringLiteral("isposinf"),    StringLiteral("isneginf"),
        StringLiteral("positive"),    StringLiteral("logaddexp"),
        StringLiteral("xlogy"),       StringLiteral("fmin"),
        StringLiteral("fmax"),        StringLiteral("heaviside"),
        StringLiteral("float_power"), StringLiteral("rsub"),
        StringLiteral("mv"),          StringLiteral("inner"),
        StringLiteral("kron"),        StringLiteral("nansum"),
        StringLiteral("nanmean"),     StringLiteral("aminmax"),
        StringLiteral("kthvalue"),    StringLiteral("median"),
        StringLiteral("quantile"),    StringLiteral("cummax"),
        StringLiteral("cummin"),      StringLiteral("logcumsumexp"),
        StringLiteral("diff"),        StringLiteral("trace"),
        StringLiteral("histc"),       StringLiteral("diag"),
        StringLiteral("diag_embed"),  StringLiteral("tensor_split"),
        StringLiteral("rot90"),       StringLiteral("fliplr"),
        StringLiteral("flipud"),      StringLiteral("bernoulli")})
    library.add(name, Offered::Both, callPrelude(name));
  library.add("fill_diagonal_", Offered::Method, callPrelude("fill_diagonal_"));
  for (StringLiteral name : {StringLiteral("tensordot"),
                             StringLiteral("cdist"),
                             StringLiteral("std_mean"),
                             StringLiteral("var_mean"),
                             StringLiteral("meshgrid"),
                             StringLiteral("cartesian_prod"),
                             StringLiteral("atleast_1d"),
                             StringLiteral("atleast_2d"),
                             StringLiteral("atleast_3d"),
                             StringLiteral("hstack"),
                             StringLiteral("vstack"),
                             StringLiteral("dstack"),
                             StringLiteral("column_stack"),
                             StringLiteral("tril_indices"),
                             StringLiteral("triu_indices"),
                             StringLiteral("broadcast_shapes"),
                             StringLiteral("broadcast_tensors"),
                             StringLiteral("unravel_index"),
                             StringLiteral("block_diag"),
                             StringLiteral("logspace"),
                             StringLiteral("normal"),
                             StringLiteral("randint_like")})
    library.add(name, Offered::Function, callPrelude(name));
  // Not names of torch itself but of its submodules.
  for (StringLiteral name : {StringLiteral("gelu"),
                             StringLiteral("leaky_relu"),
                             StringLiteral("elu"),
                             StringLiteral("relu6"),
                             StringLiteral("hardtanh"),
                             StringLiteral("hardsigmoid"),
                             StringLiteral("hardswish"),
                             StringLiteral("mish"),
                             StringLiteral("logsigmoid"),
                             StringLiteral("softsign"),
                             StringLiteral("softmin"),
                             StringLiteral("glu"),
                             StringLiteral("layer_norm"),
                             StringLiteral("rms_norm"),
                             StringLiteral("normalize"),
                             StringLiteral("cosine_similarity"),
                             StringLiteral("mse_loss"),
                             StringLiteral("l1_loss"),
                             StringLiteral("cross_entropy"),
                             StringLiteral("embedding"),
                             StringLiteral("dropout"),
                             StringLiteral("conv1d"),
                             StringLiteral("scaled_dot_product_attention")})
    library.addToModule("torch.nn.functional", name, callPrelude(name));
  for (StringLiteral name : {StringLiteral("vector_norm"), StringLiteral("qr"),
                             StringLiteral("solve"), StringLiteral("inv")})
    library.addToModule("torch.linalg", name, callPrelude(name));
  library.addToModule("torch.testing", "assert_close",
                      callPrelude("assert_close"));
}

} // namespace pl::frontend
