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
#include "query/similarity.h"

namespace pmdex {

// One term over all segments.
struct BoundTerm {
  std::string text;
  uint64_t df = 0;  // the document frequency that the similarity uses
  float idf = 0;    // made from df
  // Indexed by segment; nullptr where the segment does not have the term.
  std::vector<const DictionaryEntry*> entries;
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
  kBoolean,   // has at least one clause that is not prohibited
};

struct BoundQuery;

struct BoundClause {
  Occur occur = Occur::kShould;
  std::unique_ptr<BoundQuery> query;
};

struct BoundQuery {
  BoundKind kind = BoundKind::kNone;
  // The product of all boosts from the root to this node. A constant kind scores it.
  float boost = 1.0f;
  std::string field;
  std::string text;  // prefix, wildcard, regular expression
  std::shared_ptr<const RegexpAutomaton> regexp;
  std::vector<BoundTerm> terms;      // one for a term; for a phrase one for each of its words
  std::vector<uint32_t> offsets;     // phrase: of each word, from the first
  uint32_t slop = 0;                 // phrase
  TermScorer scorer;                 // term, phrase
  float idf = 0;                     // term, phrase: the sum over the terms
  std::vector<BoundClause> clauses;  // boolean; none of them is of kind kNone
  bool every_field = false;          // boolean: its clauses are one word in each field that has it
};

// The tree as Lucene would write it: (+body:a body:"b c"~2). For explanations; boosts are left out.
std::string ToText(const BoundQuery& query);

}  // namespace pmdex
