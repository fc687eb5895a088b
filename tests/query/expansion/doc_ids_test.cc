#include "query/expansion/doc_ids.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace doc_ids_test {

class DocIds : public testing::Test {
 protected:
  std::vector<DocId> Find(const std::vector<std::string>& ids, const Deadline& deadline = {}) {
    const auto snapshot = reference_.BuildSnapshot(1000, false, false);
    const Segment& segment = *snapshot->segments()[0];
    CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus(), deadline};
    DeadlineWatch watch(context.deadline);
    DocSet docs(segment.doc_count());
    EXPECT_TRUE(AddDocumentsOfIds(ids, segment, context, watch, docs).ok());
    docs.Finish();
    std::vector<DocId> found;
    size_t hint = 0;
    for (DocId doc = docs.FirstFrom(0, hint); doc != kEndOfDocs;
         doc = docs.FirstFrom(doc + 1, hint)) {
      found.push_back(doc);
    }
    return found;
  }

  ReferenceIndex reference_{AnalyzerKind::kWhitespace};
};

TEST_F(DocIds, FindsEveryDocumentOfAnIdThatRepeats) {
  for (const char* id : {"a", "b", "", "a", "c", "b"}) reference_.Add({id, {}});
  EXPECT_EQ(Find({"a"}), (std::vector<DocId>{0, 3}));
  EXPECT_EQ(Find({"c", "b", "b", "nobody"}), (std::vector<DocId>{1, 4, 5}));
  EXPECT_EQ(Find({""}), (std::vector<DocId>{2}));
  EXPECT_TRUE(Find({}).empty());
  EXPECT_TRUE(Find({"aa", "x"}).empty());
}

TEST_F(DocIds, FindsIdsOfAnyLength) {
  SeededRandom random(8);
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(std::string(random.Below(90), 'x') + std::to_string(i));
    reference_.Add({ids.back(), {}});
  }
  for (DocId doc = 0; doc < ids.size(); ++doc) {
    EXPECT_EQ(Find({ids[doc]}), std::vector<DocId>{doc}) << ids[doc];
  }
}

TEST_F(DocIds, StopsAtTheDeadline) {
  reference_.Add({"a", {}});
  EXPECT_TRUE(Find({"a"}, std::chrono::steady_clock::time_point::min()).empty());
}

}  // namespace doc_ids_test
}  // namespace pmdex
