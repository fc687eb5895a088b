#include "tools/find/keyword_verdicts.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace pmdex {
namespace {

constexpr uint64_t kBlockKeywords = 64;
// Where many documents are asked for, their keywords are read in longer runs: each run is a call of
// the test and one of the medium.
constexpr uint64_t kBlocksAtOnce = 64;
constexpr uint32_t kManyDocs = 64;

// The ordinal of the first keyword behind those that begin so.
absl::StatusOr<uint64_t> EndOfPrefix(const ColumnView& column, std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return column.keyword_count();
  ++prefix.back();
  return column.FirstKeywordFrom(prefix);
}

}  // namespace

void RetainKeys(std::span<const uint64_t> keys, uint64_t low, uint64_t high, WindowBits& bits) {
  const uint64_t span = high > low ? high - low : 0;
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (bits.words[word] == 0) continue;
    uint64_t kept = 0;
    for (size_t i = 0; i < 64; ++i) kept |= uint64_t{keys[word * 64 + i] - low < span} << i;
    bits.words[word] &= kept;
  }
}

KeywordVerdicts KeywordVerdicts::Of(const ColumnView& column,
                                    std::function<bool(std::string_view)> test) {
  KeywordVerdicts verdicts(column, [test = std::move(test)](const KeywordRun& run, uint64_t first,
                                                            size_t count, uint64_t* holds) {
    for (size_t i = 0; i < count; ++i) {
      const auto text = run.Find(first + i);
      if (text.has_value() && test(*text)) holds[i / 64] |= uint64_t{1} << (i % 64);
    }
  });
  verdicts.SetRange(0, column.keyword_count());
  return verdicts;
}

absl::StatusOr<KeywordVerdicts> KeywordVerdicts::Of(const ColumnView& column, const Glob& pattern) {
  const std::string& prefix = pattern.prefix();
  PMDEX_ASSIGN_OR_RETURN(const uint64_t low, column.FirstKeywordFrom(prefix));
  PMDEX_ASSIGN_OR_RETURN(uint64_t high, EndOfPrefix(column, prefix));
  if (pattern.is_literal()) high = std::min(high, low + 1);
  const bool all_pass = pattern.is_prefix();
  KeywordVerdicts verdicts(
      column,
      all_pass ? Test()
               : [&pattern](const KeywordRun& run, uint64_t first, size_t count, uint64_t* holds) {
                   pattern.MatchKeywords(run, first, count, holds);
                 });
  verdicts.SetRange(low, std::max(low, high));
  return verdicts;
}

void KeywordVerdicts::SetRange(uint64_t low, uint64_t high) {
  low_ = low;
  high_ = high;
  if (test_ == nullptr || low == high) return;
  const uint64_t blocks = (column_->keyword_count() + kBlockKeywords - 1) / kBlockKeywords;
  holds_.resize(blocks);
  is_tested_.resize(blocks);
  untested_ = (high - 1) / kBlockKeywords - low / kBlockKeywords + 1;
}

absl::Status KeywordVerdicts::TestBlocks(uint64_t first, uint64_t end) {
  while (first < end) {
    if (is_tested_[first]) {
      ++first;
      continue;
    }
    const uint64_t begin = first;
    for (; first < end && !is_tested_[first]; ++first) is_tested_[first] = true;
    untested_ -= first - begin;
    const uint64_t keyword = begin * kBlockKeywords;
    const uint64_t count = std::min(first * kBlockKeywords, column_->keyword_count()) - keyword;
    PMDEX_ASSIGN_OR_RETURN(const KeywordRun run, column_->Keywords(keyword, count));
    test_(run, keyword, count, &holds_[begin]);
  }
  return absl::OkStatus();
}

// Requires that the keys are in [low_, high_).
absl::Status KeywordVerdicts::TestThoseOf(std::span<const uint64_t> keys, const WindowBits& bits) {
  const uint64_t first_block = low_ / kBlockKeywords;
  const uint64_t end_block = (high_ - 1) / kBlockKeywords + 1;
  const uint64_t unit = bits.Count() >= kManyDocs ? kBlocksAtOnce : 1;
  absl::Status status;
  bits.ForEach([&](uint32_t i) {
    const uint64_t block = keys[i] / kBlockKeywords;
    if (is_tested_[block]) return true;
    const uint64_t begin = block / unit * unit;
    status = TestBlocks(std::max(begin, first_block), std::min(begin + unit, end_block));
    return status.ok() && untested_ > 0;
  });
  return status;
}

absl::Status KeywordVerdicts::Retain(std::span<const uint64_t> keys, WindowBits& bits) {
  RetainKeys(keys, low_, high_, bits);
  if (test_ == nullptr) return absl::OkStatus();
  if (untested_ > 0) PMDEX_RETURN_IF_ERROR(TestThoseOf(keys, bits));
  for (size_t word = 0; word < kWindowWords; ++word) {
    uint64_t kept = bits.words[word];
    for (uint64_t left = kept; left != 0; left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      const uint64_t key = keys[word * 64 + i];
      const bool holds = (holds_[key / kBlockKeywords] >> (key % kBlockKeywords) & 1) != 0;
      kept &= ~(uint64_t{!holds} << i);
    }
    bits.words[word] = kept;
  }
  return absl::OkStatus();
}

}  // namespace pmdex
