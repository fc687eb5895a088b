#include "engine/ingest/formats/utf8_repair.h"

#include <cstdint>

namespace pmdex {
namespace {

struct Lead {
  size_t length = 0;  // 0: no lead byte
  uint8_t second_low = 0x80;
  uint8_t second_high = 0xbf;
};

// Table 3-7 of the Unicode Standard.
Lead Classify(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {};
  if (byte < 0xe0) return {2};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {};
}

// Bytes of the sequence at the front that are well-formed so far; `whole` when it is complete.
size_t SequenceBytes(std::string_view text, bool& whole) {
  const Lead lead = Classify(static_cast<uint8_t>(text[0]));
  whole = lead.length == 1;
  size_t length = 1;
  while (length < lead.length && length < text.size()) {
    const uint8_t byte = static_cast<uint8_t>(text[length]);
    const uint8_t low = length == 1 ? lead.second_low : 0x80;
    const uint8_t high = length == 1 ? lead.second_high : 0xbf;
    if (byte < low || byte > high) return length;
    ++length;
  }
  whole = lead.length > 0 && length == lead.length;
  return length;
}

}  // namespace

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + 16);
  while (!text.empty()) {
    bool whole = false;
    const size_t bytes = SequenceBytes(text, whole);
    if (whole) {
      repaired.append(text.substr(0, bytes));
    } else {
      repaired.append("\xef\xbf\xbd");
    }
    text.remove_prefix(bytes);
  }
  return repaired;
}

}  // namespace pmdex
