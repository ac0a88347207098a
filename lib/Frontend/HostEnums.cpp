//===- HostEnums.cpp - enums, dtypes and records of the `pl` module -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StdModules.h"

using namespace llvm;

namespace pl::frontend {

static Value makeEnumClass(StringRef name, ArrayRef<StringRef> members,
                           int64_t first = 0) {
  Ref<EnumClassObject> enumClass(new EnumClassObject(name.str()));
  for (StringRef member : members)
    enumClass->members.push_back(
        Value(new EnumObject(name.str(), member.str(), first++)));
  return Value(enumClass);
}

/// A type whose values hold what they were called with: `pl.TileView(...)`.
static Value makeRecordType(StringRef name) {
  Ref<ClassObject> type(new ClassObject(name.str()));
  return makeNative(name, [type](CallContext &call) -> Result {
    Ref<InstanceObject> record(new InstanceObject(type));
    record->attributes.set("args", Value::tuple(std::vector<Value>(
                                       call.args.begin(), call.args.end())));
    for (const NamedValue &keyword : call.keywords)
      record->attributes.set(keyword.name, keyword.value);
    return Value(record);
  });
}

void addPlEnums(ModuleObject &pl) {
  auto add = [&](StringRef name, ArrayRef<StringRef> members,
                 int64_t first = 0) {
    pl.set(name, makeEnumClass(name, members, first));
  };
  add("Level", {"AIV", "AIC", "CORE_GROUP", "CHIP_DIE", "CHIP", "HOST",
                "CLUSTER_0", "CLUSTER_1", "CLUSTER_2", "GLOBAL"});
  // Other words for the same levels.
  auto *levels =
      const_cast<EnumClassObject *>(pl.find("Level")->as<EnumClassObject>());
  for (auto [alias, level] :
       std::initializer_list<std::pair<StringRef, StringRef>>{
           {"L2CACHE", "CHIP_DIE"},
           {"PROCESSOR", "CHIP"},
           {"UMA", "CHIP"},
           {"NODE", "HOST"},
           {"POD", "CLUSTER_0"},
           {"CLOS1", "CLUSTER_1"},
           {"CLOS2", "CLUSTER_2"}})
    levels->aliases[alias] = *levels->find(level);
  add("Role", {"Orchestrator", "SubWorker"});
  add("FunctionType", {"Opaque", "Orchestration", "InCore", "AIC", "AIV",
                       "Group", "Spmd", "Inline", "Graph"});
  add("SplitMode", {"NONE", "UP_DOWN", "LEFT_RIGHT"});
  add("MemorySpace", {"DDR", "Vec", "Mat", "Left", "Right", "Acc", "Bias",
                      "LeftScale", "RightScale", "ScalarLocal"});
  pl.set("Mem", *pl.find("MemorySpace"));
  add("PadValue", {"null", "zero", "max", "min"});
  add("AtomicType", {"None_", "Add"});
  add("ScopeMode", {"AUTO", "MANUAL"});
  add("ForKind", {"Sequential", "Parallel", "Unroll", "Pipeline"});
  add("PipeType", {"MTE1", "MTE2", "MTE3", "M", "V", "S", "FIX", "ALL"});
  add("TensorLayout", {"ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN"});
  const auto *layouts = pl.find("TensorLayout")->as<EnumClassObject>();
  for (const Value &layout : layouts->members)
    pl.set(layout.as<EnumObject>()->member, layout);
  add("TileLayout", {"none_box", "row_major", "col_major"});
  add("CompactMode", {"null", "normal"});

  Ref<ModuleObject> tile(new ModuleObject("pl.tile"));
  tile->set("MaskPattern", makeEnumClass("MaskPattern",
                                         {"P0101", "P1010", "P0001", "P0010",
                                          "P0100", "P1000", "P1111"},
                                         /*first=*/1));
  pl.set("tile", Value(tile));

  for (StringRef name : {"MemRef", "TileView", "TensorView"})
    pl.set(name, makeRecordType(name));
  Ref<ClassObject> marker(new ClassObject("RuntimeScalarMarker"));
  pl.set("RUNTIME", Value(new InstanceObject(marker)));
}

void addPldEnums(ModuleObject &pld) {
  pld.set("NotifyOp", makeEnumClass("NotifyOp", {"AtomicAdd", "Set"}));
  pld.set("WaitCmp", makeEnumClass("WaitCmp", {"Eq", "Ge"}));
  pld.set("ReduceOp", makeEnumClass("ReduceOp", {"Sum", "Max", "Min", "Prod"}));
}

} // namespace pl::frontend
