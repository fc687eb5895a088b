#include "query/algorithm/leaf/leaf_factory.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"

#include "query/algorithm/leaf/constant_leaf.h"
#include "query/algorithm/leaf/group_leaf.h"
#include "query/algorithm/leaf/phrase_leaf.h"
#include "query/algorithm/leaf/term_leaf.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace leaf_factory_test {

// The second segment is so small that it lacks some terms.
class LeafFactoryTest : public WindowedIndexTest<testing::Test, 9000, 3> {
 protected:
  std::unique_ptr<Leaf> Open(const std::string& text) {
    binding_ = Bind(text);
    auto leaf = OpenLeaf(*binding_.root, context_);
    EXPECT_TRUE(leaf.ok()) << leaf.status();
    return *std::move(leaf);
  }
  template <typename L>
  bool Opens(const std::string& text) {
    const std::unique_ptr<Leaf> leaf = Open(text);
    return dynamic_cast<L*>(leaf.get()) != nullptr;
  }

  QueryBinding binding_;
  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           0,
                          BestQueryKernels(), expansions_, {9000, "segment", absl::OkStatus()}};
};

TEST_F(LeafFactoryTest, OpensTheLeafOfEachKind) {
  EXPECT_TRUE(Opens<TermLeaf>("body:t0"));
  EXPECT_TRUE(Opens<PhraseLeaf>("body:\"t0 t1\""));
  EXPECT_TRUE(Opens<PhraseLeaf>("body:\"t0 t1\"~2"));
  EXPECT_TRUE(Opens<AllLeaf>("*:*"));
  EXPECT_TRUE(Opens<AllLeaf>("title:*")) << "every document has a title";
  EXPECT_TRUE(Opens<DocSetLeaf>("body:t1*"));
  EXPECT_TRUE(Opens<DocSetLeaf>("body:/t[12]/"));
  EXPECT_TRUE(Opens<GroupLeaf>("+body:t0 +body:t1"));
}

TEST_F(LeafFactoryTest, OpensNothingWhereTheSegmentHasNothing) {
  const QueryBinding binding = Bind("+title:t9 +body:t11");
  SegmentContext small{*snapshot_->segments()[1], 1,           9000,
                       BestQueryKernels(),        expansions_, {3, "segment", absl::OkStatus()}};
  const auto leaf = OpenLeaf(*binding.root, small);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  EXPECT_EQ(*leaf, nullptr);
}

TEST_F(LeafFactoryTest, OpensNothingOnceTheDeadlineHasCome) {
  context_.cursor.deadline = std::chrono::steady_clock::time_point::min();
  EXPECT_EQ(Open("body:t0"), nullptr);
  EXPECT_TRUE(context_.cursor.timed_out);
}

}  // namespace leaf_factory_test
}  // namespace pmdex
