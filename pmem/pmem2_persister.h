// The persister of memory that loads and stores reach: libpmem2's functions, bound once. Drain
// never fails here: there is no system call in it.
#pragma once

#include <memory>

#include "pmem/persister.h"

struct pmem2_map;

namespace pmdex {

struct Pmem2Library;

// For a map of granularity kByte or kCacheLine. The functions stay valid without the map.
std::unique_ptr<Persister> NewPmem2Persister(const Pmem2Library& library, pmem2_map* map,
                                             StoreGranularity granularity);

// For ordinary memory of this process: the same non-temporal copy, nothing to flush (kByte). For
// tests and benches, on machines that have libpmem2 (PMDEX_CHECK).
std::unique_ptr<Persister> NewDramPersister();

}  // namespace pmdex
