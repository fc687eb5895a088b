#include "engine/ingest/formats/jsonl.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/columns/value_parser.h"
#include "engine/ingest/formats/lines.h"
#include "engine/ingest/formats/utf8_repair.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/problem_kind.h"
#include "engine/memtable/field_names.h"
#include "engine/memtable/memtable_options.h"
#include "pmem/equal_bytes.h"
#include "pmem/exhaustion.h"

namespace pmdex {
namespace {

// On-Demand keeps no tree of the line: it has the places where tokens begin, which it finds by the
// best kernel that the CPU has, and reads the tokens when they are asked for. Every value is asked
// for, because that is what validates it.
namespace ondemand = simdjson::ondemand;

// After a line that took more than this, the parser's memory is given back.
constexpr size_t kKeptParserBytes = size_t{1} << 20;
// Of the names of all values of a line, however little memory the line may take.
constexpr size_t kLeastNamesBytes = size_t{4} << 20;

// What one line says. Views of values live in the parser, names here.
struct JsonRecord {
  struct Value {
    size_t name_begin;
    size_t name_bytes;
    std::string_view text;
    InputValueKind kind;
    uint32_t array;
  };
  // Of the line before, most of which has the same ones: what is there is compared, not written.
  std::string names;
  size_t names_bytes = 0;  // of this line
  std::vector<Value> values;
  std::string id;
  bool has_id = false;

  std::string_view NameOf(const Value& value) const {
    return {names.data() + value.name_begin, value.name_bytes};
  }
  void KeepName(std::string_view name) {
    const std::string_view there = std::string_view(names).substr(names_bytes, name.size());
    if (!AreEqual(there, name)) names.replace(names_bytes, std::string::npos, name);
    names_bytes += name.size();
  }
  void Clear() {
    names_bytes = 0;
    values.clear();
    id.clear();
    has_id = false;
  }
};

// What a parser will find in a line, counted as it counts, also where the line is not valid.
struct JsonShape {
  size_t tokens = 0;
  size_t strings = 0;
  size_t values = 0;  // at most so many, keys included
  bool escapes = false;
};

JsonShape ShapeOf(std::string_view json) {
  JsonShape shape;
  bool escaped = false;
  bool in_string = false;
  bool in_scalar = false;
  for (const char c : json) {
    if (c == '"' && !escaped) {
      in_string = !in_string;
      in_scalar = false;
      if (in_string) ++shape.strings;
      continue;
    }
    escaped = c == '\\' && !escaped;
    shape.escapes = shape.escapes || escaped;
    if (in_string) continue;
    const bool punctuation = c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const bool begins_scalar = !punctuation && !space && !in_scalar;
    if (punctuation || begins_scalar) ++shape.tokens;
    if (c == '{' || begins_scalar) ++shape.values;
    in_scalar = !punctuation && !space;
  }
  shape.tokens += shape.strings;
  shape.values += shape.strings;
  return shape;
}

// The line, the places of its tokens, copies of strings that are not as they stand in the line, and
// the values.
size_t NeededBytes(std::string_view json, const JsonShape& shape) {
  return json.size() + shape.tokens * sizeof(uint32_t) + (shape.escapes ? json.size() : 0) +
         shape.values * (sizeof(JsonRecord::Value) + sizeof(DocumentField));
}

// A token reaches up to the next one.
std::string_view WithoutSpace(std::string_view token) {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

// Collects the values of one object.
class JsonExtractor {
 public:
  JsonExtractor(const JsonlOptions& options, JsonRecord& record)
      : options_(options), record_(record) {}

  // Gives kTooManyNames when the names of the values take more than names_limit_bytes.
  simdjson::error_code Extract(ondemand::document& document, size_t names_limit_bytes);

  // Not MEMALLOC, which says that the system has no memory.
  static constexpr simdjson::error_code kTooManyNames = simdjson::CAPACITY;

 private:
  simdjson::error_code ExtractValue(ondemand::value value, int depth);
  simdjson::error_code ExtractObject(ondemand::object object, int depth);
  simdjson::error_code ExtractArray(ondemand::array array, int depth);
  simdjson::error_code ExtractString(ondemand::value value);
  simdjson::error_code ExtractNumber(ondemand::value value);
  simdjson::error_code ExtractBool(ondemand::value value);
  void KeepId(std::string_view id);
  simdjson::error_code KeepValue(InputValueKind kind, std::string_view text);
  // The id is text for who lists its field only.
  bool IsWanted() const {
    if (options_.fields.empty()) return name_ != options_.id_field;
    return std::find(options_.fields.begin(), options_.fields.end(), name_) !=
           options_.fields.end();
  }

  const JsonlOptions& options_;
  JsonRecord& record_;
  size_t names_limit_bytes_ = 0;
  std::string name_;     // dotted, of the value being looked at
  uint32_t array_ = 0;   // DocumentField::array
  uint32_t arrays_ = 0;  // how many arrays that are in no other one came so far
};

simdjson::error_code JsonExtractor::Extract(ondemand::document& document,
                                            size_t names_limit_bytes) {
  names_limit_bytes_ = names_limit_bytes;
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  if (const auto error = ExtractObject(object, 1)) return error;
  // That there is no place to be at means that nothing follows the object.
  const bool ended = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return ended ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

simdjson::error_code JsonExtractor::ExtractValue(ondemand::value value, int depth) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::object: {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      if (const auto error = KeepValue(InputValueKind::kObject, {})) return error;
      return ExtractObject(object, depth + 1);
    }
    case ondemand::json_type::array: {
      ondemand::array array;
      const auto error = value.get_array().get(array);
      return error ? error : ExtractArray(array, depth + 1);
    }
    case ondemand::json_type::string:
      return ExtractString(value);
    case ondemand::json_type::number:
      return ExtractNumber(value);
    case ondemand::json_type::boolean:
      return ExtractBool(value);
    case ondemand::json_type::null:
      break;
  }
  bool is_null = false;
  if (const auto error = value.is_null().get(is_null)) return error;
  return options_.nulls ? KeepValue(InputValueKind::kNull, {}) : simdjson::SUCCESS;
}

// Numbers of any size are valid JSON, and the parser refuses those that no type of C++ has. So it
// passes over the token, and what the number is follows from its text.
simdjson::error_code JsonExtractor::ExtractNumber(ondemand::value value) {
  const std::string_view text = WithoutSpace(value.raw_json_token());
  if (!IsJsonNumber(text)) return simdjson::NUMBER_ERROR;
  ondemand::number number;
  if (name_ != options_.id_field || value.get_number().get(number)) {
    KeepId(text);
    return KeepValue(InputValueKind::kNumber, text);
  }
  std::array<char, 32> digits;
  char* const begin = digits.data();
  char* const end = begin + digits.size();
  const auto write = [&](auto value_of_type) {
    return std::to_chars(begin, end, value_of_type).ptr;
  };
  using Type = ondemand::number_type;
  const Type type = number.get_number_type();
  const char* const written = type == Type::signed_integer     ? write(number.get_int64())
                              : type == Type::unsigned_integer ? write(number.get_uint64())
                                                               : write(number.get_double());
  KeepId({begin, static_cast<size_t>(written - begin)});
  return KeepValue(InputValueKind::kNumber, text);
}

simdjson::error_code JsonExtractor::ExtractBool(ondemand::value value) {
  bool truth = false;
  if (const auto error = value.get_bool().get(truth)) return error;
  return KeepValue(InputValueKind::kBool, truth ? "true" : "false");
}

simdjson::error_code JsonExtractor::ExtractString(ondemand::value value) {
  // A string that has no escapes is taken where it stands.
  std::string_view text = WithoutSpace(value.raw_json_token());
  const bool as_it_stands =
      text.size() >= 2 && text.ends_with('"') && text.find('\\') == std::string_view::npos;
  if (as_it_stands) {
    ondemand::raw_json_string passed;
    if (const auto error = value.get_raw_json_string().get(passed)) return error;
    text = text.substr(1, text.size() - 2);
  } else if (const auto error = value.get_string().get(text)) {
    return error;
  }
  KeepId(text);
  return KeepValue(InputValueKind::kString, text);
}

simdjson::error_code JsonExtractor::ExtractObject(ondemand::object object, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const size_t outer = name_.size();
  for (auto field : object) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (depth > 1) name_.push_back('.');
    name_.append(key);
    ondemand::value value;
    if (const auto error = field.value().get(value)) return error;
    if (const auto error = ExtractValue(value, depth)) return error;
    name_.resize(outer);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code JsonExtractor::ExtractArray(ondemand::array array, int depth) {
  if (depth > kMaxJsonDepth) return simdjson::DEPTH_ERROR;
  const uint32_t outer = array_;
  if (array_ == 0) array_ = ++arrays_;
  for (auto element : array) {
    ondemand::value value;
    if (const auto error = element.get(value)) return error;
    if (const auto error = ExtractValue(value, depth)) return error;
  }
  array_ = outer;
  return simdjson::SUCCESS;
}

void JsonExtractor::KeepId(std::string_view id) {
  if (record_.has_id || array_ != 0 || id.empty() || name_ != options_.id_field) return;
  record_.id = id;
  record_.has_id = true;
}

simdjson::error_code JsonExtractor::KeepValue(InputValueKind kind, std::string_view text) {
  if (!IsWanted()) return simdjson::SUCCESS;
  // Of a longer name so much is kept that it is too long for a field: the whole of it for each of
  // many values could be a multiple of the line.
  const std::string_view name = std::string_view(name_).substr(0, kMaxFieldNameBytes + 1);
  // Values of an array share one name.
  const bool has_name = array_ != 0 && !record_.values.empty() &&
                        AreEqual(record_.NameOf(record_.values.back()), name);
  if (!has_name) record_.KeepName(name);
  record_.values.push_back({record_.names_bytes - name.size(), name.size(), text, kind, array_});
  return record_.names_bytes > names_limit_bytes_ ? kTooManyNames : simdjson::SUCCESS;
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
  // What is in record_ afterwards points into `json`, which is followed by at least
  // SIMDJSON_PADDING readable bytes, and into the parser. The line, and what else of it is held
  // besides, count against the memory that a line may take.
  simdjson::error_code ExtractFrom(std::string_view json, size_t held_bytes);
  // json: the line of the record, valid UTF-8.
  absl::Status AddRecord(std::string_view json, const Place& place, bool valid_utf8,
                         DocumentSink& sink);

  const JsonlOptions options_;
  ProblemLog& problems_;
  ondemand::parser parser_;
  JsonRecord record_;
  std::vector<DocumentField> fields_;
};

simdjson::error_code JsonlParser::ExtractFrom(std::string_view json, size_t held_bytes) {
  record_.Clear();
  size_t names_limit = kLeastNamesBytes;
  if (json.size() > kKeptParserBytes) {
    const JsonShape shape = ShapeOf(json);
    const size_t needed = held_bytes + NeededBytes(json, shape);
    // What a small line may take is there for each.
    const size_t most = options_.line_memory_bytes + kKeptParserBytes;
    if (needed > most) return simdjson::CAPACITY;
    names_limit = std::max(names_limit, most - needed);
    record_.values.reserve(shape.values);
    fields_.reserve(shape.values);
  }
  ondemand::document document;
  const simdjson::padded_string_view padded(json.data(), json.size(),
                                            json.size() + simdjson::SIMDJSON_PADDING);
  const auto error = parser_.iterate(padded).get(document);
  return error ? error : JsonExtractor(options_, record_).Extract(document, names_limit);
}

absl::Status JsonlParser::ParseLine(std::string_view json, const Place& place, DocumentSink& sink) {
  static_assert(Block::kPaddingBytes >= simdjson::SIMDJSON_PADDING);
  std::string repaired;
  simdjson::error_code error = ExtractFrom(json, 0);
  const bool valid_utf8 = error != simdjson::UTF8_ERROR;
  if (!valid_utf8) {
    repaired = ReplaceInvalidUtf8(json);
    repaired.reserve(repaired.size() + simdjson::SIMDJSON_PADDING);
    error = ExtractFrom(repaired, json.size());
  }
  if (error == simdjson::MEMALLOC) return OutOfMemory();  // no fault of the line
  absl::Status added;
  static_assert(JsonExtractor::kTooManyNames == simdjson::CAPACITY);
  if (error == simdjson::CAPACITY) {
    problems_.Add(ProblemKind::kLineTooLong, place.ToString(),
                  "its values take more memory than a line may; a larger --memory takes it");
  } else if (error) {
    problems_.Add(ProblemKind::kInvalidJson, place.ToString(), simdjson::error_message(error));
  } else {
    added = AddRecord(valid_utf8 ? json : repaired, place, valid_utf8, sink);
  }
  if (json.size() > kKeptParserBytes) {
    parser_ = ondemand::parser();
    record_ = JsonRecord();
    fields_ = {};
  }
  return added;
}

absl::Status JsonlParser::AddRecord(std::string_view json, const Place& place, bool valid_utf8,
                                    DocumentSink& sink) {
  const bool too_long = record_.id.size() > MemtableLimits::kMaxIdBytes;
  if (!record_.has_id || too_long) {
    record_.id = place.ToString();
    problems_.Add(ProblemKind::kMissingId, record_.id, too_long ? "the id is too long" : "");
  }
  fields_.clear();
  for (const JsonRecord::Value& value : record_.values) {
    fields_.push_back({record_.NameOf(value), value.text, value.kind, value.array});
  }
  Document document;
  document.id = record_.id;
  document.place = place;
  document.fields = fields_;
  document.record = json;
  document.valid_utf8 = valid_utf8;
  return sink.Add(document);
}

}  // namespace

std::unique_ptr<BlockParser> NewJsonlParser(JsonlOptions options, ProblemLog& problems) {
  return std::make_unique<JsonlParser>(std::move(options), problems);
}

}  // namespace pmdex
