// The rights of an entry of a file system, and whether a user has one of them: by mode, owner,
// group and the list of acl(5), in the order that its section "ACCESS CHECK ALGORITHM" gives. The
// user 0 has all of them. An index keeps rights as text (decisions/0026-access.md). Plain values
// and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "query/access/user_identity.h"

namespace pmdex {

// Bits as in a digit of a mode.
enum class Permission : uint32_t { kRead = 4, kSearch = 1 };

struct NamedRights {
  uint32_t id = 0;
  uint32_t bits = 0;
};

struct EntryRights {
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t owner = 0;  // bits of the owner, the group and all others
  uint32_t group = 0;
  uint32_t other = 0;
  uint32_t mask = 7;  // of the group and of the named ones
  std::vector<NamedRights> users;
  std::vector<NamedRights> groups;

  bool Allow(Permission permission, const UserIdentity& user) const;
};

// mode: of stat(2). acl: the bytes of system.posix_acl_access, empty if there is none. nullopt if
// they are not such a list.
std::optional<EntryRights> RightsOf(uint32_t uid, uint32_t gid, uint32_t mode,
                                    std::string_view acl);

// access: rights of an entry and of its parents as an index keeps them. True if the user may search
// all parents and read the entry. Only user 0 may read what is not understood.
bool MayRead(const UserIdentity& user, std::string_view access);

}  // namespace pmdex
