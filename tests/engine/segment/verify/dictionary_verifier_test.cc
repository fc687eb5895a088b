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

TEST(DictionaryVerifier, FindsSlotsOutOfReach) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    // The last slot is empty: a term moved there lies beyond the empty slot that ends its probe.
    TermSlot& slot = bytes.slot(1, "common");
    const size_t count = bytes.section(SectionKind::kTermSlots).size() / sizeof(TermSlot);
    std::swap(slot, bytes.at<TermSlot>(SectionKind::kTermSlots, count - 1));
  });
  EXPECT_TRUE(Says(findings, "does not reach the slot"));
  EXPECT_TRUE(Says(findings, "the last slot is not empty"));
  EXPECT_TRUE(Says(findings, "the slot holds another term"));
}

TEST(DictionaryVerifier, FindsATermTwice) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    const TermSlot copy = bytes.slot(1, "common");
    const size_t count = bytes.section(SectionKind::kTermSlots).size() / sizeof(TermSlot);
    for (size_t i = 0; i < count; ++i) {
      TermSlot& slot = bytes.at<TermSlot>(SectionKind::kTermSlots, i);
      if (slot.representation != Representation::kEmpty) continue;
      slot = copy;
      return;
    }
  });
  EXPECT_TRUE(Says(findings, "not as many terms as slots in use"));
  EXPECT_TRUE(Says(findings, "slots that the ordered terms do not name"));
}

TEST(DictionaryVerifier, FindsWrongSlotNumbers) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    const auto blocks = bytes.section(SectionKind::kTermBlocks);
    blocks[3] ^= std::byte{1};  // the first term is "a": two bytes, one byte, its slot
  });
  EXPECT_TRUE(Says(findings, "the slot holds another term"));
}

TEST(DictionaryVerifier, FindsPlacesThatTheSlotsDoNotName) {
  for (const char* term : {"common", "escaped", "rare-0", "rare-4"}) {
    SegmentBytes sound(*MakeSmallInput({.positions = true}));
    const size_t size_bytes = DocumentsPlaceBytes(*sound.documents_place(1, term));
    for (size_t i = 0; i < size_bytes; ++i) {
      const std::string findings =
          Findings([&](SegmentBytes& bytes) { bytes.documents_place(1, term)[i] ^= std::byte{1}; });
      EXPECT_TRUE(Says(findings, "not what the slot says")) << term << " " << i;
    }
  }
}

TEST(DictionaryVerifier, FindsWrongHashesOfLongTerms) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    bytes.slot(1, "a term that is longer than its slot").key[0] ^= 1;
  });
  EXPECT_TRUE(Says(findings, "the key is not that of the term"));
}

TEST(DictionaryVerifier, FindsBlocksOutOfStep) {
  const std::string findings = Findings(
      [](SegmentBytes& bytes) { bytes.at<uint64_t>(SectionKind::kTermBlockStarts, 1) += 1; });
  EXPECT_TRUE(Says(findings, "bytes after the block"));
}

}  // namespace dictionary_verifier_test
}  // namespace pmdex
