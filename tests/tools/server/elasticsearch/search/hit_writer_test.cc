#include "tools/server/elasticsearch/search/hit_writer.h"

#include <chrono>
#include <vector>

#include "tests/tools/server/elasticsearch/elasticsearch_fixture.h"

namespace pmdex {
namespace hit_writer_test {

// Each look at it takes a second.
class CountingClock : public DeadlineClock {
 public:
  TimePoint Now() const override { return now_ += std::chrono::seconds(1); }

 private:
  mutable TimePoint now_;
};

class HitWriterTest : public ElasticsearchFixture {
 protected:
  HitWriterTest() {
    body_.query = Json::parse(R"({"match": {"body": "quick"}})");
    query_ = ReadIndexQuery(Indexes()[0], body_, analyzers_, {}).value();
    SearchOptions options;
    options.k = 8;
    result_ = query_.index->searcher->Search(*query_.scored, options).value();
  }
  absl::StatusOr<std::vector<Json>> Write(uint64_t bytes, const Deadline& deadline) {
    AnswerBudget budget(bytes, kNoDeadline);
    return HitWriter(query_, body_, analyzers_, budget).Write(result_.hits, {}, deadline);
  }

  SearchBody body_;
  AnalyzerPools analyzers_;
  IndexQuery query_;
  SearchResult result_;  // hits point into it
};

TEST_F(HitWriterTest, WritesTheFirstHitsInTime) {
  ASSERT_EQ(result_.hits.size(), 8u);
  const auto all = Write(1 << 20, kNoDeadline);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->size(), result_.hits.size());
  const CountingClock clock;
  const auto some =
      Write(1 << 20, Deadline(Deadline::TimePoint() + std::chrono::seconds(4), &clock));
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(*some, std::vector<Json>(all->begin(), all->begin() + 3));
  EXPECT_TRUE(Write(1 << 20, Deadline(Deadline::TimePoint::min()))->empty());
}

TEST_F(HitWriterTest, KeepsTheFirstHitsWhereTheBudgetOfTheWholeAnswerEnds) {
  const CountingClock clock;
  AnswerBudget budget(1 << 20, Deadline(Deadline::TimePoint() + std::chrono::seconds(4), &clock));
  const auto some =
      HitWriter(query_, body_, analyzers_, budget).Write(result_.hits, {}, kNoDeadline);
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->size(), 3u);
}

TEST_F(HitWriterTest, WritesNoMoreBytesOfDocumentsThanItMay) {
  EXPECT_TRUE(absl::IsOutOfRange(Write(100, kNoDeadline).status()));
  body_.source.shown = false;
  EXPECT_TRUE(Write(100, kNoDeadline).ok());
}

}  // namespace hit_writer_test
}  // namespace pmdex
