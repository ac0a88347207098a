//===- SessionTest.cpp - tests of modules, kernels, parameters, fixtures --===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionSupport.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace pl::frontend;
using namespace pl::frontend::test;

namespace {

/// A directory of source files that is removed at the end.
class SessionFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("plc-session", directory));
  }
  void TearDown() override { (void)sys::fs::remove_directories(directory); }

  std::string write(StringRef name, StringRef text) {
    SmallString<128> path(directory);
    sys::path::append(path, name);
    (void)sys::fs::create_directories(sys::path::parent_path(path));
    std::error_code error;
    raw_fd_ostream(path, error) << text;
    return path.str().str();
  }

  SmallString<128> directory;
};

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

TEST_F(SessionFiles, ImportsBesideTheFileAndFromSearchPath) {
  write("a.plk", "v = 1\n");
  write("a.py", "v = 2\n");
  write("inc/b.py", "import a\nv = a.v + 10\n");
  write("inc/pack/__init__.py", "n = 5\n");
  write("inc/pack/sub.py", "n = 6\n");
  std::string main =
      write("main.plk", "import a, b\nfrom b import v as w\nimport pack.sub\n"
                        "from pack import n\nx = (a.v, w, pack.sub.n, n, "
                        "__name__, a.__name__)\n");
  LoadOptions options;
  options.includeDirs = {(directory + "/inc").str()};
  // `.plk` wins over `.py`. inc/b.py finds `a` beside the program.
  Program program(options);
  ASSERT_TRUE(program.loadFile(main)) << program.errors();
  EXPECT_EQ(program.global("x"), "(1, 11, 6, 5, 'main', 'a')");
}

TEST_F(SessionFiles, SysPath) {
  write("lib/c.py", "v = 3\n");
  Program program;
  ASSERT_TRUE(program.loadFile(
      write("main.py", "import sys\nfrom pathlib import Path\n"
                       "sys.path.insert(0, str(Path(__file__).parent / "
                       "'lib'))\nfrom c import v as x\n")))
      << program.errors();
  EXPECT_EQ(program.global("x"), "3");
}

TEST_F(SessionFiles, PartsInAFolderOfTheirOwn) {
  write("config.py", "TP = 2\n");
  std::string part = write("parts/stage.py", "from config import TP\nx = TP\n");
  Program alone;
  ASSERT_TRUE(alone.loadFile(part)) << alone.errors();
  EXPECT_EQ(alone.global("x"), "2");
  // What lies beside the file comes first.
  write("parts/config.py", "TP = 8\n");
  Program beside;
  ASSERT_TRUE(beside.loadFile(part)) << beside.errors();
  EXPECT_EQ(beside.global("x"), "8");
}

TEST_F(SessionFiles, OverrideMap) {
  write("config.py", "TP = 1\n");
  std::string other = write("other.py", "TP = 8\n");
  std::string main = write("main.py", "import config\nx = config.TP\n");
  LoadOptions options;
  options.overrides = {{"config", other}};
  Program program(options);
  ASSERT_TRUE(program.loadFile(main));
  EXPECT_EQ(program.global("x"), "8");
}

TEST_F(SessionFiles, ConfigurationIsChangedBeforeImporting) {
  write("config.py", "TP = 1\n");
  write("stage.py", "from config import TP\nSIZE = 100 // TP\n");
  std::string main =
      write("main.py", "import sys\nimport config\n"
                       "config.TP = int(sys.argv[sys.argv.index('--tp') + 1])\n"
                       "from stage import SIZE\nx = SIZE\n");
  LoadOptions options;
  options.argv = {"--tp", "4"};
  Program program(options);
  ASSERT_TRUE(program.loadFile(main)) << program.errors();
  EXPECT_EQ(program.global("x"), "25");
}

TEST_F(SessionFiles, ConfigurationIsChangedAfterItWasRead) {
  write("config.py", "TP = 2\nNAME = 'x'\n");
  write("early.py", "from config import TP\nSIZE = 64 // TP\n");
  write("late.py", "import config\nSIZE = 64 // config.TP\n");
  Program program;
  ASSERT_TRUE(program.loadFile(
      write("main.py", "import config\nimport early\nold = config.TP\n"
                       "config.TP = 4\nimport late\n"
                       "x = (early.SIZE, late.SIZE)\n")));
  EXPECT_EQ(program.global("x"), "(32, 16)");
  std::string printed = program.printed();
  EXPECT_NE(printed.find("early.py:1:20: warning: 'config.TP' was 2 when this "
                         "module read it, but 4 in the end"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("main.py:4:1: note: changed here"), std::string::npos)
      << printed;
  // Who assigns may read; who reads later agrees; so does an equal value.
  EXPECT_EQ(printed.find("late.py"), std::string::npos) << printed;
  Program same;
  ASSERT_TRUE(
      same.loadFile(write("same.py", "import config, early\nconfig.TP = 2\n")));
  EXPECT_EQ(same.printed(), "");
}

TEST_F(SessionFiles, CircularImports) {
  write("a.py", "import b\nv = 1\ndef get(): return b.w\n");
  write("b.py", "import a\nw = 2\n");
  std::string good = write("good.py", "import a\nx = a.get()\n");
  Program program;
  ASSERT_TRUE(program.loadFile(good)) << program.errors();
  EXPECT_EQ(program.global("x"), "2");

  write("c.py", "from d import y\nz = 1\n");
  write("d.py", "from c import z\ny = 1\n");
  Program bad;
  EXPECT_FALSE(bad.loadFile(write("bad.py", "import c\n")));
  EXPECT_EQ(bad.errors(),
            "1:15: ImportError: module 'c' has no name 'z' yet: it is still "
            "being imported (circular import: 'c' -> 'd' -> 'c')");
}

TEST_F(SessionFiles, ErrorsInImportedFiles) {
  write("broken.py", "x = )\n");
  Program program;
  EXPECT_FALSE(program.loadFile(write("main.py", "import broken\n")));
  // The syntax error, and nothing on top of it.
  EXPECT_EQ(program.errors(), "1:5: unmatched ')'");

  write("raises.py", "def f():\n  raise ValueError('no')\nf()\n");
  Program second;
  EXPECT_FALSE(second.loadFile(write("main2.py", "import raises\n")));
  ASSERT_EQ(second.diagnostics.getDiagnostics().size(), 1u);
  const Diagnostic &error = second.diagnostics.getDiagnostics()[0];
  EXPECT_EQ(error.message, "ValueError: no");
  ASSERT_EQ(error.notes.size(), 2u);
  EXPECT_EQ(error.notes[1].message, "while importing 'raises'");
}

TEST_F(SessionFiles, UnreadableFiles) {
  Program missing;
  EXPECT_FALSE(missing.loadFile("/nowhere/x.plk"));
  EXPECT_EQ(missing.errors(), "cannot read '/nowhere/x.plk': no such file");
  Program folder;
  EXPECT_FALSE(folder.loadFile(directory));
  EXPECT_NE(folder.errors().find("it is a directory"), std::string::npos);
  Program empty;
  EXPECT_TRUE(empty.loadFile(write("empty.plk", "")));
  std::string why;
  EXPECT_EQ(empty.session.getMainEntry(why), nullptr);
  EXPECT_EQ(why, "the file has no @pl.jit entry: mark the kernel to run with "
                 "@pl.jit, or give a module that imports this one");
  Program binary;
  EXPECT_FALSE(binary.loadFile(write("binary.plk", "x = '\xff'\n")));
  EXPECT_EQ(binary.errors(), "1:6: the file is not UTF-8 text (byte 0xFF)");
}

//===----------------------------------------------------------------------===//
// What was not found
//===----------------------------------------------------------------------===//

TEST(Opaque, OnlyItsUseIsAnError) {
  EXPECT_EQ(run("import numpy as np\nfrom golden import run_jit, TensorSpec\n"
                "import no_such.sub.mod\nspec = TensorSpec('x', "
                "np.float32)[0].shape\n"
                "@run_jit(1)\ndef f(): return 3\n"
                "if __name__ == '__main__': run_jit.go() + 1\nx = f()\n"),
            "3");
  std::string source = "import numpy as np\nrate = np.random.rand(3).mean()\n";
  EXPECT_EQ(errorOf(source + "x = rate + 1\n"),
            "3:5: ModuleNotFoundError: the value of "
            "'numpy.random.rand(...).mean(...)' is needed here, but module "
            "'numpy' was not found");
  for (const char *use :
       {"if rate: pass\n", "for i in rate: pass\n", "x = f'{rate}'\n",
        "x = [1, 2][rate]\n", "x = {rate: 1}\n", "x = int(rate)\n",
        "x = rate == 1\n", "x = -rate\n", "x = max(rate, 1)\n",
        "x = range(rate)\n", "a, b = rate\n", "raise rate\n"})
    EXPECT_NE(errorOf(source + use).find("module 'numpy' was not found"),
              std::string::npos)
        << use;
  // The note shows the import.
  Program program;
  EXPECT_FALSE(program.load(source + "x = rate + 1\n"));
  const Diagnostic &error = program.diagnostics.getDiagnostics()[0];
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_EQ(program.sources.resolve(error.notes[0].range).line, 1u);
}

TEST(Opaque, TryImportTakesTheOtherWay) {
  EXPECT_EQ(run("try:\n  import surely_missing\n  x = 1\nexcept ImportError:\n"
                "  x = 2\n"),
            "2");
}

//===----------------------------------------------------------------------===//
// pl values
//===----------------------------------------------------------------------===//

TEST(HostPl, OneModuleUnderAllItsNames) {
  EXPECT_EQ(run("import pl\nimport pypto.language as a\nfrom pypto import "
                "language as b\nimport pypto.language.distributed as pld\n"
                "import pld as c\nx = (pl is a, a is b, pld is c, "
                "pl.FP32 == a.FP32, pl.FP32 is a.FP32)\n"),
            "(True, True, True, True, True)");
  EXPECT_EQ(run("import pl\nx = (pl.BF16.get_byte(), pl.INDEX, "
                "pl.SplitMode.UP_DOWN.value, pl.Mem is pl.MemorySpace, "
                "pl.tile.MaskPattern.P1111.value)\n"),
            "(2, pl.INDEX, 1, True, 7)");
  EXPECT_EQ(run("import pl\na = pl.dynamic('T')\nb = pl.dynamic('T')\n"
                "x = (a == a, a == b, len({a, b}))\n"),
            "(True, False, 2)");
  EXPECT_EQ(errorOf("import pl\nx = pl.dynamic('a b')\n"),
            "2:5: ValueError: the name of a dynamic dim must be an identifier, "
            "not 'a b'");
  EXPECT_EQ(errorOf("import pl\nx = pl.SplitMode.UPDOWN\n"),
            "2:18: AttributeError: 'SplitMode' has no member 'UPDOWN'; did you "
            "mean 'UP_DOWN'?");
  EXPECT_EQ(errorOf("import pl\nx = pl.add(1, 2)\n"),
            "2:8: AttributeError: 'pl.add' has no meaning at module level; "
            "device operations belong in kernels");
  EXPECT_EQ(run("import pl\nx = (pl.Level.UMA is pl.Level.CHIP, pl.NZ is "
                "pl.TensorLayout.NZ, pl.Role.SubWorker.value, "
                "pl.FunctionType.AIV.name)\n"),
            "(True, True, 1, 'AIV')");
  // Sizes computed from a dynamic dim are known when it is.
  EXPECT_EQ(errorOf("import pl\nT = pl.dynamic('T')\nx = T + 1\n"), "");
}

TEST(HostPl, WhatIsLackingIsAnErrorOnlyWhereItIsNeeded) {
  EXPECT_EQ(run("import pl, sys, math\nfrom pl import FP8E5M2, sub\n"
                "table = {'add': pl.add, 'fp8': pl.FP8E5M2, 'load': pl.load}\n"
                "x = (len(table), hasattr(pl, 'add'), "
                "getattr(sys, 'executable', 'none'))\n"
                "def later(): return math.nextafter(1, 2)\n"),
            "(3, False, 'none')");
  EXPECT_EQ(errorOf("import math\nx = math.sqroot(2)\n"),
            "2:10: AttributeError: module 'math' has no attribute 'sqroot'; "
            "did you mean 'sqrt'?");
  // A misspelt decorator would lose a kernel.
  EXPECT_EQ(errorOf("import pl\n@pl.jitt\ndef f(a): pass\n"),
            "2:5: AttributeError: 'pl.jitt' has no meaning at module level; "
            "did you mean 'jit'?");
}

TEST(HostPl, Kernels) {
  Program program;
  ASSERT_TRUE(program.load(
      "import pl\nN = 4\nT = pl.dynamic('T')\n"
      "@pl.jit.inline(auto_scope=False)\n"
      "def helper(a: pl.Tensor[[T, N * 2], pl.BF16], s: pl.Scalar[pl.TASK_ID])"
      " -> tuple[pl.Tensor, pl.Scalar[pl.TASK_ID]]:\n  undefined(a)\n"
      "def make(k):\n  @pl.jit\n  def entry(a: pl.Tensor[[k], pl.FP32], "
      "o: pl.Out[pl.Tensor[[T, k], pl.INT8]]):\n    helper(a)\n"
      "  return entry\nentry = make(7)\n"
      "@pl.jit.host\ndef host(w: pl.Tensor): pass\n"))
      << program.errors();
  Session &session = program.session;
  ASSERT_EQ(session.getKernels().size(), 3u);
  KernelObject *helper = session.findKernel("helper");
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->kind, KernelKind::Inline);
  EXPECT_FALSE(helper->getAutoScope());
  auto annotation = [&](const KernelObject *kernel, unsigned i) {
    FailureOr<TypeAnnotation> type =
        session.evaluateAnnotation(*kernel, kernel->def->params[i].annotation);
    return succeeded(type) ? str(*type) : "failed";
  };
  EXPECT_EQ(annotation(helper, 0), "pl.Tensor[[T, 8], pl.BF16]");
  EXPECT_EQ(annotation(helper, 1), "pl.Scalar[pl.TASK_ID]");
  FailureOr<TypeAnnotation> returns =
      session.evaluateAnnotation(*helper, helper->def->returns);
  ASSERT_TRUE(succeeded(returns));
  EXPECT_EQ(str(*returns), "tuple[pl.Tensor, pl.Scalar[pl.TASK_ID]]");

  // A closure: `k` is the argument of make, `helper` a global, `len` a builtin.
  KernelObject *entry = session.findKernel("entry");
  ASSERT_TRUE(entry);
  EXPECT_EQ(annotation(entry, 1), "pl.Out[pl.Tensor[[T, 7], pl.INT8]]");
  ASSERT_TRUE(session.lookup(*entry, "k"));
  EXPECT_EQ(session.lookup(*entry, "k")->getInt(), 7);
  EXPECT_EQ(session.lookup(*entry, "helper")->as<KernelObject>(), helper);
  EXPECT_TRUE(session.lookup(*entry, "len"));
  EXPECT_FALSE(session.lookup(*entry, "undefined"));

  std::string why;
  EXPECT_EQ(session.getMainEntry(why), session.findKernel("host"));
}

TEST(HostPl, AnnotationErrors) {
  auto errorOfAnnotation = [](StringRef annotation) {
    Program program;
    EXPECT_TRUE(program.load(("import pl\nT = pl.dynamic('T')\n@pl.jit\n"
                              "def f(a: " +
                              annotation + "): pass\n")
                                 .str()) ||
                true);
    if (!program.diagnostics.hasErrors()) {
      const KernelObject *kernel = program.session.findKernel("f");
      EXPECT_TRUE(failed(program.session.evaluateAnnotation(
          *kernel, kernel->def->params[0].annotation)));
    }
    return program.errors();
  };
  EXPECT_EQ(errorOfAnnotation("pl.Tensor[[2.5], pl.FP32]"),
            "4:10: TypeError: axis 0 of the shape must be an integer or a "
            "dynamic dim (pl.dynamic), not a 'float'");
  EXPECT_EQ(errorOfAnnotation("pl.Out[pl.Scalar[pl.INT32]]"),
            "4:10: TypeError: pl.Out of a pl.Scalar: a scalar parameter is "
            "always an input");
  EXPECT_EQ(errorOfAnnotation("pl.Tensor[[4], 3]"),
            "4:10: TypeError: pl.Tensor needs a dtype such as pl.FP32, not 3");
  EXPECT_EQ(errorOfAnnotation("pl.Tensor[[-4], pl.FP32]"),
            "4:10: ValueError: axis 0 of the shape is negative: -4");
  EXPECT_EQ(errorOfAnnotation("'text'"),
            "4:10: TypeError: 'text' is no type of a kernel parameter; use "
            "pl.Tensor[...], pl.Scalar[...] or pld.DistributedTensor[...]");
}

TEST(HostPl, KernelsAreNotRun) {
  EXPECT_EQ(errorOf("import pl\n@pl.jit\ndef f(): pass\nf()\n"),
            "4:1: TypeError: kernel 'f' cannot be called outside kernels; "
            "'plc run' launches entries");
  EXPECT_EQ(errorOf("import pl\n@pl.jit.incore(auto_scope=False)\ndef f(): "
                    "pass\n"),
            "2:2: TypeError: @pl.jit.incore takes no 'auto_scope'; only "
            "pl.jit, pl.jit.host and pl.jit.inline do");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

constexpr const char *kParams =
    "import pl\ntp = pl.param('tp', 2, choices=(1, 2, 4), help='ranks')\n"
    "rate = pl.param('rate', 0.5)\nvaried = pl.param('varied', False)\n"
    "name = pl.param('name', 'flash')\nx = (tp, rate, varied, name)\n";

TEST(Params, DefaultsAndValues) {
  EXPECT_EQ(run(kParams), "(2, 0.5, False, 'flash')");
  LoadOptions options;
  options.defines = {
      {"tp", "4"}, {"rate", "1e-3"}, {"varied", "true"}, {"name", "12"}};
  Program program(options);
  ASSERT_TRUE(program.load(kParams)) << program.errors();
  EXPECT_EQ(program.global("x"), "(4, 0.001, True, '12')");
  ASSERT_EQ(program.session.getParams().size(), 4u);
  EXPECT_EQ(program.session.getParams()[0].help, "ranks");
  EXPECT_TRUE(program.session.findParam("tp")->isSet);
}

TEST(Params, UsageErrors) {
  auto usage = [](const char *name, const char *value) {
    LoadOptions options;
    options.defines = {{name, value}};
    Program program(options);
    EXPECT_FALSE(program.load(kParams));
    EXPECT_TRUE(program.session.hasUsageErrors());
    return program.errors();
  };
  EXPECT_EQ(usage("tp", "3"), "2:6: -D tp=3: 'tp' is one of 1, 2, 4");
  EXPECT_EQ(usage("tp", "two"), "2:6: -D tp=two: 'tp' takes an integer");
  EXPECT_EQ(usage("varied", "maybe"),
            "4:10: -D varied=maybe: 'varied' takes true or false");
  EXPECT_EQ(usage("nam", "x"), "-D nam: the program has no parameter 'nam'; "
                               "did you mean 'name'?");
  // An ordinary mistake is no usage error.
  Program program;
  EXPECT_FALSE(program.load("1 // 0\n"));
  EXPECT_FALSE(program.session.hasUsageErrors());
}

TEST(Params, DeclaredOnce) {
  EXPECT_EQ(errorOf("import pl\na = pl.param('n', 1)\nb = pl.param('n', 1)\n"
                    "c = pl.param('n', 2)\n"),
            "4:5: ValueError: parameter 'n' is declared twice with different "
            "defaults");
}

//===----------------------------------------------------------------------===//
// Fixtures, goldens, comparisons
//===----------------------------------------------------------------------===//

constexpr const char *kEntry =
    "import pl\nlog = []\n@pl.jit\ndef entry(a: pl.Tensor, b: pl.Tensor, "
    "c: pl.Tensor, o: pl.Tensor): pass\n"
    "def make(name):\n  log.append(name)\n  return [name]\n"
    "@pl.fixture(entry)\ndef inputs():\n  return {'a': pl.lazy(lambda: "
    "make('a')), 'b': lambda: make('b'), 'c': [1, 2]}\n"
    "@pl.golden(entry)\ndef golden(t):\n  t['a'].append('changed')\n"
    "  t['c'].append(3)\n  return {'o': t['a'] + t['c']}\n"
    "pl.compare(entry, o=pl.ratio_allclose(1e-4, 1 / 128, prefix=3))\n"
    "pl.main(entry)\n";

TEST(Fixtures, LazyInputsAndCopiesForTheGolden) {
  Program program;
  ASSERT_TRUE(program.load(kEntry)) << program.errors();
  Session &session = program.session;
  std::string why;
  KernelObject *entry = session.getMainEntry(why);
  ASSERT_EQ(entry, session.findKernel("entry"));
  FailureOr<Ref<DictObject>> inputs = session.callFixture(entry);
  ASSERT_TRUE(succeeded(inputs));
  EXPECT_EQ(program.global("log"), "[]");
  FailureOr<Ref<DictObject>> outputs = session.callGolden(entry, *inputs);
  ASSERT_TRUE(succeeded(outputs)) << program.errors();
  EXPECT_EQ(repr(*(*outputs)->table.find("o")), "['a', 'changed', 1, 2, 3]");
  // Nobody read b; a was made once, and the golden changed only its copy.
  EXPECT_EQ(program.global("log"), "['a']");
  FailureOr<Value> a = session.force(*(*inputs)->table.find("a"));
  ASSERT_TRUE(succeeded(a));
  EXPECT_EQ(repr(*a), "['a']");
  EXPECT_EQ(repr(*(*inputs)->table.find("c")), "[1, 2]");
  EXPECT_EQ(program.global("log"), "['a']");
  FailureOr<Value> b = session.force(*(*inputs)->table.find("b"));
  ASSERT_TRUE(succeeded(b));
  EXPECT_EQ(program.global("log"), "['a', 'b']");
}

TEST(Fixtures, Comparators) {
  Program program;
  ASSERT_TRUE(program.load(kEntry));
  const EntryRecord *record =
      program.session.getEntry(program.session.findKernel("entry"));
  ASSERT_TRUE(record);
  ASSERT_EQ(record->compares.size(), 1u);
  EXPECT_EQ(record->compares[0].output, "o");
  const ComparatorObject &comparator = *record->compares[0].comparator;
  EXPECT_EQ(comparator.comparator, ComparatorObject::Kind::RatioAllclose);
  EXPECT_EQ(comparator.atol, 1e-4);
  EXPECT_EQ(comparator.rtol, 1.0 / 128);
  EXPECT_EQ(comparator.ratio, 0.005);
  EXPECT_EQ(comparator.prefix.getInt(), 3);
  EXPECT_EQ(run("import pl\na = pl.ratio_reldiff(3e-3, 0.008, 1.0)\n"
                "b = pl.mapped_pool('m', atol=1, rtol=2)\nc = pl.exact()\n"
                "x = (a, b, c)\n"),
            "(pl.ratio_reldiff(...), pl.mapped_pool(...), pl.exact(...))");
}

TEST(Fixtures, Mistakes) {
  std::string entry = "import pl\n@pl.jit\ndef entry(a: pl.Tensor): pass\n";
  EXPECT_EQ(errorOf(entry + "pl.compare(entry, out=pl.exact())\n"),
            "4:1: ValueError: entry 'entry' has no parameter 'out'");
  EXPECT_EQ(errorOf(entry + "pl.compare(entry, a=1)\n"),
            "4:1: TypeError: pl.compare(): 'a' needs a comparator such as "
            "pl.exact(), not a 'int'");
  EXPECT_EQ(errorOf(entry + "@pl.fixture(entry)\ndef f(): pass\n"
                            "@pl.fixture(entry)\ndef g(): pass\n"),
            "6:2: ValueError: entry 'entry' has a second fixture");
  EXPECT_EQ(errorOf(entry + "pl.main(3)\n"),
            "4:1: TypeError: pl.main() needs a kernel, not a 'int'");
  EXPECT_EQ(errorOf("import pl\npl.exact(1)\n"),
            "2:1: TypeError: exact() takes at most 0 arguments, but got 1");
  Program program;
  ASSERT_TRUE(program.load(entry + "@pl.fixture(entry)\ndef f(): return 5\n"));
  const KernelObject *kernel = program.session.findKernel("entry");
  EXPECT_TRUE(failed(program.session.callFixture(kernel)));
  EXPECT_EQ(program.errors(),
            "4:2: TypeError: a fixture must return a dict, not a 'int'");
}

TEST(Output, Print) {
  std::string text;
  raw_string_ostream os(text);
  LoadOptions options;
  options.output = &os;
  Program program(options);
  ASSERT_TRUE(program.load("print(1, 'a', [2.0], sep='-', end='!')\n"));
  EXPECT_EQ(text, "1-a-[2.0]!");
}

} // namespace
