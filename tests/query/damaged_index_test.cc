// Searches an index that becomes damaged during the search: files are truncated while they are
// mapped.
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "query/searcher.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace damaged_index_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class DamagedIndex : public testing::Test {
 protected:
  // Segments 1 to 3 with two, three and two documents.
  void SetUp() override {
    auto directory = OpenFileDirectory(temporary_.path(), {});
    ASSERT_TRUE(directory.ok()) << directory.status();
    directory_ = *std::move(directory);
    BuildStore(*directory_, OpenMode::kCreate,
               {{{"a", "red apple"}, {"b", "red pear"}},
                {{"c", "red red plum"}, {"d", "green apple"}, {"e", "red"}},
                {{"f", "apple tree"}, {"g", "a red tree"}}});
    searcher_ = Open();
  }

  std::unique_ptr<Searcher> Open() const {
    auto snapshot = Snapshot::Open(*directory_);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return std::make_unique<Searcher>(*std::move(snapshot));
  }

  std::string PathOf(uint64_t segment) const { return temporary_ / SegmentFileName(segment); }

  SearchResult Search(std::string_view query, SearchOptions options = {}) const {
    const auto result = searcher_->Search(query, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : SearchResult{};
  }

  static std::vector<std::string> Ids(const SearchResult& result) {
    std::vector<std::string> ids;
    for (const Hit& hit : result.hits) ids.emplace_back(hit.id);
    return ids;
  }

  // The answer to the same query from an index without segment 2.
  SearchResult Expected(std::string_view query) const {
    const TemporaryDirectory elsewhere;
    const auto directory = *OpenFileDirectory(elsewhere.path(), {});
    BuildStore(
        *directory, OpenMode::kCreate,
        {{{"a", "red apple"}, {"b", "red pear"}}, {{"f", "apple tree"}, {"g", "a red tree"}}});
    return *Searcher(*Snapshot::Open(*directory)).Search(query, {});
  }

  const TemporaryDirectory temporary_;
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Searcher> searcher_;
};

TEST_F(DamagedIndex, AnswersFromTheOtherSegmentsWhenTheMediumFailsDuringAQuery) {
  EXPECT_TRUE(Search("red").missing.empty());
  fs::resize_file(PathOf(2), 4096);
  const SearchResult result = Search("red");
  const SearchResult expected = Expected("red");
  EXPECT_EQ(result.total, expected.total);
  EXPECT_EQ(Ids(result), Ids(expected));
  for (size_t i = 0; i < result.hits.size(); ++i) {
    EXPECT_EQ(result.hits[i].score, expected.hits[i].score);  // statistics of those that answer
  }
  ASSERT_EQ(result.missing.size(), 1u);
  EXPECT_EQ(result.missing[0].file, SegmentFileName(2));
  EXPECT_EQ(result.missing[0].documents, 3u);
  EXPECT_THAT(result.missing[0].reason, HasSubstr("truncated while mapped"));
}

TEST_F(DamagedIndex, KeepsTheNumbersOfTheDocumentsThatAreLeft) {
  fs::resize_file(PathOf(2), 0);
  const SearchResult result = Search("tree");
  ASSERT_EQ(result.hits.size(), 2u);
  EXPECT_EQ(result.hits[0].doc + result.hits[1].doc, 5u + 6u);
}

TEST_F(DamagedIndex, LeavesAQuarantinedSegmentOutOfLaterQueries) {
  fs::resize_file(PathOf(2), 0);
  EXPECT_EQ(Search("red").missing.size(), 1u);
  EXPECT_EQ(searcher_->answering()->segments().size(), 2u);
  EXPECT_EQ(Search("pear").missing.size(), 1u);  // which the segment did not have anyway
  EXPECT_EQ(searcher_->snapshot().segments().size(), 3u);
}

TEST_F(DamagedIndex, AnswersEveryKindOfQuery) {
  const std::string sound = temporary_ / "sound";
  fs::copy_file(PathOf(2), sound);
  for (const char* query :
       {"red", "\"red apple\"", "\"apple red\"~3", "app*", "a?ple", "aple~1", "*", "NOT red",
        "+red -apple", "body:red OR tree^2", "(red apple) AND tree"}) {
    searcher_.reset();
    fs::copy_file(sound, PathOf(2), fs::copy_options::overwrite_existing);
    searcher_ = Open();
    ASSERT_EQ(searcher_->snapshot().segments().size(), 3u);
    fs::resize_file(PathOf(2), 4096);
    EXPECT_EQ(Ids(Search(query)), Ids(Expected(query))) << query;
  }
}

TEST_F(DamagedIndex, MatchesNoDocumentOfASegmentThatIsMissing) {
  Query ids;
  ids.kind = QueryKind::kIds;
  ids.terms = {"b", "d", "g"};
  const std::vector<uint64_t> docs = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_THAT(*searcher_->Matches(ids, docs),
              ElementsAre(false, true, false, true, false, false, true));
  fs::resize_file(PathOf(2), 4096);
  EXPECT_THAT(*searcher_->Matches(ids, docs),
              ElementsAre(false, true, false, false, false, false, true));
  const auto result = searcher_->Search(ids, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(Ids(*result), ElementsAre("b", "g"));
  EXPECT_EQ(result->missing.size(), 1u);
}

TEST_F(DamagedIndex, SaysSoWhenNothingIsLeft) {
  for (uint64_t segment : {1, 2, 3}) fs::resize_file(PathOf(segment), 0);
  const SearchResult result = Search("red");
  EXPECT_EQ(result.total, 0u);
  EXPECT_TRUE(result.hits.empty());
  ASSERT_EQ(result.missing.size(), 3u);
  EXPECT_EQ(result.missing[0].file, SegmentFileName(1));
  EXPECT_EQ(result.missing[2].file, SegmentFileName(3));
}

// Damage without a media error: the bytes can be read, but they are wrong.
TEST_F(DamagedIndex, QuarantinesASegmentWhoseListsMakeNoSense) {
  searcher_.reset();
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  {
    const auto snapshot = *Snapshot::Open(*directory_);
    for (const SectionEntry& entry : snapshot->segments()[1]->view().sections()) {
      if (entry.kind != SectionKind::kTermBlocks) continue;
      offset = entry.offset;
      size_bytes = entry.size_bytes;
    }
  }
  std::fstream file(PathOf(2), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  for (uint64_t i = 0; i < size_bytes; ++i) file.put('\xff');
  file.close();
  searcher_ = Open();
  // Words are looked up in the hash table; expansions read the blocks of the ordered dictionary.
  const SearchResult result = Search("re*");
  EXPECT_EQ(Ids(result), Ids(Expected("re*")));
  ASSERT_EQ(result.missing.size(), 1u);
  EXPECT_THAT(result.missing[0].reason, HasSubstr(SegmentFileName(2)));
}

TEST_F(DamagedIndex, SaysWhatWasMissingFromTheStart) {
  searcher_.reset();
  fs::remove(PathOf(2));
  searcher_ = Open();
  const SearchResult result = Search("red");
  EXPECT_EQ(Ids(result), Ids(Expected("red")));
  ASSERT_EQ(result.missing.size(), 1u);
  EXPECT_EQ(result.missing[0].documents, 3u);
}

TEST_F(DamagedIndex, ExplainsAndAnswersThoughThePlanWasBoundToTheDamage) {
  fs::resize_file(PathOf(2), 0);
  SearchOptions options;
  options.explain = true;
  options.snippets = true;
  const SearchResult result = Search("apple", options);
  EXPECT_THAT(Ids(result), testing::UnorderedElementsAre("a", "f"));
  ASSERT_EQ(result.explanations.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(result.explanations[i].value, result.hits[i].score);
  EXPECT_EQ(result.snippets.size(), 2u);
}

TEST_F(DamagedIndex, PassesOnTheErrorsOfAQuery) {
  fs::resize_file(PathOf(2), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(searcher_->Search("(red", {}).status()));
}

// The files are truncated while threads run queries. Every answer must be the whole one, or the
// partial one and say so.
TEST_F(DamagedIndex, ServesManyThreadsWhileSegmentsAreLost) {
  const std::vector<std::string> whole = Ids(Search("red"));
  const std::vector<std::string> partial = Ids(Expected("red"));
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    for (int i = 0; i < 500; ++i) {
      const auto result = searcher_->Search("red", {});
      if (!result.ok()) {
        ++wrong;
      } else if (Ids(*result) != (result->missing.empty() ? whole : partial)) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  fs::resize_file(PathOf(2), 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace damaged_index_test
}  // namespace pmdex
