#include "engine/segment/list_verifier.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace {

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
    while (terms.Next()) lists.Verify(*terms.slot().value());
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

// The extent of "common" in the body: the only list of two blocks.
std::byte* Common(SegmentBytes& bytes) {
  return bytes.section(SectionKind::kPostings).data() +
         bytes.slot(1, "common").lanes.postings_offset;
}

TEST(ListVerifier, FindsNothingInSoundLists) {
  EXPECT_EQ(Findings([](SegmentBytes&) {}), "");
}

TEST(ListVerifier, FindsDocidsOutOfOrder) {
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     auto* docids = reinterpret_cast<DocId*>(Common(bytes));
                     std::swap(docids[7], docids[8]);
                   }),
                   "docids do not ascend"));
  EXPECT_TRUE(Says(
      Findings([](SegmentBytes& bytes) { reinterpret_cast<DocId*>(Common(bytes))[299] = 301; }),
      "a docid beyond the last document"));
}

TEST(ListVerifier, FindsLanesThatContradictTheRest) {
  const PostingExtent extent = LayOutPostings(300, true);
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
                     bytes.slot(1, "common").lanes.bounds = {{1, 0, 0, 0}, {200, 0, 0, 0}};
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
                     bytes.slot(1, "escaped").lanes.overflow_start = kNoOverflow;
                   }),
                   "the overflow run does not have the posting"));
  EXPECT_TRUE(Says(Findings([](SegmentBytes& bytes) {
                     bytes.at<OverflowEntry>(SectionKind::kFreqOverflow, 1).position_entries += 1;
                   }),
                   "wrong number of position entries"));
}

TEST(ListVerifier, FindsListsThatOverlap) {
  EXPECT_TRUE(
      Says(Findings([](SegmentBytes& bytes) { bytes.slot(1, "escaped").lanes.position_start = 0; }),
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

}  // namespace
}  // namespace pmdex
