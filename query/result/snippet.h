// The piece of a document's stored text that shows best why it matched; the text is read from the
// segment anew for each hit.
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
#include "query/planning/planner.h"

namespace pmdex {

inline constexpr char kSnippetMatchBegin = '\x01';
inline constexpr char kSnippetMatchEnd = '\x02';
inline constexpr size_t kSnippetCharacters = 150;

// What a query looks for, apart from where: the words to mark. Prohibited clauses are left out.
// The plan must outlive it. Belongs to one thread.
class SnippetMarker {
 public:
  explicit SnippetMarker(const Plan& plan);

  // A window of about kSnippetCharacters around the most different query words of any stored field,
  // cut at white space where there is some and never inside a character; marked words between
  // kSnippetMatchBegin and kSnippetMatchEnd, white space runs as one space, control characters
  // gone, an ellipsis where text was cut off. Without a match the beginning of the text; empty when
  // nothing is stored. kDataLoss when the stored text is damaged.
  // kDeadlineExceeded.
  absl::StatusOr<std::string> Mark(const Segment& segment, DocId doc, Analyzer& analyzer,
                                   const Deadline& deadline = {}) const;

 private:
  // The words of one field, numbered through.
  struct FieldWords {
    std::map<std::string, size_t, std::less<>> terms;
    std::vector<std::pair<std::string, size_t>> prefixes;
    std::vector<std::pair<WildcardPattern, size_t>> patterns;
    std::vector<std::pair<const RegexpAutomaton*, size_t>> regexps;  // of the plan

    std::optional<size_t> Match(std::string_view term) const;
  };
  friend class SnippetSink;
  void Collect(const BoundQuery& query);

  std::map<std::string, FieldWords, std::less<>> fields_;
  size_t word_count_ = 0;
};

}  // namespace pmdex
