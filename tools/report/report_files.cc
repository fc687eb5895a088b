#include "tools/report/report_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeReportDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoStatus(error.value(), path);
  return absl::OkStatus();
}

absl::Status WriteReportFile(const std::string& directory, std::string_view name,
                             std::string_view content) {
  PMDEX_CHECK(!name.empty() && name.find('/') == std::string_view::npos);
  const std::string path = directory + "/" + std::string(name);
  const std::string partial = absl::StrCat(path, ".", getpid(), ".part");
  const FileDescriptor fd(
      open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd.valid()) return ErrnoStatus(errno, partial);
  absl::Status status = WriteAll(fd.get(), content, partial);
  if (status.ok() && rename(partial.c_str(), path.c_str()) != 0) status = ErrnoStatus(errno, path);
  if (!status.ok()) unlink(partial.c_str());
  return status;
}

absl::StatusOr<std::string> ReadReportFile(const std::string& path, size_t most_bytes) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, path);
  std::string content;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus(errno, path);
    if (count == 0) return content;
    if (content.size() + static_cast<size_t>(count) > most_bytes) {
      return InvalidArgument(absl::StrCat(path, ": larger than ", most_bytes, " bytes"));
    }
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

}  // namespace pmdex
