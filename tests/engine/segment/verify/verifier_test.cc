#include "engine/segment/verify/verifier.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace verifier_test {

std::vector<Finding> VerifyBytes(std::vector<std::byte> bytes) {
  return VerifySegmentFile(std::make_unique<MemoryFile>(std::move(bytes)), "segment", std::nullopt,
                           {.max_findings = 3});
}

std::vector<std::byte> SmallSegment(VectorSegmentOptions options) {
  return SegmentBytes(*MakeSmallInput(options)).bytes();
}

TEST(Verifier, FindsNothingInSoundSegments) {
  for (const bool positions : {false, true}) {
    for (const bool stored_text : {false, true}) {
      const auto findings =
          VerifyBytes(SmallSegment({.positions = positions, .stored_text = stored_text}));
      for (const Finding& finding : findings) {
        ADD_FAILURE() << finding.section << " " << finding.offset << ": " << finding.what;
      }
    }
  }
}

TEST(Verifier, FindsEveryFlippedByte) {
  const std::vector<std::byte> sound = SmallSegment({.positions = true, .stored_text = true});
  std::mt19937_64 random(11);
  for (size_t i = 0; i < sound.size(); ++i) {
    std::vector<std::byte> damaged = sound;
    damaged[i] ^= static_cast<std::byte>(1 + random() % 255);
    ASSERT_FALSE(VerifyBytes(std::move(damaged)).empty()) << "byte " << i;
  }
}

TEST(Verifier, FindsEveryFlippedByteUnderFreshChecksums) {
  // Only structural checks can detect these changes. Leaves out values that no reader can know to
  // be wrong: names, ids and their ends, positions, and bounds that are greater than necessary.
  // Also leaves out the page checksums, which were computed again.
  const SegmentBytes sound(*MakeSmallInput({.positions = true}));
  SegmentBytes bytes = sound;
  const SectionKind free_kinds[] = {SectionKind::kDocIdBytes, SectionKind::kPositions,
                                    SectionKind::kPageChecksums};
  size_t checked = 0;
  size_t free_in_lines = 0;
  for (uint32_t i = 0; i < bytes.header().section_count; ++i) {
    const auto kind =
        reinterpret_cast<SectionEntry*>(bytes.bytes().data() + sizeof(FileHeader))[i].kind;
    if (std::count(std::begin(free_kinds), std::end(free_kinds), kind) > 0) continue;
    const size_t size = bytes.section(kind).size();
    for (size_t at = 0; at < size; ++at) {
      if (kind == SectionKind::kMeta && (at == 0 || at >= 64 + 2 * 64)) continue;
      SegmentBytes damaged = sound;
      damaged.section(kind)[at] ^= std::byte{0x01};
      damaged.Reseal();
      const auto findings = VerifyBytes(damaged.bytes());
      if (findings.empty() && kind == SectionKind::kBlockBounds) continue;
      if (findings.empty() && kind == SectionKind::kTermBlocks) {
        ++free_in_lines;
        continue;
      }
      if (findings.empty() && kind == SectionKind::kDictionaryEntries && at % 64 >= 56) continue;
      if (findings.empty() && kind == SectionKind::kDocEntries) continue;
      ASSERT_FALSE(findings.empty()) << ToString(kind) << " byte " << at;
      ++checked;
    }
  }
  EXPECT_GT(checked, 2000u);
  // The positions of rare terms are in their lines.
  size_t positions_in_lines = 0;
  const auto segment = sound.Open().value();
  for (FieldId field = 0; field < segment->fields().size(); ++field) {
    for (TermIterator terms(segment->dictionary(), field); terms.Next();) {
      const DictionaryEntry entry = terms.entry().value();
      if (entry.representation == Representation::kInlineWithPositions) {
        positions_in_lines += entry.cf;
      }
    }
  }
  EXPECT_GT(positions_in_lines, 0u);
  EXPECT_LE(free_in_lines, positions_in_lines);
}

TEST(Verifier, CollectsNoMoreThanItIsAsked) {
  SegmentBytes bytes(*MakeSmallInput({.positions = true}));
  for (std::byte& byte : bytes.section(SectionKind::kNorms)) byte ^= std::byte{1};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  EXPECT_EQ(VerifySegment(*segment, {.max_findings = 5}).size(), 5u);
  EXPECT_EQ(VerifySegment(*segment, {.max_findings = 1}).size(), 1u);
  const Finding finding = VerifySegment(*segment)[0];
  EXPECT_EQ(finding.file, "segment");
  EXPECT_EQ(finding.section, "dictionary entries");  // whose code lanes disagree first
}

TEST(Verifier, ReportsAFileThatDoesNotOpen) {
  const auto findings = VerifyBytes(std::vector<std::byte>(100));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].section, "header page");
}

TEST(Verifier, FindsEveryTruncationAndExtension) {
  const std::vector<std::byte> sound = SmallSegment({.positions = true, .stored_text = true});
  for (size_t size = 0; size < sound.size(); ++size) {
    ASSERT_FALSE(VerifyBytes({sound.begin(), sound.begin() + static_cast<ptrdiff_t>(size)}).empty())
        << size;
  }
  std::vector<std::byte> longer = sound;
  longer.resize(sound.size() + 1);
  EXPECT_FALSE(VerifyBytes(longer).empty());
}

}  // namespace verifier_test
}  // namespace pmdex
