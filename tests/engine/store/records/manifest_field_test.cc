#include "engine/store/records/manifest_field.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace pmdex {
namespace {

TEST(ManifestField, EveryTypeComesBackAsItWasEncoded) {
  for (const FieldType type : kAllFieldTypes) {
    for (const auto values : {Multiplicity::kOpen, Multiplicity::kOne, Multiplicity::kMany}) {
      FieldSpecs fields;
      EXPECT_TRUE(DecodeField(EncodeField("a.b", {type, values}), fields));
      EXPECT_EQ(fields, (FieldSpecs{{"a.b", {type, values}}}));
    }
  }
}

TEST(ManifestField, RefusesWhatIsNoField) {
  FieldSpecs fields;
  const std::vector<std::byte> good = EncodeField("n", FieldSpec());
  EXPECT_FALSE(DecodeField(std::span(good).first(1), fields));
  for (size_t i = 0; i < 2; ++i) {
    std::vector<std::byte> bad = good;
    bad[i] = std::byte{7};
    EXPECT_FALSE(DecodeField(bad, fields));
  }
  EXPECT_TRUE(DecodeField(good, fields));
  EXPECT_FALSE(DecodeField(good, fields)) << "a field that is listed twice";
}

}  // namespace
}  // namespace pmdex
