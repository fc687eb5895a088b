// Evaluates an expression of `pmdex find` on the entries of one segment, and writes what its
// actions print. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"

#include "query/files/entry_reader.h"
#include "tools/find/entry_listing.h"
#include "tools/find/find_expression.h"

namespace pmdex {

// The paths of directories that have entries, without a slash at the end.
using FilledDirectories = absl::flat_hash_set<std::string>;

class FindEvaluator {
 public:
  // filled: for -empty. is_terminal: -print replaces control characters, as find does there.
  FindEvaluator(const FilledDirectories& filled, int64_t now_ns, bool is_terminal)
      : filled_(filled), listing_(now_ns), is_terminal_(is_terminal) {}

  // Evaluates the expression for the entry that the reader is at. shown: its path as it is written.
  void Evaluate(const FindNode& expression, EntryReader& reader, std::string_view shown) {
    Holds(expression, reader, shown);
  }
  // What was printed; the caller empties it.
  std::string& output() { return output_; }

 private:
  bool Holds(const FindNode& node, EntryReader& reader, std::string_view shown);
  bool IsEmpty(EntryReader& reader) const;
  static bool HoldsTime(const FindNode& node, EntryReader& reader);
  static bool HoldsAccount(const FindNode& node, EntryReader& reader);
  void Print(std::string_view shown);

  const FilledDirectories& filled_;
  EntryListing listing_;
  const bool is_terminal_;
  std::string output_;
};

}  // namespace pmdex
