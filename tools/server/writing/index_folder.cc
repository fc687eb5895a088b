#include "tools/server/writing/index_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/store/own_files.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/own_paths.h"
#include "tools/utf8.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

// Of subdirectories that are being removed. No index has such a name.
constexpr std::string_view kRemovedPrefix = ".removed-";
constexpr std::string_view kNameOfFileSystems = "lost+found";

// Why no index has the name; empty if one may.
std::string_view FaultOf(std::string_view name) {
  constexpr size_t kMostBytes = 255;
  if (name.empty() || name == "." || name == "..") return "must not be '.' or '..'";
  if (name.find_first_of("\\/*?\"<>| ,#:%") != name.npos) {
    return "must not contain the following characters ['\\\\','/','*','?','\"','<','>','|',' "
           "',',','#',':','%']";
  }
  if (std::string_view("_-+.").find(name[0]) != std::string_view::npos) {
    return "must not start with '_', '-', '+', or '.'";
  }
  if (name.size() > kMostBytes) return "index name is too long, (more than 255 bytes)";
  const bool has_upper =
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return has_upper ? "must be lowercase" : "";
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Prefix first = ScanUtf8(text);
    if (!first.valid) return false;
    text.remove_prefix(first.size_bytes);
  }
  return true;
}

// The same for a new index. Indexes that have such a name are still served.
std::string_view FaultOfNew(std::string_view name) {
  if (const std::string_view fault = FaultOf(name); !fault.empty()) return fault;
  const bool has_control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (has_control) return "must not contain control characters";
  if (!IsUtf8(name)) return "must be valid UTF-8";
  if (name == kNameOfFileSystems) return "is the name of a directory that file systems make";
  return IsOwnPath(name) ? "is the beginning of a path of the server" : "";
}

}  // namespace

absl::Status CheckNewIndexName(std::string_view name) {
  const std::string_view fault = FaultOfNew(name);
  if (fault.empty()) return absl::OkStatus();
  return ApiError(400, "invalid_index_name_exception",
                  absl::StrCat("Invalid index name [", ToAbsl(name), "], ", ToAbsl(fault)),
                  {{"index_uuid", "_na_"}, {"index", name}});
}

absl::StatusOr<std::unique_ptr<IndexFolder>> IndexFolder::Open(const std::string& path) {
  std::unique_ptr<IndexFolder> folder(new IndexFolder(path));
  FileDirectoryOptions options;
  options.create = true;
  PMDEX_ASSIGN_OR_RETURN(folder->directory_, OpenFileDirectory(path, options));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> others, folder->directory_->ListOthers());
  for (const std::string& name : others) {
    if (name.starts_with(kRemovedPrefix)) folder->RemoveFiles(folder->PathOf(name));
  }
  return folder;
}

std::string IndexFolder::PathOf(std::string_view name) const {
  return absl::StrCat(path_, "/", ToAbsl(name));
}

absl::StatusOr<std::vector<std::string>> IndexFolder::Names() const {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> others, directory_->ListOthers());
  std::vector<std::string> names;
  for (const std::string& name : others) {
    std::error_code error;
    if (!FaultOf(name).empty() || !fs::is_directory(PathOf(name), error)) continue;
    if (name != kNameOfFileSystems) names.push_back(name);
  }
  return names;
}

absl::StatusOr<std::vector<IndexFolder::RefusedName>> IndexFolder::RefusedNames() const {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> others, directory_->ListOthers());
  std::vector<RefusedName> refused;
  for (const std::string& name : others) {
    const std::string_view fault = FaultOf(name);
    std::error_code error;
    if (fault.empty() || name.starts_with('.') || !fs::is_directory(PathOf(name), error)) continue;
    refused.push_back({name, fault});
  }
  return refused;
}

absl::Status IndexFolder::Remove(std::string_view name) {
  std::string removed;  // short, as the name of an index may be as long as a name can be
  std::error_code error;
  for (uint64_t i = 0; removed.empty() || fs::exists(removed, error); ++i) {
    removed = PathOf(absl::StrCat(ToAbsl(kRemovedPrefix), i));
  }
  if (std::rename(PathOf(name).c_str(), removed.c_str()) != 0) {
    return ErrnoStatus(errno, absl::StrCat("rename ", PathOf(name)));
  }
  PMDEX_RETURN_IF_ERROR(directory_->Sync());
  RemoveFiles(removed);
  return absl::OkStatus();
}

void IndexFolder::RemoveFiles(const std::string& path) const {
  const auto directory = OpenFileDirectory(path, {});
  if (!directory.ok()) return;
  const auto entries = (*directory)->List();
  if (!entries.ok()) return;
  for (const DirectoryEntry& entry : *entries) {
    const bool is_own = IsTemporaryName(entry.name) || entry.name == kWriterLockName ||
                        IsOwnFile(**directory, entry.name).value_or(false);
    if (is_own) (*directory)->Remove(entry.name).IgnoreError();
  }
  std::error_code error;
  fs::remove(path, error);  // fails if files of others are in it
}

}  // namespace pmdex
