//===- ParserTest.cpp - tests of the parser -------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace llvm;
using namespace pl::frontend;
using namespace pl::frontend::test;

namespace {

std::string errorsOf(StringRef source) { return Parsed(source).errors(); }

/// The tree without locations, on one line: "Assign(target: Name x, …)".
std::string treeOf(StringRef source) {
  Parsed parsed(source);
  if (!parsed.module)
    return "error: " + parsed.errors();
  std::string dump = parsed.dump(), result;
  SmallVector<StringRef> lines;
  StringRef(dump).split(lines, '\n', -1, false);
  size_t depth = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    size_t indent = lines[i].find_first_not_of(' ') / 2;
    StringRef text = lines[i].trim();
    size_t location = text.rfind(" <");
    text = text.take_front(location);
    if (i > 1)
      result += indent > depth ? "("
                               : std::string(depth - indent, ')') +
                                     (indent <= depth ? ", " : "");
    result += text;
    depth = indent;
  }
  return result + std::string(depth - 1, ')');
}

TEST(Parser, Precedence) {
  EXPECT_EQ(treeOf("-a ** b * c + d << e & f ^ g | h\n"),
            "Expr(BinOp |(BinOp ^(BinOp &(BinOp <<(BinOp +(BinOp *(UnaryOp "
            "-(BinOp **(Name a, Name b)), Name c), Name d), Name e), Name f), "
            "Name g), Name h))");
  EXPECT_EQ(treeOf("a - b - c\n"),
            "Expr(BinOp -(BinOp -(Name a, Name b), Name c))");
  EXPECT_EQ(treeOf("a ** -b ** c\n"),
            "Expr(BinOp **(Name a, UnaryOp -(BinOp **(Name b, Name c))))");
  EXPECT_EQ(treeOf("not a or b and c\n"),
            "Expr(BoolOp or(UnaryOp not(Name a), BoolOp and(Name b, Name c)))");
  EXPECT_EQ(treeOf("a < b is not c not in d\n"),
            "Expr(Compare < is not not in(Name a, Name b, Name c, Name d))");
  EXPECT_EQ(treeOf("a if b else c if d else e\n"),
            "Expr(IfExp(test: Name b, body: Name a, else: IfExp(test: Name d, "
            "body: Name c, else: Name e)))");
}

TEST(Parser, CallsAndSubscripts) {
  EXPECT_EQ(treeOf("f(a, *b, c=1, **d)\n"),
            "Expr(Call(callee: Name f, arg: Name a, arg: Starred(Name b), "
            "keyword c: Constant 1, keyword **: Name d))");
  EXPECT_EQ(treeOf("t[1:, :n:2, ..., None]\n"),
            "Expr(Subscript(value: Name t, index: Tuple(Slice(lower: Constant "
            "1), Slice(upper: Name n, step: Constant 2), Constant ..., "
            "Constant None)))");
  EXPECT_EQ(treeOf("t[a,]\n"),
            "Expr(Subscript(value: Name t, index: Tuple(Name a)))");
  EXPECT_EQ(treeOf("f(x for x in y if x)\n"),
            "Expr(Call(callee: Name f, arg: GeneratorExp(element: Name x, "
            "for:(target: Name x, iter: Name y, if: Name x))))");
  EXPECT_EQ(treeOf("a.b(c).d[e]\n"),
            "Expr(Subscript(value: Attribute .d(Call(callee: Attribute "
            ".b(Name a), arg: Name c)), index: Name e))");
}

TEST(Parser, Displays) {
  EXPECT_EQ(treeOf("{}\n"), "Expr(Dict)");
  EXPECT_EQ(treeOf("{1: a, **b}\n"),
            "Expr(Dict(key: Constant 1, value: Name a, **: Name b))");
  EXPECT_EQ(treeOf("{1, *b}\n"), "Expr(Set(Constant 1, Starred(Name b)))");
  EXPECT_EQ(treeOf("{k: v for k, v in z}\n"),
            "Expr(DictComp(key: Name k, value: Name v, for:(target: "
            "Tuple(Name k, Name v), iter: Name z)))");
  EXPECT_EQ(treeOf("()\n"), "Expr(Tuple)");
  EXPECT_EQ(treeOf("(a)\n"), "Expr(Name a)");
  EXPECT_EQ(treeOf("(a,)\n"), "Expr(Tuple(Name a))");
}

TEST(Parser, Constants) {
  EXPECT_EQ(treeOf("9223372036854775807\n"),
            "Expr(Constant 9223372036854775807)");
  EXPECT_EQ(treeOf("9223372036854775808\n"),
            "Expr(Constant 9223372036854775808)");
  EXPECT_EQ(treeOf("0x_ff + 1_0\n"),
            "Expr(BinOp +(Constant 255, Constant 10))");
  EXPECT_EQ(treeOf("1e3, .5, 1e400, 2j\n"),
            "Expr(Tuple(Constant 1000.0, Constant 0.5, Constant inf, Constant "
            "2.0j))");
  EXPECT_EQ(treeOf("'a' \"b\\n\" r'\\n'\n"), "Expr(Constant \"ab\\n\\\\n\")");
  EXPECT_EQ(treeOf("'\\x41\\u00e9\\N{GREEK SMALL LETTER PI}\\101\\q'\n"),
            "Expr(Constant \"A\\303\\251\\317\\200A\\\\q\")");
  EXPECT_EQ(treeOf("b'a\\xff'\n"), "Expr(Constant b\"a\\377\")");
}

TEST(Parser, FStrings) {
  EXPECT_EQ(treeOf("f'a{b}c{{d}}'\n"),
            "Expr(JoinedStr(Constant \"a\", FormattedValue(value: Name b), "
            "Constant \"c{d}\"))");
  EXPECT_EQ(treeOf("f'{x!r:>{w}.2f}'\n"),
            "Expr(JoinedStr(FormattedValue !r(value: Name x, spec: "
            "JoinedStr(Constant \">\", FormattedValue(value: Name w), "
            "Constant \".2f\"))))");
  EXPECT_EQ(treeOf("f'{x = }'\n"),
            "Expr(JoinedStr(Constant \"x = \", FormattedValue !r(value: Name "
            "x)))");
  EXPECT_EQ(treeOf("f'{a != b} {d[\"k\"]:x}' 'y'\n"),
            "Expr(JoinedStr(FormattedValue(value: Compare !=(Name a, Name b)), "
            "Constant \" \", FormattedValue(value: Subscript(value: Name d, "
            "index: Constant \"k\"), spec: JoinedStr(Constant \"x\")), "
            "Constant \"y\"))");
  EXPECT_EQ(treeOf("f'{ {1: 2}[1] }'\n"),
            "Expr(JoinedStr(FormattedValue(value: Subscript(value: Dict(key: "
            "Constant 1, value: Constant 2), index: Constant 1))))");
  EXPECT_EQ(errorsOf("x = f'{}'\n"),
            "1:7: expected an expression between '{' and '}'\n");
  EXPECT_EQ(errorsOf("x = f'{a b}'\n"),
            "1:10: unexpected 'b' in the expression of an f-string\n");
  EXPECT_EQ(errorsOf("x = f'{a'\n"),
            "1:7: expected '}' before the end of the f-string\n");
  EXPECT_EQ(errorsOf("x = f'a}'\n"), "1:8: a single '}' is not allowed in an "
                                     "f-string; write '}}'\n");
}

TEST(Parser, Statements) {
  EXPECT_EQ(treeOf("a = b, *c = d\n"),
            "Assign(target: Name a, target: Tuple(Name b, Starred(Name c)), "
            "value: Name d)");
  EXPECT_EQ(treeOf("x: int = 1\ny: str\nx += 2\n"),
            "AnnAssign(target: Name x, annotation: Name int, value: Constant "
            "1), AnnAssign(target: Name y, annotation: Name str), AugAssign "
            "+=(target: Name x, value: Constant 2)");
  EXPECT_EQ(treeOf("from ..a.b import (c as d, e,)\nimport x.y as z, w\n"),
            "ImportFrom ..a.b import c as d e, Import x.y as z w");
  EXPECT_EQ(treeOf("for i, j in z: pass\nelse: x\n"),
            "For(target: Tuple(Name i, Name j), iter: Name z, body:(Pass), "
            "else:(Expr(Name x)))");
  EXPECT_EQ(treeOf("if a: b\nelif c: d\nelse: e\n"),
            "If(test: Name a, body:(Expr(Name b)), elif: Name c, "
            "body:(Expr(Name d)), else:(Expr(Name e)))");
  EXPECT_EQ(treeOf("try: a\nexcept (B, C) as d: e\nexcept: f\nelse: "
                   "g\nfinally: h\n"),
            "Try(body:(Expr(Name a)), except as d(type: Tuple(Name B, Name C), "
            "body:(Expr(Name e))), except(body:(Expr(Name f))), "
            "else:(Expr(Name g)), finally:(Expr(Name h)))");
  EXPECT_EQ(treeOf("with a as b, c: pass\n"),
            "With(item: Name a, as: Name b, item: Name c, body:(Pass))");
  EXPECT_EQ(treeOf("with (a as b, c as d,):\n  pass\n"),
            "With(item: Name a, as: Name b, item: Name c, as: Name d, "
            "body:(Pass))");
  EXPECT_EQ(treeOf("with (a).b as c: pass\n"),
            "With(item: Attribute .b(Name a), as: Name c, body:(Pass))");
  EXPECT_EQ(treeOf("raise A from b\nassert x, 'm'\ndel a, b[0]\n"),
            "Raise(Name A, from: Name b), Assert(test: Name x, message: "
            "Constant \"m\"), Delete(target: Name a, target: Subscript(value: "
            "Name b, index: Constant 0))");
}

TEST(Parser, Functions) {
  EXPECT_EQ(treeOf("@d(1)\ndef f(a, /, b: int, c=1, *d, e=2, **g) -> x: "
                   "return a\n"),
            "FunctionDef f(decorator: Call(callee: Name d, arg: Constant 1), "
            "param: /a, param: b(annotation: Name int), param: c(default: "
            "Constant 1), param: *d, param: =e(default: Constant 2), param: "
            "**g, returns: Name x, body:(Return(Name a)))");
  EXPECT_EQ(treeOf("lambda a, *, b=1: a\n"),
            "Expr(Lambda(param: a, param: =b(default: Constant 1), body: Name "
            "a))");
  EXPECT_EQ(treeOf("class A(B, metaclass=C):\n  x: int = 1\n"),
            "ClassDef A(base: Name B, keyword metaclass: Name C, "
            "body:(AnnAssign(target: Name x, annotation: Name int, value: "
            "Constant 1)))");
  EXPECT_EQ(treeOf("async def f():\n  await g()\n  async for x in y: pass\n"),
            "FunctionDef async f(body:(Expr(Await(Call(callee: Name g))), "
            "For(async, target: Name x, iter: Name y, body:(Pass))))");
  EXPECT_EQ(treeOf("def f():\n  x = yield a\n  yield from b\n"),
            "FunctionDef f(body:(Assign(target: Name x, value: Yield(Name a)), "
            "Expr(YieldFrom(Name b))))");
}

TEST(Parser, MatchIsSoft) {
  EXPECT_EQ(treeOf("match = 1\nmatch(x)\nmatch[x]\n"),
            "Assign(target: Name match, value: Constant 1), Expr(Call(callee: "
            "Name match, arg: Name x)), Expr(Subscript(value: Name match, "
            "index: Name x))");
  EXPECT_EQ(treeOf("match x:\n  case [1, *r] if a: pass\n  case {'k': v, "
                   "**q} | P(0, z=None) as m: pass\n  case a.b: pass\n  case "
                   "_: pass\n"),
            "Match(subject: Name x, case: MatchSequence(MatchValue(value: "
            "Constant 1), MatchStar r), if: Name a, body:(Pass), case: MatchAs "
            "m(MatchOr(MatchMapping q(key: Constant \"k\", MatchAs v), "
            "MatchClass(value: Name P, MatchValue(value: Constant 0), z: "
            "MatchSingleton(value: Constant None)))), body:(Pass), case: "
            "MatchValue(value: Attribute .b(Name a)), body:(Pass), case: "
            "MatchAs, body:(Pass))");
}

TEST(Parser, Docstrings) {
  Parsed parsed("'''top'''\ndef f():\n  'doc'\n  pass\n");
  ASSERT_TRUE(parsed.module);
  ASSERT_TRUE(parsed.module->docstring);
  EXPECT_EQ(parsed.module->docstring->text, "top");
  const auto *function = cast<FunctionDefStmt>(parsed.module->body[1]);
  ASSERT_TRUE(function->getDocstring());
  EXPECT_EQ(function->getDocstring()->text, "doc");
  EXPECT_EQ(parsed.sources.getText(function->headerRange), "def f()");
}

TEST(Parser, Ranges) {
  Parsed parsed("x = foo(a, b) + 1\n");
  ASSERT_TRUE(parsed.module);
  const auto *assign = cast<AssignStmt>(parsed.module->body[0]);
  const auto *sum = cast<BinOpExpr>(assign->value);
  EXPECT_EQ(parsed.sources.getText(assign->range), "x = foo(a, b) + 1");
  EXPECT_EQ(parsed.sources.getText(sum->range), "foo(a, b) + 1");
  EXPECT_EQ(parsed.sources.getText(sum->lhs->range), "foo(a, b)");
  FileLineCol where = parsed.sources.resolve(sum->opRange);
  EXPECT_EQ(where.line, 1u);
  EXPECT_EQ(where.column, 15u);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(ParserErrors, Headers) {
  EXPECT_EQ(errorsOf("for i in range(3)\n  pass\n"),
            "1:18: expected ':' after 'for' header\n");
  EXPECT_EQ(errorsOf("if a = 3:\n  pass\n"),
            "1:6: expected ':' after 'if' condition, but got '='; did you mean "
            "'=='?\n");
  EXPECT_EQ(errorsOf("def f(a:\n  pass\n"), "1:6: '(' was never closed\n");
  EXPECT_EQ(errorsOf("while x\n"),
            "1:8: expected ':' after 'while' condition, but got end of line\n");
  EXPECT_EQ(errorsOf("if a:\nb\n"),
            "2:1: expected an indented block after 'if' condition\n");
  EXPECT_EQ(errorsOf("for x of y:\n  pass\n"),
            "1:7: expected 'in' after the 'for' target, but got 'of'\n");
}

TEST(ParserErrors, Recovery) {
  // Errors after a broken header are found as well; the `else` of the broken
  // `if` is none. Brackets that do not match are reported while nothing else
  // is.
  EXPECT_EQ(errorsOf("if a b:\n  x = )\nelse:\n  y = 1 +\nz = *\n"),
            "1:6: expected ':' after 'if' condition, but got 'b'\n"
            "4:10: expected an expression, but got end of line\n"
            "5:6: expected an expression, but got end of line\n");
  EXPECT_EQ(errorsOf("  x = 1\ny = 2\n"), "1:1: unexpected indentation\n");
  EXPECT_EQ(errorsOf("x = foo(1,\n        2\ny = 3\ndef g(): pass\nz = ]\n"),
            "1:8: '(' was never closed\n");
  EXPECT_EQ(errorsOf("x = 'abc\ny = 1 1\n"),
            "1:5: this string is not closed before the end of the line\n"
            "2:7: expected end of line, but got '1'; is an operator or a comma "
            "missing before it?\n");
}

TEST(ParserErrors, Targets) {
  EXPECT_EQ(errorsOf("f() = 1\n"), "1:1: cannot assign to a function call; did "
                                   "you mean '==' instead of '='?\n");
  EXPECT_EQ(errorsOf("1 = x\n"), "1:1: cannot assign to a literal\n");
  EXPECT_EQ(errorsOf("None = x\n"), "1:1: cannot assign to None\n");
  EXPECT_EQ(errorsOf("a + b += x\n"), "1:1: cannot assign to an expression\n");
  EXPECT_EQ(errorsOf("*a, *b = x\n"),
            "1:1: two starred targets in one assignment\n");
  EXPECT_EQ(errorsOf("del f()\n"), "1:5: cannot delete a function call\n");
}

TEST(ParserErrors, Arguments) {
  EXPECT_EQ(errorsOf("f(a=1, b)\n"),
            "1:8: a positional argument follows a keyword argument\n");
  EXPECT_EQ(errorsOf("f(a=1, a=2)\n"),
            "1:8: keyword argument 'a' is given twice\n");
  EXPECT_EQ(errorsOf("def f(a, a): pass\n"), "1:10: duplicate parameter 'a'\n");
  EXPECT_EQ(errorsOf("def f(a=1, b): pass\n"),
            "1:12: parameter 'b' without a default follows one with a "
            "default\n");
  EXPECT_EQ(errorsOf("f(a b)\n"),
            "1:5: expected ',' or ')' in a call, but got 'b'\n");
}

TEST(ParserErrors, Placement) {
  EXPECT_EQ(errorsOf("return 1\nbreak\ndef f():\n  continue\n"),
            "1:1: 'return' outside of a function\n"
            "2:1: 'break' outside of a loop\n"
            "4:3: 'continue' outside of a loop\n");
  EXPECT_EQ(errorsOf("else:\n  pass\n"),
            "1:1: 'else' does not belong to any statement before it; check its "
            "indentation\n");
  EXPECT_EQ(errorsOf("print 'x'\n"), "1:1: missing parentheses in call to "
                                     "'print'; did you mean 'print(...)'?\n");
}

TEST(ParserErrors, Caret) {
  EXPECT_EQ(Parsed("x = 1\ny = foo(a b)\n").printed(),
            "t.plk:2:11: error: expected ',' or ')' in a call, but got 'b' "
            "[PL001]\n"
            "  y = foo(a b)\n"
            "            ^\n");
  EXPECT_EQ(Parsed("if é:\n\tx = (1]\n").printed(),
            "t.plk:2:8: error: closing ']' does not match opening '(' [PL001]\n"
            "      x = (1]\n"
            "            ^\n"
            "t.plk:2:6: note: opened here\n"
            "      x = (1]\n"
            "          ^\n");
}

TEST(ParserErrors, Limit) {
  std::string source;
  for (int i = 0; i < 100; ++i)
    source += "x = 1 +\n";
  Parsed parsed(source);
  ArrayRef<Diagnostic> all = parsed.diagnostics.getDiagnostics();
  ASSERT_EQ(all.size(), 21u);
  EXPECT_EQ(all.back().message, "too many errors (20); the rest are not shown");
}

TEST(ParserErrors, DeepInputIsAnError) {
  auto failsOnce = [](const std::string &source, StringRef message) {
    Parsed parsed(source);
    EXPECT_FALSE(parsed.module);
    ArrayRef<Diagnostic> all = parsed.diagnostics.getDiagnostics();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].message, message);
  };
  auto repeat = [](StringRef piece, size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i)
      text += piece;
    return text;
  };
  failsOnce(repeat("(", 1'000'000), "more than 200 nested brackets");
  failsOnce("x = " + repeat("-", 100'000) + "1\n", "this is nested too deeply");
  failsOnce("x = a" + repeat("+a", 100'000) + "\n",
            "this expression is nested too deeply");
  failsOnce("x = a" + repeat(".b", 100'000) + "\n",
            "this expression is nested too deeply");
  failsOnce("x = " + repeat("a if b else ", 100'000) + "1\n",
            "this is nested too deeply");
  failsOnce("if a: b\n" + repeat("elif a: b\n", 100'000),
            "this is nested too deeply");
  // What is long but not deep is fine.
  EXPECT_TRUE(Parsed("x = [" + repeat("a, ", 100'000) + "]\n").module);
  EXPECT_TRUE(Parsed(repeat("x = 1\n", 100'000)).module);
}

TEST(ParserErrors, LongLinesTakeNoLonger) {
  // Each of these took minutes when its cost grew with the square.
  std::string keywords = "f(", parameters = "def f(";
  for (int i = 0; i < 100'000; ++i) {
    keywords += "a" + std::to_string(i) + "=1, ";
    parameters += "a" + std::to_string(i) + ", ";
  }
  Parsed call(keywords + ")\n"), function(parameters + "): pass\n");
  // The dump names the line and column of every node.
  EXPECT_FALSE(call.dump().empty());
  EXPECT_FALSE(function.dump().empty());
}

TEST(ParserErrors, NotText) {
  std::string noise(1'000'000, '\0');
  uint32_t state = 1;
  for (char &c : noise)
    c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  Parsed parsed(noise);
  EXPECT_FALSE(parsed.module);
  EXPECT_EQ(parsed.diagnostics.getDiagnostics().size(), 1u);
}

} // namespace
