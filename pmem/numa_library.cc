#include "pmem/numa_library.h"

#include "pmem/shared_library.h"

namespace pmdex {
namespace {

absl::StatusOr<NumaLibrary> FindNuma() {
  PMDEX_ASSIGN_OR_RETURN(const SharedLibrary file, SharedLibrary::Load("libnuma.so.1"));
  NumaLibrary library;
#define PMDEX_NUMA_FIND(name) PMDEX_RETURN_IF_ERROR(FindInto(file, "numa_" #name, library.name));
  PMDEX_NUMA_FUNCTIONS(PMDEX_NUMA_FIND)
#undef PMDEX_NUMA_FIND
  return library;
}

}  // namespace

absl::StatusOr<const NumaLibrary*> LoadNuma() {
  static const auto* const loaded = new absl::StatusOr<NumaLibrary>(FindNuma());
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

}  // namespace pmdex
