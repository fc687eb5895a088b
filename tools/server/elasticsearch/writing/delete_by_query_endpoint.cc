#include "tools/server/elasticsearch/writing/delete_by_query_endpoint.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/index_query.h"
#include "tools/server/elasticsearch/search/search_body.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace {

constexpr size_t kBatch = 1000;  // documents that are found, and deleted, at a time

struct DeletedCounts {
  uint64_t total = 0;  // found, and there
  uint64_t deleted = 0;
  uint64_t batches = 0;
  uint64_t conflicts = 0;
  Json failures = Json::array();
};

struct DeleteRequest {
  SearchBody body;
  uint64_t most = UINT64_MAX;  // documents
  bool proceeds = false;       // over conflicts
  bool refresh = false;
  std::chrono::steady_clock::time_point end;
};

absl::StatusOr<DeleteRequest> ReadRequest(const ApiCall& call) {
  DeleteRequest request;
  PMDEX_ASSIGN_OR_RETURN(const WriteParameters parameters, ReadWriteParameters(call.parameters));
  if (parameters.refresh == RefreshPolicy::kWait) {
    return BadArgument("Failed to parse value [wait_for] as only [true] or [false] are allowed.");
  }
  request.refresh = parameters.needs_refresh();
  PMDEX_ASSIGN_OR_RETURN(const bool waits, call.parameters.Switch("wait_for_completion", true));
  if (!waits) return BadArgument("[wait_for_completion] takes only [true]");
  PMDEX_RETURN_IF_ERROR(call.parameters.Integer("scroll_size").status());
  std::string conflicts(call.parameters.Text("conflicts").value_or("abort"));
  PMDEX_ASSIGN_OR_RETURN(auto most, call.parameters.Integer("max_docs"));
  if (call.body.is_object()) {
    if (call.body.contains("query")) request.body.query = call.body["query"];
    if (call.body.contains("max_docs")) {
      PMDEX_ASSIGN_OR_RETURN(most, JsonInteger("max_docs", call.body["max_docs"]));
    }
    if (call.body.contains("conflicts")) {
      PMDEX_ASSIGN_OR_RETURN(conflicts, JsonText("conflicts", call.body["conflicts"]));
    }
  }
  PMDEX_ASSIGN_OR_RETURN(Json url_query, ReadUrlQuery(call.parameters));
  if (!url_query.is_null()) request.body.query = std::move(url_query);
  if (request.body.query.is_null()) return InvalidRequest("query is missing");
  if (conflicts != "proceed" && conflicts != "abort") {
    return BadArgument(
        absl::StrCat("conflicts may only be \"proceed\" or \"abort\" but was [", conflicts, "]"));
  }
  request.proceeds = conflicts == "proceed";
  if (most.has_value() && *most < 1) return BadArgument("[max_docs] parameter must be positive");
  if (most.has_value()) request.most = static_cast<uint64_t>(*most);
  request.end = std::chrono::steady_clock::now() + call.timeout;
  return request;
}

// Deletes what the query finds in one index.
class QueryDeleter {
 public:
  QueryDeleter(const DeleteRequest& request, const IndexQuery& query, WritableIndex& index,
               DeletedCounts& counts)
      : request_(request), query_(query), index_(index), counts_(counts) {}

  absl::Status Run() {
    SearchOptions options;
    while (counts_.total < request_.most && counts_.failures.empty()) {
      options.k = std::min<uint64_t>(kBatch, request_.most - counts_.total);
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          request_.end - std::chrono::steady_clock::now());
      options.deadline = std::max(std::chrono::milliseconds(0), left);
      PMDEX_ASSIGN_OR_RETURN(const SearchResult found,
                             query_.index->searcher->Search(*query_.searched, options));
      if (found.timed_out) {
        return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                          "the time ended before all documents were deleted");
      }
      if (found.hits.empty()) return absl::OkStatus();
      options.after = SearchPlace{found.hits.back().score, found.hits.back().doc};
      PMDEX_RETURN_IF_ERROR(DeleteHits(found));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status DeleteHits(const SearchResult& found) {
    std::vector<WriteOperation> operations;
    absl::flat_hash_set<std::string_view> ids;
    for (const Hit& hit : found.hits) {
      // Deleting an id deletes all documents that have it, so an id that repeats counts once.
      if (!ids.insert(hit.id).second) continue;
      PMDEX_ASSIGN_OR_RETURN(const auto newest, index_.FindNewest(hit.id));
      if (!newest.has_value()) continue;  // deleted by an earlier batch, or meanwhile
      ++counts_.total;
      const WriteSequence sequence = newest->found.sequence;
      if (query_.index->written != nullptr && sequence.number >= query_.index->writes_end) {
        NoteConflict(hit.id);
        if (!request_.proceeds) break;
        continue;
      }
      WriteOperation& operation = operations.emplace_back();
      operation.kind = WriteKind::kDelete;
      operation.id = std::string(hit.id);
      operation.at = sequence;
    }
    if (operations.empty()) return absl::OkStatus();
    ++counts_.batches;
    PMDEX_ASSIGN_OR_RETURN(const auto outcomes, index_.Write(operations, /*refresh=*/false));
    for (const WriteOutcome& outcome : outcomes) {
      if (outcome.failure.has_value()) NoteConflict(outcome.id);
      if (!outcome.failure.has_value() && outcome.effect == WriteEffect::kDeleted) {
        ++counts_.deleted;
      }
    }
    return absl::OkStatus();
  }

  void NoteConflict(std::string_view id) {
    ++counts_.conflicts;
    if (request_.proceeds) return;
    const Json cause = {{"type", "version_conflict_engine_exception"},
                        {"reason", absl::StrCat("[", std::string(id),
                                                "]: version conflict: the document was written "
                                                "since searches were refreshed")}};
    counts_.failures.push_back(
        {{"index", index_.name()}, {"id", EscapeBadUtf8(id)}, {"cause", cause}, {"status", 409}});
  }

  const DeleteRequest& request_;
  const IndexQuery& query_;
  WritableIndex& index_;
  DeletedCounts& counts_;
};

Json CountsJson(DeletedCounts counts, std::chrono::milliseconds took) {
  return {{"took", took.count()},
          {"timed_out", false},
          {"total", counts.total},
          {"deleted", counts.deleted},
          {"batches", counts.batches},
          {"version_conflicts", counts.conflicts},
          {"noops", 0},
          {"retries", {{"bulk", 0}, {"search", 0}}},
          {"throttled_millis", 0},
          {"requests_per_second", -1.0},
          {"throttled_until_millis", 0},
          {"failures", std::move(counts.failures)}};
}

}  // namespace

ApiAnswerOr AnswerDeleteByQuery(const ApiCall& call) {
  const auto start = std::chrono::steady_clock::now();
  PMDEX_ASSIGN_OR_RETURN(const DeleteRequest request, ReadRequest(call));
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  DeletedCounts counts;
  for (const auto& selected : indexes) {
    PMDEX_ASSIGN_OR_RETURN(const auto index, writing->Find(selected->name));
    // As it is open for writing, which Find may have done just now.
    const std::shared_ptr<const ServedIndex> served = writing->Served(selected->name);
    if (served == nullptr) return IndexNotFound(selected->name);
    PMDEX_ASSIGN_OR_RETURN(
        const IndexQuery query,
        ReadIndexQuery(served, request.body, call.state.analyzers, call.state.limits));
    const absl::Status done = QueryDeleter(request, query, *index, counts).Run();
    writing->NoteWrites();
    PMDEX_RETURN_IF_ERROR(done);
    if (request.refresh) PMDEX_RETURN_IF_ERROR(index->Refresh());
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  const int status = counts.failures.empty() ? 200 : 409;
  return ApiAnswer{status, CountsJson(std::move(counts), took), {}};
}

}  // namespace pmdex
