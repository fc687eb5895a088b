// How the kernel has mapped the files of an index: whether by pages of 4 KiB or of 2 MiB decides
// how many page faults a first run takes, and how many misses of the TLB any run. Thread-safe: no
// state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pmdex {

struct IndexMapping {
  uint64_t bytes = 0;     // of the mapped files
  uint64_t resident = 0;  // bytes whose pages are mapped by now
  uint64_t huge = 0;      // of these, bytes in pages of 2 MiB
};

// From the text of /proc/PID/smaps: the files in the directory and below it. Nothing if none is
// mapped, and if the kernel counts no page of them, as with DAX.
std::optional<IndexMapping> MappingOf(const std::string& smaps, const std::string& directory);

// Of this process.
std::optional<IndexMapping> MappingOf(const std::string& directory);

}  // namespace pmdex
