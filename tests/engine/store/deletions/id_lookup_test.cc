#include "engine/store/deletions/id_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/mutex.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace id_lookup_test {

using Documents = std::vector<std::pair<std::string, std::string>>;

std::vector<LiveSegment> SegmentsOf(const Snapshot& snapshot) {
  std::vector<LiveSegment> segments;
  for (const auto& segment : snapshot.segments()) segments.push_back({segment, nullptr});
  return segments;
}

TEST(IdLookup, FindsAllDocumentsOfEachId) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate,
             {{{"a", "x"}, {"b", "x"}, {"a", "y"}}, {{"c", "x"}}, {{"a", "z"}, {"d", "x"}}});
  const auto snapshot = *Snapshot::Open(*directory);
  std::vector<LiveSegment> segments = SegmentsOf(*snapshot);
  const std::vector<std::string> ids = {"a", "none", "c", "a", "nowhere"};
  auto matches = FindIds(segments, ids, 2);
  ASSERT_TRUE(matches.ok()) << matches.status();
  EXPECT_EQ(matches->missing, 2u);
  EXPECT_EQ(matches->docs, (std::vector<std::vector<DocId>>{{0, 2}, {0}, {0}}));
  segments[1].live_docs =
      std::make_shared<const LiveDocs>(LiveDocs::Without(1, std::vector<DocId>{0}));
  matches = FindIds(segments, ids, 2);
  ASSERT_TRUE(matches.ok()) << matches.status();
  EXPECT_EQ(matches->missing, 3u) << "c is deleted";
  EXPECT_TRUE(matches->docs[1].empty());
  EXPECT_EQ(FindIds({}, ids, 2)->missing, 4u);
  EXPECT_EQ(FindIds(segments, {}, 2)->missing, 0u);
}

// Against a set, with ids that repeat and any number of threads.
TEST(IdLookup, FindsWhatASetFindsOnRandomIds) {
  std::mt19937_64 random(3);
  const auto id = [&random] { return "id" + std::to_string(random() % 500); };
  std::vector<Documents> stored(4);
  for (Documents& documents : stored) {
    for (int i = 0; i < 300; ++i) documents.emplace_back(id(), "x");
  }
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, stored);
  const auto snapshot = *Snapshot::Open(*directory);
  for (const size_t threads : {size_t{1}, size_t{2}, size_t{8}}) {
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(random() % 4 == 0 ? "no" + id() : id());
    const std::set<std::string> wanted(ids.begin(), ids.end());
    auto matches = FindIds(SegmentsOf(*snapshot), ids, threads);
    ASSERT_TRUE(matches.ok()) << matches.status();
    std::set<std::string> found;
    for (size_t i = 0; i < stored.size(); ++i) {
      std::vector<DocId> expected;
      for (DocId doc = 0; doc < stored[i].size(); ++doc) {
        if (!wanted.contains(stored[i][doc].first)) continue;
        expected.push_back(doc);
        found.insert(stored[i][doc].first);
      }
      std::sort(matches->docs[i].begin(), matches->docs[i].end());
      EXPECT_EQ(matches->docs[i], expected);
    }
    EXPECT_EQ(matches->missing, wanted.size() - found.size());
  }
}

TEST(IdLookup, VisitsEachDocumentOnceAndReturnsTheFirstError) {
  const auto directory = NewDramDirectory("store");
  Documents many;
  for (int i = 0; i < 70'000; ++i) many.emplace_back(std::to_string(i), "x");
  BuildStore(*directory, OpenMode::kCreate, {many, {{"a", "x"}}});
  const auto snapshot = *Snapshot::Open(*directory);
  Mutex mutex;
  std::vector<std::vector<int>> visits = {std::vector<int>(many.size()), std::vector<int>(1)};
  const absl::Status visited = VisitRanges(SegmentsOf(*snapshot), 4, [&](const DocRange& range) {
    MutexLock lock(&mutex);
    for (DocId doc = range.begin; doc < range.end; ++doc) ++visits[range.segment][doc];
    return absl::OkStatus();
  });
  ASSERT_TRUE(visited.ok()) << visited;
  EXPECT_EQ(visits, (std::vector<std::vector<int>>{std::vector<int>(many.size(), 1), {1}}));
  EXPECT_TRUE(absl::IsDataLoss(
      VisitRanges(SegmentsOf(*snapshot), 4, [](const DocRange&) { return DataLoss("a reason"); })));
}

}  // namespace id_lookup_test
}  // namespace pmdex
