#include "tools/server/elasticsearch/endpoints/document_endpoints.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "query/planning/query_binder.h"
#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/hit_writer.h"
#include "tools/server/elasticsearch/search/stored_document.h"
#include "tools/server/writing/written_index.h"

namespace pmdex {
namespace {

// A document that was not found may lie in a segment that does not answer.
absl::Status CheckWhole(const ServedIndex& index, std::string_view id) {
  const size_t damaged = index.searcher->answering()->quarantined().size();
  if (damaged == 0) return absl::OkStatus();
  return ApiError(500, "corrupt_index_exception",
                  absl::StrCat("[", ToAbsl(EscapeBadUtf8(id)), "] was not found, and ", damaged,
                               " damaged segments of the index were not searched"));
}

// A damaged segment is left out afterwards, so that a second look-up goes on without it.
absl::StatusOr<std::optional<uint64_t>> FindId(const ServedIndex& index, std::string_view id) {
  absl::StatusOr<std::optional<uint64_t>> found = index.searcher->answering()->FindDocument(id);
  if (absl::IsDataLoss(found.status())) found = index.searcher->answering()->FindDocument(id);
  if (!found.ok()) return found;
  if (!found->has_value()) PMDEX_RETURN_IF_ERROR(CheckWhole(index, id));
  if (!found->has_value() || index.searcher->MayShow(id, **found)) return found;
  return std::optional<uint64_t>();
}

// The part of an answer that describes a found document.
absl::StatusOr<Json> DocumentJson(const Snapshot& snapshot, uint64_t doc,
                                  const WriteSequence& sequence, const SourceFilter& filter,
                                  AnswerBudget& budget) {
  Json found = {{"_seq_no", sequence.number}, {"_primary_term", sequence.term}, {"found", true}};
  if (!filter.shown) return found;
  LastStoredChunk last;
  PMDEX_ASSIGN_OR_RETURN(const std::optional<std::string> source, SourceOf(snapshot, doc, last));
  if (!budget.Take(source.has_value() ? source->size() : 0)) return budget.status();
  if (source.has_value()) found["_source"] = FilteredSource(*source, filter);
  return found;
}

// The newest document of an index that the server writes, whether searches find it or not.
absl::StatusOr<Json> GetNewest(const ServedIndex& index, Json answer, std::string_view id,
                               const SourceFilter& filter, AnswerBudget& budget) {
  PMDEX_ASSIGN_OR_RETURN(const auto newest, index.written->FindNewest(id));
  if (!newest.has_value()) {
    PMDEX_RETURN_IF_ERROR(CheckWhole(index, id));
    answer["found"] = false;
    return answer;
  }
  answer["_version"] = newest->version;
  const FoundDocument& found = newest->found;
  PMDEX_ASSIGN_OR_RETURN(const Json described,
                         DocumentJson(*found.snapshot, found.doc, found.sequence, filter, budget));
  answer.update(described);
  return answer;
}

absl::StatusOr<Json> GetDocument(const ServedIndex& index, std::string_view id,
                                 const SourceFilter& filter, AnswerBudget& budget) {
  Json answer = {{"_index", index.name}, {"_id", EscapeBadUtf8(id)}};
  if (index.written != nullptr) return GetNewest(index, std::move(answer), id, filter, budget);
  PMDEX_ASSIGN_OR_RETURN(const std::optional<uint64_t> doc, FindId(index, id));
  if (!doc.has_value()) {
    answer["found"] = false;
    return answer;
  }
  answer["_version"] = 1;
  PMDEX_ASSIGN_OR_RETURN(const Json found,
                         DocumentJson(index.searcher->snapshot(), *doc, {1, *doc}, filter, budget));
  answer.update(found);
  return answer;
}

struct GetItem {
  std::string index;
  std::string id;
  SourceFilter source;
};

absl::StatusOr<GetItem> ReadItem(const Json& value, std::string_view index,
                                 const SourceFilter& source, size_t number) {
  if (!value.is_object()) return ApiError(400, "parsing_exception", "[docs] takes objects");
  for (const auto& [key, unused] : value.items()) {
    if (HasWord(kMultiGetKeys, key)) continue;
    return ApiError(400, "parse_exception",
                    absl::StrCat("failed to parse multi get request. unknown field [", key, "]"));
  }
  GetItem item{std::string(index), "", source};
  if (value.contains("_index")) {
    PMDEX_ASSIGN_OR_RETURN(item.index, JsonText("_index", value["_index"]));
  }
  if (!value.contains("_id")) return InvalidRequest(absl::StrCat("id is missing for doc ", number));
  PMDEX_ASSIGN_OR_RETURN(item.id, JsonText("_id", value["_id"]));
  if (value.contains("_source")) {
    PMDEX_ASSIGN_OR_RETURN(item.source, ReadSourceFilter(value["_source"]));
  }
  if (item.index.empty()) return InvalidRequest(absl::StrCat("index is missing for doc ", number));
  return item;
}

// The documents of `docs` and `ids`.
absl::StatusOr<std::vector<GetItem>> ReadItems(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const SourceFilter source, ReadSourceFilter(call.parameters, {}));
  std::vector<GetItem> items;
  for (const char* key : {"docs", "ids"}) {
    if (!call.body.contains(key)) continue;
    const Json& list = call.body[key];
    if (!list.is_array()) {
      return ApiError(400, "parsing_exception", absl::StrCat("[", key, "] takes a list"));
    }
    for (const Json& element : list) {
      const Json value = key[0] == 'd' ? element : Json{{"_id", element}};
      PMDEX_ASSIGN_OR_RETURN(GetItem item, ReadItem(value, call.index, source, items.size()));
      items.push_back(std::move(item));
    }
  }
  return items;
}

absl::StatusOr<Json> GetItemJson(const ApiCall& call, const GetItem& item) {
  const auto index = FindIndex(item.index, call.indexes);
  if (!index.ok()) {
    return Json{{"_index", item.index}, {"_id", item.id}, {"error", ErrorJson(index.status())}};
  }
  absl::StatusOr<Json> document = GetDocument(**index, item.id, item.source, call.budget);
  if (document.ok() || HttpStatusOf(document.status()) != 500) return document;
  return Json{{"_index", item.index}, {"_id", item.id}, {"error", ErrorJson(document.status())}};
}

absl::StatusOr<Json> ExplainQuery(const ApiCall& call, const IndexQuery& query, uint64_t doc) {
  const std::shared_ptr<const Snapshot> snapshot = query.index->searcher->answering();
  const Deadline deadline(std::chrono::steady_clock::now() + call.timeout);
  PMDEX_ASSIGN_OR_RETURN(const std::vector<bool> matches,
                         query.index->searcher->Matches(*query.scored, {{doc}}, deadline));
  Explanation explanation{0, "no matching clause", {}};
  if (matches[0]) {
    PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                           BindQuery(*query.scored, *snapshot, SimilarityKind::kBm25, deadline));
    PMDEX_ASSIGN_OR_RETURN(explanation, Explain(binding, doc, deadline));
  }
  return Json{{"matched", matches[0] == true}, {"explanation", ExplanationJson(explanation)}};
}

}  // namespace

ApiAnswerOr AnswerDocument(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const auto index, FindIndex(call.index, call.indexes));
  PMDEX_ASSIGN_OR_RETURN(const SourceFilter filter, ReadSourceFilter(call.parameters, {}));
  PMDEX_ASSIGN_OR_RETURN(Json answer, GetDocument(*index, call.id, filter, call.budget));
  const int status = answer["found"].get<bool>() ? 200 : 404;
  return ApiAnswer{status, std::move(answer), {}};
}

ApiAnswerOr AnswerSource(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const auto index, FindIndex(call.index, call.indexes));
  PMDEX_ASSIGN_OR_RETURN(const SourceFilter filter, ReadSourceFilter(call.parameters, {}));
  PMDEX_ASSIGN_OR_RETURN(Json answer, GetDocument(*index, call.id, filter, call.budget));
  if (answer.contains("_source")) return ApiAnswer{200, std::move(answer["_source"]), {}};
  const char* const what = answer["found"].get<bool>() ? "Source" : "Document";
  return ApiError(404, "resource_not_found_exception",
                  absl::StrCat(what, " not found [", index->name, "]/[", ToAbsl(call.id), "]"));
}

ApiAnswerOr AnswerMultiGet(const ApiCall& call) {
  if (!call.body.is_object()) {
    return ApiError(400, "parse_exception", "request body is required");
  }
  PMDEX_ASSIGN_OR_RETURN(const std::vector<GetItem> items, ReadItems(call));
  if (items.empty()) return InvalidRequest("no documents to get");
  if (items.size() > call.state.limits.max_documents) {
    return BadArgument(
        absl::StrCat("the request has more than ", call.state.limits.max_documents, " documents"));
  }
  Json docs = Json::array();
  for (const GetItem& item : items) {
    PMDEX_ASSIGN_OR_RETURN(Json doc, GetItemJson(call, item));
    docs.push_back(std::move(doc));
  }
  return ApiAnswer{200, {{"docs", std::move(docs)}}, {}};
}

ApiAnswerOr AnswerExplain(const ApiCall& call) {
  SearchBody body;
  if (call.body.is_object() && call.body.contains("query")) body.query = call.body["query"];
  PMDEX_ASSIGN_OR_RETURN(Json url_query, ReadUrlQuery(call.parameters));
  if (!url_query.is_null()) body.query = std::move(url_query);
  if (body.query.is_null()) return InvalidRequest("query is missing");
  PMDEX_ASSIGN_OR_RETURN(const auto index, FindIndex(call.index, call.indexes));
  PMDEX_ASSIGN_OR_RETURN(const IndexQuery query,
                         ReadIndexQuery(index, body, call.state.analyzers, call.state.limits));
  PMDEX_ASSIGN_OR_RETURN(const std::optional<uint64_t> doc, FindId(*index, call.id));
  Json answer = {{"_index", index->name}, {"_id", EscapeBadUtf8(call.id)}};
  if (!doc.has_value()) {
    answer["matched"] = false;
    return ApiAnswer{404, std::move(answer), {}};
  }
  PMDEX_ASSIGN_OR_RETURN(const Json explained, ExplainQuery(call, query, *doc));
  answer.update(explained);
  bool shows_source = false;
  for (const char* name : {"_source", "_source_includes", "_source_excludes"}) {
    shows_source = shows_source || call.parameters.Text(name).has_value();
  }
  if (shows_source) {
    PMDEX_ASSIGN_OR_RETURN(const SourceFilter filter, ReadSourceFilter(call.parameters, {}));
    PMDEX_ASSIGN_OR_RETURN(answer["get"], DocumentJson(index->searcher->snapshot(), *doc, {1, *doc},
                                                       filter, call.budget));
  }
  return ApiAnswer{200, std::move(answer), {}};
}

}  // namespace pmdex
