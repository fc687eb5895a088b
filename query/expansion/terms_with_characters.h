// Iterates over the terms of one field of one segment that begin with a prefix and may contain some
// characters, in byte order. The signatures of terms (term_signature.h) rule the others out, so
// that few terms are read from their blocks: those of a wildcard such as `*irq*`.
//
// For one thread. The dictionary and the watch must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/dictionary/term_signature.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/numbered_terms.h"

namespace pmdex {

class TermsWithCharacters {
 public:
  // classes: ClassesOf the characters. True if signatures rule out terms that begin with the
  // prefix.
  static bool IsUseful(const TermDictionary& dictionary, std::string_view prefix,
                       TermSignature classes);

  // Requires a dictionary that has signatures.
  TermsWithCharacters(const TermDictionary& dictionary, FieldId field, std::string_view prefix,
                      TermSignature classes, DeadlineWatch& watch);

  // Moves to the next term that begins with the prefix and may contain all the characters; the
  // first call moves to the first one. Returns false at the end, if the dictionary is damaged (see
  // status), and once the watch is over.
  bool Next();
  // Stands on the term. Valid after Next returned true, until the next call.
  const TermIterator& terms() const { return terms_.terms(); }
  const absl::Status& status() const { return status_; }

 private:
  bool ScanMore();

  const TermDictionary& dictionary_;
  const FieldId field_;
  const std::string prefix_;
  const TermSignature classes_;
  DeadlineWatch& watch_;
  NumberedTerms terms_;
  BlockRange left_;                // the blocks that were not scanned yet
  std::vector<uint32_t> numbers_;  // of the terms found in the last ones
  size_t next_ = 0;                // in numbers_
  absl::Status status_;
};

}  // namespace pmdex
