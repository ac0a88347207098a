//===- ListParams.cpp - What -D sets --------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostJson.h"
#include "pl/Driver/Commands.h"
#include "pl/Driver/Compilation.h"
#include "pl/Driver/Table.h"
#include "pl/Frontend/PrintableText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using pl::frontend::ParamRecord;
using pl::frontend::Value;

namespace pl::driver {

/// The type of the values that -D takes; a default of None takes any text.
static StringRef describeType(const ParamRecord &param) {
  const Value &value = param.defaultValue;
  return value.isNone() ? "str" : frontend::getTypeName(value);
}

/// As it is written behind `-D name=`.
static std::string describeValue(const Value &value) {
  if (value.isBool())
    return value.getBool() ? "true" : "false";
  if (value.isStr() && value.getStr().empty())
    return "\"\"";
  return frontend::str(value);
}

static void printJson(raw_ostream &os, ArrayRef<ParamRecord> params,
                      const frontend::SourceManager &sources) {
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attributeArray("parameters", [&] {
      for (const ParamRecord &param : params)
        out.object([&] {
          out.attribute("name", json::fixUTF8(param.name));
          out.attribute("type", describeType(param));
          out.attribute("default", toJson(param.defaultValue));
          out.attribute("value", toJson(param.value));
          if (!param.choices.empty())
            out.attributeArray("choices", [&] {
              for (const Value &choice : param.choices)
                out.value(toJson(choice));
            });
          if (!param.help.empty())
            out.attribute("help", json::fixUTF8(param.help));
          out.attribute("location",
                        json::fixUTF8(sources.describe(param.range)));
        });
    });
  });
  os << "\n";
}

static void printTable(raw_ostream &os, StringRef file,
                       ArrayRef<ParamRecord> params) {
  if (params.empty()) {
    os << frontend::makePrintable(file)
       << ": it declares no parameters (pl.param)\n";
    return;
  }
  bool anySet =
      any_of(params, [](const ParamRecord &param) { return param.isSet; });
  std::vector<Table::Column> columns = {{"parameter"}, {"type"}, {"default"}};
  if (anySet)
    columns.push_back({"now"});
  columns.push_back({"choices"});
  columns.push_back({"meaning"});
  Table table(std::move(columns));
  for (const ParamRecord &param : params) {
    std::vector<std::string> cells = {param.name, describeType(param).str(),
                                      describeValue(param.defaultValue)};
    if (anySet)
      cells.push_back(describeValue(param.value));
    cells.push_back(join(map_range(param.choices, describeValue), ", "));
    cells.push_back(param.help);
    table.addRow(std::move(cells));
  }
  table.print(os, /*indent=*/0);
}

int runListParams(const Options &options, raw_ostream &out, raw_ostream &err) {
  Compilation compiled(options, err);
  if (failed(compiled.load()))
    return compiled.getExitCode();
  frontend::Session *session = compiled.getSession();
  if (!session) {
    (void)compiled.usageError("--list-params lists the parameters of a source "
                              "module; '" +
                              options.file +
                              "' is IR, where they are constants");
    return compiled.getExitCode();
  }
  if (options.json)
    printJson(out, session->getParams(), compiled.getSources());
  else
    printTable(out, options.file, session->getParams());
  return compiled.getExitCode();
}

} // namespace pl::driver
