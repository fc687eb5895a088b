#include "engine/segment/order/repeated_id_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/engine/segment/order/order_test_sources.h"

namespace pmdex {
namespace repeated_id_order_test {

TEST(RepeatedIdOrder, ExchangesOnlyDocumentsWithTheSameId) {
  SeededRandom random(51);
  for (int round = 0; round < 20; ++round) {
    std::vector<ModelDocument> docs(1 + random.Below(200));
    for (ModelDocument& doc : docs) doc.id = "id" + std::to_string(random.Below(120));
    const auto made = MakeOrderTestSources(std::move(docs), {});
    std::vector<DocId> order(made->survivors.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<DocId>(i);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    const auto kept = KeepOrderOfRepeatedIds(made->sources, order);
    ASSERT_TRUE(kept.ok()) << kept.status();
    ASSERT_EQ(kept->size(), order.size());
    std::map<std::string, std::vector<DocId>> docs_of;
    for (size_t i = 0; i < order.size(); ++i) {
      const std::string& id = made->survivors[(*kept)[i]]->id;
      EXPECT_EQ(id, made->survivors[order[i]]->id) << "each place keeps its id";
      docs_of[id].push_back((*kept)[i]);
    }
    for (const auto& [id, of] : docs_of) {
      EXPECT_TRUE(std::is_sorted(of.begin(), of.end())) << id;
      EXPECT_EQ(std::adjacent_find(of.begin(), of.end()), of.end()) << id;
    }
  }
}

}  // namespace repeated_id_order_test
}  // namespace pmdex
