#include "Orchestration.h"
using namespace mlir;
using namespace mlir::pl;
LogicalResult OrchestrationWriter::write(emitc::FileOp file) {
  return success();
}
LogicalResult OrchestrationWriter::emitOp(Operation *op) {
  return notYet(op, "x");
}
