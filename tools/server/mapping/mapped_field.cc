#include "tools/server/mapping/mapped_field.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

// norms, store, doc_values and index_options change no answer: they are kept and shown.
std::string_view OptionsOf(MappedType type) {
  if (type == MappedType::kText) {
    return "type fields analyzer index norms store index_options doc_values";
  }
  if (type == MappedType::kKeyword) {
    return "type fields index norms store index_options doc_values ignore_above null_value";
  }
  if (IsDate(type)) return "type fields index store doc_values format ignore_malformed null_value";
  if (type == MappedType::kBoolean) return "type fields index store doc_values null_value";
  return "type fields index store doc_values ignore_malformed null_value";
}

// The options that a client cannot change, and what they are where they are not given.
struct FixedOption {
  const char* name;
  const char* otherwise;
};
constexpr FixedOption kFixedOptions[] = {{"index", "true"},       {"store", "false"},
                                         {"doc_values", nullptr}, {"format", nullptr},
                                         {"null_value", "null"},  {"analyzer", "default"},
                                         {"norms", nullptr},      {"index_options", nullptr}};

std::string DefaultOf(const FixedOption& option, MappedType type) {
  if (option.otherwise != nullptr) return option.otherwise;
  const std::string_view name = option.name;
  if (name == "format") return DateFormat().text();
  const bool is_text = type == MappedType::kText;
  if (name == "index_options") return is_text ? "positions" : "docs";
  return is_text == (name == "norms") ? "true" : "false";
}

std::string OptionText(const MappedField& field, const FixedOption& option) {
  const auto found = field.definition.find(option.name);
  if (found == field.definition.end()) return DefaultOf(option, field.type);
  return found->is_string() ? found->get<std::string>() : ToJsonText(*found);
}

// Elasticsearch does not show what would be so anyway.
void LeaveOutDefaults(MappedField& field) {
  for (const FixedOption& option : kFixedOptions) {
    if (OptionText(field, option) == DefaultOf(option, field.type)) {
      field.definition.erase(option.name);
    }
  }
}

absl::Status ReadAnalyzer(const std::string& path, const Json& value, MappedField& field) {
  PMDEX_ASSIGN_OR_RETURN(const std::string name, JsonText("analyzer", value));
  const absl::StatusOr<AnalyzerKind> kind = ParseAnalyzerKind(name);
  if (!kind.ok() || *kind == AnalyzerKind::kCustom) {
    return BadMapping(absl::StrCat("analyzer [", name, "] has not been configured in mappings, ",
                                   "for field [", path, "]"));
  }
  field.analyzer = *kind;
  return absl::OkStatus();
}

absl::Status ReadIndexOptions(const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string word, JsonText("index_options", value));
  if (HasWord("docs freqs positions offsets", word)) return absl::OkStatus();
  return BadMapping(absl::StrCat("Unknown value [", word,
                                 "] for field [index_options] - accepted values are [positions, "
                                 "docs, freqs, offsets]"));
}

absl::Status ReadFormat(const std::string& path, const Json& value, MappedField& field) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("format", value));
  absl::StatusOr<DateFormat> format = DateFormat::Parse(text);
  if (!format.ok()) {
    return BadArgument(absl::StrCat("Error parsing [format] on field [", path,
                                    "]: ", ToAbsl(Message(format.status()))));
  }
  field.format = std::make_shared<const DateFormat>(*std::move(format));
  return absl::OkStatus();
}

absl::StatusOr<bool> ReadSwitch(const Json& value) {
  const absl::StatusOr<bool> read = JsonSwitch("", value);
  if (read.ok()) return *read;
  const std::string shown = value.is_string() ? value.get<std::string>() : ToJsonText(value);
  return BadArgument(
      absl::StrCat("Failed to parse value [", shown, "] as only [true] or [false] are allowed."));
}

absl::Status ReadNull(const Json& value, MappedField& field) {
  if (value.is_null()) return absl::OkStatus();
  if (value.is_structured()) return BadMapping("[null_value] takes a scalar");
  field.null_kind = value.is_string()    ? JsonScalar::Kind::kString
                    : value.is_boolean() ? JsonScalar::Kind::kBool
                                         : JsonScalar::Kind::kNumber;
  field.null_text = value.is_string() ? value.get<std::string>() : ToJsonText(value);
  return absl::OkStatus();
}

absl::Status ReadOption(const std::string& path, const std::string& key, const Json& value,
                        MappedField& field) {
  if (key == "index") {
    PMDEX_ASSIGN_OR_RETURN(field.is_indexed, ReadSwitch(value));
  } else if (key == "ignore_malformed") {
    PMDEX_ASSIGN_OR_RETURN(field.ignores_malformed, ReadSwitch(value));
  } else if (key == "ignore_above") {
    const absl::StatusOr<int64_t> most = JsonInteger(key, value);
    if (!most.ok()) {
      const std::string shown = value.is_string() ? value.get<std::string>() : ToJsonText(value);
      return ApiError(400, "number_format_exception",
                      absl::StrCat("For input string: \"", shown, "\""));
    }
    if (*most < 0) return BadArgument(absl::StrCat("[ignore_above] must be positive, got ", *most));
    field.most_characters = static_cast<size_t>(*most);
  } else if (key == "null_value") {
    return ReadNull(value, field);
  } else if (key == "analyzer") {
    return ReadAnalyzer(path, value, field);
  } else if (key == "index_options") {
    return ReadIndexOptions(value);
  } else if (key == "format") {
    return ReadFormat(path, value, field);
  } else if (key == "norms" || key == "store" || key == "doc_values") {
    return ReadSwitch(value).status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BadMapping(std::string_view reason) {
  return ApiError(400, "mapper_parsing_exception", reason);
}

MappedField PlainField(MappedType type) {
  MappedField field;
  field.type = type;
  field.definition["type"] = NameOf(type);
  if (IsDate(type)) field.format = std::make_shared<const DateFormat>();
  return field;
}

absl::StatusOr<MappedField> ReadMappedField(const std::string& path, const Json& definition) {
  if (!definition.contains("type")) {
    return BadMapping(absl::StrCat("No type specified for field [", path, "]"));
  }
  PMDEX_ASSIGN_OR_RETURN(const std::string name, JsonText("type", definition["type"]));
  const std::optional<MappedType> type = ParseMappedType(name);
  if (!type.has_value()) {
    return BadMapping(
        absl::StrCat("No handler for type [", name, "] declared on field [", path, "]"));
  }
  MappedField field = PlainField(*type);
  field.definition = definition;
  field.definition.erase("fields");
  LeaveOutDefaults(field);
  for (const auto& [key, value] : definition.items()) {
    if (!HasWord(OptionsOf(*type), key)) {
      return BadMapping(absl::StrCat("unknown parameter [", key, "] on mapper [", path,
                                     "] of type [", name, "]"));
    }
    PMDEX_RETURN_IF_ERROR(ReadOption(path, key, value, field));
  }
  return field;
}

absl::StatusOr<MappedField> MergeMappedField(const std::string& path, const MappedField& before,
                                             MappedField after) {
  if (before.type != after.type) {
    return BadArgument(absl::StrCat("mapper [", path, "] cannot be changed from type [",
                                    ToAbsl(NameOf(before.type)), "] to [",
                                    ToAbsl(NameOf(after.type)), "]"));
  }
  for (const FixedOption& option : kFixedOptions) {
    const std::string was = OptionText(before, option);
    const std::string is = OptionText(after, option);
    if (was == is || (before.is_found && option.name != std::string_view("format"))) continue;
    return BadArgument(absl::StrCat("Mapper for [", path,
                                    "] conflicts with existing mapper:\n\tCannot update parameter ",
                                    "[", option.name, "] from [", was, "] to [", is, "]"));
  }
  after.multi_fields = before.multi_fields;
  after.is_multi_field = before.is_multi_field;
  after.is_found = before.is_found && IsDate(before.type);  // whose values are as they are
  return after;
}

}  // namespace pmdex
