//===- StdSystem.cpp - the modules sys, os and pathlib --------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StdModules.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace pl::frontend {

using Ctx = CallContext;

Ref<ModuleObject> makeSys(const LoadOptions &options, StringRef program) {
  Ref<ModuleObject> module(new ModuleObject("sys"));
  std::vector<Value> argv{Value::str(program)};
  for (const std::string &arg : options.argv)
    argv.push_back(Value::str(arg));
  module->set("argv", Value::list(std::move(argv)));
  StringRef directory = sys::path::parent_path(program);
  module->set("path",
              Value::list({Value::str(directory.empty() ? "." : directory)}));
  module->set("modules", Value(new DictObject()));
  module->set("platform", Value::str("linux"));
  module->set("maxsize", Value::integer(INT64_MAX));
  module->set(
      "version_info",
      Value::tuple({Value::integer(3), Value::integer(10), Value::integer(0)}));
  module->set("exit", makeNative("exit", [](Ctx &call) -> Result {
                return call.raise("SystemExit",
                                  call.args.empty() ? "0" : str(call.args[0]));
              }));
  Ref<ModuleObject> stream(new ModuleObject("stream"));
  for (StringRef name : {"write", "flush"})
    stream->set(
        name, makeNative(name, [](Ctx &) -> Result { return Value::none(); }));
  module->set("stderr", Value(stream));
  module->set("stdout", Value(stream));
  return module;
}

Ref<ModuleObject> makeOs() {
  Ref<ModuleObject> module(new ModuleObject("os"));
  auto text = [](Ctx &call, size_t i) -> FailureOr<std::string> {
    if (i >= call.args.size())
      return call.raise("TypeError", call.callee + "() needs a path");
    FailureOr<StringRef> given = call.asStr(call.args[i], "the path");
    if (failed(given))
      return failure();
    return given->str();
  };
  auto getenv = [](Ctx &call) -> Result {
    SmallVector<Value> bound;
    if (failed(call.bind({"key", "default"}, 1, bound)))
      return failure();
    FailureOr<StringRef> name = call.asStr(bound[0], "the name");
    if (failed(name))
      return failure();
    if (std::optional<std::string> value = sys::Process::GetEnv(*name))
      return Value::str(*value);
    return bound[1].isEmpty() ? Value::none() : bound[1];
  };
  Ref<ModuleObject> environ(new ModuleObject("environ"));
  environ->set("get", makeNative("get", getenv));
  environ->set("setdefault", makeNative("setdefault", getenv));
  module->set("environ", Value(environ));
  module->set("getenv", makeNative("getenv", getenv));
  Ref<ModuleObject> path(new ModuleObject("os.path"));
  path->set("join", makeNative("join", [text](Ctx &call) -> Result {
              SmallString<128> joined;
              for (size_t i = 0; i < call.args.size(); ++i) {
                FailureOr<std::string> part = text(call, i);
                if (failed(part))
                  return failure();
                if (sys::path::is_absolute(*part))
                  joined.clear();
                sys::path::append(joined, *part);
              }
              return Value::str(joined);
            }));
  auto map = [&](StringRef name, std::string (*fn)(StringRef)) {
    path->set(name, makeNative(name, [fn, text](Ctx &call) -> Result {
                FailureOr<std::string> given = text(call, 0);
                if (failed(given))
                  return failure();
                return Value::str(fn(*given));
              }));
  };
  map("dirname", [](StringRef p) { return sys::path::parent_path(p).str(); });
  map("basename", [](StringRef p) { return sys::path::filename(p).str(); });
  auto absolute = [](StringRef p) {
    SmallString<128> full(p);
    (void)sys::fs::make_absolute(full);
    sys::path::remove_dots(full, true);
    return full.str().str();
  };
  map("abspath", absolute);
  map("realpath", absolute);
  map("normpath", [](StringRef p) {
    SmallString<128> full(p);
    sys::path::remove_dots(full, true);
    return full.str().str();
  });
  auto test = [&](StringRef name, bool (*fn)(const Twine &)) {
    path->set(name, makeNative(name, [fn, text](Ctx &call) -> Result {
                FailureOr<std::string> given = text(call, 0);
                if (failed(given))
                  return failure();
                return Value::boolean(fn(*given));
              }));
  };
  test("exists", [](const Twine &p) { return sys::fs::exists(p); });
  test("isdir", [](const Twine &p) { return sys::fs::is_directory(p); });
  test("isfile", [](const Twine &p) { return sys::fs::is_regular_file(p); });
  module->set("path", Value(path));
  return module;
}

static constexpr StringLiteral kPathlib = R"py(
import os


class Path:
    def __init__(self, *parts):
        self._path = os.path.join(*[str(part) for part in parts]) if parts else "."

    def __str__(self):
        return self._path

    def __repr__(self):
        return f"Path({self._path!r})"

    def __fspath__(self):
        return self._path

    def __eq__(self, other):
        return isinstance(other, Path) and self._path == other._path

    def __hash__(self):
        return hash(self._path)

    def __truediv__(self, part):
        return Path(self._path, part)

    def joinpath(self, *parts):
        return Path(self._path, *parts)

    def resolve(self):
        return Path(os.path.abspath(self._path))

    def absolute(self):
        return self.resolve()

    def exists(self):
        return os.path.exists(self._path)

    def is_dir(self):
        return os.path.isdir(self._path)

    def is_file(self):
        return os.path.isfile(self._path)

    def as_posix(self):
        return self._path

    @property
    def parent(self):
        return Path(os.path.dirname(self._path) or ".")

    @property
    def parents(self):
        result = []
        current = self._path
        while os.path.dirname(current) not in ("", current):
            current = os.path.dirname(current)
            result.append(Path(current))
        return result

    @property
    def name(self):
        return os.path.basename(self._path)

    @property
    def suffix(self):
        dot = self.name.rfind(".")
        return self.name[dot:] if dot > 0 else ""

    @property
    def stem(self):
        return self.name.removesuffix(self.suffix)


PurePath = Path
PosixPath = Path
)py";

StringRef getPathlibSource() { return kPathlib.trim(); }

} // namespace pl::frontend
