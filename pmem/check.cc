#include "pmem/check.h"

#include <cstdio>
#include <cstdlib>

namespace pmdex {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "pmdex: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace pmdex
