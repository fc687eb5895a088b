// Loads libndctl and libdaxctl into tables of the functions that pmdex calls. Only `pmdex doctor`
// needs them. They are not linked, because they need five more libraries, which would add several
// milliseconds to every start of the program.
//
// Thread-safe. The libraries stay loaded.
#pragma once

#include <daxctl/libdaxctl.h>
#include <ndctl/libndctl.h>

#include "pmem/status.h"

// Each name without its prefix ndctl_.
#define PMDEX_NDCTL_FUNCTIONS(X)   \
  X(btt_get_block_device)          \
  X(bus_get_first)                 \
  X(bus_get_next)                  \
  X(cmd_smart_get_flags)           \
  X(cmd_smart_get_health)          \
  X(cmd_smart_get_life_used)       \
  X(cmd_submit)                    \
  X(cmd_unref)                     \
  X(dimm_cmd_new_smart)            \
  X(dimm_get_devname)              \
  X(dimm_get_dirty_shutdown)       \
  X(dimm_get_first)                \
  X(dimm_get_next)                 \
  X(namespace_get_block_device)    \
  X(namespace_get_btt)             \
  X(namespace_get_dax)             \
  X(namespace_get_devname)         \
  X(namespace_get_first)           \
  X(namespace_get_first_badblock)  \
  X(namespace_get_mode)            \
  X(namespace_get_next)            \
  X(namespace_get_next_badblock)   \
  X(namespace_get_pfn)             \
  X(namespace_get_size)            \
  X(namespace_is_active)           \
  X(new)                           \
  X(pfn_get_block_device)          \
  X(region_get_available_size)     \
  X(region_get_devname)            \
  X(region_get_first)              \
  X(region_get_first_badblock)     \
  X(region_get_next)               \
  X(region_get_next_badblock)      \
  X(region_get_numa_node)          \
  X(region_get_persistence_domain) \
  X(region_get_ro)                 \
  X(region_get_size)               \
  X(region_get_target_node)        \
  X(region_get_type_name)          \
  X(set_log_priority)              \
  X(unref)

// Each name without its prefix daxctl_.
#define PMDEX_DAXCTL_FUNCTIONS(X) \
  X(dev_get_devname)              \
  X(dev_get_first)                \
  X(dev_get_memory)               \
  X(dev_get_next)                 \
  X(dev_get_size)                 \
  X(dev_get_target_node)          \
  X(new)                          \
  X(region_get_first)             \
  X(region_get_next)              \
  X(set_log_priority)             \
  X(unref)

namespace pmdex {

// Members end in an underscore because `new` is a keyword.
struct NdctlLibrary {
#define PMDEX_NDCTL_MEMBER(name) decltype(&::ndctl_##name) name##_ = nullptr;
  PMDEX_NDCTL_FUNCTIONS(PMDEX_NDCTL_MEMBER)
#undef PMDEX_NDCTL_MEMBER
};

struct DaxctlLibrary {
#define PMDEX_DAXCTL_MEMBER(name) decltype(&::daxctl_##name) name##_ = nullptr;
  PMDEX_DAXCTL_FUNCTIONS(PMDEX_DAXCTL_MEMBER)
#undef PMDEX_DAXCTL_MEMBER
};

// The tables, which live as long as the process. Return kUnimplemented if the library or one of its
// functions is missing. Later calls return what the first call returned.
absl::StatusOr<const NdctlLibrary*> LoadNdctl();
absl::StatusOr<const DaxctlLibrary*> LoadDaxctl();

}  // namespace pmdex
