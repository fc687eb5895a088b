#include "query/result/explain.h"

#include <optional>
#include <utility>

#include "engine/segment/documents/norms.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/open_cursor.h"
#include "query/cursor/sloppy_phrase.h"
#include "query/cursor/verified_lists.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

constexpr uint8_t kLastExactCode = 39;  // longer lengths are rounded down

Explanation Fact(float value, std::string description) {
  return {value, std::move(description), {}};
}

absl::Status TooLate() {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded, "the deadline came first");
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
        context_{segment_.doc_count(), segment_.file_name(), absl::OkStatus(), deadline} {}

  // Returns nullopt if the query does not match the document.
  absl::StatusOr<std::optional<Explanation>> Run(const BoundQuery& query);

 private:
  absl::StatusOr<std::optional<Explanation>> Boolean(const BoundQuery& query);
  absl::StatusOr<std::optional<Explanation>> Scored(const BoundQuery& query);
  absl::StatusOr<std::optional<Explanation>> Constant(const BoundQuery& query);
  absl::StatusOr<std::optional<Occurrences>> Find(const BoundQuery& query);
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
  if (context_.IsOver(kPartWork)) return TooLate();
  switch (query.kind) {
    case BoundKind::kNone:
      return std::nullopt;
    case BoundKind::kBoolean:
      return Boolean(query);
    case BoundKind::kTerm:
    case BoundKind::kPhrase:
      return Scored(query);
    case BoundKind::kAll:
      return Fact(query.boost, "*:*, constant score");
    case BoundKind::kField:
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
      return Constant(query);
  }
  return MakeStatus(absl::StatusCode::kInternal, "unknown kind of bound query");
}

// Adds as the cursors do: in clause order, in double, rounded once.
absl::StatusOr<std::optional<Explanation>> Explainer::Boolean(const BoundQuery& query) {
  Explanation sum{0, "sum of:", {}};
  double total = 0;
  for (const BoundClause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(std::optional<Explanation> part, Run(*clause.query));
    if (part.has_value() == (clause.occur == Occur::kMustNot)) {
      if (clause.occur != Occur::kShould) return std::nullopt;
    }
    if (!part.has_value() || clause.occur == Occur::kMustNot) continue;
    total += part->value;
    sum.details.push_back(std::move(*part));
  }
  if (sum.details.empty()) return std::nullopt;
  sum.value = static_cast<float>(total);
  if (sum.details.size() == 1) return std::move(sum.details[0]);
  return sum;
}

absl::StatusOr<std::optional<Explanation>> Explainer::Constant(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor, OpenCursor(query, segment_, index_, context_));
  const DocId found = cursor->Seek(doc_);
  PMDEX_RETURN_IF_ERROR(context_.damage);
  if (context_.timed_out) return TooLate();
  if (found != doc_) return std::nullopt;
  return Fact(query.boost, ToText(query) + ", constant score");
}

absl::StatusOr<std::optional<Occurrences>> Explainer::Find(const BoundQuery& query) {
  Occurrences found;
  std::vector<std::vector<uint32_t>> positions(query.terms.size());
  std::vector<std::string> texts;
  for (size_t i = 0; i < query.terms.size(); ++i) {
    const DictionaryEntry* entry = query.terms[i].entries[index_];
    if (entry == nullptr) return std::nullopt;
    PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                           PostingsInTime(segment_, *entry, ListParts::kAll, context_));
    if (context_.timed_out) return TooLate();
    const std::optional<uint32_t> posting = list.PostingOf(doc_);
    if (!posting.has_value()) return std::nullopt;
    found.frequency = static_cast<float>(list.Freq(*posting));
    found.length_code = list.codes[*posting];
    PMDEX_RETURN_IF_ERROR(list.ReadPositions(*posting, positions[i]));
    texts.push_back(query.terms[i].text);
  }
  if (query.kind == BoundKind::kPhrase) {
    found.frequency =
        query.slop == 0
            ? ExactPhraseMatcher(query.offsets).Frequency(positions)
            : SloppyPhraseMatcher(texts, query.offsets, query.slop).Frequency(positions);
    if (found.frequency == 0) return std::nullopt;
  }
  return found;
}

absl::StatusOr<std::optional<Explanation>> Explainer::Scored(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(const std::optional<Occurrences> found, Find(query));
  if (!found.has_value()) return std::nullopt;
  Explanation score;
  score.value = query.scorer.Score(found->frequency, found->length_code);
  score.description = "weight(" + ToText(query) + ") by " +
                      std::string(ToString(binding_.similarity)) + ", product of:";
  if (query.boost != 1.0f) score.details.push_back(Fact(query.boost, "boost"));
  score.details.push_back(Idf(query));
  score.details.push_back(TermFrequency(query, *found));
  if (binding_.similarity == SimilarityKind::kTfidf) {
    score.details.push_back(
        {(*query.scorer.lengths)[found->length_code],
         "norm, 1 / sqrt(dl), from:",
         {Fact(static_cast<float>(DecodeLength(found->length_code)), "dl, length of the field")}});
  }
  return score;
}

Explanation Explainer::Idf(const BoundQuery& query) const {
  const auto n = static_cast<float>(binding_.snapshot->field_statistics(query.field).doc_count);
  Explanation idf{query.idf, "idf, sum of:", {}};
  for (const BoundTerm& term : query.terms) {
    idf.details.push_back({term.idf,
                           binding_.similarity == SimilarityKind::kBm25
                               ? "idf(" + term.text + "), ln(1 + (N - df + 0.5) / (df + 0.5)) from:"
                               : "idf(" + term.text + "), ln((N + 1) / (df + 1)) + 1 from:",
                           {Fact(static_cast<float>(term.df), "df, documents with the term"),
                            Fact(n, "N, documents with the field")}});
  }
  if (idf.details.size() == 1) return std::move(idf.details[0]);
  return idf;
}

Explanation Explainer::TermFrequency(const BoundQuery& query, const Occurrences& found) const {
  const std::string name = query.kind == BoundKind::kPhrase ? "phrase frequency" : "frequency";
  Explanation frequency = Fact(found.frequency, name + " in the document");
  if (binding_.similarity == SimilarityKind::kTfidf) {
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
    PMDEX_ASSIGN_OR_RETURN(
        std::optional<Explanation> explanation,
        Explainer(binding, i, static_cast<DocId>(local), deadline).Run(*binding.root));
    if (!explanation.has_value()) break;
    return std::move(*explanation);
  }
  return InvalidArgument("document " + std::to_string(doc) + " does not match the query");
}

}  // namespace pmdex
