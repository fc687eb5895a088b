#include "tools/server/access_tokens.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

// Splits "Scheme credentials".
std::pair<std::string, std::string_view> SplitScheme(std::string_view header) {
  const size_t space = header.find(' ');
  const std::string_view rest = space == header.npos ? "" : header.substr(space + 1);
  return {absl::AsciiStrToLower(ToAbsl(header.substr(0, space))),
          ToStd(absl::StripAsciiWhitespace(ToAbsl(rest)))};
}

// What stands behind the first colon of the decoded text; empty if there is none.
std::string SecretOfPair(std::string_view base64) {
  std::string pair;
  if (!absl::Base64Unescape(ToAbsl(base64), &pair)) return "";
  const size_t colon = pair.find(':');
  return colon == pair.npos ? "" : pair.substr(colon + 1);
}

}  // namespace

// Looks at every byte of both texts, wherever they differ.
bool IsSameToken(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < token.size(); ++i) {
    const char c = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned char>(c ^ token[i]);
  }
  return difference == 0;
}

std::vector<std::string> TokensOf(const HttpRequest& request) {
  const auto header = request.Header("authorization");
  if (!header.has_value()) return {};
  const auto [scheme, credentials] = SplitScheme(*header);
  if (scheme == "bearer") return {std::string(credentials)};
  if (scheme == "basic") return {SecretOfPair(credentials)};
  if (scheme == "apikey") return {std::string(credentials), SecretOfPair(credentials)};
  return {};
}

absl::StatusOr<std::vector<std::string>> ReadSecretLines(const std::string& path,
                                                         std::string_view what) {
  struct stat info = {};
  std::ifstream file(path);
  if (!file || stat(path.c_str(), &info) != 0) {
    return ErrnoStatus(errno, absl::StrCat("cannot read the ", ToAbsl(what), " ", path));
  }
  if ((info.st_mode & S_IROTH) != 0) {
    return InvalidArgument(absl::StrCat("every user may read the ", ToAbsl(what), " ", path,
                                        " (hint: chmod 600 ", path, ")"));
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    std::string text(absl::StripAsciiWhitespace(line));
    if (!text.empty() && text[0] != '#') lines.push_back(std::move(text));
  }
  return lines;
}

absl::StatusOr<AccessTokens> AccessTokens::Load(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string> tokens, ReadSecretLines(path, "token file"));
  for (const std::string& token : tokens) {
    if (token.size() < kLeastCharacters) {
      return InvalidArgument(absl::StrCat("a token in ", path, " has fewer than ", kLeastCharacters,
                                          " characters (hint: openssl rand -hex 32)"));
    }
  }
  if (tokens.empty()) return InvalidArgument(absl::StrCat("no token in ", path));
  return AccessTokens(std::move(tokens));
}

bool AccessTokens::Allow(const HttpRequest& request) const {
  if (tokens_.empty()) return true;
  bool found = false;
  for (const std::string& given : TokensOf(request)) {
    for (const std::string& token : tokens_) found |= IsSameToken(given, token);
  }
  return found;
}

}  // namespace pmdex
