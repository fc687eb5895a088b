#include "pmem/ndctl_library.h"

#include "pmem/shared_library.h"

namespace pmdex {
namespace {

absl::StatusOr<NdctlLibrary> FindNdctl() {
  PMDEX_ASSIGN_OR_RETURN(const SharedLibrary file, SharedLibrary::Load("libndctl.so.6"));
  NdctlLibrary library;
#define PMDEX_NDCTL_FIND(name) \
  PMDEX_RETURN_IF_ERROR(FindInto(file, "ndctl_" #name, library.name##_));
  PMDEX_NDCTL_FUNCTIONS(PMDEX_NDCTL_FIND)
#undef PMDEX_NDCTL_FIND
  return library;
}

absl::StatusOr<DaxctlLibrary> FindDaxctl() {
  PMDEX_ASSIGN_OR_RETURN(const SharedLibrary file, SharedLibrary::Load("libdaxctl.so.1"));
  DaxctlLibrary library;
#define PMDEX_DAXCTL_FIND(name) \
  PMDEX_RETURN_IF_ERROR(FindInto(file, "daxctl_" #name, library.name##_));
  PMDEX_DAXCTL_FUNCTIONS(PMDEX_DAXCTL_FIND)
#undef PMDEX_DAXCTL_FIND
  return library;
}

}  // namespace

absl::StatusOr<const NdctlLibrary*> LoadNdctl() {
  static const auto* const loaded = new absl::StatusOr<NdctlLibrary>(FindNdctl());
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

absl::StatusOr<const DaxctlLibrary*> LoadDaxctl() {
  static const auto* const loaded = new absl::StatusOr<DaxctlLibrary>(FindDaxctl());
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

}  // namespace pmdex
