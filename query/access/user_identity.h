// Who a user is to the file system: the number of the user and those of the groups. A plain value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct UserIdentity {
  uint32_t uid = 0;
  std::vector<uint32_t> gids;  // sorted, the user's own group among them

  bool IsIn(uint32_t gid) const;
};

// name: of an account of this machine, or the number of a user. A number without an account is in
// no group. kInvalidArgument for a name that the machine does not know.
absl::StatusOr<UserIdentity> FindUser(std::string_view name);
// The user with this number, even if it is the name of an account, too.
absl::StatusOr<UserIdentity> FindUserOfNumber(uint32_t uid);

}  // namespace pmdex
