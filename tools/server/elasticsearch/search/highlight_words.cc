#include "tools/server/elasticsearch/search/highlight_words.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "query/expansion/term_pattern.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {

// A leaf of the query that matches single words.
class HighlightWords::WordMatcher {
 public:
  explicit WordMatcher(const Query& leaf) : kind_(leaf.kind), text_(leaf.text) {
    if (kind_ == QueryKind::kWildcard) wildcard_.emplace(leaf.text);
    if (kind_ == QueryKind::kFuzzy) fuzzy_.emplace(leaf.text, leaf.edits);
    if (kind_ == QueryKind::kRegexp) {
      RegexpBudget budget{RegexpAutomaton::kStepsPerQuery};
      RegexpProblem problem;
      regexp_ = RegexpAutomaton::Compile(leaf.text, budget, problem);
    }
  }

  bool Matches(std::string_view term) {
    switch (kind_) {
      case QueryKind::kTerm:
        return term == text_;
      case QueryKind::kPrefix:
        return term.starts_with(text_);
      case QueryKind::kWildcard:
        return wildcard_->Matches(term);
      case QueryKind::kFuzzy:
        return fuzzy_->Distance(term).has_value();
      case QueryKind::kRegexp:
        return regexp_ != nullptr && regexp_->Matches(term);
      default:
        return false;
    }
  }

 private:
  const QueryKind kind_;
  const std::string text_;
  std::optional<WildcardPattern> wildcard_;
  std::optional<FuzzyPattern> fuzzy_;
  std::shared_ptr<const RegexpAutomaton> regexp_;
};

HighlightWords::HighlightWords(const Query& query) {
  Collect(query);
}
HighlightWords::~HighlightWords() = default;

void HighlightWords::Collect(const Query& query) {
  switch (query.kind) {
    case QueryKind::kTerm:
    case QueryKind::kPrefix:
    case QueryKind::kWildcard:
    case QueryKind::kFuzzy:
    case QueryKind::kRegexp:
      fields_[query.field].words.push_back(std::make_unique<WordMatcher>(query));
      break;
    case QueryKind::kPhrase:
    case QueryKind::kPhrasePrefix:
      fields_[query.field].phrases.push_back(
          {query.terms, query.offsets, query.slop, query.kind == QueryKind::kPhrasePrefix});
      break;
    default:
      break;
  }
  for (const Clause& clause : query.clauses) {
    if (clause.occur != Occur::kMustNot) Collect(*clause.query);
  }
}

std::vector<bool> HighlightWords::Find(std::string_view field,
                                       const std::vector<HighlightToken>& tokens) const {
  std::vector<bool> found(tokens.size());
  const auto words = fields_.find(field);
  if (words != fields_.end()) Mark(words->second, tokens, found);
  return found;
}

std::vector<bool> HighlightWords::FindOfAnyField(const std::vector<HighlightToken>& tokens) const {
  std::vector<bool> found(tokens.size());
  for (const auto& [field, words] : fields_) Mark(words, tokens, found);
  return found;
}

void HighlightWords::Mark(const FieldWords& words, const std::vector<HighlightToken>& tokens,
                          std::vector<bool>& found) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const auto& word : words.words) {
      if (found[i]) break;
      found[i] = word->Matches(tokens[i].term);
    }
  }
  for (const Phrase& phrase : words.phrases) MarkPhrase(phrase, tokens, found);
}

// Marks a token if every other word of the phrase stands near enough to where the phrase would have
// it, counted from this token.
void HighlightWords::MarkPhrase(const Phrase& phrase, const std::vector<HighlightToken>& tokens,
                                std::vector<bool>& found) {
  // The begins of the phrase that each of its words stands for, ascending.
  std::vector<std::vector<int64_t>> begins(phrase.terms.size());
  const auto is_word = [&](size_t word, const std::string& term) {
    const bool as_prefix = phrase.last_is_prefix && word + 1 == phrase.terms.size();
    return as_prefix ? term.starts_with(phrase.terms[word]) : term == phrase.terms[word];
  };
  const auto begin_of = [&](size_t word, const HighlightToken& token) {
    return static_cast<int64_t>(token.position) - static_cast<int64_t>(phrase.offsets[word]);
  };
  for (const HighlightToken& token : tokens) {
    for (size_t word = 0; word < phrase.terms.size(); ++word) {
      if (is_word(word, token.term)) begins[word].push_back(begin_of(word, token));
    }
  }
  const auto is_near = [&](const std::vector<int64_t>& places, int64_t begin) {
    const auto next = std::lower_bound(places.begin(), places.end(), begin - phrase.slop);
    return next != places.end() && *next <= begin + phrase.slop;
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (size_t word = 0; word < phrase.terms.size() && !found[i]; ++word) {
      if (!is_word(word, tokens[i].term)) continue;
      const int64_t begin = begin_of(word, tokens[i]);
      found[i] = std::all_of(begins.begin(), begins.end(),
                             [&](const auto& places) { return is_near(places, begin); });
    }
  }
}

}  // namespace pmdex
