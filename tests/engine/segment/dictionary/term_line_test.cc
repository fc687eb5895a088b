#include "engine/segment/dictionary/term_line.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace term_line_test {

constexpr LineFormat kNarrow{3};
constexpr LineFormat kWide{4};

// An inline list. most_freq: no frequency is greater. most_position: nor is a position.
DictionaryEntry RandomEntry(SeededRandom& random, LineFormat format, bool has_positions,
                            uint32_t most_freq, uint32_t most_position) {
  DictionaryEntry entry{};
  entry.df = static_cast<uint32_t>(1 + random.Below(kMaxInlinePostings));
  InlinePostings& inlined = entry.inlined;
  for (uint32_t i = 0; i < entry.df; ++i) {
    inlined.docids[i] = static_cast<DocId>(random.Next() >> (format.docid_bytes == 3 ? 40 : 32));
    inlined.freqs[i] = static_cast<uint8_t>(1 + random.Below(most_freq));
    inlined.codes[i] = static_cast<uint8_t>(random.Below(256));
    entry.cf += inlined.freqs[i];
  }
  const bool in_line = has_positions && entry.cf <= kMaxInlinePositions;
  entry.representation = in_line ? Representation::kInlineWithPositions : Representation::kInline;
  for (uint64_t i = 0; in_line && i < entry.cf; ++i) {
    inlined.positions[i] = static_cast<uint16_t>(random.Below(most_position + 1));
  }
  if (has_positions && !in_line) inlined.position_start = random.Next() >> 24;
  return entry;
}

// A line: the term `suffix` behind `shared` bytes, and the rest. Zeros follow it.
std::vector<std::byte> LineOf(size_t shared, std::string_view suffix,
                              std::span<const std::byte> rest) {
  std::vector<std::byte> line = {static_cast<std::byte>(shared),
                                 static_cast<std::byte>(suffix.size())};
  for (const char c : suffix) line.push_back(static_cast<std::byte>(c));
  line.insert(line.end(), rest.begin(), rest.end());
  return line;
}

TEST(TermLine, HoldsInlineListsOfEveryKind) {
  SeededRandom random(51);
  for (int round = 0; round < 20'000; ++round) {
    const LineFormat format = round % 2 == 0 ? kNarrow : kWide;
    const bool has_positions = round % 3 != 0;
    const DictionaryEntry entry =
        RandomEntry(random, format, has_positions, round % 5 == 0 ? 254 : 1 + round % 3,
                    round % 7 == 0 ? 65534 : 255);
    std::array<std::byte, kMaxLineRestBytes> rest;
    const size_t rest_bytes = WriteInlineRest(entry, format, has_positions, rest.data());
    ASSERT_LE(rest_bytes, kMaxLineRestBytes);
    const auto bytes = LineOf(3, "suffix", std::span(rest).first(rest_bytes));
    const TermLine line = ReadTermLine(bytes, 3, format);
    ASSERT_EQ(line.size_bytes, bytes.size());
    EXPECT_EQ(line.shared, 3u);
    EXPECT_EQ(line.suffix_bytes, 6u);
    ASSERT_TRUE(line.is_inline());
    ASSERT_TRUE(IsSame(InlineEntry(line, format), entry)) << round;
    const DocumentsPlace place = DocumentsOf(line, format);
    ASSERT_EQ(place.df, entry.df);
    EXPECT_TRUE(place.is_inline);
    EXPECT_TRUE(std::equal(place.docids.begin(), place.docids.end(), entry.inlined.docids));
  }
}

TEST(TermLine, TakesThirteenBytesForAWordOfFiveThatOccursOnce) {
  DictionaryEntry entry{};
  entry.df = 1;
  entry.cf = 1;
  entry.representation = Representation::kInlineWithPositions;
  entry.inlined.docids[0] = 77;
  entry.inlined.freqs[0] = 1;
  entry.inlined.codes[0] = 9;
  entry.inlined.positions[0] = 200;
  std::array<std::byte, kMaxLineRestBytes> rest;
  EXPECT_EQ(WriteInlineRest(entry, kNarrow, true, rest.data()) + kTermHeadBytes + 5, 13u);
  entry.inlined.positions[0] = 256;
  EXPECT_EQ(WriteInlineRest(entry, kNarrow, true, rest.data()) + kTermHeadBytes + 5, 14u);
}

TEST(TermLine, SaysWhereAnExtentIs) {
  for (const uint64_t offset : {uint64_t{0}, uint64_t{64}, kMaxPostingsBytes - 64}) {
    DictionaryEntry entry{};
    entry.df = 0x12345678;
    entry.representation = Representation::kLanes;
    entry.lanes.postings_offset = offset;
    std::array<std::byte, kExtentRestBytes> rest;
    ASSERT_EQ(WriteExtentRest(entry, 0x87654321, rest.data()), kExtentRestBytes);
    const auto bytes = LineOf(0, "x", rest);
    const TermLine line = ReadTermLine(bytes, 0, kNarrow);
    ASSERT_EQ(line.size_bytes, bytes.size());
    EXPECT_FALSE(line.is_inline());
    EXPECT_EQ(BucketOf(line), 0x87654321u);
    const DocumentsPlace place = DocumentsOf(line, kNarrow);
    EXPECT_EQ(place.df, entry.df);
    EXPECT_FALSE(place.is_inline);
    EXPECT_EQ(place.postings_offset, offset);
  }
}

TEST(TermLine, EndsInsideItsBytesOrIsNone) {
  SeededRandom random(52);
  size_t lines = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::vector<std::byte> bytes(random.Below(60));
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(random.Next() >> (56 + random.Below(8)));
    }
    const LineFormat format = round % 2 == 0 ? kNarrow : kWide;
    const TermLine line = ReadTermLine(bytes, 4, format);
    if (line.size_bytes == 0) continue;
    ++lines;
    ASSERT_LE(line.size_bytes, bytes.size());
    ASSERT_LE(line.shared, 4u);
    ASSERT_GT(line.suffix_bytes, 0u);
    if (!line.is_inline()) continue;
    ASSERT_LE(InlineEntry(line, format).df, kMaxInlinePostings);
    ASSERT_LE(DocumentsOf(line, format).df, kMaxInlinePostings);
  }
  EXPECT_GT(lines, 1000u);
}

TEST(TermLine, HasNoFormThatSaysNothing) {
  const auto is_form = [](uint8_t form) {
    std::vector<std::byte> bytes(100);
    bytes[1] = std::byte{1};
    bytes[3] = static_cast<std::byte>(form);
    return ReadTermLine(bytes, 0, kWide).size_bytes != 0;
  };
  EXPECT_TRUE(is_form(kLineOfExtent));
  EXPECT_TRUE(is_form(1));
  EXPECT_TRUE(is_form(4 | kLineHasFreqs | kLinePositionStart));
  EXPECT_TRUE(is_form(2 | kLineBytePositions | 1 << kLineCfShift));
  EXPECT_FALSE(is_form(5)) << "five postings";
  EXPECT_FALSE(is_form(kLineHasFreqs)) << "no posting";
  EXPECT_FALSE(is_form(2 | kLineBytePositions)) << "fewer positions than postings";
  EXPECT_FALSE(is_form(1 | kLinePositionStart | 1 << kLineCfShift)) << "bits without a meaning";
}

}  // namespace term_line_test
}  // namespace pmdex
