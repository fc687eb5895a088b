// Tests that no damage gives a silent wrong answer: if any bit of a segment is wrong, a query
// returns exactly what it returned before, or kDataLoss. The files are changed in place and opened
// again, so that nothing is verified yet.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/verify/verifier.h"
#include "pmem/checksum.h"
#include "query/algorithm/exhaustive.h"
#include "query/language/query_parser.h"
#include "query/result/explain.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/planned_search.h"
#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace damage_test {

// A view of bytes that the caller owns, aligned to 64 bytes like a mapping.
class BorrowedFile final : public ReadableFile {
 public:
  explicit BorrowedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes() const override { return bytes_; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  std::span<const std::byte> bytes_;
};

void Flatten(const Explanation& explanation, std::string& text) {
  text += std::to_string(explanation.value) + " " + explanation.description + "\n";
  for (const Explanation& detail : explanation.details) Flatten(detail, text);
}

// Everything that a search returns about its hits, as one string.
absl::StatusOr<std::string> AnswerOf(const Snapshot& snapshot, const Query& query) {
  PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                         BindQuery(query, snapshot, SimilarityKind::kBm25));
  // Pruned first: what it read nobody has verified before it.
  std::string answer;
  if (IsPruned(binding)) {
    PlanOptions options;
    options.k = 5;
    PMDEX_ASSIGN_OR_RETURN(const PrunedDocs pruned, PlanAndSearch(binding, options));
    for (const ScoredDoc& hit : pruned.docs) {
      answer += std::to_string(hit.doc) + " " + std::to_string(hit.score) + "\n";
    }
  }
  PMDEX_ASSIGN_OR_RETURN(const MatchCount count, PlanAndCount(binding));
  PMDEX_ASSIGN_OR_RETURN(const RankedDocs counted, SearchExhaustively(binding, 0));
  PMDEX_ASSIGN_OR_RETURN(const RankedDocs ranked, SearchExhaustively(binding, 5));
  const Segment& segment = *snapshot.segments()[0];
  answer += std::to_string(count.count) + " " + std::to_string(counted.total) + " " +
            std::to_string(ranked.total) + "\n";
  for (const ScoredDoc& hit : ranked.docs) {
    const auto doc = static_cast<DocId>(hit.doc);
    PMDEX_ASSIGN_OR_RETURN(const std::string id, segment.doc_id(doc));
    answer += std::string(id) + " " + std::to_string(hit.score);
  }
  if (ranked.docs.empty()) return answer;
  PMDEX_ASSIGN_OR_RETURN(const Explanation explanation, Explain(binding, ranked.docs[0].doc));
  Flatten(explanation, answer);
  PMDEX_ASSIGN_OR_RETURN(const auto values,
                         segment.StoredText(static_cast<DocId>(ranked.docs.back().doc)));
  for (const StoredValue& value : values) answer += value.text + "\n";
  return answer;
}

// The bytes of a segment, queries, and the answers of the undamaged segment.
class DamageTest : public testing::Test {
 protected:
  void Use(std::span<const std::byte> bytes, AnalyzerKind analyzer, bool positions) {
    bytes_ = std::make_unique<MemoryFile>(bytes);
    settings_.analyzer = analyzer;
    settings_.positions = positions;
  }
  void Ask(std::string_view text) {
    const auto analyzer = NewAnalyzer(settings_.analyzer);
    const std::vector<std::string> fields = {"body", "tag", "title"};
    auto query = QueryParser(*analyzer, fields).Parse(text);
    ASSERT_TRUE(query.ok()) << text << ": " << query.status();
    Ask(std::move(*query), std::string(text));
  }
  void Ask(std::unique_ptr<Query> query, std::string text) {
    const auto answer = AnswerOf(*Open().value(), *query);
    ASSERT_TRUE(answer.ok()) << text << ": " << answer.status();
    queries_.push_back({std::move(text), std::move(query), *answer});
  }

  absl::StatusOr<std::shared_ptr<const Snapshot>> Open() const {
    PMDEX_ASSIGN_OR_RETURN(
        auto segment,
        Segment::Open(std::make_unique<BorrowedFile>(bytes_->bytes()), "segment", std::nullopt));
    return Snapshot::Of(settings_, {std::move(segment)});
  }
  std::byte& At(size_t offset) const { return const_cast<std::byte&>(bytes_->bytes()[offset]); }

  // Runs every query on the damaged file. The caller's SCOPED_TRACE names the damage.
  void ExpectRightOrDataLoss() {
    for (size_t i = 0; i < queries_.size(); ++i) {
      const auto snapshot = Open();  // afresh: the query before has verified what it read
      const auto answer = snapshot.ok() ? AnswerOf(**snapshot, *queries_[i].query)
                                        : absl::StatusOr<std::string>(snapshot.status());
      if (!answer.ok()) {
        ASSERT_TRUE(absl::IsDataLoss(answer.status())) << answer.status();
        ++errors_;
        if (!snapshot.ok()) return;
        continue;
      }
      ASSERT_EQ(*answer, queries_[i].answer) << queries_[i].text;
      ++right_;
    }
  }

  struct Question {
    std::string text;
    std::unique_ptr<Query> query;
    std::string answer;
  };
  IndexSettings settings_;
  std::unique_ptr<MemoryFile> bytes_;
  std::vector<Question> queries_;
  uint64_t errors_ = 0;
  uint64_t right_ = 0;
};

TEST_F(DamageTest, GivesNoWrongAnswerForAFlippedBitInAnyByteOfASmallSegment) {
  SegmentBytes small(*MakeSmallInput({.positions = true, .stored_text = true}));
  Use(small.bytes(), AnalyzerKind::kWhitespace, true);
  for (const char* text :
       {"body:common", "+body:common +body:rare-1", "body:\"common rare-0\"",
        "title:\"a document\"~2", "body:r?re-*", "title:d*", "body:rare~1", "body:commun~2",
        "title:* -body:rare-2", "body:escaped", "body:absent"}) {
    Ask(text);
  }
  auto long_term = std::make_unique<Query>();
  long_term->kind = QueryKind::kTerm;
  long_term->field = "body";
  long_term->text = "a term that is longer than its entry";
  Ask(std::move(long_term), "a long term");
  SeededRandom random(31);
  for (size_t offset = 0; offset < bytes_->bytes().size(); ++offset) {
    const auto bit = static_cast<std::byte>(1 << random.Below(8));
    At(offset) ^= bit;
    SCOPED_TRACE("byte " + std::to_string(offset));
    ExpectRightOrDataLoss();
    if (HasFatalFailure()) return;
    At(offset) ^= bit;
  }
  EXPECT_GT(errors_, 10'000u);
  EXPECT_GT(right_, 10'000u);
}

TEST_F(DamageTest, GivesNoWrongAnswerForRandomBitsOfALargerSegment) {
  RandomCorpus corpus(41, 3000);
  ReferenceIndex index(AnalyzerKind::kStandard);
  constexpr size_t kDocs = 3000;
  for (const CorpusDocument& document : corpus.Documents(kDocs)) index.Add(document);
  const auto sound = index.BuildSnapshot(kDocs, true, true);
  Use(sound->segments()[0]->view().bytes(), AnalyzerKind::kStandard, true);
  for (int i = 0; i < 12; ++i) Ask(corpus.Query(true));
  SeededRandom random(43);
  for (int round = 0; round < 150; ++round) {
    const size_t offset = random.Below(bytes_->bytes().size());
    const auto bit = static_cast<std::byte>(1 << random.Below(8));
    At(offset) ^= bit;
    SCOPED_TRACE("byte " + std::to_string(offset));
    ExpectRightOrDataLoss();
    if (HasFatalFailure()) return;
    const auto findings = VerifySegmentFile(std::make_unique<BorrowedFile>(bytes_->bytes()),
                                            "segment", std::nullopt, {.max_findings = 1});
    ASSERT_FALSE(findings.empty());
    At(offset) ^= bit;
  }
  EXPECT_GT(errors_, 50u);
  EXPECT_GT(right_, 500u);
}

TEST_F(DamageTest, GivesNoWrongAnswerForRandomBitsOfACompressedSegment) {
  RandomCorpus corpus(47, 3000);
  ReferenceIndex index(AnalyzerKind::kStandard);
  constexpr size_t kDocs = 2000;
  for (const CorpusDocument& document : corpus.Documents(kDocs)) index.Add(document);
  const auto sound = index.BuildSnapshot(kDocs, true, true);
  SegmentBytes compressed(*CompressSegment(*sound->segments()[0]));
  Use(compressed.bytes(), AnalyzerKind::kStandard, true);
  for (int i = 0; i < 12; ++i) Ask(corpus.Query(true));
  constexpr SectionKind kKinds[] = {SectionKind::kCompressedUnits, SectionKind::kUnitPlaces,
                                    SectionKind::kPositionUnits, SectionKind::kPositionUnitStarts};
  SeededRandom random(53);
  for (int round = 0; round < 150; ++round) {
    const SectionEntry& section = compressed.entry(kKinds[random.Below(4)]);
    const size_t offset = random.OneIn(3) || section.size_bytes == 0
                              ? random.Below(bytes_->bytes().size())
                              : section.offset + random.Below(section.size_bytes);
    const auto bit = static_cast<std::byte>(1 << random.Below(8));
    At(offset) ^= bit;
    SCOPED_TRACE("byte " + std::to_string(offset));
    ExpectRightOrDataLoss();
    if (HasFatalFailure()) return;
    const auto findings = VerifySegmentFile(std::make_unique<BorrowedFile>(bytes_->bytes()),
                                            "segment", std::nullopt, {.max_findings = 1});
    ASSERT_FALSE(findings.empty());
    At(offset) ^= bit;
  }
  EXPECT_GT(errors_, 50u);
  EXPECT_GT(right_, 500u);
}

// Each cut is tested twice: the header has the old length, or the length of the cut file.
TEST_F(DamageTest, GivesNoWrongAnswerForCutsAtTheBoundariesOfSections) {
  SegmentBytes small(*MakeSmallInput({.positions = true, .stored_text = true}));
  const std::vector<std::byte> sound = small.bytes();
  Use(sound, AnalyzerKind::kWhitespace, true);
  Ask("+body:common title:\"a document\"~2");
  const auto* entries = reinterpret_cast<const SectionEntry*>(sound.data() + sizeof(FileHeader));
  size_t cuts = 0;
  for (uint32_t i = 0; i < small.header().section_count; ++i) {
    for (const uint64_t at : {entries[i].offset, entries[i].offset + entries[i].size_bytes}) {
      for (const uint64_t length : {at - 1, at, at + 1}) {
        std::vector<std::byte> bytes = sound;
        bytes.resize(length);
        bytes_ = std::make_unique<MemoryFile>(bytes);
        ASSERT_TRUE(absl::IsDataLoss(Open().status())) << length;
        reinterpret_cast<FileHeader*>(bytes.data())->file_bytes = length;
        const uint32_t crc = Crc32c(std::span(bytes).first(kHeaderCrcOffset));
        std::memcpy(bytes.data() + kHeaderCrcOffset, &crc, sizeof(crc));
        bytes_ = std::make_unique<MemoryFile>(bytes);
        SCOPED_TRACE("length " + std::to_string(length));
        ExpectRightOrDataLoss();
        ++cuts;
      }
    }
  }
  EXPECT_EQ(cuts, 19u * 6);
  EXPECT_GT(errors_, 18u * 6 - 4);
}

}  // namespace damage_test
}  // namespace pmdex
