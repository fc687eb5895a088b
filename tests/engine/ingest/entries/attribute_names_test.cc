#include "engine/ingest/entries/attribute_names.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace attribute_names_test {

TEST(AttributeNames, NoAttributeIsText) {
  for (const auto& [name, spec] : AttributeSpecs()) {
    EXPECT_NE(spec.type, FieldType::kText) << name;
    EXPECT_EQ(spec.values, Multiplicity::kOne) << name;
  }
  EXPECT_EQ(AttributeSpecs().at("path").type, FieldType::kKeyword);
  EXPECT_EQ(AttributeSpecs().at("inode").type, FieldType::kU64);
  EXPECT_EQ(AttributeSpecs().at("mtime").type, FieldType::kDate);
}

}  // namespace attribute_names_test
}  // namespace pmdex
