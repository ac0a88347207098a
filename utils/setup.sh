# shellcheck shell=bash
# Shared by the scripts of utils/: packages, build, progress. To be sourced by
# bash, after `set -euo pipefail`.
#
# Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

PLC_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
PLC_PRESET=${PLC_PRESET:-release}
PLC_BUILD=$PLC_ROOT/build/$PLC_PRESET
PLC_JOBS=${PLC_JOBS:-$(nproc)}

# What each package is for:
#   cmake ninja-build ccache git   building
#   clang-22 lld-22                the compiler, also of emitted kernels in tests
#   libmlir-22-dev llvm-22-dev     MLIR and LLVM
#   mlir-22-tools llvm-22-tools    mlir-tblgen; lit, FileCheck, not
#   python3                        runs lit; plc itself never uses it
#   clang-format-22                the format check
#   libfmt-dev libopenblas-dev     formatted text; matrix products of the goldens
#   libjemalloc-dev                the allocator
#   libgtest-dev                   unit tests
PLC_PACKAGES=(
  cmake ninja-build ccache git
  clang-22 lld-22 clang-format-22
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  libfmt-dev libopenblas-dev libjemalloc-dev libgtest-dev python3
)

plc_start_seconds=$SECONDS

plc_die() {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

# Announces a step with the time since the start.
plc_step() {
  local elapsed=$((SECONDS - plc_start_seconds))
  printf '[%3d:%02d] %s\n' $((elapsed / 60)) $((elapsed % 60)) "$*"
}

# Ctrl-C ends the whole run, children included, with the usual status.
plc_on_interrupt() {
  trap - INT TERM
  printf '\ninterrupted; a later run goes on where this one stopped\n' >&2
  exit 130
}
trap plc_on_interrupt INT TERM

plc_missing_packages() {
  local package
  for package in "${PLC_PACKAGES[@]}"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
      printf '%s\n' "$package"
    fi
  done
}

# Makes sure that every package is there: installs as root, explains otherwise.
plc_ensure_packages() {
  local missing
  command -v dpkg-query >/dev/null ||
    plc_die "needs Debian 12 (or its packages): dpkg-query is not here"
  mapfile -t missing < <(plc_missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then
    plc_step "packages: all ${#PLC_PACKAGES[@]} are installed"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    printf 'These packages are missing:\n  %s\nInstall them with\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\nand run this again.\n' \
      "${missing[*]}" "${missing[*]}" >&2
    exit 1
  fi
  plc_step "packages: installing ${missing[*]}"
  local log=$PLC_ROOT/build/apt.log
  mkdir -p "$PLC_ROOT/build"
  if ! { DEBIAN_FRONTEND=noninteractive apt-get -q update &&
    DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"; } 2>&1 |
    tee "$log" |
    awk '/^(Get|Unpacking|Setting up)/ && ++n % 40 == 0 { print "  " substr($0, 1, 76); fflush() }'; then
    tail -n 20 "$log" >&2
    plc_die "apt-get failed; all of its output is in $log"
  fi
}

# plc_build [TARGET...]: configures and builds the preset; everything when no
# target is named.
plc_build() {
  export CCACHE_BASEDIR=$PLC_ROOT CCACHE_NOHASHDIR=1
  local log=$PLC_ROOT/build/configure-$PLC_PRESET.log
  mkdir -p "$PLC_ROOT/build"
  plc_step "configuring preset $PLC_PRESET"
  if ! (cd -- "$PLC_ROOT" && cmake --preset "$PLC_PRESET") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    plc_die "cmake failed; all of its output is in $log"
  fi
  plc_step "building with $PLC_JOBS jobs in $PLC_BUILD"
  local targets=()
  if [ $# -gt 0 ]; then
    targets=(--target "$@")
  fi
  NINJA_STATUS='  [%f/%t %es] ' cmake --build "$PLC_BUILD" -j "$PLC_JOBS" ${targets[@]+"${targets[@]}"}
  plc_step "built"
}
