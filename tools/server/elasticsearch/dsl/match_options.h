// The options that the full-text queries share, and the rules of minimum_should_match and
// fuzziness. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

// How many edits a word may have: a number, or by the length of the word.
struct Fuzziness {
  uint32_t edits = 0;
  bool automatic = false;
  // Automatic: words of fewer characters have no edit, words of fewer than `two` have one.
  uint32_t one = 3;
  uint32_t two = 6;

  uint32_t EditsOf(std::string_view word) const;
};
absl::StatusOr<Fuzziness> ParseFuzziness(const Json& value);

// How many of `optional` clauses must match by a specification as `2`, `-1`, `75%`, `-25%` or
// `2<-25% 9<-3`. May be more than there are.
absl::StatusOr<uint32_t> MinimumShouldMatch(std::string_view specification, size_t optional);

struct MatchOptions {
  std::string text;
  bool require_all = false;  // operator: and
  std::string minimum_should_match;
  std::optional<Fuzziness> fuzziness;
  uint32_t prefix_length = 0;
  uint32_t max_expansions = 50;
  uint32_t slop = 0;
  std::optional<std::string> analyzer;  // that of the index without this option
  bool zero_terms_all = false;
  std::optional<float> tie_breaker;
  // A value that does not fit the type of a field finds nothing there. Without this option it
  // depends on the query.
  std::optional<bool> lenient;
};

// Reads the options of a query whose keys are known already (CheckKeys).
absl::StatusOr<MatchOptions> ReadMatchOptions(std::string_view query, const Json& options);

// Of operator and default_operator: true for `and`.
absl::StatusOr<bool> RequiresAll(std::string_view name);

}  // namespace pmdex
