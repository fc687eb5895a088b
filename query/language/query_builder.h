// Words of a query to query nodes: analysis, fields, wildcards. The leaves of what the parser
// builds. Every function returns nullptr when the analyzer removed all of the text: such a clause
// disappears from its boolean. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "query/language/query.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {

// What a word searches: these fields, which are a view, or every text field of the index.
struct QueryFields {
  QueryFields(std::span<const std::string> fields) : names(fields) {}     // NOLINT: implicit
  QueryFields(const std::vector<std::string>& fields) : names(fields) {}  // NOLINT: implicit
  static QueryFields Every() {
    QueryFields fields{std::span<const std::string>()};
    fields.every = true;
    return fields;
  }

  std::span<const std::string> names;
  bool every = false;
};

class QueryBuilder {
 public:
  explicit QueryBuilder(Analyzer& analyzer) : analyzer_(analyzer) {}

  // Any of the tokens of the text, in any of the fields; scores add.
  std::unique_ptr<Query> Word(const QueryFields& fields, std::string_view text);
  // The tokens of the text in this order; a single token is a word.
  std::unique_ptr<Query> Phrase(const QueryFields& fields, std::string_view text, uint32_t slop);
  std::unique_ptr<Query> Fuzzy(const QueryFields& fields, std::string_view text, uint32_t edits);
  // text: as written between the slashes, not analysed; automaton: what it was compiled to.
  std::unique_ptr<Query> Regexp(const QueryFields& fields, std::string_view text,
                                std::shared_ptr<const RegexpAutomaton> automaton);
  // pattern: as written, with escapes. A single star at the end makes a prefix, a star alone every
  // document that has the field.
  std::unique_ptr<Query> Wildcard(const QueryFields& fields, std::string_view pattern);

  // Of all fields and none; not counted among the leaves.
  static std::unique_ptr<Query> AllDocuments();

  // Built so far: what was written, however many fields it searches.
  size_t leaves() const { return leaves_; }
  RegexpBudget& regexp_budget() { return regexp_budget_; }  // what is left of it

 private:
  std::unique_ptr<Query> InEachField(const QueryFields& fields, const Query& leaf);

  Analyzer& analyzer_;
  size_t leaves_ = 0;
  RegexpBudget regexp_budget_{RegexpAutomaton::kStepsPerQuery};
};

}  // namespace pmdex
