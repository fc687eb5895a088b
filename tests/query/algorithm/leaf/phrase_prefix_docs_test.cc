// Phrase prefixes found window by window, against the cursor that looks at one document after the
// other.
#include "query/algorithm/leaf/phrase_prefix_docs.h"

#include <chrono>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/open_cursor.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace phrase_prefix_docs_test {

constexpr uint32_t kDocs = 9000;

class PhrasePrefixDocsTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  // The phrase with all its words but the last, which stands for any of the last `expansions`.
  static QueryBinding BindPrefix(const std::string& phrase, size_t expansions) {
    QueryBinding binding = Bind(phrase);
    BoundQuery& root = *binding.root;
    EXPECT_EQ(root.kind, BoundKind::kPhrase);
    root.kind = BoundKind::kPhrasePrefix;
    for (size_t n = 0; n < expansions; ++n) {
      root.expansions.push_back(std::move(root.terms.back()));
      root.terms.pop_back();
    }
    root.offsets.resize(root.terms.size() + 1);
    return binding;
  }
  std::vector<PostingListView> Lists(const std::vector<BoundTerm>& terms) {
    std::vector<PostingListView> lists;
    for (const BoundTerm& term : terms) {
      const auto list = segment().Postings(*term.entries[0]);
      EXPECT_TRUE(list.ok()) << list.status();
      lists.push_back(*list);
    }
    return lists;
  }
  PhrasePrefixDocs Find(const BoundQuery& query) {
    return FindPhrasePrefix(query, Lists(query.terms), Lists(query.expansions), context_);
  }

  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           0,
                          BestQueryKernels(), expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_F(PhrasePrefixDocsTest, EqualTheCursorToTheBit) {
  struct Case {
    std::string phrase;
    size_t expansions;
  };
  size_t found_in_all = 0;
  for (const Case& tried : {Case{"body:\"t0 t1 t2\"", 2}, Case{"body:\"t0 t1 t2 t3 t8\"", 3},
                            Case{"body:\"t3 t0 t0\"", 2}, Case{"body:\"t9 t0 t10 t11\"", 3},
                            Case{"body:\"t0 t10 t11\"", 2}, Case{"body:\"t0 t1 t2\"~2", 2},
                            Case{"body:\"t1 t0 t1 t4\"~3", 2}}) {
    SCOPED_TRACE(tried.phrase);
    const QueryBinding binding = BindPrefix(tried.phrase, tried.expansions);
    CursorContext walk{kDocs, "segment", absl::OkStatus()};
    const auto cursor = OpenCursor(*binding.root, segment(), 0, walk);
    ASSERT_TRUE(cursor.ok()) << cursor.status();
    const PhrasePrefixDocs found = Find(*binding.root);
    ASSERT_EQ(found.docs.size(), found.scores.size());
    for (size_t i = 0; i < found.docs.size(); ++i, (*cursor)->Next()) {
      ASSERT_EQ(found.docs[i], (*cursor)->doc());
      ASSERT_EQ(found.scores[i], (*cursor)->Score()) << found.docs[i];
    }
    EXPECT_EQ((*cursor)->doc(), kEndOfDocs);
    EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
    found_in_all += found.docs.size();
  }
  EXPECT_GT(found_in_all, 5000u);
}

TEST_F(PhrasePrefixDocsTest, EndAtTheDeadline) {
  const QueryBinding binding = BindPrefix("body:\"t0 t1 t2\"", 2);
  context_.cursor.deadline = std::chrono::steady_clock::time_point::min();
  EXPECT_TRUE(Find(*binding.root).docs.empty());
  EXPECT_TRUE(context_.cursor.timed_out);
}

}  // namespace phrase_prefix_docs_test
}  // namespace pmdex
