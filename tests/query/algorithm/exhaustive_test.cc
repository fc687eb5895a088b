#include "query/algorithm/exhaustive.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/segment_writer.h"
#include "query/language/query_parser.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace exhaustive_test {

// A file whose bytes can be changed behind the reader's back.
class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(std::vector<std::byte> bytes) : size_(bytes.size()) {
    storage_ = std::make_unique<std::byte[]>(size_ + 4096);
    const auto address = reinterpret_cast<uintptr_t>(storage_.get());
    start_ = storage_.get() + (4096 - address % 4096) % 4096;
    std::memcpy(start_, bytes.data(), size_);
  }
  std::span<const std::byte> bytes() const override { return {start_, size_}; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }
  std::byte* start() { return start_; }

 private:
  size_t size_;
  std::unique_ptr<std::byte[]> storage_;
  std::byte* start_;
};

// The term "a" is in every document, with growing frequencies (also above 255), so its list has a
// bitset. The term "b" is in every fourth document; its list has an array of docids.
class ExhaustiveTest : public testing::Test {
 protected:
  static constexpr uint32_t kDocs = 1000;

  ExhaustiveTest() {
    VectorSegmentInput input({.positions = false, .analyzer = AnalyzerKind::kWhitespace});
    const FieldId body = input.AddField("body");
    for (uint32_t i = 0; i < kDocs; ++i) {
      const DocId doc = input.AddDocument(std::to_string(i));
      input.AddPosting(body, "a", {doc, 1 + (i * 7) % 400, {}});
      if (i % 4 == 0) input.AddPosting(body, "b", {doc, 1, {}});
    }
    input.Finish();
    const auto directory = NewDramDirectory("exhaustive");
    const auto written = WriteSegment(*directory, 1, input);
    EXPECT_TRUE(written.ok()) << written.status();
    const auto file = directory->Open(written->file_name);
    EXPECT_TRUE(file.ok()) << file.status();
    const auto bytes = (*file)->bytes();
    auto copy = std::make_unique<BytesFile>(std::vector<std::byte>(bytes.begin(), bytes.end()));
    start_ = copy->start();
    auto segment = Segment::Open(std::move(copy), "segment-under-test", std::nullopt);
    EXPECT_TRUE(segment.ok()) << segment.status();
    segment_ = *segment;
    IndexSettings settings;
    settings.analyzer = AnalyzerKind::kWhitespace;
    settings.positions = false;
    snapshot_ = Snapshot::Of(settings, {segment_});
  }

  absl::StatusOr<RankedDocs> Search(std::string_view text, size_t k) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    const auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return SearchExhaustively(*binding, k);
  }
  // An array of the segment, writable so that a test can damage it.
  template <typename T>
  T* Damage(const T* array) {
    const auto* byte = reinterpret_cast<const std::byte*>(array);
    return reinterpret_cast<T*>(start_ + (byte - segment_->view().bytes().data()));
  }
  PostingListView List(std::string_view term) {
    const DictionaryEntry entry = segment_->Find(0, term).value().value();
    EXPECT_FALSE(IsInline(entry.representation)) << "the list would refer to the entry";
    const auto list = segment_->Postings(entry);
    EXPECT_TRUE(list.ok());
    return *list;
  }

  std::byte* start_ = nullptr;
  std::shared_ptr<const Segment> segment_;
  std::shared_ptr<const Snapshot> snapshot_;
};

TEST_F(ExhaustiveTest, ScansATermWithTheSameBitsAsItsCursor) {
  for (const size_t k : {1u, 10u, 100u, 5000u}) {
    const auto scanned = Search("a", k);
    // The unknown-to-all clause goes; the boolean of two keeps the cursor path.
    const auto walked = Search("+a -zzz* -c", k);
    ASSERT_TRUE(scanned.ok() && walked.ok());
    EXPECT_EQ(scanned->total, kDocs);
    EXPECT_EQ(walked->total, kDocs);
    ASSERT_EQ(scanned->docs.size(), walked->docs.size());
    ASSERT_EQ(scanned->docs.size(), std::min<size_t>(k, kDocs));
    for (size_t i = 0; i < scanned->docs.size(); ++i) {
      EXPECT_EQ(scanned->docs[i].doc, walked->docs[i].doc);
      EXPECT_EQ(scanned->docs[i].score, walked->docs[i].score);
    }
  }
}

TEST_F(ExhaustiveTest, CountsWithoutKeeping) {
  const auto result = Search("a b", 0);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->docs.empty());
  EXPECT_EQ(result->total, kDocs);
}

TEST_F(ExhaustiveTest, ReportsDocidsOutOfRangeInEveryKindOfQuery) {
  std::fill_n(Damage(List("b").docids), kDocs / 4, kDocs + 5);
  for (const std::string_view query : {"b", "a b", "+a +b", "b*", "a -b", "b~1 zzz*"}) {
    const auto result = Search(query, 10);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss) << query;
    EXPECT_NE(Message(result.status()).find("segment-under-test"), std::string_view::npos);
  }
}

TEST_F(ExhaustiveTest, ReportsDocidsOutOfOrder) {
  Damage(List("b").docids)[100] = 3;
  EXPECT_EQ(Search("+a +b", 10).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Search("a b", 10).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ExhaustiveTest, ReportsBitsBehindTheLastDocumentInEveryKindOfQuery) {
  uint64_t* bits = Damage(List("a").bits);
  std::fill_n(bits, BitsetWords(kDocs), 0);
  bits[kDocs / 64] = ~uint64_t{0} << (kDocs % 64);
  for (const std::string_view query : {"a", "a b", "+a +b", "a*", "a -b", "a~1 zzz*"}) {
    EXPECT_EQ(Search(query, 10).status().code(), absl::StatusCode::kDataLoss) << query;
  }
}

TEST_F(ExhaustiveTest, ReportsRanksThatContradictTheBits) {
  Damage(List("a").ranks)[1] = 0;
  EXPECT_EQ(Search("a", 10).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Search("+a +b", 10).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace exhaustive_test
}  // namespace pmdex
