#include "query/expansion/fuzzy_expansion.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/analysis/code_points.h"
#include "query/expansion/fuzzy_automaton.h"
#include "query/expansion/fuzzy_terms.h"
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

// Expands a word for a growing number of edits. Most words have few terms at one edit, which cost
// little to find. If they are many, or others at two edits follow soon, the rest of the dictionary
// need not be searched for terms at two edits.
class Expander {
 public:
  // Requires most > 0.
  Expander(const Query& query, std::span<const std::shared_ptr<const Segment>> segments,
           size_t most, DeadlineWatch& watch)
      : query_(query),
        segments_(segments),
        pattern_(query.text, query.edits),
        prefix_(FixedPrefix(query)),
        watch_(watch),
        nearest_(segments.size(), most) {}

  // Adds the terms of all segments with a distance in [least, most]. To be called for ranges that
  // ascend and leave no distance out.
  absl::Status AddTerms(uint32_t least, uint32_t most) {
    const FuzzyAutomaton automaton(query_.text, most);
    const float best = pattern_.Similarity(query_.text, least);
    for (size_t i = 0; i < segments_.size() && !nearest_.RefusesBehind(best, {}); ++i) {
      const std::optional<FieldId> field = segments_[i]->FindField(query_.field);
      if (!field.has_value()) continue;
      FuzzyTerms terms(segments_[i]->dictionary(), *field, automaton, watch_);
      while (terms.Next()) {
        if (terms.distance() < least || !terms.term().starts_with(prefix_)) continue;
        PMDEX_RETURN_IF_ERROR(Add(terms, i));
        if (nearest_.RefusesBehind(best, terms.term())) break;
      }
      PMDEX_RETURN_IF_ERROR(segments_[i]->Checked(terms.status()));
    }
    return absl::OkStatus();
  }

  std::vector<FuzzyExpansion> Take() { return nearest_.Take(); }

 private:
  absl::Status Add(const FuzzyTerms& terms, size_t segment) {
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
  const std::string_view prefix_;
  DeadlineWatch& watch_;
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
  PMDEX_RETURN_IF_ERROR(expander.AddTerms(0, std::min<uint32_t>(query.edits, 1)));
  if (query.edits > 1) PMDEX_RETURN_IF_ERROR(expander.AddTerms(2, query.edits));
  return expander.Take();
}

}  // namespace pmdex
