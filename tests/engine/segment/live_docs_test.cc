#include "engine/segment/live_docs.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace pmdex {
namespace live_docs_test {

TEST(LiveDocs, HoldAllDocumentsButTheDeletedOnes) {
  std::mt19937 random(1);
  for (const uint32_t doc_count : {0u, 1u, 63u, 64u, 65u, 511u, 512u, 513u, 5000u}) {
    std::set<DocId> deleted;
    for (uint32_t i = 0; i < doc_count / 3; ++i) deleted.insert(random() % doc_count);
    std::vector<DocId> twice(deleted.begin(), deleted.end());
    twice.insert(twice.end(), deleted.rbegin(), deleted.rend());
    const LiveDocs live = LiveDocs::Without(doc_count, twice);
    EXPECT_EQ(live.doc_count(), doc_count);
    EXPECT_EQ(live.deleted_count(), deleted.size());
    for (DocId doc = 0; doc < doc_count; ++doc) {
      EXPECT_EQ(live.IsLive(doc), !deleted.contains(doc)) << doc_count << ' ' << doc;
    }
    for (size_t bit = doc_count; bit < live.words().size() * 64; ++bit) {
      EXPECT_EQ(live.words()[bit / 64] >> (bit % 64) & 1, 0u);
    }
  }
}

TEST(LiveDocs, AddDeletionsToEarlierOnes) {
  const LiveDocs first = LiveDocs::Without(100, std::vector<DocId>{3, 4});
  const LiveDocs second = LiveDocs::Without(&first, 100, std::vector<DocId>{4, 99});
  EXPECT_EQ(first.live_count(), 98u);
  EXPECT_EQ(second.live_count(), 97u);
  EXPECT_FALSE(second.IsLive(3));
  EXPECT_FALSE(second.IsLive(99));
  EXPECT_TRUE(first.IsLive(99));
  EXPECT_TRUE(IsLive(nullptr, 3));
  EXPECT_FALSE(IsLive(&second, 3));
}

}  // namespace live_docs_test
}  // namespace pmdex
