// A query tree bound to a snapshot. Each word has become the entries of the term dictionaries that
// hold it, and the statistics of the whole index have become weights. A fuzzy word has become the
// terms that it stands for (fuzzy_expansion.h). Clauses that can match nothing are gone. Prefixes,
// wildcards and regular expressions stay patterns, and each segment expands them when it is
// searched (shared_expansions.h).
//
// BindQuery (query_binder.h) makes such trees. They are plain values and refer to the snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/segment/segment.h"
#include "query/language/query.h"
#include "query/planning/segment_set.h"
#include "query/similarity.h"

namespace pmdex {

// The entries of a term, indexed by segment. Lists refer to entries, which therefore stay where
// they are until the next Resize, and also if the object is moved.
class TermEntries {
 public:
  void Resize(size_t segments) {
    entries_.resize(segments);
    segments_.Resize(segments);
  }
  // Requires segment < size().
  void Set(size_t segment, const DictionaryEntry& entry) {
    entries_[segment] = entry;
    segments_.Add(segment);
  }
  size_t size() const { return entries_.size(); }
  // nullptr where the segment does not have the term. Requires segment < size().
  const DictionaryEntry* operator[](size_t segment) const {
    return segments_.Has(segment) ? &entries_[segment] : nullptr;
  }
  const SegmentSet& segments() const { return segments_; }  // that have the term

 private:
  std::vector<DictionaryEntry> entries_;  // meaningless where the segment does not have the term
  SegmentSet segments_;
};

// One term over all segments.
struct BoundTerm {
  std::string text;
  uint64_t df = 0;  // the document frequency that the similarity uses
  float idf = 0;    // made from df
  TermEntries entries;
};

// Documents of one segment.
struct BoundDocs {
  const Segment* segment = nullptr;
  std::vector<DocId> docs;  // ascending
};

enum class BoundKind {
  kNone,  // matches nothing
  kAll,   // matches every document
  kTerm,
  kPhrase,
  kField,     // the documents that have the field; constant score
  kPrefix,    // constant score
  kWildcard,  // constant score
  kRegexp,    // constant score
  kIds,       // constant score
  kPhrasePrefix,
  kRange,           // constant score
  kBoolean,         // has at least one clause that is not prohibited
  kConstantScore,   // the documents of its only clause, which has a boost of 0; constant score
  kDisjunctionMax,  // has at least two clauses, all of Occur::kShould
};

// True if all matches of this kind score the same: the boost.
bool HasConstantScore(BoundKind kind);

struct BoundQuery;
using BoundPointer = std::unique_ptr<BoundQuery>;

struct BoundClause {
  Occur occur = Occur::kShould;
  BoundPointer query;
};

struct BoundQuery {
  BoundKind kind = BoundKind::kNone;
  // The product of all boosts from the root to this node. A constant kind scores it. A query with a
  // boost of 0 scores 0 for every match; so does a boolean of filters, whose boost is 0.
  float boost = 1.0f;
  std::string field;
  std::string text;  // prefix, wildcard, regular expression, range
  std::shared_ptr<const RegexpAutomaton> regexp;
  std::shared_ptr<const ColumnRange> range;  // range
  std::vector<std::string> ids;              // ids
  std::vector<BoundDocs> docs;               // ids: the documents that have one of them
  // One for a term; for a phrase one for each of its words; for a phrase prefix the same without
  // the last word, for which any of the expansions may stand.
  std::vector<BoundTerm> terms;
  std::vector<BoundTerm> expansions;  // phrase prefix: in byte order, at least two
  std::vector<uint32_t> offsets;      // phrase, phrase prefix: of each word, from the first
  uint32_t slop = 0;                  // phrase, phrase prefix
  TermScorer scorer;                  // term, phrase, phrase prefix
  float idf = 0;                      // the same: the sum over the terms and expansions
  std::vector<BoundClause> clauses;   // of the kinds with clauses; none of them is of kind kNone
  bool every_field = false;           // boolean: its clauses are one word in each field that has it
  // Boolean: so many should-clauses must match; there are more of them. 0: one must match if no
  // clause is required, else none.
  uint32_t minimum_should_match = 0;
  float tie_breaker = 0;  // disjunction max: at least 0 and less than 1
};

// How many should-clauses of a boolean must match. has_required: it has a required clause.
constexpr uint32_t LeastShould(uint32_t minimum_should_match, bool has_required) {
  return minimum_should_match == 0 && !has_required ? 1 : minimum_should_match;
}

BoundPointer NewBoundQuery(BoundKind kind, float boost);

// The tree as Lucene would write it: (+body:a body:"b c"~2). For explanations; boosts are left out.
std::string ToText(const BoundQuery& query);

}  // namespace pmdex
