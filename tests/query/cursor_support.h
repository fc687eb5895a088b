// For tests of cursors: a cursor over a plain vector, and a check that any cursor keeps the
// promises of query/cursor/cursor.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/cursor.h"

namespace pmdex {

class VectorCursor final : public DocCursor {
 public:
  VectorCursor(std::vector<DocId> docs, float score) : docs_(std::move(docs)), score_(score) {
    Settle();
  }
  DocId Next() override {
    if (at_ < docs_.size()) ++at_;
    return Settle();
  }
  DocId Seek(DocId target) override {
    while (at_ < docs_.size() && docs_[at_] < target) ++at_;
    return Settle();
  }
  float Score() override { return score_; }
  uint64_t Cost() const override { return docs_.size(); }

 private:
  DocId Settle() { return doc_ = at_ < docs_.size() ? docs_[at_] : kEndOfDocs; }

  std::vector<DocId> docs_;
  float score_;
  size_t at_ = 0;
};

inline CursorPointer Docs(std::vector<DocId> docs, float score = 1) {
  return std::make_unique<VectorCursor>(std::move(docs), score);
}

template <DocIterator C>
std::vector<DocId> Walk(C& cursor) {
  std::vector<DocId> docs;
  for (DocId doc = cursor.doc(); doc != kEndOfDocs; doc = cursor.Next()) docs.push_back(doc);
  return docs;
}

// Checks every promise: at the start, at the end, for repeated calls, for targets out of order, and
// from every document to every target. make: returns a new cursor over exactly `docs`.
template <typename Make>
void ExpectKeepsPromises(Make make, const std::vector<DocId>& docs, DocId limit) {
  const auto first_from = [&](DocId target) {
    const auto found = std::lower_bound(docs.begin(), docs.end(), target);
    return found == docs.end() ? kEndOfDocs : *found;
  };
  auto walked = make();
  EXPECT_EQ(Walk(*walked), docs);
  EXPECT_EQ(walked->Next(), kEndOfDocs);
  EXPECT_EQ(walked->Next(), kEndOfDocs);
  EXPECT_EQ(walked->Seek(0), kEndOfDocs);
  for (size_t from = 0; from < docs.size(); ++from) {
    for (DocId target = 0; target <= limit; ++target) {
      auto cursor = make();
      for (size_t i = 0; i < from; ++i) cursor->Next();
      const DocId expected = target <= docs[from] ? docs[from] : first_from(target);
      ASSERT_EQ(cursor->Seek(target), expected) << "from " << docs[from] << " to " << target;
      ASSERT_EQ(cursor->doc(), expected);
      ASSERT_EQ(cursor->Seek(target), expected);
      if (expected != kEndOfDocs) {
        ASSERT_EQ(cursor->Next(), first_from(expected + 1));
      }
    }
  }
  auto ended = make();
  EXPECT_EQ(ended->Seek(kEndOfDocs), kEndOfDocs);
}

}  // namespace pmdex
