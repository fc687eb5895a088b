// Small stores for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/index_writer.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

// A segment input of whitespace-analysed documents: {id, body}.
inline std::unique_ptr<VectorSegmentInput> MakeInput(
    const std::vector<std::pair<std::string, std::string>>& documents) {
  auto input = std::make_unique<VectorSegmentInput>(VectorSegmentOptions{});
  const FieldId body = input->AddField("body");
  for (const auto& [id, text] : documents) input->AddText(input->AddDocument(id), body, text);
  input->Finish();
  return input;
}

inline IndexSettings TestSettings() {
  return {AnalyzerKind::kWhitespace, true, false};
}

// One run of a writer: each element of `segments` becomes a segment, all published together.
inline void BuildStore(
    Directory& directory, OpenMode mode,
    const std::vector<std::vector<std::pair<std::string, std::string>>>& segments) {
  auto writer = IndexWriter::Open(directory, mode, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const auto& documents : segments) {
    const auto input = MakeInput(documents);
    const auto info = (*writer)->WriteSegment(*input);
    ASSERT_TRUE(info.ok()) << info.status();
  }
  const absl::Status published = (*writer)->Publish();
  ASSERT_TRUE(published.ok()) << published;
}

inline std::set<std::string> FileNames(const Directory& directory) {
  std::set<std::string> names;
  const absl::StatusOr<std::vector<DirectoryEntry>> entries = directory.List();
  if (!entries.ok()) return {entries.status().ToString()};
  for (const DirectoryEntry& entry : *entries) names.insert(entry.name);
  names.erase("write.lock");
  return names;
}

}  // namespace pmdex
