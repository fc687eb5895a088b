// One field of a mapping: its type, and the options that decide what becomes of its values. A plain
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/columns/value_parser.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/mapping/date_format.h"
#include "tools/server/mapping/mapped_type.h"

namespace pmdex {

struct MappedField {  // NOLINT(bugprone-exception-escape): as WriteOperation
  MappedType type = MappedType::kText;
  bool is_indexed = true;
  bool ignores_malformed = false;
  size_t most_characters = SIZE_MAX;  // of a keyword, in UTF-16; longer ones have no value
  // What stands for null.
  std::optional<std::string> null_text = std::nullopt;
  JsonScalar::Kind null_kind = JsonScalar::Kind::kString;
  std::shared_ptr<const DateFormat> format = nullptr;  // of dates
  std::optional<AnalyzerKind> analyzer;
  Json definition = Json::object();  // without "fields" and what would be so anyway
  // The paths of fields that take the values of this one, too: NAME.raw.
  std::vector<std::string> multi_fields = {};
  bool is_multi_field = false;
  // The field is not of a mapping, but of documents that were indexed without one. Its dates are of
  // nanoseconds.
  bool is_found = false;

  // What the values of a date are multiples of, in nanoseconds.
  int64_t date_unit() const {
    return type == MappedType::kDate && !is_found ? kNanosecondsPerMillisecond : 1;
  }
};

// definition: an object with "type", which may have "fields" that are not read. Returns an ApiError
// in Elasticsearch's words for a type, key or value that is not known. Whether the null_value is of
// the type is not looked at.
absl::StatusOr<MappedField> ReadMappedField(const std::string& path, const Json& definition);

// What the field becomes when a client defines it again. Returns an ApiError if the two differ in
// something that cannot change.
absl::StatusOr<MappedField> MergeMappedField(const std::string& path, const MappedField& before,
                                             MappedField after);

// A field of this type without options.
MappedField PlainField(MappedType type);

// mapper_parsing_exception
absl::Status BadMapping(std::string_view reason);

}  // namespace pmdex
