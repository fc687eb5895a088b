// Merges of listed segments: IndexWriter::Merge (segment_merging) and MergeIndex (merge_index).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "absl/strings/str_format.h"

#include "engine/segment/order/graph_order.h"
#include "engine/segment/order/path_order.h"
#include "engine/store/merging/merge_index.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "query/searcher.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace index_merging_test {

using Documents = std::vector<std::pair<std::string, std::string>>;

std::vector<Documents> RandomSegments(size_t count, uint64_t seed) {
  RandomCorpus corpus(seed, 60);
  SeededRandom random(seed);
  std::vector<Documents> segments(count);
  int number = 0;
  for (Documents& documents : segments) {
    for (const CorpusDocument& document : corpus.Documents(1 + random.Below(12))) {
      std::string text;
      for (const auto& [field, value] : document.fields) text += value + " ";
      documents.emplace_back("d" + std::to_string(number++), text);
    }
  }
  return segments;
}

// Hits with exact scores.
std::vector<std::string> AnswersOf(std::shared_ptr<const Snapshot> snapshot) {
  RandomCorpus corpus(9, 60);
  const Searcher searcher(std::move(snapshot));
  std::vector<std::string> answers;
  for (int i = 0; i < 30; ++i) {
    SearchOptions options;
    options.count = true;
    const auto result = searcher.Search(corpus.Query(/*phrases=*/true), options);
    std::string& answer = answers.emplace_back();
    if (!result.ok()) continue;
    answer = std::to_string(result->total);
    for (const Hit& hit : result->hits) answer += absl::StrFormat(" %s:%a", hit.id, hit.score);
  }
  return answers;
}

std::vector<uint64_t> IdsOf(const Manifest& manifest) {
  std::vector<uint64_t> ids;
  for (const ManifestSegment& segment : manifest.segments) ids.push_back(segment.id);
  return ids;
}

std::unique_ptr<IndexWriter> OpenAppending(Directory& directory) {
  return IndexWriter::Open(directory, OpenMode::kAppend, TestSettings()).value();
}

TEST(IndexMerging, PutsTheNewSegmentWhereTheOldOnesStood) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(5, 1));
  const auto before = Snapshot::Open(*directory).value();
  const auto writer = OpenAppending(*directory);
  writer->AddHeat({{2, 7}, {3, 4}});
  ASSERT_TRUE(writer->Publish().ok());
  const uint64_t ids[] = {2, 3, 4};
  const auto merged = writer->Merge(ids, {});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->dropped_documents, 0u);
  EXPECT_EQ(IdsOf(writer->published()), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(IdsOf(writer->published()), (std::vector<uint64_t>{1, 6, 5}));
  EXPECT_EQ(writer->published().segments[1].heat, 11u);
  EXPECT_FALSE(directory->Open(SegmentFileName(3)).ok());
  // Hits are the same, in the same order where scores are equal. An open snapshot goes on.
  const auto after = Snapshot::Open(*directory).value();
  EXPECT_EQ(AnswersOf(after), AnswersOf(before));
  const auto findings = VerifyStore(*directory);
  ASSERT_TRUE(findings.ok());
  EXPECT_TRUE(findings->findings.empty());
}

TEST(IndexMerging, GivesTheScoresOfAFreshBuildToTheBit) {
  const auto segments = RandomSegments(8, 2);
  Documents all;
  for (const Documents& documents : segments)
    all.insert(all.end(), documents.begin(), documents.end());
  const auto fresh = NewDramDirectory("fresh");
  BuildStore(*fresh, OpenMode::kCreate, {all});
  for (const bool compressed : {false, true}) {
    const auto directory = NewDramDirectory("index");
    BuildStore(*directory, OpenMode::kCreate, segments);
    const auto writer = OpenAppending(*directory);
    MergeIndexOptions options;
    options.max_segments = 1;
    if (compressed) options.request.tier = Tier::kCompressed;
    const auto report = MergeIndex(*directory, *writer, options);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->merges, 1u);
    const auto snapshot = Snapshot::Open(*directory).value();
    ASSERT_EQ(snapshot->segments().size(), 1u);
    EXPECT_EQ(snapshot->segments()[0]->is_compressed(), compressed);
    EXPECT_EQ(AnswersOf(snapshot), AnswersOf(Snapshot::Open(*fresh).value()));
    // Nothing is left to do, and another tier is written anew.
    EXPECT_EQ(MergeIndex(*directory, *writer, options)->merges, 0u);
    options.request.tier = compressed ? Tier::kUncompressed : Tier::kCompressed;
    EXPECT_EQ(MergeIndex(*directory, *writer, options)->merges, 1u);
    EXPECT_EQ(Snapshot::Open(*directory).value()->segments()[0]->is_compressed(), !compressed);
  }
}

// The documents that are live, in index order, with their texts.
Documents LiveDocumentsOf(const Snapshot& snapshot,
                          const std::map<std::string, std::string>& texts) {
  Documents documents;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!IsLive(snapshot.live_docs(i), doc)) continue;
      const std::string id(segment.doc_id(doc).value());
      documents.emplace_back(id, texts.at(id));
    }
  }
  return documents;
}

// With another order an index is that of a fresh build whose documents came in that order: the same
// hits with the same scores, and hits of equal scores in the new order.
TEST(IndexMerging, GivesTheAnswersOfAFreshBuildInTheNewOrder) {
  using Order = absl::StatusOr<std::vector<DocId>>;
  const std::function<Order(std::span<const MergeSource>)> orders[] = {
      [](std::span<const MergeSource> sources) { return OrderByPath(sources, {}); },
      [](std::span<const MergeSource> sources) { return OrderByGraph(sources, {}); }};
  for (uint64_t round = 0; round < 8; ++round) {
    auto segments = RandomSegments(12, 20 + round);
    for (Documents& documents : segments) {  // of which some are behind all others by path
      for (auto& [id, text] : documents) id.insert(0, text.size() % 2 == 0 ? "b/" : "c/");
    }
    std::map<std::string, std::string> texts;
    for (const Documents& documents : segments) texts.insert(documents.begin(), documents.end());
    const auto directory = NewDramDirectory("index");
    BuildStore(*directory, OpenMode::kCreate, segments);
    const auto writer = OpenAppending(*directory);
    if (round >= 4) {
      for (const uint64_t id : {2, 5}) ASSERT_TRUE(writer->Delete(id, std::vector<DocId>{0}).ok());
      ASSERT_TRUE(writer->Publish().ok());
    }
    Documents before = LiveDocumentsOf(*Snapshot::Open(*directory).value(), texts);
    MergeIndexOptions options;
    options.max_segments = 1;
    options.request.order = orders[round % 2];
    if (round % 4 >= 2) options.request.tier = Tier::kCompressed;
    ASSERT_TRUE(MergeIndex(*directory, *writer, options).ok());
    const auto merged = Snapshot::Open(*directory).value();
    ASSERT_EQ(merged->segments().size(), 1u);
    Documents after = LiveDocumentsOf(*merged, texts);
    EXPECT_EQ(after.size(), merged->segments()[0]->doc_count());
    const auto fresh = NewDramDirectory("fresh");
    BuildStore(*fresh, OpenMode::kCreate, {after});
    EXPECT_EQ(AnswersOf(merged), AnswersOf(Snapshot::Open(*fresh).value()));
    const auto findings = VerifyStore(*directory);
    ASSERT_TRUE(findings.ok());
    EXPECT_TRUE(findings->findings.empty());
    if (round % 2 == 0) {
      EXPECT_NE(after, before);
      EXPECT_TRUE(std::is_sorted(after.begin(), after.end(), [](const auto& a, const auto& b) {
        return IsPathBefore(a.first, b.first);
      }));
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(after, before);
  }
}

// A merge in another order rewrites even a single segment.
TEST(IndexMerging, RewritesASingleSegmentForAnotherOrder) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, {{{"c", "x"}, {"a", "x"}, {"b", "x y"}}});
  const auto writer = OpenAppending(*directory);
  MergeIndexOptions options;
  options.max_segments = 1;
  EXPECT_EQ(MergeIndex(*directory, *writer, options)->merges, 0u);
  options.request.order = [](std::span<const MergeSource> sources) {
    return OrderByPath(sources, {});
  };
  EXPECT_EQ(MergeIndex(*directory, *writer, options)->merges, 1u);
  const auto snapshot = Snapshot::Open(*directory).value();
  std::string ids;
  for (DocId doc = 0; doc < 3; ++doc) ids += snapshot->segments()[0]->doc_id(doc).value();
  EXPECT_EQ(ids, "abc");
}

TEST(IndexMerging, LeavesTheIndexAloneIfNoOrderIsFound) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(3, 8));
  const auto files = FileNames(*directory);
  const auto writer = OpenAppending(*directory);
  MergeIndexOptions options;
  options.max_segments = 1;
  options.request.order = [](std::span<const MergeSource> sources) {
    return OrderByGraph(sources, {.memory_bytes = 1});
  };
  EXPECT_TRUE(absl::IsResourceExhausted(MergeIndex(*directory, *writer, options).status()));
  options.request.order = [](std::span<const MergeSource> sources) {
    return OrderByPath(sources, [] { return true; });
  };
  EXPECT_TRUE(MergeIndex(*directory, *writer, options)->is_stopped);
  EXPECT_EQ(FileNames(*directory), files);
}

TEST(IndexMerging, MergesByPolicyUntilNothingIsWorthIt) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(60, 3));
  const auto expected = AnswersOf(Snapshot::Open(*directory).value());
  const auto writer = OpenAppending(*directory);
  const auto report = MergeIndex(*directory, *writer, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->merges, 1u);
  EXPECT_LE(writer->published().segments.size(), 10u);
  EXPECT_EQ(AnswersOf(Snapshot::Open(*directory).value()), expected);
}

TEST(IndexMerging, RefusesWhatIsNotAdjacentOrNotListed) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(3, 4));
  const auto writer = OpenAppending(*directory);
  const uint64_t apart[] = {1, 3};
  const uint64_t backwards[] = {2, 1};
  const uint64_t unknown[] = {3, 4};
  EXPECT_TRUE(absl::IsInvalidArgument(writer->Merge(apart, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(writer->Merge(backwards, {}).status()));
  EXPECT_TRUE(absl::IsNotFound(writer->Merge(unknown, {}).status()));
}

TEST(IndexMerging, LeavesNothingWhenItIsStoppedOrGivenUp) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(3, 5));
  const auto files = FileNames(*directory);
  {
    const auto writer = OpenAppending(*directory);
    for (int after = 0; after < 3; ++after) {
      int asked = 0;
      MergeIndexOptions options;
      options.max_segments = 1;
      options.request.stop = [&] { return asked++ >= after; };
      const auto report = MergeIndex(*directory, *writer, options);
      ASSERT_TRUE(report.ok()) << report.status();
      EXPECT_TRUE(report->is_stopped);
      EXPECT_EQ(report->merges, 0u);
      EXPECT_EQ(FileNames(*directory), files);
    }
    const uint64_t ids[] = {1, 2};
    ASSERT_TRUE(writer->Merge(ids, {}).ok());
    EXPECT_NE(FileNames(*directory), files);
  }
  EXPECT_EQ(FileNames(*directory), files);
}

TEST(IndexMerging, KeepsAnUnfinishedBuild) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(3, 6));
  constexpr char kOptions[] = "--format lines";
  {
    const auto writer = OpenAppending(*directory);
    ASSERT_TRUE(writer->StartBuild(kOptions).ok());
    const auto input = MakeInput({{"pending", "word"}});
    const uint64_t id = writer->WriteSegment(*input)->segment_id;
    ASSERT_TRUE(writer->Checkpoint({{id}}, std::vector<std::byte>(3)).ok());
  }
  {
    const auto writer = OpenAppending(*directory);
    writer->KeepPendingBuild();
    MergeIndexOptions options;
    options.max_segments = 1;
    ASSERT_TRUE(MergeIndex(*directory, *writer, options).ok());
  }
  const auto writer =
      IndexWriter::OpenToResume(*directory, OpenMode::kAppend, kOptions, TestSettings()).value();
  ASSERT_TRUE(writer->build().has_value());
  EXPECT_EQ(writer->build()->progress.size(), 3u);
  ASSERT_TRUE(writer->Publish().ok());
  const auto snapshot = Snapshot::Open(*directory).value();
  ASSERT_EQ(snapshot->segments().size(), 2u);
  EXPECT_EQ(snapshot->segments()[1]->doc_id(0).value(), "pending");
}

TEST(IndexMerging, LeavesAnIndexWithADamagedSegmentAlone) {
  const auto directory = NewDramDirectory("index");
  BuildStore(*directory, OpenMode::kCreate, RandomSegments(3, 7));
  ASSERT_TRUE(directory->Remove(SegmentFileName(2)).ok());
  const auto writer = OpenAppending(*directory);
  MergeIndexOptions options;
  options.max_segments = 1;
  EXPECT_FALSE(MergeIndex(*directory, *writer, options).ok());
  const uint64_t ids[] = {1, 2};
  EXPECT_FALSE(writer->Merge(ids, {}).ok());
  EXPECT_EQ(writer->published().segments.size(), 3u);
}

}  // namespace index_merging_test
}  // namespace pmdex
