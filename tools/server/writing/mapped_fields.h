// The fields that a client declared for an index: `mappings` of Elasticsearch's API. Fields are
// known by their paths, with dots for objects. Every field is a text so far; other types are
// refused. A plain value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/live/added_document.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// What becomes of fields that nobody declared.
enum class DynamicFields { kAdded, kIgnored, kRefused };

class MappedFields {
 public:
  // Adds what `mappings` declares: {"dynamic", "properties"}. Fields that are there may come again
  // with the same definition. Returns an ApiError that names a type or key that is not known, or a
  // field with another definition; nothing is changed then.
  absl::Status Add(const Json& mappings);
  // The same with "dynamic" only where it was given.
  Json ToJson() const;

  // The analyzer that fields name; nullopt if none does. All that name one name the same.
  std::optional<AnalyzerKind> analyzer() const { return analyzer_; }
  bool empty() const { return fields_.empty() && !dynamic_.has_value(); }

  // Takes the fields out of the document that are not to be indexed. Returns the path of a field
  // that is refused, or nullopt.
  std::optional<std::string> ApplyTo(AddedDocument& document) const;

 private:
  struct Field {  // NOLINT(bugprone-exception-escape): as WriteOperation
    Json definition;
    bool is_indexed = true;
  };
  absl::Status AddProperties(const Json& properties, const std::string& prefix, int depth);
  absl::Status AddField(const std::string& path, const Json& definition);
  absl::Status AddText(const std::string& path, const Json& definition);
  std::optional<std::string> FindUndeclared(const Json& object, const std::string& prefix) const;
  bool IsObject(std::string_view path) const;

  std::map<std::string, Field> fields_;  // by path
  std::optional<DynamicFields> dynamic_;
  std::optional<AnalyzerKind> analyzer_;
};

}  // namespace pmdex
