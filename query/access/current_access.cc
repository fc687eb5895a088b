#include "query/access/current_access.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "query/access/access_rights.h"

namespace pmdex {
namespace {

enum class Verdict { kAllowed, kRefused, kNotAtHand };

// The list of an entry; nullopt if it cannot be read.
std::optional<std::string> ReadAcl(const std::string& path) {
  constexpr char kAttribute[] = "system.posix_acl_access";
  std::string bytes(size_t{64} << 10, '\0');
  const ssize_t got = lgetxattr(path.c_str(), kAttribute, bytes.data(), bytes.size());
  if (got < 0) {
    return errno == ENODATA || errno == ENOTSUP ? std::optional(std::string()) : std::nullopt;
  }
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

// The right of a user to an entry that is no link, or to a link itself.
Verdict Check(const std::string& path, Permission permission, const UserIdentity& user) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) return Verdict::kNotAtHand;
  const auto acl = S_ISLNK(facts.st_mode) ? std::optional(std::string()) : ReadAcl(path);
  if (!acl.has_value()) return Verdict::kRefused;
  const auto rights = RightsOf(facts.st_uid, facts.st_gid, facts.st_mode, *acl);
  const bool is_allowed = rights.has_value() && rights->Allow(permission, user);
  return is_allowed ? Verdict::kAllowed : Verdict::kRefused;
}

}  // namespace

bool CurrentAccess::MaySearch(const std::string& directory) const {
  const auto known = one_.find(directory);
  if (known != one_.end()) return known->second;
  // A link in the path is followed, and then its target counts.
  const std::string inside = directory.ends_with('/') ? directory + "." : directory + "/.";
  const bool may = Check(inside, Permission::kSearch, user_) != Verdict::kRefused;
  one_.emplace(directory, may);
  return may;
}

bool CurrentAccess::MaySearchAll(const std::string& directory) const {
  const auto known = all_.find(directory);
  if (known != all_.end()) return known->second;
  bool may = MaySearch(directory);
  const std::filesystem::path path(directory);
  if (may && path.has_relative_path()) may = MaySearchAll(path.parent_path().string());
  all_.emplace(directory, may);
  return may;
}

bool CurrentAccess::MayShow(std::string_view id) const {
  if (user_.uid == 0) return true;
  const std::string path(id);
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error || path.empty() || path.find('\0') != path.npos) return true;
  const Verdict entry = Check(path, Permission::kRead, user_);
  if (entry != Verdict::kAllowed) return entry == Verdict::kNotAtHand;
  const std::string named = absolute.parent_path().string();
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(named.c_str(), nullptr),
                                                         &std::free);
  MutexLock lock(&mutex_);
  return MaySearchAll(named) && (real == nullptr || MaySearchAll(real.get()));
}

}  // namespace pmdex
