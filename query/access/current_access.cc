#include "query/access/current_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "pmem/file_descriptor.h"
#include "query/access/access_rights.h"

namespace pmdex {
namespace {

// As many links as the kernel follows in one path.
constexpr int kMostLinks = 40;
// So many directories stay open.
constexpr size_t kMostDirectories = 64;
constexpr int kLookFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

// The list of an entry that is open with O_PATH; nullopt if it cannot be read.
std::optional<std::string> ReadAcl(int fd) {
  constexpr char kAttribute[] = "system.posix_acl_access";
  const std::string path = absl::StrCat("/proc/self/fd/", fd);
  const ssize_t size = getxattr(path.c_str(), kAttribute, nullptr, 0);
  if (size < 0) {
    return errno == ENODATA || errno == ENOTSUP ? std::optional(std::string()) : std::nullopt;
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  const ssize_t got = getxattr(path.c_str(), kAttribute, bytes.data(), bytes.size());
  if (got != size) return std::nullopt;
  return bytes;
}

}  // namespace

// Why there is nothing to look at. An error that says neither that there is nothing nor that this
// process must not look hides the entry.
CurrentAccess::Verdict CurrentAccess::VerdictOf(int error) {
  const bool is_gone = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
  const bool is_closed = error == EACCES || error == EPERM;
  return is_gone || is_closed ? Verdict::kNotAtHand : Verdict::kRefused;
}

// What a step on the way leads to.
struct CurrentAccess::Place {
  Verdict verdict = Verdict::kRefused;
  FileDescriptor fd;  // with kAllowed alone, as are the facts
  struct stat facts = {};

  bool is_link() const { return verdict == Verdict::kAllowed && S_ISLNK(facts.st_mode); }

  static PlacePointer Of(Verdict verdict) {
    auto place = std::make_shared<Place>();
    place->verdict = verdict;
    return place;
  }
  // What has this name in a directory, whatever the rights of it are.
  static PlacePointer Open(int directory, const std::string& name) {
    auto place = std::make_shared<Place>();
    place->fd = FileDescriptor(openat(directory, name.c_str(), kLookFlags));
    if (!place->fd.valid() || fstat(place->fd.get(), &place->facts) != 0) {
      return Of(VerdictOf(errno));
    }
    place->verdict = Verdict::kAllowed;
    return place;
  }
  // All may read a link.
  bool Allows(Permission permission, const UserIdentity& user) const {
    if (S_ISLNK(facts.st_mode)) return true;
    const auto acl = ReadAcl(fd.get());
    if (!acl.has_value()) return false;
    const auto rights = RightsOf(facts.st_uid, facts.st_gid, facts.st_mode, *acl);
    return rights.has_value() && rights->Allow(permission, user);
  }
  // nullopt if the target of the link cannot be read.
  std::optional<std::string> Target() const {
    std::string target(PATH_MAX, '\0');
    const ssize_t got = readlinkat(fd.get(), "", target.data(), target.size());
    if (got <= 0 || static_cast<size_t>(got) == target.size()) return std::nullopt;
    target.resize(static_cast<size_t>(got));
    return target;
  }
};

CurrentAccess::PlacePointer CurrentAccess::Enter(PlacePointer place) const {
  if (place->verdict != Verdict::kAllowed) return place;
  if (!S_ISDIR(place->facts.st_mode)) return Place::Of(Verdict::kNotAtHand);
  return place->Allows(Permission::kSearch, user_) ? place : Place::Of(Verdict::kRefused);
}

// from: a directory that the user may search. follows_last: a link at the end is followed, too.
CurrentAccess::PlacePointer CurrentAccess::Follow(PlacePointer from, std::string_view path,
                                                  bool follows_last, int& links_left) const {
  if (path.starts_with('/')) from = Enter(Place::Open(AT_FDCWD, "/"));
  PlacePointer place = from;
  for (bool is_first = true;; is_first = false) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    if (path.empty()) return place;
    if (!is_first) place = Enter(std::move(place));
    if (place->verdict != Verdict::kAllowed) return place;
    const size_t end = std::min(path.find('/'), path.size());
    PlacePointer next = Place::Open(place->fd.get(), std::string(path.substr(0, end)));
    path.remove_prefix(end);
    if (next->is_link() && (follows_last || !path.empty())) {
      const auto target = next->Target();
      if (links_left-- == 0 || !target.has_value()) return Place::Of(Verdict::kRefused);
      next = Follow(std::move(place), *target, true, links_left);
    }
    place = std::move(next);
  }
}

CurrentAccess::PlacePointer CurrentAccess::DirectoryAt(const std::string& path) const {
  const auto known = directories_.find(path);
  if (known != directories_.end()) return known->second;
  const std::filesystem::path named(path);
  PlacePointer found;
  if (!named.has_relative_path()) {
    found = Enter(Place::Open(AT_FDCWD, "/"));
  } else {
    found = DirectoryAt(named.parent_path().string());
    int links_left = kMostLinks;
    if (found->verdict == Verdict::kAllowed) {
      found = Enter(Follow(std::move(found), named.filename().string(), true, links_left));
    }
  }
  if (directories_.size() == kMostDirectories) directories_.clear();
  directories_.emplace(path, found);
  return found;
}

CurrentAccess::Verdict CurrentAccess::Judge(const std::string& prefix, const std::string& path,
                                            bool is_link) const {
  if (path.front() != '/') {
    // Most ids that begin otherwise are no paths.
    struct stat facts;
    const std::string first = prefix + path.substr(0, path.find('/'));
    if (lstat(first.c_str(), &facts) != 0) return VerdictOf(errno);
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(prefix + path, error);
  if (error) return Verdict::kRefused;
  const auto directory = [&] {
    MutexLock lock(&mutex_);
    return DirectoryAt(absolute.parent_path().string());
  }();
  if (directory->verdict != Verdict::kAllowed) return directory->verdict;
  int links_left = kMostLinks;
  const auto entry = Follow(directory, absolute.filename().string(), !is_link, links_left);
  if (entry->verdict != Verdict::kAllowed) return entry->verdict;
  return entry->Allows(Permission::kRead, user_) ? Verdict::kAllowed : Verdict::kRefused;
}

bool CurrentAccess::MayShow(std::string_view id, bool is_link) const {
  if (user_.uid == 0) return true;
  const std::string path(id);
  if (path.empty() || path.find('\0') != path.npos) return true;
  bool is_at_hand = false;
  for (const std::string& prefix : inputs_.PrefixesOf(path)) {
    if (prefix.empty() && is_at_hand) break;
    const Verdict verdict = Judge(prefix, path, is_link);
    if (verdict == Verdict::kRefused) return false;
    is_at_hand = is_at_hand || verdict == Verdict::kAllowed;
  }
  return true;
}

}  // namespace pmdex
