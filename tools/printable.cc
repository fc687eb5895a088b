#include "tools/printable.h"

#include <algorithm>
#include <cstdint>

#include "tools/utf8.h"

namespace pmdex {
namespace {

constexpr std::string_view kCutMark = "...";
constexpr std::string_view kHintBegin = " (hint: ";

void AppendEscaped(std::string_view bytes, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : bytes) {
    const auto value = static_cast<uint8_t>(c);
    out += "\\x";
    out += kHex[value >> 4];
    out += kHex[value & 15];
  }
}

bool IsControl(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<uint8_t>(character[1]) < 0xA0;
}

size_t Characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(ScanUtf8(text).size_bytes);
  return count;
}

// Removes the first character from the text and appends it in printable form. Returns how many
// characters were appended.
size_t TakePrintable(std::string_view& text, std::string& out) {
  const Utf8Prefix prefix = ScanUtf8(text);
  const std::string_view character = text.substr(0, prefix.size_bytes);
  text.remove_prefix(prefix.size_bytes);
  const size_t before = out.size();
  if (prefix.valid && !IsControl(character)) {
    out += character;
    return 1;
  }
  if (character == "\n") {
    out += "\\n";
  } else if (character == "\r") {
    out += "\\r";
  } else if (character == "\t") {
    out += "\\t";
  } else {
    AppendEscaped(character, out);
  }
  return out.size() - before;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) TakePrintable(text, out);
  return out;
}

std::string PrintableHead(std::string_view text, size_t most_characters) {
  std::string out;
  size_t characters = 0;
  size_t cut_bytes = 0;  // the longest part of the result after which kCutMark still fits
  while (!text.empty()) {
    std::string next;
    const size_t more = TakePrintable(text, next);
    if (characters + more > most_characters) {
      out.resize(cut_bytes);
      return out.append(kCutMark.substr(0, most_characters));
    }
    out += next;
    characters += more;
    if (characters + kCutMark.size() <= most_characters) cut_bytes = out.size();
  }
  return out;
}

std::string BlankControls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Prefix prefix = ScanUtf8(text);
    const std::string_view character = text.substr(0, prefix.size_bytes);
    out += prefix.valid && !IsControl(character) ? character : " ";
    text.remove_prefix(prefix.size_bytes);
  }
  return out;
}

std::string MessageLine(std::string_view label, std::string_view message) {
  const size_t left = kMostMessageCharacters - std::min(Characters(label), kMostMessageCharacters);
  std::string line(label);
  const size_t hint_begin = message.ends_with(')') ? message.rfind(kHintBegin) : message.npos;
  if (hint_begin != message.npos) {
    const std::string hint = Printable(message.substr(hint_begin));
    // A hint that would take more than half of the line is not protected.
    if (const size_t size = Characters(hint); size <= left / 2) {
      return line + PrintableHead(message.substr(0, hint_begin), left - size) + hint;
    }
  }
  return line + PrintableHead(message, left);
}

}  // namespace pmdex
