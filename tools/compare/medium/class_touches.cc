#include "tools/compare/medium/class_touches.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/compare/medium/memory_probe.h"
#include "tools/query_batch.h"

namespace pmdex {
namespace {

constexpr size_t kHotRuns = 15;
constexpr size_t kDroppedRuns = 7;

// The queries that stand for the set.
std::vector<std::string> SomeOf(const std::vector<std::string>& queries, size_t most) {
  const size_t count = std::min(most, queries.size());
  std::vector<std::string> some;
  for (size_t i = 0; i < count; ++i) some.push_back(queries[i * queries.size() / count]);
  return some;
}

std::vector<const void*> AddressesOf(const Snapshot& snapshot,
                                     const std::vector<TouchedLine>& lines) {
  constexpr uint64_t kLineBytes = 64;
  std::vector<const void*> addresses;
  addresses.reserve(lines.size());
  for (const TouchedLine& line : lines) {
    addresses.push_back(snapshot.segments()[line.segment]->view().bytes().data() +
                        line.line * kLineBytes);
  }
  return addresses;
}

// The median time of the query, each run after `prepare`.
template <typename Prepare>
absl::StatusOr<double> MedianTime(const Searcher& searcher, const std::string& query,
                                  const SearchOptions& search, size_t runs,
                                  const Prepare& prepare) {
  std::vector<double> times;
  for (size_t i = 0; i < runs; ++i) {
    prepare();
    PMDEX_ASSIGN_OR_RETURN(const SearchResult answer, searcher.Search(query, search));
    times.push_back(answer.took_us);
  }
  return MedianOf(std::move(times));
}

absl::Status AddTimes(const Searcher& searcher, const std::string& query,
                      const SearchOptions& search, const std::vector<TouchedLine>& lines,
                      double weight, ModelledClass& modelled) {
  const auto addresses = AddressesOf(searcher.snapshot(), lines);
  PMDEX_ASSIGN_OR_RETURN(const double hot, MedianTime(searcher, query, search, kHotRuns, [] {}));
  PMDEX_ASSIGN_OR_RETURN(const double dropped, MedianTime(searcher, query, search, kDroppedRuns,
                                                          [&] { DropLines(addresses); }));
  modelled.hot_us += weight * hot;
  modelled.dropped_us += weight * dropped;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClassTouches> StudyClass(const Searcher& searcher, const BoundSet& set,
                                        const SearchOptions& search, const TouchOptions& options) {
  const std::vector<std::string> queries = SomeOf(set.queries, options.most_queries);
  std::vector<RecordedQuery> recorded;
  ModelledClass modelled;
  for (const std::string& query : queries) {
    PMDEX_ASSIGN_OR_RETURN(RecordedQuery one,
                           RecordQuery(searcher, query, search, options.most_loads));
    if (one.lines.empty()) {
      return MakeStatus(absl::StatusCode::kUnimplemented, "the index is not read by mapping it");
    }
    if (options.timed) {
      const double weight = 1.0 / static_cast<double>(queries.size());
      PMDEX_RETURN_IF_ERROR(AddTimes(searcher, query, search, one.lines, weight, modelled));
    }
    recorded.push_back(std::move(one));
  }
  ClassTouches touches;
  touches.mean = MeanTouches(recorded);
  modelled.touches = touches.mean.total();
  if (options.timed) touches.modelled = modelled;
  return touches;
}

}  // namespace pmdex
