# Build rules shared by every folder: one library per folder, no cycles.

find_program(PL_CCACHE ccache)
if(PL_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${PL_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PL_CCACHE})
endif()

add_library(pl_options INTERFACE)
target_include_directories(pl_options INTERFACE
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
target_include_directories(pl_options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# Values must not depend on the host compiler: no contraction of a*b+c.
target_compile_options(pl_options INTERFACE
  -fno-rtti -fno-exceptions -ffp-contract=off -Wall -Wextra
  -Wno-unused-parameter -fdiagnostics-color=auto
  $<$<BOOL:${PL_WERROR}>:-Werror>
  $<$<CONFIG:Debug>:-gline-tables-only>)
target_link_options(pl_options INTERFACE -fuse-ld=lld)
if(PL_SANITIZE)
  target_compile_options(pl_options INTERFACE
    -fsanitize=${PL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(pl_options INTERFACE -fsanitize=${PL_SANITIZE})
endif()
# MLIR makes many small objects, and walks them where they lie: with the malloc
# of glibc, programs of thousands of tasks grow worse than they need to.
# Sanitizers bring their own.
if(NOT PL_SANITIZE AND NOT PL_FUZZ)
  find_library(PL_MALLOC jemalloc REQUIRED)
endif()
# Coverage for libFuzzer, and smaller limits where the source asks for the macro.
if(PL_FUZZ)
  target_compile_options(pl_options INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(pl_options INTERFACE
    FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()

# add_pl_library(NAME SOURCES... [DEPENDS targets] [LINK libraries])
# One static library for one folder. LINK names the folders below it; MLIR and
# LLVM come as shared libraries through the name `MLIR`.
function(add_pl_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC pl_options ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# add_pl_executable(NAME SOURCES... LINK libraries)
function(add_pl_executable name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(PL_SANITIZE)
    target_sources(${name} PRIVATE
      ${CMAKE_SOURCE_DIR}/cmake/SanitizerDefaults.cpp)
  endif()
  # An allocator replaces that of libc if it comes first.
  target_link_libraries(${name} PRIVATE ${PL_MALLOC} pl_options ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# add_pl_unittest(NAME SOURCES... LINK libraries)
# A GoogleTest program, registered with ctest under its own name.
function(add_pl_unittest name)
  add_pl_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
