#include "tests/support/store_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/manifest.h"
#include "engine/store/snapshot.h"
#include "query/searcher.h"

namespace pmdex {

absl::StatusOr<uint64_t> CountOf(const std::string& store, const std::string& query) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenFileDirectory(store, {}));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  EXPECT_TRUE(snapshot->passed_over().empty());
  SearchOptions options;
  options.k = 0;
  options.count = true;
  PMDEX_ASSIGN_OR_RETURN(const SearchResult result, Searcher(snapshot).Search(query, options));
  return result.total;
}

std::set<std::string> UnlistedFiles(const std::string& store) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(store)) {
    names.insert(entry.path().filename().string());
  }
  names.erase("write.lock");
  const auto directory = OpenFileDirectory(store, {});
  EXPECT_TRUE(directory.ok()) << directory.status();
  if (!directory.ok()) return names;
  const auto manifest = LoadNewestManifest(**directory, nullptr);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  if (!manifest.ok()) return names;
  names.erase(ManifestFileName(manifest->generation));
  for (const ManifestSegment& segment : manifest->segments) {
    names.erase(SegmentFileName(segment.id));
    names.erase(LiveDocsFileName({segment.id, segment.live_docs_generation}));
  }
  if (!manifest->pending.has_value()) return names;
  for (const ManifestSegment& segment : manifest->pending->segments) {
    names.erase(SegmentFileName(segment.id));
  }
  return names;
}

bool HasUnfinishedWork(const std::string& store) {
  const auto directory = OpenFileDirectory(store, {});
  if (!directory.ok()) return false;
  const auto manifest = LoadNewestManifest(**directory, nullptr);
  return manifest.ok() && manifest->HasPendingWork();
}

std::string NewestManifest(const std::string& store) {
  std::string newest;
  if (!std::filesystem::exists(store)) return newest;
  for (const auto& entry : std::filesystem::directory_iterator(store)) {
    if (!ParseManifestFileName(entry.path().filename().string()).has_value()) continue;
    newest = std::max(newest, entry.path().string());
  }
  return newest;
}

}  // namespace pmdex
