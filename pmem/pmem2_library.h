// Loads libpmem2 into a table of the functions that pmdex calls. It is loaded when a file on DAX is
// to be written, when a granularity is forced, or when a device has known bad blocks. A machine
// without persistent memory does not need it.
//
// Thread-safe. The library stays loaded.
#pragma once

#include <libpmem2.h>

#include "pmem/status.h"

// Each name without its prefix pmem2_.
#define PMDEX_PMEM2_FUNCTIONS(X)           \
  X(badblock_context_delete)               \
  X(badblock_context_new)                  \
  X(badblock_next)                         \
  X(config_delete)                         \
  X(config_new)                            \
  X(config_set_protection)                 \
  X(config_set_required_store_granularity) \
  X(errormsg)                              \
  X(get_drain_fn)                          \
  X(get_flush_fn)                          \
  X(get_memcpy_fn)                         \
  X(map_delete)                            \
  X(map_from_existing)                     \
  X(map_get_address)                       \
  X(map_get_size)                          \
  X(map_get_store_granularity)             \
  X(map_new)                               \
  X(source_delete)                         \
  X(source_from_anon)                      \
  X(source_from_fd)

namespace pmdex {

struct Pmem2Library {
#define PMDEX_PMEM2_MEMBER(name) decltype(&::pmem2_##name) name = nullptr;
  PMDEX_PMEM2_FUNCTIONS(PMDEX_PMEM2_MEMBER)
#undef PMDEX_PMEM2_MEMBER
};

// The table, which lives as long as the process. Returns kUnimplemented, with a hint, if the
// library or one of its functions is missing. Later calls return what the first call returned.
absl::StatusOr<const Pmem2Library*> LoadPmem2();

// For tests. Makes LoadPmem2 return `library` until it is called again with nullptr. The library
// must outlive all mappings that were made with it. No other thread may map files during the call.
void SetPmem2ForTest(const Pmem2Library* library);

}  // namespace pmdex
