//===- StdMath.cpp - the module math --------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StdModules.h"

#include <cmath>

using namespace llvm;

namespace pl::frontend {

using Ctx = CallContext;

static Result oneNumber(Ctx &call, double &number) {
  if (call.args.size() != 1 || !call.keywords.empty())
    return call.raise("TypeError", call.callee + "() takes one number");
  FailureOr<double> given = call.asFloat(call.args[0], "the argument");
  if (failed(given))
    return failure();
  number = *given;
  return Value::none();
}

Ref<ModuleObject> makeMath() {
  Ref<ModuleObject> module(new ModuleObject("math"));
  module->set("pi", Value::real(M_PI));
  module->set("e", Value::real(M_E));
  module->set("tau", Value::real(2 * M_PI));
  module->set("inf", Value::real(INFINITY));
  module->set("nan", Value::real(NAN));
  auto add = [&](StringRef name, NativeFn fn) {
    module->set(name, makeNative(name, std::move(fn)));
  };
  // Functions of one double; `good` says where they are defined.
  auto real = [&](StringRef name, double (*fn)(double),
                  bool (*good)(double) = nullptr) {
    add(name, [fn, good](Ctx &call) -> Result {
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      if (good && !good(x) && !std::isnan(x))
        return call.raise("ValueError", "math." + call.callee + "(" +
                                            formatDouble(x) +
                                            ") is not defined");
      double result = fn(x);
      if (std::isinf(result) && std::isfinite(x))
        return call.raise("OverflowError", "math." + call.callee + "(" +
                                               formatDouble(x) +
                                               ") is too large");
      return Value::real(result);
    });
  };
  real("sqrt", std::sqrt, [](double x) { return x >= 0; });
  real("exp", std::exp);
  real("expm1", std::expm1);
  real("log2", std::log2, [](double x) { return x > 0; });
  real("log10", std::log10, [](double x) { return x > 0; });
  real("log1p", std::log1p, [](double x) { return x > -1; });
  real("sin", std::sin, [](double x) { return std::isfinite(x); });
  real("cos", std::cos, [](double x) { return std::isfinite(x); });
  real("tan", std::tan, [](double x) { return std::isfinite(x); });
  real("asin", std::asin, [](double x) { return x >= -1 && x <= 1; });
  real("acos", std::acos, [](double x) { return x >= -1 && x <= 1; });
  real("atan", std::atan);
  real("sinh", std::sinh);
  real("cosh", std::cosh);
  real("tanh", std::tanh);
  real("erf", std::erf);
  real("fabs", std::fabs);
  real("degrees", [](double x) { return x * 180.0 / M_PI; });
  real("radians", [](double x) { return x * M_PI / 180.0; });
  add("log", [](Ctx &call) -> Result {
    if (call.args.empty() || call.args.size() > 2)
      return call.raise("TypeError", "log() takes one or two numbers");
    double parts[2];
    for (size_t i = 0; i < call.args.size(); ++i) {
      FailureOr<double> part = call.asFloat(call.args[i], "the argument");
      if (failed(part))
        return failure();
      if (*part <= 0)
        return call.raise("ValueError", "math.log(" + formatDouble(*part) +
                                            ") is not defined");
      parts[i] = std::log(*part);
    }
    if (call.args.size() == 2 && parts[1] == 0)
      return call.raise("ZeroDivisionError", "math.log() in base 1");
    return Value::real(call.args.size() == 2 ? parts[0] / parts[1] : parts[0]);
  });
  auto whole = [&](StringRef name, double (*fn)(double)) {
    add(name, [fn](Ctx &call) -> Result {
      if (call.args.size() == 1 && call.args[0].isIntOrBool())
        return Value::integer(call.args[0].getInt());
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      double result = fn(x);
      if (!(result >= -9223372036854775808.0 && result < 9223372036854775808.0))
        return call.raise(std::isnan(x) ? "ValueError" : "OverflowError",
                          "math." + call.callee + "(" + formatDouble(x) +
                              ") does not fit 64 bits");
      return Value::integer(static_cast<int64_t>(result));
    });
  };
  whole("floor", std::floor);
  whole("ceil", std::ceil);
  whole("trunc", std::trunc);
  auto two = [&](StringRef name, double (*fn)(double, double)) {
    add(name, [fn](Ctx &call) -> Result {
      if (call.args.size() != 2)
        return call.raise("TypeError", call.callee + "() takes two numbers");
      FailureOr<double> x = call.asFloat(call.args[0], "the argument");
      FailureOr<double> y = failed(x)
                                ? FailureOr<double>(failure())
                                : call.asFloat(call.args[1], "the argument");
      if (failed(y))
        return failure();
      return Value::real(fn(*x, *y));
    });
  };
  two("atan2", std::atan2);
  two("fmod", std::fmod);
  two("hypot", std::hypot);
  two("copysign", std::copysign);
  two("pow", std::pow);
  auto test = [&](StringRef name, bool (*fn)(double)) {
    add(name, [fn](Ctx &call) -> Result {
      double x;
      if (failed(oneNumber(call, x)))
        return failure();
      return Value::boolean(fn(x));
    });
  };
  test("isnan", [](double x) { return std::isnan(x); });
  test("isinf", [](double x) { return std::isinf(x); });
  test("isfinite", [](double x) { return std::isfinite(x); });
  add("isqrt", [](Ctx &call) -> Result {
    FailureOr<int64_t> n = call.args.size() == 1
                               ? call.asInt(call.args[0], "the argument")
                               : FailureOr<int64_t>(call.raise(
                                     "TypeError", "isqrt() takes one int"));
    if (failed(n))
      return failure();
    if (*n < 0)
      return call.raise("ValueError", "math.isqrt() of a negative number");
    int64_t root = std::sqrt(static_cast<long double>(*n));
    return Value::integer(root);
  });
  add("gcd", [](Ctx &call) -> Result {
    int64_t result = 0;
    for (const Value &arg : call.args) {
      FailureOr<int64_t> n = call.asInt(arg, "the argument");
      if (failed(n))
        return failure();
      int64_t a = result, b = *n;
      if (b == INT64_MIN)
        return call.raise("OverflowError", "math.gcd() does not fit 64 bits");
      b = std::abs(b);
      while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
      }
      result = a;
    }
    return Value::integer(result);
  });
  add("lcm", [](Ctx &call) -> Result {
    int64_t result = 1;
    for (const Value &arg : call.args) {
      FailureOr<int64_t> n = call.asInt(arg, "the argument");
      if (failed(n))
        return failure();
      if (*n == 0)
        return Value::integer(0);
      int64_t a = result, b = *n;
      while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
      }
      if (__builtin_mul_overflow(result / a, *n, &result) ||
          result == INT64_MIN)
        return call.raise("OverflowError", "math.lcm() does not fit 64 bits");
      result = std::abs(result);
    }
    return Value::integer(result);
  });
  add("prod", [](Ctx &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"iterable", "start"}, 1, bound)))
      return failure();
    Value product = bound[1].isEmpty() ? Value::integer(1) : bound[1];
    LogicalResult looped = call.interpreter.forEach(
        bound[0], call.range, [&](const Value &element) {
          product = call.interpreter.binary(BinOpKind::Mult, product, element,
                                            call.range);
          return !product.isEmpty();
        });
    return failed(looped) ? Result(failure()) : wrap(product);
  });
  return module;
}

} // namespace pl::frontend
