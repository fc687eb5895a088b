// SIGBUS becomes a Status. A load or store in a registered range that the medium cannot serve
// (poison, a bad block, a file truncated under its mapping, a hole on a full file system) does not
// end the process: the signal handler notes the first such fault of the range, puts zeros in the
// place of the lost pages, and the instruction goes on. Nothing is unwound, so destructors and
// locks are safe. Whoever computed from the bytes asks first_fault() afterwards and drops the
// result.
//
// The bytes of a range may thus turn to zero at any moment: a reader must be safe whatever they
// hold, and safe when a second look at the same place sees 0. A SIGBUS at any other address goes to
// whatever handled it before the first registration; by default the process dies of it. Handlers
// that others install later replace this one.
//
// Thread-safe: ranges may be made and destroyed while other threads fault in theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pmem/mapping.h"

namespace pmdex {

enum class FaultKind {
  kNothingBehind,  // BUS_ADRERR: beyond the end of the file, a hole, or a block known to be bad
  kPoison,         // BUS_MCEERR_*: the medium gave the bytes up just now
  kOther,          // BUS_OBJERR
};

struct MediumFault {
  uint64_t offset = 0;  // in the range; of the byte that was touched
  FaultKind kind = FaultKind::kOther;
};

// A range that is registered for as long as the object lives. The range must be a mapping. It must
// stay mapped until the destructor has returned, and must then be unmapped with munmap or
// MAP_FIXED.
class GuardedRange {
 public:
  // Requires that bytes begins at a page. The last page is guarded as a whole.
  GuardedRange(std::span<const std::byte> bytes, MapAccess access);
  ~GuardedRange();
  GuardedRange(const GuardedRange&) = delete;
  GuardedRange& operator=(const GuardedRange&) = delete;

  // The first fault of the range. Costs one load, so callers can ask after every use of the bytes.
  std::optional<MediumFault> first_fault() const;
  bool has_fault() const;  // the same, without what the fault is

  struct Record;  // what the signal handler reads

 private:
  Record* const record_;
};

}  // namespace pmdex
