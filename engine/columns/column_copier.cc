#include "engine/columns/column_copier.h"

#include "engine/columns/column_key.h"

namespace pmdex {

ColumnCopier::ColumnCopier(const ColumnView& source, ColumnBuilder& target)
    : source_(source), target_(target), numbers_(source.keyword_count(), 0) {}

absl::StatusOr<uint64_t> ColumnCopier::KeyInTarget(uint64_t key) {
  if (source_.type() != FieldType::kKeyword) return key;
  if (key >= numbers_.size()) return source_.Damage(source_.entry().values_offset, "no keyword");
  if (numbers_[key] == 0) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, source_.Keyword(key));
    numbers_[key] = target_.NumberOf(keyword) + 1;
  }
  return numbers_[key] - 1;
}

absl::Status ColumnCopier::Copy(DocId from, DocId to) {
  PMDEX_ASSIGN_OR_RETURN(const ValueRange values, source_.ValuesOf(from));
  for (uint64_t i = 0; i < values.count; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, source_.KeyAt(values.first + i));
    PMDEX_ASSIGN_OR_RETURN(const uint64_t in_target, KeyInTarget(key));
    target_.AddKey(to, in_target);
  }
  return absl::OkStatus();
}

}  // namespace pmdex
