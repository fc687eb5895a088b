#include "engine/ingest/fields/field_collector.h"

#include <algorithm>
#include <utility>

#include "engine/memtable/field_names.h"

namespace pmdex {
namespace {

bool NeverHasField(std::string_view name) {
  return name == kOtherField || name.size() > kMaxFieldNameBytes;
}

}  // namespace

FieldCollector::FieldCollector(KnownFields known, const Options& options)
    : fields_(std::move(known)), options_(options), count_(0), open_(0) {
  for (const auto& [name, field] : fields_) {
    if (!IsFixedField(name)) ++count_;
    if (!field.spec.has_value()) ++open_;
  }
}

bool FieldCollector::HasRoomFor(std::string_view name) const {
  if (NeverHasField(name) || options_.known_names_only) return false;
  return IsFixedField(name) || count_ < options_.limit;
}

// Fields whose type is not known have a place from their first value on.
void FieldCollector::Look(const DocumentField& value) {
  if (value.kind == InputValueKind::kObject) return;
  auto field = fields_.find(value.name);
  if (field == fields_.end()) {
    if (!HasRoomFor(value.name)) return;
    if (!IsFixedField(value.name)) ++count_;
    ++open_;
    field = fields_.emplace(std::string(value.name), KnownField::Reserved()).first;
  }
  if (field->second.spec.has_value()) return;
  if (in_sample_) {
    seen_[field->first].Add(value);
  } else {
    SeenValues first;
    first.Add(value);
    field->second = {first.Infer(), /*is_late=*/true};
    --open_;
  }
}

void FieldCollector::EndSample() {
  in_sample_ = false;
  for (const auto& [name, values] : seen_) {
    fields_.find(name)->second = KnownField::Of(values.Infer());
    --open_;
  }
  seen_.clear();
}

bool FieldCollector::is_done() const {
  if (in_sample_) return false;
  if (options_.sample_only) return true;
  return open_ == 0 && (options_.known_names_only || count_ >= options_.limit);
}

absl::Status FieldCollector::Add(const Document& document) {
  if (is_done()) return absl::CancelledError("nothing more is looked for");
  for (const DocumentField& value : document.fields) Look(value);
  if (in_sample_ && ++documents_ == kSampleDocuments) EndSample();
  return is_done() ? absl::CancelledError("nothing more is looked for") : absl::OkStatus();
}

KnownFields FieldCollector::Take() {
  if (in_sample_) EndSample();
  return std::move(fields_);
}

}  // namespace pmdex
