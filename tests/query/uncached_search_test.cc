// Searches compressed segments whose units are read past the page cache (unit_reader.h), and
// compares them with those of the mapped uncompressed segments that they were made from. Also lets
// units and reads fail.
#include <algorithm>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/compressed/convert_segment.h"
#include "engine/segment/compressed/unit_reader.h"
#include "pmem/thread.h"
#include "query/searcher.h"
#include "tests/query/same_result.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_search.h"
#include "tests/support/reference_index.h"
#include "tests/support/run_program.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace uncached_search_test {

using same_result::ExpectSameResult;

std::shared_ptr<BlockCache> NewCache(size_t blocks,
                                     ReadQueue::Method method = ReadQueue::Method::kIoUring) {
  return std::make_shared<BlockCache>(blocks * kCacheBlockBytes, method);
}

// The directory of a test's files.
class Place {
 public:
  Place() : directory_(OpenFileDirectory(root_.path(), {}).value()) {}
  Directory& directory() { return *directory_; }
  std::string PathOf(const std::string& name) const { return root_ / name; }

 private:
  const TemporaryDirectory root_;
  const std::unique_ptr<Directory> directory_;
};

void ExpectSame(const Searcher& found, const Searcher& expected, const std::string& query,
                const SearchOptions& options) {
  SCOPED_TRACE(query);
  const auto wanted = expected.Search(query, options);
  const auto result = found.Search(query, options);
  ASSERT_EQ(result.status(), wanted.status());
  if (result.ok()) ExpectSameResult(*result, *wanted);
}

TEST(UncachedSearch, GivesTheResultsOfMappedSegmentsWhateverTheSizeOfTheCache) {
  const auto memory = NewDramDirectory("windowed");
  const auto mapped = WriteWindowedIndex(*memory, {20000, 300, 4096 * 2});
  const Searcher expected(mapped);
  for (const size_t blocks : {1, 40, 20000}) {
    for (const auto method : {ReadQueue::Method::kIoUring, ReadQueue::Method::kPread}) {
      Place place;
      const auto cache = NewCache(blocks, method);
      const Searcher uncached(UncachedSnapshot(*mapped, place.directory(), cache));
      SeededRandom random(blocks);
      for (int i = 0; i < Rounds(100) && !testing::Test::HasFailure(); ++i) {
        ExpectSame(uncached, expected, RandomWindowedQuery(random, 2), RandomOptions(random));
      }
      EXPECT_GT(cache->counters().misses, 0u);
      EXPECT_EQ(cache->counters().errors, 0u);
    }
  }
}

TEST(UncachedSearch, GivesTheResultsOfMappedSegmentsInEveryLanguageConstruct) {
  RandomCorpus corpus(11);
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (const CorpusDocument& document : corpus.Documents(120)) reference.Add(document);
  const auto mapped = reference.BuildSnapshot(30, /*positions=*/true, /*store_text=*/true);
  Place place;
  const Searcher expected(mapped);
  const Searcher uncached(UncachedSnapshot(*mapped, place.directory(), NewCache(64)));
  SeededRandom random(2);
  for (int i = 0; i < Rounds(200) && !testing::Test::HasFailure(); ++i) {
    SearchOptions options = RandomOptions(random);
    options.explain = random.OneIn(2);
    options.snippets = random.OneIn(2);
    ExpectSame(uncached, expected, corpus.Query(/*phrases=*/true), options);
  }
}

TEST(UncachedSearch, AnswersManyThreadsFromOneSmallCache) {
  const auto memory = NewDramDirectory("windowed");
  const auto mapped = WriteWindowedIndex(*memory, {12000, 4096});
  Place place;
  const Searcher expected(mapped);
  const Searcher uncached(UncachedSnapshot(*mapped, place.directory(), NewCache(20)));
  const absl::Status run = RunOnThreads(4, [&](size_t thread) {
    SeededRandom random(thread);
    for (int i = 0; i < 25 && !testing::Test::HasFailure(); ++i) {
      ExpectSame(uncached, expected, RandomWindowedQuery(random, 1), {});
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(run.ok()) << run;
}

TEST(UncachedSearch, ReadsNothingTwiceThatTheCacheHolds) {
  const auto memory = NewDramDirectory("windowed");
  const auto mapped = WriteWindowedIndex(*memory, {12000});
  Place place;
  const auto cache = NewCache(4000);
  const Searcher uncached(UncachedSnapshot(*mapped, place.directory(), cache));
  ASSERT_TRUE(uncached.Search("body:t3 body:t7", {}).ok());
  const BlockCacheCounters first = cache->counters();
  EXPECT_GT(first.misses, 0u);
  ASSERT_TRUE(uncached.Search("body:t3 body:t7", {}).ok());
  EXPECT_EQ(cache->counters().misses, first.misses);
  EXPECT_EQ(cache->counters().bytes_read, first.bytes_read);
  EXPECT_GT(cache->counters().hits, first.hits);
}

// One compressed segment as a file, opened so that its units come from another file.
class FailingUnits : public testing::Test {
 protected:
  void SetUp() override {
    const auto memory = NewDramDirectory("windowed");
    const auto mapped = WriteWindowedIndex(*memory, {12000});
    name_ = WriteCompressedSegment(*mapped->segments()[0], place_.directory(), 7).value().file_name;
    settings_ = mapped->settings();
    auto file = place_.directory().Open(name_).value();
    bytes_.assign(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  }
  // The units come from `bytes`.
  std::unique_ptr<Searcher> Open(const std::string& bytes) {
    const std::string path = place_.PathOf("units");
    std::ofstream(path, std::ios::binary) << bytes;
    UncachedUnits units{NewCache(64), UncachedFile::Open(path).value()};
    segment_ =
        Segment::Open(place_.directory().Open(name_).value(), name_, std::nullopt, std::move(units))
            .value();
    return std::make_unique<Searcher>(Snapshot::Of(settings_, {segment_}));
  }
  uint64_t OffsetOf(SectionKind kind) const {
    return static_cast<uint64_t>(segment_->view().RawSection(kind).data() -
                                 segment_->view().bytes().data());
  }

  Place place_;
  std::string name_;
  std::string bytes_;
  IndexSettings settings_;
  std::shared_ptr<const Segment> segment_;
};

TEST_F(FailingUnits, AnswerInPartAndQuarantineTheSegmentWhenTheMediumFails) {
  const std::unique_ptr<Searcher> searcher = Open("");
  const auto result = searcher->Search("body:t3", {});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->missing.size(), 1u);
  EXPECT_NE(result->missing[0].reason.find("cannot be read"), std::string::npos)
      << result->missing[0].reason;
  EXPECT_TRUE(result->hits.empty());
  EXPECT_FALSE(segment_->Health().ok());
}

TEST_F(FailingUnits, AreReadAsTheSectionHasThemInAnyOrder) {
  const std::unique_ptr<Searcher> searcher = Open(bytes_);
  const std::span<const std::byte> section =
      segment_->view().RawSection(SectionKind::kCompressedUnits);
  UnitReader units(segment_->view(), SectionKind::kCompressedUnits);
  SeededRandom random(9);
  for (int i = 0; i < 300; ++i) {
    const uint64_t offset = random.Below(section.size());
    if (random.OneIn(3)) units.Expect(random.Below(section.size()));
    const uint64_t most_bytes = 1 + random.Below(kMostUnitBytes);
    const auto bytes = units.Read(offset, most_bytes);
    if (offset + kUnitTailBytes >= section.size()) {
      EXPECT_TRUE(absl::IsDataLoss(bytes.status()));
      continue;
    }
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const uint64_t left = section.size() - kUnitTailBytes - offset;
    ASSERT_EQ(bytes->size(), std::min<uint64_t>(most_bytes, left));
    ASSERT_TRUE(std::equal(bytes->begin(), bytes->end(), section.begin() + offset));
  }
}

TEST_F(FailingUnits, NeverGiveAWrongAnswerWhenABitIsWrong) {
  const auto expected = Open(bytes_)->Search("body:\"t1 t2\" body:t9", {});
  ASSERT_TRUE(expected.ok());
  ASSERT_TRUE(expected->missing.empty());
  SeededRandom random(3);
  size_t found = 0;
  for (int i = 0; i < 60; ++i) {
    const SectionKind kind =
        random.OneIn(2) ? SectionKind::kCompressedUnits : SectionKind::kPositionUnits;
    std::string bytes = bytes_;
    const size_t at = OffsetOf(kind) + random.Below(segment_->view().RawSection(kind).size());
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
    const auto result = Open(bytes)->Search("body:\"t1 t2\" body:t9", {});
    ASSERT_TRUE(result.ok()) << result.status();
    if (result->missing.empty()) {
      ExpectSameResult(*result, *expected);
    } else {
      ++found;
    }
  }
  EXPECT_GT(found, 0u);
}

}  // namespace uncached_search_test
}  // namespace pmdex
