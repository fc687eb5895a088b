#include "engine/ingest/formats/field_registry.h"

#include <algorithm>
#include <utility>

#include "engine/ingest/formats/document.h"

namespace pmdex {
namespace {

FieldSpecs EarlyOf(const KnownFields& fields) {
  FieldSpecs early;
  for (const auto& [name, field] : fields) {
    if (!field.is_late && field.spec.has_value()) early.emplace(name, *field.spec);
  }
  return early;
}

}  // namespace

// One waiting for its turn.
struct FieldRegistry::Turn {
  const FieldRegistry& registry;
  const uint64_t number;
  bool HasCome() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return registry.cancelled_ || registry.next_turn_ == number;
  }
};

FieldRegistry::FieldRegistry(const KnownFields& fields, size_t limit, FieldAdmission admission)
    : limit_(limit), admission_(admission), early_(EarlyOf(fields)), count_(0) {
  for (const auto& [name, field] : fields) {
    if (!IsFixedField(name)) ++count_;
    if (!early_.contains(name)) late_.emplace(name, Late{field.spec, field.decided_at});
  }
}

std::optional<FieldSpec> FieldRegistry::FindEarly(std::string_view name) const {
  const auto early = early_.find(name);
  if (early == early_.end()) return std::nullopt;
  return early->second;
}

std::optional<KnownField> FieldRegistry::Admit(std::string_view name,
                                               const FieldSighting& sighting) {
  const auto early = FindEarly(name);
  return early.has_value() ? KnownField::Of(*early) : AdmitLate(name, sighting);
}

FieldRegistry::Late* FieldRegistry::FindOrAdd(std::string_view name) {
  const auto found = late_.find(name);
  if (found != late_.end()) return &found->second;
  if (!IsFixedField(name)) {
    if (!TakesNames()) return nullptr;
    if (count_ >= limit_) {
      if (admission_ == FieldAdmission::kAll) overflowed_ = true;
      return nullptr;
    }
    ++count_;
  }
  return &late_.emplace(std::string(name), Late{}).first->second;
}

// In their turns threads meet values in order, and the first of them stays the earliest.
// Settled types are those of a pass over all input.
void FieldRegistry::CheckOrder(const FieldSighting& sighting, Late& late) {
  if (admission_ == FieldAdmission::kInOrder || admission_ == FieldAdmission::kSettled) return;
  const bool earlier = !late.position.has_value() || sighting.position < *late.position;
  if (!earlier) return;
  if (sighting.spec != *late.spec) overflowed_ = true;
  if (late.position.has_value()) late.position = sighting.position;
}

std::optional<KnownField> FieldRegistry::AdmitLate(std::string_view name,
                                                   const FieldSighting& sighting) {
  MutexLock lock(&mutex_);
  const auto found = late_.find(name);
  const bool is_decided = found != late_.end() && found->second.spec.has_value();
  if (!is_decided && sighting.turn.has_value()) {
    const Turn mine = {*this, *sighting.turn};
    const bool may_add =
        found != late_.end() || IsFixedField(name) || (TakesNames() && count_ < limit_);
    if (may_add) mutex_.Await(&mine, &Turn::HasCome);
  }
  Late* const late = FindOrAdd(name);
  if (late == nullptr) return std::nullopt;
  if (late->spec.has_value()) {
    CheckOrder(sighting, *late);
  } else {
    *late = {sighting.spec, sighting.position};
  }
  return KnownField{late->spec, /*is_late=*/true};
}

void FieldRegistry::TakeArrays(std::string_view name) {
  MutexLock lock(&mutex_);
  if (!with_arrays_.contains(name)) with_arrays_.emplace(name);
}

KnownFields FieldRegistry::fields() const {
  MutexLock lock(&mutex_);
  KnownFields fields;
  for (const auto& [name, spec] : early_) fields.emplace(name, KnownField::Of(spec));
  for (const auto& [name, late] : late_)
    fields.emplace(name, KnownField{late.spec, true, late.position});
  for (const std::string& name : with_arrays_) {
    const auto field = fields.find(name);
    if (field == fields.end() || !field->second.spec.has_value()) continue;
    if (field->second.spec->values == Multiplicity::kOpen) {
      field->second.spec->values = Multiplicity::kMany;
    }
  }
  return fields;
}

void FieldRegistry::FinishTurn(uint64_t turn) {
  MutexLock lock(&mutex_);
  finished_.insert(turn);
  while (!finished_.empty() && *finished_.begin() == next_turn_) {
    finished_.erase(finished_.begin());
    ++next_turn_;
  }
}

void FieldRegistry::Cancel() {
  MutexLock lock(&mutex_);
  cancelled_ = true;
}

}  // namespace pmdex
