// Which keywords of a column pass a test, such as -name. Each keyword is tested once, together with
// its neighbours, when a document that has it is first asked for. Not thread-safe. The column must
// outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "query/kernel/window_bits.h"
#include "tools/find/glob.h"

namespace pmdex {

// Removes the documents from `bits` whose keys are not in [low, high). keys: by document of the
// window.
void RetainKeys(std::span<const uint64_t> keys, uint64_t low, uint64_t high, WindowBits& bits);

class KeywordVerdicts {
 public:
  // Sets bit i of `holds` if keyword first + i of the run passes, for i < count.
  using Test =
      std::function<void(const KeywordRun& run, uint64_t first, size_t count, uint64_t* holds)>;

  // For tests of texts of which there are few.
  static KeywordVerdicts Of(const ColumnView& column, std::function<bool(std::string_view)> test);
  // Keywords that do not begin as the pattern does are not looked at. The pattern must outlive the
  // object. kDataLoss for damaged bytes.
  static absl::StatusOr<KeywordVerdicts> Of(const ColumnView& column, const Glob& pattern);

  // Removes the documents from `bits` whose keywords do not pass. keys: by document of the window.
  // Requires that these documents have a keyword. kDataLoss for damaged bytes.
  absl::Status Retain(std::span<const uint64_t> keys, WindowBits& bits);

 private:
  KeywordVerdicts(const ColumnView& column, Test test) : column_(&column), test_(std::move(test)) {}
  void SetRange(uint64_t low, uint64_t high);
  absl::Status TestThoseOf(std::span<const uint64_t> keys, const WindowBits& bits);
  // The keywords of the blocks [first, end).
  absl::Status TestBlocks(uint64_t first, uint64_t end);

  const ColumnView* column_;
  Test test_;
  // All keywords of [low_, high_) pass if there is no test; others fail.
  uint64_t low_ = 0;
  uint64_t high_ = 0;
  // A bit for each keyword: it passes. A block is a word of them.
  std::vector<uint64_t> holds_;
  std::vector<bool> is_tested_;  // by block
  uint64_t untested_ = 0;        // blocks
};

}  // namespace pmdex
