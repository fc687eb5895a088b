#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "engine/analysis/analyzer.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/live/live_index.h"
#include "engine/store/index_writer.h"
#include "engine/store/merging/merge_index.h"
#include "engine/store/merging/paced_directory.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/library/api_status.h"
#include "tools/library/pmdex.h"
#include "tools/library/user_analyzer.h"
#include "tools/library/user_similarity.h"

namespace pmdex {
namespace {

CustomAnalyzer CustomOf(const std::optional<NamedTokenizer>& tokenizer) {
  if (!tokenizer.has_value()) return {};
  return {tokenizer->name, [make = tokenizer->make] { return NewUserAnalyzer(make()); }};
}

CallStatus CheckTokenizer(const std::optional<NamedTokenizer>& tokenizer) {
  if (!tokenizer.has_value() || (!tokenizer->name.empty() && tokenizer->make != nullptr)) return {};
  return {ErrorCode::kInvalidArgument, "a tokenizer needs a name, and a function that makes it"};
}

SearchOptions OptionsOf(const SearchSettings& settings) {
  SearchOptions options;
  options.k = settings.hits;
  if (settings.formula == ScoreFormula::kTfidf) options.similarity = SimilarityKind::kTfidf;
  options.count = settings.count;
  options.snippets = settings.snippets;
  options.deadline = settings.deadline;
  options.threads = std::max<size_t>(1, settings.threads);
  return options;
}

SearchAnswer AnswerOf(const SearchResult& result) {
  SearchAnswer answer;
  answer.total = result.total;
  answer.total_exact = result.total_exact;
  answer.timed_out = result.timed_out;
  for (size_t i = 0; i < result.hits.size(); ++i) {
    SearchHit& hit = answer.hits.emplace_back();
    hit.id = std::string(result.hits[i].id);
    hit.score = result.hits[i].score;
    if (i < result.snippets.size()) hit.snippet = result.snippets[i];
  }
  for (const MissingPart& part : result.missing) {
    answer.missing.push_back(part.file + ": " + part.reason);
  }
  return answer;
}

}  // namespace

class IndexSnapshot::Impl {
 public:
  Impl(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<AnalyzerPool> analyzers)
      : searcher_(std::move(snapshot), std::move(analyzers)) {}
  const Searcher& searcher() const { return searcher_; }

 private:
  const Searcher searcher_;
};

IndexSnapshot::IndexSnapshot(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

CallResult<IndexSnapshot> IndexSnapshot::Open(const std::string& path,
                                              const std::optional<NamedTokenizer>& tokenizer) {
  if (const CallStatus status = CheckTokenizer(tokenizer); !status.ok()) return status;
  auto directory = OpenFileDirectory(path, {});
  if (!directory.ok()) return ToCallStatus(directory.status());
  const CustomAnalyzer custom = CustomOf(tokenizer);
  auto snapshot = pmdex::Snapshot::Open(**directory, {nullptr, custom.name});
  if (!snapshot.ok()) return ToCallStatus(snapshot.status());
  auto pool = std::make_shared<AnalyzerPool>((*snapshot)->settings().analyzer, custom.make);
  return IndexSnapshot(std::make_shared<const Impl>(*std::move(snapshot), std::move(pool)));
}

uint64_t IndexSnapshot::document_count() const {
  return impl_->searcher().snapshot().live_doc_count();
}

CallResult<SearchAnswer> IndexSnapshot::Search(std::string_view query,
                                               const SearchSettings& settings) const {
  SearchOptions options = OptionsOf(settings);
  std::optional<UserSimilarity> similarity;
  if (settings.similarity != nullptr) {
    options.similarity = SimilarityChoice(similarity.emplace(*settings.similarity));
  }
  const auto result = impl_->searcher().Search(query, options);
  if (!result.ok()) return ToCallStatus(result.status());
  return AnswerOf(*result);
}

class Index::Impl {
 public:
  Impl(std::unique_ptr<Directory> directory, std::shared_ptr<LiveIndex> index,
       const LiveOptions& options, uint64_t merge_bytes_per_second)
      : directory_(std::move(directory)),
        options_(options),
        analyzers_(std::make_shared<AnalyzerPool>(index->settings().analyzer, options.custom.make)),
        index_(std::move(index)) {
    if (merge_bytes_per_second == 0) return;
    paced_ = NewPacedDirectory(*directory_, std::make_shared<Pacer>(merge_bytes_per_second, [this] {
      return stop_merges_.IsSet();
    }));
  }

  // The index for a write, which Merge waits for; for a snapshot use index().
  class Writing {
   public:
    explicit Writing(Impl& impl) : lock_(impl.writing_), index_(impl.index()), lost_(impl.lost_) {}
    // An error if the index is closed, or could not be opened after a merge.
    const absl::Status& status() const { return lost_; }
    LiveIndex& operator*() const { return *index_; }
    LiveIndex* operator->() const { return index_.get(); }

   private:
    const std::shared_lock<std::shared_mutex> lock_;
    const std::shared_ptr<LiveIndex> index_;
    const absl::Status lost_;
  };

  std::shared_ptr<LiveIndex> index() {
    MutexLock lock(&mutex_);
    return index_;
  }
  const std::shared_ptr<AnalyzerPool>& analyzers() const { return analyzers_; }

  absl::Status Merge(size_t max_segments) {
    const std::unique_lock<std::shared_mutex> alone(writing_);
    PMDEX_RETURN_IF_ERROR(lost_);
    const std::shared_ptr<LiveIndex> before = index();
    PMDEX_RETURN_IF_ERROR(before->Commit());
    before->EndWriting();
    const absl::Status merged = MergeClosed(before->settings(), max_segments);
    auto opened = LiveIndex::Open(*directory_, options_);
    if (!opened.ok()) return lost_ = opened.status();
    MutexLock lock(&mutex_);
    index_ = *std::move(opened);
    return merged;
  }

  void Close() {
    stop_merges_.Set();
    const std::unique_lock<std::shared_mutex> alone(writing_);
    if (lost_.ok()) index()->EndWriting();
    lost_ = MakeStatus(absl::StatusCode::kFailedPrecondition, "the index is closed");
  }

 private:
  absl::Status MergeClosed(const IndexSettings& settings, size_t max_segments) {
    Directory& directory = paced_ == nullptr ? *directory_ : *paced_;
    PMDEX_ASSIGN_OR_RETURN(const auto writer,
                           IndexWriter::Open(directory, OpenMode::kAppend, settings));
    MergeIndexOptions options;
    if (max_segments > 0) options.max_segments = max_segments;
    options.request.stop = [this] { return stop_merges_.IsSet(); };
    PMDEX_ASSIGN_OR_RETURN(const MergeReport report, MergeIndex(directory, *writer, options));
    if (!report.is_stopped) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kCancelled,
                      "the merge was stopped, because the index is closed");
  }

  const std::unique_ptr<Directory> directory_;
  std::unique_ptr<Directory> paced_;  // directory_ for merges at a rate; nullptr: at any
  StopFlag stop_merges_;              // set by Close
  const LiveOptions options_;
  const std::shared_ptr<AnalyzerPool> analyzers_;  // one for all snapshots
  std::shared_mutex writing_;                      // shared by writes; Merge has it alone
  absl::Status lost_;                              // guarded by writing_; see Writing::status
  Mutex mutex_;
  std::shared_ptr<LiveIndex> index_ ABSL_GUARDED_BY(mutex_);
};

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

CallResult<Index> Index::Open(const std::string& path, const IndexOptions& options) {
  if (const CallStatus status = CheckTokenizer(options.tokenizer); !status.ok()) return status;
  const auto kind = ParseAnalyzerKind(options.analyzer);
  if (!kind.ok()) return ToCallStatus(kind.status());
  FileDirectoryOptions opening;
  opening.create = options.create;
  auto directory = OpenFileDirectory(path, opening);
  if (!directory.ok()) return ToCallStatus(directory.status());
  LiveOptions live;
  live.custom = CustomOf(options.tokenizer);
  live.memory_budget_bytes = options.memory_budget_bytes;
  auto index = LiveIndex::Open(**directory, live);
  if (options.create && absl::IsNotFound(index.status())) {
    live.create = true;
    live.settings = IndexSettings{options.tokenizer ? AnalyzerKind::kCustom : *kind,
                                  options.positions, options.store_text};
    index = LiveIndex::Open(**directory, live);
  }
  if (!index.ok()) return ToCallStatus(index.status());
  live.create = false;
  live.settings.reset();
  return Index(std::make_unique<Impl>(*std::move(directory), *std::move(index), live,
                                      options.merge_bytes_per_second));
}

CallStatus Index::Add(IndexDocument document) {
  const Impl::Writing index(*impl_);
  if (!index.status().ok()) return ToCallStatus(index.status());
  return ToCallStatus(index->Add({std::move(document.id), std::move(document.fields), {}}));
}

CallResult<bool> Index::Replace(IndexDocument document) {
  const Impl::Writing index(*impl_);
  if (!index.status().ok()) return ToCallStatus(index.status());
  const auto put = index->Put({std::move(document.id), std::move(document.fields), {}});
  if (!put.ok()) return ToCallStatus(put.status());
  return put->removed > 0;
}

CallResult<bool> Index::Delete(std::string_view id) {
  const Impl::Writing index(*impl_);
  if (!index.status().ok()) return ToCallStatus(index.status());
  const auto deleted = index->Delete(id);
  if (!deleted.ok()) return ToCallStatus(deleted.status());
  return deleted->removed > 0;
}

CallResult<uint64_t> Index::AddAll(DocumentSource& source) {
  uint64_t count = 0;
  while (std::optional<IndexDocument> document = source.Next()) {
    if (const CallStatus status = Add(*std::move(document)); !status.ok()) return status;
    ++count;
  }
  return count;
}

CallStatus Index::Commit() {
  const Impl::Writing index(*impl_);
  if (!index.status().ok()) return ToCallStatus(index.status());
  return ToCallStatus(index->Commit());
}

CallStatus Index::Merge(size_t max_segments) {
  return ToCallStatus(impl_->Merge(max_segments));
}

void Index::Close() {
  impl_->Close();
}

CallResult<IndexSnapshot> Index::TakeSnapshot() {
  auto snapshot = impl_->index()->TakeSnapshot();
  if (!snapshot.ok()) return ToCallStatus(snapshot.status());
  return IndexSnapshot(
      std::make_shared<const IndexSnapshot::Impl>(*std::move(snapshot), impl_->analyzers()));
}

}  // namespace pmdex
