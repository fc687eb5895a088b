// A query bound to a snapshot: words became entries of the dictionaries, statistics of the whole
// index became weights, fuzzy words became the terms they stand for (fuzzy_expansion.h), and what
// can match nothing is gone. Prefixes and wildcards stay patterns: each segment expands them when
// it is searched, once for all that do so (shared_expansions.h).
//
// A word without a field becomes a clause for each field whose dictionaries have it, in the order
// of the fields' names; fields that do not have it cost a look-up and nothing behind it.
//
// query tree -> BindQuery -> OpenCursor (once a segment) -> algorithm
//
// A Plan is immutable but for its expansions and refers to the snapshot, which must outlive it.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/deadline.h"
#include "query/expansion/shared_expansions.h"
#include "query/language/query.h"
#include "query/similarity.h"

namespace pmdex {

// One term over all segments.
struct BoundTerm {
  std::string text;
  uint64_t df = 0;  // as the similarity takes it
  float idf = 0;    //
  std::vector<const DictionaryEntry*>
      entries;  // by segment; nullptr where it does not have the term
};

enum class BoundKind {
  kNone,
  kAll,
  kTerm,
  kPhrase,
  kField,     // documents that have the field
  kPrefix,    // constant score
  kWildcard,  // constant score
  kRegexp,    // constant score
  kBoolean,   // at least one clause that is not prohibited
};

struct BoundQuery;

struct BoundClause {
  Occur occur = Occur::kShould;
  std::unique_ptr<BoundQuery> query;
};

struct BoundQuery {
  BoundKind kind = BoundKind::kNone;
  float boost = 1.0f;  // the product of all boosts down to here; the score of constant kinds
  std::string field;
  std::string text;  // prefix, wildcard, regular expression
  std::shared_ptr<const RegexpAutomaton> regexp;
  std::vector<BoundTerm> terms;      // term: one; phrase: one a word
  std::vector<uint32_t> offsets;     // phrase
  uint32_t slop = 0;                 // phrase
  TermScorer scorer;                 // term, phrase
  float idf = 0;                     // term, phrase: what the weight was made from
  std::vector<BoundClause> clauses;  // boolean; kNone only where it is all there is
  bool every_field = false;          // boolean: one word, in each of the fields that have it
};

// One that timed out has no root but kNone: a part of the terms would be another query.
struct Plan {
  const Snapshot* snapshot = nullptr;
  SimilarityKind similarity = SimilarityKind::kBm25;
  std::unique_ptr<BoundQuery> root;
  std::map<std::string, std::unique_ptr<LengthTable>, std::less<>> lengths;  // by field
  bool timed_out = false;  // the deadline came while words were looked up or expanded
  // For those that answer the plan; what it means does not depend on them.
  std::unique_ptr<SharedExpansions> expansions = std::make_unique<SharedExpansions>();
};

// Deeper trees are refused: cursors nest as the tree does.
inline constexpr size_t kMaxQueryDepth = 256;

// kInvalidArgument: a phrase on an index without positions, too many edits, too deep, a regular
// expression that cannot be compiled, boosts that make scores that are not finite.
// kDataLoss: a damaged dictionary.
absl::StatusOr<Plan> BindQuery(const Query& query, const Snapshot& snapshot, SimilarityKind kind,
                               const Deadline& deadline = std::nullopt);

// The cursors of one segment. Damage found while opening is a Status, damage found while walking is
// in the context, which must outlive the cursor as the plan must.
absl::StatusOr<CursorPointer> OpenCursor(const BoundQuery& query, const Segment& segment,
                                         size_t segment_index, CursorContext& context);

}  // namespace pmdex
