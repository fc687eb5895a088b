// The 33 words that Lucene's EnglishAnalyzer leaves out. Looked up once a token; thread-safe.
#pragma once

#include <string_view>

namespace pmdex {

// Requires: word is casefolded.
bool IsEnglishStopWord(std::string_view word);

}  // namespace pmdex
