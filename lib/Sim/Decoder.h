//===- Decoder.h - from functions and kernels to compact code -------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PL_LIB_SIM_DECODER_H
#define PL_LIB_SIM_DECODER_H

#include "Code.h"

#include "pl/Dialect/PL/IR/PL.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace pl::sim {

namespace ir = mlir::pl;

/// An integer of `width` bits as element type; nothing for other widths than 8,
/// 16, 32 and 64.
std::optional<ElemType> getIntegerElemType(int64_t width, bool isUnsigned);

/// Decodes one function. Members return false after reporting an error.
class Decoder {
public:
  /// `programIds` numbers what a host program runs.
  Decoder(Code &code, llvm::StringMap<unsigned> &kernelIds, unsigned &numSites,
          llvm::StringMap<unsigned> *programIds = nullptr)
      : code(code), kernelIds(kernelIds), numSites(numSites),
        programIds(programIds) {}

  bool decodeFunction(mlir::FunctionOpInterface function);
  /// Decodes what both sides of a mixed kernel share, and one side.
  bool decodeSide(ir::KernelOp kernel, bool isCube);

private:
  // Decode.cpp: structure.
  bool decodeParams(mlir::FunctionOpInterface function);
  bool decodeParam(mlir::FunctionOpInterface function, unsigned index);
  bool decodeBlock(mlir::Block &block);
  bool decodeOp(mlir::Operation *op);
  bool decodeFor(mlir::Operation *op, mlir::Value lower, mlir::Value upper,
                 mlir::Value step, mlir::ValueRange inits, mlir::Block &body);
  bool decodeIf(mlir::scf::IfOp op);
  bool decodeWhile(mlir::scf::WhileOp op);
  bool decodeLaunch(ir::LaunchOp op);
  bool decodeDummy(ir::DummyOp op);
  bool decodeAlloc(ir::AllocOp op);

  // DecodeScalars.cpp: registers and views.
  bool decodeScalar(mlir::Operation *op);
  bool decodeView(mlir::Operation *op);

  // DecodeTiles.cpp: buffers and tile ops.
  bool decodeTileOp(mlir::Operation *op);
  bool decodeBuffer(ir::BufferOp op);
  bool decodeBufferView(ir::BufferViewOp op);
  bool addTile(mlir::Operation *op, ir::BufferType type, llvm::StringRef name,
               std::optional<int64_t> address, mlir::ValueRange valid);
  bool decodeLoad(ir::LoadOp op);
  bool decodeStore(ir::StoreOp op);

  // DecodeSides.cpp: mixed kernels.
  void decodeRing(mlir::Operation *op);
  bool decodeHandshake(mlir::Operation *op);
  bool decodeElement(mlir::Operation *op);
  bool decodeCompute(ir::TileOpInterface op);
  bool chooseWalk(mlir::Operation *op, Instr &instr,
                  llvm::ArrayRef<int32_t> tiles);

  // DecodeComm.cpp: other ranks, host programs.
  bool decodeComm(mlir::Operation *op, bool &known);
  bool decodeTransfer(mlir::Operation *op);
  bool decodeRemote(mlir::Operation *op);
  bool decodeSignal(mlir::Operation *op);
  bool decodeHost(mlir::Operation *op, bool &known);
  bool decodeAllocWindow(mlir::Operation *op);
  bool decodeDispatch(mlir::Operation *op);

  // Emission.
  Instr &emit(Op op, mlir::Operation *from);
  void setOperands(Instr &instr, llvm::ArrayRef<int32_t> list);
  int32_t newReg() { return int32_t(code.numRegs++); }
  int32_t constant(int64_t value, mlir::Operation *from);
  /// The register, view or tile of a value.
  int32_t slot(mlir::Value value) { return slots.lookup(value); }
  int32_t define(mlir::Value value);
  llvm::SmallVector<int32_t, 8> slotsOf(mlir::ValueRange values);
  /// Registers of a list of constants and values.
  llvm::SmallVector<int32_t, 8> mixed(llvm::ArrayRef<int64_t> fixed,
                                      mlir::ValueRange dynamic,
                                      mlir::Operation *from);
  /// Copies as if all at once.
  void copyAll(mlir::ValueRange from, llvm::ArrayRef<int32_t> to,
               mlir::Operation *op);
  uint8_t newSite();
  /// Notes how a tensor is used, where a view of it is.
  void noteUse(mlir::Value view, bool reads, bool writes, bool adds);
  void noteSignal(mlir::Value view);
  /// Whether the simulator moves elements of this tensor; reports if not.
  static bool checkElement(mlir::Operation *op, mlir::Value tensor);

  Code &code;
  llvm::StringMap<unsigned> &kernelIds;
  unsigned &numSites;
  llvm::StringMap<unsigned> *programIds;
  llvm::DenseMap<mlir::Value, int32_t> slots;
  /// The parameter a view is of, -1 if not of one.
  llvm::DenseMap<mlir::Value, int32_t> paramOf;
};

} // namespace pl::sim

#endif // PL_LIB_SIM_DECODER_H
