// Live indexes that store what they are given, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/live/live_index.h"
#include "tests/support/live_documents.h"

namespace pmdex {

// What is stored of the live documents, by id.
using DocumentTexts = std::map<std::string, std::string>;

inline LiveOptions Storing() {
  LiveOptions options;
  options.create = true;
  options.settings = IndexSettings{AnalyzerKind::kWhitespace, true, true};
  return options;
}

inline std::unique_ptr<LiveIndex> OpenStoring(Directory& directory,
                                              const LiveOptions& options = Storing()) {
  auto index = LiveIndex::Open(directory, options);
  EXPECT_TRUE(index.ok()) << index.status();
  return index.ok() ? *std::move(index) : nullptr;
}

inline AddedDocument Text(const std::string& id, const std::string& text) {
  return {id, {{"body", text}}, ""};
}

inline DocumentTexts Visible(LiveIndex& index) {
  const auto snapshot = index.TakeSnapshot();
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  auto documents = ReadLiveDocuments(**snapshot);
  EXPECT_TRUE(documents.ok()) << documents.status();
  return documents.ok() ? *std::move(documents) : DocumentTexts();
}

inline DocumentTexts Durable(const Directory& directory) {
  auto documents = ReadLiveDocuments(directory);
  EXPECT_TRUE(documents.ok()) << documents.status();
  return documents.ok() ? *std::move(documents) : DocumentTexts();
}

}  // namespace pmdex
