#include "query/access/access_rights.h"

#include <charconv>
#include <cstring>

namespace pmdex {
namespace {

// The attribute as the kernel gives it (linux/posix_acl_xattr.h): a version, then entries.
constexpr uint32_t kAclVersion = 2;
struct AclEntry {
  uint16_t tag;
  uint16_t bits;
  uint32_t id;
};
constexpr uint16_t kUserObject = 0x01;
constexpr uint16_t kNamedUser = 0x02;
constexpr uint16_t kGroupObject = 0x04;
constexpr uint16_t kNamedGroup = 0x08;
constexpr uint16_t kMaskTag = 0x10;
constexpr uint16_t kOther = 0x20;

bool Apply(const AclEntry& entry, EntryRights& rights) {
  const uint32_t bits = entry.bits & 7u;
  switch (entry.tag) {
    case kUserObject:
      rights.owner = bits;
      return true;
    case kNamedUser:
      rights.users.push_back({entry.id, bits});
      return true;
    case kGroupObject:
      rights.group = bits;
      return true;
    case kNamedGroup:
      rights.groups.push_back({entry.id, bits});
      return true;
    case kMaskTag:
      rights.mask = bits;
      return true;
    case kOther:
      rights.other = bits;
      return true;
    default:
      return false;
  }
}

EntryRights RightsOfMode(uint32_t uid, uint32_t gid, uint32_t mode) {
  EntryRights rights;
  rights.uid = uid;
  rights.gid = gid;
  rights.owner = mode >> 6 & 7;
  rights.group = mode >> 3 & 7;
  rights.other = mode & 7;
  return rights;
}

// The rights without their list where its mask is empty. Linux looks at a list only if the bits of
// the group in the mode, which hold the mask, are not 0.
EntryRights WithoutEmptyMask(const EntryRights& rights, uint32_t mode) {
  return rights.mask == 0 ? RightsOfMode(rights.uid, rights.gid, mode) : rights;
}

// The part of the text before the separator, which is taken from the front with it.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

std::optional<uint32_t> Number(std::string_view text, int base) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// "rw-"
std::optional<uint16_t> Bits(std::string_view text) {
  constexpr std::string_view kLetters = "rwx";
  if (text.size() != kLetters.size()) return std::nullopt;
  uint16_t bits = 0;
  for (size_t i = 0; i < kLetters.size(); ++i) {
    if (text[i] != kLetters[i] && text[i] != '-') return std::nullopt;
    bits = static_cast<uint16_t>(bits * 2 + (text[i] == kLetters[i] ? 1 : 0));
  }
  return bits;
}

// "user:7:r--"
std::optional<AclEntry> ParseAclEntry(std::string_view text) {
  const std::string_view name = TakePart(text, ':');
  const std::string_view id = TakePart(text, ':');
  const auto bits = Bits(text);
  if (!bits.has_value()) return std::nullopt;
  AclEntry entry = {0, *bits, 0};
  if (!id.empty()) {
    const auto number = Number(id, 10);
    if (!number.has_value()) return std::nullopt;
    entry.id = *number;
  }
  if (name == "user") entry.tag = id.empty() ? kUserObject : kNamedUser;
  if (name == "group") entry.tag = id.empty() ? kGroupObject : kNamedGroup;
  if (name == "mask" && id.empty()) entry.tag = kMaskTag;
  if (name == "other" && id.empty()) entry.tag = kOther;
  return entry.tag == 0 ? std::nullopt : std::optional(entry);
}

// "1000:1000:0640", and a list behind a colon.
std::optional<EntryRights> ParseRights(std::string_view text) {
  const auto uid = Number(TakePart(text, ':'), 10);
  const auto gid = Number(TakePart(text, ':'), 10);
  const auto mode = Number(TakePart(text, ':'), 8);
  if (!uid.has_value() || !gid.has_value() || !mode.has_value()) return std::nullopt;
  EntryRights rights = RightsOfMode(*uid, *gid, *mode);
  while (!text.empty()) {
    const auto entry = ParseAclEntry(TakePart(text, ','));
    if (!entry.has_value() || !Apply(*entry, rights)) return std::nullopt;
  }
  return WithoutEmptyMask(rights, *mode);
}

}  // namespace

bool EntryRights::Allow(Permission permission, const UserIdentity& user) const {
  const auto needed = static_cast<uint32_t>(permission);
  if (user.uid == 0) return true;
  if (user.uid == uid) return (owner & needed) != 0;
  for (const NamedRights& named : users) {
    if (named.id == user.uid) return (named.bits & mask & needed) != 0;
  }
  // Of all groups that the user is in, one that has the right is enough; if none has it, the right
  // of all others does not count.
  bool is_in_a_group = user.IsIn(gid);
  if (is_in_a_group && (group & mask & needed) != 0) return true;
  for (const NamedRights& named : groups) {
    if (!user.IsIn(named.id)) continue;
    if ((named.bits & mask & needed) != 0) return true;
    is_in_a_group = true;
  }
  return !is_in_a_group && (other & needed) != 0;
}

std::optional<EntryRights> RightsOf(uint32_t uid, uint32_t gid, uint32_t mode,
                                    std::string_view acl) {
  EntryRights rights = RightsOfMode(uid, gid, mode);
  if (acl.empty()) return rights;
  uint32_t version = 0;
  if (acl.size() < sizeof version) return std::nullopt;
  std::memcpy(&version, acl.data(), sizeof version);
  acl.remove_prefix(sizeof version);
  if (version != kAclVersion || acl.size() % sizeof(AclEntry) != 0) return std::nullopt;
  for (; !acl.empty(); acl.remove_prefix(sizeof(AclEntry))) {
    AclEntry entry;
    std::memcpy(&entry, acl.data(), sizeof entry);
    if (!Apply(entry, rights)) return std::nullopt;
  }
  return WithoutEmptyMask(rights, mode);
}

bool MayRead(const UserIdentity& user, std::string_view access) {
  if (user.uid == 0) return true;
  Permission permission = Permission::kRead;  // of the entry, which comes first
  if (access.empty()) return false;
  while (!access.empty()) {
    const auto rights = ParseRights(TakePart(access, '|'));
    if (!rights.has_value() || !rights->Allow(permission, user)) return false;
    permission = Permission::kSearch;
  }
  return true;
}

}  // namespace pmdex
