#include "tools/server/mapping/value_preview.h"

#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {
namespace {

constexpr size_t kMostBytes = 256;

// As Java's maps and lists are shown.
std::string ShownAs(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return ToJsonText(value);
  std::string shown;
  for (const auto& [key, member] : value.items()) {
    if (!shown.empty()) shown += ", ";
    if (value.is_object()) shown += key + "=";
    shown += ShownAs(member);
    if (shown.size() > kMostBytes) break;
  }
  return value.is_object() ? "{" + shown + "}" : "[" + shown + "]";
}

// A name may have dots itself.
const Json* FindIn(const Json& value, std::string_view path) {
  if (path.empty()) return &value;
  if (value.is_array()) {
    for (const Json& element : value) {
      if (const Json* const found = FindIn(element, path)) return found;
    }
    return nullptr;
  }
  if (!value.is_object()) return nullptr;
  for (const auto& [key, member] : value.items()) {
    if (!path.starts_with(key)) continue;
    const std::string_view rest = path.substr(key.size());
    if (!rest.empty() && rest[0] != '.') continue;
    if (const Json* const found = FindIn(member, rest.substr(rest.empty() ? 0 : 1))) return found;
  }
  return nullptr;
}

}  // namespace

std::string PreviewOf(std::string_view source, std::string_view path) {
  const Json document = Json::parse(source, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return "";
  const Json* const value = FindIn(document, path);
  return value == nullptr ? "" : CutPreview(ShownAs(*value));
}

std::string CutPreview(std::string_view text) {
  if (text.size() <= kMostBytes) return std::string(text);
  size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace pmdex
