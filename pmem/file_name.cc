#include "pmem/file_name.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {

absl::Status CheckFileName(std::string_view name) {
  constexpr size_t kMaxNameBytes = 255;  // NAME_MAX
  const bool reserved = name.empty() || name == "." || name == "..";
  const bool separator = name.find('/') != name.npos || name.find('\0') != name.npos;
  if (!reserved && !separator && name.size() <= kMaxNameBytes) return absl::OkStatus();
  return InvalidArgument(absl::StrCat("file name \"", absl::CHexEscape(ToAbsl(name.substr(0, 300))),
                                      "\": not one path component of 1 to 255 bytes"));
}

bool IsPlainAbsolutePath(std::string_view path) {
  constexpr size_t kMaxPathBytes = 4095;  // PATH_MAX, less the zero at the end
  if (path.empty() || path.size() > kMaxPathBytes) return false;
  while (!path.empty()) {
    if (path.front() != '/') return false;
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (!CheckFileName(part).ok()) return false;
    path.remove_prefix(part.size());
  }
  return true;
}

}  // namespace pmdex
