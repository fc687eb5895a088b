#include "query/result/explain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/documents/norms.h"
#include "pmem/text.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/open_cursor.h"
#include "query/cursor/snapshot_context.h"
#include "query/cursor/verified_lists.h"
#include "query/max_score.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

constexpr uint8_t kLastExactCode = 39;  // longer lengths are rounded down

Explanation Fact(float value, std::string description) {
  return {value, std::move(description), {}};
}

std::string NumberText(float number) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

// How a term or phrase occurs in the document.
struct Occurrences {
  float frequency = 0;
  uint8_t length_code = 0;
};

class Explainer {
 public:
  Explainer(const QueryBinding& binding, size_t segment_index, DocId doc, const Deadline& deadline)
      : binding_(binding),
        index_(segment_index),
        segment_(*binding.snapshot->segments()[segment_index]),
        doc_(doc),
        context_(CursorContextOf(*binding.snapshot, segment_index, deadline)) {}

  // Returns nullopt if the query does not match the document. Takes a deleted document for one that
  // is there.
  absl::StatusOr<std::optional<Explanation>> Run(const BoundQuery& query);

 private:
  using Positions = std::vector<uint32_t>;

  absl::StatusOr<std::optional<Explanation>> Boolean(const BoundQuery& query);
  absl::StatusOr<std::optional<Explanation>> DisjunctionMax(const BoundQuery& query);
  absl::StatusOr<std::optional<Explanation>> Scored(const BoundQuery& query);
  absl::StatusOr<std::optional<Explanation>> Constant(const BoundQuery& query);
  absl::StatusOr<std::optional<Occurrences>> FindTerm(const BoundTerm& term, Positions& positions);
  absl::StatusOr<std::optional<Occurrences>> Find(const BoundQuery& query);
  std::string_view IdfFormula() const;
  Explanation Idf(const BoundQuery& query) const;
  Explanation TermFrequency(const BoundQuery& query, const Occurrences& found) const;

  const QueryBinding& binding_;
  size_t index_;
  const Segment& segment_;
  DocId doc_;
  CursorContext context_;
};

absl::StatusOr<std::optional<Explanation>> Explainer::Run(const BoundQuery& query) {
  constexpr uint64_t kPartWork = 256;
  if (context_.IsOver(kPartWork)) return DeadlineError();
  switch (query.kind) {
    case BoundKind::kNone:
      return std::nullopt;
    case BoundKind::kBoolean:
      return Boolean(query);
    case BoundKind::kDisjunctionMax:
      return DisjunctionMax(query);
    case BoundKind::kTerm:
    case BoundKind::kPhrase:
    case BoundKind::kPhrasePrefix:
      return Scored(query);
    case BoundKind::kAll:
      return Fact(query.boost, "*:*, constant score");
    case BoundKind::kField:
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
    case BoundKind::kIds:
    case BoundKind::kRange:
    case BoundKind::kConstantScore:
      return Constant(query);
  }
  return MakeStatus(absl::StatusCode::kInternal, "unknown kind of bound query");
}

// Adds as the cursors do: in clause order, in double, rounded once.
absl::StatusOr<std::optional<Explanation>> Explainer::Boolean(const BoundQuery& query) {
  Explanation sum{0, "sum of:", {}};
  double total = 0;
  uint32_t optional = 0;
  bool has_required = false;
  for (const BoundClause& clause : query.clauses) {
    has_required = has_required || IsRequired(clause.occur);
    PMDEX_ASSIGN_OR_RETURN(std::optional<Explanation> part, Run(*clause.query));
    if (part.has_value() == (clause.occur == Occur::kMustNot)) {
      if (clause.occur != Occur::kShould) return std::nullopt;
    }
    if (!part.has_value() || clause.occur == Occur::kMustNot) continue;
    optional += clause.occur == Occur::kShould ? 1 : 0;
    total += part->value;
    if (clause.occur == Occur::kFilter) {
      part = Explanation{0, "match on required clause, product of:", {Fact(0, "# clause"), *part}};
    }
    sum.details.push_back(std::move(*part));
  }
  if (optional < LeastShould(query.minimum_should_match, has_required)) return std::nullopt;
  sum.value = static_cast<float>(total);
  if (sum.details.size() == 1) return std::move(sum.details[0]);
  return sum;
}

absl::StatusOr<std::optional<Explanation>> Explainer::DisjunctionMax(const BoundQuery& query) {
  MaxScore score(query.tie_breaker);
  Explanation best{0, "max of:", {}};
  if (query.tie_breaker != 0) {
    best.description = "max plus " + NumberText(query.tie_breaker) + " times others of:";
  }
  for (const BoundClause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(std::optional<Explanation> part, Run(*clause.query));
    if (!part.has_value()) continue;
    score.Add(part->value);
    best.details.push_back(std::move(*part));
  }
  if (best.details.empty()) return std::nullopt;
  best.value = score.Total();
  if (best.details.size() == 1) return std::move(best.details[0]);
  return best;
}

absl::StatusOr<std::optional<Explanation>> Explainer::Constant(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor, OpenCursor(query, segment_, index_, context_));
  const DocId found = cursor->Seek(doc_);
  PMDEX_RETURN_IF_ERROR(context_.damage);
  if (context_.timed_out) return DeadlineError();
  if (found != doc_) return std::nullopt;
  return Fact(query.boost, ToText(query) + ", constant score");
}

// The posting of the term in the document; no value if it has none.
absl::StatusOr<std::optional<Occurrences>> Explainer::FindTerm(const BoundTerm& term,
                                                               Positions& positions) {
  const DictionaryEntry* entry = term.entries[index_];
  if (entry == nullptr) return std::nullopt;
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(segment_, *entry, ListParts::kAll, context_));
  if (context_.timed_out) return DeadlineError();
  const std::optional<uint32_t> posting = list.PostingOf(doc_);
  if (!posting.has_value()) return std::nullopt;
  PMDEX_RETURN_IF_ERROR(list.ReadPositions(*posting, positions));
  return Occurrences{static_cast<float>(list.Freq(*posting)), list.codes[*posting]};
}

absl::StatusOr<std::optional<Occurrences>> Explainer::Find(const BoundQuery& query) {
  Occurrences found;
  std::vector<Positions> positions(query.terms.size());
  for (size_t i = 0; i < query.terms.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(const auto term, FindTerm(query.terms[i], positions[i]));
    if (!term.has_value()) return std::nullopt;
    found = *term;
  }
  if (query.kind == BoundKind::kTerm) return found;
  if (query.kind == BoundKind::kPhrasePrefix) {
    Positions& last = positions.emplace_back();
    for (const BoundTerm& expansion : query.expansions) {
      Positions here;
      PMDEX_RETURN_IF_ERROR(FindTerm(expansion, here).status());
      last.insert(last.end(), here.begin(), here.end());
    }
    std::sort(last.begin(), last.end());
    if (last.empty()) return std::nullopt;
  }
  found.frequency = query.slop == 0 ? ExactPhraseMatcher(query.offsets).Frequency(positions)
                                    : SloppyMatcherOf(query).Frequency(positions);
  if (found.frequency == 0) return std::nullopt;
  return found;
}

absl::StatusOr<std::optional<Explanation>> Explainer::Scored(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(const std::optional<Occurrences> found, Find(query));
  if (!found.has_value()) return std::nullopt;
  Explanation score;
  score.value = query.scorer.Score(found->frequency, found->length_code);
  score.description = "weight(" + ToText(query) + ") by " +
                      std::string(ToString(binding_.similarity.kind)) + ", product of:";
  if (query.boost != 1.0f) score.details.push_back(Fact(query.boost, "boost"));
  score.details.push_back(Idf(query));
  if (binding_.similarity.kind == SimilarityKind::kCustom) {
    score.description = "weight(" + ToText(query) + ") by the formulas of the program, from:";
    score.details.push_back(Fact(found->frequency, "frequency in the document"));
    score.details.push_back(
        {(*query.scorer.lengths)[found->length_code],
         "length factor, from:",
         {Fact(static_cast<float>(DecodeLength(found->length_code)), "dl, length of the field")}});
    return score;
  }
  score.details.push_back(TermFrequency(query, *found));
  if (binding_.similarity.kind == SimilarityKind::kTfidf) {
    score.details.push_back(
        {(*query.scorer.lengths)[found->length_code],
         "norm, 1 / sqrt(dl), from:",
         {Fact(static_cast<float>(DecodeLength(found->length_code)), "dl, length of the field")}});
  }
  return score;
}

std::string_view Explainer::IdfFormula() const {
  switch (binding_.similarity.kind) {
    case SimilarityKind::kBm25:
      return ", ln(1 + (N - df + 0.5) / (df + 0.5))";
    case SimilarityKind::kTfidf:
      return ", ln((N + 1) / (df + 1)) + 1";
    case SimilarityKind::kCustom:
      break;
  }
  return "";
}

Explanation Explainer::Idf(const BoundQuery& query) const {
  const auto n = static_cast<float>(binding_.snapshot->field_statistics(query.field).doc_count);
  Explanation idf{query.idf, "idf, sum of:", {}};
  const auto add = [&](const BoundTerm& term) {
    idf.details.push_back({term.idf,
                           absl::StrCat("idf(", term.text, ")", ToAbsl(IdfFormula()), " from:"),
                           {Fact(static_cast<float>(term.df), "df, documents with the term"),
                            Fact(n, "N, documents with the field")}});
  };
  for (const BoundTerm& term : query.terms) add(term);
  for (const BoundTerm& term : query.expansions) add(term);
  if (idf.details.size() == 1) return std::move(idf.details[0]);
  return idf;
}

Explanation Explainer::TermFrequency(const BoundQuery& query, const Occurrences& found) const {
  const std::string name = query.kind == BoundKind::kTerm ? "frequency" : "phrase frequency";
  Explanation frequency = Fact(found.frequency, name + " in the document");
  if (binding_.similarity.kind == SimilarityKind::kTfidf) {
    return {TfidfFormula::Score(1, found.frequency, 1), "tf, sqrt(freq) from:", {frequency}};
  }
  const float length = (*query.scorer.lengths)[found.length_code];
  const bool exact = found.length_code <= kLastExactCode;
  return {1.0f - 1.0f / (1.0f + found.frequency * length),
          "tf, freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:",
          {std::move(frequency), Fact(kBm25K1, "k1, saturation of the frequency"),
           Fact(kBm25B, "b, normalisation by length"),
           Fact(static_cast<float>(DecodeLength(found.length_code)),
                exact ? "dl, length of the field" : "dl, length of the field (approximate)"),
           Fact(AverageLength(binding_.snapshot->field_statistics(query.field)),
                "avgdl, average length of the field")}};
}

}  // namespace

absl::StatusOr<Explanation> Explain(const QueryBinding& binding, uint64_t doc,
                                    const Deadline& deadline) {
  const Snapshot& snapshot = *binding.snapshot;
  for (size_t i = snapshot.segments().size(); i-- > 0;) {
    if (snapshot.doc_base(i) > doc) continue;
    const uint64_t local = doc - snapshot.doc_base(i);
    if (local >= snapshot.segments()[i]->doc_count()) break;
    if (!IsLive(snapshot.live_docs(i), static_cast<DocId>(local))) break;
    PMDEX_ASSIGN_OR_RETURN(
        std::optional<Explanation> explanation,
        Explainer(binding, i, static_cast<DocId>(local), deadline).Run(*binding.root));
    if (!explanation.has_value()) break;
    return std::move(*explanation);
  }
  return InvalidArgument("document " + std::to_string(doc) + " does not match the query");
}

}  // namespace pmdex
