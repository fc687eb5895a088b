// Small random indexes with repeated ids and deleted documents, for the tests of set operations.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/sets/chosen_documents.h"
#include "engine/store/snapshot.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {

class SetsTestIndex {
 public:
  // Up to three segments whose ids are some of "0" ... std::to_string(ids - 1).
  SetsTestIndex(std::mt19937& random, uint32_t ids) : directory_(NewDramDirectory("store")) {
    std::vector<std::vector<std::pair<std::string, std::string>>> segments(1 + random() % 3);
    for (auto& documents : segments) {
      for (uint32_t i = 0; i < ids / 2; ++i) {
        documents.emplace_back(std::to_string(random() % ids), "word" + std::to_string(random()));
      }
    }
    BuildStore(*directory_, OpenMode::kCreate, segments);
    const auto whole = Snapshot::Open(*directory_).value();
    std::vector<std::shared_ptr<const LiveDocs>> live;
    for (const auto& segment : whole->segments()) {
      std::vector<DocId> deleted;
      for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
        if (random() % 4 == 0) deleted.push_back(doc);
      }
      live.push_back(random() % 3 == 0 ? nullptr
                                       : std::make_shared<const LiveDocs>(
                                             LiveDocs::Without(segment->doc_count(), deleted)));
    }
    snapshot_ =
        Snapshot::Of(whole->settings(), {whole->segments().begin(), whole->segments().end()}, live);
  }

  const Snapshot& snapshot() const { return *snapshot_; }
  std::vector<std::string> LiveIds() const {
    std::vector<std::string> ids;
    for (size_t i = 0; i < snapshot_->segments().size(); ++i) {
      const Segment& segment = *snapshot_->segments()[i];
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (IsLive(snapshot_->live_docs(i), doc)) ids.emplace_back(segment.doc_id(doc).value());
      }
    }
    return ids;
  }

 private:
  std::unique_ptr<Directory> directory_;
  std::shared_ptr<const Snapshot> snapshot_;
};

inline std::vector<std::string> IdsOf(const ChosenDocuments& documents) {
  std::vector<std::string> ids;
  for (const ChosenSegment& chosen : documents) {
    EXPECT_GT(chosen.count(), 0u);
    for (DocId doc = 0; doc < chosen.segment->doc_count(); ++doc) {
      if (IsLive(chosen.docs.get(), doc)) ids.emplace_back(chosen.segment->doc_id(doc).value());
    }
  }
  return ids;
}

}  // namespace pmdex
