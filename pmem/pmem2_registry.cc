#include "pmem/pmem2_registry.h"

namespace pmdex {

Mutex& Pmem2Registry() {
  static auto* mutex = new Mutex;  // never destroyed: maps may outlive static destructors
  return *mutex;
}

}  // namespace pmdex
