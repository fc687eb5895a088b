// What a client said of an index when it made it: the settings and the mappings of Elasticsearch's
// API, and the fields that documents brought. An index keeps it as a property of its manifest. A
// plain value.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/store/manifest.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/mapping/mapped_fields.h"

namespace pmdex {

// The property of the manifest.
inline constexpr char kDefinitionProperty[] = "server_definition";

class IndexDefinition {
 public:
  // Without settings and mappings: documents bring their fields.
  IndexDefinition() = default;
  // body: {"settings", "mappings"} of PUT /NAME; null: nothing. Returns an ApiError that names what
  // is not known.
  static absl::StatusOr<IndexDefinition> Read(const Json& body);
  // text: as ToText gave it. kDataLoss if it is something else.
  static absl::StatusOr<IndexDefinition> FromText(std::string_view text);
  std::string ToText() const;
  // ToText, of which it is sure that FromText reads it; otherwise an ApiError. What an index keeps
  // is to be this text, because nothing opens an index whose definition cannot be read.
  absl::StatusOr<std::string> TextToKeep() const;

  // With the analyzer that the client chose; positions and texts are kept.
  IndexSettings SettingsOfIndex() const;
  // Keyed without "index.".
  const std::map<std::string, std::string>& settings() const { return settings_; }
  // After so long searches find what was written; nullopt: only when a client asks for it.
  std::optional<std::chrono::milliseconds> refresh_interval() const { return refresh_interval_; }

  const MappedFields& fields() const { return fields_; }
  void SetFields(MappedFields fields) { fields_ = std::move(fields); }
  // Errors as MappedFields::Add; also for another analyzer than that of the index.
  absl::Status AddMappings(const Json& mappings, AnalyzerKind analyzer);
  // Adds the fields that the index has and that the definition does not name.
  void AddFound(const FieldSpecs& specs) { fields_.AddFound(specs); }

 private:
  absl::Status ReadSettings(const Json& settings, const std::string& prefix);
  absl::Status ReadSetting(const std::string& name, const Json& value);

  std::map<std::string, std::string> settings_;
  std::optional<AnalyzerKind> analyzer_;
  std::optional<std::chrono::milliseconds> refresh_interval_ = std::chrono::seconds(1);
  MappedFields fields_;
};

}  // namespace pmdex
