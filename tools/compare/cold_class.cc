#include "tools/compare/cold_class.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "engine/store/placement/manifest_place.h"
#include "engine/store/snapshot.h"
#include "tools/command.h"
#include "tools/compare/cold_pages.h"

namespace pmdex {
namespace {

// The directories that hold files of segments. Where one is missing, kept copies answer.
absl::StatusOr<std::vector<std::string>> SegmentDirectories(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  std::set<uint32_t> numbers;
  snapshot->manifest().ForEachFile(
      [&numbers](const ManifestSegment& file) { numbers.insert(file.place); });
  std::vector<std::string> directories;
  for (const uint32_t number : numbers) {
    const ManifestPlace* const place = FindPlace(snapshot->manifest().places, number);
    const std::string& found = place == nullptr ? path : place->path;
    std::error_code error;
    if (std::filesystem::is_directory(found, error)) directories.push_back(found);
  }
  return directories;
}

}  // namespace

absl::StatusOr<ColdMeans> MeasureCold(const std::string& path, const std::vector<BoundSet>& sets,
                                      const std::string& mode) {
  ColdMeans means;
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> directories, SegmentDirectories(path));
  for (const BoundSet& set : sets) {
    PMDEX_ASSIGN_OR_RETURN(DroppedPages dropped, DropPages(directories));
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
