#include "query/expansion/fuzzy_expansion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "query/expansion/fuzzy_automaton.h"
#include "query/expansion/fuzzy_terms.h"
#include "query/expansion/term_pattern.h"
#include "query/language/code_points.h"

namespace pmdex {
namespace {

// Keeps the most similar terms. A term that was refused or dropped once is refused again in every
// later segment. So a term that is kept at the end has been there since the first segment with it,
// and its df is complete.
class NearestTerms {
 public:
  // Requires most > 0.
  NearestTerms(size_t segment_count, size_t most) : segment_count_(segment_count), most_(most) {}

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

// The first `count` characters of the text, or all of it.
std::string_view FirstCharacters(std::string_view text, uint32_t count) {
  size_t size = 0;
  for (; count > 0 && size < text.size(); --count) size += CodePointBytes(text.substr(size));
  return text.substr(0, size);
}

}  // namespace

absl::StatusOr<std::vector<FuzzyExpansion>> ExpandFuzzy(const Query& query,
                                                        const Snapshot& snapshot,
                                                        DeadlineWatch& watch) {
  if (query.edits > FuzzyAutomaton::kMaxEdits) {
    return InvalidArgument("a fuzzy word allows at most " +
                           std::to_string(FuzzyAutomaton::kMaxEdits) + " edits");
  }
  const FuzzyPattern pattern(query.text, query.edits);
  const FuzzyAutomaton automaton(query.text, query.edits);
  const auto segments = snapshot.segments();
  const std::string_view prefix = FirstCharacters(query.text, query.prefix_length);
  const size_t most = std::min<size_t>(query.max_expansions, kMaxFuzzyTerms);
  if (most == 0) return std::vector<FuzzyExpansion>();
  NearestTerms nearest(segments.size(), most);
  for (size_t i = 0; i < segments.size(); ++i) {
    const std::optional<FieldId> field = segments[i]->FindField(query.field);
    if (!field.has_value()) continue;
    FuzzyTerms terms(segments[i]->dictionary(), *field, automaton, watch);
    while (terms.Next()) {
      if (!terms.term().starts_with(prefix)) continue;
      BoundTerm* const term =
          nearest.FindOrAdd(terms.term(), pattern.Similarity(terms.term(), terms.distance()));
      if (term == nullptr) continue;
      PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, segments[i]->Checked(terms.entry()));
      term->entries.Set(i, entry);
      term->df += entry.df;
    }
    PMDEX_RETURN_IF_ERROR(segments[i]->Checked(terms.status()));
  }
  return nearest.Take();
}

}  // namespace pmdex
