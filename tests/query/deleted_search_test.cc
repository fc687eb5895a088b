// Compares searches of indexes with deleted documents with searches of the same index without
// deletions: the hits must be those of all its matches, in their order and with their scores, that
// are not deleted. The expected values come from an index that knows nothing of deletions.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "query/searcher.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_search.h"
#include "tests/support/reference_index.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace deleted_search_test {

struct Expected {
  std::vector<Hit> hits;
  uint64_t total = 0;
};

// What is left of all matches. all: every match by falling score.
Expected LiveOnes(const SearchResult& all, const Snapshot& deleted, const SearchOptions& options) {
  Expected expected;
  for (const Hit& hit : all.hits) {
    if (hit.score < options.min_score || !IsLiveDoc(deleted, hit.doc)) continue;
    ++expected.total;
    const auto& after = options.after;
    const bool is_behind = !after.has_value() || hit.score < after->score ||
                           (hit.score == after->score && hit.doc > after->doc);
    if (is_behind && expected.hits.size() < options.k) expected.hits.push_back(hit);
  }
  return expected;
}

void ExpectSame(const SearchResult& found, const Expected& expected, const SearchOptions& options) {
  ASSERT_EQ(found.hits.size(), expected.hits.size());
  for (size_t i = 0; i < found.hits.size(); ++i) {
    ASSERT_EQ(found.hits[i].doc, expected.hits[i].doc) << i;
    ASSERT_EQ(found.hits[i].score, expected.hits[i].score) << i;
    ASSERT_EQ(found.hits[i].id, expected.hits[i].id) << i;
  }
  const bool must_count =
      options.count || options.exhaustive ||
      (options.count_limit.has_value() && expected.total <= *options.count_limit);
  ASSERT_TRUE(found.total_exact || !must_count);
  ASSERT_LE(found.total, expected.total);
  if (found.total_exact) {
    ASSERT_EQ(found.total, expected.total);
  } else if (options.count_limit.has_value()) {
    ASSERT_GT(found.total, *options.count_limit);
  }
}

// Searchers of the same documents with deletions of every kind, on both tiers, and without any.
class EveryVersion {
 public:
  explicit EveryVersion(const std::shared_ptr<const Snapshot>& whole) : whole_(whole) {
    for (const Deletions deletions : kEveryDeletions) {
      const auto snapshot = WithDeletions(*whole, deletions);
      for (const auto& version :
           {snapshot, CompressSnapshot(*snapshot, CompressedSegments::kEverySecond),
            CompressSnapshot(*snapshot, CompressedSegments::kAll)}) {
        versions_.push_back(
            {std::string(ToString(deletions)), std::make_unique<Searcher>(version)});
      }
    }
  }

  void ExpectLiveOnes(const std::string& query, SearchOptions options, SeededRandom& random) const {
    SCOPED_TRACE(query);
    SearchOptions every;
    every.k = 1u << 20;
    every.exhaustive = true;
    every.similarity = options.similarity;
    const auto all = whole_.Search(query, every);
    ASSERT_TRUE(all.ok()) << all.status();
    if (!options.count && random.OneIn(2)) options.count_limit = random.Below(all->total + 2);
    if (!all->hits.empty() && random.OneIn(4)) {
      const Hit& hit = all->hits[random.Below(all->hits.size())];
      options.after = SearchPlace{hit.score, hit.doc};
    }
    for (const Version& version : versions_) {
      SCOPED_TRACE(version.name);
      const auto found = version.searcher->Search(query, options);
      ASSERT_TRUE(found.ok()) << found.status();
      const Snapshot& snapshot = version.searcher->snapshot();
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*found, LiveOnes(*all, snapshot, options), options));
    }
  }

 private:
  struct Version {
    std::string name;
    std::unique_ptr<Searcher> searcher;
  };
  const Searcher whole_;
  std::vector<Version> versions_;
};

TEST(DeletedSearch, GivesTheLiveDocumentsOfTheWholeRankingOnLongLists) {
  const auto directory = NewDramDirectory("windowed");
  const EveryVersion versions(WriteWindowedIndex(*directory, {20000, 300, 4096 * 2}));
  SeededRandom random(21);
  for (int rank = 0; rank < 12 && !testing::Test::HasFailure(); ++rank) {
    versions.ExpectLiveOnes("body:t" + std::to_string(rank), {}, random);
  }
  for (int i = 0; i < Rounds(120) && !testing::Test::HasFailure(); ++i) {
    versions.ExpectLiveOnes(RandomWindowedQuery(random, 2), RandomOptions(random), random);
  }
}

TEST(DeletedSearch, GivesTheLiveDocumentsOfTheWholeRankingInEveryLanguageConstruct) {
  RandomCorpus corpus(22);
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (const CorpusDocument& document : corpus.Documents(120)) reference.Add(document);
  const EveryVersion versions(reference.BuildSnapshot(30, true, /*store_text=*/true));
  SeededRandom random(23);
  for (int i = 0; i < Rounds(200) && !testing::Test::HasFailure(); ++i) {
    versions.ExpectLiveOnes(corpus.Query(/*phrases=*/true), RandomOptions(random), random);
  }
}

}  // namespace deleted_search_test
}  // namespace pmdex
