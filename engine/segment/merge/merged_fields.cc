#include "engine/segment/merge/merged_fields.h"

#include <map>
#include <string_view>

namespace pmdex {

MergedFields::MergedFields(std::span<const MergeSource> sources) {
  std::map<std::string_view, size_t> numbers;
  for (const MergeSource& source : sources) {
    std::vector<FieldId>& new_fields = new_fields_.emplace_back();
    bool unchanged = true;
    for (const FieldInfo& field : source.segment->fields()) {
      const auto [at, is_new] = numbers.emplace(field.name, names_.size());
      if (is_new) names_.emplace_back(field.name);
      unchanged = unchanged && at->second == new_fields.size();
      new_fields.push_back(static_cast<FieldId>(at->second));
    }
    unchanged_.push_back(unchanged);
  }
  for (const std::vector<FieldId>& new_fields : new_fields_) {
    std::vector<uint32_t>& of = source_fields_.emplace_back(names_.size(), 0);
    for (size_t i = 0; i < new_fields.size(); ++i) of[new_fields[i]] = static_cast<uint32_t>(i + 1);
  }
}

std::optional<FieldId> MergedFields::Of(size_t source, FieldId field) const {
  const uint32_t number = source_fields_[source][field];
  if (number == 0) return std::nullopt;
  return static_cast<FieldId>(number - 1);
}

}  // namespace pmdex
