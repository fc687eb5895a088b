#include "query/access/user_identity.h"

#include <grp.h>
#include <pwd.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

#include "pmem/account_record.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// The groups of an account.
std::vector<uint32_t> GroupsOf(const passwd& account) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<size_t>(count));
  while (getgrouplist(account.pw_name, account.pw_gid, groups.data(), &count) < 0) {
    // The call says how many there are; a system that does not is asked for more and more.
    groups.resize(std::max(groups.size() * 2, static_cast<size_t>(std::max(count, 0))));
    count = static_cast<int>(groups.size());
  }
  groups.resize(static_cast<size_t>(count));
  std::vector<uint32_t> sorted(groups.begin(), groups.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// find: getpwnam_r or getpwuid_r with the first argument bound.
template <typename Find>
absl::StatusOr<std::optional<UserIdentity>> FindAccount(const Find& find) {
  const auto account = FindAccountRecord<passwd>(find);
  if (account.is_found) return UserIdentity{account.record.pw_uid, GroupsOf(account.record)};
  const int error = account.error;
  const bool is_unknown =
      error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
  if (!is_unknown) return ErrnoStatus(error, "the accounts of this machine");
  return std::optional<UserIdentity>();
}

}  // namespace

bool UserIdentity::IsIn(uint32_t gid) const {
  return std::binary_search(gids.begin(), gids.end(), gid);
}

absl::StatusOr<UserIdentity> FindUser(std::string_view name) {
  const std::string text(name);
  PMDEX_ASSIGN_OR_RETURN(
      const std::optional<UserIdentity> named,
      FindAccount([&](passwd* account, char* buffer, size_t size_bytes, passwd** found) {
        return getpwnam_r(text.c_str(), account, buffer, size_bytes, found);
      }));
  if (named.has_value()) return *named;
  uint32_t uid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), uid);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) {
    return InvalidArgument(absl::StrCat("this machine knows no user '", ToAbsl(name), "'"));
  }
  return FindUserOfNumber(uid);
}

absl::StatusOr<UserIdentity> FindUserOfNumber(uint32_t uid) {
  PMDEX_ASSIGN_OR_RETURN(
      const std::optional<UserIdentity> numbered,
      FindAccount([&](passwd* account, char* buffer, size_t size_bytes, passwd** found) {
        return getpwuid_r(uid, account, buffer, size_bytes, found);
      }));
  return numbered.value_or(UserIdentity{uid, {}});
}

}  // namespace pmdex
