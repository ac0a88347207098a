//===- InterpreterTest.cpp - tests of the host interpreter ----------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionSupport.h"

using namespace llvm;
using namespace pl::frontend;
using namespace pl::frontend::test;

namespace {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST(Interpreter, Integers) {
  EXPECT_EQ(eval("7 // 2, -7 // 2, 7 // -2, -7 // -2"), "(3, -4, -4, 3)");
  EXPECT_EQ(eval("7 % 3, -7 % 3, 7 % -3, -7 % -3"), "(1, 2, -2, -1)");
  EXPECT_EQ(eval("2 ** 62, (-2) ** 63, 2 ** -1, 0 ** 0"),
            "(4611686018427387904, -9223372036854775808, 0.5, 1)");
  EXPECT_EQ(eval("7 / 2, 1 << 4, -9 >> 1, 6 & 3, 6 | 3, 6 ^ 3, ~5"),
            "(3.5, 16, -5, 2, 7, 5, -6)");
  EXPECT_EQ(eval("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(eval("True + True, True & False, -True"), "(2, False, -1)");
  EXPECT_EQ(eval("0x7fffffffffffffff"), "9223372036854775807");
}

TEST(Interpreter, OverflowIsAnErrorBeforeItHappens) {
  EXPECT_EQ(errorOf("x = 9223372036854775807 + 1\n"),
            "1:5: OverflowError: integer overflow: 9223372036854775807 + 1 "
            "does not fit 64 bits");
  EXPECT_EQ(errorOf("x = 2 ** 63\n"), "1:5: OverflowError: integer overflow: 2 "
                                      "** 63 does not fit 64 bits");
  EXPECT_EQ(errorOf("x = 1 << 63\n"), "1:5: OverflowError: integer overflow: 1 "
                                      "<< 63 does not fit 64 bits");
  EXPECT_EQ(errorOf("x = -9223372036854775808 // -1\n"),
            "1:5: OverflowError: integer overflow: -9223372036854775808 // -1 "
            "does not fit 64 bits");
  EXPECT_EQ(errorOf("x = 99999999999999999999\n"),
            "1:5: OverflowError: integer literal 99999999999999999999 does not "
            "fit 64 bits");
  EXPECT_EQ(errorOf("x = int(1e30)\n"),
            "1:5: OverflowError: int(1e+30) does not fit 64 bits");
}

TEST(Interpreter, Floats) {
  EXPECT_EQ(eval("0.1 + 0.2, 1e16, 1e-5, 123456789.0, 1e22, 5e-324"),
            "(0.30000000000000004, 1e+16, 1e-05, 123456789.0, 1e+22, 5e-324)");
  EXPECT_EQ(eval("7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7 // 2.0"),
            "(3.0, -4.0, 1.5, 0.5, 3.0)");
  EXPECT_EQ(eval("float('inf'), float('-inf'), float('nan'), float('1_0.5')"),
            "(inf, -inf, nan, 10.5)");
  EXPECT_EQ(eval("int(2.9), int(-2.9), int('0x10', 16), int('-12')"),
            "(2, -2, 16, -12)");
  EXPECT_EQ(eval("round(2.5), round(3.5), round(2.675, 2), round(15, -1)"),
            "(2, 4, 2.67, 20)");
  EXPECT_EQ(eval("9007199254740993 == 9007199254740992.0"), "False");
  EXPECT_EQ(errorOf("x = 1.0 / 0\n"),
            "1:5: ZeroDivisionError: float division by zero");
  EXPECT_EQ(errorOf("x = 5 % 0\n"),
            "1:5: ZeroDivisionError: division by zero: 5 % 0");
}

TEST(Interpreter, Comparisons) {
  EXPECT_EQ(eval("1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True"),
            "(True, False, True)");
  EXPECT_EQ(eval("'a' < 'b', [1, 2] < [1, 3], (1,) < (1, 0), [] == ()"),
            "(True, True, True, False)");
  EXPECT_EQ(eval("2 in [1, 2], 'bc' in 'abcd', 3 not in {1: 2}, None is None"),
            "(True, True, True, True)");
  EXPECT_EQ(eval("5 in range(1, 10, 2), 4 in range(1, 10, 2), 3 in range(9, "
                 "0, -3)"),
            "(True, False, True)");
  EXPECT_EQ(eval("1 and 0 or 'x', not [], 0 or None"), "('x', True, None)");
  EXPECT_EQ(eval("1 == '1', None == 0, {1: 2} == {1: 2.0}"),
            "(False, False, True)");
  EXPECT_EQ(errorOf("x = 1 < 'a'\n"),
            "1:5: TypeError: '<' is not supported between 'int' and 'str'");
}

TEST(Interpreter, Strings) {
  EXPECT_EQ(eval("'abc'[1], 'abc'[-1], 'abcdef'[1:5:2], 'abc'[::-1]"),
            "('b', 'c', 'bd', 'cba')");
  EXPECT_EQ(eval("len('größe'), 'größe'[2], 'größe'[2:4]"), "(5, 'ö', 'öß')");
  EXPECT_EQ(eval("'a,b,,c'.split(','), ' a  b '.split(), 'a-b-c'.rsplit('-', "
                 "1)"),
            "(['a', 'b', '', 'c'], ['a', 'b'], ['a-b', 'c'])");
  EXPECT_EQ(eval("'-'.join(['a', 'b']), 'aXbX'.replace('X', 'yy'), "
                 "'abc'.upper()"),
            "('a-b', 'ayybyy', 'ABC')");
  EXPECT_EQ(eval("'abc'.startswith(('x', 'a')), 'abc'.find('c'), "
                 "'7'.zfill(3), 'a'.center(5, '*')"),
            "(True, 2, '007', '**a**')");
  EXPECT_EQ(eval("'ab' * 2, 'a' 'b' + 'c', str(1.5), 'it\\'s'"),
            "('abab', 'abc', '1.5', \"it's\")");
  EXPECT_EQ(eval("chr(960), ord('π'), 'a=b'.partition('=')"),
            "('π', 960, ('a', '=', 'b'))");
}

TEST(Interpreter, Formatting) {
  EXPECT_EQ(eval("f'{3.14159:.2f}|{42:>6}|{42:<6}|{42:^6}|{42:06d}'"),
            "'3.14|    42|42    |  42  |000042'");
  EXPECT_EQ(eval("f'{1234567:,}|{255:#x}|{5:b}|{0.25:%}|{-3:+}|{3:+}'"),
            "'1,234,567|0xff|101|25.000000%|-3|+3'");
  EXPECT_EQ(eval("f'{1e10:g}|{1.5:e}|{True}|{None}|{[1, \"a\"]}'"),
            "\"1e+10|1.500000e+00|True|None|[1, 'a']\"");
  EXPECT_EQ(eval("f\"{'x':*>4}|{'abc':.2}|{'x'!r}|{1 + 1 = }\""),
            "\"***x|ab|'x'|1 + 1 = 2\"");
  EXPECT_EQ(eval("f'{2.5:{8}.{3}f}'"), "'   2.500'");
  EXPECT_EQ(eval("'%d %5.1f %s %r %05d%%' % (3, 2.25, 'x', 'y', 42)"),
            "\"3   2.2 x 'y' 00042%\"");
  EXPECT_EQ(eval("'{} {0} {a:>3} {b[0]}'.format(1, a=2, b=[3])"),
            "'1 1   2 3'");
  EXPECT_EQ(errorOf("x = f'{1:q}'\n"), "1:8: ValueError: format specification "
                                       "'q' is not valid for 'int'");
}

TEST(Interpreter, Containers) {
  EXPECT_EQ(run("x = [3, 1, 2]\nx.append(0)\nx.sort()\nx.insert(1, 9)\n"
                "x += [7]\ndel x[0]\nx[1:3] = ['a']\nx.extend((1,))\n"),
            "[9, 'a', 3, 7, 1]");
  EXPECT_EQ(run("d = {'a': 1}\nd['b'] = 2\nd.update(c=3)\ny = d.pop('a')\n"
                "x = (d, y, list(d), d.get('z', 0), sorted(d.items()))\n"),
            "({'b': 2, 'c': 3}, 1, ['b', 'c'], 0, [('b', 2), ('c', 3)])");
  EXPECT_EQ(eval("{1, 2} | {2, 3}, {1, 2} & {2}, {1, 2} - {2}, {1} <= {1, 2}"),
            "({1, 2, 3}, {2}, {1}, True)");
  EXPECT_EQ(eval("{**{'a': 1}, 'b': 2}, [*range(3), 9], (1, *'ab')"),
            "({'a': 1, 'b': 2}, [0, 1, 2, 9], (1, 'a', 'b'))");
  EXPECT_EQ(eval("(1, 2, 3)[1:], [1, 2] * 2, [0] + [1], len({1: 2})"),
            "((2, 3), [1, 2, 1, 2], [0, 1], 1)");
  EXPECT_EQ(eval("list(range(5, 0, -2)), range(10)[2:8:3], range(3)[-1]"),
            "([5, 3, 1], range(2, 8, 3), 2)");
  EXPECT_EQ(eval("{1: 'a', 1.0: 'b', True: 'c'}"), "{1: 'c'}");
  EXPECT_EQ(errorOf("x = [1, 2][2]\n"), "1:5: IndexError: list index 2 is out "
                                        "of range for length 2");
  EXPECT_EQ(errorOf("d = {'alpha': 1}\nx = d['alpa']\n"),
            "2:5: KeyError: 'alpa' is no key of the dict; did you mean "
            "'alpha'?");
  EXPECT_EQ(errorOf("x = {[1]: 2}\n"),
            "1:6: TypeError: unhashable type 'list' cannot be a key or an "
            "element of a set");
}

TEST(Interpreter, Comprehensions) {
  EXPECT_EQ(eval("[i * j for i in range(3) for j in range(i) if i + j > 1]"),
            "[0, 2]");
  EXPECT_EQ(eval("{k: v for k, v in [(1, 2)]}, {i % 2 for i in range(5)}"),
            "({1: 2}, {0, 1})");
  EXPECT_EQ(eval("sum(i for i in range(5)), next(i for i in range(9) if i > "
                 "3)"),
            "(10, 4)");
  // The variable is the comprehension's own; lambdas see its last value.
  EXPECT_EQ(run("i = 7\nf = [lambda: i for i in range(3)]\nx = (i, f[0]())\n"),
            "(7, 2)");
  // A generator expression stops where it is not asked on.
  EXPECT_EQ(run("seen = []\ndef f(i):\n  seen.append(i)\n  return i > 1\n"
                "y = any(f(i) for i in range(100))\nx = seen\n"),
            "[0, 1, 2]");
  EXPECT_EQ(run("x = [y := 1, y ** 2, [y := y + i for i in range(3)], y]\n"),
            "[1, 1, [1, 2, 4], 4]");
}

TEST(Interpreter, Builtins) {
  EXPECT_EQ(eval("min(3, 1), max([1, 5]), min([], default=0), max('ab', 'b', "
                 "key=len)"),
            "(1, 5, 0, 'ab')");
  EXPECT_EQ(eval("sorted([3, 1, 2], key=lambda v: -v), "
                 "list(reversed([1, 2])), sum([[1], [2]], [])"),
            "([3, 2, 1], [2, 1], [1, 2])");
  EXPECT_EQ(eval("list(enumerate('ab', 1)), list(zip([1, 2], 'ab')), "
                 "list(map(lambda a, b: a + b, [1], [2])), "
                 "list(filter(None, [0, 1]))"),
            "([(1, 'a'), (2, 'b')], [(1, 'a'), (2, 'b')], [3], [1])");
  EXPECT_EQ(eval("any([0, 1]), all([1, 0]), abs(-3), abs(-2.5), divmod(-7, 2), "
                 "pow(3, 4, 5)"),
            "(True, False, 3, 2.5, (-4, 1), 1)");
  EXPECT_EQ(eval("isinstance(True, int), isinstance(1, (str, int)), "
                 "isinstance('', list), type(1) is int, callable(len)"),
            "(True, True, False, True, True)");
  EXPECT_EQ(eval("hex(255), bin(5), bool(''), tuple([1]), dict(a=1), "
                 "set([1, 1]), list('ab')"),
            "('0xff', '0b101', False, (1,), {'a': 1}, {1}, ['a', 'b'])");
  // Sorting is stable, also downwards.
  EXPECT_EQ(eval("sorted([(1, 'b'), (0, 'x'), (1, 'a')], key=lambda p: p[0], "
                 "reverse=True)"),
            "[(1, 'b'), (1, 'a'), (0, 'x')]");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

TEST(Interpreter, ControlFlow) {
  EXPECT_EQ(run("x = []\nfor i in range(5):\n  if i == 1: continue\n"
                "  if i == 3: break\n  x.append(i)\nelse:\n  x.append('no')\n"),
            "[0, 2]");
  EXPECT_EQ(run("x = 0\nwhile x < 3: x += 1\nelse: x = -x\n"), "-3");
  EXPECT_EQ(run("a, (b, *c), d = 1, [2, 3, 4], 5\nx = (a, b, c, d)\n"),
            "(1, 2, [3, 4], 5)");
  EXPECT_EQ(run("x = 5\nif x < 3: x = 'a'\nelif x < 6: x = 'b'\nelse: x = "
                "'c'\n"),
            "'b'");
  EXPECT_EQ(errorOf("a, b = 1, 2, 3\n"), "1:1: ValueError: too many values to "
                                         "unpack: expected 2, but got 3");
}

TEST(Interpreter, Exceptions) {
  EXPECT_EQ(run("x = []\ntry:\n  x.append(1)\n  raise ValueError('v', 2)\n"
                "except KeyError: pass\nexcept (TypeError, ValueError) as e:\n"
                "  x.append(e.args)\nelse: x.append('else')\n"
                "finally: x.append('end')\n"),
            "[1, ('v', 2), 'end']");
  EXPECT_EQ(run("def f():\n  try: return 1\n  finally: g.append(2)\n"
                "g = []\nx = (f(), g)\n"),
            "(1, [2])");
  EXPECT_EQ(run("class E(ValueError): pass\ntry: raise E('m')\n"
                "except ValueError as e: x = (str(e), type(e).__name__)\n"),
            "('m', 'E')");
  EXPECT_EQ(run("try:\n  try: 1 // 0\n  except ZeroDivisionError: raise\n"
                "except ArithmeticError: x = 'outer'\n"),
            "'outer'");
  EXPECT_EQ(errorOf("raise ValueError(f'bad {1 + 1}')\n"),
            "1:1: ValueError: bad 2");
  EXPECT_EQ(errorOf("a = 3\nassert a % 2 == 0, f'{a} is odd'\n"),
            "2:1: AssertionError: 3 is odd");
  EXPECT_EQ(errorOf("a = 3\nassert a == 4\n"),
            "2:1: AssertionError: 'a == 4' is false");
}

TEST(Interpreter, Functions) {
  EXPECT_EQ(run("def f(a, b=2, *c, d, e=5, **g): return (a, b, c, d, e, g)\n"
                "x = f(1, d=4), f(1, 2, 3, d=4, h=6), f(*[1, 2], **{'d': "
                "3})\n"),
            "((1, 2, (), 4, 5, {}), (1, 2, (3,), 4, 5, {'h': 6}), (1, 2, (), "
            "3, 5, {}))");
  EXPECT_EQ(run("def make():\n  n = 0\n  def inc():\n    nonlocal n\n    n += "
                "1\n    return n\n  return inc\nf = make()\nx = (f(), f(), "
                "make()())\n"),
            "(1, 2, 1)");
  EXPECT_EQ(run("n = 1\ndef f():\n  global n\n  n = 5\nf()\nx = n\n"), "5");
  EXPECT_EQ(run("def f(v=[]):\n  v.append(1)\n  return v\nf()\nx = f()\n"),
            "[1, 1]");
  EXPECT_EQ(run("def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                "x = fib(15)\n"),
            "610");
  EXPECT_EQ(errorOf("def f(a): pass\nf(1, 2)\n"),
            "2:1: TypeError: f() takes 1 positional argument, but got 2");
  EXPECT_EQ(errorOf("def f(a): pass\nf()\n"),
            "2:1: TypeError: f() misses the argument 'a'");
  EXPECT_EQ(errorOf("def f(alpha): pass\nf(alpa=1)\n"),
            "2:1: TypeError: f() has no parameter 'alpa'; did you mean "
            "'alpha'?");
  EXPECT_EQ(errorOf("def f():\n  print(y)\n  y = 1\nf()\n"),
            "2:9: UnboundLocalError: 'y' is used before it has a value");
  EXPECT_EQ(errorOf("total = 1\nx = totl + 1\n"),
            "2:5: NameError: name 'totl' is not defined; did you mean "
            "'total'?");
}

TEST(Interpreter, Dataclasses) {
  const char *config = "from dataclasses import dataclass, field, replace\n"
                       "@dataclass(frozen=True)\nclass C:\n  a: int\n"
                       "  b: float = 0.5\n  c: tuple = (1, 2)\n"
                       "  @property\n  def d(self): return self.a * 2\n"
                       "  def m(self, k): return self.d + k\n";
  EXPECT_EQ(run(std::string(config) +
                "c = C(3, c=())\nx = (c, c.d, c.m(1), c == C(3, 0.5, ()), "
                "{c: 1}[C(3, c=())], replace(c, a=4))\n"),
            "(C(a=3, b=0.5, c=()), 6, 7, True, 1, C(a=4, b=0.5, c=()))");
  EXPECT_EQ(errorOf(std::string(config) + "C(1).a = 2\n"),
            "10:1: AttributeError: cannot set 'a': 'C' is a frozen dataclass");
  EXPECT_EQ(errorOf(std::string(config) + "C()\n"),
            "10:1: TypeError: C() misses the field 'a'");
  EXPECT_EQ(errorOf(std::string(config) + "C(1, bb=2)\n"),
            "10:1: TypeError: C() has no field 'bb'; did you mean 'b'?");
  EXPECT_EQ(run("from dataclasses import dataclass, field\n@dataclass\n"
                "class D:\n  v: list = field(default_factory=list)\n"
                "  n: int = field(default=0, repr=False)\n"
                "  def __post_init__(self): self.n = len(self.v)\n"
                "d = D([1, 2])\nd.v.append(3)\nx = (d, d.n, D().v)\n"),
            "(D(v=[1, 2, 3]), 2, [])");
}

TEST(Interpreter, OrderOfBases) {
  // A class is asked before the bases it shares with a class further right.
  EXPECT_EQ(run("class A: v = 1\nclass B(A): pass\nclass C(A): v = 2\n"
                "class D(B, C): pass\nx = D().v, isinstance(D(), A)\n"),
            "(2, True)");
  StringRef noOrder = "TypeError: the bases of class 'C' come in no order that "
                      "suits all of them";
  EXPECT_EQ(errorOf("class A: pass\nclass B(A): pass\nclass C(A, B): pass\n"),
            "3:1: " + noOrder.str());
  EXPECT_EQ(errorOf("class A: pass\nclass C(A, A): pass\n"),
            "2:1: " + noOrder.str());
}

TEST(Interpreter, Classes) {
  EXPECT_EQ(run("class A:\n  k = 1\n  def __init__(self, v): self.v = v\n"
                "  def get(self): return self.v + self.k\n"
                "  @staticmethod\n  def s(a): return a\n"
                "  @classmethod\n  def c(cls, v): return cls(v).get()\n"
                "class B(A):\n  k = 10\n  def __len__(self): return self.v\n"
                "b = B(2)\nx = (b.get(), A.s(5), B.c(1), len(b), "
                "isinstance(b, A))\n"),
            "(12, 5, 11, 2, True)");
  EXPECT_EQ(run("class V:\n  def __init__(self, v): self.v = v\n"
                "  def __add__(self, o): return V(self.v + o.v)\n"
                "  def __eq__(self, o): return self.v == o.v\n"
                "  def __getitem__(self, i): return self.v * i\n"
                "  def __call__(self, a): return a + self.v\n"
                "  def __repr__(self): return f'V({self.v})'\n"
                "x = (V(1) + V(2), V(1) == V(1), V(3)[2], V(1)(5))\n"),
            "(V(3), True, 6, 6)");
  EXPECT_EQ(run("from enum import Enum\nclass E(Enum):\n  A = 1\n  B = 2\n"
                "x = (E.A.name, E.B.value, E(2) is E.B, [e.name for e in "
                "E])\n"),
            "('A', 2, True, ['A', 'B'])");
  EXPECT_EQ(errorOf("class A:\n  width = 1\nA().widht\n"),
            "3:5: AttributeError: 'A' object has no attribute 'widht'; did you "
            "mean 'width'?");
}

TEST(Interpreter, WithAndMatch) {
  EXPECT_EQ(run("class M:\n  def __enter__(self): return 5\n"
                "  def __exit__(self, t, v, tb):\n    log.append(t is "
                "None)\n    return True\nlog = []\nwith M() as m:\n"
                "  log.append(m)\nwith M(): raise ValueError()\nx = log\n"),
            "[5, True, False]");
  EXPECT_EQ(run("def f(v):\n  match v:\n    case 0 | 1: return 'small'\n"
                "    case [a, *b] if a > 1: return (a, b)\n"
                "    case {'k': k, **r}: return (k, r)\n"
                "    case str() as s: return s\n    case _: return None\n"
                "x = [f(1), f([2, 3]), f({'k': 1, 'z': 2}), f('q'), f([0])]\n"),
            "['small', (2, [3]), (1, {'z': 2}), 'q', None]");
}

TEST(Interpreter, StandardModules) {
  EXPECT_EQ(run("import math\nx = (math.sqrt(16), math.ceil(2.1), "
                "math.floor(-2.1), math.gcd(12, 18), math.log2(8), "
                "math.prod([2, 3]), math.isqrt(17))\n"),
            "(4.0, 3, -3, 6, 3.0, 6, 4)");
  EXPECT_EQ(run("import functools, itertools\n@functools.lru_cache(maxsize="
                "None)\ndef f(a): return a\nx = (f(1), "
                "list(itertools.product([1, 2], 'a')), functools.partial(f, "
                "3)())\n"),
            "(1, [(1, 'a'), (2, 'a')], 3)");
  EXPECT_EQ(run("import os\nfrom pathlib import Path\nx = "
                "(os.environ.get('PL_SURELY_NOT_SET', 'd'), "
                "str(Path('/a/b.c').parent / 'd'), Path('/a/b.c').stem)\n"),
            "('d', '/a/d', 'b')");
  EXPECT_EQ(errorOf("import math\nmath.sqrt(-1)\n"),
            "2:1: ValueError: math.sqrt(-1.0) is not defined");
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

TEST(InterpreterLimits, Recursion) {
  std::string error = errorOf("def f(n): return f(n + 1)\nf(0)\n");
  EXPECT_EQ(error, "1:18: RecursionError: more than 400 calls within calls; "
                   "does 'f' call itself forever?");
  // A program may catch it, as in Python.
  EXPECT_EQ(run("def f(): f()\ntry: f()\nexcept RecursionError: x = 1\n"), "1");
}

TEST(InterpreterLimits, EndlessLoops) {
  EXPECT_EQ(errorOf("while True: pass\n", 100'000),
            "1:13: RuntimeError: the host program took more than 100000 steps; "
            "a loop here may never end");
  // Not to be swallowed.
  EXPECT_NE(errorOf("while True:\n  try:\n    while True: pass\n"
                    "  except Exception: pass\n",
                    100'000),
            "");
}

TEST(InterpreterLimits, HugeValues) {
  EXPECT_EQ(errorOf("x = [0] * 10 ** 12\n"),
            "1:5: MemoryError: a value of 1000000000000 elements is too large; "
            "use a tensor");
  EXPECT_NE(errorOf("x = 'a'\nwhile True: x += x\n"), "");
  EXPECT_NE(errorOf("x = list(range(10 ** 15))\n"), "");
  EXPECT_NE(errorOf("x = f'{1:99999999999}'\n"), "");
}

TEST(InterpreterLimits, DeepData) {
  // Making, printing, comparing, hashing and freeing deep values is safe.
  EXPECT_NE(run("x = []\nfor i in range(200000): x = [x]\ny = x == [x]\n"
                "z = len(repr(x))\n"),
            "");
  EXPECT_EQ(run("x = []\nx.append(x)\ny = repr(x) != ''\nx.clear()\nx = y\n"),
            "True");
  EXPECT_NE(errorOf("t = ()\nfor i in range(100000): t = (t,)\nx = {t}\n"), "");
}

TEST(InterpreterLimits, LongChainsAreFreed) {
  // Each of these objects holds the one before it.
  for (StringRef link :
       {"def g(f=x): return f\n  x = g", "x = lambda f=x: f", "x = map(len, x)",
        "x = enumerate(x)", "x = {'next': x}", "x = C(x).get",
        "x = functools.partial(print, x)", "x = property(x)", "x = C(x)"})
    EXPECT_EQ(run(("import functools\n"
                   "class C:\n"
                   "  def __init__(self, x): self.x = x\n"
                   "  def get(self): return self.x\n"
                   "x = []\nfor i in range(200000):\n  " +
                   link + "\nx = 1\n")
                      .str()),
              "1")
        << link.str();
}

TEST(InterpreterLimits, DeepClassesAreFound) {
  // 2 ** 60 ways lead from the last class to the first.
  EXPECT_EQ(run("class A: pass\nclass B: pass\n"
                "for i in range(49):\n"
                "  class C(A, B): pass\n"
                "  class D(A, B): pass\n"
                "  A, B = C, D\n"
                "x = hasattr(A(), 'missing'), isinstance(A(), list)\n"),
            "(False, False)");
  EXPECT_EQ(errorOf("class A: pass\nwhile True:\n  class A(A): pass\n"),
            "3:3: TypeError: class 'A' inherits from more than 100 classes");
}

TEST(InterpreterLimits, Traceback) {
  EXPECT_EQ(
      printed("def inner(v):\n  return 1 // v\ndef outer():\n"
              "  return inner(0)\nouter()\n"),
      "t.plk:2:10: error: ZeroDivisionError: division by zero: 1 // 0 [PL002]\n"
      "    return 1 // v\n"
      "           ^~~~~~\n"
      "t.plk:4:10: note: in the call of 'inner'\n"
      "    return inner(0)\n"
      "           ^~~~~~~~\n"
      "t.plk:5:1: note: in the call of 'outer'\n"
      "  outer()\n"
      "  ^~~~~~~\n");
}

TEST(InterpreterLimits, Unsupported) {
  EXPECT_EQ(errorOf("def g():\n  yield 1\nlist(g())\n"),
            "3:6: NotImplementedError: 'g' is a generator function, which is "
            "not supported; return a list instead");
  EXPECT_EQ(errorOf("x = 2j\n"), "1:5: NotImplementedError: complex numbers "
                                 "are not supported");
}

} // namespace
