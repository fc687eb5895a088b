// Which user a request is made for, where the server shows each user only what it may see. The
// token of the request says so, by a file; a request without one that comes through a Unix socket
// is made for the user of the process at its other end. Headers of other kinds say nothing.
// Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmem/status.h"
#include "query/access/user_identity.h"
#include "tools/server/http/http_service.h"

namespace pmdex {

class UserMap {
 public:
  struct Entry {
    std::string token;  // at least AccessTokens::kLeastCharacters
    UserIdentity user;
    std::string name = "";  // as the file has it, for the access log
  };
  struct FoundUser {
    UserIdentity identity;
    std::string name;  // of the entry; of the process at a Unix socket: the number of its user
  };
  explicit UserMap(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  // Reads a file with lines TOKEN USER, where USER is an account of this machine or the number of a
  // user; blank lines and lines that begin with # are ignored. The groups of the users are those
  // that the machine gives them now. Returns kInvalidArgument for a line of another form, a token
  // that is too short or comes twice, a user that the machine does not know, and if all users may
  // read the file. The file may have no lines: then only Unix sockets tell users.
  static absl::StatusOr<UserMap> Load(const std::string& path);

  // nullopt if the request has a token that is not in the map, or has none and comes through no
  // Unix socket. Its time does not depend on how much of a token is right.
  std::optional<FoundUser> Find(const HttpRequest& request, const RequestContext& context) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace pmdex
