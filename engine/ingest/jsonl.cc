#include "engine/ingest/jsonl.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/lines.h"
#include "engine/ingest/utf8_repair.h"
#include "engine/memtable/memtable.h"

namespace pmdex {
namespace {

namespace dom = simdjson::dom;

// The DOM parser and not the on-demand one: it picks its kernel at run time, where the on-demand
// one would be the scalar fallback of our baseline, and it validates the whole line.

// After a line that took more than this, the parser's memory is given back.
constexpr size_t kKeptParserBytes = size_t{1} << 20;

// What one line says. Views of values live in the parser, names here.
struct JsonRecord {
  struct Value {
    size_t name_begin;
    size_t name_bytes;
    std::string_view text;
  };
  std::string names;
  std::vector<Value> values;
  std::string id;
  bool has_id = false;

  std::string_view NameOf(const Value& value) const {
    return std::string_view(names).substr(value.name_begin, value.name_bytes);
  }
  void Clear() {
    names.clear();
    values.clear();
    id.clear();
    has_id = false;
  }
};

// Collects the strings of one object. The whole line has been validated.
class JsonExtractor {
 public:
  JsonExtractor(const JsonlOptions& options, JsonRecord& record)
      : options_(options), record_(record) {}

  simdjson::error_code Extract(dom::element document) {
    if (!document.is_object()) return simdjson::INCORRECT_TYPE;
    return ExtractValue(document, 0);
  }

 private:
  simdjson::error_code ExtractValue(dom::element value, int depth);
  simdjson::error_code ExtractObject(const dom::object& object, int depth);
  simdjson::error_code ExtractArray(const dom::array& array, int depth);
  void KeepId(std::string_view id);
  void KeepString(std::string_view text);
  bool IsWanted() const {
    return options_.fields.empty() || std::find(options_.fields.begin(), options_.fields.end(),
                                                name_) != options_.fields.end();
  }

  const JsonlOptions& options_;
  JsonRecord& record_;
  std::string name_;  // dotted, of the value being looked at
  bool in_array_ = false;
};

simdjson::error_code JsonExtractor::ExtractValue(dom::element value, int depth) {
  switch (value.type()) {
    case dom::element_type::OBJECT:
      return ExtractObject(value.get_object().value_unsafe(), depth + 1);
    case dom::element_type::ARRAY:
      return ExtractArray(value.get_array().value_unsafe(), depth + 1);
    case dom::element_type::STRING:
      KeepString(value.get_string().value_unsafe());
      break;
    case dom::element_type::INT64:
      KeepId(absl::StrCat(value.get_int64().value_unsafe()));
      break;
    case dom::element_type::UINT64:
      KeepId(absl::StrCat(value.get_uint64().value_unsafe()));
      break;
    case dom::element_type::DOUBLE: {
      std::array<char, 32> digits;
      const char* end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                      value.get_double().value_unsafe())
                            .ptr;
      KeepId({digits.data(), static_cast<size_t>(end - digits.data())});
      break;
    }
    case dom::element_type::BOOL:
    case dom::element_type::NULL_VALUE:
      break;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code JsonExtractor::ExtractObject(const dom::object& object, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const size_t outer = name_.size();
  for (const auto [key, value] : object) {
    if (depth > 1) name_.push_back('.');
    name_.append(key);
    if (const auto error = ExtractValue(value, depth)) return error;
    name_.resize(outer);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code JsonExtractor::ExtractArray(const dom::array& array, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const bool outer = std::exchange(in_array_, true);
  for (const dom::element value : array) {
    if (const auto error = ExtractValue(value, depth)) return error;
  }
  in_array_ = outer;
  return simdjson::SUCCESS;
}

void JsonExtractor::KeepId(std::string_view id) {
  if (record_.has_id || in_array_ || id.empty() || name_ != options_.id_field) return;
  record_.id = id;
  record_.has_id = true;
}

void JsonExtractor::KeepString(std::string_view text) {
  KeepId(text);
  if (!IsWanted()) return;
  // Values of an array share one name.
  if (record_.values.empty() || record_.NameOf(record_.values.back()) != name_) {
    record_.names.append(name_);
  }
  record_.values.push_back({record_.names.size() - name_.size(), name_.size(), text});
}

class JsonlParser final : public BlockParser {
 public:
  JsonlParser(JsonlOptions options, ProblemLog& problems)
      : options_(std::move(options)), problems_(problems) {}

  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    std::string_view text = block.text();
    for (uint64_t line = block.first_line; !text.empty(); ++line) {
      const std::string_view json = TakeLine(text);
      if (json.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      PMDEX_RETURN_IF_ERROR(ParseLine(json, {*block.path, line}, sink));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ParseLine(std::string_view json, const Place& place, DocumentSink& sink);
  // `json` is followed by at least SIMDJSON_PADDING readable bytes.
  simdjson::error_code ExtractFrom(std::string_view json);
  absl::Status AddRecord(const Place& place, bool valid_utf8, DocumentSink& sink);

  const JsonlOptions options_;
  ProblemLog& problems_;
  dom::parser parser_;
  JsonRecord record_;
  std::vector<DocumentField> fields_;
};

simdjson::error_code JsonlParser::ExtractFrom(std::string_view json) {
  record_.Clear();
  dom::element document;
  const auto error =
      parser_.parse(json.data(), json.size(), /*realloc_if_needed=*/false).get(document);
  return error ? error : JsonExtractor(options_, record_).Extract(document);
}

absl::Status JsonlParser::ParseLine(std::string_view json, const Place& place, DocumentSink& sink) {
  static_assert(Block::kPaddingBytes >= simdjson::SIMDJSON_PADDING);
  std::string repaired;
  simdjson::error_code error = ExtractFrom(json);
  const bool valid_utf8 = error != simdjson::UTF8_ERROR;
  if (!valid_utf8) {
    repaired = ReplaceInvalidUtf8(json);
    repaired.reserve(repaired.size() + simdjson::SIMDJSON_PADDING);
    error = ExtractFrom(repaired);
  }
  absl::Status added;
  if (error) {
    problems_.Add(ProblemKind::kInvalidJson, place.ToString(), simdjson::error_message(error));
  } else {
    added = AddRecord(place, valid_utf8, sink);
  }
  if (json.size() > kKeptParserBytes) {
    parser_ = dom::parser();
    record_ = JsonRecord();
  }
  return added;
}

absl::Status JsonlParser::AddRecord(const Place& place, bool valid_utf8, DocumentSink& sink) {
  const bool too_long = record_.id.size() > Memtable::kMaxIdBytes;
  if (!record_.has_id || too_long) {
    record_.id = place.ToString();
    problems_.Add(ProblemKind::kMissingId, record_.id, too_long ? "the id is too long" : "");
  }
  fields_.clear();
  for (const JsonRecord::Value& value : record_.values) {
    fields_.push_back({record_.NameOf(value), value.text});
  }
  Document document;
  document.id = record_.id;
  document.place = place;
  document.fields = fields_;
  document.valid_utf8 = valid_utf8;
  return sink.Add(document);
}

}  // namespace

std::unique_ptr<BlockParser> NewJsonlParser(JsonlOptions options, ProblemLog& problems) {
  return std::make_unique<JsonlParser>(std::move(options), problems);
}

}  // namespace pmdex
