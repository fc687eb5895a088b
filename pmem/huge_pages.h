// What this kernel offers in pages larger than 4 KiB, and the limits that large mappings meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

struct HugePool {
  uint64_t page_bytes = 0;
  uint64_t pages = 0;
  uint64_t free_pages = 0;
};

struct HugePages {
  std::optional<std::string> thp_mode;    // anonymous memory: "always", "madvise", "never"
  std::optional<std::string> shmem_mode;  // tmpfs: "always", "within_size", "advise", "never" ...
  std::vector<HugePool> pools;            // hugetlbfs, smallest pages first
};

HugePages ReadHugePages(std::string_view root = "/");

// A limit of this process; nullopt: none.
struct MappingLimits {
  std::optional<uint64_t> max_maps;  // vm.max_map_count; nullopt also where it cannot be read
  std::optional<uint64_t> locked_bytes;
  std::optional<uint64_t> open_files;
  std::optional<uint64_t> open_files_hard;
  std::optional<uint64_t> file_bytes;
};

MappingLimits ReadMappingLimits(std::string_view root = "/");

}  // namespace pmdex
