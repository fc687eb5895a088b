#include "tools/server/elasticsearch/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/json_shape.h"

namespace pmdex {
namespace {

// Of this value and all inside it.
size_t CountMembers(const Json& value) {
  size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured()) {
    for (const Json& inside : value) count += CountMembers(inside);
  }
  return count;
}

// The value that a text of this shape was parsed to. A key that comes twice left a single member.
absl::StatusOr<Json> Checked(Json value, const JsonShape& shape) {
  if (CountMembers(value) == shape.members) return value;
  return ApiError(400, "json_parse_exception", "an object of the body has a key twice");
}

std::string NumberText(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

void Write(const Json& value, JsonWriter& out) {
  switch (value.type()) {
    case Json::value_t::object:
      out.BeginObject();
      for (const auto& [key, member] : value.items()) {
        out.Key(key);
        Write(member, out);
      }
      out.EndObject();
      break;
    case Json::value_t::array:
      out.BeginArray();
      for (const Json& element : value) Write(element, out);
      out.EndArray();
      break;
    case Json::value_t::string:
      out.String(value.get_ref<const std::string&>());
      break;
    case Json::value_t::boolean:
      out.Bool(value.get<bool>());
      break;
    case Json::value_t::number_integer:
      out.Int(value.get<int64_t>());
      break;
    case Json::value_t::number_unsigned:
      out.Uint(value.get<uint64_t>());
      break;
    case Json::value_t::number_float:
      out.Raw(NumberText(value.get<double>()));
      break;
    case Json::value_t::binary: {
      const auto& bytes = value.get_binary();
      out.Raw({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      break;
    }
    case Json::value_t::null:
    case Json::value_t::discarded:
      out.Null();
      break;
  }
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, size_t max_depth) {
  const JsonShape shape = ShapeOfJson(text);
  if (shape.deepest > max_depth) {
    return ApiError(400, "parsing_exception",
                    absl::StrCat("the body nests deeper than ", max_depth, " objects and arrays"));
  }
  // The parser tells the place of an error only by an exception.
  try {
    return Checked(Json::parse(text), shape);
  } catch (const Json::parse_error& error) {
    return ApiError(400, "json_parse_exception",
                    absl::StrCat("the body is not JSON at byte ", error.byte));
  } catch (const Json::exception&) {  // a number that no double holds
    return ApiError(400, "json_parse_exception", "the body has a number that is too large");
  }
}

Json RawJson(std::string_view text) {
  return Json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}

void ParseRawJson(Json& value) {
  if (value.is_binary()) {
    const auto& bytes = value.get_binary();
    Json parsed = Json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
    value = parsed.is_discarded() ? Json() : std::move(parsed);
    return;
  }
  if (!value.is_structured()) return;
  for (Json& member : value) ParseRawJson(member);
}

Json JsonFloat(float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  double shortest = value;
  std::from_chars(digits.data(), end, shortest);
  return shortest;
}

std::string ToJsonText(const Json& value) {
  JsonWriter out;
  Write(value, out);
  return out.result();
}

std::string Indented(std::string_view json) {
  std::string out;
  size_t depth = 0;
  const auto new_line = [&] { out.append(1, '\n').append(depth * 2, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      const size_t begin = i;
      for (++i; json[i] != '"'; ++i) i += json[i] == '\\' ? 1 : 0;
      out += json.substr(begin, i + 1 - begin);
    } else if (c == '{' || c == '[') {
      const size_t next = json.find_first_not_of(" \t\r\n", i + 1);
      out += c;
      ++depth;
      if (json[next] == '}' || json[next] == ']') {
        out += json[next];
        --depth;
        i = next;
      } else {
        new_line();
      }
    } else if (c == '}' || c == ']') {
      --depth;
      new_line();
      out += c;
    } else if (c == ',') {
      out += c;
      new_line();
    } else if (c == ':') {
      out += " : ";
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      out += c;
    }
  }
  return out + "\n";
}

}  // namespace pmdex
