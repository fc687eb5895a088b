#include "query/cursor/verified_lists.h"

#include <algorithm>

#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace verified_lists_test {

constexpr uint32_t kDocs = 90000;

class VerifiedLists : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  static CursorContext Context(const Deadline& deadline) {
    return {kDocs, "segment", absl::OkStatus(), deadline};
  }
  static DictionaryEntry Entry(const char* term) {
    return segment().Find(*segment().FindField("body"), term).value().value();
  }
};

TEST_F(VerifiedLists, AreThoseOfTheSegment) {
  CursorContext context = Context(kNoDeadline);
  ASSERT_GT(Entry("t0").df, 1u << 16);
  for (const char* term : {"t0", "t3", "t11"}) {
    const DictionaryEntry entry = Entry(term);
    const auto list = PostingsInTime(segment(), entry, ListParts::kAll, context).value();
    const auto expected = segment().Postings(entry).value();
    EXPECT_EQ(list.df, expected.df);
    EXPECT_EQ(list.freqs, expected.freqs);
    EXPECT_EQ(list.positions.data(), expected.positions.data());
  }
  const FieldId field = *segment().FindField("body");
  EXPECT_EQ(NormsInTime(segment(), field, context)->data(), segment().norms(field)->data());
}

TEST_F(VerifiedLists, AreNotReadOnceTimeIsOver) {
  // Opened again, so that no page of it is verified yet.
  const auto directory = NewDramDirectory("fresh");
  const auto snapshot = WriteWindowedIndex(*directory, {kDocs});
  const Segment& fresh = *snapshot->segments()[0];
  const FieldId field = *fresh.FindField("body");
  CursorContext context = Context(DeadlineClock::TimePoint::min());
  const DictionaryEntry entry = fresh.Find(field, "t0").value().value();
  EXPECT_EQ(PostingsInTime(fresh, entry, ListParts::kAll, context)->df, 0u);
  EXPECT_TRUE(context.timed_out);
  EXPECT_FALSE(fresh.view().WasVerified(SectionKind::kPostings, entry.lanes.postings_offset, 4096));
  CursorContext again = Context(DeadlineClock::TimePoint::min());
  EXPECT_TRUE(NormsInTime(fresh, field, again)->empty());
  EXPECT_TRUE(again.timed_out);
}

}  // namespace verified_lists_test
}  // namespace pmdex
