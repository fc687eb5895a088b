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
  EXPECT_TRUE(Says(findings, "not as many terms as buckets in use"));
  EXPECT_TRUE(Says(findings, "entries that the ordered terms do not name"));
}

TEST(DictionaryVerifier, FindsWrongBucketNumbers) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    const auto blocks = bytes.section(SectionKind::kTermBlocks);
    blocks[3] ^= std::byte{1};  // the first term is "a": two bytes, one byte, its entry
  });
  EXPECT_TRUE(Says(findings, "the entry holds another term"));
}

TEST(DictionaryVerifier, FindsPlacesThatTheEntriesDoNotName) {
  for (const char* term : {"common", "escaped", "rare-0", "rare-4"}) {
    SegmentBytes sound(*MakeSmallInput({.positions = true}));
    const size_t size_bytes = DocumentsPlaceBytes(*sound.documents_place(1, term));
    for (size_t i = 0; i < size_bytes; ++i) {
      const std::string findings =
          Findings([&](SegmentBytes& bytes) { bytes.documents_place(1, term)[i] ^= std::byte{1}; });
      EXPECT_TRUE(Says(findings, "not what the entry says")) << term << " " << i;
    }
  }
}

TEST(DictionaryVerifier, FindsWrongHashesOfLongTerms) {
  const std::string findings = Findings([](SegmentBytes& bytes) {
    bytes.term_entry(1, "a term that is longer than its entry").key[0] ^= 1;
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
