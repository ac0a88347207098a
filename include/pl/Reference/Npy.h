//===- Npy.h - Arrays as .npy files ---------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_REFERENCE_NPY_H
#define PL_REFERENCE_NPY_H

#include "pl/Reference/Array.h"

namespace pl::ref {

/// The element type and shape a .npy header states, and where its data starts.
struct NpyHeader {
  DType dtype = DType::FP32;
  /// True for uint16 bits that are to be read as bfloat16.
  bool isBFloat16 = false;
  bool fortranOrder = false;
  Dims shape;
  size_t dataOffset = 0;
};

/// Reads the header at the start of `bytes`. `name` is for messages; a name
/// that ends in `.bf16.npy` holds bfloat16 as uint16 bits.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef bytes,
                                         llvm::StringRef name);

/// An array out of the bytes of a whole .npy file (versions 1, 2 and 3, C and
/// Fortran order, little-endian).
llvm::Expected<Array> parseNpy(llvm::StringRef bytes, llvm::StringRef name);
llvm::Expected<Array> readNpy(llvm::StringRef path);

/// The bytes of a version 1 file.
std::string formatNpyHeader(const Array &array);
/// Writes through a temporary file that is renamed at the end. A bfloat16 array
/// needs a path that ends in `.bf16.npy`, and only such an array may have one.
llvm::Error writeNpy(llvm::StringRef path, const Array &array);

/// `NAME.npy`, or `NAME.bf16.npy` for bfloat16.
std::string npyFileName(llvm::StringRef name, DType dtype);

} // namespace pl::ref

#endif // PL_REFERENCE_NPY_H
