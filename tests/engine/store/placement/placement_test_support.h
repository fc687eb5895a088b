// Indexes with segments at several places, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {

inline PlacementOptions AtPlaces(const std::vector<std::string>& paths) {
  PlacementOptions options;
  options.places = paths;
  options.mark.fill(std::byte{0x11});
  return options;
}

// A writer with these places, listed in a manifest, so that segments can be written.
inline std::unique_ptr<IndexWriter> OpenWithPlaces(Directory& directory, OpenMode mode,
                                                   const PlacementOptions& options) {
  auto writer = IndexWriter::Open(directory, mode, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  if (!writer.ok()) return nullptr;
  const absl::Status used = (*writer)->UsePlaces(options);
  EXPECT_TRUE(used.ok()) << used;
  EXPECT_TRUE((*writer)->StartBuild("test").ok());
  return *std::move(writer);
}

// One segment for each id, spread over the places, and published.
inline void BuildAt(Directory& directory, OpenMode mode, const PlacementOptions& options,
                    const std::vector<std::string>& ids) {
  const auto writer = OpenWithPlaces(directory, mode, options);
  ASSERT_NE(writer, nullptr);
  for (const std::string& id : ids) {
    const auto input = MakeInput({{id, "word " + id}});
    const auto written = writer->WriteSegment(*input);
    ASSERT_TRUE(written.ok()) << written.status();
  }
  const absl::Status published = writer->Publish();
  ASSERT_TRUE(published.ok()) << published;
}

inline std::unique_ptr<Directory> Elsewhere(const Directory& directory, const std::string& path) {
  auto other = directory.OpenElsewhere(path, /*create=*/true);
  EXPECT_TRUE(other.ok()) << other.status();
  return *std::move(other);
}

// The ids of all documents that can be read, in index order.
inline std::vector<std::string> ReadableIds(const Directory& directory) {
  std::vector<std::string> ids;
  const auto snapshot = Snapshot::Open(directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  if (!snapshot.ok()) return ids;
  for (const auto& segment : (*snapshot)->segments()) {
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
      ids.emplace_back(*segment->doc_id(doc));
    }
  }
  return ids;
}

// How many segments a directory holds.
inline size_t SegmentsIn(const Directory& directory) {
  const std::set<std::string> names = FileNames(directory);
  return static_cast<size_t>(std::count_if(names.begin(), names.end(), [](const auto& name) {
    return ParseSegmentFileName(name).has_value();
  }));
}

}  // namespace pmdex
