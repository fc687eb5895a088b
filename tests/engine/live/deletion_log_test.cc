#include "engine/live/deletion_log.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace deletion_log_test {

using Numbers = std::vector<uint64_t>;

TEST(DeletionLog, HidesDeletionsUntilTheyAreShown) {
  DeletionLog log;
  log.Append(3, 20);
  log.Append(3, 10);
  log.Append(5, 15);
  EXPECT_TRUE(log.IsHidden(10));
  EXPECT_TRUE(log.Show(3).empty());
  EXPECT_EQ(log.Show(5), (Numbers{10, 20}));
  EXPECT_FALSE(log.IsHidden(10));
  EXPECT_TRUE(log.IsHidden(15));
  EXPECT_TRUE(log.Show(5).empty());
  EXPECT_EQ(log.Show(9), Numbers{15});
}

TEST(DeletionLog, KeepsDeletionsUntilTheyAreForgotten) {
  DeletionLog log;
  log.Append(1, 7);
  log.Append(2, 6);
  log.Append(4, 5);
  EXPECT_EQ(log.Show(3), (Numbers{6, 7}));
  EXPECT_EQ(log.Before(2), Numbers{7});
  EXPECT_EQ(log.Before(9), (Numbers{5, 6, 7}));
  log.ForgetBefore(2);
  EXPECT_EQ(log.Before(9), (Numbers{5, 6}));
  EXPECT_EQ(log.Show(9), Numbers{5});
  log.ForgetBefore(9);
  EXPECT_TRUE(log.Before(9).empty());
}

TEST(DeletionLog, TellsTheDocumentsOfASegment) {
  const Numbers numbers = {3, 5, 9, 10, 14};
  EXPECT_EQ(DocsOf(numbers, 5, 5), (std::vector<DocId>{0, 4}));
  EXPECT_TRUE(DocsOf(numbers, 11, 3).empty());
  const std::vector<DocId> docs = {0, 4};
  const auto once = WithoutDocs(nullptr, 5, docs);
  EXPECT_EQ(once->live_count(), 3u);
  EXPECT_EQ(WithoutDocs(once, 5, {}), once);
  EXPECT_EQ(WithoutDocs(once, 5, std::vector<DocId>{1, 4})->live_count(), 2u);
}

}  // namespace deletion_log_test
}  // namespace pmdex
