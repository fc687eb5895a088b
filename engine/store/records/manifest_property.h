// A property in a manifest: its bytes, which are its key, a zero byte, and its value.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pmdex {

// The payload of a property's record. Requires a key without zero bytes.
std::vector<std::byte> EncodeProperty(const std::string& key, const std::string& value);
// Adds the property of a record. False if the payload cannot be that of a property.
bool DecodeProperty(std::span<const std::byte> payload,
                    std::map<std::string, std::string>& properties);

}  // namespace pmdex
