#include "tools/server/elasticsearch/search/highlight_words.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "query/expansion/term_pattern.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {
namespace {

// True for the documents of a `terms` query with several terms.
bool IsTermSet(const Query& query) {
  if (query.kind != QueryKind::kConstantScore || query.clauses.empty()) return false;
  const Query& any = *query.clauses[0].query;
  if (any.kind != QueryKind::kBoolean || any.clauses.empty()) return false;
  return std::all_of(any.clauses.begin(), any.clauses.end(), [&](const Clause& clause) {
    return clause.occur == Occur::kShould && clause.query->kind == QueryKind::kTerm &&
           clause.query->field == any.clauses[0].query->field;
  });
}

}  // namespace

// A leaf of the query that stands for terms, or a set of terms.
class HighlightWords::Pattern {
 public:
  explicit Pattern(const Query& leaf) : kind_(leaf.kind), text_(leaf.text) {
    if (kind_ == QueryKind::kWildcard) wildcard_.emplace(leaf.text);
    if (kind_ == QueryKind::kFuzzy) fuzzy_.emplace(leaf.text, leaf.edits);
    if (kind_ == QueryKind::kRegexp) {
      RegexpBudget budget{RegexpAutomaton::kStepsPerQuery};
      RegexpProblem problem;
      regexp_ = RegexpAutomaton::Compile(leaf.text, budget, problem);
    }
  }
  explicit Pattern(std::set<std::string, std::less<>> terms)
      : kind_(QueryKind::kTerm), terms_(std::move(terms)) {}

  bool Matches(std::string_view term) {
    switch (kind_) {
      case QueryKind::kTerm:
        return terms_.contains(term);
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
  const std::set<std::string, std::less<>> terms_;
  std::optional<WildcardPattern> wildcard_;
  std::optional<FuzzyPattern> fuzzy_;
  std::shared_ptr<const RegexpAutomaton> regexp_;
};

HighlightWords::HighlightWords(const Query& query) {
  Collect(query);
}
HighlightWords::~HighlightWords() = default;

void HighlightWords::Collect(const Query& query) {
  // No term has a line end.
  const auto name = [&] { return "\n" + ToString(query); };
  if (IsTermSet(query)) {
    const std::vector<Clause>& clauses = query.clauses[0].query->clauses;
    std::set<std::string, std::less<>> terms;
    for (const Clause& clause : clauses) terms.insert(clause.query->text);
    fields_[clauses[0].query->field].patterns[name()] = std::make_unique<Pattern>(std::move(terms));
    return;
  }
  switch (query.kind) {
    case QueryKind::kTerm:
      fields_[query.field].terms.insert(query.text);
      break;
    case QueryKind::kPrefix:
    case QueryKind::kWildcard:
    case QueryKind::kFuzzy:
    case QueryKind::kRegexp:
      fields_[query.field].patterns[name()] = std::make_unique<Pattern>(query);
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

std::vector<FoundWord> HighlightWords::Find(std::string_view field,
                                            const std::vector<HighlightToken>& tokens,
                                            WordFrequencies& frequencies) const {
  const auto words = fields_.find(field);
  if (words == fields_.end()) return {};
  const FieldWords* const known = &words->second;
  return FindIn({&known, 1}, tokens, frequencies);
}

std::vector<FoundWord> HighlightWords::FindOfAnyField(const std::vector<HighlightToken>& tokens,
                                                      WordFrequencies& frequencies) const {
  std::vector<const FieldWords*> fields;
  for (const auto& [field, words] : fields_) fields.push_back(&words);
  return FindIn(fields, tokens, frequencies);
}

bool HighlightWords::IsInPhrases(FieldSpan fields, const std::string& term) {
  for (const FieldWords* const words : fields) {
    for (const HighlightPhrase& phrase : words->phrases) {
      for (size_t word = 0; word < phrase.terms.size(); ++word) {
        if (phrase.HasWord(word, term)) return true;
      }
    }
  }
  return false;
}

std::vector<FoundWord> HighlightWords::FindIn(FieldSpan fields,
                                              const std::vector<HighlightToken>& tokens,
                                              WordFrequencies& frequencies) {
  std::vector<bool> in_phrase(tokens.size());
  for (const FieldWords* const words : fields) {
    for (const HighlightPhrase& phrase : words->phrases) MarkPhrase(phrase, tokens, in_phrase);
  }
  const auto has_term = [&](const std::string& term) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const FieldWords* words) { return words->terms.contains(term); });
  };
  const auto count = [&](const std::string& word) { ++frequencies[word]; };
  std::vector<FoundWord> found;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& term = tokens[i].term;
    const bool is_term = has_term(term);
    if (is_term) found.push_back({i, term});
    if (in_phrase[i]) found.push_back({i, term});
    // Elsewhere the words of a phrase are not found, but they count.
    if (is_term || in_phrase[i] || IsInPhrases(fields, term)) count(term);
    for (const FieldWords* const words : fields) {
      for (const auto& [name, pattern] : words->patterns) {
        if (!pattern->Matches(term)) continue;
        found.push_back({i, name});
        count(name);
      }
    }
  }
  return found;
}

}  // namespace pmdex
