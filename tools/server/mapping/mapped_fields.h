// The fields of an index as clients declared them and as documents brought them: `mappings` of
// Elasticsearch's API. Fields are known by their paths, with dots for objects. A plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/columns/field_spec.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/mapping/mapped_field.h"

namespace pmdex {

// What becomes of fields that nobody declared.
enum class DynamicFields { kAdded, kIgnored, kRefused };

class MappedFields {
 public:
  static constexpr size_t kMostFields = 1000;  // with objects, as in Elasticsearch

  // Adds what `mappings` declares: {"dynamic", "properties"}. Fields that are there may come again.
  // Returns an ApiError that names a type or key that is not known, or a field that cannot change
  // so; nothing is changed then.
  absl::Status Add(const Json& mappings);
  // Adds a field that a document brought. A string that is no date is a text with NAME.keyword.
  // Requires that nothing is at the path. Returns an ApiError if there are too many fields.
  absl::Status AddDynamic(const std::string& path, MappedField field);
  absl::Status AddObject(const std::string& path);
  // Adds the fields of documents that were indexed without a mapping, where there is no such field.
  void AddFound(const FieldSpecs& specs);

  // The mapping as clients see it, without found fields; "dynamic" only where it was given.
  Json ToJson() const;
  // The definition of a field, with its "fields". Requires that it is there.
  Json ToJson(const std::string& path) const;

  // nullptr if there is no such field, or if the path is that of an object.
  const MappedField* Find(std::string_view path) const;
  bool IsObject(std::string_view path) const { return objects_.find(path) != objects_.end(); }
  // Of the innermost object that the path is in and that says something.
  DynamicFields DynamicOf(std::string_view path) const;
  const std::map<std::string, MappedField, std::less<>>& fields() const { return fields_; }
  const auto& objects() const { return objects_; }

  // The analyzer that fields name; nullopt if none does. All that name one name the same.
  std::optional<AnalyzerKind> analyzer() const { return analyzer_; }

 private:
  absl::Status AddProperties(const Json& properties, const std::string& prefix);
  absl::Status AddProperty(const std::string& path, const Json& definition);
  absl::Status AddField(const std::string& path, const Json& definition);
  absl::Status AddMultiFields(const std::string& path, const Json& fields);
  absl::Status Put(const std::string& path, const Json& definition, bool is_multi_field);
  absl::Status AddParents(const std::string& path);
  absl::Status CheckCount() const;

  std::map<std::string, MappedField, std::less<>> fields_;                    // by path
  std::map<std::string, std::optional<DynamicFields>, std::less<>> objects_;  // by path
  std::optional<DynamicFields> dynamic_;
  std::optional<AnalyzerKind> analyzer_;
};

}  // namespace pmdex
