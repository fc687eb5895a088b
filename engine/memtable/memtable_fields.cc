#include "engine/memtable/memtable_fields.h"

#include "engine/memtable/memtable_options.h"
#include "engine/memtable/memtable_postings.h"
#include "engine/segment/documents/norms.h"

namespace pmdex {
namespace {

// Where gaps end: fewer than kMaxDocTokens follow, so positions stay below kPositionLimit.
constexpr uint32_t kLastGapPosition = kPositionLimit - MemtableLimits::kMaxDocTokens - kPositionGap;

}  // namespace

MemtableFields::Found MemtableFields::FindOrAdd(std::string_view name) {
  // Consecutive values mostly belong to one field, or documents have only one.
  if (last_ < fields_.size() && fields_[last_].name == name) return {last_};
  const auto found = ids_.find(name);
  if (found != ids_.end()) return {last_ = found->second};
  if (!HasOwnField(name)) return {FindOrAdd(kOtherField).id, /*is_own=*/false};
  last_ = static_cast<FieldId>(fields_.size());
  ids_.emplace(std::string(name), last_);
  name_bytes_ += name.size();
  fields_.emplace_back().name = name;
  return {last_};
}

// Of a name that is not among the fields.
bool MemtableFields::HasOwnField(std::string_view name) {
  if (name == kOtherField) return true;
  if (name.size() > kMaxFieldNameBytes) return false;
  if (names_ != nullptr) return names_->HasOwnField(name);
  return fields_.size() - ids_.count(kOtherField) < kMaxFields;
}

uint32_t MemtableFields::BeginValue(FieldId id) {
  Field& field = fields_[id];
  if (!field.touched) {
    field.touched = true;
    touched_.push_back(id);
  } else if (field.next_position < kLastGapPosition) {
    field.next_position += kPositionGap;
  }
  return field.next_position;
}

uint32_t MemtableFields::AddTokens(FieldId id, size_t count) {
  uint32_t& length = fields_[id].length;
  const uint32_t before = length;
  length += static_cast<uint32_t>(count);
  return before;
}

uint64_t MemtableFields::EndDocument(DocId doc) {
  uint64_t tokens = 0;
  for (const FieldId id : touched_) {
    Field& field = fields_[id];
    if (field.length == 0) continue;
    field.norms.resize(doc, 0);
    field.norms.push_back(EncodeLength(field.length));
    ++field.doc_count;
    field.token_count += field.length;
    tokens += field.length;
  }
  ForgetDocument();
  return tokens;
}

void MemtableFields::ForgetDocument() {
  for (const FieldId id : touched_) {
    Field& field = fields_[id];
    field.touched = false;
    field.next_position = 0;
    field.length = 0;
  }
  touched_.clear();
}

size_t MemtableFields::memory_bytes(uint32_t doc_count) const {
  // Norms grow by half, and a name stands in the map, too.
  constexpr size_t kMapBytes = 96;
  return fields_.size() * (size_t{doc_count} * 3 / 2 + sizeof(Field) + kMapBytes) + name_bytes_ * 2;
}

std::vector<SegmentField> MemtableFields::Freeze(uint32_t doc_count) {
  std::vector<SegmentField> frozen;
  frozen.reserve(fields_.size());
  for (Field& field : fields_) {
    field.norms.resize(doc_count, 0);
    frozen.push_back({field.name, field.doc_count, field.token_count, field.norms});
  }
  return frozen;
}

}  // namespace pmdex
