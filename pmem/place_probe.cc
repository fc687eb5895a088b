#include "pmem/place_probe.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "pmem/directory.h"
#include "pmem/granularity_probe.h"
#include "pmem/pmem2_library.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

constexpr uint64_t kPlaceProbeBytes = 2 * kHugePageBytes;
constexpr size_t kMaxExtents = 64;

bool HasDaxAttribute(int fd) {
  struct statx facts;
  std::memset(&facts, 0, sizeof(facts));
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &facts) != 0) return false;
  return (facts.stx_attributes & facts.stx_attributes_mask & STATX_ATTR_DAX) != 0;
}

bool MapsWithSync(int fd, int protection) {
  constexpr size_t kBytes = 4096;
  void* address = mmap(nullptr, kBytes, protection, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  if (address == MAP_FAILED) return false;
  munmap(address, kBytes);
  return true;
}

// The extents of a file whose blocks are allocated; nullopt where the file system cannot tell.
std::optional<std::vector<Extent>> ReadExtents(int fd, uint64_t file_bytes) {
  alignas(fiemap) char buffer[sizeof(fiemap) + kMaxExtents * sizeof(fiemap_extent)] = {};
  auto* map = reinterpret_cast<fiemap*>(buffer);
  map->fm_length = file_bytes;
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = kMaxExtents;
  if (ioctl(fd, FS_IOC_FIEMAP, map) != 0) return std::nullopt;
  std::vector<Extent> extents;
  for (size_t i = 0; i < map->fm_mapped_extents; ++i) {
    const fiemap_extent& extent = map->fm_extents[i];
    if ((extent.fe_flags & FIEMAP_EXTENT_UNKNOWN) != 0) return std::nullopt;
    extents.push_back({extent.fe_logical, extent.fe_physical, extent.fe_length});
  }
  return extents;
}

void ProbeFile(int directory_fd, PlaceFacts& facts) {
  auto probe = OpenProbeFile(directory_fd);
  facts.writable = probe.status();
  if (!probe.ok()) {
    facts.dax = HasDaxAttribute(directory_fd);
    return;
  }
  const int fd = probe->get();
  facts.dax = HasDaxAttribute(fd);
  if (posix_fallocate(fd, 0, static_cast<off_t>(kPlaceProbeBytes)) != 0) {
    // Without space for blocks a hole still shows if the file can be mapped.
    if (ftruncate(fd, static_cast<off_t>(kHugePageBytes)) != 0) return;
    facts.map_sync = MapsWithSync(fd, PROT_READ | PROT_WRITE);
    return;
  }
  facts.map_sync = MapsWithSync(fd, PROT_READ | PROT_WRITE);
  const auto extents = ReadExtents(fd, kPlaceProbeBytes);
  if (extents.has_value()) facts.extents = CountAlignedPieces(*extents, kPlaceProbeBytes);
}

// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool Covers(std::string_view mount_point, std::string_view path) {
  if (mount_point == "/") return true;
  return path.starts_with(mount_point) &&
         (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

// Appends the options of the file system that the mount does not already name.
void AddOptions(std::string& options, const std::string& more) {
  std::istringstream words(more);
  for (std::string word; std::getline(words, word, ',');) {
    if (("," + options + ",").find("," + word + ",") == std::string::npos) options += "," + word;
  }
}

}  // namespace

AlignedPieces CountAlignedPieces(const std::vector<Extent>& extents, uint64_t file_bytes) {
  // Neighbouring extents that continue each other on the medium are one for a mapping.
  std::vector<Extent> joined;
  for (const Extent& extent : extents) {
    if (!joined.empty() &&
        joined.back().logical_byte + joined.back().size_bytes == extent.logical_byte &&
        joined.back().physical_byte + joined.back().size_bytes == extent.physical_byte) {
      joined.back().size_bytes += extent.size_bytes;
    } else {
      joined.push_back(extent);
    }
  }
  AlignedPieces count;
  for (uint64_t at = 0; at + kHugePageBytes <= file_bytes; at += kHugePageBytes) {
    ++count.pieces;
    count.aligned_pieces += std::any_of(joined.begin(), joined.end(), [at](const Extent& extent) {
      return extent.logical_byte <= at &&
             at + kHugePageBytes <= extent.logical_byte + extent.size_bytes &&
             (extent.physical_byte + (at - extent.logical_byte)) % kHugePageBytes == 0;
    });
  }
  return count;
}

MountFacts FindMount(std::string_view absolute_path, std::string_view root) {
  // Fields by proc(5): id, parent, major:minor, root, mount point, options, optional fields, "-",
  // file system, source, options of the file system.
  MountFacts best;
  std::istringstream lines(ReadSysText(root, "proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string skipped, mount_point, options, filesystem, source, super_options;
    fields >> skipped >> skipped >> skipped >> skipped >> mount_point >> options;
    while (fields >> skipped && skipped != "-") continue;
    if (!(fields >> filesystem >> source)) continue;
    fields >> super_options;
    mount_point = Unescape(mount_point);
    // Of several mounts at one point the last one counts: it covers the others.
    if (!Covers(mount_point, absolute_path) || mount_point.size() < best.mount_point.size())
      continue;
    AddOptions(options, super_options);
    best = {filesystem, mount_point, options, Unescape(source)};
  }
  return best;
}

absl::StatusOr<PlaceFacts> ProbePlace(const std::string& path, std::string_view root) {
  struct stat kind;
  if (stat(path.c_str(), &kind) != 0) return ErrnoStatus(errno, path);
  std::error_code error;
  PlaceFacts facts;
  facts.path = std::filesystem::canonical(path, error).string();
  if (error) return ErrnoStatus(error.value(), path);
  facts.mount = FindMount(facts.path, root);
  if (!S_ISDIR(kind.st_mode)) {
    facts.path = std::filesystem::path(facts.path).parent_path().string();
  }
  const FileDescriptor fd(open(facts.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, path);
  struct statvfs space;
  if (fstatvfs(fd.get(), &space) == 0) {
    facts.free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
    facts.total_bytes = uint64_t{space.f_blocks} * space.f_frsize;
  }
  ProbeFile(fd.get(), facts);
  PMDEX_ASSIGN_OR_RETURN(facts.granularity, ProbeGranularity(fd.get()));
  facts.granularity_forced = std::getenv("PMEM2_FORCE_GRANULARITY") != nullptr;
  if (facts.granularity != StoreGranularity::kPage || facts.granularity_forced) {
    facts.libpmem2 = LoadPmem2().status();
  }
  // If no file can be created, the granularity is that of an existing file.
  if (!facts.writable.ok() && !facts.granularity_forced) {
    facts.map_sync = facts.granularity != StoreGranularity::kPage;
  }
  return facts;
}

}  // namespace pmdex
