#include "tools/server/http/request_target.h"

namespace pmdex {
namespace {

constexpr std::string_view kTargetHex = "0123456789ABCDEF";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// Removes "http://authority" of the absolute form.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t slash = target.find_first_of("/?", scheme.size());
    return slash == target.npos ? "/" : target.substr(slash);
  }
  return target;
}

absl::Status ParsePath(std::string_view path, RequestTarget& parsed) {
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(part.size());
    if (part.empty() && path.empty()) break;
    PMDEX_ASSIGN_OR_RETURN(std::string decoded, PercentDecode(part, /*plus_is_space=*/false));
    parsed.path.push_back(std::move(decoded));
  }
  return absl::OkStatus();
}

absl::Status ParseParameters(std::string_view query, RequestTarget& parsed) {
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == query.npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string_view value = equals == pair.npos ? "" : pair.substr(equals + 1);
    PMDEX_ASSIGN_OR_RETURN(std::string name, PercentDecode(pair.substr(0, equals), true));
    PMDEX_ASSIGN_OR_RETURN(std::string decoded, PercentDecode(value, true));
    parsed.parameters.emplace_back(std::move(name), std::move(decoded));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) return InvalidArgument("the URL has a '%' without two hex digits");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (decoded.back() == '\0') return InvalidArgument("the URL has a NUL character");
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kTargetHex[byte >> 4];
      encoded += kTargetHex[byte & 15];
    }
  }
  return encoded;
}

absl::StatusOr<RequestTarget> ParseRequestTarget(std::string_view target) {
  target = WithoutAuthority(target);
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  const std::string_view query = question == target.npos ? "" : target.substr(question + 1);
  if (!path.empty() && path[0] != '/') {
    return InvalidArgument("the target of the request must begin with '/'");
  }
  RequestTarget parsed;
  PMDEX_RETURN_IF_ERROR(ParsePath(path, parsed));
  PMDEX_RETURN_IF_ERROR(ParseParameters(query, parsed));
  return parsed;
}

}  // namespace pmdex
