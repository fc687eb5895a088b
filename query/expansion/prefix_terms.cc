#include "query/expansion/prefix_terms.h"

#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace pmdex {
namespace {

using Terms = std::map<std::string, BoundTerm, std::less<>>;

// A term that is dropped has `most` terms before it, so that it never comes back. A term that stays
// was there since the first segment that has it, and its df is complete.
absl::Status AddPrefixTerms(const Segment& segment, size_t index, const std::string& field,
                            std::string_view prefix, size_t most, DeadlineWatch& watch,
                            Terms& terms) {
  constexpr uint64_t kTermWork = 8;
  const std::optional<FieldId> id = segment.FindField(field);
  if (!id.has_value()) return absl::OkStatus();
  TermIterator at(segment.dictionary(), *id);
  for (bool more = at.Seek(prefix); more && at.term().starts_with(prefix); more = at.Next()) {
    if (watch.IsOver(kTermWork)) return absl::OkStatus();
    if (terms.size() == most && at.term() > terms.rbegin()->first) return at.status();
    PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, at.entry());
    BoundTerm& term = terms.try_emplace(std::string(at.term())).first->second;
    term.entries.Resize(index + 1);
    term.entries.Set(index, entry);
    term.df += entry.df;
    if (terms.size() > most) terms.erase(std::prev(terms.end()));
  }
  return at.status();
}

}  // namespace

absl::StatusOr<std::vector<BoundTerm>> ExpandPrefix(const std::string& field,
                                                    std::string_view prefix, size_t most,
                                                    const Snapshot& snapshot,
                                                    DeadlineWatch& watch) {
  Terms terms;
  const auto segments = snapshot.segments();
  for (size_t i = 0; i < segments.size() && most != 0; ++i) {
    PMDEX_RETURN_IF_ERROR(
        segments[i]->Checked(AddPrefixTerms(*segments[i], i, field, prefix, most, watch, terms)));
  }
  std::vector<BoundTerm> found;
  for (auto& [text, term] : terms) {
    term.text = text;
    term.entries.Resize(segments.size());
    found.push_back(std::move(term));
  }
  return found;
}

}  // namespace pmdex
