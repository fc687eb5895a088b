// The queries of a profile: read from a file, and sorted into classes, plans and buckets by what
// they read. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/planning/bound_query.h"

namespace pmdex {

struct ProfileQuery {
  std::string text;
  std::string query_class;  // ClassOfQuery
  std::string plan;         // the algorithm of the planner
  uint64_t postings = 0;    // in the lists of its terms, over the whole index
};

// The lines of the file that are not blank. "-" is not allowed, because the queries may be read by
// another process again (--simulate).
absl::StatusOr<std::vector<std::string>> ReadQueryLines(const std::string& path);

struct DescribedQueries {
  std::vector<ProfileQuery> queries;
  std::vector<std::string> refused;  // one message for each line that is no query
};

// Parses, binds and plans each line. exhaustive: the plan that scores every match.
absl::StatusOr<DescribedQueries> DescribeQueries(const std::vector<std::string>& lines,
                                                 const Snapshot& snapshot, bool exhaustive);

// "term", "phrase-3", "and-2", "or-5" (so many words), "not", "pattern", "mixed", "all", "none". A
// word that was looked up in several fields is one word.
std::string ClassOfQuery(const BoundQuery& query);

// The postings of all lists that the query reads.
uint64_t PostingsOfQuery(const BoundQuery& query);

// The bucket of a number of postings: its bounds are 0, 1, 3, 10, 30, 100, ...
struct PostingRange {
  uint64_t from = 0;
  uint64_t to = 0;  // exclusive
  friend auto operator<=>(const PostingRange&, const PostingRange&) = default;
};
PostingRange RangeOfPostings(uint64_t postings);

}  // namespace pmdex
