#include "tools/server/writing/writable_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/store/merging/paced_directory.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/writing/document_writer.h"
#include "tools/server/writing/merge_errors.h"
#include "tools/server/writing/source_keys.h"

namespace pmdex {
namespace {

// Segments are merged when there are more than kManySegments and one for so many documents. A merge
// keeps writers waiting, so that it is not to be long.
constexpr uint64_t kManySegments = 48;
constexpr uint64_t kDocumentsPerSegment = 100'000;
// No merge begins before requests have ceased to write for so long, unless there are so many times
// as many segments.
constexpr std::chrono::seconds kWritingPause{2};
constexpr uint64_t kTimesWhileWriting = 3;
constexpr uint64_t kMostMergedBytes = uint64_t{256} << 20;

// Documents that keep their sequence numbers over a merge. If more were written since the index was
// opened, all get others: of a new term, so that no old condition holds for them.
constexpr size_t kMostKeptSequences = size_t{1} << 20;

// Each state of an index that is served has another one.
uint64_t NextEdition() {
  static std::atomic<uint64_t> edition{0};
  return ++edition;
}

}  // namespace

class WritableIndex::Use {
 public:
  explicit Use(WritableIndex& index)
      : index_(index), state_(index.ReopenIfLost(WaitBound::kMostWaiting)) {
    if (!state_.ok()) return;
    MutexLock lock(&index_.use_mutex_);
    state_ = index_.AwaitNotAlone(WaitBound::kMostWaiting);
    state_.Update(index_.state_);
    if (state_.ok()) ++index_.uses_;
  }
  ~Use() {
    if (!state_.ok()) return;
    MutexLock lock(&index_.use_mutex_);
    --index_.uses_;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  // Not OK: the index must not be used.
  const absl::Status& state() const { return state_; }

 private:
  WritableIndex& index_;
  absl::Status state_;
};

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndex::Open(std::string name,
                                                                   const std::string& directory,
                                                                   Publish publish,
                                                                   MergeLimits limits) {
  std::shared_ptr<WritableIndex> index(
      new WritableIndex(std::move(name), directory, std::move(publish), std::move(limits)));
  PMDEX_RETURN_IF_ERROR(index->Start({}));
  return index;
}

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndex::Create(
    std::string name, const std::string& directory, const IndexDefinition& definition,
    Publish publish, MergeLimits limits) {
  std::shared_ptr<WritableIndex> index(
      new WritableIndex(std::move(name), directory, std::move(publish), std::move(limits)));
  LiveOptions options;
  options.create = true;
  options.settings = definition.SettingsOfIndex();
  PMDEX_ASSIGN_OR_RETURN(options.properties[kDefinitionProperty], definition.TextToKeep());
  PMDEX_RETURN_IF_ERROR(index->Start(options));
  return index;
}

WritableIndex::~WritableIndex() = default;

absl::Status WritableIndex::Start(const LiveOptions& options) {
  FileDirectoryOptions directory;
  directory.create = options.create;
  PMDEX_ASSIGN_OR_RETURN(directory_, OpenFileDirectory(path_, directory));
  if (options.create && !absl::IsNotFound(LoadNewestManifest(*directory_, nullptr).status())) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is an index in ", path_));
  }
  PMDEX_RETURN_IF_ERROR(OpenLive(options));
  analyzers_ = std::make_shared<AnalyzerPool>(live_->settings().analyzer);
  return Refresh();
}

absl::Status WritableIndex::OpenLive(const LiveOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<LiveIndex> live, LiveIndex::Open(*directory_, options));
  PMDEX_ASSIGN_OR_RETURN(const Manifest manifest, LoadNewestManifest(*directory_, nullptr));
  auto definition = std::make_shared<IndexDefinition>();
  const auto property = manifest.properties.find(kDefinitionProperty);
  if (property != manifest.properties.end()) {
    PMDEX_ASSIGN_OR_RETURN(*definition, IndexDefinition::FromText(property->second));
  }
  definition->AddFound(manifest.fields);
  {
    MutexLock lock(&use_mutex_);
    live_.swap(live);  // readers may still have the one before
  }
  MutexLock lock(&write_mutex_);
  definition_ = std::move(definition);
  served_ = {};
  return absl::OkStatus();
}

void WritableIndex::NoteWrites() {
  const auto interval = definition_->refresh_interval();
  if (!interval.has_value()) return;
  const int64_t due = (Clock::now() + *interval).time_since_epoch().count();
  refresh_due_ = std::min(refresh_due_.load(), due);
}

absl::StatusOr<std::vector<WriteOutcome>> WritableIndex::Write(
    const std::vector<WriteOperation>& operations, bool refresh) {
  const Use use(*this);
  PMDEX_RETURN_IF_ERROR(use.state());
  std::vector<PreparedDocument> prepared;
  prepared.reserve(operations.size());
  std::vector<std::optional<WriteOutcome>> refused;
  SourceReader reader;
  for (const WriteOperation& operation : operations) {
    prepared.push_back(Prepare(operation, reader));
    refused.push_back(RefuseKeys(operation));
  }
  std::vector<WriteOutcome> outcomes;
  outcomes.reserve(operations.size());
  {
    MutexLock lock(&write_mutex_);
    DocumentWriter writer(*live_, versions_, definition_);
    for (size_t i = 0; i < operations.size(); ++i) {
      outcomes.push_back(refused[i].has_value()
                             ? *std::move(refused[i])
                             : writer.Write(operations[i], std::move(prepared[i])));
    }
    if (writer.definition() != definition_) PublishDefinition(writer.definition());
  }
  PMDEX_RETURN_IF_ERROR(live_->Commit());
  const absl::Status missing_copies = live_->missing_copies();
  MutexLock lock(&write_mutex_);
  // Once for each reason, and not for each request.
  if (missing_copies_ != missing_copies) WarnMissingCopies(missing_copies);
  missing_copies_ = missing_copies;
  last_write_ = Clock::now();
  NoteWrites();
  if (refresh) RefreshLocked();
  return outcomes;
}

absl::Status WritableIndex::Refresh() {
  const Use use(*this);
  PMDEX_RETURN_IF_ERROR(use.state());
  MutexLock lock(&write_mutex_);
  RefreshLocked();
  return absl::OkStatus();
}

absl::Status WritableIndex::RefreshUnlessMerged() {
  bool is_lost = false;
  {
    MutexLock lock(&use_mutex_);
    if (is_alone_) {
      return MakeStatus(absl::StatusCode::kUnavailable,
                        absl::StrCat("the index ", name_, " is being merged"));
    }
    is_lost = !state_.ok();
    if (!is_lost) ++uses_;
  }
  if (is_lost) return Refresh();  // opens it again
  {
    MutexLock lock(&write_mutex_);
    RefreshLocked();
  }
  MutexLock lock(&use_mutex_);
  --uses_;
  return absl::OkStatus();
}

// What was acknowledged is durable, so that no segment in DRAM has to be made of it.
void WritableIndex::RefreshLocked() {
  ShownWrites newest = live_->NewestSnapshot();
  refresh_due_ = kNever;
  if (newest.snapshot == served_.snapshot) return;
  served_ = std::move(newest);
  publish_(Serve());
}

void WritableIndex::PublishDefinition(std::shared_ptr<const IndexDefinition> definition) {
  definition_ = std::move(definition);
  if (served_.snapshot != nullptr) publish_(Serve());
}

std::shared_ptr<const ServedIndex> WritableIndex::Serve() {
  auto index = std::make_shared<ServedIndex>();
  index->name = name_;
  index->directory = path_;
  index->searcher = std::make_shared<const Searcher>(served_.snapshot, analyzers_);
  index->written = shared_from_this();
  index->definition = definition_;
  index->writes_end = served_.end;
  index->edition = NextEdition();
  return index;
}

std::optional<WritableIndex::Clock::time_point> WritableIndex::refresh_due() const {
  const int64_t due = refresh_due_;
  if (due == kNever) return std::nullopt;
  return Clock::time_point(Clock::duration(due));
}

std::shared_ptr<LiveIndex> WritableIndex::live() {
  MutexLock lock(&use_mutex_);
  return live_;
}

absl::StatusOr<std::optional<NewestDocument>> WritableIndex::FindNewest(std::string_view id) {
  std::shared_ptr<LiveIndex> live;
  {
    MutexLock lock(&use_mutex_);
    if (is_closed_) PMDEX_RETURN_IF_ERROR(state_);
    live = live_;  // also where it could not be opened after a change: it still has its documents
  }
  PMDEX_ASSIGN_OR_RETURN(auto found, live->FindDocument(id));
  std::optional<NewestDocument> newest;
  if (found.has_value()) newest = NewestDocument{*std::move(found), versions_.Of(id)};
  return newest;
}

absl::Status WritableIndex::AwaitNotAlone(WaitBound bound) {
  if (!is_alone_) return absl::OkStatus();
  const bool is_bounded = bound == WaitBound::kMostWaiting;
  const MergeWaiters::Place of_index(is_bounded ? &waiters_ : nullptr);
  const MergeWaiters::Place of_all(is_bounded ? limits_.waiters.get() : nullptr);
  if (!of_index.has_place() || !of_all.has_place()) return TooManyWait(name_);
  use_mutex_.Await(this, &WritableIndex::IsNotAlone);
  return absl::OkStatus();
}

absl::Status WritableIndex::BeginAlone() {
  MutexLock lock(&use_mutex_);
  PMDEX_RETURN_IF_ERROR(AwaitNotAlone(WaitBound::kNone));
  PMDEX_RETURN_IF_ERROR(state_);
  is_alone_ = true;
  use_mutex_.Await(this, &WritableIndex::IsUnused);
  return absl::OkStatus();
}

void WritableIndex::EndAlone(absl::Status state) {
  MutexLock lock(&use_mutex_);
  is_alone_ = false;
  state_ = std::move(state);
}

absl::Status WritableIndex::ReopenIfLost(WaitBound bound) {
  {
    MutexLock lock(&use_mutex_);
    PMDEX_RETURN_IF_ERROR(AwaitNotAlone(bound));
    if (state_.ok() || is_closed_) return absl::OkStatus();
    is_alone_ = true;  // nobody uses it while its state is not OK
  }
  EndAlone(OpenLive({}));
  return absl::OkStatus();
}

absl::Status WritableIndex::ChangeAlone(Directory& directory,
                                        const std::function<absl::Status(IndexWriter&)>& change) {
  PMDEX_RETURN_IF_ERROR(ReopenIfLost(WaitBound::kNone));
  PMDEX_RETURN_IF_ERROR(BeginAlone());
  if (absl::Status committed = live_->Commit(); !committed.ok()) {
    EndAlone(absl::OkStatus());
    return committed;
  }
  const IndexSettings settings = live_->settings();
  LiveOptions options;
  const std::shared_ptr<WriteHistory> history = live_->History(kMostKeptSequences);
  live_->EndWriting();  // documents can still be read
  absl::Status changed;
  {
    auto writer = IndexWriter::Open(directory, OpenMode::kAppend, settings);
    const bool is_same = history != nullptr && writer.ok() &&
                         (*writer)->published().generation == history->generation;
    changed = writer.ok() ? change(**writer) : writer.status();
    if (is_same) {
      history->generation = (*writer)->published().generation;
      options.history = history;
    }
  }
  const absl::Status opened = OpenLive(options);
  if (opened.ok()) {
    MutexLock lock(&write_mutex_);
    RefreshLocked();
  }
  // Last, as who closes the index may go on now.
  EndAlone(opened);
  PMDEX_RETURN_IF_ERROR(opened);
  return changed;
}

absl::Status WritableIndex::MergeIn(Directory& directory, MergeIndexOptions options) {
  options.request.stop = [this, asked = std::move(options.request.stop)] {
    return stop_merges_.IsSet() || (asked && asked());
  };
  return ChangeAlone(directory, [&](IndexWriter& writer) -> absl::Status {
    PMDEX_ASSIGN_OR_RETURN(const MergeReport report, MergeIndex(directory, writer, options));
    return report.is_stopped ? MergeStopped(name_) : absl::OkStatus();
  });
}

absl::Status WritableIndex::Merge(const MergeIndexOptions& options) {
  const MergeWaiters::Place place(limits_.waiters.get());
  if (!place.has_place()) return TooManyWait(name_);
  return MergeIn(*directory_, options);
}

absl::Status WritableIndex::MergeInBackground(MergeIndexOptions options) {
  const uint64_t rate = limits_.background_bytes_per_second;
  if (rate == 0) return MergeIn(*directory_, std::move(options));
  const auto paced = NewPacedDirectory(
      *directory_, std::make_shared<Pacer>(rate, [this] { return stop_merges_.IsSet(); }));
  return MergeIn(*paced, std::move(options));
}

absl::StatusOr<std::optional<WritableIndex::Clock::time_point>> WritableIndex::MergeIfManySegments(
    Clock::time_point now) {
  const std::optional<Clock::time_point> never;
  std::shared_ptr<const LiveIndex> written = live();
  if (written == nullptr) return never;  // the index is closed
  {
    // Searches may not be shown it for long, or never (refresh_interval).
    const std::shared_ptr<const Snapshot> newest = written->NewestSnapshot().snapshot;
    MutexLock lock(&write_mutex_);
    // The ids of all documents are read anew after a merge, so that larger indexes merge later.
    const uint64_t many = kManySegments + newest->doc_count() / kDocumentsPerSegment;
    // What the merge before has left is not merged again and again.
    const uint64_t most = std::max(many, segments_after_merge_ + kManySegments / 2);
    const uint64_t count = newest->segments().size();
    if (count <= most) return never;
    const Clock::time_point pause_end = last_write_ + kWritingPause;
    if (now < pause_end && count <= kTimesWhileWriting * most) return std::optional(pause_end);
  }
  MergeIndexOptions options;
  options.policy.max_merged_bytes = kMostMergedBytes;
  if (const auto free = directory_->FreeBytes(); free.ok()) options.policy.free_bytes = *free;
  written = nullptr;  // it is replaced
  const absl::Status merged = MergeInBackground(std::move(options));
  written = live();
  const uint64_t left =
      written == nullptr ? 0 : written->NewestSnapshot().snapshot->segments().size();
  MutexLock lock(&write_mutex_);
  segments_after_merge_ = left;
  if (!merged.ok()) return merged;
  return never;
}

absl::Status WritableIndex::AddMappings(const Json& mappings) {
  const Use use(*this);
  PMDEX_RETURN_IF_ERROR(use.state());
  {
    MutexLock lock(&write_mutex_);
    auto next = std::make_shared<IndexDefinition>(*definition_);
    PMDEX_RETURN_IF_ERROR(next->AddMappings(mappings, live_->settings().analyzer));
    PMDEX_ASSIGN_OR_RETURN(std::string text, next->TextToKeep());
    live_->SetProperty(kDefinitionProperty, std::move(text));
    PublishDefinition(std::move(next));
  }
  return live_->Commit();
}

void WritableIndex::Close() {
  stop_merges_.Set();
  {
    MutexLock lock(&use_mutex_);
    is_closed_ = true;
    if (!state_.ok()) state_ = IndexNotFound(name_);
  }
  if (!BeginAlone().ok()) return;
  live_->EndWriting();
  EndAlone(IndexNotFound(name_));
  MutexLock lock(&use_mutex_);
  live_.reset();
}

}  // namespace pmdex
