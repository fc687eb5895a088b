// Serialises the making and deleting of libpmem2 maps. Its registry of maps is locked, but a map is
// unmapped before it is unregistered: another thread may get the same address in between, is told
// EEXIST, and its clean-up may unmap what a third thread has mapped there by then (seen
// with 1.12.1).
#pragma once

#include "pmem/mutex.h"

namespace pmdex {

// Held around every pmem2_map_new, pmem2_map_from_existing and pmem2_map_delete.
Mutex& Pmem2Registry();

}  // namespace pmdex
