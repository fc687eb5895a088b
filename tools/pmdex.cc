// The `pmdex` program.
#include <csignal>

#include "tools/run_pmdex.h"

int main(int argc, char** argv) {
  // Beyond a file-size limit, write() then returns an error, and the process is not killed.
  std::signal(SIGXFSZ, SIG_IGN);
  return pmdex::RunPmdex(argc, argv);
}
