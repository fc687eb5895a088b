#include "engine/store/records/manifest_property.h"

#include <cstring>
#include <string_view>

namespace pmdex {

std::vector<std::byte> EncodeProperty(const std::string& key, const std::string& value) {
  std::vector<std::byte> payload(key.size() + 1 + value.size());
  std::memcpy(payload.data(), key.data(), key.size());
  std::memcpy(payload.data() + key.size() + 1, value.data(), value.size());
  return payload;
}

bool DecodeProperty(std::span<const std::byte> payload,
                    std::map<std::string, std::string>& properties) {
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  const size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return false;
  properties.emplace(text.substr(0, zero), text.substr(zero + 1));
  return true;
}

}  // namespace pmdex
