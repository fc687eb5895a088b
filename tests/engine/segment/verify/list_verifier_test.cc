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
    while (terms.Next()) lists.Verify(*terms.entry().value());
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
  const PostingExtent extent = LayOutPostings(300, 301, true);
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
  const PostingExtent extent = LayOutPostings(300, 301, true);
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.codes_offset] ^= std::byte{1}; }),
      "a code differs from the norm"));
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.freqs_offset] = std::byte{2}; }),
      "cf is not the sum of the frequencies"));
  EXPECT_TRUE(Says(
      Findings([&](SegmentBytes& bytes) { Common(bytes)[extent.groups_offset] ^= std::byte{1}; }),
      "a position group does not begin where it should"));
  EXPECT_TRUE(Says(Findings([&](SegmentBytes& bytes) {
                     Common(bytes)[extent.freqs_offset + 300] = std::byte{1};
                   }),
                   "padding of a lane is not zero"));
}

TEST(ListVerifier, FindsBoundsThatDoNotDominate) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.term_entry(1, "common").lanes.bounds = {{1, 0, 0, 0}, {200, 0, 0, 0}};
                   }),
                   "may score more than the bounds say"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<BoundPoints>(SectionKind::kBlockBounds, 1) = {};
                   }),
                   "posting 256 may score more than the bounds say"));
}

TEST(ListVerifier, FindsWrongBlockLastDocs) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<uint32_t>(SectionKind::kBlockLastDocs, 1) -= 1;
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
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<DocEntry>(SectionKind::kDocEntries, 5).token_count += 1;
                   }),
                   "not the tokens that the postings add up to"));
}

}  // namespace list_verifier_test
}  // namespace pmdex
