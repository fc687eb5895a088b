// Loads shared libraries when the program first needs them. Libraries that are part of the
// installation are in lib/pmdex beside the folder of the program; the dynamic linker finds the
// others.
//
// Libraries stay loaded until the process ends. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "pmem/status.h"

namespace pmdex {

class SharedLibrary {
 public:
  // file: a name without a folder ("libnuma.so.1"). needed: the libraries that `file` needs and
  // that may be part of the installation, where the dynamic linker does not look for them. Each
  // must stand before those that need it. Returns kUnimplemented, with the reason of the dynamic
  // linker, if the library cannot be loaded.
  static absl::StatusOr<SharedLibrary> Load(const std::string& file,
                                            std::span<const std::string> needed = {});

  // The address of a function or of data. Returns kUnimplemented if the library does not have it.
  absl::StatusOr<void*> Find(const char* symbol) const;
  // The bytes of a data symbol, in the size that the symbol table gives.
  absl::StatusOr<std::span<const std::byte>> FindData(const char* symbol) const;

 private:
  SharedLibrary(std::string file, void* handle) : file_(std::move(file)), handle_(handle) {}

  std::string file_;
  void* handle_;
};

// Sets `pointer`, which points to a function or to data, to the address of `symbol`.
template <typename Pointer>
absl::Status FindInto(const SharedLibrary& library, const char* symbol, Pointer& pointer) {
  PMDEX_ASSIGN_OR_RETURN(void* const address, library.Find(symbol));
  pointer = reinterpret_cast<Pointer>(address);
  return absl::OkStatus();
}

// The path of lib/pmdex/FILE beside the folder of `program`, or "" if there is no such file.
// Follows symbolic links. Visible for tests.
std::string InstalledLibrary(const char* program, const std::string& file);

}  // namespace pmdex
