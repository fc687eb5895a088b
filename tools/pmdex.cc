// The `pmdex` program.
#include "tools/command.h"

int main(int argc, char** argv) {
  return pmdex::RunPmdex(argc, argv);
}
