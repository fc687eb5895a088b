#include "engine/columns/column_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/column_table.h"
#include "engine/segment/compressed/convert_segment.h"
#include "engine/segment/verify/column_verifier.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/random_columns.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace column_view_test {

std::unique_ptr<VectorSegmentInput> InputOf(const std::vector<RandomColumn>& columns,
                                            uint32_t doc_count) {
  auto input = std::make_unique<VectorSegmentInput>(VectorSegmentOptions{.positions = false});
  const FieldId body = input->AddField("body");
  for (uint32_t i = 0; i < doc_count; ++i) input->AddText(input->AddDocument(""), body, "word");
  AddColumns(columns, 0, *input);
  input->Finish();
  return input;
}

// The key of a value in this segment.
uint64_t KeyOf(const RandomColumn& column, const ColumnValue& value, const ColumnView& view) {
  if (column.type != FieldType::kKeyword) return KeyOfBits(column.type, value.bits);
  return view.FirstKeywordFrom(value.keyword).value();
}

void ExpectValues(const RandomColumn& column, const ColumnView& view) {
  uint32_t docs = 0;
  for (DocId doc = 0; doc < column.values.size(); ++doc) {
    const auto& expected = column.values[doc];
    const ValueRange range = view.ValuesOf(doc).value();
    ASSERT_EQ(range.count, expected.size()) << column.name << " " << doc;
    docs += range.count != 0 ? 1 : 0;
    for (uint32_t i = 0; i < range.count; ++i) {
      const uint64_t key = view.KeyAt(range.first + i).value();
      if (column.type == FieldType::kKeyword) {
        ASSERT_EQ(view.Keyword(key).value(), expected[i].keyword);
      } else {
        ASSERT_EQ(BitsOfKey(column.type, key), expected[i].bits) << column.name << " " << doc;
      }
    }
  }
  EXPECT_EQ(view.doc_count(), docs);
}

void ExpectWindows(const RandomColumn& column, const ColumnView& view, uint32_t doc_count) {
  for (uint32_t window = 0; window < ZoneCount(doc_count); ++window) {
    const WindowValues values = view.Window(window).value();
    const ColumnZone zone = view.Zone(window).value();
    ColumnZone expected{UINT64_MAX, 0};
    uint32_t i = 0;
    const DocId end = std::min<DocId>(doc_count, (window + 1) * kZoneDocs);
    for (DocId doc = window * kZoneDocs; doc < end; ++doc) {
      for (const ColumnValue& value : column.values[doc]) {
        const uint64_t key = KeyOf(column, value, view);
        ASSERT_EQ(view.KeyIn(values.lane, i++), key);
        expected = {std::min(expected.least, key), std::max(expected.greatest, key)};
      }
    }
    EXPECT_EQ(i, values.value_count);
    EXPECT_EQ(zone.least, expected.least);
    EXPECT_EQ(zone.greatest, expected.greatest);
  }
}

void ExpectOrder(const RandomColumn& column, const ColumnView& view, SeededRandom& random) {
  std::vector<std::pair<uint64_t, DocId>> sorted;
  for (DocId doc = 0; doc < column.values.size(); ++doc) {
    for (const ColumnValue& value : column.values[doc]) {
      sorted.emplace_back(KeyOf(column, value, view), doc);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  const auto docs = view.DocsInOrder(0, sorted.size()).value();
  for (size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(docs[i], sorted[i].second);
  for (int round = 0; round < 50; ++round) {
    uint64_t low = sorted[random.Below(sorted.size())].first + random.Below(3) - 1;
    uint64_t high = random.OneIn(3) ? low : sorted[random.Below(sorted.size())].first;
    if (low > high) std::swap(low, high);
    const auto range = view.FindInOrder(low, high).value();
    size_t begin = 0;
    while (begin < sorted.size() && sorted[begin].first < low) ++begin;
    size_t end = begin;
    while (end < sorted.size() && sorted[end].first <= high) ++end;
    if (!view.is_multi() || begin == end) {
      EXPECT_EQ(range.end - range.begin >= end - begin, true);
    }
    if (!view.is_multi()) {
      ASSERT_EQ(range.end - range.begin, end - begin) << column.name;
      if (begin != end) {
        ASSERT_EQ(range.begin, begin);
      }
    }
    if (begin == end) continue;
    EXPECT_LE(range.begin, begin);
    EXPECT_GE(range.end, end);
    EXPECT_GE(range.certain_begin, begin);
    EXPECT_LE(range.certain_end, std::max<uint64_t>(end, range.certain_begin));
    EXPECT_LE(begin - range.begin, kSampleValues);
    EXPECT_LE(range.end - end, kSampleValues);
  }
}

TEST(ColumnView, HasTheValuesThatWereWritten) {
  for (const uint32_t doc_count : {1u, 63u, 512u, 4096u, 9001u}) {
    const std::vector<RandomColumn> columns = MakeRandomColumns(doc_count, doc_count);
    const auto input = InputOf(columns, doc_count);
    const auto segment = SegmentBytes(*input).Open().value();
    SeededRandom random(doc_count);
    for (const RandomColumn& column : columns) {
      const bool has_values = std::any_of(column.values.begin(), column.values.end(),
                                          [](const auto& values) { return !values.empty(); });
      const ColumnView* view = segment->FindColumn(column.name);
      ASSERT_EQ(view != nullptr, has_values) << column.name;
      if (view == nullptr) continue;
      EXPECT_EQ(view->type(), column.type);
      ExpectValues(column, *view);
      ExpectWindows(column, *view, doc_count);
      ExpectOrder(column, *view, random);
    }
    EXPECT_EQ(segment->FindColumn("absent"), nullptr);
    EXPECT_TRUE(VerifySegment(*segment).empty()) << VerifySegment(*segment)[0].what;
  }
}

// The writer sorts them by what is left of the keys when it divides them.
TEST(ColumnView, HasTheOrderOfValuesThatAreMultiplesOfAUnit) {
  constexpr uint32_t kDocs = 5000;
  constexpr int64_t kSecond = 1'000'000'000;
  SeededRandom random(3);
  std::vector<RandomColumn> columns;
  const auto add = [&](std::string name, FieldType type, auto value_of) {
    RandomColumn& column = columns.emplace_back(RandomColumn{std::move(name), type, {}});
    for (uint32_t i = 0; i < kDocs; ++i) {
      column.values.push_back({{std::bit_cast<uint64_t>(value_of()), {}}});
    }
  };
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(random.Below(static_cast<uint64_t>(end)));
  };
  add("seconds", FieldType::kDate, [&] { return below(kSecond) * kSecond + kSecond / 2; });
  add("before1970", FieldType::kDate, [&] { return (below(1000) - 900) * 3600 * kSecond; });
  add("far", FieldType::kDate, [&] { return (below(18 * kSecond) - 9 * kSecond) * kSecond; });
  add("milliseconds", FieldType::kDate, [&] { return below(kSecond) * 1'000'000; });
  add("nanoseconds", FieldType::kDate, [&] { return below(90 * kSecond); });
  add("eighths", FieldType::kF64, [&] { return static_cast<double>(below(9000) - 4000) / 8; });
  add("thirds", FieldType::kF64, [&] { return static_cast<double>(below(9000)) / 3; });
  add("shifted", FieldType::kI64, [&] { return (below(1 << 20) << 40) + 5; });
  add("wide", FieldType::kI64, [&] { return below(int64_t{1} << 62) * 2; });
  const auto segment = SegmentBytes(*InputOf(columns, kDocs)).Open().value();
  for (const RandomColumn& column : columns) {
    const ColumnView* const view = segment->FindColumn(column.name);
    ASSERT_NE(view, nullptr);
    ExpectValues(column, *view);
    ExpectOrder(column, *view, random);
  }
  EXPECT_TRUE(VerifySegment(*segment).empty()) << VerifySegment(*segment)[0].what;
}

TEST(ColumnView, ARunHasItsKeywordsAndNoOthers) {
  const auto segment = SegmentBytes(*InputOf(MakeRandomColumns(4, 9000), 9000)).Open().value();
  SeededRandom random(4);
  size_t columns = 0;
  for (const ColumnView& view : segment->columns()) {
    const uint64_t count = view.keyword_count();
    if (count == 0) continue;
    ++columns;
    for (int round = 0; round < 20; ++round) {
      const uint64_t first = random.Below(count);
      const uint64_t length = 1 + random.Below(count - first);
      const KeywordRun run = view.Keywords(first, length).value();
      for (uint64_t i = first; i < first + length; ++i) {
        ASSERT_EQ(run.Find(i), view.Keyword(i).value());
      }
      EXPECT_EQ(run.Find(first - 1), std::nullopt);
      EXPECT_EQ(run.Find(first + length), std::nullopt);
    }
  }
  EXPECT_GT(columns, 0u);
  EXPECT_EQ(KeywordRun().Find(0), std::nullopt);
  const uint64_t starts[] = {8, 9, 7, 12};  // of a damaged file
  const KeywordRun damaged(5, starts, "abc");
  EXPECT_EQ(damaged.Find(5), "a");
  EXPECT_EQ(damaged.Find(6), std::nullopt);
  EXPECT_EQ(damaged.Find(7), std::nullopt);
}

TEST(ColumnView, IsTheSameInTheCompressedTier) {
  const std::vector<RandomColumn> columns = MakeRandomColumns(3, 5000);
  const auto input = InputOf(columns, 5000);
  const auto compressed = CompressSegment(*SegmentBytes(*input).Open().value());
  ASSERT_EQ(compressed->is_compressed(), true);
  for (const RandomColumn& column : columns) {
    ExpectValues(column, *compressed->FindColumn(column.name));
  }
  EXPECT_TRUE(VerifySegment(*compressed).empty());
}

TEST(ColumnView, TakesAtMostFourteenBytesForAWideValueAndItsIndex) {
  const std::vector<RandomColumn> columns = MakeRandomColumns(5, 50'000);
  VectorSegmentInput input({.positions = false});
  input.AddField("body");
  for (int i = 0; i < 50'000; ++i) input.AddDocument("");
  for (const RandomColumn& column : columns) {
    for (DocId doc = 0; column.name == "big" && doc < 50'000; ++doc) {
      input.AddValue(doc, "big", column.ValueOf(column.values[doc][0]));
    }
  }
  input.Finish();
  SegmentBytes bytes(input);
  const size_t size_bytes = bytes.section(SectionKind::kNumericColumns).size();
  EXPECT_LT(size_bytes, 50'000 * 12.2);
  EXPECT_GT(size_bytes, 50'000 * 12);
}

TEST(ColumnView, IsAbsentInSegmentsWithoutColumns) {
  SegmentBytes bytes(*MakeSmallInput({}));
  EXPECT_TRUE(bytes.Open().value()->columns().empty());
  EXPECT_TRUE(bytes.Open().value()->view().RawSection(SectionKind::kNumericColumns).empty());
}

TEST(ColumnView, KeysAreInTheOrderOfTheValues) {
  const double ascending[] = {-INFINITY, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 1, INFINITY, NAN};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(KeyOfF64(ascending[i - 1]), KeyOfF64(ascending[i]));
  }
  EXPECT_EQ(KeyOfF64(-NAN), KeyOfF64(NAN));
  EXPECT_TRUE(std::signbit(F64OfKey(KeyOfF64(-0.0))));
  EXPECT_EQ(KeyOfF64(-0.0), kKeyOfMinusZero);
  EXPECT_EQ(KeyOfF64(0.0), kKeyOfZero);
  EXPECT_EQ(ComparableKey(FieldType::kF64, kKeyOfMinusZero), kKeyOfZero);
  EXPECT_LT(KeyOfI64(INT64_MIN), KeyOfI64(-1));
  EXPECT_LT(KeyOfI64(-1), KeyOfI64(0));
  EXPECT_EQ(I64OfKey(KeyOfI64(INT64_MIN)), INT64_MIN);
}

TEST(ColumnTable, RefusesEntriesThatNoColumnHas) {
  const auto input = InputOf(MakeRandomColumns(1, 300), 300);
  const SegmentBytes sound(*input);
  SeededRandom random(7);
  int refused = 0;
  for (size_t at = 0; at < sizeof(ColumnsHeader) + 3 * sizeof(ColumnEntry); ++at) {
    SegmentBytes bytes = sound;
    bytes.section(SectionKind::kNumericColumns)[at] ^= std::byte{0x41};
    bytes.Reseal();
    const auto segment = bytes.Open();
    if (!segment.ok()) {
      EXPECT_EQ(segment.status().code(), absl::StatusCode::kDataLoss);
      ++refused;
      continue;
    }
    EXPECT_FALSE(VerifySegment(**segment).empty()) << "byte " << at;
  }
  EXPECT_GT(refused, 200);
}

TEST(ColumnVerifier, FindsNothingInASoundSegment) {
  const auto segment = SegmentBytes(*InputOf(MakeRandomColumns(8, 300), 300)).Open().value();
  FindingList findings("segment", 10);
  VerifyColumns(*segment->WithoutPageChecks().value(), findings);
  EXPECT_TRUE(findings.Take().empty());
}

// True if the byte is one of a name, a value or a keyword, which may be another one without being
// wrong.
bool IsPayload(const Segment& segment, uint64_t at) {
  const auto columns = segment.columns();
  return std::any_of(columns.begin(), columns.end(), [at](const ColumnView& column) {
    const ColumnEntry& entry = column.entry();
    const uint64_t values_end = entry.values_offset + entry.value_count * entry.value_bytes;
    return (entry.name_offset <= at && at < entry.name_offset + entry.name_bytes) ||
           (entry.values_offset <= at && at < values_end) ||
           (entry.keywords_offset <= at && at < entry.keywords_offset + entry.keywords_bytes);
  });
}

TEST(ColumnVerifier, FindsEveryByteThatIsChanged) {
  const auto input = InputOf(MakeRandomColumns(2, 300), 300);
  const SegmentBytes sound(*input);
  SegmentBytes counted = sound;
  const size_t size_bytes = counted.section(SectionKind::kNumericColumns).size();
  const auto original = sound.Open().value();
  for (size_t at = 0; at < size_bytes; at += 13) {
    if (IsPayload(*original, at)) continue;
    SegmentBytes bytes = sound;
    bytes.section(SectionKind::kNumericColumns)[at] ^= std::byte{0x10};
    bytes.Reseal();
    const auto segment = bytes.Open();
    if (!segment.ok()) continue;
    EXPECT_FALSE(VerifySegment(**segment).empty()) << "byte " << at;
  }
}

}  // namespace column_view_test
}  // namespace pmdex
