#include "pmem/pmem2_library.h"

#include <dlfcn.h>

#include <atomic>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

std::atomic<const Pmem2Library*> set_for_test{nullptr};

absl::Status LoadError() {
  const char* const reason = dlerror();
  return MakeStatus(absl::StatusCode::kUnimplemented,
                    absl::StrCat("libpmem2, which persistent memory needs, cannot be used: ",
                                 reason == nullptr ? "unknown reason" : reason,
                                 " (hint: install libpmem2 1.9 or newer; Debian: apt-get install "
                                 "libpmem2-1)"));
}

absl::StatusOr<Pmem2Library> Load() {
  void* const handle = dlopen("libpmem2.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return LoadError();
  Pmem2Library library;
#define PMDEX_PMEM2_LOAD(name)                                                            \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "pmem2_" #name)); \
  if (library.name == nullptr) return LoadError();
  PMDEX_PMEM2_FUNCTIONS(PMDEX_PMEM2_LOAD)
#undef PMDEX_PMEM2_LOAD
  return library;
}

}  // namespace

absl::StatusOr<const Pmem2Library*> LoadPmem2() {
  if (const Pmem2Library* library = set_for_test.load()) return library;
  static const auto* const loaded = new absl::StatusOr<Pmem2Library>(Load());
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

void SetPmem2ForTest(const Pmem2Library* library) {
  set_for_test = library;
}

}  // namespace pmdex
