// Writes posting lists as units to kCompressedUnits, and the places of their blocks for
// kUnitPlaces. The places of all lists stay in DRAM, because their section follows later. Belongs
// to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"

namespace pmdex {

class UnitWriter {
 public:
  // blocks: the number of elements of kBlockLastDocs.
  UnitWriter(SectionStream& units, uint64_t blocks) : units_(units) { places_.reserve(blocks); }

  // Writes a list that is not inline, with all its parts but positions. Returns where its extent
  // begins, or kDataLoss if its values cannot be encoded.
  absl::StatusOr<uint64_t> Write(const PostingListView& list);
  // Ends the section.
  void Finish() { units_.PadTo(units_.size_bytes() + kUnitTailBytes); }
  std::span<const UnitPlace> places() const { return places_; }

 private:
  absl::Status WriteUnits(const PostingListView& list);

  SectionStream& units_;
  std::vector<UnitPlace> places_;
};

}  // namespace pmdex
