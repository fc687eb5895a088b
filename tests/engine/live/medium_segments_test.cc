#include "engine/live/medium_segments.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/live/dram_segment_builder.h"
#include "engine/live/id_tables.h"

namespace pmdex {
namespace medium_segments_test {

class MediumSegmentsTest : public testing::Test {
 protected:
  // A segment of documents with these ids, whose numbers begin there. Returns the id under which it
  // is listed.
  uint64_t Append(uint64_t begin, const std::vector<std::string>& ids) {
    std::vector<AddedDocumentPointer> documents;
    for (const std::string& id : ids) {
      documents.push_back(
          std::make_shared<const AddedDocument>(AddedDocument{id, {{"body", "x"}}, ""}));
    }
    auto segment = *builder_.Build(documents);
    // Another id than that of the file, as where a kept copy answers for a damaged segment.
    const uint64_t listed_id = segment->segment_id() + 1000;
    segments_.Append({begin, listed_id, std::move(segment), nullptr, nullptr});
    return listed_id;
  }
  bool IsLiveAt(uint64_t number) const {
    const MediumSegment& segment = segments_.segments()[segments_.Find(number)];
    return IsLive(segment.live_docs.get(), static_cast<DocId>(number - segment.begin));
  }

  // The documents that the tables find, but for those of segments that are gone.
  std::vector<uint64_t> FindListed(const IdTables& ids, const std::string& id) const {
    std::vector<uint64_t> numbers = *ids.Find(id);
    std::erase_if(numbers, [this](uint64_t number) {
      return segments_.Find(number) == segments_.segments().size();
    });
    return numbers;
  }

  DramSegmentBuilder builder_{IndexSettings(), {}};
  MediumSegments segments_;
};

TEST_F(MediumSegmentsTest, FindDocumentsByTheirNumbers) {
  EXPECT_EQ(segments_.Find(0), 0u);  // there are none
  Append(10, {"a", "b"});
  Append(20, {"c"});
  EXPECT_EQ(segments_.end(), 21u);
  EXPECT_EQ(segments_.Find(9), 2u);
  EXPECT_EQ(segments_.Find(10), 0u);
  EXPECT_EQ(segments_.Find(11), 0u);
  EXPECT_EQ(segments_.Find(12), 2u);
  EXPECT_EQ(segments_.Find(20), 1u);
  EXPECT_EQ(segments_.Find(21), 2u);
}

TEST_F(MediumSegmentsTest, DeleteDocumentsOfSeveralSegments) {
  Append(10, {"a", "b"});
  Append(20, {"c"});
  const std::vector<uint64_t> deleted = {3, 11, 15, 20, 30};
  segments_.Delete(deleted);
  EXPECT_TRUE(IsLiveAt(10));
  EXPECT_FALSE(IsLiveAt(11));
  EXPECT_FALSE(IsLiveAt(20));
}

TEST_F(MediumSegmentsTest, HaveTablesOfIdsThatFollowThem) {
  IdTables ids;
  EXPECT_EQ(ids.version(), segments_.version());
  const uint64_t first = Append(10, {"a", "b", "a"});
  EXPECT_NE(ids.version(), segments_.version());
  ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
  EXPECT_EQ(*ids.Find("a"), (std::vector<uint64_t>{10, 12}));
  Append(20, {"c", "a"});
  EXPECT_EQ(*ids.Find("a"), (std::vector<uint64_t>{10, 12}));
  ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
  EXPECT_EQ(ids.version(), segments_.version());
  EXPECT_EQ(*ids.Find("a"), (std::vector<uint64_t>{10, 12, 21}));
  EXPECT_FALSE(segments_.KeepOnly([](uint64_t) { return true; }));
  EXPECT_TRUE(segments_.KeepOnly([&](uint64_t id) { return id != first; }));
  ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
  EXPECT_EQ(*ids.Find("a"), std::vector<uint64_t>{21});
  EXPECT_TRUE(ids.Find("b")->empty());
}

// The oracle is a map. Segments come one at a time or several, and some go.
TEST_F(MediumSegmentsTest, HaveFewTablesOfIdsThatFindWhatAMapFinds) {
  constexpr uint64_t kSegments = 200;
  IdTables ids;
  std::map<std::string, std::vector<uint64_t>> numbers;
  std::map<uint64_t, uint64_t> begins;  // by the id under which a segment is listed
  for (uint64_t i = 0; i < kSegments; ++i) {
    const uint64_t begin = 10 * i;
    const std::vector<std::string> names = {absl::StrCat("d", i), absl::StrCat("r", i % 7)};
    begins[Append(begin, names)] = begin;
    numbers[names[0]].push_back(begin);
    numbers[names[1]].push_back(begin + 1);
    if (i % 10 == 9) {
      const auto place = static_cast<int64_t>(begins.size() / 3);
      const uint64_t gone = std::next(begins.begin(), place)->first;
      for (auto& [id, of_id] : numbers) {
        std::erase_if(of_id, [&](uint64_t number) { return number / 10 == begins[gone] / 10; });
      }
      begins.erase(gone);
      ASSERT_TRUE(segments_.KeepOnly([&](uint64_t id) { return id != gone; }));
    }
    if (i % 5 == 1) continue;
    ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
    EXPECT_EQ(ids.version(), segments_.version());
    for (const auto& [id, of_id] : numbers) {
      ASSERT_EQ(FindListed(ids, id), of_id) << id << " at " << i;
    }
    EXPECT_LT(ids.table_count(), 25u) << i;
  }
  IdTables afresh;
  ASSERT_TRUE(afresh.Follow(segments_.segments(), segments_.version()).ok());
  EXPECT_LT(afresh.table_count(), 25u);
  for (const auto& [id, of_id] : numbers) EXPECT_EQ(*afresh.Find(id), of_id) << id;
}

TEST_F(MediumSegmentsTest, ReleaseSegmentsThatAreGoneOnceTheyAreHalfOfATable) {
  IdTables ids;
  std::vector<uint64_t> listed;
  for (uint64_t i = 0; i < 8; ++i) listed.push_back(Append(10 * i, {"a"}));
  ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
  std::weak_ptr<const Segment> first = segments_.segments().front().segment;
  for (size_t gone = 1; gone <= 5; ++gone) {
    segments_.KeepOnly([&](uint64_t id) { return id >= listed[gone]; });
    ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
    EXPECT_EQ(FindListed(ids, "a").size(), 8 - gone);
    EXPECT_EQ(first.expired(), gone == 5) << gone;
  }
}

TEST_F(MediumSegmentsTest, FindNoIdsOfDocumentsThatWereDeletedBeforeTablesWereUnited) {
  IdTables ids;
  for (uint64_t i = 0; i < 8; ++i) Append(10 * i, {"a", absl::StrCat("b", i)});
  const std::vector<uint64_t> deleted = {0, 31};
  segments_.Delete(deleted);
  ASSERT_TRUE(ids.Follow(segments_.segments(), segments_.version()).ok());
  EXPECT_EQ(ids.table_count(), 1u);
  EXPECT_EQ(ids.Find("a")->size(), 7u);
  EXPECT_TRUE(ids.Find("b3")->empty());
  EXPECT_EQ(*ids.Find("b4"), std::vector<uint64_t>{41});
}

}  // namespace medium_segments_test
}  // namespace pmdex
