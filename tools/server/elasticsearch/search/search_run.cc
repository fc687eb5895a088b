#include "tools/server/elasticsearch/search/search_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/aggregations/aggregation_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/hit_writer.h"
#include "tools/server/elasticsearch/search/search_report.h"

namespace pmdex {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

milliseconds TimeUntil(std::chrono::steady_clock::time_point end) {
  const auto left = end - std::chrono::steady_clock::now();
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(left));
}

// Elasticsearch's words for a field that cannot be sorted by.
absl::Status CheckSort(const SearchSort& sort, const ServedIndex& index) {
  if (!sort.by_fields()) return absl::OkStatus();
  for (const SortKey& key : sort.keys) {
    if (key.field == "_score" || key.field == "_doc") continue;
    const std::optional<FieldType> type = DslIndexOf(index).columns.TypeOf(key.field);
    if (!type.has_value()) {
      return ShardError("query_shard_exception",
                        absl::StrCat("No mapping found for [", key.field, "] in order to sort on"),
                        index.name);
    }
    if (*type == FieldType::kText) {
      return ShardError(
          "illegal_argument_exception",
          absl::StrCat("Text fields are not optimised for operations that require per-document "
                       "field data like aggregations and sorting, so these operations are "
                       "disabled by default. Please use a keyword field instead of [",
                       key.field, "]."),
          index.name);
    }
  }
  return absl::OkStatus();
}

// What an index says of a query as an error of that index.
absl::Status OfIndex(const absl::Status& status, const ServedIndex& index) {
  if (!absl::IsInvalidArgument(status)) return status;
  return ShardError("query_shard_exception",
                    absl::StrCat("failed to create query: ", ToAbsl(Message(status))), index.name);
}

bool IsBefore(const SearchSort& sort, const std::vector<DocValue>& a,
              const std::vector<DocValue>& b) {
  for (size_t i = 0; i < sort.keys.size(); ++i) {
    const int order = CompareSortValues(sort.keys[i], a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

absl::Status OfAggregation(const absl::Status& status, const ServedIndex& index) {
  if (!absl::IsInvalidArgument(status)) return status;
  return ShardError("illegal_argument_exception", Message(status), index.name);
}

// kDeadlineExceeded, or an ApiError where the answer would be too large.
absl::StatusOr<Json> WriteResults(const AggregationSet& set,
                                  const std::vector<ApiAggregation>& shown,
                                  const Deadline& deadline) {
  constexpr uint64_t kMostBuckets = 65'535;
  constexpr uint64_t kMostResultBytes = uint64_t{512} << 20;
  constexpr uint64_t kMostAnswerBytes = uint64_t{64} << 20;
  const auto refused = [](const absl::Status& status) {
    if (absl::IsDeadlineExceeded(status)) return status;
    if (absl::IsOutOfRange(status)) return BadArgument(Message(status));
    return ApiError(
        400, "too_many_buckets_exception",
        absl::StrCat("Trying to create too many buckets. Must be less than or equal to: [",
                     kMostBuckets, "] but this number of buckets was exceeded."));
  };
  const auto results = set.Results({kMostBuckets, kMostBuckets, kMostResultBytes, deadline});
  if (!results.ok()) return refused(results.status());
  AnswerBudget budget(kMostAnswerBytes, deadline);
  absl::StatusOr<Json> answer = WriteAggregations(shown, *results, budget);
  if (!answer.ok()) return refused(answer.status());
  return answer;
}

// An error of one search of several, not of a request that cannot be read.
absl::Status CheckWindow(const SearchBody& body, const ElasticsearchLimits& limits,
                         std::string_view index) {
  if (body.from + body.size <= limits.max_result_window) return absl::OkStatus();
  return ShardError(
      "illegal_argument_exception",
      absl::StrCat("Result window is too large, from + size must be less than or equal to: [",
                   limits.max_result_window, "] but was [", body.from + body.size,
                   "]. See the scroll api for a more efficient way to request large data sets. "
                   "This limit can be set by changing the [index.max_result_window] index level "
                   "setting."),
      index);
}

}  // namespace

absl::StatusOr<SearchRun> SearchRun::Open(SearchBody body, const SelectedIndexes& indexes,
                                          AnalyzerPools& analyzers,
                                          const ElasticsearchLimits& limits,
                                          const SearchNotes& notes) {
  SearchRun run;
  run.notes_ = notes;
  if (body.shared_statistics && indexes.size() > 1) {
    return BadArgument(
        "[search_type] [dfs_query_then_fetch] is not supported over several indexes");
  }
  if (indexes.empty()) PMDEX_RETURN_IF_ERROR(CheckQueries(body, analyzers, limits));
  run.body_ = std::move(body);
  for (const auto& index : indexes) {
    absl::Status status = run.AddIndex(index, analyzers, limits);
    if (!status.ok() && !IsShardError(status)) return status;
    if (!status.ok()) run.refused_.push_back(std::move(status));
  }
  if (run.queries_.empty() && !run.refused_.empty()) return JoinShardErrors(run.refused_);
  return run;
}

absl::Status SearchRun::AddIndex(const std::shared_ptr<const ServedIndex>& index,
                                 AnalyzerPools& analyzers, const ElasticsearchLimits& limits) {
  PMDEX_RETURN_IF_ERROR(CheckWindow(body_, limits, index->name));
  PMDEX_RETURN_IF_ERROR(CheckSort(body_.sort, *index));
  PMDEX_ASSIGN_OR_RETURN(IndexQuery query, ReadIndexQuery(index, body_, analyzers, limits));
  queries_.push_back(std::move(query));
  after_.push_back(body_.after);
  const auto type_of = [&index](std::string_view field) {
    return DslIndexOf(*index).columns.TypeOf(field);
  };
  ReadPlaceIn(MappedFieldsOf(*index), type_of, body_.sort, after_.back());
  return absl::OkStatus();
}

std::optional<FieldType> SearchRun::TypeInMapping(size_t index, std::string_view field) const {
  const MappedFields* const mapped = MappedFieldsOf(*queries_[index].index);
  const MappedField* const declared = mapped == nullptr ? nullptr : mapped->Find(field);
  if (declared == nullptr) return std::nullopt;
  return StoredTypeOf(declared->type);
}

absl::StatusOr<SearchResult> SearchRun::SearchIndex(size_t index, Clock::time_point end) const {
  SearchOptions options;
  options.k = body_.from + body_.size;
  if (body_.most_cost.has_value()) options.most_cost = *body_.most_cost / queries_.size();
  options.after = after_[index].place;
  if (body_.sort.by_fields()) {
    options.sort = body_.sort.whole_keys();
    const MappedFields* const mapped = MappedFieldsOf(*queries_[index].index);
    for (SortKey& key : options.sort) {
      key.type_if_absent = TypeInMapping(index, key.field);
      key.milliseconds = !HasNanoseconds(mapped, key.field);
    }
    options.sort_after = after_[index].values;
  }
  options.explain = body_.profile;
  options.plan = notes_.logs_slow();
  if (body_.min_score.has_value()) options.min_score = *body_.min_score;
  if (!total_.has_value() && body_.show_total) {
    options.count = body_.total_limit == UINT64_MAX;
    options.count_limit = body_.total_limit;
  }
  options.deadline = TimeUntil(end);
  const IndexQuery& query = queries_[index];
  // Only a thread of the pool, whose queries have no limit of cost, may wait for others.
  if (query.index->nodes != nullptr && !options.most_cost.has_value()) {
    DivideByNode(*query.index->nodes, options);
  }
  absl::StatusOr<SearchResult> result = query.index->searcher->Search(*query.searched, options);
  if (!result.ok()) return OfIndex(result.status(), *query.index);
  notes_.Note(*query.index, *result, [this] { return ToJsonText(body_.query); });
  return result;
}

absl::StatusOr<SearchRun::Page> SearchRun::Search(Clock::time_point end) const {
  Page page;
  for (size_t i = 0; i < queries_.size(); ++i) {
    absl::StatusOr<SearchResult> result = SearchIndex(i, end);
    if (!result.ok() && !IsShardError(result.status())) return result.status();
    page.statuses.push_back(result.status());
    page.results.push_back(result.ok() ? *std::move(result) : SearchResult());
    page.timed_out = page.timed_out || page.results.back().timed_out;
  }
  const std::vector<absl::Status> failures = FailuresOf(page);
  if (!failures.empty() && failures.size() == queries_.size() + refused_.size()) {
    return JoinShardErrors(failures);
  }
  Rank(page);
  if (total_.has_value()) {
    page.max_score = max_score_;  // of the first page, as in Elasticsearch
  } else {
    PMDEX_RETURN_IF_ERROR(FindMaxScore(end, page));
  }
  return page;
}

// The errors of the indexes that take no part in the page.
std::vector<absl::Status> SearchRun::FailuresOf(const Page& page) const {
  std::vector<absl::Status> failures = refused_;
  for (const absl::Status& status : page.statuses) {
    if (!status.ok()) failures.push_back(status);
  }
  return failures;
}

// In index order the best score is that of another search.
absl::Status SearchRun::FindMaxScore(Clock::time_point end, Page& page) const {
  const auto add = [&page](const std::vector<Hit>& hits) {
    if (!hits.empty()) page.max_score = std::max(page.max_score.value_or(0), hits[0].score);
  };
  if (body_.size == 0) return absl::OkStatus();
  if (!body_.sort.hides_scores()) {
    for (const SearchResult& result : page.results) add(result.hits);
    return absl::OkStatus();
  }
  if (!body_.track_scores && !body_.sort.begins_with_best()) return absl::OkStatus();
  for (size_t i = 0; i < queries_.size(); ++i) {
    const IndexQuery& query = queries_[i];
    if (page.results[i].hits.empty()) continue;
    SearchOptions options;
    options.k = 1;
    options.deadline = TimeUntil(end);
    PMDEX_ASSIGN_OR_RETURN(const SearchResult best,
                           query.index->searcher->Search(*query.best, options));
    add(best.hits);
  }
  return absl::OkStatus();
}

// Hits of several indexes that no key tells apart stay in the order of the indexes.
void SearchRun::Rank(Page& page) const {
  std::vector<RankedHit> all;
  for (size_t i = 0; i < page.results.size(); ++i) {
    for (size_t j = 0; j < page.results[i].hits.size(); ++j) all.push_back({i, j});
  }
  const auto is_before = [&](const RankedHit& a, const RankedHit& b) {
    if (body_.sort.by_fields()) {
      return IsBefore(body_.sort, page.results[a.index].sort_values[a.hit],
                      page.results[b.index].sort_values[b.hit]);
    }
    const Hit& first = page.results[a.index].hits[a.hit];
    const Hit& second = page.results[b.index].hits[b.hit];
    if (!body_.sort.by_doc() && first.score != second.score) return first.score > second.score;
    return !body_.sort.keys.empty() && first.doc < second.doc;  // the other key is _doc
  };
  if (page.results.size() > 1) std::stable_sort(all.begin(), all.end(), is_before);
  const size_t from = std::min(body_.from, all.size());
  const size_t count = std::min(body_.size, all.size() - from);
  const auto first = all.begin() + static_cast<ptrdiff_t>(from);
  page.hits.assign(first, first + static_cast<ptrdiff_t>(count));
}

absl::StatusOr<Json> SearchRun::WriteHits(Clock::time_point end, AnalyzerPools& analyzers,
                                          AnswerBudget& budget, Page& page) const {
  std::vector<Json> written(page.hits.size());
  for (size_t i = 0; i < queries_.size(); ++i) {
    std::vector<Hit> hits;
    std::vector<std::vector<DocValue>> values;
    std::vector<size_t> places;
    for (size_t j = 0; j < page.hits.size(); ++j) {
      if (page.hits[j].index != i) continue;
      if (body_.sort.by_fields()) {
        values.push_back(page.results[i].sort_values[page.hits[j].hit]);
      }
      hits.push_back(page.results[i].hits[page.hits[j].hit]);
      places.push_back(j);
    }
    HitWriter writer(queries_[i], body_, analyzers, budget);
    absl::StatusOr<std::vector<Json>> made = writer.Write(hits, values, Deadline(end, nullptr));
    if (!made.ok()) return OfIndex(made.status(), *queries_[i].index);
    for (size_t j = 0; j < made->size(); ++j) written[places[j]] = std::move((*made)[j]);
  }
  const auto late =
      std::find_if(written.begin(), written.end(), [](const Json& hit) { return hit.is_null(); });
  page.timed_out = page.timed_out || late != written.end();
  written.erase(late, written.end());
  page.hits.resize(written.size());
  return Json(std::move(written));
}

void SearchRun::CountTotal(const Page& page) {
  if (total_.has_value()) return;
  Total total;
  for (const SearchResult& result : page.results) {
    total.value += result.total;
    total.exact = total.exact && result.total_exact;
  }
  if (total.value > body_.total_limit) total = {body_.total_limit, false};
  total_ = total;
}

void SearchRun::Advance(const Page& page) {
  for (const RankedHit& ranked : page.hits) {
    const SearchResult& result = page.results[ranked.index];
    const Hit& hit = result.hits[ranked.hit];
    after_[ranked.index].place = SearchPlace{hit.score, hit.doc};
    if (body_.sort.by_fields()) {
      after_[ranked.index].values = PlaceOfHit(result.sort_values[ranked.hit]);
    }
  }
}

// The sets of all indexes are merged before they become an answer.
absl::StatusOr<Json> SearchRun::Aggregate(Clock::time_point end, Page& page) const {
  std::shared_ptr<AggregationSet> merged;
  for (size_t i = 0; i < queries_.size(); ++i) {
    const IndexQuery& query = queries_[i];
    if (!page.statuses[i].ok()) continue;
    SearchOptions options;
    options.k = 0;
    if (body_.min_score.has_value()) options.min_score = *body_.min_score;
    options.deadline = TimeUntil(end);
    options.aggregations = query.aggregations.computed;
    options.keep_aggregation_set = true;
    const auto result = query.index->searcher->Search(*query.scored, options);
    if (!result.ok()) return OfAggregation(result.status(), *query.index);
    page.timed_out = page.timed_out || result->timed_out;
    if (merged == nullptr) {
      merged = result->aggregation_set;
    } else if (const absl::Status status = merged->Merge(*result->aggregation_set); !status.ok()) {
      return OfAggregation(status, *query.index);
    }
  }
  // What was counted until the deadline becomes an answer, which takes a while, too.
  const Deadline deadline(std::max(end, Clock::now() + std::chrono::seconds(1)));
  absl::StatusOr<Json> answer = WriteResults(*merged, queries_[0].aggregations.shown, deadline);
  if (absl::IsDeadlineExceeded(answer.status())) {
    page.timed_out = true;
    return Json::object();
  }
  return answer;
}

Json SearchRun::WriteTotal() const {
  if (body_.total_as_int) return body_.show_total ? Json(total_->value) : Json(-1);
  return {{"value", total_->value}, {"relation", total_->exact ? "eq" : "gte"}};
}

absl::StatusOr<Json> SearchRun::NextPage(AnalyzerPools& analyzers, milliseconds timeout,
                                         AnswerBudget& budget) {
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + std::min(timeout, body_.timeout.value_or(timeout));
  PMDEX_ASSIGN_OR_RETURN(Page page, Search(end));
  const bool is_first = !total_.has_value();
  CountTotal(page);
  if (is_first) max_score_ = page.max_score;
  Json aggregations;
  if (is_first && !body_.aggregations.is_null() && !queries_.empty()) {
    PMDEX_ASSIGN_OR_RETURN(aggregations, Aggregate(end, page));
  }
  PMDEX_ASSIGN_OR_RETURN(Json hits, WriteHits(end, analyzers, budget, page));
  Advance(page);
  Json answer = {{"took", duration_cast<milliseconds>(Clock::now() - begin).count()},
                 {"timed_out", page.timed_out},
                 {"_shards", ShardsJson(queries_.size() + refused_.size(), queries_, page.results,
                                        FailuresOf(page))}};
  Json& list = answer["hits"] = Json::object();
  if (body_.show_total || body_.total_as_int) list["total"] = WriteTotal();
  list["max_score"] = page.max_score.has_value() ? JsonFloat(*page.max_score) : Json();
  if (queries_.empty()) list["max_score"] = 0.0;
  list["hits"] = std::move(hits);
  if (!aggregations.is_null()) answer["aggregations"] = std::move(aggregations);
  if (body_.profile) answer["profile"] = ProfileJson(queries_, page.results);
  return answer;
}

}  // namespace pmdex
