#include "tools/profile/profile_queries.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>

#include "absl/strings/str_cat.h"

#include "query/columns/snapshot_columns.h"
#include "query/language/query_parser.h"
#include "query/planning/planner.h"
#include "query/planning/query_binder.h"
#include "tools/command.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

bool IsPattern(BoundKind kind) {
  return kind == BoundKind::kPrefix || kind == BoundKind::kWildcard || kind == BoundKind::kRegexp;
}

// A query that is one word in each field that has it counts as that word.
const BoundQuery& WithoutFields(const BoundQuery& query) {
  return query.every_field && !query.clauses.empty() ? *query.clauses[0].query : query;
}

std::string ClassOfBoolean(const BoundQuery& query) {
  size_t must = 0;
  size_t should = 0;
  bool only_terms = true;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur == Occur::kMustNot) return "not";
    (clause.occur == Occur::kMust ? must : should) += 1;
    only_terms = only_terms && WithoutFields(*clause.query).kind == BoundKind::kTerm;
  }
  if (!only_terms || (must > 0 && should > 0)) return "mixed";
  return must > 0 ? absl::StrCat("and-", must) : absl::StrCat("or-", should);
}

absl::StatusOr<ProfileQuery> Describe(const std::string& line, QueryParser& parser,
                                      const Snapshot& snapshot, bool exhaustive) {
  PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Query> query, parser.Parse(line));
  PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                         BindQuery(*query, snapshot, SimilarityKind::kBm25));
  PlanOptions options;
  options.exhaustive = exhaustive;
  ProfileQuery described;
  described.text = line;
  described.query_class = ClassOfQuery(*binding.root);
  described.plan = std::string(ToString(PlanSearch(binding, options).algorithm));
  described.postings = PostingsOfQuery(*binding.root);
  return described;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadQueryLines(const std::string& path) {
  if (path == "-")
    return InvalidArgument("profile: the queries must be a file, not standard input");
  std::ifstream file(path);
  if (!file) return ErrnoStatus(errno, absl::StrCat("queries file ", path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) lines.push_back(std::move(line));
  }
  if (file.bad()) return ErrnoStatus(EIO, absl::StrCat("queries file ", path));
  if (lines.empty()) return InvalidArgument(absl::StrCat("queries file ", path, ": no queries"));
  return lines;
}

absl::StatusOr<DescribedQueries> DescribeQueries(const std::vector<std::string>& lines,
                                                 const Snapshot& snapshot, bool exhaustive) {
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(snapshot.settings().analyzer);
  QueryParser parser(*analyzer);
  parser.SetColumns(KnowledgeOf(snapshot));
  DescribedQueries described;
  for (const std::string& line : lines) {
    absl::StatusOr<ProfileQuery> query = Describe(line, parser, snapshot, exhaustive);
    if (query.ok()) {
      described.queries.push_back(*std::move(query));
    } else if (absl::IsInvalidArgument(query.status())) {
      described.refused.push_back(absl::StrCat("query '", PrintableHead(line, 60),
                                               "': ", std::string(WithoutPlace(query.status()))));
    } else {
      return query.status();
    }
  }
  return described;
}

std::string ClassOfQuery(const BoundQuery& whole) {
  const BoundQuery& query = WithoutFields(whole);
  switch (query.kind) {
    case BoundKind::kNone:
      return "none";
    case BoundKind::kAll:
    case BoundKind::kField:
      return "all";
    case BoundKind::kTerm:
      return "term";
    case BoundKind::kPhrase:
      return absl::StrCat("phrase-", query.terms.size());
    case BoundKind::kBoolean:
      return ClassOfBoolean(query);
    default:
      return IsPattern(query.kind) ? "pattern" : "mixed";
  }
}

uint64_t PostingsOfQuery(const BoundQuery& query) {
  uint64_t postings = 0;
  for (const BoundTerm& term : query.terms) {
    for (size_t i = 0; i < term.entries.size(); ++i) {
      const DictionaryEntry* const entry = term.entries[i];
      postings += entry == nullptr ? 0 : entry->df;
    }
  }
  for (const BoundClause& clause : query.clauses) postings += PostingsOfQuery(*clause.query);
  return postings;
}

PostingRange RangeOfPostings(uint64_t postings) {
  if (postings == 0) return {0, 1};
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  for (uint64_t power = 1; power <= kMost / 10; power *= 10) {
    if (postings < 3 * power) return {power, 3 * power};
    if (postings < 10 * power) return {3 * power, 10 * power};
  }
  return {kMost / 10, kMost};
}

}  // namespace pmdex
