// What a writer makes, removes and refuses at the places of an index.
#include "engine/store/placement/writable_places.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/store/own_files.h"
#include "engine/store/placement/place_mark.h"
#include "pmem/forwarding_directory.h"
#include "tests/engine/store/placement/placement_test_support.h"

namespace pmdex {
namespace writable_places_test {

using Ids = std::vector<std::string>;

class WritablePlacesTest : public testing::Test {
 protected:
  absl::Status Use(Directory& index, OpenMode mode, const PlacementOptions& options) {
    auto writer = IndexWriter::Open(index, mode, TestSettings());
    if (!writer.ok()) return writer.status();
    PMDEX_RETURN_IF_ERROR((*writer)->UsePlaces(options));
    return (*writer)->Publish();
  }
  const std::unique_ptr<Directory> index_ = NewDramDirectory("index");
};

TEST_F(WritablePlacesTest, RefusesADirectoryThatHoldsAnythingElse) {
  const auto place = Elsewhere(*index_, "/pm");
  WriteStranger(*place, "letter.txt", "mine");
  EXPECT_EQ(Use(*index_, OpenMode::kCreate, AtPlaces({"/pm"})).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ContentOf(*place, "letter.txt"), "mine");
  EXPECT_FALSE(FileNames(*place).contains("pmdex-place"));
}

TEST_F(WritablePlacesTest, RefusesAPlaceOfAnotherIndex) {
  const auto place = Elsewhere(*index_, "/pm");
  ASSERT_TRUE(WritePlaceOwner(*place, {{}, "/other/index"}).ok());
  EXPECT_EQ(Use(*index_, OpenMode::kCreate, AtPlaces({"/pm"})).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadPlaceOwner(*place)->index, "/other/index");
}

TEST_F(WritablePlacesTest, IsNoDirectoryForAnIndex) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  const auto place = Elsewhere(*index_, "/pm");
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kOverwrite, OpenMode::kAppend}) {
    EXPECT_EQ(IndexWriter::Open(*place, mode, TestSettings()).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a"}));
}

TEST_F(WritablePlacesTest, KnowsWhatLiesInTheIndex) {
  EXPECT_TRUE(IsInside("/a/b", "/a"));
  EXPECT_TRUE(IsInside("/a", "/a"));
  EXPECT_FALSE(IsInside("/ab", "/a"));
  EXPECT_FALSE(IsInside("/", "/a"));
}

TEST_F(WritablePlacesTest, KeepsOtherFilesOfAPlaceAndRemovesOrphans) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  const auto place = Elsewhere(*index_, "/pm");
  WriteStranger(*place, "notes", "mine");
  WriteStranger(*place, SegmentFileName(77), "no segment");
  WriteStranger(*place, "manifest-0000000000000009", "no manifest");
  WriteOrphan(*place, 78);
  WriteStranger(*place, SegmentFileName(79) + ".tmp", "half");
  BuildAt(*index_, OpenMode::kAppend, {}, {"b"});
  EXPECT_EQ(ContentOf(*place, "notes"), "mine");
  EXPECT_EQ(ContentOf(*place, SegmentFileName(77)), "no segment");
  EXPECT_EQ(ContentOf(*place, "manifest-0000000000000009"), "no manifest");
  EXPECT_FALSE(FileNames(*place).contains(SegmentFileName(78)));
  EXPECT_FALSE(FileNames(*place).contains(SegmentFileName(79) + ".tmp"));
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b"}));
}

TEST_F(WritablePlacesTest, OverwritingEmptiesOldPlacesAndFreesThem) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b"});
  BuildAt(*index_, OpenMode::kOverwrite, AtPlaces({"/pm1"}), {"c"});
  EXPECT_EQ(ReadableIds(*index_), (Ids{"c"}));
  const auto old = Elsewhere(*index_, "/pm0");
  EXPECT_EQ(SegmentsIn(*old), 0u);
  BuildAt(*index_, OpenMode::kAppend, {}, {"d"});
  EXPECT_TRUE(FileNames(*old).empty()) << "the mark of a retired place goes, too";
  EXPECT_EQ((*Snapshot::Open(*index_))->manifest().places.size(), 1u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 2u);
}

TEST_F(WritablePlacesTest, AppendingUsesThePlacesThatTheIndexHas) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm0"}), {"a"});
  BuildAt(*index_, OpenMode::kAppend, {}, {"b"});
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm0")), 2u);
  BuildAt(*index_, OpenMode::kAppend, AtPlaces({"/pm1"}), {"c"});
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm0")), 2u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 1u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
}

TEST_F(WritablePlacesTest, LocksEachPlace) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  const auto place = Elsewhere(*index_, "/pm");
  const auto lock = place->Lock(kWriterLockName);
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(
      absl::IsUnavailable(IndexWriter::Open(*index_, OpenMode::kAppend, TestSettings()).status()));
}

// The same files under another path, as after mv or cp.
class UnderAnotherPath final : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  std::string canonical_path() const override { return "/moved"; }
};

TEST_F(WritablePlacesTest, FollowsAnIndexThatWasMoved) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  const auto place = Elsewhere(*index_, "/pm");
  // The path of an index in memory is no path that can be opened; that of a file system is.
  ASSERT_TRUE(WritePlaceOwner(*place, {AtPlaces({}).mark, "/was/here"}).ok());
  UnderAnotherPath moved(*index_);
  BuildAt(moved, OpenMode::kAppend, {}, {"b"});
  EXPECT_EQ(ReadPlaceOwner(*place)->index, "/moved");
  EXPECT_EQ(ReadableIds(moved), (Ids{"a", "b"}));
}

TEST_F(WritablePlacesTest, RefusesACopyOfAnIndexWhoseOriginalIsThere) {
  const auto original = Elsewhere(*index_, "/original");
  BuildAt(*original, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  UnderAnotherPath copy(*original);
  EXPECT_EQ(IndexWriter::Open(copy, OpenMode::kAppend, TestSettings()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadableIds(copy), (Ids{"a"})) << "a copy can be read";
}

TEST_F(WritablePlacesTest, TakesUpWhatAWriterLeftThatDiedBeforeItListedThePlace) {
  const auto place = Elsewhere(*index_, "/pm");
  ASSERT_TRUE(WritePlaceOwner(*place, {{}, index_->canonical_path()}).ok());
  WriteOrphan(*place, 5);
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a"}));
  EXPECT_EQ(SegmentsIn(*place), 1u);
}

TEST_F(WritablePlacesTest, KeepsSegmentsOfAnAbsentPlaceListed) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b"});
  const auto place = Elsewhere(*index_, "/pm1");
  const auto owner = *ReadPlaceOwner(*place);
  ASSERT_TRUE(place->Remove(kPlaceMarkName).ok());
  BuildAt(*index_, OpenMode::kAppend, {}, {"c"});
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "c"}));
  ASSERT_TRUE(WritePlaceOwner(*place, owner).ok());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
}

TEST_F(WritablePlacesTest, WritesNothingWhereAllPlacesAreAbsent) {
  BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm"}), {"a"});
  ASSERT_TRUE(Elsewhere(*index_, "/pm")->Remove(kPlaceMarkName).ok());
  auto writer = *IndexWriter::Open(*index_, OpenMode::kAppend, TestSettings());
  ASSERT_TRUE(writer->StartBuild("test").ok());
  const auto input = MakeInput({{"b", "word"}});
  EXPECT_EQ(writer->WriteSegment(*input).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WritablePlacesTest, HasAtMostSoManyPlaces) {
  std::vector<std::string> paths;
  for (uint32_t i = 0; i <= kMaxPlaces; ++i) paths.push_back("/pm" + std::to_string(i));
  EXPECT_EQ(Use(*index_, OpenMode::kCreate, AtPlaces(paths)).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(WritablePlacesTest, TakeSegmentsFromSeveralThreads) {
  const auto writer =
      OpenWithPlaces(*index_, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1", "/pm2"}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&writer, t] {
      for (int i = 0; i < 6; ++i) {
        const auto input = MakeInput({{std::to_string(t) + "-" + std::to_string(i), "word"}});
        EXPECT_TRUE(writer->WriteSegment(*input).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(ReadableIds(*index_).size(), 24u);
  size_t segments = 0;
  for (const char* path : {"/pm0", "/pm1", "/pm2"}) {
    const size_t here = SegmentsIn(*Elsewhere(*index_, path));
    EXPECT_GT(here, 0u) << path;
    segments += here;
  }
  EXPECT_EQ(segments, 24u);
}

// A directory where nothing can be created.
class FullPlaces final : public ForwardingDirectory {
 public:
  FullPlaces(Directory& base, std::string full) : ForwardingDirectory(base), full_(full) {}
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    auto opened = ForwardingDirectory::OpenElsewhere(path, create);
    if (!opened.ok() || path != full_) return opened;
    return std::make_unique<Full>(*std::move(opened));
  }

 private:
  class Full final : public ForwardingDirectory {
   public:
    explicit Full(std::unique_ptr<Directory> owned)
        : ForwardingDirectory(*owned), owned_(std::move(owned)) {}
    absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                         uint64_t capacity_bytes) override {
      if (!name.starts_with("segment-")) return base().Create(name, capacity_bytes);
      return MakeStatus(absl::StatusCode::kResourceExhausted, "no space");
    }

   private:
    const std::unique_ptr<Directory> owned_;
  };
  const std::string full_;
};

TEST_F(WritablePlacesTest, GoesOnElsewhereWhenAPlaceIsFull) {
  FullPlaces full(*index_, "/pm0");
  BuildAt(full, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b"});
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 2u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b"}));
  FullPlaces only(*index_, "/pm1");
  auto writer = *IndexWriter::Open(only, OpenMode::kAppend, TestSettings());
  PlacementOptions options = AtPlaces({"/pm1"});
  options.tier = TierChoice::kUncompressed;
  ASSERT_TRUE(writer->UsePlaces(options).ok());
  ASSERT_TRUE(writer->StartBuild("test").ok());
  const auto input = MakeInput({{"c", "word"}});
  EXPECT_TRUE(absl::IsResourceExhausted(writer->WriteSegment(*input).status()));
  options.tier = TierChoice::kAuto;
  ASSERT_TRUE(writer->UsePlaces(options).ok());
  ASSERT_TRUE(writer->WriteSegment(*input).ok());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_TRUE((*Snapshot::Open(*index_))->segments().back()->is_compressed());
}

// Appends a segment without UsePlaces, and returns whether it is compressed.
bool AppendsCompressed(Directory& directory, const std::string& id) {
  const auto writer = IndexWriter::Open(directory, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  const absl::Status written = (*writer)->WriteSegment(*MakeInput({{id, "word"}})).status();
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_TRUE((*writer)->Publish().ok());
  return (*Snapshot::Open(directory))->segments().back()->is_compressed();
}

TEST_F(WritablePlacesTest, WithoutFlagsSegmentsAreCompressedIfAllAre) {
  PlacementOptions options;
  options.compressed_directory = "/nvme";
  options.tier = TierChoice::kCompressed;
  BuildAt(*index_, OpenMode::kCreate, options, {"a"});
  EXPECT_TRUE(AppendsCompressed(*index_, "b"));
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/nvme")), 2u);
  {
    const auto writer = *IndexWriter::Open(*index_, OpenMode::kAppend, TestSettings());
    ASSERT_TRUE(writer->Convert(writer->published().segments[0].id, Tier::kUncompressed).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_FALSE(AppendsCompressed(*index_, "c"));
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
}

TEST_F(WritablePlacesTest, WithoutFlagsSegmentsAreCompressedWhereTheOthersHaveNoSpace) {
  PlacementOptions options = AtPlaces({"/pm0"});
  options.compressed_directory = "/nvme";
  BuildAt(*index_, OpenMode::kCreate, options, {"a"});
  FullPlaces full(*index_, "/pm0");
  EXPECT_TRUE(AppendsCompressed(full, "b"));
  {
    const auto writer = *IndexWriter::Open(full, OpenMode::kAppend, TestSettings());
    std::vector<uint64_t> ids;
    for (const ManifestSegment& one : writer->published().segments) ids.push_back(one.id);
    MergeRequest request;
    request.tier = Tier::kUncompressed;
    EXPECT_TRUE(absl::IsResourceExhausted(writer->Merge(ids, request).status()));
    const auto merged = writer->Merge(ids, {});
    ASSERT_TRUE(merged.ok()) << merged.status();
    EXPECT_EQ(merged->segment->tier, Tier::kCompressed);
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/nvme")), 1u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm0")), 0u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b"}));
}

TEST_F(WritablePlacesTest, AnExplicitTierIsNeverReplaced) {
  PlacementOptions options;
  options.tier = TierChoice::kCompressed;
  BuildAt(*index_, OpenMode::kCreate, options, {"a"});
  options.tier = TierChoice::kUncompressed;
  BuildAt(*index_, OpenMode::kAppend, options, {"b"});
  EXPECT_FALSE((*Snapshot::Open(*index_))->segments().back()->is_compressed());
}

}  // namespace writable_places_test
}  // namespace pmdex
