#include "engine/segment/verify/unit_verifier.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "engine/segment/verify/verifier.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace unit_verifier_test {

// Whether VerifySegment, which uses a UnitVerifier, reports something in this section.
bool IsFound(const SegmentBytes& bytes, SectionKind kind) {
  const auto segment = bytes.Open();
  if (!segment.ok()) return false;
  for (const Finding& finding : VerifySegment(**segment)) {
    if (finding.section == ToString(kind)) return true;
  }
  return false;
}

// Changes bytes and computes all checksums but those of units again.
TEST(UnitVerifier, FindsWhatIsWrongInUnitsAndTheirPlaces) {
  const auto raw = SegmentBytes(*MakeSmallInput({.positions = true})).Open().value();
  const SegmentBytes sound(*CompressSegment(*raw));
  for (const SectionKind kind : {SectionKind::kCompressedUnits, SectionKind::kUnitPlaces,
                                 SectionKind::kPositionUnits, SectionKind::kPositionUnitStarts}) {
    ASSERT_FALSE(IsFound(sound, kind));
    SegmentBytes bytes = sound;
    const size_t size = bytes.section(kind).size();
    ASSERT_GT(size, 0u) << ToString(kind);
    size_t found = 0;
    for (size_t at = 0; at < size; ++at) {
      bytes.section(kind)[at] ^= std::byte{1};
      bytes.Reseal();
      const auto segment = bytes.Open();
      found += segment.ok() && !VerifySegment(**segment).empty() ? 1 : 0;
      bytes.section(kind)[at] ^= std::byte{1};
    }
    EXPECT_EQ(found, size) << ToString(kind);
    bytes.section(kind)[size - 1] ^= std::byte{1};
    bytes.Reseal();
    EXPECT_TRUE(IsFound(bytes, kind)) << ToString(kind);
  }
}

}  // namespace unit_verifier_test
}  // namespace pmdex
