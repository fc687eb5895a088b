#include "tests/support/simulated_medium.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

std::string_view ToString(Survival survival) {
  switch (survival) {
    case Survival::kNothing:
      return "nothing";
    case Survival::kEverything:
      return "everything";
    case Survival::kOne:
      return "one";
    case Survival::kAllButOne:
      return "all but one";
    case Survival::kRandom:
      return "random";
  }
  return "?";
}

}  // namespace

std::string ToString(const Settlement& settlement) {
  return absl::StrCat("stores: ", ToAbsl(ToString(settlement.stores)),
                      ", names: ", ToAbsl(ToString(settlement.names)),
                      ", metadata: ", ToAbsl(ToString(settlement.metadata)),
                      settlement.extents_lost ? ", extents lost" : "", ", seed: ", settlement.seed);
}

std::string ToString(const MediumOptions& options) {
  const std::string mode = options.mode == PersistenceMode::kAdr    ? "ADR"
                           : options.mode == PersistenceMode::kEadr ? "eADR"
                                                                    : "PAGE";
  return mode + (options.order == DirectoryOrder::kJournaled ? ", journaled" : ", unordered");
}

bool SimulatedMedium::Begin(std::string_view verb, std::string_view name, bool system_call) {
  const bool powered = operation_count_ < power_cut_;
  if (powered) {
    operation_ = absl::StrCat(ToAbsl(verb), " ", ToAbsl(name));
    if (observer_) observer_();
  }
  ++operation_count_;
  if (powered && system_call && options_.mode == PersistenceMode::kEadr) {
    for (const auto& [file_name, file] : names_) file->PersistCached();
    first_unordered_store_ = store_sequence_;
  }
  return powered;
}

std::string_view DirectoryOfName(std::string_view name) {
  return name.substr(0, name.rfind('/') + 1);
}

void SimulatedMedium::Apply(const Change& change, Names& names) {
  if (!change.from.empty()) names.erase(change.from);
  if (!change.to.empty()) names.insert_or_assign(change.to, change.file);
}

bool SimulatedMedium::Create(std::string_view name, std::shared_ptr<SimulatedFile>* file) {
  if (!Begin("create", name, true)) return false;
  *file = std::make_shared<SimulatedFile>(options_.mode);
  journal_.push_back({"", std::string(name), *file});
  Apply(journal_.back(), names_);
  return true;
}

bool SimulatedMedium::Resize(SimulatedFile& file, std::string_view name, uint64_t size_bytes) {
  if (!Begin("resize", name, true)) return false;
  file.Resize(size_bytes);
  return true;
}

bool SimulatedMedium::Store(SimulatedFile& file, std::string_view name, uint64_t offset,
                            std::span<const std::byte> bytes, StoreKind kind) {
  if (!Begin(kind == StoreKind::kCached ? "store" : "copy", name, false)) return false;
  file.Store(offset, bytes, kind, store_sequence_);
  return true;
}

bool SimulatedMedium::Flush(SimulatedFile& file, std::string_view name, uint64_t offset,
                            uint64_t size_bytes) {
  if (!Begin("flush", name, false)) return false;
  file.Flush(offset, size_bytes);
  return true;
}

bool SimulatedMedium::Drain(SimulatedFile& file, std::string_view name) {
  if (!Begin("drain", name, true)) return false;
  file.Drain();
  return true;
}

bool SimulatedMedium::SyncFile(SimulatedFile& file, std::string_view name) {
  if (!Begin("fsync", name, true)) return false;
  file.Sync();
  return true;
}

bool SimulatedMedium::Rename(std::string_view from, std::string_view to) {
  if (!Begin("rename", from, true)) return false;
  journal_.push_back({std::string(from), std::string(to), Find(from)});
  Apply(journal_.back(), names_);
  return true;
}

bool SimulatedMedium::Remove(std::string_view name) {
  if (!Begin("remove", name, true)) return false;
  journal_.push_back({std::string(name), "", nullptr});
  Apply(journal_.back(), names_);
  return true;
}

bool SimulatedMedium::SyncNames(std::string_view directory) {
  if (!Begin("fsync", directory.empty() ? "directory" : directory, true)) return false;
  std::erase_if(journal_, [&](const Change& change) {
    if (change.directory() != directory) return false;
    Apply(change, durable_names_);
    return true;
  });
  return true;
}

void SimulatedMedium::Unlock(std::string_view name) {
  const auto found = locks_.find(name);
  if (found != locks_.end()) locks_.erase(found);
}

std::vector<std::string> SimulatedMedium::FileNames() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : names_) names.push_back(name);
  return names;
}

std::shared_ptr<SimulatedFile> SimulatedMedium::Find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

uint64_t SimulatedMedium::Digest() const {
  std::string all;
  for (const auto& [name, file] : names_) {
    absl::StrAppend(&all, name, " ", file->Digest(), "\n");
  }
  return Xxh3(std::as_bytes(std::span(all)));
}

// A change depends on the earlier ones that touched its names: without them it made no sense.
std::vector<bool> SimulatedMedium::SurvivingChanges(Survival survival, SeededRandom& random) const {
  std::vector<bool> survives(journal_.size());
  SurvivalDealer dealer(survival, journal_.size(), random);
  for (size_t i = 0; i < journal_.size(); ++i) survives[i] = dealer.Next(1) == 1;
  if (options_.order == DirectoryOrder::kJournaled) {
    std::map<std::string_view, size_t> kept;  // the number of first changes, keyed by directory
    for (size_t i = 0; i < journal_.size(); ++i) {
      if (survives[i]) ++kept[journal_[i].directory()];
    }
    for (size_t i = 0; i < journal_.size(); ++i) {
      size_t& left = kept[journal_[i].directory()];
      survives[i] = left > 0;
      if (left > 0) --left;
    }
    return survives;
  }
  for (size_t i = 0; i < journal_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto touches = [&](const std::string& name) {
        return !name.empty() && (name == journal_[j].from || name == journal_[j].to);
      };
      if (!survives[j] && (touches(journal_[i].from) || touches(journal_[i].to))) {
        survives[i] = false;
      }
    }
  }
  return survives;
}

SimulatedMedium::Names SimulatedMedium::SurvivingNames(Survival survival,
                                                       SeededRandom& random) const {
  Names names = durable_names_;
  const std::vector<bool> survives = SurvivingChanges(survival, random);
  for (size_t i = 0; i < journal_.size(); ++i) {
    if (survives[i]) Apply(journal_[i], names);
  }
  return names;
}

std::unique_ptr<SimulatedMedium> SimulatedMedium::AfterPowerCut(
    const Settlement& settlement) const {
  SeededRandom random(settlement.seed);
  auto next = std::make_unique<SimulatedMedium>(options_);
  next->names_ = SurvivingNames(settlement.names, random);
  size_t units = 0;
  size_t unsynced = 0;
  for (const auto& [name, file] : next->names_) {
    units += file->pending_units();
    unsynced += file->durable() ? 0 : 1;
  }
  SurvivalDealer stores(settlement.stores, units, random);
  SurvivalDealer metadata(settlement.metadata, unsynced, random);
  SurvivalDealer cached(settlement.stores, 1, random);
  const uint64_t first_lost_cached =
      first_unordered_store_ + cached.Next(store_sequence_ - first_unordered_store_);
  for (auto& [name, file] : next->names_) {
    if (file->durable()) continue;  // shared: nobody writes to it any more
    file = file->AfterCrash({stores, metadata, first_lost_cached, settlement.extents_lost});
  }
  next->durable_names_ = next->names_;
  return next;
}

std::unique_ptr<SimulatedMedium> SimulatedMedium::AfterKill() const {
  auto next = std::unique_ptr<SimulatedMedium>(new SimulatedMedium(*this));
  next->observer_ = nullptr;
  next->operation_count_ = 0;
  next->power_cut_ = UINT64_MAX;
  next->locks_.clear();
  // The same file may stand under several names in the journal and the durable names.
  std::map<std::shared_ptr<SimulatedFile>, std::shared_ptr<SimulatedFile>> copies;
  const auto copy = [&copies](std::shared_ptr<SimulatedFile>& file) {
    if (file == nullptr || file->durable()) return;
    auto& made = copies[file];
    if (made == nullptr) made = std::make_shared<SimulatedFile>(*file);
    file = made;
  };
  for (auto& [name, file] : next->names_) copy(file);
  for (auto& [name, file] : next->durable_names_) copy(file);
  for (Change& change : next->journal_) copy(change.file);
  return next;
}

}  // namespace pmdex
