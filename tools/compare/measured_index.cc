#include "tools/compare/measured_index.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/command.h"
#include "tools/compare/answer_fingerprint.h"
#include "tools/compare/index_source.h"
#include "tools/compare/latency_summary.h"
#include "tools/printable.h"
#include "tools/profile/profile_queries.h"
#include "tools/query_batch.h"

namespace pmdex {
namespace {

constexpr size_t kOpens = 5;

absl::Status PartialAnswer(const std::vector<MissingPart>& missing) {
  return DataLoss(
      absl::StrCat("segment ", missing[0].file, " does not answer: ", missing[0].reason));
}

absl::StatusOr<std::vector<AnswerFingerprint>> FingerprintsOf(const Searcher& searcher,
                                                              const BoundSet& set,
                                                              const SearchOptions& search) {
  std::vector<AnswerFingerprint> answers;
  for (const std::string& query : set.queries) {
    PMDEX_ASSIGN_OR_RETURN(const SearchResult result, searcher.Search(query, search));
    if (!result.missing.empty()) return PartialAnswer(result.missing);
    answers.push_back(FingerprintOf(result, search.k));
  }
  return answers;
}

}  // namespace

SearchOptions SearchOptionsOfMode(const std::string& mode) {
  SearchOptions search;
  search.exhaustive = mode == "exhaustive";
  return search;
}

absl::StatusOr<std::vector<BoundSet>> BindSets(const std::vector<QuerySet>& sets,
                                               const Snapshot& snapshot) {
  std::vector<BoundSet> bound;
  for (const QuerySet& set : sets) {
    PMDEX_ASSIGN_OR_RETURN(const DescribedQueries described,
                           DescribeQueries(set.queries, snapshot, /*exhaustive=*/false));
    if (!described.refused.empty()) {
      return InvalidArgument(absl::StrCat("set ", set.name, ": ", described.refused[0]));
    }
    BoundSet& one = bound.emplace_back();
    one.name = set.name;
    one.queries = set.queries;
    for (const ProfileQuery& query : described.queries) one.postings.push_back(query.postings);
  }
  return bound;
}

std::vector<PostingBucket> BucketsOf(const BoundSet& set, const TimedPasses& passes) {
  struct Sum {
    uint64_t queries = 0;
    double us = 0;
    uint64_t runs = 0;
  };
  const size_t count = set.queries.size();
  std::vector<Sum> of_query(count);
  for (const std::vector<double>& pass : passes.times_us) {
    for (size_t i = 0; i < pass.size(); ++i) {
      of_query[i % count].us += pass[i];
      ++of_query[i % count].runs;
    }
  }
  std::map<PostingRange, Sum> sums;
  for (size_t i = 0; i < count; ++i) {
    Sum& sum = sums[RangeOfPostings(set.postings[i])];
    ++sum.queries;
    sum.us += of_query[i].us;
    sum.runs += of_query[i].runs;
  }
  std::vector<PostingBucket> buckets;
  for (const auto& [range, sum] : sums) {
    if (sum.runs == 0) continue;
    buckets.push_back(
        {range.from, range.to, sum.queries, sum.us / static_cast<double>(sum.runs), std::nullopt});
  }
  return buckets;
}

absl::StatusOr<std::unique_ptr<MeasuredIndex>> MeasuredIndex::Open(const std::string& path) {
  std::unique_ptr<MeasuredIndex> index(new MeasuredIndex());
  std::vector<double> times;
  for (size_t i = 0; i < kOpens; ++i) {
    index->snapshot_ = nullptr;
    const double start = SteadySeconds();
    PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
    PMDEX_ASSIGN_OR_RETURN(index->snapshot_, Snapshot::Open(*directory));
    times.push_back(1e3 * (SteadySeconds() - start));
  }
  index->open_ms_ = MedianOf(std::move(times));
  WarnPassedOver(*index->snapshot_);
  const std::vector<MissingPart> missing = MissingParts(*index->snapshot_);
  if (!missing.empty()) return PartialAnswer(missing);
  index->searcher_ = std::make_unique<const Searcher>(index->snapshot_);
  return index;
}

std::string_view IndexPartOf(SectionKind kind) {
  switch (kind) {
    case SectionKind::kDictionaryEntries:
    case SectionKind::kTermBytes:
    case SectionKind::kTermBlocks:
    case SectionKind::kTermBlockStarts:
    case SectionKind::kRareTermSlots:
    case SectionKind::kTermSignatures:
      return "dictionary";
    case SectionKind::kPostings:
    case SectionKind::kFreqOverflow:
    case SectionKind::kUnitFreqs:
    case SectionKind::kCompressedUnits:
    case SectionKind::kUnitPlaces:
      return "postings";
    case SectionKind::kPositions:
    case SectionKind::kPositionUnits:
    case SectionKind::kPositionUnitStarts:
      return "positions";
    case SectionKind::kBlockLastDocs:
    case SectionKind::kBlockBounds:
    case SectionKind::kNorms:
      return "bounds and lengths";
    case SectionKind::kDocEntries:
    case SectionKind::kDocIdBytes:
    case SectionKind::kIdBlocks:
    case SectionKind::kIdBlockStarts:
      return "ids";
    case SectionKind::kStoredChunks:
    case SectionKind::kStoredBytes:
      return "stored text";
    case SectionKind::kNumericColumns:
      return "columns";
    case SectionKind::kMeta:
    case SectionKind::kPageChecksums:
    case SectionKind::kLiveDocs:
    case SectionKind::kPairs:
      break;
  }
  return "other";
}

ComparedConfiguration MeasuredIndex::Describe() const {
  ComparedConfiguration configuration;
  configuration.key.tier = TierOf(*snapshot_);
  configuration.documents = snapshot_->live_doc_count();
  configuration.segments = snapshot_->segments().size();
  for (const auto& segment : snapshot_->segments()) {
    configuration.postings += segment->posting_count();
    configuration.tokens += segment->token_count();
    configuration.terms += segment->term_count();
    configuration.bytes += segment->file_bytes();
    uint64_t rest = segment->file_bytes();
    for (const SectionEntry& section : segment->view().sections()) {
      configuration.part_bytes[std::string(IndexPartOf(section.kind))] += section.size_bytes;
      rest -= section.size_bytes;
    }
    configuration.part_bytes["other"] += rest;  // the header, and what aligns sections
  }
  if (configuration.postings > 0) {
    configuration.bytes_per_posting =
        static_cast<double>(configuration.bytes) / static_cast<double>(configuration.postings);
  }
  configuration.open_ms = open_ms_;
  return configuration;
}

absl::StatusOr<ComparedClass> MeasuredIndex::Measure(const BoundSet& set,
                                                     const ConfigurationKey& key,
                                                     const CompareOptions& options,
                                                     const std::vector<int>& cpus) const {
  const SearchOptions search = SearchOptionsOfMode(key.mode);
  ComparedClass result;
  result.name = set.name;
  result.queries = set.queries.size();
  PMDEX_ASSIGN_OR_RETURN(result.answers, FingerprintsOf(*searcher_, set, search));
  PassPlan plan;
  plan.queries = set.queries.size();
  plan.passes = options.passes;
  plan.threads = static_cast<size_t>(key.threads);
  plan.cpus = cpus;
  PMDEX_ASSIGN_OR_RETURN(const TimedPasses passes,
                         RunPasses(plan, [&](size_t query) -> absl::StatusOr<double> {
                           PMDEX_ASSIGN_OR_RETURN(const SearchResult answer,
                                                  searcher_->Search(set.queries[query], search));
                           if (!answer.missing.empty()) return PartialAnswer(answer.missing);
                           return answer.took_us;
                         }));
  const LatencySummary summary = SummarizeLatencies(passes.times_us);
  result.runs = summary.runs;
  result.qps = passes.wall_s > 0 ? static_cast<double>(summary.runs) / passes.wall_s : 0;
  result.mean_us = summary.mean_us;
  result.ci95_us = summary.ci95_us;
  result.p50_us = summary.p50_us;
  result.p95_us = summary.p95_us;
  result.p99_us = summary.p99_us;
  result.max_us = summary.max_us;
  result.by_postings = BucketsOf(set, passes);
  return result;
}

}  // namespace pmdex
