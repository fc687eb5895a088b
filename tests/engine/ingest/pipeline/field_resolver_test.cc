#include "engine/ingest/pipeline/field_resolver.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "engine/memtable/field_names.h"

namespace pmdex {
namespace {

using Kind = ResolvedValue::Kind;

class FieldResolverTest : public testing::Test {
 protected:
  FieldResolverTest() {
    resolver_.BeginBlock({}, 0);
    resolver_.BeginDocument(1);
  }
  static KnownFields Known() {
    return {{"text", KnownField::Of({FieldType::kText, Multiplicity::kOpen})},
            {"one", KnownField::Of({FieldType::kI64, Multiplicity::kOne})},
            {"many", KnownField::Of({FieldType::kKeyword, Multiplicity::kMany})},
            {"open", KnownField::Of({FieldType::kF64, Multiplicity::kOpen})}};
  }
  ResolvedValue Number(std::string_view name, std::string_view text, uint32_t array = 0) {
    return resolver_.Resolve({name, text, InputValueKind::kNumber, array});
  }

  FieldRegistry registry_{Known(), 5, FieldAdmission::kAll};
  FieldResolver resolver_{&registry_};
};

TEST_F(FieldResolverTest, TextGoesToTheIndexAndValuesGoToColumns) {
  EXPECT_EQ(Number("text", "5").kind, Kind::kText);
  EXPECT_EQ(Number("one", "5").value, FieldValue::I64(5));
  EXPECT_EQ(Number("many", "5.0").value, FieldValue::Keyword("5.0"));
  EXPECT_EQ(resolver_.Resolve({"new", "true", InputValueKind::kBool, 0}).value,
            FieldValue::Bool(true));
  EXPECT_EQ(Number("too many", "5").kind, Kind::kNoField);
  EXPECT_EQ(Number(kOtherField, "5").kind, Kind::kNoField);
}

TEST_F(FieldResolverTest, AValueThatDoesNotFitIsBadAndSaysWhy) {
  const ResolvedValue bad = Number("one", "3.5");
  EXPECT_EQ(bad.kind, Kind::kBad);
  EXPECT_EQ(bad.why, "field one: 3.5 is no value of type i64");
  const std::string longer(50, 'x');
  resolver_.BeginDocument(2);
  EXPECT_EQ(resolver_.Resolve({"one", longer, InputValueKind::kString, 0}).why,
            "field one: " + longer.substr(0, 40) + "... is no value of type i64");
}

TEST_F(FieldResolverTest, AnArrayIsOneBadValueWhereAFieldTakesOne) {
  EXPECT_EQ(Number("one", "1", 1).kind, Kind::kBad);
  EXPECT_EQ(Number("one", "2", 1).kind, Kind::kNothing);
  EXPECT_EQ(Number("one", "3", 2).kind, Kind::kBad) << "another array";
  resolver_.BeginDocument(2);
  EXPECT_EQ(Number("one", "1").kind, Kind::kColumn);
  EXPECT_EQ(Number("one", "2").kind, Kind::kBad) << "a second value";
  EXPECT_EQ(Number("many", "1", 1).kind, Kind::kColumn);
  EXPECT_EQ(Number("many", "1", 1).kind, Kind::kColumn);
}

TEST_F(FieldResolverTest, FieldsMayComeInAnyOrder) {
  for (uint64_t document = 2; document < 200; ++document) {
    resolver_.BeginDocument(document);
    const bool reversed = document % 3 == 0;
    for (const char* name : reversed ? std::array{"many", "open", "one", "text"}
                                     : std::array{"text", "one", "open", "many"}) {
      if (document % 5 == 0 && std::string_view(name) == "open") continue;
      const ResolvedValue value = Number(name, "5");
      const bool is_text = std::string_view(name) == "text";
      ASSERT_EQ(value.kind, is_text ? Kind::kText : Kind::kColumn) << name;
      const FieldValue expected = std::string_view(name) == "one"    ? FieldValue::I64(5)
                                  : std::string_view(name) == "open" ? FieldValue::F64(5)
                                                                     : FieldValue::Keyword("5");
      EXPECT_TRUE(is_text || value.value == expected) << name;
    }
    if (document % 50 == 0) resolver_.BeginBlock({}, document);
  }
}

TEST_F(FieldResolverTest, AnArrayOpensAFieldForOthers) {
  EXPECT_EQ(Number("open", "1").kind, Kind::kColumn);
  EXPECT_FALSE(registry_.fields().at("open").spec->multi());
  EXPECT_EQ(Number("open", "1", 1).kind, Kind::kColumn);
  EXPECT_TRUE(registry_.fields().at("open").spec->multi());
}

TEST_F(FieldResolverTest, AnObjectIsBadWhereTheFieldWasKnownBefore) {
  EXPECT_EQ(resolver_.Resolve({"one", "", InputValueKind::kObject, 0}).kind, Kind::kBad);
  EXPECT_EQ(resolver_.Resolve({"unknown", "", InputValueKind::kObject, 0}).kind, Kind::kNothing);
  EXPECT_EQ(Number("unknown", "1").kind, Kind::kColumn);
  EXPECT_EQ(resolver_.Resolve({"unknown", "", InputValueKind::kObject, 0}).kind, Kind::kNothing);
}

TEST_F(FieldResolverTest, EachBlockShowsTheRegistryTheFirstValueOfALateField) {
  EXPECT_EQ(Number("late", "1").kind, Kind::kColumn);
  FieldResolver other(&registry_);
  other.BeginBlock({}, 0);
  other.BeginDocument(9);
  EXPECT_EQ(other.Resolve({"late", "x", InputValueKind::kString, 0}).kind, Kind::kBad);
  EXPECT_FALSE(registry_.overflowed()) << "it comes behind";
  FieldResolver before(&registry_);
  before.BeginBlock({}, 0);
  before.BeginDocument(0);
  before.Resolve({"late", "x", InputValueKind::kString, 0});
  EXPECT_TRUE(registry_.overflowed());
}

TEST(FieldResolver, WithoutARegistryStringsAreText) {
  FieldResolver resolver(nullptr);
  EXPECT_EQ(resolver.Resolve({"a", "x", InputValueKind::kString, 0}).kind, Kind::kText);
  EXPECT_EQ(resolver.Resolve({"a", "1", InputValueKind::kNumber, 0}).kind, Kind::kNothing);
}

}  // namespace
}  // namespace pmdex
