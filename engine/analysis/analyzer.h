// Turns text into tokens. Documents and queries go through the same analyzer, because otherwise
// their terms would differ.
//
//   standard    UAX #29 words without dictionaries (word_scanner.h), NFKC casefold
//   whitespace  split at Unicode white space, case kept
//   english     standard; Lucene's 33 stop words are removed and leave a gap in the positions; the
//               other words are stemmed by Snowball English
//   log         maximal runs of letters and digits, casefolded
//
// A word longer than kMaxTokenBytes after normalisation is cut at character borders into pieces of
// at most that many bytes. As in Lucene, each piece takes a position of its own. Its offsets are
// those of the source characters it came from, so two pieces share the offsets of a character that
// folds to several. Invalid UTF-8 is treated as U+FFFD, which is part of no word.
//
// An analyzer owns scratch memory: each thread needs an analyzer of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/analysis/token.h"
#include "pmem/cpu_features.h"
#include "pmem/status.h"

namespace pmdex {

enum class AnalyzerKind : uint8_t {
  kStandard = 0,
  kWhitespace = 1,
  kEnglish = 2,
  kLog = 3,
  kCustom = 4,  // of the program that made the index; the manifest has its name
};
inline constexpr AnalyzerKind kLastAnalyzerKind = AnalyzerKind::kCustom;

std::string_view ToString(AnalyzerKind kind);
// kInvalidArgument for other names, "custom" included.
absl::StatusOr<AnalyzerKind> ParseAnalyzerKind(std::string_view name);

class Analyzer {
 public:
  virtual ~Analyzer() = default;

  // Tokenises the whole text; the first token has position first_position. Returns the position
  // after the last word, removed stop words counted; that is first_position if the text has no
  // word. Never fails. Requires text.size() <= kMaxTextBytes. Reads no byte outside the text.
  virtual uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) = 0;

  // Normalises a query term that has wildcards or edits: its case is folded like that of a token,
  // but it is neither split, stemmed nor removed.
  virtual std::string Normalize(std::string_view term) const = 0;

  virtual AnalyzerKind kind() const = 0;
};

// `level` chooses the kernels that find words; the tokens do not depend on it. Requires
// IsUsable(level), and a kind other than kCustom.
std::unique_ptr<Analyzer> NewAnalyzer(AnalyzerKind kind, SimdLevel level = BestSimdLevel());

// Makes analyzers of kind kCustom. Thread-safe.
using AnalyzerFactory = std::function<std::unique_ptr<Analyzer>()>;

// The analyzer that a program brings, by the name that the manifest remembers. Without a name there
// is none.
struct CustomAnalyzer {
  std::string name;
  AnalyzerFactory make;
};

}  // namespace pmdex
