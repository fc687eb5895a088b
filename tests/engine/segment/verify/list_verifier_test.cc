#include "engine/segment/verify/list_verifier.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace list_verifier_test {

// What the verifier says about the lists after a damage under fresh checksums.
std::string Findings(const std::function<void(SegmentBytes&)>& damage) {
  SegmentBytes bytes(*MakeSmallInput({.positions = true}));
  damage(bytes);
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  FindingList findings("segment", 100);
  ListVerifier lists(*segment, findings);
  for (FieldId field = 0; field < segment->fields().size(); ++field) {
    TermIterator terms(segment->dictionary(), field);
    while (terms.Next()) lists.Verify(terms.entry().value(), SectionKind::kTermBlocks, 0);
    lists.FinishField(field);
  }
  lists.Finish();
  std::string text;
  for (const Finding& finding : findings.Take()) text += finding.what + "\n";
  return text;
}

bool Says(const std::string& findings, std::string_view words) {
  return findings.find(words) != std::string::npos;
}

std::byte* ExtentOf(SegmentBytes& bytes, std::string_view term) {
  return bytes.section(SectionKind::kPostings).data() +
         bytes.term_entry(1, term).lanes.postings_offset;
}
// The extent of "common" in the body: 300 of 301 documents, bits and two blocks.
std::byte* Common(SegmentBytes& bytes) {
  return ExtentOf(bytes, "common");
}
// Documents 0, 7, ... 63, as a lane.
DocId* RareDocids(SegmentBytes& bytes) {
  return reinterpret_cast<DocId*>(ExtentOf(bytes, "rare-0"));
}

TEST(ListVerifier, FindsNothingInSoundLists) {
  EXPECT_EQ(Findings([](SegmentBytes&) {}), "");
}

TEST(ListVerifier, FindsDocidsOutOfOrder) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     DocId* docids = RareDocids(bytes);
                     std::swap(docids[7], docids[8]);
                   }),
                   "docids do not ascend"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) { RareDocids(bytes)[9] = 301; }),
                   "a docid beyond the last document"));
}

TEST(ListVerifier, FindsBitsAndRanksThatAreWrong) {
  // Document 5 becomes 300, which nothing else says; then 301, which there is not.
  const auto move_bit = [](SegmentBytes& bytes, DocId to) {
    auto* bits = reinterpret_cast<uint64_t*>(Common(bytes));
    bits[0] ^= uint64_t{1} << 5;
    bits[to / 64] ^= uint64_t{1} << (to % 64);
  };
  EXPECT_TRUE(Says(Findings([&](SegmentBytes& bytes) { move_bit(bytes, 300); }),
                   "a code differs from the norm"));
  EXPECT_EQ(Findings([&](SegmentBytes& bytes) { move_bit(bytes, 301); }).find("a docid beyond"),
            0u);
  EXPECT_TRUE(Says(Findings([&](SegmentBytes& bytes) { move_bit(bytes, 511); }),
                   "a docid beyond the last document"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) { Common(bytes)[3] ^= std::byte{16}; }),
                   "not as many bits as postings"));
  const PostingExtent extent = LayOutPostings(300, true, 301, true);
  for (const size_t rank : {0, 1}) {
    EXPECT_TRUE(Says(Findings([&](SegmentBytes& bytes) {
                       Common(bytes)[extent.ranks_offset + rank * 4] ^= std::byte{1};
                     }),
                     "ranks do not count the bits"));
  }
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.ranks_offset + 8] = std::byte{1}; }),
      "padding of a lane is not zero"));
}

TEST(ListVerifier, FindsLanesThatContradictTheRest) {
  const PostingExtent extent = LayOutPostings(300, true, 301, true);
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.codes_offset] ^= std::byte{1}; }),
      "a code differs from the norm"));
  // It has one posting, and its lane of frequencies begins behind 16 bytes of docids.
  EXPECT_TRUE(
      Says(Findings([](SegmentBytes& bytes) { ExtentOf(bytes, "escaped")[16] = std::byte{2}; }),
           "cf is not the sum of the frequencies"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.section(SectionKind::kUnitFreqs)[5] = std::byte{2};
                   }),
                   "a frequency is not 1"));
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.groups_offset] ^= std::byte{1}; }),
      "a position group does not begin where it should"));
  EXPECT_TRUE(Says(Findings([&](SegmentBytes& bytes) {
                     Common(bytes)[extent.codes_offset + 300] = std::byte{1};
                   }),
                   "padding of a lane is not zero"));
}

TEST(ListVerifier, FindsBoundsThatDoNotDominate) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.term_entry(1, "common").lanes.bounds = {{1, 0, 0, 0}, {200, 0, 0, 0}};
                   }),
                   "may score more than the bounds say"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<BoundPoints>(SectionKind::kBlockBounds, 2) = {};
                   }),
                   "posting 256 may score more than the bounds say"));
}

TEST(ListVerifier, FindsBestPointsThatTooFewPostingsReach) {
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    const std::string findings = Findings([kind](SegmentBytes& bytes) {
      bytes.at<BestPoints>(SectionKind::kBlockBounds, 0).tf[kind] += 2;
    });
    EXPECT_TRUE(Says(findings, kBestPointCounts[kind] > 300
                                   ? "a best point of more postings than there are"
                                   : "fewer postings reach a best point"))
        << kind;
  }
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<BestPoints>(SectionKind::kBlockBounds, 0).tf[1] = 0;
                   }),
                   "fewer postings reach a best point"));
  EXPECT_TRUE(Says(
      Findings([](SegmentBytes& bytes) { bytes.at<uint32_t>(SectionKind::kBlockLastDocs, 0) = 1; }),
      "a last docid where the best points are"));
}

TEST(ListVerifier, FindsWrongBlockLastDocs) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<uint32_t>(SectionKind::kBlockLastDocs, 2) -= 1;
                   }),
                   "not the last docid of its block"));
}

TEST(ListVerifier, FindsOverflowRunsThatAreWrong) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.term_entry(1, "escaped").lanes.overflow_start = kNoOverflow;
                   }),
                   "the overflow run does not have the posting"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<OverflowEntry>(SectionKind::kFreqOverflow, 1).position_entries += 1;
                   }),
                   "wrong number of position entries"));
}

TEST(ListVerifier, FindsListsThatOverlap) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.term_entry(1, "escaped").lanes.position_start = 0;
                   }),
                   "positions do not follow those of the term before"));
}

TEST(ListVerifier, FindsFieldStatisticsThatDoNotAddUp) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<FieldEntry>(SectionKind::kMeta, 2).doc_count -= 1;
                   }),
                   "the field's number of documents is wrong"));
}

}  // namespace list_verifier_test
}  // namespace pmdex
