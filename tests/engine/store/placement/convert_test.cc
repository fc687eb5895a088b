// Segments that are written anew at another place while readers have them open.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/placement/segment_converter.h"
#include "engine/store/store_verifier.h"
#include "engine/store/writer_checks.h"
#include "tests/engine/store/placement/placement_test_support.h"
#include "tests/support/faulty_directory.h"

namespace pmdex {
namespace convert_test {

using Ids = std::vector<std::string>;

class ConvertTest : public testing::Test {
 protected:
  ConvertTest() {
    BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b", "c"});
  }
  static std::unique_ptr<IndexWriter> Writer(Directory& index) {
    auto writer = IndexWriter::Open(index, OpenMode::kAppend, TestSettings());
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }
  const std::unique_ptr<Directory> index_ = NewDramDirectory("index");
};

TEST_F(ConvertTest, PutsTheNewSegmentWhereTheOldOneStood) {
  const auto before = *Snapshot::Open(*index_);
  const auto writer = Writer(*index_);
  const ManifestSegment old = writer->published().segments[1];
  const auto moved = writer->Convert(old.id, Tier::kUncompressed, 0);
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"})) << "not published yet";
  EXPECT_EQ((*Snapshot::Open(*index_))->listed(1).id, old.id);
  ASSERT_TRUE(writer->Publish().ok());
  const auto after = *Snapshot::Open(*index_);
  EXPECT_EQ(after->listed(1).id, moved->id);
  EXPECT_EQ(after->listed(1).place, 0u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 0u);
  EXPECT_EQ(SegmentsIn(*index_), 1u);
  EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
  EXPECT_EQ(*before->segments()[1]->doc_id(0), "b") << "a reader keeps what it has open";
}

TEST_F(ConvertTest, OfOneSegmentTwiceKeepsTheLastFile) {
  const auto writer = Writer(*index_);
  const uint64_t old = writer->published().segments[0].id;
  const auto once = *writer->Convert(old, Tier::kUncompressed, 0);
  const auto twice = *writer->Convert(once.id, Tier::kUncompressed, 2);
  EXPECT_TRUE(absl::IsNotFound(writer->Convert(old, Tier::kUncompressed, 2).status()));
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*index_))->listed(0).id, twice.id);
  EXPECT_EQ(SegmentsIn(*index_), 0u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 2u);
}

TEST_F(ConvertTest, IsUndoneWithoutPublish) {
  {
    const auto writer = Writer(*index_);
    ASSERT_TRUE(writer->Convert(writer->published().segments[0].id, Tier::kUncompressed, 0).ok());
    EXPECT_EQ(SegmentsIn(*index_), 1u);
  }
  EXPECT_EQ(SegmentsIn(*index_), 0u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
}

TEST_F(ConvertTest, ChoosesThePlaceWithTheFewestBytes) {
  const auto writer = Writer(*index_);
  EXPECT_TRUE(writer->IsPlaced(writer->published().segments[0], Tier::kUncompressed));
  const auto out = *writer->Convert(writer->published().segments[0].id, Tier::kUncompressed, 0);
  EXPECT_FALSE(writer->IsPlaced(out, Tier::kUncompressed)) << "the index takes none";
  const auto back = *writer->Convert(out.id, Tier::kUncompressed);
  EXPECT_TRUE(back.place == 1 || back.place == 2);
  EXPECT_TRUE(writer->IsPlaced(back, Tier::kUncompressed));
  EXPECT_FALSE(writer->IsPlaced(back, Tier::kCompressed));
}

TEST_F(ConvertTest, RefusesADamagedSegmentAndKeepsItListed) {
  const auto before = *Snapshot::Open(*index_);
  const auto place = Elsewhere(*index_, "/pm0");
  const std::string name = SegmentFileName(before->listed(0).id);
  std::string bytes = ContentOf(*place, name);
  bytes[before->segments()[0]->view().sections()[1].offset] ^= 1;
  ASSERT_TRUE(place->Remove(name).ok());
  WriteStranger(*place, name, bytes);
  const auto writer = Writer(*index_);
  EXPECT_TRUE(
      absl::IsDataLoss(writer->Convert(before->listed(0).id, Tier::kUncompressed, 0).status()));
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*index_))->listed(0).id, before->listed(0).id);
  EXPECT_EQ(SegmentsIn(*index_), 0u);
}

TEST_F(ConvertTest, KeepsAgeAndAddsHeat) {
  PlacementOptions options = AtPlaces({"/pm0"});
  options.now_s = 1234;
  BuildAt(*index_, OpenMode::kAppend, options, {"d"});
  const auto writer = Writer(*index_);
  const uint64_t id = writer->published().segments[3].id;
  writer->AddHeat({{id, 5}, {99, 1}});
  const auto moved = *writer->Convert(id, Tier::kUncompressed, 0);
  writer->AddHeat({{moved.id, 2}});
  ASSERT_TRUE(writer->Publish().ok());
  const auto snapshot = *Snapshot::Open(*index_);
  EXPECT_EQ(snapshot->listed(3).heat, 7u);
  EXPECT_EQ(snapshot->listed(3).created_s, 1234u);
  EXPECT_EQ(snapshot->listed(0).created_s, 0u);
}

// Fails each operation of the medium in turn. Each error leaves the index as it was or as it should
// be, and the next writer removes what is left.
void ExpectFaultsLoseNothing(Tier tier) {
  for (const auto code : {absl::StatusCode::kDataLoss, absl::StatusCode::kResourceExhausted}) {
    bool touched = true;
    for (uint64_t n = 1; touched; ++n) {
      ASSERT_LT(n, 500u);
      const auto index = NewDramDirectory("index");
      BuildAt(*index, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b"});
      FaultPlan plan(n, MakeStatus(code, "injected"));
      {
        const auto faulty = NewFaultyDirectory(*index, plan);
        auto writer = IndexWriter::Open(*faulty, OpenMode::kAppend, TestSettings());
        if (writer.ok() &&
            (*writer)->Convert((*writer)->published().segments[0].id, tier, 2).ok()) {
          (*writer)->Publish().IgnoreError();
        }
      }
      touched = plan.touched();
      SCOPED_TRACE("operation " + std::to_string(n) + ": " + plan.failed());
      EXPECT_EQ(ReadableIds(*index), (Ids{"a", "b"}));
      ASSERT_TRUE(IndexWriter::Open(*index, OpenMode::kAppend, TestSettings()).ok());
      EXPECT_EQ(SegmentsIn(*Elsewhere(*index, "/pm0")) + SegmentsIn(*Elsewhere(*index, "/pm1")),
                2u);
      EXPECT_EQ(SegmentsIn(*index), 0u);
      EXPECT_TRUE(VerifyStore(*index)->findings.empty());
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ConvertFaults, LoseNothingAndLeaveNothing) {
  for (const Tier tier : {Tier::kUncompressed, Tier::kCompressed}) ExpectFaultsLoseNothing(tier);
}

TEST(WriterChecks, SayWhereASegmentOfAnUnfinishedBuildIsMissing) {
  const auto index = NewDramDirectory("index");
  WritablePlaces places(*index);
  ManifestSegment segment;
  segment.id = 1;
  EXPECT_TRUE(absl::IsDataLoss(CheckPendingSegments(places, {segment})));
  segment.place = 3;
  EXPECT_TRUE(absl::IsDataLoss(CheckPendingSegments(places, {segment})));
  EXPECT_TRUE(CheckPendingSegments(places, {}).ok());
}

TEST_F(ConvertTest, CompressesSegmentsAndGivesThemBack) {
  for (const Tier tier : {Tier::kCompressed, Tier::kUncompressed}) {
    const auto writer = Writer(*index_);
    const uint64_t id = writer->published().segments[1].id;
    const auto converted = writer->Convert(id, tier);
    ASSERT_TRUE(converted.ok()) << converted.status();
    ASSERT_TRUE(writer->Publish().ok());
    const auto snapshot = *Snapshot::Open(*index_);
    EXPECT_EQ(snapshot->listed(1).tier, tier);
    EXPECT_EQ(snapshot->segments()[1]->is_compressed(), tier == Tier::kCompressed);
    EXPECT_FALSE(snapshot->segments()[0]->is_compressed());
    EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
    EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
  }
}

TEST(SegmentConverter, RefusesTheTierThatASegmentDoesNotHave) {
  const auto index = NewDramDirectory("index");
  BuildAt(*index, OpenMode::kCreate, {}, {"a"});
  ManifestSegment listed = (*Snapshot::Open(*index))->listed(0);
  const auto source = *OpenListedSegment(*index, listed);
  EXPECT_TRUE(ConvertSegment(*source, listed, Tier::kCompressed, *index, 9).ok());
  listed.tier = Tier::kCompressed;
  EXPECT_TRUE(absl::IsInvalidArgument(
      ConvertSegment(*source, listed, Tier::kUncompressed, *index, 10).status()));
}

}  // namespace convert_test
}  // namespace pmdex
