#include "engine/segment/segment_plan.h"

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace segment_plan_test {

TEST(SegmentPlan, IsNeverLessThanWhatIsWritten) {
  for (const bool positions : {false, true}) {
    const auto input = MakeSmallInput({.positions = positions, .stored_text = true});
    SegmentBytes written(*input);
    TermDictionaryWriter dictionary(1, 2, input->doc_count(), positions);
    const SegmentPlan plan = PlanSegment(*input, true, dictionary).value();
    ASSERT_TRUE(dictionary.AssignBuckets().ok());
    EXPECT_GE(CapacityOf(plan, *input, dictionary), written.bytes().size());
    EXPECT_LE(CapacityOf(plan, *input, dictionary), written.bytes().size() + 1024);
    EXPECT_EQ(plan.postings_bytes, written.entry(SectionKind::kPostings).size_bytes);
    EXPECT_EQ(plan.overflow_bytes, written.entry(SectionKind::kFreqOverflow).size_bytes);
    EXPECT_EQ(plan.norms_bytes, written.entry(SectionKind::kNorms).size_bytes);
    EXPECT_EQ(plan.meta_bytes, written.entry(SectionKind::kMeta).size_bytes);
  }
}

TEST(SegmentPlan, CountsPageMarksWhenAsked) {
  VectorSegmentInput input({.positions = true});
  const FieldId body = input.AddField("body");
  const DocId doc = input.AddDocument("doc");
  input.AddPosting(body, "word", {doc, 2, {65535, 200000}});
  input.Finish();
  TermDictionaryWriter first(1, 1, 1, true);
  EXPECT_EQ(PlanSegment(input, false, first)->positions_bytes, 2 * sizeof(uint16_t));
  TermDictionaryWriter second(1, 1, 1, true);
  const SegmentPlan plan = PlanSegment(input, true, second).value();
  EXPECT_EQ(plan.positions_bytes, 5 * sizeof(uint16_t));
  EXPECT_EQ(plan.overflow_bytes, 2 * sizeof(OverflowEntry));
  EXPECT_FALSE(HasLongDocuments(input));
}

TEST(SegmentPlan, RefusesInputThatContradictsItself) {
  class Liar : public VectorSegmentInput {
   public:
    Liar() : VectorSegmentInput({.positions = false}) {
      const FieldId body = AddField("body");
      AddText(AddDocument("doc"), body, "a b c");
      Finish();
      fields_.assign(VectorSegmentInput::fields().begin(), VectorSegmentInput::fields().end());
    }
    std::span<const SegmentField> fields() const override { return fields_; }
    std::vector<SegmentField> fields_;
  };
  Liar liar;
  TermDictionaryWriter honest(1, 1, 1, false);
  EXPECT_TRUE(PlanSegment(liar, false, honest).ok());
  liar.fields_[0].token_count = 4;
  TermDictionaryWriter tokens(1, 1, 1, false);
  EXPECT_EQ(PlanSegment(liar, false, tokens).status().code(), absl::StatusCode::kInternal);
  liar.fields_[0].token_count = 3;
  liar.fields_[0].norms = {};
  TermDictionaryWriter norms(1, 1, 1, false);
  EXPECT_EQ(PlanSegment(liar, false, norms).status().code(), absl::StatusCode::kInternal);
}

}  // namespace segment_plan_test
}  // namespace pmdex
