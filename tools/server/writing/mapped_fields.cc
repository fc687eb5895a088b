#include "tools/server/writing/mapped_fields.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr int kMostLevels = 20;  // of objects, as Elasticsearch's index.mapping.depth.limit
// These change no answer: they are kept and shown.
constexpr std::string_view kTextOptions = "type analyzer index norms store index_options";

absl::Status BadMapping(std::string_view reason) {
  return ApiError(400, "mapper_parsing_exception", reason);
}

absl::StatusOr<DynamicFields> ReadDynamic(const Json& value) {
  if (value == true || value == "true") return DynamicFields::kAdded;
  if (value == false || value == "false") return DynamicFields::kIgnored;
  if (value == "strict") return DynamicFields::kRefused;
  return BadMapping("[dynamic] takes [true], [false] or [strict]");
}

std::string_view NameOf(DynamicFields dynamic) {
  if (dynamic == DynamicFields::kAdded) return "true";
  return dynamic == DynamicFields::kIgnored ? "false" : "strict";
}

}  // namespace

absl::Status MappedFields::Add(const Json& mappings) {
  if (mappings.is_null()) return absl::OkStatus();
  if (!mappings.is_object()) return BadMapping("the mapping must be an object");
  for (const auto& [key, value] : mappings.items()) {
    if (key == "properties" || key == "dynamic") continue;
    return BadMapping(absl::StrCat("Root mapping definition has unsupported parameters:  [", key,
                                   " : ", ToJsonText(value), "]"));
  }
  MappedFields next = *this;
  if (mappings.contains("dynamic")) {
    PMDEX_ASSIGN_OR_RETURN(next.dynamic_, ReadDynamic(mappings["dynamic"]));
  }
  if (mappings.contains("properties")) {
    PMDEX_RETURN_IF_ERROR(next.AddProperties(mappings["properties"], "", 1));
  }
  *this = std::move(next);
  return absl::OkStatus();
}

absl::Status MappedFields::AddProperties(const Json& properties, const std::string& prefix,
                                         int depth) {
  if (!properties.is_object()) return BadMapping("Expected map for property [properties]");
  if (depth > kMostLevels) {
    return BadArgument(absl::StrCat("Limit of mapping depth [", kMostLevels,
                                    "] has been exceeded due to object field [", prefix, "]"));
  }
  for (const auto& [name, definition] : properties.items()) {
    if (name.empty()) return BadArgument("field name cannot be an empty string");
    const std::string path = prefix.empty() ? name : prefix + "." + name;
    if (!definition.is_object()) {
      return BadMapping(absl::StrCat("Expected map for property [fields] on field [", path, "]"));
    }
    if (definition.contains("properties") || definition.value("type", Json("")) == "object") {
      PMDEX_RETURN_IF_ERROR(CheckKeys(definition, "type properties", "an object field"));
      if (fields_.contains(path)) {
        return BadArgument(
            absl::StrCat("can't merge a non object mapping [", path, "] with an object mapping"));
      }
      const Json inner = definition.value("properties", Json::object());
      PMDEX_RETURN_IF_ERROR(AddProperties(inner, path, depth + 1));
    } else {
      PMDEX_RETURN_IF_ERROR(AddField(path, definition));
    }
  }
  return absl::OkStatus();
}

absl::Status MappedFields::AddField(const std::string& path, const Json& definition) {
  if (!definition.contains("type")) {
    return BadMapping(absl::StrCat("No type specified for field [", path, "]"));
  }
  PMDEX_ASSIGN_OR_RETURN(const std::string type, JsonText("type", definition["type"]));
  if (type != "text") {
    return BadMapping(
        absl::StrCat("No handler for type [", type, "] declared on field [", path, "]"));
  }
  if (IsObject(path)) {
    return BadArgument(
        absl::StrCat("can't merge a non object mapping [", path, "] with an object mapping"));
  }
  return AddText(path, definition);
}

absl::Status MappedFields::AddText(const std::string& path, const Json& definition) {
  Field field;
  field.definition = definition;
  for (const auto& [key, value] : definition.items()) {
    if (!HasWord(kTextOptions, key)) {
      return BadMapping(
          absl::StrCat("unknown parameter [", key, "] on mapper [", path, "] of type [text]"));
    }
  }
  if (definition.contains("index")) {
    PMDEX_ASSIGN_OR_RETURN(field.is_indexed, JsonSwitch("index", definition["index"]));
  }
  if (definition.contains("analyzer")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string name, JsonText("analyzer", definition["analyzer"]));
    const absl::StatusOr<AnalyzerKind> kind = ParseAnalyzerKind(name);
    if (!kind.ok() || *kind == AnalyzerKind::kCustom) {
      return BadMapping(absl::StrCat("analyzer [", name, "] has not been configured in mappings"));
    }
    if (analyzer_.has_value() && *analyzer_ != *kind) {
      return BadMapping(absl::StrCat("analyzer [", name, "] of [", path,
                                     "]: all fields of an index have the same analyzer"));
    }
    analyzer_ = *kind;
  }
  const auto [place, is_new] = fields_.try_emplace(path, field);
  if (is_new || place->second.definition == definition) return absl::OkStatus();
  return BadArgument(absl::StrCat("Mapper for [", path, "] conflicts with existing mapper: [",
                                  ToJsonText(place->second.definition), "] and [",
                                  ToJsonText(definition), "]"));
}

Json MappedFields::ToJson() const {
  Json mappings = Json::object();
  if (dynamic_.has_value()) mappings["dynamic"] = NameOf(*dynamic_);
  for (const auto& [path, field] : fields_) {
    Json* place = &mappings["properties"];
    std::string_view rest = path;
    for (size_t dot = rest.find('.'); dot != rest.npos; dot = rest.find('.')) {
      place = &(*place)[std::string(rest.substr(0, dot))]["properties"];
      rest.remove_prefix(dot + 1);
    }
    (*place)[std::string(rest)] = field.definition;
  }
  return mappings;
}

bool MappedFields::IsObject(std::string_view path) const {
  const auto next = fields_.lower_bound(std::string(path) + ".");
  return next != fields_.end() && next->first.starts_with(std::string(path) + ".");
}

// The first path in the object that nobody declared.
std::optional<std::string> MappedFields::FindUndeclared(const Json& object,
                                                        const std::string& prefix) const {
  for (const auto& [key, value] : object.items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    if (fields_.contains(path)) continue;
    if (!IsObject(path)) return path;
    const bool is_list = value.is_array();
    for (const Json& element : is_list ? value : Json::array({value})) {
      if (!element.is_object()) continue;
      if (auto found = FindUndeclared(element, path)) return found;
    }
  }
  return std::nullopt;
}

std::optional<std::string> MappedFields::ApplyTo(AddedDocument& document) const {
  const DynamicFields dynamic = dynamic_.value_or(DynamicFields::kAdded);
  if (dynamic == DynamicFields::kRefused) {
    const Json source = Json::parse(document.record, nullptr, /*allow_exceptions=*/false);
    if (source.is_object()) {
      if (auto refused = FindUndeclared(source, "")) return refused;
    }
  }
  std::erase_if(document.fields, [&](const auto& value) {
    const auto field = fields_.find(value.first);
    if (field != fields_.end()) return !field->second.is_indexed;
    return dynamic != DynamicFields::kAdded;
  });
  return std::nullopt;
}

}  // namespace pmdex
