#include "query/expansion/fuzzy_expansion.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/code_points.h"
#include "query/expansion/fuzzy_automaton.h"
#include "query/expansion/fuzzy_terms.h"
#include "query/expansion/one_edit_terms.h"
#include "query/expansion/signature_terms.h"
#include "query/expansion/term_pattern.h"

namespace pmdex {
namespace {

// Keeps the most similar terms. A term that was refused or dropped once is refused again in every
// later segment. So a term that is kept at the end has been there since the first segment with it,
// and its df is complete.
class NearestTerms {
 public:
  // Requires most > 0.
  NearestTerms(size_t segment_count, size_t most) : segment_count_(segment_count), most_(most) {}

  // True if no term behind `text` in byte order with at most this similarity can be added.
  bool RefusesBehind(float similarity, std::string_view text) const {
    if (terms_.size() < most_) return false;
    const float least = farthest_->second.similarity;
    return similarity < least || (similarity == least && text >= farthest_->first);
  }

  // The term, added if it is new; nullptr if enough others are more similar. The pointer is valid
  // until the next call.
  BoundTerm* FindOrAdd(std::string_view text, float similarity) {
    const bool full = terms_.size() == most_;
    if (full && IsFarther(similarity, text, *farthest_)) return nullptr;
    const auto found = terms_.find(text);
    if (found != terms_.end()) return &found->second.term;
    if (full) terms_.erase(farthest_);
    FuzzyExpansion& added = terms_[std::string(text)];
    added.similarity = similarity;
    added.term.text = text;
    added.term.entries.Resize(segment_count_);
    if (terms_.size() == most_) farthest_ = FindFarthest();
    return &added.term;
  }

  std::vector<FuzzyExpansion> Take() {
    std::vector<FuzzyExpansion> all;
    for (auto& [text, expansion] : terms_) all.push_back(std::move(expansion));
    return all;
  }

 private:
  using Terms = std::map<std::string, FuzzyExpansion, std::less<>>;

  static bool IsFarther(float similarity, std::string_view text, const Terms::value_type& other) {
    return similarity != other.second.similarity ? similarity < other.second.similarity
                                                 : text > other.first;
  }
  Terms::iterator FindFarthest() {
    auto farthest = terms_.begin();
    for (auto at = terms_.begin(); at != terms_.end(); ++at) {
      if (IsFarther(at->second.similarity, at->first, *farthest)) farthest = at;
    }
    return farthest;
  }

  const size_t segment_count_;
  const size_t most_;
  Terms terms_;
  Terms::iterator farthest_;  // valid once there are most_ terms
};

// Expands a word for a growing number of edits. If it has many terms at one edit, or others at two
// edits follow soon, the rest of the dictionary need not be searched for terms at two edits. Those
// are found by the signatures of terms, or by a walk in segments that have none.
class Expander {
 public:
  // Requires most > 0.
  Expander(const Query& query, std::span<const std::shared_ptr<const Segment>> segments,
           size_t most, DeadlineWatch& watch)
      : query_(query),
        segments_(segments),
        pattern_(query.text, query.edits),
        automaton_(query.text, query.edits),
        prefix_(FixedPrefix(query)),
        watch_(watch),
        by_signature_(segments.size()),
        nearest_(segments.size(), most) {}

  // Adds the terms of all segments.
  absl::Status AddTerms() {
    if (query_.edits > 1) PMDEX_RETURN_IF_ERROR(ScanSignatures());
    if (query_.edits == 1 && OneEditTerms::Suits(query_.text)) {
      one_edit_.emplace(query_.text, prefix_, automaton_, watch_);
    }
    const FuzzyAutomaton one_edit(query_.text, std::min<uint32_t>(query_.edits, 1));
    PMDEX_RETURN_IF_ERROR(AddFromAll(0, SignatureTerms::Candidates::kNear, one_edit));
    if (query_.edits <= 1) return absl::OkStatus();
    return AddFromAll(2, SignatureTerms::Candidates::kFar, automaton_);
  }

  std::vector<FuzzyExpansion> Take() { return nearest_.Take(); }

 private:
  absl::Status ScanSignatures() {
    for (size_t i = 0; i < segments_.size(); ++i) {
      const TermDictionary& dictionary = segments_[i]->dictionary();
      const std::optional<FieldId> field = segments_[i]->FindField(query_.field);
      if (!field.has_value() || !dictionary.has_signatures()) continue;
      by_signature_[i] = std::make_unique<SignatureTerms>(dictionary, *field, automaton_, watch_);
      PMDEX_RETURN_IF_ERROR(segments_[i]->Checked(by_signature_[i]->Scan(query_.text, prefix_)));
    }
    return absl::OkStatus();
  }

  // Adds terms with a distance of at least `least`: where signatures were scanned those of `set`,
  // elsewhere those that `automaton` accepts.
  absl::Status AddFromAll(uint32_t least, SignatureTerms::Candidates set,
                          const FuzzyAutomaton& automaton) {
    const float best = pattern_.Similarity(query_.text, least);
    for (size_t i = 0; i < segments_.size() && !nearest_.RefusesBehind(best, {}); ++i) {
      const std::optional<FieldId> field = segments_[i]->FindField(query_.field);
      if (!field.has_value()) continue;
      if (by_signature_[i] != nullptr) {
        by_signature_[i]->Start(set);
        PMDEX_RETURN_IF_ERROR(AddFrom(*by_signature_[i], i, least, best));
      } else if (one_edit_.has_value() && segments_[i]->dictionary().has_signatures()) {
        const absl::Status status = one_edit_->Find(segments_[i]->dictionary(), *field);
        PMDEX_RETURN_IF_ERROR(segments_[i]->Checked(status));
        PMDEX_RETURN_IF_ERROR(AddFrom(*one_edit_, i, least, best));
      } else {
        FuzzyTerms terms(segments_[i]->dictionary(), *field, automaton, watch_);
        PMDEX_RETURN_IF_ERROR(AddFrom(terms, i, least, best));
      }
    }
    return absl::OkStatus();
  }

  // best: the greatest similarity of a term with a distance of `least`.
  template <typename Terms>
  absl::Status AddFrom(Terms& terms, size_t segment, uint32_t least, float best) {
    while (terms.Next()) {
      if (terms.distance() < least || !terms.term().starts_with(prefix_)) continue;
      PMDEX_RETURN_IF_ERROR(Add(terms, segment));
      if (nearest_.RefusesBehind(best, terms.term())) break;
    }
    return segments_[segment]->Checked(terms.status());
  }

  template <typename Terms>
  absl::Status Add(const Terms& terms, size_t segment) {
    BoundTerm* const term =
        nearest_.FindOrAdd(terms.term(), pattern_.Similarity(terms.term(), terms.distance()));
    if (term == nullptr) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, segments_[segment]->Checked(terms.entry()));
    term->entries.Set(segment, entry);
    term->df += entry.df;
    return absl::OkStatus();
  }

  const Query& query_;
  const std::span<const std::shared_ptr<const Segment>> segments_;
  const FuzzyPattern pattern_;
  const FuzzyAutomaton automaton_;
  const std::string_view prefix_;
  DeadlineWatch& watch_;
  std::optional<OneEditTerms> one_edit_;  // for one edit, if it suits the word
  // By segment; nullptr where the terms are found in another way.
  std::vector<std::unique_ptr<SignatureTerms>> by_signature_;
  NearestTerms nearest_;
};

}  // namespace

absl::StatusOr<size_t> MostFuzzyTerms(const Query& query) {
  if (query.edits > FuzzyAutomaton::kMaxEdits) {
    return InvalidArgument("a fuzzy word allows at most " +
                           std::to_string(FuzzyAutomaton::kMaxEdits) + " edits");
  }
  return std::min<size_t>(query.max_expansions, kMaxFuzzyTerms);
}

std::string_view FixedPrefix(const Query& query) {
  const std::string_view text = query.text;
  size_t size_bytes = 0;
  for (uint32_t i = 0; i < query.prefix_length && size_bytes < text.size(); ++i) {
    size_bytes += CodePointBytes(text.substr(size_bytes));
  }
  return text.substr(0, size_bytes);
}

absl::StatusOr<std::vector<FuzzyExpansion>> ExpandFuzzy(const Query& query,
                                                        const Snapshot& snapshot,
                                                        DeadlineWatch& watch) {
  PMDEX_ASSIGN_OR_RETURN(const size_t most, MostFuzzyTerms(query));
  if (most == 0) return std::vector<FuzzyExpansion>();
  Expander expander(query, snapshot.segments(), most, watch);
  PMDEX_RETURN_IF_ERROR(expander.AddTerms());
  return expander.Take();
}

}  // namespace pmdex
