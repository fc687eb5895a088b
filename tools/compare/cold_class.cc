#include "tools/compare/cold_class.h"

#include <utility>

#include "tools/command.h"
#include "tools/compare/cold_pages.h"

namespace pmdex {

absl::StatusOr<ColdMeans> MeasureCold(const std::string& path, const std::vector<BoundSet>& sets,
                                      const std::string& mode) {
  ColdMeans means;
  for (const BoundSet& set : sets) {
    PMDEX_ASSIGN_OR_RETURN(DroppedPages dropped, DropPages(path));
    if (!dropped.why_not.empty()) return ColdMeans{{}, std::move(dropped.why_not)};
    PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
    PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
    const Searcher searcher(snapshot);
    double sum_us = 0;
    for (const std::string& query : set.queries) {
      PMDEX_ASSIGN_OR_RETURN(const SearchResult answer,
                             searcher.Search(query, SearchOptionsOfMode(mode)));
      sum_us += answer.took_us;
    }
    means.mean_us.push_back(sum_us / static_cast<double>(set.queries.size()));
  }
  return means;
}

}  // namespace pmdex
