// Makes the snippet of a hit: the piece of the document's text that shows best why it matched. The
// text comes from the segment that stores it, or from the caller, and is analyzed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/term_pattern.h"
#include "query/planning/query_binder.h"

namespace pmdex {

inline constexpr char kSnippetMatchBegin = '\x01';
inline constexpr char kSnippetMatchEnd = '\x02';
inline constexpr size_t kSnippetCharacters = 150;

// Finds and marks the words of a query in text. It ignores prohibited clauses. The plan must
// outlive it. For one thread.
class SnippetMarker {
 public:
  explicit SnippetMarker(const QueryBinding& binding);

  // The snippet: about kSnippetCharacters characters around the largest number of different query
  // words in one stored field. It is cut at white space if possible and never inside a character.
  // Query words stand between kSnippetMatchBegin and kSnippetMatchEnd. A run of white space becomes
  // one space, control characters are removed, and an ellipsis shows where text was cut off.
  // Without a match it is the beginning of the text; it is empty if no text is stored. kDataLoss if
  // the stored text is damaged, kDeadlineExceeded if the deadline came first. last: the same for
  // all hits, so that those of one chunk decompress it once.
  absl::StatusOr<std::string> Mark(const Segment& segment, DocId doc, Analyzer& analyzer,
                                   LastStoredChunk& last, const Deadline& deadline = {}) const;
  // The same of text that the caller has. `values` are of fields of the segment.
  absl::StatusOr<std::string> MarkText(const Segment& segment,
                                       const std::vector<StoredValue>& values, Analyzer& analyzer,
                                       const Deadline& deadline = {}) const;

 private:
  // The words of one field with their numbers, which are unique over all fields.
  struct FieldWords {
    std::map<std::string, size_t, std::less<>> terms;
    std::vector<std::pair<std::string, size_t>> prefixes;
    std::vector<std::pair<WildcardPattern, size_t>> patterns;
    std::vector<std::pair<const RegexpAutomaton*, size_t>> regexps;  // of the binding

    std::optional<size_t> Match(std::string_view term) const;
  };
  friend class SnippetSink;
  void Collect(const BoundQuery& query);

  std::map<std::string, FieldWords, std::less<>> fields_;
  size_t word_count_ = 0;
};

}  // namespace pmdex
