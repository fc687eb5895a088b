// Verifies the units of a compressed segment: that each has the right check and follows the one
// before, the places of blocks, and all padding. Whether the postings in them are right is for
// ListVerifier. Part of verifier.h. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"

namespace pmdex {

class UnitVerifier {
 public:
  // segment: from Segment::WithoutPageChecks. Both must outlive the verifier.
  UnitVerifier(const Segment& segment, FindingList& findings)
      : segment_(segment), findings_(findings) {}

  // Verifies the extent of the next list, which was read without an error. position_entries: how
  // many its postings have.
  void VerifyList(const DictionaryEntry& entry, const PostingListView& list,
                  uint64_t position_entries);
  // Verifies the units of positions, and what lies behind the last extent. entries: of positions,
  // how many all lists have. Call it after the last list.
  void Finish(uint64_t entries);

 private:
  void VerifyUnits(const PostingListView& list, std::span<const UnitPlace> places, uint64_t begin);
  void ExpectPlace(const UnitPlace& place, const UnitPlace& expected);
  void VerifyPositionUnits(uint64_t entries);
  void VerifyPositionUnit(std::span<const std::byte> bytes, uint64_t offset, uint64_t count);
  void VerifyTail(SectionKind kind, uint64_t end);
  bool Expect(bool condition, SectionKind kind, uint64_t offset, std::string_view what) {
    return findings_.Check(condition, kind, offset, what);
  }

  const Segment& segment_;
  FindingList& findings_;
  uint64_t end_ = 0;  // of the extents so far
};

}  // namespace pmdex
