// Reads which pages larger than 4 KiB this kernel has and which limits large mappings meet, and
// chooses whether this process uses such pages. The Read functions return a snapshot and are
// thread-safe.
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

// kAuto: use 2 MiB pages for HugeBuffers if the kernel has them. kOn: the same, but it is an error
// if the kernel never gives such pages. kOff: use none, even where the kernel would give them
// unasked.
enum class HugePageUse { kAuto, kOn, kOff };
absl::StatusOr<HugePageUse> ParseHugePageUse(std::string_view name);
std::string_view ToString(HugePageUse use);  // "auto", "on", "off"

// Sets the use of 2 MiB pages for the whole process. It holds for memory that is touched for the
// first time while the scope lives, and also for mapped files of a DAX medium. The destructor
// restores what was before. Only one scope may live at a time; movable.
class HugePageScope {
 public:
  // Returns kFailedPrecondition for kOn if the kernel never gives such pages.
  static absl::StatusOr<HugePageScope> Open(HugePageUse use, std::string_view root = "/");
  ~HugePageScope();
  HugePageScope(HugePageScope&& other) noexcept
      : restored_(std::exchange(other.restored_, std::nullopt)) {}
  HugePageScope& operator=(HugePageScope&&) = delete;

 private:
  explicit HugePageScope(std::optional<bool> restored) : restored_(restored) {}

  // The value of PR_GET_THP_DISABLE to restore; nullopt if nothing was changed.
  std::optional<bool> restored_;
};

// The limits of this process; nullopt where there is none.
struct MappingLimits {
  std::optional<uint64_t> max_maps;  // vm.max_map_count; nullopt also where it cannot be read
  std::optional<uint64_t> locked_bytes;
  std::optional<uint64_t> open_files;
  std::optional<uint64_t> open_files_hard;
  std::optional<uint64_t> file_bytes;
};

MappingLimits ReadMappingLimits(std::string_view root = "/");

}  // namespace pmdex
