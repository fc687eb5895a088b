#include "engine/ingest/fields/field_collector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/memtable/field_names.h"

namespace pmdex {
namespace {

absl::Status Show(FieldCollector& collector, const std::vector<DocumentField>& fields) {
  Document document;
  document.fields = fields;
  return collector.Add(document);
}

DocumentField Number(std::string_view name, std::string_view text) {
  return {name, text, InputValueKind::kNumber, 0};
}

void ShowSample(FieldCollector& collector) {
  for (uint64_t i = 0; i < kSampleDocuments; ++i) {
    Show(collector, {Number("n", i % 7 == 6 ? "2.5" : "1"), {"s", "text"}}).IgnoreError();
  }
}

TEST(FieldCollector, TypesOfTheSampleFollowFromAllItsValues) {
  FieldCollector collector({}, {10, false, true});
  ShowSample(collector);
  EXPECT_TRUE(collector.is_done());
  EXPECT_TRUE(absl::IsCancelled(Show(collector, {Number("late", "1")})));
  const KnownFields fields = collector.Take();
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields.at("n"), KnownField::Of({FieldType::kF64, Multiplicity::kOne}));
  EXPECT_EQ(fields.at("s"), KnownField::Of({FieldType::kText, Multiplicity::kOne}));
}

TEST(FieldCollector, TheFirstValueDecidesBehindTheSample) {
  FieldCollector collector({}, {10, false, false});
  ShowSample(collector);
  EXPECT_FALSE(collector.is_done());
  EXPECT_TRUE(Show(collector, {Number("late", "1"), {"late", "text"}}).ok());
  EXPECT_EQ(collector.Take().at("late").spec->type, FieldType::kI64);
}

TEST(FieldCollector, AShortInputIsItsOwnSample) {
  FieldCollector collector({}, {10, false, true});
  EXPECT_TRUE(Show(collector, {Number("a", "1")}).ok());
  EXPECT_TRUE(Show(collector, {Number("a", "0.5")}).ok());
  EXPECT_EQ(collector.Take().at("a").spec->type, FieldType::kF64);
}

TEST(FieldCollector, KeepsToTheLimitAndToWhatWasKnown) {
  FieldCollector collector({{"old", KnownField::Of(FieldSpec())}}, {2, false, true});
  EXPECT_TRUE(Show(collector, {Number("old", "1"), {"a", ""}, {"b", ""}, {"body", ""}}).ok());
  EXPECT_TRUE(Show(collector, {{kOtherField, "x"}}).ok());
  const KnownFields fields = collector.Take();
  EXPECT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields.at("old").spec->type, FieldType::kText);
  EXPECT_TRUE(fields.contains("a") && fields.contains("body"));
}

TEST(FieldCollector, PlacesThatMeetNoValueStayOpen) {
  FieldCollector collector({{"x", KnownField::Reserved()}, {"y", KnownField::Reserved()}},
                           {9, true, false});
  EXPECT_TRUE(Show(collector, {Number("x", "1"), Number("new", "1")}).ok());
  const KnownFields fields = collector.Take();
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields.at("x"), KnownField::Of({FieldType::kI64, Multiplicity::kOne}));
  EXPECT_EQ(fields.at("y"), KnownField::Reserved());
}

}  // namespace
}  // namespace pmdex
