#include "pl/Driver/Commands.h"
#include "llvm/Support/raw_ostream.h"
namespace pl::driver {
static int notYet(const Options &options, llvm::raw_ostream &err) {
  err << "plc: error: 'plc " << stringify(options.command)
      << "' is not there yet\n";
  return ExitUsage;
}
int runCheck(const Options &o, llvm::raw_ostream &, llvm::raw_ostream &e) {
  return notYet(o, e);
}
int runRun(const Options &o, llvm::raw_ostream &, llvm::raw_ostream &e) {
  return notYet(o, e);
}
int runGraph(const Options &o, llvm::raw_ostream &, llvm::raw_ostream &e) {
  return notYet(o, e);
}
} // namespace pl::driver
