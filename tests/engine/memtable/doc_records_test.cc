#include "engine/memtable/doc_records.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace doc_records_test {

std::vector<std::string> RandomIds(std::mt19937& random, size_t count) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < count; ++i) {
    switch (random() % 4) {
      case 0:
        ids.push_back("/var/log/messages:" + std::to_string(random() % 100 + i));
        break;
      case 1:
        ids.push_back(ids.empty() ? "" : ids.back().substr(0, random() % 20));
        break;
      case 2:
        ids.push_back(ids.empty() ? "" : ids.back());
        break;
      default:
        ids.push_back(std::string(random() % 40, static_cast<char>('a' + random() % 2)));
    }
  }
  return ids;
}

TEST(DocRecords, GiveBackIdsAndLengthsInAnyOrder) {
  std::mt19937 random(3);
  Arena arena;
  DocRecords docs(arena);
  const std::vector<std::string> ids = RandomIds(random, 2000);
  for (size_t i = 0; i < ids.size(); ++i) {
    docs.Add(ids[i]);
    if (i % 3 != 0) docs.SetLastTokenCount(static_cast<uint32_t>(i));
  }
  ASSERT_EQ(docs.size(), ids.size());
  for (DocId doc = 0; doc < docs.size(); ++doc) ASSERT_EQ(docs.id(doc), ids[doc]);
  for (int i = 0; i < 2000; ++i) {
    const DocId doc = random() % docs.size();
    ASSERT_EQ(docs.id(doc), ids[doc]);
    ASSERT_EQ(docs.token_count(doc), doc % 3 != 0 ? doc : 0);
  }
}

TEST(DocRecords, ForgetTheLastWhateverWasRead) {
  std::mt19937 random(4);
  Arena arena;
  DocRecords docs(arena);
  std::vector<std::string> ids = RandomIds(random, 300);
  for (const std::string& id : ids) docs.Add(id);
  while (!ids.empty()) {
    ASSERT_EQ(docs.id(docs.size() - 1), ids.back());
    ids.pop_back();
    docs.RemoveLast();
    docs.Add("again");
    ASSERT_EQ(docs.id(docs.size() - 1), "again");
    docs.RemoveLast();
  }
  EXPECT_EQ(docs.size(), 0u);
}

TEST(DocRecords, HoldTheLongestId) {
  Arena arena;
  DocRecords docs(arena);
  const std::string longest(DocRecords::kMaxIdBytes, 'x');
  for (const std::string& id : {longest, longest, std::string("y"), longest}) docs.Add(id);
  EXPECT_EQ(docs.id(0), longest);
  EXPECT_EQ(docs.id(1), longest);
  EXPECT_EQ(docs.id(3), longest);
}

TEST(DocRecords, OfNeighboursThatBeginAlikeTakeLittle) {
  Arena arena;
  DocRecords docs(arena);
  const size_t before = arena.used_bytes();
  const std::string path(100, 'p');
  for (int i = 0; i < 32; ++i) docs.Add(path + std::to_string(10 + i));
  EXPECT_LE(arena.used_bytes() - before, 112u + 31 * 16);
}

}  // namespace doc_records_test
}  // namespace pmdex
