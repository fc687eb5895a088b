#include "tools/library/pmdex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <thread>

#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "pmem/directory.h"

namespace pmdex {
namespace library_test {

class LibraryTest : public testing::Test {
 protected:
  LibraryTest()
      : path_((std::filesystem::temp_directory_path() /
               ("pmdex-library-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string()) {}
  ~LibraryTest() override { std::filesystem::remove_all(path_); }

  Index Create(IndexOptions options = {}) {
    options.create = true;
    auto index = Index::Open(path_, options);
    EXPECT_TRUE(index.ok()) << index.status().message();
    return *std::move(index);
  }
  const std::string path_;
};

std::vector<std::string> IdsOf(const IndexSnapshot& snapshot, std::string_view query) {
  const auto answer = snapshot.Search(query);
  if (!answer.ok()) return {answer.status().message()};
  std::vector<std::string> ids;
  for (const SearchHit& hit : answer->hits) ids.push_back(hit.id);
  return ids;
}
using Names = std::vector<std::string>;

TEST_F(LibraryTest, FindsWhatWasAddedAndCommitted) {
  Index index = Create();
  ASSERT_TRUE(index.Add({"a", {{"title", "Red apple"}}}).ok());
  ASSERT_TRUE(index.Add({"b", {{"title", "Green apple"}, {"body", "and a pear"}}}).ok());
  const auto snapshot = index.TakeSnapshot();
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(snapshot->document_count(), 2u);
  EXPECT_EQ(IdsOf(*snapshot, "apple AND pear"), Names{"b"});
  EXPECT_EQ(IndexSnapshot::Open(path_)->document_count(), 0u);
  ASSERT_TRUE(index.Commit().ok());
  const auto committed = IndexSnapshot::Open(path_);
  ASSERT_TRUE(committed.ok());
  EXPECT_EQ(IdsOf(*committed, "title:red"), Names{"a"});
}

TEST_F(LibraryTest, GivesScoresTotalsAndSnippets) {
  IndexOptions options;
  options.store_text = true;
  Index index = Create(options);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(index.Add({"d" + std::to_string(i), {{"body", "one word of many"}}}).ok());
  }
  SearchSettings settings;
  settings.hits = 3;
  settings.count = true;
  settings.snippets = true;
  const auto answer = index.TakeSnapshot()->Search("word", settings);
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->hits.size(), 3u);
  EXPECT_EQ(answer->hits[0].id, "d0");
  EXPECT_GT(answer->hits[0].score, 0);
  EXPECT_EQ(answer->hits[0].snippet, "one \x01word\x02 of many");
  EXPECT_EQ(answer->total, 30u);
  EXPECT_TRUE(answer->total_exact);
  EXPECT_TRUE(answer->missing.empty());
}

// Scores a word by how often a document has it, and nothing else.
class CountOfWords final : public Similarity {
 public:
  float WordWeight(uint64_t, uint64_t) const override { return 1; }
  float LengthFactor(float, float) const override { return 1; }
  float Score(float weight, float frequency, float) const override { return weight * frequency; }
};

TEST_F(LibraryTest, ScoresByTheSimilarityOfTheProgram) {
  Index index = Create();
  ASSERT_TRUE(
      index.Add({"long", {{"body", "fox fox and very many other words that follow"}}}).ok());
  ASSERT_TRUE(index.Add({"short", {{"body", "fox"}}}).ok());
  const auto snapshot = index.TakeSnapshot();
  ASSERT_TRUE(snapshot.ok());
  SearchSettings settings;
  settings.similarity = std::make_shared<CountOfWords>();
  const auto answer = snapshot->Search("fox^3", settings);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->hits.size(), 2u);
  EXPECT_EQ(answer->hits[0].id, "long");
  EXPECT_EQ(answer->hits[0].score, 6);
  EXPECT_EQ(answer->hits[1].score, 3);
  EXPECT_EQ(IdsOf(*snapshot, "fox"), (Names{"short", "long"})) << "by BM25";
}

TEST_F(LibraryTest, SnapshotsStayAsTheyAreAndOutliveTheIndex) {
  std::optional<IndexSnapshot> before;
  {
    Index index = Create();
    ASSERT_TRUE(index.Add({"a", {{"body", "x"}}}).ok());
    before = *index.TakeSnapshot();
    ASSERT_TRUE(index.Add({"b", {{"body", "x"}}}).ok());
    ASSERT_TRUE(index.Commit().ok());
    EXPECT_EQ(IdsOf(*index.TakeSnapshot(), "x"), (Names{"a", "b"}));
  }
  EXPECT_EQ(IdsOf(*before, "x"), Names{"a"});
}

TEST_F(LibraryTest, ReplacesAndDeletesDocuments) {
  {
    Index index = Create();
    ASSERT_TRUE(index.Add({"a", {{"body", "old x"}}}).ok());
    ASSERT_TRUE(index.Add({"b", {{"body", "old y"}}}).ok());
    ASSERT_TRUE(index.Commit().ok());
    EXPECT_TRUE(*index.Replace({"a", {{"body", "new x"}}}));
    EXPECT_FALSE(*index.Replace({"c", {{"body", "new z"}}}));
    EXPECT_TRUE(*index.Delete("b"));
    EXPECT_FALSE(*index.Delete("b"));
    EXPECT_EQ(index.Replace({"", {}}).status().code(), ErrorCode::kInvalidArgument);
    const auto snapshot = index.TakeSnapshot();
    EXPECT_EQ(IdsOf(*snapshot, "old"), Names{});
    EXPECT_EQ(IdsOf(*snapshot, "new"), (Names{"a", "c"}));
    EXPECT_EQ(snapshot->document_count(), 2u);
    EXPECT_EQ(IdsOf(*IndexSnapshot::Open(path_), "old"), (Names{"a", "b"}));
    ASSERT_TRUE(index.Commit().ok());
    EXPECT_TRUE(*index.Delete("c"));  // is lost
  }
  EXPECT_EQ(IdsOf(*IndexSnapshot::Open(path_), "new"), (Names{"a", "c"}));
  EXPECT_EQ(IdsOf(*IndexSnapshot::Open(path_), "old"), Names{});
}

class Numbers final : public DocumentSource {
 public:
  explicit Numbers(int count) : count_(count) {}
  std::optional<IndexDocument> Next() override {
    if (next_ == count_) return std::nullopt;
    const std::string id = std::to_string(next_++);
    return IndexDocument{id, {{"number", "n" + id}}};
  }

 private:
  const int count_;
  int next_ = 0;
};

TEST_F(LibraryTest, MergesSegmentsWhileItIsSearched) {
  Index index = Create();
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(index.Add({std::to_string(i), {{"body", "apple"}}}).ok());
    ASSERT_TRUE(index.Commit().ok());
  }
  ASSERT_TRUE(*index.Delete("3"));
  const auto segments = [&] {
    const auto directory = OpenFileDirectory(path_, {});
    return pmdex::Snapshot::Open(**directory).value()->segments().size();
  };
  EXPECT_EQ(segments(), 12u);
  SearchSettings counting;
  counting.count = true;
  const auto before = index.TakeSnapshot();
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::thread reader([&] {
    while (!stop) {
      const auto snapshot = index.TakeSnapshot();
      if (!snapshot.ok() || snapshot->Search("apple", counting)->total != 11) ++wrong;
    }
  });
  EXPECT_TRUE(index.Merge(4).ok());
  EXPECT_EQ(segments(), 4u);
  EXPECT_TRUE(index.Merge(1).ok());
  stop = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(segments(), 1u);
  EXPECT_EQ(before->Search("apple", counting)->total, 11u) << "stays as it was";
  EXPECT_TRUE(*index.Replace({"5", {{"body", "pear"}}}));
  EXPECT_FALSE(*index.Delete("3"));
  EXPECT_EQ(index.TakeSnapshot()->Search("apple", counting)->total, 10u);
  ASSERT_TRUE(index.Commit().ok());
  EXPECT_TRUE(index.Merge().ok()) << "as the policy says";
  EXPECT_EQ(IdsOf(*IndexSnapshot::Open(path_), "pear"), Names{"5"});
}

// The merge would take hours at this rate, so that the test does not end if Close waits for it.
TEST_F(LibraryTest, CloseStopsAMerge) {
  IndexOptions options;
  options.merge_bytes_per_second = 1;
  Index index = Create(options);
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(index.Add({std::to_string(i), {{"body", "apple"}}}).ok());
    ASSERT_TRUE(index.Commit().ok());
  }
  const auto segment_files = [&] {
    return std::count_if(std::filesystem::directory_iterator(path_), {}, [](const auto& entry) {
      return entry.path().filename().string().starts_with("segment-");
    });
  };
  CallStatus merged;
  std::thread merger([&] { merged = index.Merge(1); });
  while (segment_files() == 12) std::this_thread::yield();
  index.Close();
  merger.join();
  EXPECT_EQ(merged.code(), ErrorCode::kCancelled) << merged.message();
  EXPECT_EQ(segment_files(), 12);
  const auto directory = OpenFileDirectory(path_, {});
  EXPECT_TRUE(VerifyStore(**directory)->findings.empty());
  EXPECT_EQ(index.Add({"x", {}}).code(), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(index.Merge().code(), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(index.TakeSnapshot()->document_count(), 12u);
  index.Close();
  EXPECT_TRUE(Index::Open(path_).ok()) << "nobody else writes it any more";
}

TEST_F(LibraryTest, TakesDocumentsFromASource) {
  Index index = Create();
  Numbers numbers(500);
  const auto added = index.AddAll(numbers);
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(*added, 500u);
  EXPECT_EQ(IdsOf(*index.TakeSnapshot(), "number:n499"), Names{"499"});
}

TEST_F(LibraryTest, SaysWhatIsWrong) {
  EXPECT_EQ(Index::Open(path_).status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(IndexSnapshot::Open(path_).status().code(), ErrorCode::kNotFound);
  IndexOptions options;
  options.analyzer = "unknown";
  EXPECT_EQ(Index::Open(path_, options).status().code(), ErrorCode::kInvalidArgument);
  Index index = Create();
  EXPECT_EQ(Index::Open(path_).status().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(index.Add({"", {}}).code(), ErrorCode::kInvalidArgument);
  const auto answer = index.TakeSnapshot()->Search("(");
  EXPECT_EQ(answer.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(answer.status().message().empty());
}

// Each character is a word.
class Characters final : public Tokenizer {
 public:
  std::vector<TextToken> Tokenize(std::string_view text) override {
    std::vector<TextToken> tokens;
    for (size_t i = 0; i < text.size(); ++i) {
      const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
      tokens.push_back({std::string(1, lower), i, i + 1});
    }
    return tokens;
  }
};

NamedTokenizer CharactersTokenizer(const std::string& name = "characters") {
  return {name, [] { return std::make_unique<Characters>(); }};
}

TEST_F(LibraryTest, TokenizesDocumentsAndQueriesWithTheTokenizerOfTheProgram) {
  IndexOptions options;
  options.tokenizer = CharactersTokenizer();
  Index index = Create(options);
  ASSERT_TRUE(index.Add({"a", {{"body", "XYZ"}}}).ok());
  ASSERT_TRUE(index.Add({"b", {{"body", "zyx"}}}).ok());
  EXPECT_EQ(IdsOf(*index.TakeSnapshot(), "\"xyz\""), Names{"a"});
  EXPECT_EQ(IdsOf(*index.TakeSnapshot(), "\"Zy\""), Names{"b"});
  ASSERT_TRUE(index.Commit().ok());
  EXPECT_EQ(IdsOf(*IndexSnapshot::Open(path_, CharactersTokenizer()), "\"xyz\""), Names{"a"});
}

TEST_F(LibraryTest, OpensAnIndexOnlyWithItsTokenizer) {
  IndexOptions options;
  {
    options.tokenizer = CharactersTokenizer();
    Index index = Create(options);
    ASSERT_TRUE(index.Add({"a", {{"body", "XYZ"}}}).ok());
    ASSERT_TRUE(index.Commit().ok());
  }
  EXPECT_EQ(Index::Open(path_).status().code(), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(IndexSnapshot::Open(path_).status().code(), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(IndexSnapshot::Open(path_, CharactersTokenizer("other")).status().code(),
            ErrorCode::kFailedPrecondition);
  options.tokenizer->name = "other";
  EXPECT_EQ(Index::Open(path_, options).status().code(), ErrorCode::kFailedPrecondition);
  options.tokenizer->name = "characters";
  Index again = Create(options);
  EXPECT_EQ(IdsOf(*again.TakeSnapshot(), "y"), Names{"a"});
  // The program pmdex has no such tokenizer.
  const auto directory = OpenFileDirectory(path_, {});
  EXPECT_TRUE(absl::IsFailedPrecondition(Snapshot::Open(**directory).status()));
}

TEST_F(LibraryTest, RefusesATokenizerForAnIndexThatHasNone) {
  { Index index = Create(); }
  IndexOptions options;
  options.tokenizer = CharactersTokenizer();
  EXPECT_EQ(Index::Open(path_, options).status().code(), ErrorCode::kFailedPrecondition);
  options.tokenizer->name.clear();
  EXPECT_EQ(Index::Open(path_, options).status().code(), ErrorCode::kInvalidArgument);
}

}  // namespace library_test
}  // namespace pmdex
