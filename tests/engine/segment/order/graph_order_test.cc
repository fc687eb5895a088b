#include "engine/segment/order/graph_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pmem/exhaustion.h"
#include "tests/engine/segment/order/order_test_sources.h"

namespace pmdex {
namespace graph_order_test {

// Documents of two kinds that alternate, and whose words differ.
std::unique_ptr<OrderTestSources> AlternatingDocuments(size_t count) {
  SeededRandom random(41);
  std::vector<ModelDocument> docs(count);
  for (size_t i = 0; i < docs.size(); ++i) {
    docs[i].id = "doc" + std::to_string(i / 2 * 2);  // each id twice
    for (int word = 0; word < 10; ++word) {
      const uint64_t of_kind = random.Below(30) + (i % 2 == 0 ? 0 : 30);
      docs[i].terms[{"body", ModelTerm(of_kind)}] = {static_cast<uint32_t>(word)};
    }
  }
  return MakeOrderTestSources(std::move(docs), {});
}

size_t ChangesOfKind(const OrderTestSources& made, const std::vector<DocId>& order) {
  size_t changes = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    const auto kind = [&](size_t at) { return (made.survivors[order[at]] - made.docs.data()) % 2; };
    changes += kind(i) != kind(i - 1) ? 1 : 0;
  }
  return changes;
}

TEST(GraphOrder, PutsDocumentsWithCommonTermsTogether) {
  // Different ids, so that no document is exchanged for one of the same id.
  const auto made = AlternatingDocuments(4000);
  for (size_t i = 0; i < made->docs.size(); ++i) made->docs[i].id = "doc" + std::to_string(i);
  const auto unique = MakeOrderTestSources(made->docs, {});
  const auto order = OrderByGraph(unique->sources, {});
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_LT(ChangesOfKind(*unique, *order), order->size() / 20);
  std::vector<DocId> sorted = *order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
}

TEST(GraphOrder, KeepsTheOrderOfDocumentsWithTheSameId) {
  const auto made = AlternatingDocuments(2000);
  const auto order = OrderByGraph(made->sources, {});
  ASSERT_TRUE(order.ok()) << order.status();
  std::map<std::string, DocId> last;
  for (const DocId doc : *order) {
    const auto [at, is_first] = last.try_emplace(made->survivors[doc]->id, doc);
    if (is_first) continue;
    EXPECT_LT(at->second, doc) << at->first;
    at->second = doc;
  }
}

TEST(GraphOrder, SaysWhenItsMemoryIsTooSmall) {
  const auto made = AlternatingDocuments(300);
  GraphOrderOptions options;
  options.memory_bytes = 24 * made->survivors.size();
  EXPECT_TRUE(OrderByGraph(made->sources, options).ok());
  --options.memory_bytes;
  const auto order = OrderByGraph(made->sources, options);
  EXPECT_EQ(ExhaustedResource(order.status()), Resource::kMemory) << order.status();
}

TEST(GraphOrder, EndsWhenItIsToldTo) {
  const auto made = AlternatingDocuments(300);
  GraphOrderOptions options;
  options.stop = [] { return true; };
  EXPECT_TRUE(absl::IsCancelled(OrderByGraph(made->sources, options).status()));
}

}  // namespace graph_order_test
}  // namespace pmdex
