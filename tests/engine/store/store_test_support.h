// Small stores for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/segment/segment_writer.h"
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

// A file with this content; of a test's own that is no part of a store.
inline void WriteStranger(Directory& directory, std::string_view name, std::string_view content) {
  auto file = directory.Create(name, content.size());
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->CopyNonTemporal(0, std::as_bytes(std::span(content)));
  ASSERT_TRUE((*file)->Seal(content.size()).ok());
}

// A segment that no manifest lists, as a writer leaves it that died before it published.
inline void WriteOrphan(Directory& directory, uint64_t segment_id) {
  const auto input = MakeInput({{"orphan", "word"}});
  const auto info = WriteSegment(directory, segment_id, *input);
  ASSERT_TRUE(info.ok()) << info.status();
}

inline std::string ContentOf(const Directory& directory, std::string_view name) {
  const auto file = directory.Open(name);
  if (!file.ok()) return file.status().ToString();
  const auto bytes = (*file)->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
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
