#include "tools/server/elasticsearch/content_type.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_table.h"

namespace pmdex {
namespace {

constexpr std::string_view kSupported =
    "application/json application/x-ndjson application/* application/vnd.elasticsearch+json "
    "application/vnd.elasticsearch+x-ndjson application/vnd.opensearch+json "
    "application/vnd.opensearch+x-ndjson";

// The header without its parameters.
std::string_view MediaTypeOf(std::string_view header) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(header.substr(0, header.find(';')))));
}

// tchar of RFC 9110.
bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsMediaType(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != text.npos && IsToken(text.substr(0, slash)) && IsToken(text.substr(slash + 1));
}

ApiAnswer HeaderError(const std::string& what) {
  const std::string reason = "java.lang.IllegalArgumentException: " + what;
  constexpr const char* kType = "content_type_header_exception";
  const Json root = {{"type", kType}, {"reason", reason}};
  Json error = {{"root_cause", Json::array({root})}, {"type", kType}, {"reason", reason}};
  error["caused_by"] = {{"type", "illegal_argument_exception"}, {"reason", what}};
  return {400, {{"error", std::move(error)}, {"status", 400}}, {}};
}

}  // namespace

std::optional<ApiAnswer> RefuseContentTypeHeader(const HttpRequest& request) {
  const auto is_type = [](const auto& header) { return header.first == "content-type"; };
  if (std::count_if(request.headers.begin(), request.headers.end(), is_type) > 1) {
    return HeaderError("only one Content-Type header should be provided");
  }
  const auto header = request.Header("content-type");
  if (!header.has_value() || IsMediaType(MediaTypeOf(*header))) return std::nullopt;
  return HeaderError(absl::StrCat("invalid Content-Type header [", ToAbsl(*header), "]"));
}

std::optional<ApiAnswer> RefuseContentType(const HttpRequest& request) {
  if (request.body.empty()) return std::nullopt;
  const std::string_view header = request.Header("content-type").value_or("");
  const std::string type = absl::AsciiStrToLower(ToAbsl(MediaTypeOf(header)));
  if (HasWord(kSupported, type)) return std::nullopt;
  return ApiAnswer{
      406,
      {{"error", absl::StrCat("Content-Type header [", ToAbsl(header), "] is not supported")},
       {"status", 406}},
      {}};
}

}  // namespace pmdex
