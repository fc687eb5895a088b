#include "pmem/granularity_probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "pmem/exhaustion.h"
#include "pmem/mapping.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr off_t kProbeBytes = 4096;
constexpr std::string_view kProbeNamePrefix = ".pmdex-probe-";

// Opens any regular file of the directory that is not empty. The descriptor is invalid if there is
// none.
FileDescriptor OpenAnyFile(int directory_fd) {
  const int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = fd < 0 ? nullptr : fdopendir(fd);
  if (stream == nullptr) {
    if (fd >= 0) close(fd);
    return {};
  }
  const auto close_stream = absl::MakeCleanup([stream] { closedir(stream); });
  while (const dirent* entry = readdir(stream)) {
    struct stat facts;
    FileDescriptor file(
        openat(directory_fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid() || fstat(file.get(), &facts) != 0) continue;
    if (S_ISREG(facts.st_mode) && facts.st_size > 0) return file;
  }
  return {};
}

// A full medium is none of it: it only means that nothing can be created.
bool LacksResources(const absl::Status& status) {
  const Resource resource = ExhaustedResource(status);
  return resource != Resource::kNone && resource != Resource::kSpace;
}

}  // namespace

bool IsProbeName(std::string_view name) {
  if (!name.starts_with(kProbeNamePrefix)) return false;
  name.remove_prefix(kProbeNamePrefix.size());
  const size_t dash = name.find('-');
  if (dash == 0 || dash == name.npos || dash + 1 == name.size()) return false;
  return name.find_first_not_of("0123456789") == dash &&
         name.find_first_not_of("0123456789", dash + 1) == name.npos;
}

absl::StatusOr<FileDescriptor> OpenProbeFile(int directory_fd) {
  FileDescriptor unnamed(openat(directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (unnamed.valid()) return unnamed;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = absl::StrCat(ToAbsl(kProbeNamePrefix), getpid(), "-", attempt);
    FileDescriptor named(openat(directory_fd, name.c_str(),
                                O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (named.valid()) {
      unlinkat(directory_fd, name.c_str(), 0);
      return named;
    }
    if (errno != EEXIST) break;
  }
  return ErrnoStatus(errno, "create a probe file");
}

absl::StatusOr<StoreGranularity> ProbeGranularity(int directory_fd) {
  auto created = OpenProbeFile(directory_fd);
  if (LacksResources(created.status())) return created.status();
  if (created.ok() && ftruncate(created->get(), kProbeBytes) == 0) {
    auto found = FindStoreGranularity(created->get(), MapAccess::kReadWrite, "probe file");
    if (found.ok() || LacksResources(found.status())) return found;
  }
  const FileDescriptor existing = OpenAnyFile(directory_fd);
  if (existing.valid()) {
    auto found = FindStoreGranularity(existing.get(), MapAccess::kReadOnly, "probe file");
    if (found.ok() || LacksResources(found.status())) return found;
  }
  return StoreGranularity::kPage;
}

}  // namespace pmdex
