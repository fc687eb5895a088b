#include "engine/live/medium_segments.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace medium_segments_test
}  // namespace pmdex
