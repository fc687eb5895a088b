#include "engine/memtable/memtable_fields.h"

#include <string>

#include "gtest/gtest.h"

#include "engine/memtable/memtable.h"
#include "engine/segment/norms.h"

namespace pmdex {
namespace memtable_fields_test {

TEST(MemtableFields, AreFoundByTheirNames) {
  MemtableFields fields;
  EXPECT_EQ(fields.FindOrAdd("title"), FieldId{0});
  EXPECT_EQ(fields.FindOrAdd("body"), FieldId{1});
  EXPECT_EQ(fields.FindOrAdd("body"), FieldId{1});
  EXPECT_EQ(fields.FindOrAdd("title"), FieldId{0});
  for (size_t i = 2; i < Memtable::kMaxFields; ++i) {
    EXPECT_EQ(fields.FindOrAdd("f" + std::to_string(i)), static_cast<FieldId>(i));
  }
  EXPECT_EQ(fields.FindOrAdd("one too many"), std::nullopt);
  EXPECT_EQ(fields.FindOrAdd("body"), FieldId{1});
}

TEST(MemtableFields, PutAGapBetweenTheValuesOfADocument) {
  MemtableFields fields;
  const FieldId body = fields.FindOrAdd("body").value();
  const FieldId title = fields.FindOrAdd("title").value();
  EXPECT_EQ(fields.BeginValue(body), 0u);
  fields.EndValue(body, 7);
  EXPECT_EQ(fields.BeginValue(title), 0u);
  fields.EndValue(title, 2);
  EXPECT_EQ(fields.BeginValue(body), 7 + kPositionGap);
  fields.EndDocument(0);
  EXPECT_EQ(fields.BeginValue(body), 0u);
  fields.EndValue(body, 0);
  EXPECT_EQ(fields.BeginValue(body), kPositionGap);
}

TEST(MemtableFields, KeepTheLengthsOfDocumentsThatEnd) {
  MemtableFields fields;
  const FieldId body = fields.FindOrAdd("body").value();
  const FieldId title = fields.FindOrAdd("title").value();
  fields.BeginValue(body);
  EXPECT_EQ(fields.AddTokens(body, 5), 0u);
  EXPECT_EQ(fields.AddTokens(body, 3), 5u);
  EXPECT_EQ(fields.EndDocument(0), 8u);
  fields.BeginValue(title);
  fields.AddTokens(title, 4);
  fields.AbandonDocument();
  fields.BeginValue(title);
  EXPECT_EQ(fields.AddTokens(title, 2), 0u);
  fields.BeginValue(body);  // and has no token there
  EXPECT_EQ(fields.EndDocument(2), 2u);

  const std::vector<SegmentField> frozen = fields.Freeze(4);
  ASSERT_EQ(frozen.size(), 2u);
  EXPECT_EQ(frozen[0].name, "body");
  EXPECT_EQ(frozen[0].doc_count, 1u);
  EXPECT_EQ(frozen[0].token_count, 8u);
  EXPECT_EQ(std::vector<uint8_t>(frozen[0].norms.begin(), frozen[0].norms.end()),
            (std::vector<uint8_t>{EncodeLength(8), 0, 0, 0}));
  EXPECT_EQ(frozen[1].doc_count, 1u);
  EXPECT_EQ(frozen[1].token_count, 2u);
  EXPECT_EQ(std::vector<uint8_t>(frozen[1].norms.begin(), frozen[1].norms.end()),
            (std::vector<uint8_t>{0, 0, EncodeLength(2), 0}));
}

}  // namespace memtable_fields_test
}  // namespace pmdex
