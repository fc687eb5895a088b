#include "tools/server/writing/index_definition.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

absl::Status CheckNumber(const std::string& name, const std::string& value, int least) {
  int number = 0;
  if (!absl::SimpleAtoi(value, &number)) {
    return BadArgument(
        absl::StrCat("Failed to parse value [", value, "] for setting [index.", name, "]"));
  }
  if (number >= least && number <= 1024) return absl::OkStatus();
  return BadArgument(absl::StrCat("Failed to parse value [", value, "] for setting [index.", name,
                                  "] must be ",
                                  number < least ? ">= " : "<= ", number < least ? least : 1024));
}

// The words of PUT /NAME for an error of its mappings.
absl::Status UnreadableMapping(const absl::Status& why) {
  Json cause = ErrorJson(why);
  cause.erase("root_cause");
  return ApiError(HttpStatusOf(why), "mapper_parsing_exception",
                  absl::StrCat("Failed to parse mapping [_doc]: ", ToAbsl(Message(why))),
                  {{"caused_by", std::move(cause)}});
}

}  // namespace

absl::Status IndexDefinition::ReadSetting(const std::string& name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("index." + name, value));
  if (name == "number_of_shards") {
    PMDEX_RETURN_IF_ERROR(CheckNumber(name, text, 1));
  } else if (name == "number_of_replicas") {
    PMDEX_RETURN_IF_ERROR(CheckNumber(name, text, 0));
  } else if (name == "refresh_interval") {
    refresh_interval_.reset();
    if (text != "-1") {
      PMDEX_ASSIGN_OR_RETURN(refresh_interval_, ParseTime("index.refresh_interval", text));
    }
  } else if (name == "analysis.analyzer.default.type") {
    const absl::StatusOr<AnalyzerKind> kind = ParseAnalyzerKind(text);
    if (!kind.ok() || *kind == AnalyzerKind::kCustom) {
      return BadArgument(absl::StrCat("Unknown analyzer type [", text, "] for [default]"));
    }
    analyzer_ = *kind;
  } else {
    return BadArgument(absl::StrCat(
        "unknown setting [index.", name,
        "] please check that any required plugins are installed, or check the breaking changes "
        "documentation for removed settings"));
  }
  settings_[name] = text;
  return absl::OkStatus();
}

// Settings are objects, or names with dots, with or without "index." before them.
absl::Status IndexDefinition::ReadSettings(const Json& settings, const std::string& prefix) {
  if (!settings.is_object()) {
    return ApiError(400, "parse_exception", "key [settings] must be an object");
  }
  for (const auto& [key, value] : settings.items()) {
    std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      PMDEX_RETURN_IF_ERROR(ReadSettings(value, name));
      continue;
    }
    if (name.starts_with("index.")) name.erase(0, std::string_view("index.").size());
    PMDEX_RETURN_IF_ERROR(ReadSetting(name, value));
  }
  return absl::OkStatus();
}

absl::StatusOr<IndexDefinition> IndexDefinition::Read(const Json& body) {
  IndexDefinition definition;
  if (body.is_null()) return definition;
  PMDEX_RETURN_IF_ERROR(CheckKeys(body, "settings mappings", "create index"));
  if (body.contains("settings")) {
    PMDEX_RETURN_IF_ERROR(definition.ReadSettings(body["settings"], ""));
  }
  if (!body.contains("mappings")) return definition;
  if (const absl::Status added = definition.fields_.Add(body["mappings"]); !added.ok()) {
    return UnreadableMapping(added);
  }
  const auto named = definition.fields_.analyzer();
  if (named.has_value() && definition.analyzer_.value_or(*named) != *named) {
    return BadArgument("all fields of an index have the same analyzer");
  }
  if (named.has_value()) definition.analyzer_ = named;
  return definition;
}

absl::Status IndexDefinition::AddMappings(const Json& mappings, AnalyzerKind analyzer) {
  MappedFields next = fields_;
  PMDEX_RETURN_IF_ERROR(next.Add(mappings));
  if (next.analyzer().value_or(analyzer) != analyzer) {
    return BadArgument(absl::StrCat("all fields of the index have the analyzer [",
                                    ToAbsl(ToString(analyzer)), "]"));
  }
  fields_ = std::move(next);
  return absl::OkStatus();
}

absl::StatusOr<IndexDefinition> IndexDefinition::FromText(std::string_view text) {
  const Json body = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  absl::StatusOr<IndexDefinition> read = DataLoss("it is not JSON");
  if (body.is_object()) read = Read(body);
  if (read.ok()) return read;
  return DataLoss(absl::StrCat("the settings and mappings of the index cannot be read: ",
                               ToAbsl(Message(read.status()))));
}

std::string IndexDefinition::ToText() const {
  Json settings = Json::object();
  for (const auto& [name, value] : settings_) settings[name] = value;
  return ToJsonText({{"settings", std::move(settings)}, {"mappings", fields_.ToJson()}});
}

absl::StatusOr<std::string> IndexDefinition::TextToKeep() const {
  std::string text = ToText();
  const absl::StatusOr<IndexDefinition> read = FromText(text);
  if (read.ok()) return text;
  return BadMapping(Message(read.status()));
}

IndexSettings IndexDefinition::SettingsOfIndex() const {
  IndexSettings settings;
  settings.analyzer = analyzer_.value_or(AnalyzerKind::kStandard);
  settings.store_text = true;
  return settings;
}

}  // namespace pmdex
