// The fields of a merge: the union of those of the sources by name, in the order in which the names
// first occur. Immutable; thread-safe. The sources must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/merge/merge_source.h"

namespace pmdex {

class MergedFields {
 public:
  explicit MergedFields(std::span<const MergeSource> sources);

  std::span<const std::string> names() const { return names_; }
  // The field of a source in the result.
  FieldId New(size_t source, FieldId field) const { return new_fields_[source][field]; }
  // The field of the result in a source; nullopt if the source does not have it.
  std::optional<FieldId> Of(size_t source, FieldId field) const;
  // True if all fields of the source keep their numbers.
  bool IsUnchanged(size_t source) const { return unchanged_[source]; }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<FieldId>> new_fields_;  // by source, then by its field
  // By source, then by the field of the result: 1 more than the field of the source, 0 without.
  std::vector<std::vector<uint32_t>> source_fields_;
  std::vector<bool> unchanged_;
};

}  // namespace pmdex
