// Segments at several places: what a reader finds, and what it says of places that are absent.
#include "engine/store/placement/places.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/placement/place_mark.h"
#include "engine/store/store_verifier.h"
#include "pmem/forwarding_directory.h"
#include "tests/engine/store/placement/placement_test_support.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace places_test {

using Ids = std::vector<std::string>;

// An index whose places with these paths are not mounted.
class WithoutPlaces final : public ForwardingDirectory {
 public:
  WithoutPlaces(Directory& base, std::vector<std::string> absent)
      : ForwardingDirectory(base), absent_(std::move(absent)) {}
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    if (std::find(absent_.begin(), absent_.end(), path) != absent_.end()) {
      return MakeStatus(absl::StatusCode::kNotFound, "not mounted");
    }
    return ForwardingDirectory::OpenElsewhere(path, create);
  }

 private:
  const std::vector<std::string> absent_;
};

class Places : public testing::Test {
 protected:
  void Build() {
    BuildAt(*index_, OpenMode::kCreate, AtPlaces({"/pm0", "/pm1"}), {"a", "b", "c", "d"});
  }
  const std::unique_ptr<Directory> index_ = NewDramDirectory("index");
};

TEST_F(Places, HoldTheSegmentsInEqualShares) {
  Build();
  EXPECT_EQ(SegmentsIn(*index_), 0u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm0")), 2u);
  EXPECT_EQ(SegmentsIn(*Elsewhere(*index_, "/pm1")), 2u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c", "d"}));
  const auto snapshot = *Snapshot::Open(*index_);
  EXPECT_EQ(snapshot->place(0), "/pm0");
  EXPECT_EQ(snapshot->place(1), "/pm1");
  EXPECT_EQ(snapshot->listed(1).id, snapshot->segments()[1]->segment_id());
  const auto report = VerifyStore(*index_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->findings.empty());
  EXPECT_EQ(report->segments, 4u);
}

TEST_F(Places, ThatAreAbsentGiveAPartialAnswer) {
  Build();
  const WithoutPlaces partial(*index_, {"/pm1"});
  EXPECT_EQ(ReadableIds(partial), (Ids{"a", "c"}));
  const auto snapshot = *Snapshot::Open(partial);
  ASSERT_EQ(snapshot->quarantined().size(), 2u);
  EXPECT_EQ(snapshot->quarantined()[0].place, "/pm1");
  EXPECT_EQ(snapshot->doc_base(1), 2u) << "numbers of documents do not change";
  EXPECT_NE(std::string(Message(snapshot->quarantined()[0].reason)).find("/pm1"),
            std::string::npos);
  EXPECT_EQ(VerifyStore(partial)->findings.size(), 2u);
  const auto places = *ReadablePlaces::Open(partial, snapshot->manifest());
  EXPECT_TRUE(places.Find(1).ok());
  EXPECT_TRUE(absl::IsNotFound(places.Find(2).status()));
  EXPECT_EQ(places.NameOf(1, "x"), "/pm0/x");
  EXPECT_EQ(places.NameOf(0, "x"), "x");
}

TEST_F(Places, WithAnotherMarkAreNotRead) {
  Build();
  const auto place = Elsewhere(*index_, "/pm0");
  const auto owner = *ReadPlaceOwner(*place);
  PlaceOwner other = owner;
  other.mark[3] ^= std::byte{1};
  ASSERT_TRUE(WritePlaceOwner(*place, other).ok());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"b", "d"}));
  ASSERT_TRUE(place->Remove(kPlaceMarkName).ok());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"b", "d"}));
  WriteStranger(*place, kPlaceMarkName, "damaged");
  EXPECT_EQ(ReadableIds(*index_), (Ids{"b", "d"}));
  ASSERT_TRUE(WritePlaceOwner(*place, owner).ok());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c", "d"}));
}

TEST_F(Places, ThatAreLinksAreNotRead) {
  const TemporaryDirectory root;
  const auto index = *OpenFileDirectory(root / "index", {.create = true});
  BuildAt(*index, OpenMode::kCreate, AtPlaces({root / "pm0", root / "pm1"}), {"a", "b"});
  EXPECT_EQ(ReadableIds(*index), (Ids{"a", "b"}));
  std::filesystem::rename(root / "pm1", root / "elsewhere");
  EXPECT_EQ(ReadableIds(*index), (Ids{"a"}));
  std::filesystem::create_directory_symlink(root / "elsewhere", root / "pm1");
  EXPECT_EQ(ReadableIds(*index), (Ids{"a"}));
  const auto snapshot = *Snapshot::Open(*index);
  EXPECT_NE(std::string(Message(snapshot->quarantined()[0].reason)).find("symbolic link"),
            std::string::npos);
}

}  // namespace places_test
}  // namespace pmdex
