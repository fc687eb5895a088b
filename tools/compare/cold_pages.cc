#include "tools/compare/cold_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr long kTmpfsMagic = 0x01021994;  // TMPFS_MAGIC of linux/magic.h
constexpr long kRamfsMagic = 0x858458f6;
// A run counts as cold if no more than this share of the pages stayed.
constexpr double kMostResident = 0.01;

// The pages of the file, and how many of them are in memory.
absl::Status CountResident(int fd, uint64_t size_bytes, const std::string& path,
                           DroppedPages& dropped) {
  if (size_bytes == 0) return absl::OkStatus();
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t pages = (size_bytes + page - 1) / page;
  void* const mapping = mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (mapping == MAP_FAILED) return ErrnoStatus(errno, path);
  std::vector<unsigned char> resident(pages);
  const int failed = mincore(mapping, size_bytes, resident.data());
  const int error = errno;
  munmap(mapping, size_bytes);
  if (failed != 0) return ErrnoStatus(error, path);
  dropped.pages += pages;
  dropped.resident += static_cast<uint64_t>(
      std::count_if(resident.begin(), resident.end(), [](unsigned char bits) { return bits & 1; }));
  return absl::OkStatus();
}

absl::Status DropFile(const std::string& path, DroppedPages& dropped) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return ErrnoStatus(errno, path);
  struct stat facts = {};
  if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, path);
  (void)fsync(fd.get());  // Pages that stay because of an error are counted below.
  (void)posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  return CountResident(fd.get(), static_cast<uint64_t>(facts.st_size), path, dropped);
}

// Why the file system has no pages that can be dropped; empty: it has.
std::string WhyPagesStay(const std::string& directory) {
  struct statfs facts = {};
  if (statfs(directory.c_str(), &facts) != 0) return "";
  if (facts.f_type == kTmpfsMagic || facts.f_type == kRamfsMagic) {
    return absl::StrCat(directory, " is in memory: its pages are the medium and cannot be dropped");
  }
  struct statx attributes = {};
  const bool known = statx(AT_FDCWD, directory.c_str(), 0, STATX_BASIC_STATS, &attributes) == 0;
  if (known && (attributes.stx_attributes & STATX_ATTR_DAX) != 0) {
    return absl::StrCat(directory, " is mapped by DAX: there is no page cache to drop");
  }
  return "";
}

absl::Status DropDirectory(const std::string& directory, DroppedPages& dropped) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    PMDEX_RETURN_IF_ERROR(DropFile(entry->path().string(), dropped));
  }
  if (error) return ErrnoStatus(error.value(), directory);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DroppedPages> DropPages(const std::vector<std::string>& directories) {
  DroppedPages dropped;
  for (const std::string& directory : directories) {
    dropped.why_not = WhyPagesStay(directory);
    if (!dropped.why_not.empty()) return dropped;
  }
  uint64_t most_resident = 0;
  std::string where;
  for (const std::string& directory : directories) {
    DroppedPages here;
    PMDEX_RETURN_IF_ERROR(DropDirectory(directory, here));
    dropped.pages += here.pages;
    dropped.resident += here.resident;
    if (here.resident <= most_resident) continue;
    most_resident = here.resident;
    where = absl::StrCat(here.resident, " of ", here.pages, " pages of ", directory);
  }
  const auto pages = static_cast<double>(dropped.pages);
  if (static_cast<double>(dropped.resident) > kMostResident * pages) {
    dropped.why_not = absl::StrCat(where, " stayed in the page cache");
  }
  return dropped;
}

}  // namespace pmdex
