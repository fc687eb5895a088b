#include "engine/live/live_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/thread.h"

namespace pmdex {
namespace {

// While snapshots are taken, so many documents without a segment become one before the next
// snapshot, so that taking it does not take long.
constexpr uint64_t kMostUnfrozen = 256;
// So many documents are in a segment sooner if their memtable is written to the medium, because a
// segment in DRAM needs another memtable.
constexpr uint64_t kManyUnfrozen = 8192;

// With so many segments in DRAM, those who take snapshots help with merging.
constexpr size_t kMostDramSegments = 64;
// A memtable counts tokens in 32 bits, and each takes a byte or more.
constexpr size_t kMostMemory = size_t{2} << 30;

absl::Status UnfinishedBuild(const Directory& directory) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("a build is unfinished in ", directory.path(),
                                 " (hint: pmdex index with --resume finishes it)"));
}

absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriter(Directory& directory,
                                                        const LiveOptions& options) {
  const absl::StatusOr<Manifest> newest = LoadNewestManifest(directory, nullptr);
  const bool is_new = absl::IsNotFound(newest.status());
  if (!is_new && !newest.ok()) return newest.status();
  if (is_new && !options.create) return newest.status();
  if (!is_new && newest->pending.has_value()) return UnfinishedBuild(directory);
  const IndexSettings settings =
      options.settings.value_or(is_new ? IndexSettings{} : newest->settings);
  PMDEX_ASSIGN_OR_RETURN(
      auto writer,
      IndexWriter::Open(directory, is_new ? OpenMode::kCreate : OpenMode::kAppend, settings));
  if (writer->dropped().has_value()) return UnfinishedBuild(directory);
  if (is_new) {
    if (!options.custom.name.empty()) {
      writer->SetProperty(kCustomAnalyzerProperty, options.custom.name);
    }
    PMDEX_RETURN_IF_ERROR(writer->Publish());
  }
  return writer;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LiveIndex>> LiveIndex::Open(Directory& directory,
                                                           const LiveOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(auto writer, OpenWriter(directory, options));
  PMDEX_ASSIGN_OR_RETURN(const auto published,
                         Snapshot::Open(directory, {nullptr, options.custom.name}));
  if (!published->quarantined().empty()) return published->quarantined().front().reason;
  auto index = std::unique_ptr<LiveIndex>(new LiveIndex(std::move(writer), published, options));
  PMDEX_RETURN_IF_ERROR(index->Start());
  return index;
}

LiveIndex::LiveIndex(std::unique_ptr<IndexWriter> writer,
                     const std::shared_ptr<const Snapshot>& published, const LiveOptions& options)
    : settings_(published->settings()),
      memory_budget_bytes_(std::min(options.memory_budget_bytes, kMostMemory)),
      builder_(settings_, {published->field_names().begin(), published->field_names().end()},
               options.custom.make),
      writer_(std::move(writer)),
      fields_(published->manifest().fields),
      segments_(published->segments().begin(), published->segments().end()) {
  MutexLock lock(&mutex_);
  for (size_t i = 0; i < segments_.size(); ++i) {
    live_docs_.emplace_back(published, published->live_docs(i));  // the snapshot owns them
  }
  UpdateSnapshot();
}

absl::Status LiveIndex::Start() {
  PMDEX_ASSIGN_OR_RETURN(worker_, StartThread([this] { Work(); }));
  return absl::OkStatus();
}

LiveIndex::~LiveIndex() {
  {
    MutexLock lock(&work_mutex_);
    stop_ = true;
  }
  if (worker_.joinable()) worker_.join();
}

absl::Status LiveIndex::Add(AddedDocument document) {
  PMDEX_RETURN_IF_ERROR(CheckAddedDocument(document));
  PMDEX_RETURN_IF_ERROR(MakeRoom());
  const auto kept = std::make_shared<const AddedDocument>(std::move(document));
  bool has_work = false;
  {
    MutexLock adding(&add_mutex_);
    PMDEX_RETURN_IF_ERROR(AddFields(*kept, fields_));
    if (gathered_ == nullptr) gathered_ = builder_.NewMemtable();
    AddToMemtable(*kept, **gathered_);
    MutexLock lock(&mutex_);
    documents_.Append(kept);
    gathered_bytes_ = (*gathered_)->memory_bytes();
    has_work = has_readers_ && documents_.end() - frozen_ == kMostUnfrozen;
  }
  if (has_work) CallWorker();
  return absl::OkStatus();
}

absl::Status LiveIndex::MakeRoom() {
  {
    MutexLock lock(&mutex_);
    if (MemoryBytes() < memory_budget_bytes_) return absl::OkStatus();
  }
  MutexLock committing(&commit_mutex_);
  {
    MutexLock lock(&mutex_);  // another thread may have written them meanwhile
    if (MemoryBytes() < memory_budget_bytes_) return absl::OkStatus();
  }
  return WriteDocuments().status();
}

bool LiveIndex::HasManyUnfrozenLocked() const {
  return documents_.end() - frozen_ >= kManyUnfrozen;
}

bool LiveIndex::HasManyUnfrozen() const {
  MutexLock lock(&mutex_);
  return HasManyUnfrozenLocked();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> LiveIndex::TakeSnapshot() {
  uint64_t wanted = 0;
  bool are_many = false;
  bool is_merging_late = false;
  {
    MutexLock lock(&mutex_);
    has_readers_ = true;
    if (frozen_ == documents_.end()) return snapshot_;
    is_merging_late = dram_.segments().size() >= kMostDramSegments;
    wanted = documents_.end();
    are_many = HasManyUnfrozenLocked();
  }
  if (are_many) {  // if this fails, a segment in DRAM does as well
    MutexLock committing(&commit_mutex_);
    // Another thread may have written them meanwhile.
    if (HasManyUnfrozen()) WriteDocuments().status().IgnoreError();
  }
  if (is_merging_late) MergeSegments().status().IgnoreError();
  MutexLock freezing(&freeze_mutex_);
  while (true) {
    {
      MutexLock lock(&mutex_);
      if (frozen_ >= wanted) {
        if (dram_.segments().size() >= DramSegments::kMergedAtOnce) CallWorker();
        return snapshot_;
      }
    }
    PMDEX_RETURN_IF_ERROR(FreezeSome());
  }
}

absl::Status LiveIndex::FreezeSome() {
  DramSegment frozen;
  std::vector<AddedDocumentPointer> documents;
  {
    MutexLock lock(&mutex_);
    frozen.begin = frozen_;
    frozen.end = documents_.end();
    if (frozen.begin < barrier_) frozen.end = std::min(frozen.end, barrier_);
    if (frozen.begin == frozen.end) return absl::OkStatus();
    documents = documents_.Range(frozen.begin, frozen.end);
  }
  PMDEX_ASSIGN_OR_RETURN(frozen.segment, builder_.Build(documents));
  MutexLock lock(&mutex_);
  if (frozen.end <= written_) return absl::OkStatus();  // a segment on the medium has them by now
  frozen_ = frozen.end;
  dram_.Append(std::move(frozen));
  UpdateSnapshot();
  return absl::OkStatus();
}

absl::StatusOr<bool> LiveIndex::MergeSegments() {
  MutexLock merging(&merge_mutex_);
  DramSegment merged;
  std::vector<AddedDocumentPointer> documents;
  {
    MutexLock lock(&mutex_);
    const std::optional<DocumentRange> range = dram_.ChooseMerge(barrier_);
    if (!range.has_value()) return false;
    merged.begin = range->begin;
    merged.end = range->end;
    documents = documents_.Range(range->begin, range->end);
  }
  PMDEX_ASSIGN_OR_RETURN(merged.segment, builder_.Build(documents));
  MutexLock lock(&mutex_);
  if (dram_.Replace(merged)) UpdateSnapshot();
  return true;
}

void LiveIndex::CallWorker() {
  MutexLock lock(&work_mutex_);
  work_ = true;
}

// An error, such as a lack of memory, is met again by those who need what it prevents.
void LiveIndex::Work() {
  while (true) {
    {
      MutexLock lock(&work_mutex_);
      work_mutex_.Await(this, &LiveIndex::HasWork);
      if (stop_) return;
      work_ = false;
    }
    {
      MutexLock freezing(&freeze_mutex_);
      FreezeSome().IgnoreError();
    }
    while (true) {
      const absl::StatusOr<bool> merged = MergeSegments();
      if (!merged.ok() || !*merged) break;
    }
  }
}

void LiveIndex::UpdateSnapshot() {
  std::vector<std::shared_ptr<const Segment>> segments = segments_;
  for (const DramSegment& frozen : dram_.segments()) segments.push_back(frozen.segment);
  snapshot_ = Snapshot::Of(settings_, std::move(segments), live_docs_);
}

size_t LiveIndex::MemoryBytes() const {
  return documents_.memory_bytes() + gathered_bytes_ + dram_.memory_bytes();
}

size_t LiveIndex::dram_segment_count() const {
  MutexLock lock(&mutex_);
  return dram_.segments().size();
}

size_t LiveIndex::memory_bytes() const {
  MutexLock lock(&mutex_);
  return MemoryBytes();
}

}  // namespace pmdex
