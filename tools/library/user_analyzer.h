// Makes an Analyzer of the engine out of a tokenizer that a program brings to the library.
#pragma once

#include <memory>

#include "engine/analysis/analyzer.h"
#include "tools/library/pmdex.h"

namespace pmdex {

// Cuts terms of more than kMaxTokenBytes at the border of a character, drops empty ones, and keeps
// offsets inside the text, whatever the tokenizer returns. The analyzer belongs to one thread.
std::unique_ptr<Analyzer> NewUserAnalyzer(std::unique_ptr<Tokenizer> tokenizer);

}  // namespace pmdex
