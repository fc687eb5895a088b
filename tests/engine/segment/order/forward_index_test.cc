#include "engine/segment/order/forward_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/engine/segment/order/order_test_sources.h"

namespace pmdex {
namespace forward_index_test {

using Term = std::pair<std::string, std::string>;

std::map<Term, uint32_t> FrequenciesOf(const OrderTestSources& made) {
  std::map<Term, uint32_t> frequencies;
  for (const ModelDocument* const doc : made.survivors) {
    for (const auto& [term, positions] : doc->terms) ++frequencies[term];
  }
  return frequencies;
}

// The documents of each term, without the terms' numbers.
std::multiset<std::vector<DocId>> ListsOf(const ForwardIndex& index) {
  std::vector<std::vector<DocId>> lists(index.term_count);
  for (DocId doc = 0; doc < index.doc_count(); ++doc) {
    for (const uint32_t term : index.TermsOf(doc)) lists.at(term).push_back(doc);
  }
  return {lists.begin(), lists.end()};
}

TEST(ForwardIndex, HasTheTermsOfMiddleFrequencyOfEveryLiveDocument) {
  SeededRandom random(81);
  for (const bool positions : {true, false}) {
    const ModelOptions options{.docs = 700, .terms = 90, .positions = positions};
    const auto made = MakeOrderTestSources(RandomDocuments(options, random), options);
    const auto index =
        BuildForwardIndex(made->sources, {.least_df = 5, .most_df_divisor = 3, .stop = {}});
    ASSERT_TRUE(index.ok()) << index.status();
    ASSERT_EQ(index->doc_count(), made->survivors.size());
    std::multiset<std::vector<DocId>> expected;
    for (const auto& [term, df] : FrequenciesOf(*made)) {
      if (df < 5 || df > made->survivors.size() / 3) continue;
      std::vector<DocId> list;
      for (DocId doc = 0; doc < made->survivors.size(); ++doc) {
        if (made->survivors[doc]->terms.contains(term)) list.push_back(doc);
      }
      expected.insert(std::move(list));
    }
    ASSERT_GT(expected.size(), 10u);
    EXPECT_EQ(ListsOf(*index), expected);
    for (DocId doc = 0; doc < index->doc_count(); ++doc) {
      EXPECT_TRUE(std::ranges::is_sorted(index->TermsOf(doc)));
    }
  }
}

TEST(ForwardIndex, LeavesTermsOfFewDocumentsOutForWantOfMemory) {
  SeededRandom random(82);
  const ModelOptions options{.docs = 900, .terms = 120};
  const auto made = MakeOrderTestSources(RandomDocuments(options, random), options);
  ForwardIndexOptions index_options{.least_df = 2, .most_df_divisor = 1, .bytes_per_term = 100};
  size_t last = SIZE_MAX;
  for (uint64_t memory = uint64_t{1} << 20; memory > 0; memory /= 2) {
    index_options.memory_bytes = memory;
    const auto index = BuildForwardIndex(made->sources, index_options);
    ASSERT_TRUE(index.ok()) << index.status();
    EXPECT_EQ(index->doc_count(), made->survivors.size());
    EXPECT_LE(index->terms.size() * 4 + index->term_count * uint64_t{100}, memory);
    EXPECT_LE(index->terms.size(), last) << "less memory takes fewer terms";
    last = index->terms.size();
    if (index->term_count == 0) continue;
    // At least as many documents as any term that was left out for want of memory has.
    size_t least = SIZE_MAX;
    for (const auto& list : ListsOf(*index)) least = std::min(least, list.size());
    size_t kept = 0;
    for (const auto& [term, df] : FrequenciesOf(*made)) kept += df >= least ? 1 : 0;
    EXPECT_GE(kept, index->term_count);
  }
  EXPECT_EQ(last, 0u);
}

TEST(ForwardIndex, EndsWhenItIsToldToAndReportsDamage) {
  SeededRandom random(83);
  const ModelOptions options{.docs = 60};
  const auto made = MakeOrderTestSources(RandomDocuments(options, random), options);
  int asked = 0;
  for (int after = 0;; ++after) {
    asked = 0;
    const auto index = BuildForwardIndex(
        made->sources, {.least_df = 1, .most_df_divisor = 1, .stop = StopAfter(asked, after)});
    if (index.ok()) break;
    EXPECT_TRUE(absl::IsCancelled(index.status())) << index.status();
  }
  EXPECT_GE(asked, 3);
  made->segments[2]->Quarantine(absl::DataLossError("damaged"));
  EXPECT_TRUE(absl::IsDataLoss(BuildForwardIndex(made->sources, {}).status()));
}

}  // namespace forward_index_test
}  // namespace pmdex
