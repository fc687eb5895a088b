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

}  // namespace pmdex
