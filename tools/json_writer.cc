#include "tools/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "pmem/check.h"
#include "tools/printable.h"
#include "tools/utf8.h"

namespace pmdex {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void AppendControl(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto value = static_cast<uint8_t>(c);
  out += "\\u00";
  out += kHex[value >> 4];
  out += kHex[value & 15];
}

template <typename Number>
void AppendNumber(std::string& out, Number value) {
  std::array<char, 32> digits;  // the longest shortest-form double has 24 characters
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  PMDEX_CHECK(end.ec == std::errc());
  out.append(digits.data(), end.ptr);
}

}  // namespace

void JsonWriter::BeforeValue() {
  // Inside an object the comma belongs to the key.
  if (after_key_) {
    after_key_ = false;
  } else {
    PMDEX_CHECK(open_.empty() ? result_.empty() : open_.back() == '[');
    if (needs_comma_) result_ += ',';
  }
  needs_comma_ = true;
}

JsonWriter& JsonWriter::Open(char bracket) {
  BeforeValue();
  result_ += bracket;
  open_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char opening, char closing) {
  PMDEX_CHECK(!open_.empty() && open_.back() == opening && !after_key_);
  open_.pop_back();
  result_ += closing;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::BeginObject() {
  return Open('{');
}
JsonWriter& JsonWriter::EndObject() {
  return Close('{', '}');
}
JsonWriter& JsonWriter::BeginArray() {
  return Open('[');
}
JsonWriter& JsonWriter::EndArray() {
  return Close('[', ']');
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  PMDEX_CHECK(!open_.empty() && open_.back() == '{' && !after_key_);
  if (needs_comma_) result_ += ',';
  AppendQuoted(name);
  result_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(text);
  return *this;
}

JsonWriter& JsonWriter::Name(std::string_view text) {
  return String(EscapeBadUtf8(text));
}

JsonWriter& JsonWriter::Int(int64_t value) {
  BeforeValue();
  AppendNumber(result_, value);
  return *this;
}

JsonWriter& JsonWriter::Uint(uint64_t value) {
  BeforeValue();
  AppendNumber(result_, value);
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  BeforeValue();
  if (value == 0 && std::signbit(value)) {
    result_ += "-0.0";  // parsers read -0 as a whole number, which has no sign
  } else {
    AppendNumber(result_, value);
  }
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  BeforeValue();
  result_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  BeforeValue();
  result_ += "null";
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  result_ += json;
  return *this;
}

void JsonWriter::AppendQuoted(std::string_view text) {
  result_ += '"';
  while (!text.empty()) {
    const Utf8Prefix prefix = ScanUtf8(text);
    const char c = text[0];
    if (!prefix.valid) {
      result_ += kReplacement;
    } else if (c == '"' || c == '\\') {
      result_ += '\\';
      result_ += c;
    } else if (prefix.size_bytes == 1 && (static_cast<uint8_t>(c) < 0x20 || c == 0x7F)) {
      AppendControl(result_, c);
    } else {
      result_ += text.substr(0, prefix.size_bytes);
    }
    text.remove_prefix(prefix.size_bytes);
  }
  result_ += '"';
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Prefix prefix = ScanUtf8(text);
    out += prefix.valid ? text.substr(0, prefix.size_bytes) : kReplacement;
    text.remove_prefix(prefix.size_bytes);
  }
  return out;
}

std::string EscapeBadUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Prefix prefix = ScanUtf8(text);
    const std::string_view part = text.substr(0, prefix.size_bytes);
    out += prefix.valid ? std::string(part) : Printable(part);
    text.remove_prefix(prefix.size_bytes);
  }
  return out;
}

}  // namespace pmdex
