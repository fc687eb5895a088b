#include "pmem/shared_library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

constexpr int kLoadFlags = RTLD_NOW | RTLD_LOCAL;

absl::Status DynamicLinkerError(const std::string& file) {
  const char* const reason = dlerror();
  return MakeStatus(absl::StatusCode::kUnimplemented,
                    absl::StrCat("load ", file, ": ", reason == nullptr ? "no reason" : reason));
}

// The path of a library of the installation. RPATH with $ORIGIN would need /proc, which not every
// root directory has.
std::string InstalledFile(const std::string& file) {
  return InstalledLibrary(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), file);
}

}  // namespace

std::string InstalledLibrary(const char* program, const std::string& file) {
  char real[PATH_MAX];
  if (program == nullptr || realpath(program, real) == nullptr) return "";
  const std::string path(real);
  const std::string installed =
      absl::StrCat(path.substr(0, path.rfind('/')), "/../lib/pmdex/", file);
  return access(installed.c_str(), R_OK) == 0 ? installed : "";
}

absl::StatusOr<SharedLibrary> SharedLibrary::Load(const std::string& file,
                                                  std::span<const std::string> needed) {
  for (const std::string& name : needed) {
    // Errors are ignored: loading the library that needs it then fails with a message.
    const std::string installed = InstalledFile(name);
    if (!installed.empty()) dlopen(installed.c_str(), kLoadFlags);
  }
  const std::string installed = InstalledFile(file);
  void* const handle = dlopen(installed.empty() ? file.c_str() : installed.c_str(), kLoadFlags);
  if (handle == nullptr) return DynamicLinkerError(file);
  return SharedLibrary(file, handle);
}

absl::StatusOr<void*> SharedLibrary::Find(const char* symbol) const {
  dlerror();  // forgets earlier errors
  void* const address = dlsym(handle_, symbol);
  if (address == nullptr) return DynamicLinkerError(file_);
  return address;
}

absl::StatusOr<std::span<const std::byte>> SharedLibrary::FindData(const char* symbol) const {
  PMDEX_ASSIGN_OR_RETURN(const void* const address, Find(symbol));
  Dl_info info;
  void* entry = nullptr;
  if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrCat("load ", file_, ": ", symbol, " has no size"));
  }
  return std::span(static_cast<const std::byte*>(address),
                   static_cast<const ElfW(Sym)*>(entry)->st_size);
}

}  // namespace pmdex
