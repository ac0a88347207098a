# How lit runs the tests of this folder.
#
# Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Environment:
#   PL_VERIFY_ROUNDTRIP=1         every pl-opt also checks that what it read prints and
#                                 parses back to the same operations
#   PL_FULL_TESTS=1               runs the tests that say `REQUIRES: full`
#   PL_SHARED_DATA                a folder of saved data that others computed, for
#                                 `REQUIRES: shared-data`; else ../shared/data
#                                 beside the checkout is looked for
#   PTO_ISA_DIR, SIMPLER_DIR      local checkouts of the public headers; both are
#                                 needed for `REQUIRES: public-headers`

import os
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "plc"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".plk", ".test"]
config.excludes = ["unit", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.pl_binary_dir, "test")

examples = os.path.join(config.pl_source_dir, "python-free-dsl-examples")
config.substitutions += [
    ("%examples", examples),
    ("%source_dir", config.pl_source_dir),
    ("%cxx", config.cxx),
    # What runs lit; to read JSON with another parser than ours.
    ("%python", sys.executable),
    ("%plc", os.path.join(config.pl_tools_dir, "plc")),
    # `%exits 2 plc ...`: the exit code is exactly 2.
    ("%exits", os.path.join(config.test_source_root, "exits")),
]

pl_opt = []
if os.environ.get("PL_VERIFY_ROUNDTRIP", "0") not in ("", "0"):
    pl_opt = ["--verify-roundtrip"]

# Only what this build has: a test that names another tool says so itself.
tools = ["FileCheck", "count", "mlir-translate", "not", "split-file"]
if "plc" in config.built_tools:
    tools.append("plc")
    config.available_features.add("plc")
if "pl-host-run" in config.built_tools:
    tools.append("pl-host-run")
    config.available_features.add("pl-host-run")
if "pl-opt" in config.built_tools:
    tools.append(ToolSubst("pl-opt", extra_args=pl_opt))
    config.available_features.add("pl-opt")

llvm_config.add_tool_substitutions(
    tools, [config.pl_tools_dir, config.llvm_tools_dir])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.pl_tools_dir, append_path=True)

if os.environ.get("PL_FULL_TESTS", "0") not in ("", "0"):
    config.available_features.add("full")

shared_data = os.environ.get(
    "PL_SHARED_DATA", os.path.join(config.pl_source_dir, "..", "shared", "data"))
if os.path.isdir(shared_data):
    config.available_features.add("shared-data")
    config.substitutions.append(("%shared_data", os.path.normpath(shared_data)))

headers = ["PTO_ISA_DIR", "SIMPLER_DIR"]
if all(os.path.isdir(os.environ.get(name, "")) for name in headers):
    config.available_features.add("public-headers")
    for name in headers:
        config.environment[name] = os.environ[name]
        config.substitutions.append((f"%{name}", os.environ[name]))
