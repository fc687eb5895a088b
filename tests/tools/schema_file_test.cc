#include "tools/schema_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

namespace pmdex {
namespace {

std::string ErrorOf(std::string_view text) {
  return std::string(ParseSchema(text).status().message());
}

TEST(SchemaFile, FieldsHaveATypeAndMayTakeSeveralValues) {
  const auto good = ParseSchema(
      "[fields.size]\ntype = \"i64\"\nmulti = false\n"
      "[fields.tags]\ntype = \"keyword\"\nmulti = true\n"
      "[fields.\"a.b\"]\ntype = \"date\"\n"
      "[fields.c.d]\ntype = \"bool\"\n[fields.c.e.f]\ntype = \"text\"\n");
  ASSERT_TRUE(good.ok()) << good.status();
  const FieldSpecs expected = {{"size", {FieldType::kI64, Multiplicity::kOne}},
                               {"tags", {FieldType::kKeyword, Multiplicity::kMany}},
                               {"a.b", {FieldType::kDate, Multiplicity::kOpen}},
                               {"c.d", {FieldType::kBool, Multiplicity::kOpen}},
                               {"c.e.f", {FieldType::kText, Multiplicity::kOpen}}};
  EXPECT_EQ(*good, expected);
  EXPECT_TRUE(ParseSchema("")->empty());
  EXPECT_TRUE(ParseSchema("[fields]\n")->empty());
  EXPECT_FALSE(ParseSchema("[fields.a]\ntype = \"i64\"\n[fields.a]\ntype = \"i64\"\n").ok());
}

TEST(SchemaFile, ErrorsPointAtTheLineAndTheColumn) {
  EXPECT_TRUE(ErrorOf("[fields.a]\ntype = \"int\"\n").starts_with("line 2, column 8: a type is"));
  EXPECT_TRUE(ErrorOf("[fields.a]\ntype = 5\n").starts_with("line 2, column 8: a type is"));
  EXPECT_TRUE(ErrorOf("[fields.a]\ntype = \"i64\"\nmulti = 1\n")
                  .starts_with("line 3, column 9: multi is true or false"));
  EXPECT_TRUE(ErrorOf("[fields.a]\ntype = \"i64\"\nmutli = true\n")
                  .starts_with("line 3, column 1: field a has no setting 'mutli'"));
  EXPECT_TRUE(ErrorOf("[fields.a]\nmulti = true\n").find("has no type") != std::string::npos);
  EXPECT_TRUE(ErrorOf("[fields.a]\n").find("field a has no type") != std::string::npos);
  EXPECT_TRUE(ErrorOf("\nx = 1\n").starts_with("line 2, column 1: a schema has tables"));
  EXPECT_TRUE(ErrorOf("[fields]\na = \"i64\"\n").find("needs a table") != std::string::npos);
  EXPECT_TRUE(ErrorOf("[fields.a\n").starts_with("line 1, column "));
  EXPECT_TRUE(ErrorOf("x\n# caf\xc3\xa9").starts_with("line 2, column 6: a letter beyond ASCII"));
  EXPECT_FALSE(ParseSchema("[[[").ok());
  EXPECT_TRUE(ErrorOf("[fields._other]\ntype = \"i64\"\n").find("no field may") !=
              std::string::npos);
}

TEST(SchemaFile, ErrorsNameTheFile) {
  const std::string path = testing::TempDir() + "/schema-file-test.toml";
  std::ofstream(path) << "[fields.a]\ntype = \"u64\"\n";
  EXPECT_EQ(ReadSchemaFile(path)->at("a").type, FieldType::kU64);
  std::ofstream(path) << "x";
  EXPECT_TRUE(std::string(ReadSchemaFile(path).status().message()).starts_with(path + ": line 1"));
  EXPECT_TRUE(absl::IsNotFound(ReadSchemaFile(path + ".missing").status()));
}

}  // namespace
}  // namespace pmdex
