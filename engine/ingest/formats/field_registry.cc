#include "engine/ingest/formats/field_registry.h"

namespace pmdex {

// One waiting for its turn.
struct FieldRegistry::Turn {
  const FieldRegistry& registry;
  const uint64_t number;
  bool HasCome() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return registry.cancelled_ || registry.next_turn_ == number;
  }
};

FieldRegistry::FieldRegistry(const std::vector<std::string>& names, size_t limit,
                             FieldAdmission admission)
    : limit_(limit), admission_(admission), names_(names.begin(), names.end()) {
  // Names that a build met in any order do not settle it, even where no other fits.
  settled_ = admission == FieldAdmission::kSettled ||
             (admission == FieldAdmission::kInOrder && names_.size() >= limit);
}

bool FieldRegistry::Contains(std::string_view name) const {
  return names_.find(name) != names_.end();
}

bool FieldRegistry::Admit(std::string_view name, std::optional<uint64_t> turn) {
  if (settled_.load(std::memory_order_acquire)) return Contains(name);
  MutexLock lock(&mutex_);
  if (Contains(name)) return true;
  if (admission_ == FieldAdmission::kInOrder && turn.has_value()) {
    const Turn mine = {*this, *turn};
    mutex_.Await(&mine, &Turn::HasCome);
    if (Contains(name)) return true;  // those before have met it too
  }
  if (names_.size() >= limit_) {
    if (admission_ == FieldAdmission::kAll) overflowed_ = true;
    return false;
  }
  names_.emplace(name);
  if (admission_ == FieldAdmission::kInOrder && names_.size() == limit_) {
    settled_.store(true, std::memory_order_release);
  }
  return true;
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
