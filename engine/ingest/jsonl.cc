#include "engine/ingest/jsonl.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "engine/ingest/lines.h"
#include "engine/ingest/utf8_repair.h"
#include "engine/memtable/memtable.h"

namespace pmdex {
namespace {

namespace ondemand = simdjson::ondemand;

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

  void Clear() {
    names.clear();
    values.clear();
    id.clear();
    has_id = false;
  }
};

// Walks one object: everything is looked at, so that everything is validated. Stops at the first
// error.
class JsonExtractor {
 public:
  JsonExtractor(const JsonlOptions& options, JsonRecord& record)
      : options_(options), record_(record) {}

  simdjson::error_code Extract(ondemand::document& document) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    if (const auto error = ExtractObject(object, 1)) return error;
    return document.at_end() ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
  }

 private:
  simdjson::error_code ExtractObject(ondemand::object object, int depth);
  simdjson::error_code ExtractArray(ondemand::array array, int depth);
  simdjson::error_code ExtractValue(ondemand::value value, int depth);
  simdjson::error_code ExtractNumber(ondemand::value value);
  void KeepString(std::string_view text);
  bool IsWanted() const {
    return options_.fields.empty() || std::find(options_.fields.begin(), options_.fields.end(),
                                                name_) != options_.fields.end();
  }
  bool IsId() const { return !record_.has_id && !in_array_ && name_ == options_.id_field; }

  const JsonlOptions& options_;
  JsonRecord& record_;
  std::string name_;  // dotted, of the value being looked at
  bool in_array_ = false;
};

simdjson::error_code JsonExtractor::ExtractObject(ondemand::object object, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const size_t outer = name_.size();
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (outer > 0) name_.push_back('.');
    name_.append(key);
    if (const auto error = ExtractValue(field.value(), depth)) return error;
    name_.resize(outer);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code JsonExtractor::ExtractArray(ondemand::array array, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const bool outer = std::exchange(in_array_, true);
  for (auto item : array) {
    ondemand::value value;
    if (const auto error = std::move(item).get(value)) return error;
    if (const auto error = ExtractValue(value, depth)) return error;
  }
  in_array_ = outer;
  return simdjson::SUCCESS;
}

simdjson::error_code JsonExtractor::ExtractValue(ondemand::value value, int depth) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::object: {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      return ExtractObject(object, depth + 1);
    }
    case ondemand::json_type::array: {
      ondemand::array array;
      if (const auto error = value.get_array().get(array)) return error;
      return ExtractArray(array, depth + 1);
    }
    case ondemand::json_type::string: {
      std::string_view text;
      if (const auto error = value.get_string().get(text)) return error;
      KeepString(text);
      return simdjson::SUCCESS;
    }
    case ondemand::json_type::number:
      return ExtractNumber(value);
    case ondemand::json_type::boolean: {
      bool ignored;
      return value.get_bool().get(ignored);
    }
    case ondemand::json_type::null:
      return value.is_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
  }
  return simdjson::TAPE_ERROR;
}

// A number that is an id keeps its spelling. One too large for a machine number is still valid.
simdjson::error_code JsonExtractor::ExtractNumber(ondemand::value value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  if (IsId()) {
    record_.id = token;
    record_.has_id = true;
  }
  double ignored;
  const auto error = value.get_double().get(ignored);
  const bool digits = token.find_first_not_of("-0123456789") == std::string_view::npos;
  return error == simdjson::NUMBER_ERROR && digits && token.size() > 300 ? simdjson::SUCCESS
                                                                         : error;
}

void JsonExtractor::KeepString(std::string_view text) {
  if (IsId() && !text.empty()) {
    record_.id = text;
    record_.has_id = true;
  }
  if (!IsWanted()) return;
  record_.values.push_back({record_.names.size(), name_.size(), text});
  record_.names.append(name_);
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
  ondemand::parser parser_;
  JsonRecord record_;
  std::vector<DocumentField> fields_;
};

simdjson::error_code JsonlParser::ExtractFrom(std::string_view json) {
  record_.Clear();
  ondemand::document document;
  const auto error =
      parser_.iterate(json.data(), json.size(), json.size() + simdjson::SIMDJSON_PADDING)
          .get(document);
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
    parser_ = ondemand::parser();
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
    fields_.push_back(
        {std::string_view(record_.names).substr(value.name_begin, value.name_bytes), value.text});
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
