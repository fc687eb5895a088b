#include <algorithm>
#include <utility>

#include "engine/analysis/analyzer.h"
#include "engine/live/live_index.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "query/searcher.h"
#include "tools/library/api_status.h"
#include "tools/library/pmdex.h"
#include "tools/library/user_analyzer.h"

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
  options.similarity =
      settings.formula == ScoreFormula::kTfidf ? SimilarityKind::kTfidf : SimilarityKind::kBm25;
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
  const auto result = impl_->searcher().Search(query, OptionsOf(settings));
  if (!result.ok()) return ToCallStatus(result.status());
  return AnswerOf(*result);
}

class Index::Impl {
 public:
  Impl(std::unique_ptr<Directory> directory, std::unique_ptr<LiveIndex> index,
       const CustomAnalyzer& custom)
      : directory_(std::move(directory)),
        index_(std::move(index)),
        analyzers_(std::make_shared<AnalyzerPool>(index_->settings().analyzer, custom.make)) {}

  LiveIndex& index() { return *index_; }
  const std::shared_ptr<AnalyzerPool>& analyzers() const { return analyzers_; }

 private:
  const std::unique_ptr<Directory> directory_;
  const std::unique_ptr<LiveIndex> index_;
  const std::shared_ptr<AnalyzerPool> analyzers_;  // one for all snapshots
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
  return Index(std::make_unique<Impl>(*std::move(directory), *std::move(index), live.custom));
}

CallStatus Index::Add(IndexDocument document) {
  return ToCallStatus(impl_->index().Add({std::move(document.id), std::move(document.fields), {}}));
}

CallResult<bool> Index::Replace(IndexDocument document) {
  const auto put = impl_->index().Put({std::move(document.id), std::move(document.fields), {}});
  if (!put.ok()) return ToCallStatus(put.status());
  return put->removed > 0;
}

CallResult<bool> Index::Delete(std::string_view id) {
  const auto deleted = impl_->index().Delete(id);
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
  return ToCallStatus(impl_->index().Commit());
}

CallResult<IndexSnapshot> Index::TakeSnapshot() {
  auto snapshot = impl_->index().TakeSnapshot();
  if (!snapshot.ok()) return ToCallStatus(snapshot.status());
  return IndexSnapshot(
      std::make_shared<const IndexSnapshot::Impl>(*std::move(snapshot), impl_->analyzers()));
}

}  // namespace pmdex
