// What this kernel offers in pages larger than 4 KiB, the limits that large mappings meet, and
// whether this process takes such pages. What is read is a snapshot; reading is thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/status.h"

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

// kAuto: where the kernel has them and large memory asks for them (HugeBuffer). kOn: the same, and
// a kernel that never gives any is an error. kOff: none, whatever the kernel would do by itself.
enum class HugePageUse { kAuto, kOn, kOff };
absl::StatusOr<HugePageUse> ParseHugePageUse(std::string_view name);
std::string_view ToString(HugePageUse use);  // "auto", "on", "off"

// The whole process uses 2 MiB pages as asked, for pages that it touches first while the scope
// lives; afterwards as before. One at a time; movable. kOff holds for mapped files of a DAX medium
// too.
class HugePageScope {
 public:
  // kFailedPrecondition: kOn, and the kernel never gives any.
  static absl::StatusOr<HugePageScope> Open(HugePageUse use, std::string_view root = "/");
  ~HugePageScope();
  HugePageScope(HugePageScope&& other) noexcept
      : restored_(std::exchange(other.restored_, std::nullopt)) {}
  HugePageScope& operator=(HugePageScope&&) = delete;

 private:
  explicit HugePageScope(std::optional<bool> restored) : restored_(restored) {}

  std::optional<bool> restored_;  // whether the process had none before; nullopt: nothing changed
};

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
