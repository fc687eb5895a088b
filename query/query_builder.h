// Words of a query to query nodes: analysis, several fields, wildcards. The leaves of what the
// parser builds. Every function returns nullptr when the analyzer removed all of the text: such a
// clause disappears from its boolean. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "query/query.h"
#include "query/regexp_automaton.h"

namespace pmdex {

class QueryBuilder {
 public:
  explicit QueryBuilder(Analyzer& analyzer) : analyzer_(analyzer) {}

  // Any of the tokens of the text, in any of the fields; scores add, field by field.
  std::unique_ptr<Query> Word(std::span<const std::string> fields, std::string_view text);
  // The tokens of the text in this order; a single token is a word.
  std::unique_ptr<Query> Phrase(std::span<const std::string> fields, std::string_view text,
                                uint32_t slop);
  std::unique_ptr<Query> Fuzzy(std::span<const std::string> fields, std::string_view text,
                               uint32_t edits);
  // text: as written between the slashes, not analysed; automaton: what it was compiled to.
  std::unique_ptr<Query> Regexp(std::span<const std::string> fields, std::string_view text,
                                std::shared_ptr<const RegexpAutomaton> automaton);
  // pattern: as written, with escapes. A single star at the end makes a prefix, a star alone every
  // document that has the field.
  std::unique_ptr<Query> Wildcard(std::span<const std::string> fields, std::string_view pattern);

  // Of all fields and none; not counted among the leaves.
  static std::unique_ptr<Query> AllDocuments();

  size_t leaves() const { return leaves_; }                 // built so far
  RegexpBudget& regexp_budget() { return regexp_budget_; }  // what is left of it

 private:
  std::unique_ptr<Query> InEachField(std::span<const std::string> fields, const Query& leaf);

  Analyzer& analyzer_;
  size_t leaves_ = 0;
  RegexpBudget regexp_budget_{RegexpAutomaton::kStepsPerQuery};
};

}  // namespace pmdex
