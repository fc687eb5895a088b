#include "engine/memtable/memtable_fields.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "engine/memtable/memtable_options.h"
#include "engine/segment/documents/norms.h"

namespace pmdex {
namespace memtable_fields_test {

TEST(MemtableFields, AreFoundByTheirNames) {
  MemtableFields fields;
  EXPECT_EQ(fields.FindOrAdd("title").id, FieldId{0});
  EXPECT_EQ(fields.FindOrAdd("body").id, FieldId{1});
  EXPECT_EQ(fields.FindOrAdd("body").id, FieldId{1});
  EXPECT_EQ(fields.FindOrAdd("").id, FieldId{2});
  EXPECT_EQ(fields.FindOrAdd("title").id, FieldId{0});
  EXPECT_TRUE(fields.FindOrAdd("title").is_own);
}

// As many as there are before and behind the first value that must share.
TEST(MemtableFields, ShareOneFieldBeyondTheLimit) {
  MemtableFields fields;
  for (size_t i = 0; i < kMaxFields; ++i) {
    if (i == 10) {
      EXPECT_FALSE(fields.FindOrAdd(std::string(kMaxFieldNameBytes + 1, 'x')).is_own);
    }
    const auto found = fields.FindOrAdd("f" + std::to_string(i));
    EXPECT_TRUE(found.is_own);
    EXPECT_EQ(found.id, i + (i < 10 ? 0 : 1));
  }
  for (const char* name : {"one too many", "another", "one too many"}) {
    const auto found = fields.FindOrAdd(name);
    EXPECT_FALSE(found.is_own);
    EXPECT_EQ(found.id, FieldId{10});
  }
  EXPECT_TRUE(fields.FindOrAdd("f3").is_own);
  EXPECT_TRUE(fields.FindOrAdd(kOtherField).is_own) << "who names it means it";
  EXPECT_EQ(fields.FindOrAdd(kOtherField).id, FieldId{10});
  EXPECT_EQ(fields.Freeze(0).size(), kMaxFields + 1);
}

class OnlyShortNames final : public FieldNames {
 public:
  bool HasOwnField(std::string_view name) override {
    asked.emplace_back(name);
    return name.size() < 3;
  }
  std::vector<std::string> asked;
};

TEST(MemtableFields, AskOnceForANameThatHasAField) {
  OnlyShortNames names;
  MemtableFields fields(&names);
  EXPECT_TRUE(fields.FindOrAdd("a").is_own);
  EXPECT_FALSE(fields.FindOrAdd("long").is_own);
  EXPECT_FALSE(fields.FindOrAdd("longer").is_own);
  EXPECT_TRUE(fields.FindOrAdd("a").is_own);
  EXPECT_TRUE(fields.FindOrAdd("b").is_own);
  EXPECT_EQ(names.asked, (std::vector<std::string>{"a", "long", "longer", "b"}));
}

TEST(MemtableFields, PutAGapBetweenTheValuesOfADocument) {
  MemtableFields fields;
  const FieldId body = fields.FindOrAdd("body").id;
  const FieldId title = fields.FindOrAdd("title").id;
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
  const FieldId body = fields.FindOrAdd("body").id;
  const FieldId title = fields.FindOrAdd("title").id;
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
