#include "pmem/descriptor_limit.h"

#include <sys/resource.h>

#include "pmem/sysfs.h"

namespace pmdex {

void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);  // where it may not, the limit stays
}

uint64_t FreeDescriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const uint64_t listed = ListSysNames("/", "proc/self/fd").size();
  if (listed == 0) return 0;
  const uint64_t open = listed - 1;  // without the one that lists them
  return limit.rlim_cur > open ? uint64_t{limit.rlim_cur} - open : 1;
}

}  // namespace pmdex
