// libpmem2 as a table of the functions that pmdex calls, loaded when the first medium needs it: a
// file on DAX that is to be written, a granularity that is forced, a device with known bad blocks.
// A machine without persistent memory neither needs the library nor loads it (and the libraries
// that it needs in turn).
//
// Thread-safe. What is loaded stays loaded.
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

// The table; it lives as long as the process. kUnimplemented, with a hint, where the library is
// missing or lacks one of the functions; the first answer is the answer of every later call.
absl::StatusOr<const Pmem2Library*> LoadPmem2();

// For tests: LoadPmem2 answers `library` from now on, which must outlive all mappings made through
// it; nullptr ends that. Not while another thread maps files.
void SetPmem2ForTest(const Pmem2Library* library);

}  // namespace pmdex
