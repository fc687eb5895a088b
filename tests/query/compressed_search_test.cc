// Compares searches of compressed segments (engine/segment/compressed/) and of mixed indexes with
// those of the uncompressed segments that they were made from: everything that a caller gets must
// be the same to the bit.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/searcher.h"
#include "tests/query/same_result.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_search.h"
#include "tests/support/reference_index.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace compressed_search_test {

using same_result::ExpectSameResult;

// Searchers of the same documents in uncompressed, compressed and mixed segments.
class Tiers {
 public:
  explicit Tiers(const std::shared_ptr<const Snapshot>& snapshot)
      : uncompressed_(snapshot),
        compressed_(CompressSnapshot(*snapshot, CompressedSegments::kAll)),
        mixed_(CompressSnapshot(*snapshot, CompressedSegments::kEverySecond)) {}

  void ExpectSame(const std::string& query, const SearchOptions& options) const {
    SCOPED_TRACE(query);
    const auto expected = uncompressed_.Search(query, options);
    for (const Searcher* searcher : {&compressed_, &mixed_}) {
      const auto found = searcher->Search(query, options);
      ASSERT_EQ(found.status(), expected.status());
      if (found.ok()) ExpectSameResult(*found, *expected);
    }
  }

 private:
  const Searcher uncompressed_, compressed_, mixed_;
};

TEST(CompressedSearch, GivesTheResultsOfUncompressedSegmentsOnLongLists) {
  const auto directory = NewDramDirectory("windowed");
  const Tiers tiers(WriteWindowedIndex(*directory, {20000, 300, 4096 * 2}));
  SeededRandom random(1);
  for (int rank = 0; rank < 12; ++rank) {
    tiers.ExpectSame("body:t" + std::to_string(rank), {});
  }
  for (int i = 0; i < Rounds(400) && !testing::Test::HasFailure(); ++i) {
    tiers.ExpectSame(RandomWindowedQuery(random, 2), RandomOptions(random));
  }
}

TEST(CompressedSearch, GivesTheResultsOfUncompressedSegmentsInEveryLanguageConstruct) {
  for (const bool positions : {true, false}) {
    RandomCorpus corpus(7);
    ReferenceIndex reference(AnalyzerKind::kStandard);
    for (const CorpusDocument& document : corpus.Documents(120)) reference.Add(document);
    const Tiers tiers(reference.BuildSnapshot(30, positions, /*store_text=*/true));
    SeededRandom random(2);
    for (int i = 0; i < Rounds(300) && !testing::Test::HasFailure(); ++i) {
      SearchOptions options = RandomOptions(random);
      options.explain = random.OneIn(2);
      options.snippets = random.OneIn(2);
      tiers.ExpectSame(corpus.Query(positions), options);
    }
  }
}

}  // namespace compressed_search_test
}  // namespace pmdex
