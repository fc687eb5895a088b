#include "engine/live/live_index.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/exhaustion.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

// So many documents are in a segment sooner if their memtable is written to the medium, because a
// segment in DRAM needs another memtable.
constexpr uint64_t kManyUnfrozen = 8192;

// With so many segments in DRAM, those who take snapshots help with merging: they merge a few
// documents, beside a merge of many, which may take a tenth of a second. With too many segments
// they wait for it.
constexpr size_t kMostDramSegments = 64;
constexpr size_t kTooManyDramSegments = 256;
constexpr uint64_t kFewDocuments = 512;
// A memtable counts tokens in 32 bits, and each takes a byte or more.
constexpr size_t kMostMemory = size_t{2} << 30;

absl::Status UnfinishedBuild(const Directory& directory) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("a build is unfinished in ", directory.path(),
                                 " (hint: pmdex index with --resume finishes it)"));
}

// The property of the manifest with the term of the last LiveIndex.
constexpr char kTermProperty[] = "live_term";

absl::StatusOr<uint64_t> NumberOf(const std::map<std::string, std::string>& properties,
                                  const std::string& name) {
  const auto found = properties.find(name);
  if (found == properties.end()) return uint64_t{0};
  uint64_t number = 0;
  if (!absl::SimpleAtoi(found->second, &number)) {
    return DataLoss(
        absl::StrCat("the property ", name, " of the index is no number: ", found->second));
  }
  return number;
}

}  // namespace

absl::StatusOr<LiveIndex::OpenedWriter> LiveIndex::OpenWriter(Directory& directory,
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
  if (is_new && !options.custom.name.empty()) {
    writer->SetProperty(kCustomAnalyzerProperty, options.custom.name);
  }
  if (is_new) {
    for (const auto& [key, value] : options.properties) writer->SetProperty(key, value);
  }
  const auto& properties = writer->next_properties();
  PMDEX_ASSIGN_OR_RETURN(const uint64_t last_term, NumberOf(properties, kTermProperty));
  PMDEX_ASSIGN_OR_RETURN(const uint64_t last_next, NumberOf(properties, kNextWriteProperty));
  const auto& history = options.history;
  if (history != nullptr && history->IsOf(writer->published().generation, last_term)) {
    return OpenedWriter{std::move(writer), history->opened, history->next, history};
  }
  // Durable before the first write, so that no write of a later LiveIndex has the same sequence.
  writer->SetProperty(kTermProperty, absl::StrCat(last_term + 1));
  PMDEX_RETURN_IF_ERROR(writer->Publish());
  return OpenedWriter{
      std::move(writer), {last_term + 1, last_next}, last_next + (is_new ? 0 : 1), nullptr};
}

absl::StatusOr<std::unique_ptr<LiveIndex>> LiveIndex::Open(Directory& directory,
                                                           const LiveOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(OpenedWriter opened, OpenWriter(directory, options));
  PMDEX_ASSIGN_OR_RETURN(const auto published,
                         Snapshot::Open(directory, {nullptr, options.custom.name}));
  if (!published->quarantined().empty()) return published->quarantined().front().reason;
  // Where a copy answers for a segment, its deletions must still be written beside the segment.
  for (const QuarantinedSegment& segment : published->replaced()) {
    PMDEX_RETURN_IF_ERROR(opened.writer->Delete(segment.id, {}).status());
  }
  auto index = std::unique_ptr<LiveIndex>(new LiveIndex(std::move(opened), published, options));
  PMDEX_RETURN_IF_ERROR(index->Start());
  return index;
}

LiveIndex::LiveIndex(OpenedWriter opened, const std::shared_ptr<const Snapshot>& published,
                     const LiveOptions& options)
    : settings_(published->settings()),
      memory_budget_bytes_(std::min(options.memory_budget_bytes, kMostMemory)),
      opened_(opened.opened),
      history_(std::move(opened.history)),
      builder_(settings_, {published->field_names().begin(), published->field_names().end()},
               options.custom.make),
      writer_(std::move(opened.writer)),
      durable_(opened.next),
      gathered_begin_(published->doc_count()),
      fields_(published->manifest().fields),
      next_(opened.next),
      documents_(published->doc_count()),
      written_(published->doc_count()),
      barrier_(published->doc_count()),
      frozen_(published->doc_count()),
      shown_(opened.next) {
  MutexLock lock(&mutex_);
  for (size_t i = 0; i < published->segments().size(); ++i) {
    // The snapshot owns the live documents.
    medium_.Append({published->doc_base(i),
                    published->listed(i).id,
                    published->segments()[i],
                    {published, published->live_docs(i)},
                    nullptr});
  }
  UpdateSnapshot(shown_);
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
  {
    MutexLock lock(&mutex_);
    has_readers_ = true;
    if (shown_ == next_) return snapshot_;
    wanted = next_;
  }
  PMDEX_RETURN_IF_ERROR(ShowWrites(wanted));
  MutexLock lock(&mutex_);
  return snapshot_;
}

absl::Status LiveIndex::ShowWrites(uint64_t wanted) {
  bool are_many = false;
  size_t dram_segments = 0;
  {
    MutexLock lock(&mutex_);
    if (shown_ >= wanted) return absl::OkStatus();
    dram_segments = dram_.segments().size();
    are_many = HasManyUnfrozenLocked();
  }
  if (are_many) {  // if this fails, a segment in DRAM does as well
    MutexLock committing(&commit_mutex_);
    // Another thread may have written them meanwhile.
    if (HasManyUnfrozen()) WriteDocuments().status().IgnoreError();
  }
  if (dram_segments >= kTooManyDramSegments) {
    MergeSegments().status().IgnoreError();
  } else if (dram_segments >= kMostDramSegments) {
    MergeFew().status().IgnoreError();
  }
  MutexLock freezing(&freeze_mutex_);
  while (true) {
    {
      MutexLock lock(&mutex_);
      if (shown_ >= wanted) {
        if (dram_.segments().size() >= DramSegments::kMergedAtOnce) CallWorker();
        return absl::OkStatus();
      }
    }
    PMDEX_RETURN_IF_ERROR(FreezeSome());
  }
}

absl::Status LiveIndex::FreezeSome() {
  DramSegment frozen;
  uint64_t until = 0;  // the writes below it add documents before frozen.end only
  std::vector<AddedDocumentPointer> documents;
  {
    MutexLock lock(&mutex_);
    frozen.begin = frozen_;
    frozen.end = documents_.end();
    until = next_;
    if (frozen.begin < barrier_ && barrier_ < frozen.end) {
      frozen.end = barrier_;
      until = barrier_write_;
    }
    if (frozen.begin == frozen.end) {  // there may be deletions
      if (shown_ < until) UpdateSnapshot(until);
      return absl::OkStatus();
    }
    documents = documents_.Range(frozen.begin, frozen.end);
  }
  PMDEX_ASSIGN_OR_RETURN(frozen.segment, builder_.Build(documents));
  MutexLock lock(&mutex_);
  if (frozen.end <= written_) return absl::OkStatus();  // a segment on the medium has them by now
  frozen_ = frozen.end;
  until = std::max(until, shown_);
  frozen.live_docs = documents_.LiveDocsOf(frozen.begin, frozen.end, until);
  dram_.Append(std::move(frozen));
  UpdateSnapshot(until);
  return absl::OkStatus();
}

absl::StatusOr<bool> LiveIndex::MergeSegments() {
  MutexLock merging(&merge_mutex_);
  std::optional<DocumentRange> range;
  {
    MutexLock lock(&mutex_);
    range = dram_.ChooseMerge({.barrier = barrier_});
    if (!range.has_value()) return false;
    merging_ = *range;
  }
  const absl::Status status = CatchOutOfMemory([&] { return MergeRange(*range); });
  MutexLock lock(&mutex_);
  merging_ = {};
  PMDEX_RETURN_IF_ERROR(status);
  return true;
}

absl::StatusOr<bool> LiveIndex::MergeFew() {
  MutexLock merging(&few_mutex_);
  std::optional<DocumentRange> range;
  {
    MutexLock lock(&mutex_);
    if (dram_.segments().empty()) return false;
    // Segments as large as the last one can always be merged, however many documents they have.
    const DramSegment& last = dram_.segments().back();
    const uint64_t few =
        std::max(kFewDocuments, 2 * DramSegments::kMergedAtOnce * (last.end - last.begin));
    range = dram_.ChooseMerge({.barrier = barrier_, .most_documents = few, .left_out = merging_});
  }
  if (!range.has_value()) return false;
  PMDEX_RETURN_IF_ERROR(MergeRange(*range));
  return true;
}

absl::Status LiveIndex::MergeRange(const DocumentRange& range) {
  DramSegment merged;
  merged.begin = range.begin;
  merged.end = range.end;
  std::vector<AddedDocumentPointer> documents;
  {
    MutexLock lock(&mutex_);
    if (range.begin < written_) return absl::OkStatus();  // they are on the medium by now
    documents = documents_.Range(range.begin, range.end);
  }
  PMDEX_ASSIGN_OR_RETURN(merged.segment, builder_.Build(documents));
  MutexLock lock(&mutex_);
  if (range.begin < written_) return absl::OkStatus();
  // Documents may have been deleted while the segment was built.
  merged.live_docs = documents_.LiveDocsOf(merged.begin, merged.end, shown_);
  if (dram_.Replace(merged)) UpdateSnapshot(shown_);
  return absl::OkStatus();
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

void LiveIndex::UpdateSnapshot(uint64_t until) {
  shown_ = std::max(shown_, until);
  const std::vector<uint64_t> deleted = deletions_.Show(shown_);
  medium_.Delete(deleted);
  dram_.Delete(deleted);
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const LiveDocs>> live_docs;
  for (const MediumSegment& written : medium_.segments()) {
    segments.push_back(written.segment);
    live_docs.push_back(written.live_docs);
  }
  for (const DramSegment& frozen : dram_.segments()) {
    segments.push_back(frozen.segment);
    live_docs.push_back(frozen.live_docs);
  }
  snapshot_ = Snapshot::Of(settings_, std::move(segments), std::move(live_docs));
}

size_t LiveIndex::MemoryBytes() const {
  return documents_.memory_bytes() + gathered_bytes_ + dram_.memory_bytes();
}

}  // namespace pmdex
