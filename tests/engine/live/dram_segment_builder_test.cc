#include "engine/live/dram_segment_builder.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace dram_segment_builder_test {

AddedDocumentPointer Make(const std::string& id, const std::string& text) {
  return std::make_shared<const AddedDocument>(AddedDocument{id, {{"body", text}}, ""});
}

TEST(DramSegmentBuilder, BuildsASegmentOfTheDocumentsInTheirOrder) {
  DramSegmentBuilder builder({AnalyzerKind::kEnglish, true, true}, {});
  const auto segment = builder.Build(std::vector{Make("b", "Apples"), Make("a", "pears apple")});
  ASSERT_TRUE(segment.ok()) << segment.status();
  ASSERT_EQ((*segment)->doc_count(), 2u);
  EXPECT_EQ(*(*segment)->doc_id(0), "b");
  EXPECT_EQ(*(*segment)->doc_id(1), "a");
  const auto field = (*segment)->FindField("body");
  ASSERT_TRUE(field.has_value());
  const auto entry = (*segment)->Find(*field, "appl");
  ASSERT_TRUE(entry.ok() && entry->has_value());
  EXPECT_EQ((*(*segment)->StoredText(0))[0].text, "Apples");
}

TEST(DramSegmentBuilder, GivesEachSegmentAnIdOfItsOwn) {
  DramSegmentBuilder builder({}, {});
  const auto first = builder.Build(std::vector{Make("a", "x")});
  const auto second = builder.Build(std::vector{Make("b", "y")});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->segment_id(), (*second)->segment_id());
  EXPECT_EQ(*(*first)->doc_id(0), "a");
}

TEST(DramSegmentBuilder, MakesSegmentsThatOutliveIt) {
  std::shared_ptr<const Segment> segment;
  {
    DramSegmentBuilder builder({}, {});
    segment = *builder.Build(std::vector{Make("a", "x")});
  }
  EXPECT_EQ(*segment->doc_id(0), "a");
}

TEST(DramSegmentBuilder, LimitsTheFieldsOfAllItsSegmentsTogether) {
  std::vector<std::string> names;
  for (size_t i = 0; i + 1 < kMaxFields; ++i) names.push_back("f" + std::to_string(i));
  DramSegmentBuilder builder({}, names);
  const auto document = std::make_shared<const AddedDocument>(
      AddedDocument{"a", {{"new", "x"}, {"newer", "y"}, {"f3", "z"}}, ""});
  for (int i = 0; i < 2; ++i) {
    const auto segment = *builder.Build(std::vector{document});
    EXPECT_TRUE(segment->FindField("new").has_value());
    EXPECT_FALSE(segment->FindField("newer").has_value());
    EXPECT_TRUE(segment->FindField("f3").has_value());
    EXPECT_TRUE(segment->FindField(kOtherField).has_value());
  }
}

}  // namespace dram_segment_builder_test
}  // namespace pmdex
