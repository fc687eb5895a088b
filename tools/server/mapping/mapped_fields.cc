#include "tools/server/mapping/mapped_fields.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"
#include "tools/server/mapping/value_reader.h"

namespace pmdex {
namespace {

constexpr int kMostLevels = 20;  // of objects, as Elasticsearch's index.mapping.depth.limit
constexpr char kKeywordOfText[] = ".keyword";
constexpr int kKeywordCharacters = 256;

absl::StatusOr<DynamicFields> ReadDynamic(const Json& value) {
  if (value == true || value == "true") return DynamicFields::kAdded;
  if (value == false || value == "false") return DynamicFields::kIgnored;
  if (value == "strict") return DynamicFields::kRefused;
  return BadArgument("Could not convert [dynamic.dynamic] to boolean");
}

std::string_view NameOf(DynamicFields dynamic) {
  if (dynamic == DynamicFields::kAdded) return "true";
  return dynamic == DynamicFields::kIgnored ? "false" : "strict";
}

absl::Status ObjectConflict(const std::string& path) {
  return BadArgument(
      absl::StrCat("can't merge a non object mapping [", path, "] with an object mapping"));
}

// An object is a level, and so is the mapping that it is in.
absl::Status CheckDepth(std::string_view object) {
  if (std::count(object.begin(), object.end(), '.') + 2 <= kMostLevels) return absl::OkStatus();
  return BadArgument(absl::StrCat("Limit of mapping depth [", kMostLevels,
                                  "] has been exceeded due to object field [", ToAbsl(object),
                                  "]"));
}

std::string_view LastName(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
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
    PMDEX_RETURN_IF_ERROR(next.AddProperties(mappings["properties"], ""));
  }
  *this = std::move(next);
  return absl::OkStatus();
}

absl::Status MappedFields::AddProperties(const Json& properties, const std::string& prefix) {
  if (!properties.is_object()) return BadMapping("Expected map for property [properties]");
  for (const auto& [name, definition] : properties.items()) {
    if (name.empty()) return BadArgument("name cannot be empty string");
    if (name.starts_with('.') || name.ends_with('.') || name.find("..") != name.npos) {
      return BadArgument(absl::StrCat("name cannot have an empty part: [", name, "]"));
    }
    const std::string path = prefix.empty() ? name : prefix + "." + name;
    if (!definition.is_object()) {
      return BadMapping(absl::StrCat("Expected map for property [fields] on field [", path, "]"));
    }
    PMDEX_RETURN_IF_ERROR(AddParents(path));
    PMDEX_RETURN_IF_ERROR(AddProperty(path, definition));
  }
  return absl::OkStatus();
}

absl::Status MappedFields::AddProperty(const std::string& path, const Json& definition) {
  if (!definition.contains("properties") && definition.value("type", Json("")) != "object") {
    return AddField(path, definition);
  }
  PMDEX_RETURN_IF_ERROR(CheckKeys(definition, "type properties dynamic", "an object field"));
  if (fields_.contains(path)) return ObjectConflict(path);
  PMDEX_RETURN_IF_ERROR(CheckDepth(path));
  std::optional<DynamicFields>& dynamic = objects_[path];
  PMDEX_RETURN_IF_ERROR(CheckCount());
  if (definition.contains("dynamic")) {
    PMDEX_ASSIGN_OR_RETURN(dynamic, ReadDynamic(definition["dynamic"]));
  }
  const Json inner = definition.value("properties", Json::object());
  return AddProperties(inner, path);
}

absl::Status MappedFields::AddField(const std::string& path, const Json& definition) {
  if (IsObject(path)) return ObjectConflict(path);
  PMDEX_RETURN_IF_ERROR(Put(path, definition, false));
  if (!definition.contains("fields")) return absl::OkStatus();
  return AddMultiFields(path, definition["fields"]);
}

absl::Status MappedFields::AddMultiFields(const std::string& path, const Json& fields) {
  if (!fields.is_object()) {
    return BadMapping(absl::StrCat("expected map for property [fields] on field [", path, "]"));
  }
  for (const auto& [name, definition] : fields.items()) {
    if (name.empty() || name.find('.') != name.npos) {
      return BadMapping(absl::StrCat("Field name [", name, "] which is a multi field of [", path,
                                     "] cannot contain '.'"));
    }
    if (!definition.is_object() || !definition.contains("type")) {
      return BadMapping(absl::StrCat("no type specified for property [", name, "]"));
    }
    if (definition["type"] == "object") {
      return BadMapping("Type [object] cannot be used in multi field");
    }
    if (definition.contains("fields")) {
      return BadMapping(
          absl::StrCat("a multi field cannot have [fields]: [", path, ".", name, "]"));
    }
    const std::string inner = absl::StrCat(path, ".", name);
    if (objects_.contains(inner)) return ObjectConflict(inner);
    const MappedField* const before = Find(inner);
    const bool is_new = before == nullptr || !before->is_multi_field;
    PMDEX_RETURN_IF_ERROR(Put(inner, definition, true));
    // Documents that were indexed without a mapping may have had a field of this name.
    fields_.find(inner)->second.is_multi_field = true;
    if (is_new) fields_.find(path)->second.multi_fields.push_back(inner);
  }
  return absl::OkStatus();
}

absl::Status MappedFields::Put(const std::string& path, const Json& definition,
                               bool is_multi_field) {
  PMDEX_ASSIGN_OR_RETURN(MappedField field, ReadMappedField(path, definition));
  field.is_multi_field = is_multi_field;
  if (field.null_text.has_value()) {
    const auto value = ReadScalar(field, {field.null_kind, *field.null_text});
    if (!value.ok()) return BadArgument(Message(value.status()));
  }
  if (field.analyzer.has_value()) {
    if (analyzer_.value_or(*field.analyzer) != *field.analyzer) {
      return BadMapping(absl::StrCat("analyzer [", ToAbsl(ToString(*field.analyzer)), "] of [",
                                     path, "]: all fields of an index have the same analyzer"));
    }
    analyzer_ = field.analyzer;
  }
  const auto found = fields_.find(path);
  if (found == fields_.end()) {
    fields_.emplace(path, std::move(field));
    return CheckCount();
  }
  PMDEX_ASSIGN_OR_RETURN(found->second, MergeMappedField(path, found->second, std::move(field)));
  return absl::OkStatus();
}

absl::Status MappedFields::AddParents(const std::string& path) {
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    const std::string parent = path.substr(0, dot);
    if (fields_.contains(parent)) return ObjectConflict(parent);
    PMDEX_RETURN_IF_ERROR(CheckDepth(parent));
    objects_.try_emplace(parent);
  }
  return CheckCount();
}

absl::Status MappedFields::CheckCount() const {
  if (fields_.size() + objects_.size() <= kMostFields) return absl::OkStatus();
  return BadArgument(absl::StrCat("Limit of total fields [", kMostFields, "] has been exceeded"));
}

absl::Status MappedFields::AddDynamic(const std::string& path, MappedField field) {
  PMDEX_RETURN_IF_ERROR(AddParents(path));
  if (field.type == MappedType::kText) {
    MappedField keyword = PlainField(MappedType::kKeyword);
    keyword.definition["ignore_above"] = kKeywordCharacters;
    keyword.most_characters = kKeywordCharacters;
    keyword.is_multi_field = true;
    const std::string name = path + kKeywordOfText;
    if (fields_.emplace(name, std::move(keyword)).second) field.multi_fields.push_back(name);
  }
  fields_.emplace(path, std::move(field));
  return CheckCount();
}

absl::Status MappedFields::AddObject(const std::string& path) {
  PMDEX_RETURN_IF_ERROR(CheckDepth(path));
  PMDEX_RETURN_IF_ERROR(AddParents(path));
  objects_.try_emplace(path);
  return CheckCount();
}

void MappedFields::AddFound(const FieldSpecs& specs) {
  for (const auto& [path, spec] : specs) {
    if (fields_.contains(path) || objects_.contains(path)) continue;
    MappedField field = PlainField(MappedTypeOf(spec.type));
    field.is_found = true;
    fields_.emplace(path, std::move(field));
  }
}

const MappedField* MappedFields::Find(std::string_view path) const {
  const auto found = fields_.find(path);
  return found == fields_.end() ? nullptr : &found->second;
}

DynamicFields MappedFields::DynamicOf(std::string_view path) const {
  while (true) {
    const size_t dot = path.rfind('.');
    if (dot == path.npos) return dynamic_.value_or(DynamicFields::kAdded);
    path = path.substr(0, dot);
    const auto object = objects_.find(path);
    if (object != objects_.end() && object->second.has_value()) return *object->second;
  }
}

Json MappedFields::ToJson(const std::string& path) const {
  const MappedField& field = *Find(path);
  Json definition = field.definition;
  for (const std::string& inner : field.multi_fields) {
    definition["fields"][std::string(LastName(inner))] = Find(inner)->definition;
  }
  return definition;
}

Json MappedFields::ToJson() const {
  Json mappings = Json::object();
  if (dynamic_.has_value()) mappings["dynamic"] = NameOf(*dynamic_);
  const auto place_of = [&](std::string_view path) -> Json& {
    Json* place = &mappings["properties"];
    for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
      Json& object = (*place)[std::string(path.substr(0, dot))];
      object.erase("type");
      place = &object["properties"];
      path.remove_prefix(dot + 1);
    }
    return (*place)[std::string(path)];
  };
  for (const auto& [path, dynamic] : objects_) {
    Json& object = place_of(path);
    object["type"] = "object";  // as long as nothing is in it
    if (dynamic.has_value()) object["dynamic"] = NameOf(*dynamic);
  }
  for (const auto& [path, field] : fields_) {
    if (!field.is_multi_field && !field.is_found) place_of(path) = ToJson(path);
  }
  return mappings;
}

}  // namespace pmdex
