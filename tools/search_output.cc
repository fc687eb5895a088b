#include "tools/search_output.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/command.h"
#include "tools/facet_output.h"
#include "tools/json_writer.h"
#include "tools/nvme_flags.h"
#include "tools/printable.h"
#include "tools/sort_values.h"

namespace pmdex {
namespace {

void WriteExplanation(const Explanation& explanation, JsonWriter& json) {
  json.BeginObject();
  json.Key("value").Double(explanation.value);
  json.Key("description").String(explanation.description);
  json.Key("details").BeginArray();
  for (const Explanation& detail : explanation.details) WriteExplanation(detail, json);
  json.EndArray().EndObject();
}

void AppendExplanation(const Explanation& explanation, int depth, std::string& out) {
  absl::StrAppend(&out, std::string(static_cast<size_t>(depth) * 2, ' '),
                  absl::StrFormat("%.6g", explanation.value), " = ",
                  Printable(explanation.description), "\n");
  for (const Explanation& detail : explanation.details) AppendExplanation(detail, depth + 1, out);
}

bool HasPlaces(const PlanSummary& plan) {
  return std::any_of(plan.places.begin(), plan.places.end(),
                     [](const std::string& place) { return !place.empty(); });
}

void WritePlan(const PlanSummary& plan, JsonWriter& json) {
  json.BeginObject();
  json.Key("algorithm").String(plan.algorithm);
  json.Key("clauses").BeginArray();
  for (const PlanSummary::Clause& clause : plan.clauses) {
    json.BeginObject();
    json.Key("occur").String(clause.occur);
    json.Key("query").String(clause.query);
    if (clause.estimate.has_value()) json.Key("estimate").Uint(*clause.estimate);
    json.EndObject();
  }
  json.EndArray();
  json.Key("count").String(plan.count);
  json.Key("threads").Uint(plan.threads);
  if (plan.node_parts.has_value()) {
    json.Key("numa").BeginObject();
    json.Key("local_parts").Uint(plan.node_parts->local);
    json.Key("remote_parts").Uint(plan.node_parts->remote);
    json.EndObject();
  }
  json.Key("segments").BeginArray();
  for (const std::string_view algorithm : plan.segments) json.String(algorithm);
  json.EndArray();
  json.Key("tiers").BeginArray();
  for (const std::string_view tier : plan.tiers) json.String(tier);
  json.EndArray();
  if (HasPlaces(plan)) {
    json.Key("places").BeginArray();
    for (const std::string& place : plan.places) json.Name(place);
    json.EndArray();
  }
  json.EndObject();
}

// Up to the bracket that opens the hits.
void BeginResult(std::string_view query, const SearchResult& result, JsonWriter& json) {
  json.BeginObject();
  json.Key("query").String(query);
  json.Key("total").BeginObject();
  json.Key("value").Uint(result.total);
  json.Key("exact").Bool(result.total_exact);
  json.EndObject();
  if (result.timed_out) json.Key("timed_out").Bool(true);
  json.Key("simd").String(ToString(result.simd));
  json.Key("took_us").Double(result.took_us);
  if (result.plan.has_value()) {
    json.Key("plan");
    WritePlan(*result.plan, json);
  }
  json.Key("hits").BeginArray();
}

// cache: nullptr: not to be shown.
void EndResult(const SearchResult& result, const BlockCache* cache, JsonWriter& json) {
  json.EndArray();
  if (!result.aggregations.empty()) WriteFacets(result.aggregations, json.Key("facets"));
  WriteMissing(result.missing, json);
  if (cache != nullptr) WriteCache(*cache, json);
  json.EndObject();
}

// plan: max_score_windows, clauses: must body:a (about 3), should body:b (about 7), count: none
std::string PlanLine(const PlanSummary& plan) {
  std::string line = absl::StrCat("plan: ", pmdex::ToAbsl(plan.algorithm));
  const char* separator = ", clauses: ";
  for (const PlanSummary::Clause& clause : plan.clauses) {
    absl::StrAppend(&line, separator, pmdex::ToAbsl(clause.occur), " ", Printable(clause.query));
    if (clause.estimate.has_value()) {
      absl::StrAppend(&line, " (about ", WithThousands(*clause.estimate), ")");
    }
    separator = ", ";
  }
  absl::StrAppend(&line, ", count: ", pmdex::ToAbsl(plan.count));
  if (plan.threads > 1) absl::StrAppend(&line, ", threads: ", plan.threads);
  return line + "\n";
}

// The snippet with `begin` and `end` around its matches, and with spaces for control characters.
std::string MarkSnippet(std::string_view snippet, std::string_view begin, std::string_view end) {
  std::string out;
  for (const char c : snippet) {
    if (c == kSnippetMatchBegin) {
      out += begin;
    } else if (c == kSnippetMatchEnd) {
      out += end;
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

// The same, made printable (printable.h).
std::string PrintableSnippet(std::string_view snippet, std::string_view begin,
                             std::string_view end) {
  constexpr char kMarks[] = {kSnippetMatchBegin, kSnippetMatchEnd};
  std::string out;
  for (;;) {
    const size_t mark = snippet.find_first_of({kMarks, sizeof kMarks});
    out += Printable(snippet.substr(0, mark));
    if (mark == snippet.npos) return out;
    out += snippet[mark] == kSnippetMatchBegin ? begin : end;
    snippet.remove_prefix(mark + 1);
  }
}

// The fields of which the document has values.
void WriteFields(const SearchResult& result, size_t i, JsonWriter& json) {
  json.Key("fields").BeginObject();
  for (size_t field = 0; field < result.field_names.size(); ++field) {
    const std::vector<DocValue>& values = result.field_values[i][field];
    if (values.empty()) continue;
    json.Key(result.field_names[field]);
    WriteValues(values, json);
  }
  json.EndObject();
}

void AppendFields(const SearchResult& result, size_t i, std::string& out) {
  for (size_t field = 0; field < result.field_names.size(); ++field) {
    const std::vector<DocValue>& values = result.field_values[i][field];
    if (values.empty()) continue;
    JsonWriter json;
    WriteValues(values, json);
    absl::StrAppend(&out, "                 ", Printable(result.field_names[field]), ": ",
                    Printable(json.result()), "\n");
  }
}

void WriteHit(const SearchResult& result, size_t i, JsonWriter& json) {
  json.BeginObject();
  json.Key("id").Name(result.hits[i].id);
  json.Key("score").Double(result.hits[i].score);
  if (i < result.sort_values.size()) {
    json.Key("sort").BeginArray();
    for (const DocValue& value : result.sort_values[i]) WriteValue(value, json);
    json.EndArray();
  }
  if (i < result.field_values.size()) WriteFields(result, i, json);
  if (i < result.snippets.size()) {
    json.Key("snippet").String(MarkSnippet(result.snippets[i], "<em>", "</em>"));
  }
  if (i < result.explanations.size()) {
    json.Key("explanation");
    WriteExplanation(result.explanations[i], json);
  }
  json.EndObject();
}

void AppendHit(const SearchResult& result, size_t i, bool terminal, std::string& out) {
  const Hit& hit = result.hits[i];
  absl::StrAppend(&out, absl::StrFormat("%3d. %10.4f  %s\n", i + 1, hit.score, Printable(hit.id)));
  if (i < result.snippets.size() && !result.snippets[i].empty()) {
    const std::string& snippet = result.snippets[i];
    const std::string text = terminal ? PrintableSnippet(snippet, "\x1b[1m", "\x1b[0m")
                                      : PrintableSnippet(snippet, "[", "]");
    absl::StrAppend(&out, "                 ", text, "\n");
  }
  if (i < result.field_values.size()) AppendFields(result, i, out);
  if (i < result.explanations.size()) AppendExplanation(result.explanations[i], 4, out);
}

}  // namespace

std::string ResultToJson(std::string_view query, const SearchResult& result,
                         const BlockCache* cache) {
  JsonWriter json;
  BeginResult(query, result, json);
  for (size_t i = 0; i < result.hits.size(); ++i) WriteHit(result, i, json);
  EndResult(result, cache, json);
  return json.result();
}

std::string ResultJsonPieces::Next() {
  constexpr size_t kPieceBytes = 65536;
  if (has_ended_) return "";
  if (!has_begun_) BeginResult(query_, result_, json_);
  has_begun_ = true;
  while (next_hit_ < result_.hits.size() && json_.result().size() < kPieceBytes) {
    WriteHit(result_, next_hit_++, json_);
  }
  if (next_hit_ == result_.hits.size()) {
    EndResult(result_, nullptr, json_);
    has_ended_ = true;
  }
  return json_.TakeText();
}

std::string ErrorToJson(std::string_view query, const absl::Status& status) {
  JsonWriter json;
  json.BeginObject();
  json.Key("query").String(query);
  json.Key("error").BeginObject();
  json.Key("type").String(absl::IsInvalidArgument(status) ? "parse_error" : "search_error");
  json.Key("reason").String(PrintableHead(WithoutPlace(status), kMostMessageCharacters));
  json.EndObject().EndObject();
  return json.result();
}

std::string ResultToText(const SearchResult& result) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  std::string out = absl::StrFormat("%s %s%s, %.0f us\n", WithThousands(result.total),
                                    result.total == 1 ? "match" : "matches",
                                    result.total_exact ? "" : " or more", result.took_us);
  if (result.timed_out)
    out.insert(out.size() - 1, ", stopped at the deadline: better ones may be missing");
  if (result.plan.has_value()) out += PlanLine(*result.plan);
  for (size_t i = 0; i < result.hits.size(); ++i) {
    AppendHit(result, i, terminal, out);
  }
  AppendFacets(result.aggregations, 0, out);
  for (const MissingPart& part : result.missing) {
    absl::StrAppend(&out, "partial: ", WithThousands(part.documents), " documents of ", part.file,
                    " were not searched\n");
  }
  return out;
}

}  // namespace pmdex
