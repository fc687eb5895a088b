#include "engine/ingest/entries/access_text.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/columns/field_value.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// The attribute as the kernel gives it (linux/posix_acl_xattr.h): a version, then entries.
constexpr char kAclAttribute[] = "system.posix_acl_access";
constexpr uint32_t kAclVersion = 2;
struct AclEntry {
  uint16_t tag;
  uint16_t permissions;
  uint32_t id;
};
constexpr uint16_t kAclUserObject = 0x01;
constexpr uint16_t kAclUser = 0x02;
constexpr uint16_t kAclGroupObject = 0x04;
constexpr uint16_t kAclGroup = 0x08;
constexpr uint16_t kAclMask = 0x10;
constexpr uint16_t kAclOther = 0x20;

// Empty for a tag that does not exist.
std::string TagText(const AclEntry& entry) {
  switch (entry.tag) {
    case kAclUserObject:
      return "user:";
    case kAclUser:
      return absl::StrCat("user:", entry.id);
    case kAclGroupObject:
      return "group:";
    case kAclGroup:
      return absl::StrCat("group:", entry.id);
    case kAclMask:
      return "mask:";
    case kAclOther:
      return "other:";
    default:
      return "";
  }
}

std::string PermissionText(uint16_t permissions) {
  std::string text = "---";
  if ((permissions & 4) != 0) text[0] = 'r';
  if ((permissions & 2) != 0) text[1] = 'w';
  if ((permissions & 1) != 0) text[2] = 'x';
  return text;
}

std::set<std::string, std::less<>> SplitRights(std::string_view text) {
  std::set<std::string, std::less<>> rights;
  while (!text.empty()) {
    const size_t end = std::min(text.find('|'), text.size());
    rights.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rights;
}

std::string JoinRights(const std::set<std::string, std::less<>>& rights) {
  std::string text;
  for (const std::string& one : rights) absl::StrAppend(&text, text.empty() ? "" : "|", one);
  return text;
}

// Calls `get` with more and more room. Nothing if there is no list, or if the file system has none.
template <typename Get>
std::string ReadAcl(const Get& get) {
  std::string bytes(256, '\0');
  for (;;) {
    const ssize_t got = get(bytes.data(), bytes.size());
    if (got >= 0) {
      bytes.resize(static_cast<size_t>(got));
      return AclText(bytes);
    }
    if (errno == ENODATA || errno == ENOTSUP) return {};
    if (errno != ERANGE || bytes.size() > kMostAclBytes) return std::string(kUnknownAcl);
    bytes.resize(bytes.size() * 4);
  }
}

std::string RightsOfDirectory(const std::string& path) {
  // A path through a link is searched at its end too.
  const std::string end = path.ends_with('/') ? path + "." : path + "/.";
  struct stat facts;
  if (lstat(end.c_str(), &facts) != 0) return std::string(kUnknownRights);
  return RightsText(facts.st_uid, facts.st_gid, facts.st_mode, AclOfPath(end));
}

// Of all directories above the last part of an absolute path.
void AddParents(const std::filesystem::path& path, std::set<std::string, std::less<>>& rights) {
  std::filesystem::path directory = path.parent_path();
  for (;;) {
    rights.insert(RightsOfDirectory(directory.string()));
    if (!directory.has_relative_path()) return;
    directory = directory.parent_path();
  }
}

}  // namespace

std::string AclText(std::string_view bytes) {
  uint32_t version = 0;
  if (bytes.size() < sizeof version) return std::string(kUnknownAcl);
  std::memcpy(&version, bytes.data(), sizeof version);
  bytes.remove_prefix(sizeof version);
  if (version != kAclVersion || bytes.size() % sizeof(AclEntry) != 0) {
    return std::string(kUnknownAcl);
  }
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(AclEntry))) {
    AclEntry entry;
    std::memcpy(&entry, bytes.data(), sizeof entry);
    const std::string tag = TagText(entry);
    if (tag.empty()) return std::string(kUnknownAcl);
    absl::StrAppend(&text, text.empty() ? "" : ",", tag, ":", PermissionText(entry.permissions));
  }
  return text;
}

std::string AclOfPath(const std::string& path) {
  return ReadAcl([&path](char* bytes, size_t size_bytes) {
    return lgetxattr(path.c_str(), kAclAttribute, bytes, size_bytes);
  });
}

std::string AclOfOpened(int fd) {
  return ReadAcl([fd](char* bytes, size_t size_bytes) {
    return fgetxattr(fd, kAclAttribute, bytes, size_bytes);
  });
}

std::string RightsText(uint32_t uid, uint32_t gid, uint32_t mode, std::string_view acl) {
  return absl::StrFormat("%d:%d:%04o%s%s", uid, gid, mode & 07777, acl.empty() ? "" : ":",
                         std::string(acl));
}

std::shared_ptr<const std::string> ParentsWith(std::string_view parents, std::string_view rights) {
  auto all = SplitRights(parents);
  all.emplace(rights);
  return std::make_shared<const std::string>(JoinRights(all));
}

std::string AccessText(std::string_view rights, std::string_view parents) {
  std::string text(rights);
  if (!parents.empty()) absl::StrAppend(&text, "|", ToAbsl(parents));
  return text.size() <= kMaxKeywordBytes ? text : std::string(kUnknownRights);
}

std::shared_ptr<const std::string> ParentsOfPath(const std::string& path) {
  std::error_code error;
  const size_t end = path.find_last_not_of('/');
  const std::string entry = end == std::string::npos ? path : path.substr(0, end + 1);
  const std::filesystem::path absolute = std::filesystem::absolute(entry, error);
  if (error || path.empty()) return std::make_shared<const std::string>(kUnknownRights);
  std::set<std::string, std::less<>> rights;
  AddParents(absolute, rights);
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  if (real != nullptr) AddParents(real.get(), rights);
  return std::make_shared<const std::string>(JoinRights(rights));
}

}  // namespace pmdex
