#include "tools/server/users/user_map.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/access_tokens.h"

namespace pmdex {
namespace {

absl::StatusOr<UserMap::Entry> EntryOfLine(std::string_view line, const std::string& path) {
  const size_t space = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view token = line.substr(0, space);
  const std::string_view user = ToStd(absl::StripAsciiWhitespace(ToAbsl(line.substr(space))));
  if (user.empty() || user.find_first_of(" \t") != user.npos) {
    return InvalidArgument(absl::StrCat("a line of the user map ", path, " is not TOKEN USER"));
  }
  if (token.size() < AccessTokens::kLeastCharacters) {
    return InvalidArgument(absl::StrCat("the token of ", ToAbsl(user), " in ", path,
                                        " has fewer than ", AccessTokens::kLeastCharacters,
                                        " characters (hint: openssl rand -hex 32)"));
  }
  UserMap::Entry entry;
  entry.token = std::string(token);
  PMDEX_ASSIGN_OR_RETURN(entry.user, FindUser(user));
  entry.name = std::string(user);
  return entry;
}

}  // namespace

absl::StatusOr<UserMap> UserMap::Load(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadSecretLines(path, "user map"));
  std::vector<Entry> entries;
  for (const std::string& line : lines) {
    PMDEX_ASSIGN_OR_RETURN(Entry entry, EntryOfLine(line, path));
    const bool is_there = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
      return other.token == entry.token;
    });
    if (is_there) return InvalidArgument(absl::StrCat("a token comes twice in ", path));
    entries.push_back(std::move(entry));
  }
  return UserMap(std::move(entries));
}

std::optional<UserMap::FoundUser> UserMap::Find(const HttpRequest& request,
                                                const RequestContext& context) const {
  if (!request.Header("authorization").has_value()) {
    if (!context.peer_uid.has_value()) return std::nullopt;
    auto peer = FindUserOfNumber(*context.peer_uid);
    if (!peer.ok()) return std::nullopt;
    return FoundUser{*std::move(peer), absl::StrCat(*context.peer_uid)};
  }
  const Entry* found = nullptr;
  for (const std::string& given : TokensOf(request)) {
    for (const Entry& entry : entries_) {
      if (IsSameToken(given, entry.token)) found = &entry;
    }
  }
  return found == nullptr ? std::nullopt : std::optional(FoundUser{found->user, found->name});
}

}  // namespace pmdex
