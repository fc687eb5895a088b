// Live indexes with compressed segments, and such that keep compressed copies of their segments:
// writes where a copy answers for a damaged segment, and commits of which the copies cannot be
// written.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "tests/engine/live/live_test_support.h"
#include "tests/engine/store/placement/placement_test_support.h"

namespace pmdex {
namespace live_kept_copies_test {

constexpr char kPlaceOfSegments[] = "/pm0";
constexpr char kPlaceOfCopies[] = "/nvme";

class LiveKeptCopies : public testing::Test {
 protected:
  // Two segments with copies: of "a" and "b", and of "c".
  LiveKeptCopies() {
    PlacementOptions options = AtPlaces({kPlaceOfSegments});
    options.compressed_directory = kPlaceOfCopies;
    const IndexSettings settings = *Storing().settings;
    const auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, settings).value();
    EXPECT_TRUE(writer->UsePlaces(options).ok() && writer->StartBuild("test").ok());
    writer->KeepCopies(true);
    EXPECT_TRUE(writer->Publish().ok());
  }
  void SetUp() override {
    const auto index = OpenStoring(*directory_);
    ASSERT_TRUE(index->Put(Text("a", "1")).ok() && index->Put(Text("b", "1")).ok());
    ASSERT_TRUE(index->Commit().ok());
    ASSERT_TRUE(index->Put(Text("c", "1")).ok());
    ASSERT_TRUE(index->Commit().ok());
    ASSERT_EQ(NewestManifest().copies.size(), 2u);
  }
  Manifest NewestManifest() const { return LoadNewestManifest(*directory_, nullptr).value(); }
  // Changes a byte of the header, so that the segment cannot be opened.
  void Damage(const ManifestSegment& segment) {
    const auto place = Elsewhere(*directory_, kPlaceOfSegments);
    const std::string name = SegmentFileName(segment.id);
    std::string bytes = ContentOf(*place, name);
    bytes[20] ^= 1;
    ASSERT_TRUE(place->Remove(name).ok());
    WriteStranger(*place, name, bytes);
  }

  const std::unique_ptr<Directory> directory_ = NewDramDirectory("live");
};

TEST_F(LiveKeptCopies, KeepTheDocumentsOfADamagedSegmentThroughCommits) {
  Damage(NewestManifest().segments[0]);
  const auto index = OpenStoring(*directory_);
  ASSERT_NE(index, nullptr);
  ASSERT_TRUE(index->Put(Text("d", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 4u);
  EXPECT_EQ(index->Put(Text("a", "2"))->removed, 1u);
  EXPECT_EQ(index->Delete("c")->removed, 1u);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 3u);
  EXPECT_EQ(Durable(*directory_), Visible(*index));
  EXPECT_EQ(index->Delete("b")->removed, 1u);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Durable(*directory_).size(), 2u);
  EXPECT_TRUE(Snapshot::Open(*directory_).value()->replaced().empty()) << "its segment is gone";
}

TEST_F(LiveKeptCopies, AreNotWrittenWhereDeletionsCannotBe) {
  ASSERT_TRUE(Elsewhere(*directory_, kPlaceOfSegments)->Remove("pmdex-place").ok());
  ASSERT_EQ(Snapshot::Open(*directory_).value()->replaced().size(), 2u);
  const auto opened = LiveIndex::Open(*directory_, {});
  EXPECT_TRUE(absl::IsFailedPrecondition(opened.status())) << opened.status();
}

// The generations are published; only copies are missing.
TEST_F(LiveKeptCopies, AreNoConditionOfACommit) {
  ASSERT_TRUE(Elsewhere(*directory_, kPlaceOfCopies)->Remove("pmdex-place").ok());
  const auto index = OpenStoring(*directory_);
  ASSERT_NE(index, nullptr);
  ASSERT_TRUE(index->Put(Text("d", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(index->missing_copies())) << index->missing_copies();
  EXPECT_EQ(index->Delete("c")->removed, 1u);  // all of its segment
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(index->Delete("b")->removed, 1u);  // a part of its segment, whose copy is out of reach
  ASSERT_TRUE(index->Put(Text("e", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Durable(*directory_).size(), 3u);
  EXPECT_EQ(Durable(*directory_), Visible(*index));
  EXPECT_TRUE(NewestManifest().copies.empty());
}

TEST(LiveIndex, WritesCompressedSegmentsIfTheIndexHasNoOthers) {
  const auto directory = NewDramDirectory("live");
  {
    const auto index = OpenStoring(*directory);
    ASSERT_TRUE(index->Put(Text("a", "1")).ok() && index->Commit().ok());
  }
  const Manifest before = LoadNewestManifest(*directory, nullptr).value();
  {
    const auto writer =
        IndexWriter::Open(*directory, OpenMode::kAppend, *Storing().settings).value();
    ASSERT_TRUE(writer->Convert(before.segments[0].id, Tier::kCompressed).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  const auto index = OpenStoring(*directory);
  ASSERT_TRUE(index->Put(Text("b", "1")).ok() && index->Commit().ok());
  ASSERT_TRUE(index->Put(Text("b", "2")).ok() && index->Put(Text("c", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 3u);
  const Manifest after = LoadNewestManifest(*directory, nullptr).value();
  EXPECT_GE(after.segments.size(), 2u);
  for (const ManifestSegment& segment : after.segments) {
    EXPECT_EQ(segment.tier, Tier::kCompressed) << segment.id;
  }
}

}  // namespace live_kept_copies_test
}  // namespace pmdex
