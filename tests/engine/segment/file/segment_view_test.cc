#include "engine/segment/file/segment_view.h"

#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/recording_file.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace segment_view_test {

SegmentBytes Small() {
  return SegmentBytes(*MakeSmallInput({.positions = true, .stored_text = true}));
}

TEST(SegmentView, OpensWhatTheWriterWrote) {
  SegmentBytes bytes = Small();
  const auto view = SegmentView::Open(bytes.file(), "name").value();
  EXPECT_EQ(view.file_name(), "name");
  EXPECT_EQ(view.header().doc_count, 301u);
  EXPECT_EQ(view.sections().size(), 19u);
  EXPECT_EQ(view.RawSection(SectionKind::kDocEntries).size(), 301 * 8);
  EXPECT_TRUE(view.RawSection(SectionKind::kLiveDocs).empty());
}

TEST(SegmentView, SlicesInsideASectionOnly) {
  const auto view = SegmentView::Open(Small().file(), "segment").value();
  const uint64_t size = view.RawSection(SectionKind::kPostings).size();
  EXPECT_EQ(view.Slice(SectionKind::kPostings, 0, size).value().size(), size);
  EXPECT_EQ(view.Slice(SectionKind::kPostings, size, 0).value().size(), 0u);
  for (const auto& [offset, bytes] :
       std::vector<std::pair<uint64_t, uint64_t>>{{0, size + 1},
                                                  {size, 1},
                                                  {size + 1, 0},
                                                  {~uint64_t{0}, 1},
                                                  {1, ~uint64_t{0}},
                                                  {~uint64_t{0}, ~uint64_t{0}}}) {
    const auto slice = view.Slice(SectionKind::kPostings, offset, bytes);
    ASSERT_FALSE(slice.ok());
    EXPECT_NE(Message(slice.status()).find("section postings"), std::string_view::npos);
  }
  EXPECT_EQ(view.Array<uint64_t>(SectionKind::kPostings, 0, size / 8).value().size(), size / 8);
  EXPECT_FALSE(view.Array<uint64_t>(SectionKind::kPostings, 0, size / 8 + 1).ok());
  EXPECT_FALSE(view.Array<uint64_t>(SectionKind::kPostings, uint64_t{1} << 61, 1).ok());
  EXPECT_FALSE(view.Array<uint64_t>(SectionKind::kPostings, 1, ~uint64_t{0}).ok());
}

TEST(SegmentView, AsksForPagesAndTheirChecksumsBeforeItReadsThem) {
  SegmentBytes bytes = Small();
  PrefetchLog log;
  const auto view =
      SegmentView::Open(std::make_unique<RecordingFile>(bytes.bytes(), log), "segment").value();
  log.clear();
  const uint64_t size_bytes = bytes.entry(SectionKind::kPositions).size_bytes;
  view.Prefetch(SectionKind::kPositions, 0, size_bytes);
  std::vector<bool> asked(PagesOf(bytes.bytes().size()));
  for (const PrefetchRange& range : log) {
    for (uint64_t at = 0; at < range.size_bytes; at += kPageBytes) {
      asked[(range.offset + at) / kPageBytes] = true;
    }
  }
  for (const SectionKind kind : {SectionKind::kPositions, SectionKind::kPageChecksums}) {
    const SectionEntry& entry = bytes.entry(kind);
    EXPECT_TRUE(asked[entry.offset / kPageBytes]);
    EXPECT_TRUE(asked[(entry.offset + entry.size_bytes - 1) / kPageBytes]);
  }
  EXPECT_FALSE(view.WasVerified(SectionKind::kPositions, 0, size_bytes));
  log.clear();
  EXPECT_TRUE(view.Verify(SectionKind::kPositions, 0, size_bytes).ok());
  EXPECT_TRUE(view.WasVerified(SectionKind::kPositions, 0, size_bytes));
  EXPECT_EQ(log, PrefetchLog());
  EXPECT_TRUE(view.Verify(SectionKind::kDictionaryEntries, 0, 64).ok());
  EXPECT_FALSE(log.empty());
}

TEST(SegmentView, AsksForNothingOutsideOfASection) {
  SegmentBytes bytes = Small();
  PrefetchLog log;
  const auto view =
      SegmentView::Open(std::make_unique<RecordingFile>(bytes.bytes(), log), "segment").value();
  log.clear();
  const uint64_t size_bytes = bytes.entry(SectionKind::kDictionaryEntries).size_bytes;
  view.Prefetch(SectionKind::kDictionaryEntries, size_bytes, 1);
  view.Prefetch(SectionKind::kDictionaryEntries, UINT64_MAX, UINT64_MAX);
  view.Prefetch(SectionKind::kDictionaryEntries, 0, 0);
  view.Prefetch(SectionKind::kLiveDocs, 0, 1);
  view.PrefetchFirst(SectionKind::kDictionaryEntries, size_bytes, 1, 2);
  view.PrefetchFirst(SectionKind::kDictionaryEntries, UINT64_MAX, UINT64_MAX, 2);
  view.PrefetchFirst(SectionKind::kLiveDocs, 0, 1, 2);
  EXPECT_EQ(log, PrefetchLog());
  view.Prefetch(SectionKind::kDictionaryEntries, size_bytes - 1, UINT64_MAX);
  ASSERT_FALSE(log.empty());
  const SectionEntry& entry = bytes.entry(SectionKind::kDictionaryEntries);
  const uint64_t end = AlignUp(entry.offset + entry.size_bytes, kPageBytes);
  EXPECT_EQ(log[0].offset + log[0].size_bytes, end);
}

TEST(SegmentView, PrefetchFirstAsksTheMediumForTheWholeRangeOnce) {
  SegmentBytes bytes = Small();
  PrefetchLog asked;
  PrefetchLog expected;
  const uint64_t size_bytes = bytes.entry(SectionKind::kPositions).size_bytes;
  const auto view =
      SegmentView::Open(std::make_unique<RecordingFile>(bytes.bytes(), asked), "segment").value();
  const auto other =
      SegmentView::Open(std::make_unique<RecordingFile>(bytes.bytes(), expected), "segment")
          .value();
  asked.clear();
  expected.clear();
  view.PrefetchFirst(SectionKind::kPositions, 0, UINT64_MAX, 1);
  other.Prefetch(SectionKind::kPositions, 0, size_bytes);
  EXPECT_EQ(asked, expected);
  asked.clear();
  view.PrefetchFirst(SectionKind::kPositions, 0, size_bytes, 1000);
  EXPECT_EQ(asked, PrefetchLog());
}

}  // namespace segment_view_test
}  // namespace pmdex
