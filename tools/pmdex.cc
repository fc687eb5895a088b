// The `pmdex` program.
#include <csignal>

#include "tools/run_pmdex.h"

int main(int argc, char** argv) {
  // A file-size limit is an error to report, not a reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  return pmdex::RunPmdex(argc, argv);
}
