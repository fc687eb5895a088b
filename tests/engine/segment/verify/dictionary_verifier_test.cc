#include "engine/segment/verify/dictionary_verifier.h"

#include <algorithm>
#include <functional>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace dictionary_verifier_test {

// What the dictionary's verifier says after a damage under fresh checksums, in one string.
std::string Findings(const std::function<void(SegmentBytes&)>& damage) {
  SegmentBytes bytes(*MakeSmallInput({.positions = true}));
  damage(bytes);
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  FindingList findings("segment", 100);
  VerifyDictionary(*segment, findings);
  std::string text;
  for (const Finding& finding : findings.Take()) text += finding.what + "\n";
  return text;
}

bool Says(const std::string& findings, std::string_view words) {
  return findings.find(words) != std::string::npos;
}

TEST(DictionaryVerifier, FindsNothingInASoundDictionary) {
  EXPECT_EQ(Findings([](SegmentBytes&) {}), "");
}

TEST(DictionaryVerifier, FindsEntriesOutOfReach) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    // Moves a term into the last bucket, which was empty. The search for it ends at another empty
    // bucket before.
    DictionaryEntry& entry = bytes.term_entry(1, "common");
    const size_t count =
        bytes.section(SectionKind::kDictionaryEntries).size() / sizeof(DictionaryEntry);
    std::swap(entry, bytes.at<DictionaryEntry>(SectionKind::kDictionaryEntries, count - 1));
  });
  EXPECT_TRUE(Says(findings, "does not reach the bucket"));
  EXPECT_TRUE(Says(findings, "the last bucket is not empty"));
  EXPECT_TRUE(Says(findings, "the entry holds another term"));
}

TEST(DictionaryVerifier, FindsATermTwice) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    const DictionaryEntry copy = bytes.term_entry(1, "common");
    const size_t count =
        bytes.section(SectionKind::kDictionaryEntries).size() / sizeof(DictionaryEntry);
    for (size_t i = 0; i < count; ++i) {
      DictionaryEntry& entry = bytes.at<DictionaryEntry>(SectionKind::kDictionaryEntries, i);
      if (entry.representation != Representation::kEmpty) continue;
      entry = copy;
      return;
    }
  });
  EXPECT_TRUE(Says(findings, "entries that the ordered terms do not name"));
}

TEST(DictionaryVerifier, FindsWrongBucketNumbers) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    const auto blocks = bytes.section(SectionKind::kTermBlocks);
    blocks[4] ^= std::byte{1};  // the first term is "a": two bytes, one byte, its form, its bucket
  });
  EXPECT_TRUE(Says(findings, "the entry holds another term"));
}

TEST(DictionaryVerifier, FindsPlacesThatTheEntriesDoNotName) {
  for (const char* term : {"common", "escaped", "rare-0"}) {
    for (size_t i = 1 + sizeof(uint32_t); i < kExtentRestBytes; ++i) {
      const std::string findings =
          Findings([&](SegmentBytes& bytes) { bytes.line_rest(1, term)[i] ^= std::byte{1}; });
      EXPECT_TRUE(Says(findings, "not what the entry says")) << term << " " << i;
    }
  }
}

TEST(DictionaryVerifier, FindsEveryChangeOfTheLineOfARareTerm) {
  SegmentBytes sound(*MakeSmallInput({.positions = true}));
  for (const char* term : {"rare-4", "another term that is longer than its entry"}) {
    // Nothing else says where the three documents of the first term have it.
    const size_t positions = term == std::string("rare-4") ? 3 : 0;
    for (size_t i = 0; i < sound.line_rest(1, term).size() - positions; ++i) {
      const std::string findings =
          Findings([&](SegmentBytes& bytes) { bytes.line_rest(1, term)[i] ^= std::byte{1}; });
      EXPECT_NE(findings, "") << term << " " << i;
    }
  }
}

TEST(DictionaryVerifier, FindsWrongSignatures) {
  const size_t blocks = SegmentBytes(*MakeSmallInput({.positions = true}))
                            .section(SectionKind::kTermSignatures)
                            .size() /
                        sizeof(BlockSignatures);
  ASSERT_GT(blocks, 1u);
  for (size_t i = 0; i < blocks * kTermsPerBlock; ++i) {
    const std::string findings = Findings([&](SegmentBytes& bytes) {
      bytes.at<TermSignature>(SectionKind::kTermSignatures, i) ^= 1u << (i % 32);
    });
    EXPECT_TRUE(Says(findings, "not the signature of the term") ||
                Says(findings, "a signature without a term"))
        << i;
  }
  EXPECT_EQ(Findings([](SegmentBytes& bytes) {
              bytes.entry(SectionKind::kTermSignatures).kind = SectionKind{63};
            }),
            "");
}

TEST(DictionaryVerifier, FindsRareTermsOutOfReach) {
  const auto slots = [](SegmentBytes& bytes) {
    const auto section = bytes.section(SectionKind::kRareTermSlots);
    return std::span(reinterpret_cast<RareTermSlot*>(section.data()),
                     section.size() / sizeof(RareTermSlot));
  };
  const auto used = [](RareTermSlot slot) { return slot != 0; };
  for (const int bit : {0, kRareBlockBits, kRareFingerprintShift, 63}) {
    const std::string findings = Findings([&](SegmentBytes& bytes) {
      const auto all = slots(bytes);
      *std::find_if(all.begin(), all.end(), used) ^= RareTermSlot{1} << bit;
    });
    EXPECT_TRUE(Says(findings, "does not find it")) << bit;
  }
  const std::string moved = Findings([&](SegmentBytes& bytes) {
    const auto all = slots(bytes);
    std::swap(*std::find_if(all.begin(), all.end(), used), all.back());
  });
  EXPECT_TRUE(Says(moved, "a slot behind a free one"));
  const std::string twice = Findings([&](SegmentBytes& bytes) {
    const auto all = slots(bytes);
    *std::find(all.begin(), all.end(), RareTermSlot{0}) = 1;
  });
  EXPECT_TRUE(Says(twice, "not as many slots in use as rare terms"));
}

TEST(DictionaryVerifier, FindsWrongHashesOfLongTerms) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    bytes.term_entry(1, "a frequent term that is longer than its entry").key[0] ^= 1;
  });
  EXPECT_TRUE(Says(findings, "the key is not that of the term"));
}

TEST(DictionaryVerifier, FindsBlocksOutOfStep) {
  const std::string findings = Findings(
      [](SegmentBytes& bytes) { bytes.at<uint64_t>(SectionKind::kTermBlockStarts, 1) += 1; });
  EXPECT_TRUE(Says(findings, "bytes after the block") ||
              Says(findings, "not as many bytes as it says"));
}

}  // namespace dictionary_verifier_test
}  // namespace pmdex
