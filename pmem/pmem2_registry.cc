#include "pmem/pmem2_registry.h"

namespace pmdex {

absl::Mutex& Pmem2Registry() {
  static auto* mutex = new absl::Mutex;  // never destroyed: maps may outlive static destructors
  return *mutex;
}

}  // namespace pmdex
