// The tokens that clients must show. A request may carry one as "Bearer TOKEN", as "ApiKey TOKEN"
// or "ApiKey BASE64(ID:TOKEN)", or as the password of "Basic". Immutable and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

class AccessTokens {
 public:
  // No token is needed.
  AccessTokens() = default;
  // Each must have at least kLeastCharacters.
  explicit AccessTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  static constexpr size_t kLeastCharacters = 16;

  // Reads a file with one token a line; blank lines and lines that begin with # are ignored.
  // Returns kInvalidArgument if it has no token, a token that is too short, or if all users may
  // read it.
  static absl::StatusOr<AccessTokens> Load(const std::string& path);

  bool are_needed() const { return !tokens_.empty(); }
  // True if no token is needed or the request has one. Its time does not depend on how much of a
  // token is right.
  bool Allow(const HttpRequest& request) const;

 private:
  std::vector<std::string> tokens_;
};

// The texts of a request that may be a token, by the scheme that it names.
std::vector<std::string> TokensOf(const HttpRequest& request);
// Compares in a time that does not depend on where the texts differ.
bool IsSameToken(std::string_view given, std::string_view token);

// The lines of a file of secrets without white space around them, blank ones and those that begin
// with #. Returns kInvalidArgument if all users may read the file. what: for messages, "token
// file".
absl::StatusOr<std::vector<std::string>> ReadSecretLines(const std::string& path,
                                                         std::string_view what);

}  // namespace pmdex
