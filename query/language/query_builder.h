// Turns one word or phrase of a query into a leaf of the query tree: analyzes the text, spreads it
// over the fields, and recognizes prefixes among the wildcards. Every function returns nullptr when
// the analyzer removed all of the text; the caller then drops the clause. For one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "query/language/column_leaf_builder.h"
#include "query/language/query.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {

// The fields that a word searches: the named ones, or every text field of the index. `names` is a
// view; the caller keeps the strings alive.
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

// How many edits the word of `word~tilde` may have, at most 2; nullopt: as the number `tilde` says.
using EditsOfTilde =
    std::function<std::optional<uint32_t>(std::string_view word, std::string_view tilde)>;

class QueryBuilder {
 public:
  explicit QueryBuilder(Analyzer& analyzer) : analyzer_(analyzer) {}

  // Matches any token of the text in any of the fields; scores are added.
  std::unique_ptr<Query> Word(const QueryFields& fields, std::string_view text);
  // Matches the tokens of the text in order. A text of a single token becomes a term.
  std::unique_ptr<Query> Phrase(const QueryFields& fields, std::string_view text, uint32_t slop);
  std::unique_ptr<Query> Fuzzy(const QueryFields& fields, std::string_view text, uint32_t edits);
  // text: as written between the slashes, not analyzed; automaton: its compiled form.
  std::unique_ptr<Query> Regexp(const QueryFields& fields, std::string_view text,
                                std::shared_ptr<const RegexpAutomaton> automaton);
  // The expression with its letters as the analyzer writes those of words, as in Lucene: also the
  // letter of `\D`, which then means a digit.
  std::string FoldedRegexp(std::string_view text) const;
  // pattern: as written, with escapes. If its only wildcard is a star at the end, the result is a
  // prefix query; a star alone matches every document that has the field.
  std::unique_ptr<Query> Wildcard(const QueryFields& fields, std::string_view pattern);

  // Matches every document, whatever its fields. Does not count as a leaf.
  static std::unique_ptr<Query> AllDocuments();

  // What is known of fields that are not text.
  void set_columns(ColumnKnowledge columns) { columns_ = std::move(columns); }
  const ColumnKnowledge& columns() const { return columns_; }
  void CountLeaf() { ++leaves_; }  // for a leaf that the caller builds
  // Leaves built so far. A leaf that searches several fields counts once.
  size_t leaves() const { return leaves_; }
  // Empty: `word~` has the most edits, and N of `word~N` is 0, 1 or 2.
  void set_edits_of_tilde(EditsOfTilde edits) { edits_of_tilde_ = std::move(edits); }
  const EditsOfTilde& edits_of_tilde() const { return edits_of_tilde_; }
  // True: regular expressions over text are folded (FoldedRegexp).
  void set_folds_regexps(bool folds) { folds_regexps_ = folds; }
  bool folds_regexps() const { return folds_regexps_; }
  RegexpBudget& regexp_budget() { return regexp_budget_; }  // shared by all expressions of a query

 private:
  std::unique_ptr<Query> InEachField(const QueryFields& fields, const Query& leaf);

  Analyzer& analyzer_;
  size_t leaves_ = 0;
  ColumnKnowledge columns_;
  EditsOfTilde edits_of_tilde_;
  bool folds_regexps_ = false;
  RegexpBudget regexp_budget_{RegexpAutomaton::kStepsPerQuery};
};

}  // namespace pmdex
