// The 33 words that Lucene's EnglishAnalyzer removes. Thread-safe.
#pragma once

#include <string_view>

namespace pmdex {

// Requires a casefolded word.
bool IsEnglishStopWord(std::string_view word);

}  // namespace pmdex
