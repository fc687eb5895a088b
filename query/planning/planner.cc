#include "query/planning/planner.h"

#include <algorithm>

#include "query/kernel/window_bits.h"

namespace pmdex {
namespace {

bool HasNegativeWeight(const BoundQuery& query) {
  if (query.kind == BoundKind::kBoolean || query.kind == BoundKind::kDisjunctionMax) {
    return std::any_of(query.clauses.begin(), query.clauses.end(), [](const BoundClause& clause) {
      return clause.occur != Occur::kMustNot && HasNegativeWeight(*clause.query);
    });
  }
  const bool scores = !query.terms.empty();
  return !((scores ? query.scorer.weight : query.boost) >= 0);  // true for NaN
}

bool IsInManyFields(const BoundQuery& query) {
  constexpr size_t kManyFields = 128;
  if (query.every_field && query.clauses.size() > kManyFields) return true;
  return std::any_of(query.clauses.begin(), query.clauses.end(), [](const BoundClause& clause) {
    return clause.occur != Occur::kMustNot && IsInManyFields(*clause.query);
  });
}

// Whether a document that matches may score less than the minimum, so that only scores count.
bool CountsScores(const PlanOptions& options) {
  const bool counts = options.count || options.count_limit.has_value() || options.k == 0;
  return counts && options.limits.has_min_score();
}

Algorithm AlgorithmOf(const BoundQuery& root, const PlanOptions& options) {
  if (root.kind == BoundKind::kNone) return Algorithm::kNone;
  if (options.exhaustive || CountsScores(options)) return Algorithm::kExhaustive;
  if (options.k == 0) return Algorithm::kNone;
  if (IsInManyFields(root) || HasNegativeWeight(root)) return Algorithm::kExhaustive;
  if (HasConstantScore(root.kind)) return Algorithm::kConstantScore;
  switch (root.kind) {
    case BoundKind::kTerm:
      return Algorithm::kSingleTerm;
    case BoundKind::kBoolean:
    case BoundKind::kDisjunctionMax:
      return root.boost == 0 ? Algorithm::kConstantScore : Algorithm::kMaxScoreWindows;
    default:
      return Algorithm::kMaxScoreWindows;
  }
}

// The documents that can match the leaf: no more than its rarest word has.
uint64_t DocumentsOf(const BoundQuery& leaf, const Snapshot& snapshot) {
  if (leaf.terms.empty()) return snapshot.doc_count();
  uint64_t least = leaf.terms[0].df;
  for (const BoundTerm& term : leaf.terms) least = std::min(least, term.df);
  return least;
}

uint64_t EstimateOf(const FlatClause& clause, const Snapshot& snapshot) {
  uint64_t documents = 0;
  for (const FlatLeaf& leaf : clause.leaves) documents += DocumentsOf(*leaf.query, snapshot);
  return documents;
}

// About how many postings the query reads. A phrase also reads positions.
uint64_t PostingsOf(std::span<const FlatClause> clauses, const Snapshot& snapshot) {
  constexpr uint64_t kPostingsPerPhraseCandidate = 16;
  uint64_t postings = 0;
  for (const FlatClause& clause : clauses) {
    for (const FlatLeaf& leaf : clause.leaves) {
      const uint64_t documents = DocumentsOf(*leaf.query, snapshot);
      const bool is_phrase = leaf.query->kind == BoundKind::kPhrase;
      postings += is_phrase ? documents * kPostingsPerPhraseCandidate : documents;
    }
  }
  return postings;
}

// How many documents of the segment are deleted.
uint64_t DeletedIn(const Snapshot& snapshot, size_t segment) {
  const LiveDocs* const live_docs = snapshot.live_docs(segment);
  return live_docs == nullptr ? 0 : live_docs->deleted_count();
}

// So many documents match at least, as the term dictionary says. All deleted documents may be among
// those that have a term.
uint64_t LeastMatches(const BoundQuery& query, const Snapshot& snapshot) {
  switch (query.kind) {
    case BoundKind::kAll:
      return snapshot.live_doc_count();
    case BoundKind::kTerm: {
      uint64_t documents = 0;  // the df of a fuzzy word's term is that of another term
      const TermEntries& entries = query.terms[0].entries;
      for (size_t i = 0; i < entries.size(); ++i) {
        const uint64_t df = entries[i] ? entries[i]->df : 0;
        documents += df - std::min(df, DeletedIn(snapshot, i));
      }
      return documents;
    }
    case BoundKind::kConstantScore:
      return LeastMatches(*query.clauses[0].query, snapshot);
    case BoundKind::kBoolean:
    case BoundKind::kDisjunctionMax:
      break;
    default:
      return 0;
  }
  uint64_t most = 0;
  if (query.minimum_should_match != 0) return 0;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur != Occur::kShould) return 0;
    most = std::max(most, LeastMatches(*clause.query, snapshot));
  }
  return most;
}

size_t RangeCount(const Snapshot& snapshot, uint32_t windows_per_range) {
  size_t ranges = 0;
  for (const auto& segment : snapshot.segments()) {
    const uint32_t windows = WindowCount(segment->doc_count());
    ranges += windows / windows_per_range + (windows % windows_per_range != 0 ? 1 : 0);
  }
  return ranges;
}

// Each thread would look for all documents of a phrase prefix.
bool HasPhrasePrefix(std::span<const FlatClause> clauses) {
  return std::any_of(clauses.begin(), clauses.end(), [](const FlatClause& clause) {
    return std::any_of(clause.leaves.begin(), clause.leaves.end(), [](const FlatLeaf& leaf) {
      return leaf.query->kind == BoundKind::kPhrasePrefix;
    });
  });
}

// One thread answers the short algorithms.
size_t ThreadsOf(const SearchPlan& plan, const Snapshot& snapshot, const PlanOptions& options) {
  if (options.threads <= 1 || plan.algorithm != Algorithm::kMaxScoreWindows) return 1;
  if (HasPhrasePrefix(plan.clauses)) return 1;
  if (PostingsOf(plan.clauses, snapshot) < options.least_parallel_postings) return 1;
  return std::min(options.threads,
                  std::max<size_t>(1, RangeCount(snapshot, options.windows_per_range)));
}

// Whether the number of matches is known without a look at posting lists. The dictionary counts
// deleted documents, too.
bool StatisticsCount(BoundKind root, const RankLimits& limits, const Snapshot& snapshot) {
  if (root == BoundKind::kNone) return true;
  if (limits.has_min_score()) return false;
  const bool has_deletions = snapshot.live_doc_count() != snapshot.doc_count();
  return root == BoundKind::kAll || (root == BoundKind::kTerm && !has_deletions);
}

// The matches of a phrase cost much to find and little to score, so that counting scores them; but
// not if there may be more than have to be counted.
// Threads that share a query do not have a whole segment's clauses each, and cannot count them.
CountMethod CountMethodOf(const SearchPlan& plan, BoundKind root, const PlanOptions& options,
                          const Snapshot& snapshot) {
  if (plan.algorithm == Algorithm::kExhaustive) return CountMethod::kByScoring;
  if (StatisticsCount(root, options.limits, snapshot)) return CountMethod::kFromStatistics;
  const bool counts_all = options.count || !options.count_limit.has_value();
  if (!counts_all && plan.least_matches > plan.count_limit) return CountMethod::kNone;
  if (plan.algorithm == Algorithm::kNone) return CountMethod::kSeparately;
  if (!options.count && !options.count_limit.has_value()) return CountMethod::kNone;
  if (root == BoundKind::kPhrase) {
    const bool few = counts_all || plan.estimates[0] <= plan.count_limit;
    return few ? CountMethod::kByScoring : CountMethod::kSeparately;
  }
  const bool has_clauses_open =
      plan.algorithm == Algorithm::kMaxScoreWindows || plan.algorithm == Algorithm::kSingleTerm;
  return has_clauses_open && plan.threads == 1 ? CountMethod::kWithRanking
                                               : CountMethod::kSeparately;
}

// True if whole lists promise to have all competitive documents: the other clauses together cannot
// reach what the best of the terms with lists can add. With many lists, as a fuzzy word has them,
// it costs too much to look the documents of each list up in all others.
bool PromisesWholeLists(std::span<const SegmentClause> clauses, size_t k) {
  constexpr size_t kMostClauses = 8;
  if (clauses.size() > kMostClauses) return false;
  float best_list = 0;
  double others = 0;
  uint64_t documents = 0;
  for (const SegmentClause& clause : clauses) {
    if (IsRequired(clause.occur)) return false;
    if (!IsScored(clause.occur)) continue;
    if (clause.is_docid_list) {
      best_list = std::max(best_list, clause.bound);
      documents += clause.estimate;
    } else {
      others += clause.bound;
    }
  }
  return best_list > 0 && others < best_list && (others == 0 || documents >= k);
}

}  // namespace

SearchPlan PlanSearch(const QueryBinding& binding, const PlanOptions& options) {
  const BoundQuery& root = *binding.root;
  SearchPlan plan;
  plan.k = options.k;
  plan.limits = options.limits;
  if (!options.count && options.count_limit.has_value()) {
    plan.count_limit = *options.count_limit;
    if (!options.limits.has_min_score()) plan.least_matches = LeastMatches(root, *binding.snapshot);
  }
  plan.algorithm = AlgorithmOf(root, options);
  plan.clauses = Flatten(root);
  plan.segments = FindCandidateSegments(plan.clauses, binding.snapshot->segments().size());
  if (root.kind == BoundKind::kBoolean) plan.minimum_should_match = root.minimum_should_match;
  plan.estimates.reserve(plan.clauses.size());
  for (const FlatClause& clause : plan.clauses) {
    plan.estimates.push_back(EstimateOf(clause, *binding.snapshot));
  }
  plan.threads = ThreadsOf(plan, *binding.snapshot, options);
  plan.windows_per_range = options.windows_per_range;
  plan.count = CountMethodOf(plan, root.kind, options, *binding.snapshot);
  plan.reads_lists = !StatisticsCount(root.kind, options.limits, *binding.snapshot) ||
                     (options.k != 0 && !plan.clauses.empty());
  return plan;
}

SegmentSearchPlan PlanSegmentSearch(const SearchPlan& plan,
                                    std::span<const SegmentClause> clauses) {
  SegmentSearchPlan segment;
  if (clauses.empty()) return segment;
  segment.algorithm = plan.algorithm;
  segment.required.reserve(clauses.size());
  for (uint32_t i = 0; i < clauses.size(); ++i) {
    if (IsRequired(clauses[i].occur)) segment.required.push_back(i);
  }
  std::sort(segment.required.begin(), segment.required.end(), [&](uint32_t a, uint32_t b) {
    return clauses[a].estimate != clauses[b].estimate ? clauses[a].estimate < clauses[b].estimate
                                                      : a < b;
  });
  // A lead list finds the best documents only, so that it cannot score every match.
  if (plan.algorithm != Algorithm::kMaxScoreWindows || plan.count == CountMethod::kByScoring) {
    return segment;
  }
  const auto lead = std::find_if(segment.required.begin(), segment.required.end(),
                                 [&](uint32_t i) { return clauses[i].is_docid_list; });
  if (lead != segment.required.end()) {
    segment.algorithm = Algorithm::kLeadList;
    segment.lead = *lead;
  } else if (PromisesWholeLists(clauses, plan.k)) {
    segment.algorithm = Algorithm::kWholeLists;
  }
  return segment;
}

}  // namespace pmdex
