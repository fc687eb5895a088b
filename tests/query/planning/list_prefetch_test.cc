#include "query/planning/list_prefetch.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/forwarding_directory.h"
#include "query/language/query_parser.h"
#include "tests/support/planned_search.h"
#include "tests/support/recording_file.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace list_prefetch_test {

// Notes what is asked of its files.
class RecordingDirectory final : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_ASSIGN_OR_RETURN(const auto file, base().Open(name));
    return std::make_unique<RecordingFile>(file->bytes(), log_);
  }
  PrefetchLog& log() { return log_; }

 private:
  mutable PrefetchLog log_;
};

class ListPrefetchTest : public testing::Test {
 protected:
  ListPrefetchTest()
      : snapshot_(WriteWindowedIndex(directory_, {9'000, 5'000})),
        analyzer_(NewAnalyzer(AnalyzerKind::kWhitespace)) {
    directory_.log().clear();
  }

  std::unique_ptr<Query> Parse(const char* text) {
    return QueryParser(*analyzer_, fields_).Parse(text).value();
  }
  // How often the medium was asked since the last look.
  size_t Asked() { return std::exchange(directory_.log(), {}).size(); }

  std::unique_ptr<Directory> memory_ = NewDramDirectory("index");
  RecordingDirectory directory_{*memory_};
  std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<Analyzer> analyzer_;
  const std::vector<std::string> fields_ = {"body"};
};

TEST_F(ListPrefetchTest, AsksForEveryEntryBeforeOneIsRead) {
  for (const char* text : {"t0 t5 -t9", "\"t2 t3 t4\"", "+(t1 t6) nowhere"}) {
    snapshot_ = WriteWindowedIndex(directory_, {9'000, 5'000});
    Asked();
    const auto query = Parse(text);
    PrefetchTerms(*query, *snapshot_);
    EXPECT_GE(Asked(), 2u) << text;
    ASSERT_TRUE(BindQuery(*query, *snapshot_, SimilarityKind::kBm25).ok());
    EXPECT_EQ(Asked(), 0u) << text;
  }
}

TEST_F(ListPrefetchTest, AsksForTheEntriesOfAWordInEveryField) {
  const auto query = QueryParser(*analyzer_).Parse("t0 \"t2 t3\"").value();
  PrefetchTerms(*query, *snapshot_);
  EXPECT_GE(Asked(), 2u);
  ASSERT_TRUE(BindQuery(*query, *snapshot_, SimilarityKind::kBm25).ok());
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ListPrefetchTest, AsksForEveryListBeforeOneIsRead) {
  for (const char* text : {"t0", "t0 t5 -t9", "+t1 +t11", "\"t2 t3\"", "\"t0 t1 t0\" t7"}) {
    snapshot_ = WriteWindowedIndex(directory_, {9'000, 5'000});
    const auto query = Parse(text);
    const auto binding = BindQuery(*query, *snapshot_, SimilarityKind::kBm25);
    ASSERT_TRUE(binding.ok()) << binding.status();
    Asked();
    PrefetchLists(*binding, SegmentSet::All(2));
    EXPECT_GE(Asked(), 2u) << text;
    ASSERT_TRUE(PlanAndSearch(*binding).ok());
    EXPECT_EQ(Asked(), 0u) << text;
  }
}

TEST_F(ListPrefetchTest, AsksForNoListOfOtherSegments) {
  snapshot_ = WriteWindowedIndex(directory_, {9'000, 5'000});
  const auto query = Parse("+t0 +t1");
  const auto binding = BindQuery(*query, *snapshot_, SimilarityKind::kBm25);
  ASSERT_TRUE(binding.ok()) << binding.status();
  SegmentSet segments;
  segments.Resize(2);
  Asked();
  PrefetchLists(*binding, segments);
  EXPECT_EQ(Asked(), 0u);
  segments.Add(1);
  PrefetchLists(*binding, segments);
  EXPECT_GE(Asked(), 2u);
}

TEST_F(ListPrefetchTest, AsksOnceInAProcess) {
  const auto query = Parse("t0 \"t3 t4\"");
  for (const bool first : {true, false}) {
    PrefetchTerms(*query, *snapshot_);
    const auto binding = BindQuery(*query, *snapshot_, SimilarityKind::kBm25);
    ASSERT_TRUE(binding.ok()) << binding.status();
    PrefetchLists(*binding, SegmentSet::All(2));
    EXPECT_EQ(Asked() > 0, first);
  }
}

TEST_F(ListPrefetchTest, StopsWhereAQueryIsDeeperThanAllowed) {
  auto query = Parse("t0");
  for (size_t depth = 0; depth < 100'000; ++depth) {
    auto outer = std::make_unique<Query>();
    outer->kind = QueryKind::kBoolean;
    outer->clauses.push_back({Occur::kMust, std::move(query)});
    query = std::move(outer);
  }
  PrefetchTerms(*query, *snapshot_);
  EXPECT_EQ(Asked(), 0u);
  while (!query->clauses.empty()) {  // one by one: destructors nest too
    auto inner = std::move(query->clauses[0].query);
    query = std::move(inner);
  }
}

}  // namespace list_prefetch_test
}  // namespace pmdex
