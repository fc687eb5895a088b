// Merges of segments with columns are compared with segments that are written from all documents.
#include "engine/segment/merge/merged_columns.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/merge/merge_input.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/random_columns.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace merged_columns_test {

VectorSegmentInput InputOf(const std::vector<RandomColumn>& columns,
                           const std::vector<uint32_t>& docs) {
  VectorSegmentInput input({.positions = false});
  input.AddField("body");
  for (const uint32_t doc : docs) input.AddDocument("d" + std::to_string(doc));
  for (const RandomColumn& column : columns) {
    for (DocId i = 0; i < docs.size(); ++i) {
      for (const ColumnValue& value : column.values.at(docs[i])) {
        input.AddValue(i, column.name, column.ValueOf(value));
      }
    }
  }
  input.Finish();
  return input;
}

std::shared_ptr<const Segment> SegmentOf(const std::vector<RandomColumn>& columns,
                                         const std::vector<uint32_t>& docs) {
  VectorSegmentInput input = InputOf(columns, docs);
  return SegmentBytes(input).Open().value();
}

std::vector<uint32_t> Range(uint32_t begin, uint32_t count) {
  std::vector<uint32_t> docs(count);
  std::iota(docs.begin(), docs.end(), begin);
  return docs;
}

// Segments of random columns, of which some documents are deleted.
struct Sources {
  Sources(uint64_t seed, const std::vector<uint32_t>& doc_counts, uint64_t deleted_of_ten) {
    SeededRandom random(seed);
    columns =
        MakeRandomColumns(seed, std::accumulate(doc_counts.begin(), doc_counts.end(), uint32_t{0}));
    uint32_t base = 0;
    live_docs.reserve(doc_counts.size());
    for (const uint32_t count : doc_counts) {
      segments.push_back(SegmentOf(columns, Range(base, count)));
      std::vector<DocId> deleted;
      for (DocId doc = 0; doc < count; ++doc) {
        if (random.Below(10) < deleted_of_ten) {
          deleted.push_back(doc);
        } else {
          live.push_back(base + doc);
        }
      }
      live_docs.push_back(LiveDocs::Without(count, deleted));
      sources.push_back({segments.back().get(), &live_docs.back()});
      base += count;
    }
  }

  std::vector<RandomColumn> columns;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<LiveDocs> live_docs;
  std::vector<MergeSource> sources;
  std::vector<uint32_t> live;  // the documents that are left
};

void ExpectTheColumnsOf(const Sources& sources, const std::vector<uint32_t>& docs,
                        MergeInputOptions options) {
  auto input = MergeInput::Open(sources.sources, std::move(options)).value();
  const auto merged = SegmentBytes(*input).Open().value();
  EXPECT_TRUE(input->status().ok());
  const auto expected = SegmentOf(sources.columns, docs);
  const auto got_bytes = merged->view().RawSection(kColumnsSection);
  const auto expected_bytes = expected->view().RawSection(kColumnsSection);
  EXPECT_TRUE(std::ranges::equal(got_bytes, expected_bytes));
  EXPECT_TRUE(VerifySegment(*merged).empty());
}

TEST(MergedColumns, AreThoseOfASegmentOfTheSameDocuments) {
  for (const uint64_t deleted_of_ten : {0, 3, 9}) {
    SCOPED_TRACE(deleted_of_ten);
    const Sources sources(20 + deleted_of_ten, {700, 1, 5000, 40}, deleted_of_ten);
    ExpectTheColumnsOf(sources, sources.live, {});
  }
}

TEST(MergedColumns, FollowAnotherOrderOfTheDocuments) {
  SeededRandom random(31);
  const Sources sources(30, {300, 500}, 2);
  MergeInputOptions options;
  options.order.resize(sources.live.size());
  std::iota(options.order.begin(), options.order.end(), DocId{0});
  for (size_t i = options.order.size(); i > 1; --i) {
    std::swap(options.order[i - 1], options.order[random.Below(i)]);
  }
  std::vector<uint32_t> docs;
  for (const DocId from : options.order) docs.push_back(sources.live[from]);
  ExpectTheColumnsOf(sources, docs, std::move(options));
}

TEST(MergedColumns, LeaveOutAColumnWhoseDocumentsAreAllDeleted) {
  const RandomColumn only_first{"a", FieldType::kKeyword, {{{0, "x"}}, {}}};
  const auto segment = SegmentOf({only_first}, {0, 1});
  const DocId first[] = {0};
  const LiveDocs live = LiveDocs::Without(2, first);
  auto input = MergeInput::Open({{segment.get(), &live}}, {}).value();
  const auto merged = SegmentBytes(*input).Open().value();
  EXPECT_EQ(merged->doc_count(), 1u);
  EXPECT_TRUE(merged->columns().empty());
}

TEST(MergedColumns, RefuseAFieldOfTwoTypes) {
  const RandomColumn number{"a", FieldType::kI64, {{{1, {}}}}};
  const RandomColumn truth{"a", FieldType::kBool, {{{1, {}}}}};
  const auto first = SegmentOf({number}, {0});
  const auto second = SegmentOf({truth}, {0});
  const auto input = MergeInput::Open({{first.get(), nullptr}, {second.get(), nullptr}}, {});
  EXPECT_EQ(input.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MergedColumns, EndWhenTheMergeIsCancelled) {
  const Sources sources(40, {10, 10}, 0);
  const MergedDocs docs = MergedDocs::Concatenate(sources.sources).value();
  const std::function<bool()> stop = [] { return true; };
  MergedColumns columns(sources.sources, docs, stop);
  ASSERT_GT(columns.column_count(), 0u);
  EXPECT_EQ(columns.Load(0).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace merged_columns_test
}  // namespace pmdex
