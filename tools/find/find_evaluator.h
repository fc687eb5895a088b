// Evaluates an expression of `pmdex find` on the entries of one window of documents at a time, and
// writes what its actions print, in the order in which find(1) prints it for each entry. A test of
// a keyword, such as -name, looks at each keyword of a segment once. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "pmem/status.h"
#include "query/files/entry_reader.h"
#include "query/kernel/window_bits.h"
#include "tools/find/entry_listing.h"
#include "tools/find/filled_directories.h"
#include "tools/find/find_expression.h"
#include "tools/find/index_entries.h"
#include "tools/find/starting_points.h"

namespace pmdex {

class FindEvaluator {
 public:
  // filled: for -empty. is_terminal: -print replaces control characters, as find does there. All
  // references must outlive the evaluator.
  FindEvaluator(const FindCommand& command, const IndexEntries& entries,
                const FilledDirectories& filled, int64_t now_ns, bool is_terminal)
      : command_(command),
        index_(entries),
        filled_(filled),
        listing_(now_ns),
        is_terminal_(is_terminal) {}

  // The entries that follow lie at or below this point, which must outlive them.
  void Begin(const StartingPoint& point);
  // Evaluates the expression for some entries.
  void Evaluate(const EntryWindow& entries);
  // What was printed; the caller empties it.
  std::string& output() { return output_; }
  // kDataLoss once a value could not be read.
  const absl::Status& status() const { return status_; }

 private:
  // An action and the entries that it is for.
  struct Action {
    FindTest action;
    WindowBits entries;
  };
  // Of the keywords of a segment, by ordinal: whether a test holds.
  enum class Verdict : uint8_t { kUnknown, kHolds, kFails };
  using Verdicts = std::vector<Verdict>;

  // The entries of `within` for which the node holds. Actions are only noted.
  WindowBits Holds(const FindNode& node, const WindowBits& within);
  WindowBits HoldsTest(const FindNode& node, const WindowBits& within);
  template <typename Test>
  WindowBits HoldsKeyword(const FindNode& node, FileAttribute attribute, const WindowBits& within,
                          Test test);
  template <typename Test>
  static WindowBits HoldsEntry(const WindowBits& within, Test test);
  WindowBits HoldsName(const FindNode& node, const WindowBits& within);
  WindowBits HoldsNumber(const FindNode& node, const WindowBits& within);
  bool HasNoEntries(uint32_t i);
  // What is behind the starting point in the path of entry i, and the path as it is written, which
  // is valid until the next call.
  std::string_view BelowOf(uint32_t i);
  std::string_view ShownOf(uint32_t i);
  void RetainDepths(WindowBits& entries);
  void Act();
  void Act(FindTest action, std::string_view shown);
  void EndPrinted(FindTest action, size_t begin);

  const FindCommand& command_;
  const IndexEntries& index_;
  const FilledDirectories& filled_;
  EntryListing listing_;
  const bool is_terminal_;
  const StartingPoint* point_ = nullptr;
  // The starting point has another name than its entry in the index.
  bool is_renamed_ = false;
  const EntryWindow* window_ = nullptr;
  size_t segment_ = SIZE_MAX;  // of verdicts_
  absl::flat_hash_map<const FindNode*, Verdicts> verdicts_;
  std::vector<Action> actions_;  // in the order of the expression
  std::string shown_;
  std::string output_;
  absl::Status status_;
};

}  // namespace pmdex
