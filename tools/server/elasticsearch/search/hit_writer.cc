#include "tools/server/elasticsearch/search/hit_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "query/planning/query_binder.h"
#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/name_pattern.h"
#include "tools/server/elasticsearch/search/highlighter.h"
#include "tools/server/elasticsearch/search/stored_document.h"
#include "tools/server/writing/written_index.h"

namespace pmdex {
namespace {

// Explains the scores of hits, for a query that is bound once.
class HitExplainer {
 public:
  static absl::StatusOr<HitExplainer> Open(const IndexQuery& query, const Deadline& deadline) {
    HitExplainer explainer;
    explainer.snapshot_ = query.index->searcher->answering();
    PMDEX_ASSIGN_OR_RETURN(explainer.binding_, BindQuery(*query.scored, *explainer.snapshot_,
                                                         SimilarityKind::kBm25, deadline));
    return explainer;
  }
  absl::StatusOr<Explanation> Of(const Hit& hit, const Deadline& deadline) const {
    return Explain(*binding_, hit.doc, deadline);
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::optional<QueryBinding> binding_;
};

// Of all strings of a highlight.
uint64_t TextBytes(const Json& highlight) {
  uint64_t bytes = 0;
  for (const Json& fragments : highlight) {
    for (const Json& fragment : fragments) bytes += fragment.get_ref<const std::string&>().size();
  }
  return bytes;
}

}  // namespace

Json ExplanationJson(const Explanation& explanation) {
  Json details = Json::array();
  for (const Explanation& detail : explanation.details) details.push_back(ExplanationJson(detail));
  return {{"value", JsonFloat(explanation.value)},
          {"description", explanation.description},
          {"details", std::move(details)}};
}

absl::StatusOr<std::vector<Json>> HitWriter::Write(
    std::span<const Hit> hits, std::span<const std::vector<DocValue>> sort_values,
    const Deadline& deadline) {
  std::vector<Json> written;
  const absl::Status status = WriteUntil(deadline, hits, sort_values, written);
  if (!status.ok() && !absl::IsDeadlineExceeded(status)) return status;
  return written;
}

// Adds the hits one by one, each as a whole and as text, so that little is left to be done with
// them after the deadline. kDeadlineExceeded if the deadline came before the end.
absl::Status HitWriter::WriteUntil(const Deadline& deadline, std::span<const Hit> hits,
                                   std::span<const std::vector<DocValue>> sort_values,
                                   std::vector<Json>& written) const {
  const bool needs_scores =
      body_.sort.hides_scores() && (body_.track_scores || body_.sort.has_score());
  std::optional<HitExplainer> explainer;
  if (!hits.empty() && (body_.explain || needs_scores)) {
    PMDEX_ASSIGN_OR_RETURN(explainer, HitExplainer::Open(query_, deadline));
  }
  PMDEX_ASSIGN_OR_RETURN(std::vector<Json> matched, MatchedQueries(hits, deadline));
  const Snapshot& snapshot = query_.index->searcher->snapshot();
  const AnalyzerPool::Borrowed analyzer = analyzers_.Borrow(snapshot.settings().analyzer);
  std::optional<Highlighter> highlighter;
  if (!body_.highlight.empty()) highlighter.emplace(*query_.scored, body_.highlight, *analyzer);
  FileText files(snapshot);
  LastStoredChunk last;
  const bool reads_files =
      std::any_of(body_.highlight.begin(), body_.highlight.end(), [](const HighlightField& field) {
        return MatchesNamePattern(field.pattern, FileText::FieldName());
      });
  for (size_t i = 0; i < hits.size(); ++i) {
    if (IsPast(deadline)) return DeadlineError();
    std::optional<Explanation> explanation;
    if (explainer.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(explanation, explainer->Of(hits[i], deadline));
    }
    PMDEX_ASSIGN_OR_RETURN(Json hit, WriteHit(hits[i], explanation, last));
    if (body_.sort.by_fields())
      hit["sort"] = SortValues(body_.sort, sort_values[i], MappedFieldsOf(*query_.index));
    if (highlighter.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(const FieldTexts texts,
                             TextsOf(snapshot, hits[i].doc, reads_files ? &files : nullptr, last));
      Json highlight = highlighter->Highlight(texts);
      // Asked after the file was read: the user may have lost the right to it since the search.
      const bool is_shown =
          !highlight.is_null() && query_.index->searcher->MayShow(hits[i].id, hits[i].doc);
      if (is_shown && !budget_.Take(TextBytes(highlight))) return budget_.status();
      if (is_shown) hit["highlight"] = std::move(highlight);
    }
    if (!matched[i].is_null()) hit["matched_queries"] = std::move(matched[i]);
    written.push_back(RawJson(ToJsonText(hit)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> HitWriter::WriteHit(const Hit& hit,
                                         const std::optional<Explanation>& explanation,
                                         LastStoredChunk& last) const {
  Json out = Json::object();
  if (body_.explain) {
    out["_shard"] = "[" + query_.index->name + "][0]";
    out["_node"] = "pmdex";
  }
  out["_index"] = query_.index->name;
  out["_id"] = EscapeBadUtf8(hit.id);
  if (body_.version || body_.sequence_numbers) PMDEX_RETURN_IF_ERROR(AddVersion(hit, out));
  float score = hit.score;
  if (body_.sort.hides_scores()) {
    const bool is_shown = body_.track_scores || body_.sort.has_score();
    if (is_shown) score = explanation->value;
    out["_score"] = is_shown ? JsonFloat(score) : Json();
  } else {
    out["_score"] = JsonFloat(score);
  }
  if (body_.source.shown) {
    PMDEX_ASSIGN_OR_RETURN(const std::optional<std::string> source,
                           SourceOf(query_.index->searcher->snapshot(), hit.doc, last));
    if (source.has_value()) {
      if (!budget_.Take(source->size())) return budget_.status();
      out["_source"] = FilteredSource(*source, body_.source);
    }
  }
  if (!body_.sort.keys.empty() && !body_.sort.by_fields())
    out["sort"] = SortValues(body_.sort, score, hit.doc);
  if (body_.explain) out["_explanation"] = ExplanationJson(*explanation);
  return out;
}

// A document that was written since the searcher was made has no sequence any more that a client
// could name.
absl::Status HitWriter::AddVersion(const Hit& hit, Json& out) const {
  uint64_t version = 1;
  Json number = hit.doc;
  uint64_t term = 1;
  if (query_.index->written != nullptr) {
    PMDEX_ASSIGN_OR_RETURN(const auto newest, query_.index->written->FindNewest(hit.id));
    const bool is_same =
        newest.has_value() && newest->found.sequence.number < query_.index->writes_end;
    version = newest.has_value() ? newest->version : 1;
    number = is_same ? Json(newest->found.sequence.number) : Json(-2);
    term = is_same ? newest->found.sequence.term : 0;
  }
  if (body_.version) out["_version"] = version;
  if (!body_.sequence_numbers) return absl::OkStatus();
  out["_seq_no"] = std::move(number);
  out["_primary_term"] = term;
  return absl::OkStatus();
}

// Of each hit the names of the queries that it matches; null if there is none.
absl::StatusOr<std::vector<Json>> HitWriter::MatchedQueries(std::span<const Hit> hits,
                                                            const Deadline& deadline) const {
  std::vector<Json> names(hits.size());
  std::vector<uint64_t> docs;
  for (const Hit& hit : hits) docs.push_back(hit.doc);
  for (const NamedQuery& named : query_.named) {
    PMDEX_ASSIGN_OR_RETURN(const std::vector<bool> matches,
                           query_.index->searcher->Matches(*named.query, docs, deadline));
    for (size_t i = 0; i < hits.size(); ++i) {
      const bool is_new = std::find(names[i].begin(), names[i].end(), named.name) == names[i].end();
      if (matches[i] && is_new) names[i].push_back(named.name);
    }
  }
  return names;
}

}  // namespace pmdex
