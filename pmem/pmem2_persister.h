// The persister of media that loads and stores reach without a page cache. It calls the functions
// of libpmem2. Its Drain makes no system call and never fails.
#pragma once

#include <memory>

#include "pmem/persister.h"

struct pmem2_map;

namespace pmdex {

struct Pmem2Library;

// Requires a granularity of kByte or kCacheLine. The map may be deleted before the persister.
std::unique_ptr<Persister> NewPmem2Persister(const Pmem2Library& library, pmem2_map* map,
                                             StoreGranularity granularity);

// A persister of granularity kByte for ordinary memory of this process, for tests and benches. It
// copies in the same way and flushes nothing. Aborts (PMDEX_CHECK) if libpmem2 is missing.
std::unique_ptr<Persister> NewDramPersister();

}  // namespace pmdex
