// A lock around the making and deleting of libpmem2 maps, because libpmem2 has a race there (seen
// with 1.12.1). It unmaps a map before it takes the map out of its registry. Another thread may get
// the same address in between and fail with EEXIST. Its clean-up may then unmap memory that a third
// thread has mapped there meanwhile.
#pragma once

#include "pmem/mutex.h"

namespace pmdex {

// Hold it around every pmem2_map_new, pmem2_map_from_existing and pmem2_map_delete.
Mutex& Pmem2Registry();

}  // namespace pmdex
