#include "engine/ingest/repeated_ids.h"

#include <random>

#include "engine/memtable/memtable.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace repeated_ids_test {

TEST_F(IngestFixture, RepeatedIdsAreCountedAmongNewDocumentsInAnyNumberOfPasses) {
  auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings);
  ASSERT_TRUE(writer.ok());
  std::mt19937 random(2);
  std::set<std::string> seen;
  std::set<uint64_t> old_segments;
  uint64_t expected = 0;
  for (int part = 0; part < 3; ++part) {
    Memtable memtable({});
    for (int i = 0; i < 500; ++i) {
      const std::string id = std::to_string(random() % 700);
      memtable.BeginDocument(id);
      memtable.EndDocument();
      const bool repeated = !seen.insert(id).second;
      if (part > 0 && repeated) ++expected;
    }
    ASSERT_TRUE((*writer)->WriteSegment(**memtable.Freeze()).ok());
    ASSERT_TRUE((*writer)->Publish().ok());
    if (part == 0) old_segments.insert((*writer)->published().segments.at(0).id);
  }
  const auto snapshot = Snapshot::Open(*directory_);
  ASSERT_TRUE(snapshot.ok());
  for (const size_t memory : {size_t{64}, size_t{1000}, size_t{1} << 20}) {
    EXPECT_EQ(*CountRepeatedIds(**snapshot, old_segments, memory), expected) << memory;
  }
}

// The copy has another id than the segment for which it answers.
TEST_F(IngestFixture, RepeatedIdsAreCountedWhereACopyAnswersForAnOldSegment) {
  const auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings).value();
  writer->KeepCopies(true);
  const auto add = [&](const std::vector<std::string>& ids) {
    Memtable memtable({});
    for (const std::string& id : ids) {
      memtable.BeginDocument(id);
      memtable.EndDocument();
    }
    ASSERT_TRUE(writer->WriteSegment(**memtable.Freeze()).ok());
    ASSERT_TRUE(writer->Publish().ok());
  };
  add({"a", "b", "a"});  // a document that repeats an old one, and is old
  const uint64_t old_segment = writer->published().segments.at(0).id;
  add({"b", "c"});
  ASSERT_TRUE(directory_->Remove(SegmentFileName(old_segment)).ok());
  const auto snapshot = Snapshot::Open(*directory_).value();
  ASSERT_EQ(snapshot->replaced().size(), 1u);
  EXPECT_EQ(*CountRepeatedIds(*snapshot, {old_segment}, size_t{1} << 20), 1u);
}

}  // namespace repeated_ids_test
}  // namespace pmdex
