#include "tests/support/simulated_file.h"

#include <algorithm>
#include <utility>

#include "pmem/checksum.h"

namespace pmdex {
namespace {

void WriteAt(uint64_t offset, std::span<const std::byte> source, std::vector<std::byte>& bytes) {
  if (bytes.size() < offset + source.size()) bytes.resize(offset + source.size());
  std::copy(source.begin(), source.end(), bytes.begin() + static_cast<ptrdiff_t>(offset));
}

}  // namespace

SurvivalDealer::SurvivalDealer(Survival survival, size_t candidates, SeededRandom& random)
    : survival_(survival),
      random_(random),
      until_odd_one_(candidates == 0 ? 0 : random.Below(candidates)) {}

size_t SurvivalDealer::Next(size_t versions) {
  const bool odd_one = until_odd_one_-- == 0;
  switch (survival_) {
    case Survival::kNothing:
      return 0;
    case Survival::kEverything:
      return versions;
    case Survival::kOne:
      return odd_one ? versions : 0;
    case Survival::kAllButOne:
      return odd_one ? 0 : versions;
    case Survival::kRandom:
      break;
  }
  // A line is mostly evicted before or after a whole run of stores, now and then in between.
  if (random_.OneIn(3)) return random_.Below(versions + 1);
  return random_.OneIn(2) ? versions : 0;
}

SimulatedFile::SimulatedFile(PersistenceMode mode) : mode_(mode), sizes_{0} {}

SimulatedFile::SimulatedFile(PersistenceMode mode, std::vector<std::byte> bytes,
                             uint64_t size_bytes)
    : mode_(mode), sizes_{size_bytes}, synced_(true), visible_(std::move(bytes)) {
  if (visible_.size() > size_bytes) visible_.resize(size_bytes);
  durable_ = visible_;
}

std::shared_ptr<const MemoryFile> SimulatedFile::View() const {
  if (view_ != nullptr) return view_;
  std::vector<std::byte> bytes = visible_;
  bytes.resize(size_bytes());
  auto view = std::make_shared<const MemoryFile>(bytes);
  if (durable()) view_ = view;
  return view;
}

uint64_t SimulatedFile::Digest() const {
  if (digest_.has_value()) return *digest_;
  const uint64_t parts[] = {Xxh3(visible_), size_bytes()};
  const uint64_t digest = Xxh3(std::as_bytes(std::span(parts)));
  if (durable()) digest_ = digest;
  return digest;
}

void SimulatedFile::ForgetWhatWasMade() {
  view_.reset();
  digest_.reset();
}

void SimulatedFile::Resize(uint64_t size_bytes) {
  ForgetWhatWasMade();
  sizes_.push_back(size_bytes);
  if (visible_.size() > size_bytes) visible_.resize(size_bytes);
  if (durable_.size() > size_bytes) durable_.resize(size_bytes);
  const uint64_t units = (size_bytes + unit_bytes() - 1) / unit_bytes();
  units_.erase(units_.lower_bound(units), units_.end());
}

void SimulatedFile::Store(uint64_t offset, std::span<const std::byte> bytes, StoreKind kind,
                          uint64_t& sequence) {
  ForgetWhatWasMade();
  WriteAt(offset, bytes, visible_);
  for (size_t done = 0; done < bytes.size();) {
    const uint64_t at = offset + done;
    const size_t word = std::min<size_t>(8 - at % 8, bytes.size() - done);
    Append(at, bytes.subspan(done, word), kind, sequence++);
    done += word;
  }
}

void SimulatedFile::Append(uint64_t offset, std::span<const std::byte> word, StoreKind kind,
                           uint64_t sequence) {
  Version version{};
  version.sequence = sequence;
  std::copy(word.begin(), word.end(), version.bytes.begin());
  version.begin = static_cast<uint16_t>(offset % unit_bytes());
  version.size_bytes = static_cast<uint8_t>(word.size());
  version.cached = kind == StoreKind::kCached;
  Unit& unit = units_[offset / unit_bytes()];
  unit.versions.push_back(version);
  if (kind == StoreKind::kNonTemporal) unit.flushed = unit.versions.size();
}

void SimulatedFile::Flush(uint64_t offset, uint64_t size_bytes) {
  if (size_bytes == 0) return;
  const auto end = units_.upper_bound((offset + size_bytes - 1) / unit_bytes());
  for (auto unit = units_.lower_bound(offset / unit_bytes()); unit != end; ++unit) {
    unit->second.flushed = unit->second.versions.size();
  }
}

void SimulatedFile::Apply(uint64_t unit, std::span<const Version> versions,
                          std::vector<std::byte>& bytes) const {
  for (const Version& version : versions) {
    WriteAt(unit * unit_bytes() + version.begin, std::span(version.bytes).first(version.size_bytes),
            bytes);
  }
}

void SimulatedFile::Persist(uint64_t unit_number, Unit& unit, size_t count) {
  const auto end = unit.versions.begin() + static_cast<ptrdiff_t>(count);
  Apply(unit_number, {unit.versions.begin(), end}, durable_);
  unit.versions.erase(unit.versions.begin(), end);
  unit.flushed -= std::min(unit.flushed, count);
}

void SimulatedFile::Drain() {
  for (auto& [number, unit] : units_) Persist(number, unit, unit.flushed);
  ForgetDurableUnits();
}

void SimulatedFile::PersistCached() {
  for (auto& [number, unit] : units_) {
    const auto end = std::find_if_not(unit.versions.begin(), unit.versions.end(),
                                      [](const Version& version) { return version.cached; });
    Persist(number, unit, static_cast<size_t>(end - unit.versions.begin()));
  }
  ForgetDurableUnits();
}

void SimulatedFile::ForgetDurableUnits() {
  std::erase_if(units_, [](const auto& entry) { return entry.second.versions.empty(); });
}

void SimulatedFile::Sync() {
  sizes_ = {sizes_.back()};
  synced_ = true;
  if (mode_ != PersistenceMode::kPage) return;
  for (auto& [number, unit] : units_) unit.flushed = unit.versions.size();
  Drain();
}

size_t SimulatedFile::SurvivingVersions(const Unit& unit, const CrashChoice& choice) const {
  size_t surviving = choice.stores.Next(unit.versions.size());
  if (mode_ != PersistenceMode::kEadr) return surviving;
  // The deal is about what went past the caches; what is cached goes by its place in the program.
  for (size_t i = 0; i < unit.versions.size(); ++i) {
    const Version& version = unit.versions[i];
    const bool survives =
        version.cached ? version.sequence < choice.first_lost_cached : i < surviving;
    if (!survives) return i;
  }
  return unit.versions.size();
}

std::shared_ptr<SimulatedFile> SimulatedFile::AfterCrash(CrashChoice choice) const {
  std::vector<std::byte> bytes = durable_;
  for (const auto& [number, unit] : units_) {
    const size_t surviving = SurvivingVersions(unit, choice);
    Apply(number, std::span(unit.versions).first(surviving), bytes);
  }
  const uint64_t size_bytes = sizes_[choice.metadata.Next(sizes_.size() - 1)];
  if (!synced_ && choice.extents_lost) bytes.clear();
  return std::make_shared<SimulatedFile>(mode_, std::move(bytes), size_bytes);
}

}  // namespace pmdex
