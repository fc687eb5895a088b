// Evaluates an expression of `pmdex find` on the entries of one window of documents at a time, and
// writes what its actions print, in the order in which find(1) prints it for each entry. A test of
// a keyword, such as -name, looks at each keyword of a segment at most once. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
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
#include "tools/find/keyword_verdicts.h"
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
  // The entries of `within` for which the node holds. Actions are only noted.
  WindowBits Holds(const FindNode& node, const WindowBits& within);
  WindowBits HoldsTest(const FindNode& node, const WindowBits& within);
  // make: makes the verdicts of the node for a column.
  template <typename Make>
  WindowBits HoldsKeyword(const FindNode& node, FileAttribute attribute, const WindowBits& within,
                          Make make);
  template <typename Test>
  static WindowBits HoldsEntry(const WindowBits& within, Test test);
  WindowBits HoldsText(const FindNode& node, FileAttribute attribute, const WindowBits& within,
                       std::function<bool(std::string_view)> test);
  WindowBits HoldsGlob(const FindNode& node, FileAttribute attribute, const WindowBits& within);
  WindowBits HoldsName(const FindNode& node, const WindowBits& within);
  WindowBits HoldsPath(const FindNode& node, const WindowBits& within);
  WindowBits HoldsNumber(const FindNode& node, const WindowBits& within);
  bool HasNoEntries(uint32_t i);
  // The path of entry i as it is stored, and what is behind the starting point in it.
  std::string_view PathOf(uint32_t i);
  std::string_view BelowOf(uint32_t i) {
    return point_->Below(PathOf(i)).value_or(std::string_view());
  }
  bool IsRoot(uint32_t i);
  // The path of entry i as it is written, appended to `text`.
  void AppendShown(uint32_t i, std::string& text);
  // The same, valid until the next call.
  std::string_view ShownOf(uint32_t i);
  void RetainDepths(WindowBits& entries);
  void Act();
  void PrintAll(const WindowBits& entries, char end);
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
  std::string shown_prefix_;  // what is written in the place of the root and the slash behind it
  size_t stored_prefix_bytes_ = 0;  // of these two in a path of the index
  const EntryWindow* window_ = nullptr;
  AttributeColumn* paths_ = nullptr;  // of the window
  bool are_shown_as_stored_ = false;  // paths are written as the index has them
  size_t segment_ = SIZE_MAX;         // of verdicts_
  absl::flat_hash_map<const FindNode*, KeywordVerdicts> verdicts_;
  std::vector<Action> actions_;          // in the order of the expression
  std::vector<std::string_view> lines_;  // of PrintAll
  std::string shown_;
  std::string output_;
  absl::Status status_;
};

}  // namespace pmdex
