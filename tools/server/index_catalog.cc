#include "tools/server/index_catalog.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/command.h"

namespace pmdex {
namespace {

using CatalogClock = std::chrono::steady_clock;

double SecondsSince(CatalogClock::time_point start) {
  return std::chrono::duration<double>(CatalogClock::now() - start).count();
}

uint64_t BytesOf(const Snapshot& snapshot) {
  uint64_t bytes = 0;
  for (const auto& segment : snapshot.segments()) bytes += segment->file_bytes();
  return bytes;
}

// Mapping a whole index that memory cannot hold would drive out pages that are in use.
bool FitsInMemory(const Snapshot& snapshot) {
  struct sysinfo info = {};
  if (sysinfo(&info) != 0) return false;
  return BytesOf(snapshot) < uint64_t{info.totalram} * info.mem_unit / 2;
}

void AddCounts(const std::map<uint64_t, uint64_t>& counts, std::map<uint64_t, uint64_t>& sums) {
  for (const auto& [id, count] : counts) sums[id] += count;
}

// True if readers of the newest generation find what they find in this snapshot. A build that is
// not finished writes manifests as it goes, which differ only in what nobody sees yet. Where
// segments are missing, any change is a reason to try again.
bool ShowsTheSame(Manifest newest, const Snapshot& present) {
  const Manifest& manifest = present.manifest();
  if (present.quarantined().empty()) {
    newest.generation = manifest.generation;
    newest.next_segment_id = manifest.next_segment_id;
    newest.pending = manifest.pending;
  }
  return EncodeManifest(newest) == EncodeManifest(manifest);
}

bool Has(const Snapshot& snapshot, const std::shared_ptr<const Segment>& segment) {
  const auto segments = snapshot.segments();
  return std::find(segments.begin(), segments.end(), segment) != segments.end();
}

// A segment that cannot be mapped is quarantined by the first query that meets the damage.
void MapPages(const Snapshot& snapshot, const Snapshot* present, bool whole) {
  for (const auto& segment : snapshot.segments()) {
    if (present != nullptr && Has(*present, segment)) continue;
    (void)segment->Checked(segment->Prefault(whole));
  }
}

}  // namespace

absl::StatusOr<IndexSource> ParseIndexSource(std::string_view text) {
  IndexSource source;
  const size_t equals = text.find('=');
  if (equals != text.npos && text.substr(0, equals).find('/') == text.npos) {
    source.name = std::string(text.substr(0, equals));
    source.directory = std::string(text.substr(equals + 1));
  } else {
    source.directory = std::string(text);
    auto path = std::filesystem::path(source.directory).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    source.name = path.filename().string();
    if (source.name.empty() || source.name == "." || source.name == "..") source.name = "index";
  }
  if (source.directory.empty()) return InvalidArgument("--index: the directory is empty");
  constexpr std::string_view kForbidden = " \"*\\<>|,/?#:%";
  if (source.name.empty() || source.name[0] == '_' || source.name[0] == '-' ||
      source.name.find_first_of(kForbidden) != std::string::npos) {
    return InvalidArgument(absl::StrCat("'", source.name,
                                        "' cannot be the name of an index (hint: --index "
                                        "NAME=DIR)"));
  }
  return source;
}

absl::StatusOr<std::unique_ptr<IndexCatalog>> IndexCatalog::Open(std::vector<IndexSource> sources,
                                                                 bool prefault,
                                                                 SnapshotOptions options,
                                                                 std::vector<NumaNode> nodes) {
  std::unique_ptr<IndexCatalog> catalog(new IndexCatalog());
  catalog->sources_ = std::move(sources);
  catalog->prefault_ = prefault;
  catalog->options_ = std::move(options);
  catalog->nodes_ = std::move(nodes);
  ServedIndexes indexes;
  std::vector<IndexHistory> history;
  for (const IndexSource& source : catalog->sources_) {
    const auto start = CatalogClock::now();
    for (const auto& other : indexes) {
      if (other->name != source.name) continue;
      return InvalidArgument(
          absl::StrCat("two indexes have the name '", source.name, "' (hint: --index NAME=DIR)"));
    }
    PMDEX_ASSIGN_OR_RETURN(auto index, catalog->OpenNewest(source, nullptr));
    indexes.push_back(std::move(index));
    history.push_back({SecondsSince(start), 0, 0});
  }
  MutexLock lock(&catalog->mutex_);
  catalog->current_ = std::make_shared<const ServedIndexes>(std::move(indexes));
  catalog->history_ = std::move(history);
  return catalog;
}

std::unique_ptr<IndexCatalog> IndexCatalog::Of(ServedIndexes indexes) {
  std::unique_ptr<IndexCatalog> catalog(new IndexCatalog());
  MutexLock lock(&catalog->mutex_);
  catalog->history_.resize(indexes.size());
  catalog->current_ = std::make_shared<const ServedIndexes>(std::move(indexes));
  return catalog;
}

// present: the generation that answers, or nullptr at the start. Returns nullptr if the newest one
// shows the same. An index that was made anew may have the same number, but not the same
// manifest.
absl::StatusOr<std::shared_ptr<const ServedIndex>> IndexCatalog::OpenNewest(
    const IndexSource& source, const Snapshot* present) const {
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenIndexDirectory(source.directory));
  if (present != nullptr) {
    PMDEX_ASSIGN_OR_RETURN(Manifest newest, LoadNewestManifest(*directory, nullptr));
    if (ShowsTheSame(std::move(newest), *present)) return nullptr;
  }
  PMDEX_ASSIGN_OR_RETURN(auto snapshot, present == nullptr
                                            ? Snapshot::Open(*directory, options_)
                                            : Snapshot::OpenAfter(*present, *directory, options_));
  WarnPassedOver(*snapshot);
  if (prefault_ || present != nullptr)
    MapPages(*snapshot, present, prefault_ || FitsInMemory(*snapshot));
  auto index = std::make_shared<ServedIndex>();
  index->name = source.name;
  index->directory = source.directory;
  if (nodes_.size() > 1) {
    index->nodes = std::make_shared<const SegmentNodes>(
        SegmentNodes::Of(*snapshot, directory->path(), nodes_));
  }
  index->searcher = std::make_shared<const Searcher>(std::move(snapshot));
  return std::shared_ptr<const ServedIndex>(std::move(index));
}

std::shared_ptr<const ServedIndexes> IndexCatalog::Current() const {
  MutexLock lock(&mutex_);
  return current_;
}

IndexCatalog::IndexesWithHistory IndexCatalog::CurrentWithHistory() const {
  MutexLock lock(&mutex_);
  return {current_, history_};
}

void IndexCatalog::Change(std::shared_ptr<const ServedIndexes> next) {
  current_ = std::move(next);
  version_.fetch_add(1, std::memory_order_release);
}

absl::StatusOr<bool> IndexCatalog::Reload(size_t i) {
  const auto start = CatalogClock::now();
  const std::shared_ptr<const ServedIndex> present = (*Current())[i];
  if (present->written != nullptr) return false;
  const Snapshot& old = present->searcher->snapshot();
  auto opened = OpenNewest(sources_[i], &old);
  if (opened.ok() && *opened == nullptr) return false;
  if (opened.ok() && old.quarantined().empty() &&
      !(*opened)->searcher->snapshot().quarantined().empty()) {
    opened =
        DataLoss(absl::StrCat("generation ", (*opened)->searcher->snapshot().manifest().generation,
                              " has damaged or missing segments"));
  }
  MutexLock lock(&mutex_);
  if ((*current_)[i]->written != nullptr) return false;  // since the beginning
  if (!opened.ok()) {
    ++history_[i].failures;
    return opened.status();
  }
  auto next = std::make_shared<ServedIndexes>(*current_);
  (*next)[i] = *std::move(opened);
  ++history_[i].reloads;
  history_[i].open_seconds = SecondsSince(start);
  retired_.push_back(present);
  Change(std::move(next));
  return true;
}

std::shared_ptr<const ServedIndex> IndexCatalog::Find(std::string_view name) const {
  const std::shared_ptr<const ServedIndexes> indexes = Current();
  for (const auto& index : *indexes) {
    if (index->name == name) return index;
  }
  return nullptr;
}

void IndexCatalog::Put(std::shared_ptr<const ServedIndex> index) {
  MutexLock lock(&mutex_);
  auto next = std::make_shared<ServedIndexes>(*current_);
  const auto found = std::find_if(next->begin(), next->end(),
                                  [&](const auto& other) { return other->name == index->name; });
  if (found == next->end()) {
    next->push_back(std::move(index));
    history_.emplace_back();
  } else {
    ++history_[static_cast<size_t>(found - next->begin())].reloads;
    retired_.push_back(std::exchange(*found, std::move(index)));
  }
  Change(std::move(next));
}

void IndexCatalog::Remove(std::string_view name) {
  MutexLock lock(&mutex_);
  for (size_t i = sources_.size(); i < current_->size(); ++i) {
    if ((*current_)[i]->name != name) continue;
    auto next = std::make_shared<ServedIndexes>(*current_);
    retired_.push_back((*next)[i]);
    next->erase(next->begin() + static_cast<std::ptrdiff_t>(i));
    history_.erase(history_.begin() + static_cast<std::ptrdiff_t>(i));
    Change(std::move(next));
    return;
  }
}

void IndexCatalog::DropUnused() {
  // To unmap a file at once would keep the threads waiting that answer.
  const std::shared_ptr<const ServedIndexes> current = Current();
  for (const auto& index : TakeUnused()) {
    for (const auto& segment : index->searcher->snapshot().segments()) {
      const bool is_used = std::any_of(current->begin(), current->end(), [&](const auto& other) {
        return Has(other->searcher->snapshot(), segment);
      });
      if (!is_used) segment->Release();
    }
  }
}

std::vector<std::shared_ptr<const ServedIndex>> IndexCatalog::TakeUnused() {
  std::vector<std::shared_ptr<const ServedIndex>> unused;
  MutexLock lock(&mutex_);
  const auto is_used = [](const auto& index) { return index.use_count() > 1; };
  const auto first_unused = std::partition(retired_.begin(), retired_.end(), is_used);
  std::move(first_unused, retired_.end(), std::back_inserter(unused));
  retired_.erase(first_unused, retired_.end());
  for (const auto& index : unused)
    AddCounts(index->searcher->heat().Take(), old_heat_[index->name]);
  return unused;
}

bool IndexCatalog::has_unused() const {
  MutexLock lock(&mutex_);
  return !retired_.empty();
}

std::map<uint64_t, uint64_t> IndexCatalog::TakeHeat(size_t i) {
  MutexLock lock(&mutex_);
  const ServedIndex& present = *(*current_)[i];
  std::map<uint64_t, uint64_t> heat = std::move(old_heat_[present.name]);
  old_heat_.erase(present.name);
  AddCounts(present.searcher->heat().Take(), heat);
  for (const auto& index : retired_) {
    if (index->name == present.name) AddCounts(index->searcher->heat().Take(), heat);
  }
  return heat;
}

}  // namespace pmdex
