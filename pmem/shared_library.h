// Shared libraries that the program loads only when it first needs them. Those that came with the
// installation are in lib/pmdex beside the folder of the program; the others are where the dynamic
// linker looks.
//
// What is loaded stays loaded until the process ends. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "pmem/status.h"

namespace pmdex {

class SharedLibrary {
 public:
  // `file` is a name without a folder ("libnuma.so.1"). `needed` are the files that it needs in
  // turn and that may have come with the installation, each before those that need it; the dynamic
  // linker would not look for them there. kUnimplemented with the dynamic linker's reason where the
  // library cannot be loaded.
  static absl::StatusOr<SharedLibrary> Load(const std::string& file,
                                            std::span<const std::string> needed = {});

  // The address of a function or of data; kUnimplemented where the library does not have it.
  absl::StatusOr<void*> Find(const char* symbol) const;
  // The bytes of a data symbol, as many as the library says that it has.
  absl::StatusOr<std::span<const std::byte>> FindData(const char* symbol) const;

 private:
  SharedLibrary(std::string file, void* handle) : file_(std::move(file)), handle_(handle) {}

  std::string file_;
  void* handle_;
};

// Sets `pointer`, a function pointer or a pointer to data, to the address of `symbol`.
template <typename Pointer>
absl::Status FindInto(const SharedLibrary& library, const char* symbol, Pointer& pointer) {
  PMDEX_ASSIGN_OR_RETURN(void* const address, library.Find(symbol));
  pointer = reinterpret_cast<Pointer>(address);
  return absl::OkStatus();
}

// lib/pmdex/FILE beside the folder of a program that was started as `program`, symbolic links
// followed; empty where there is no such file. For tests.
std::string InstalledLibrary(const char* program, const std::string& file);

}  // namespace pmdex
