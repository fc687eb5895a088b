// Reads the documents of many terms in batches: the lists of a batch are prefetched before the
// first of them is read. For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

// Prefetches from a section that is read forward, from one place to an unknown end. It asks for as
// many bytes as were read so far: a long read then seldom waits, and a short one fetches little in
// vain.
class ReadAhead {
 public:
  ReadAhead(const Segment& segment, SectionKind kind) : view_(segment.view()), kind_(kind) {}

  // To be told how far reading has come. at: in the section; not before the previous call's.
  void Reached(const std::byte* at);

 private:
  static constexpr uint64_t kNowhere = UINT64_MAX;

  const SegmentView& view_;
  const SectionKind kind_;
  uint64_t first_ = kNowhere;
  uint64_t next_ = 0;  // the next prefetch happens from this offset on
};

class ListBatch {
 public:
  // Gets a list that was located and, unless it is inline, not yet verified.
  using ReadList = absl::FunctionRef<absl::Status(const DocumentsView&)>;

  // are_neighbours: the lists lie close together, so that reading ahead pays. Everything must
  // outlive the batch.
  ListBatch(const Segment& segment, bool are_neighbours, DeadlineWatch& watch, ReadList read)
      : segment_(segment),
        are_neighbours_(are_neighbours),
        watch_(watch),
        read_(read),
        ahead_(segment, segment.view().extents()) {}

  // Reads the list now or in a later call.
  absl::Status Add(const DocumentsPlace& place);
  // Reads all that are left, unless the watch is over. To be called after the last Add.
  absl::Status Flush();

 private:
  static constexpr size_t kLists = 128;

  const Segment& segment_;
  const bool are_neighbours_;
  DeadlineWatch& watch_;
  ReadList read_;
  std::array<DocumentsView, kLists> lists_;
  size_t count_ = 0;
  ReadAhead ahead_;
};

}  // namespace pmdex
