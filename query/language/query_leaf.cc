#include "query/language/query_leaf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "query/language/column_leaf_builder.h"
#include "query/language/query_escapes.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {
namespace {

constexpr uint32_t kMaxEdits = 2;  // also the default, for `~` without a number

std::optional<uint32_t> WholeNumber(std::string_view digits) {
  uint32_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// What stands before the point of a positive decimal number.
std::optional<uint32_t> WholePart(std::string_view number) {
  float value = 0;
  const char* const end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, value, std::chars_format::fixed);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(value);
  if (!is_number || value < 0) return std::nullopt;
  return static_cast<uint32_t>(std::min(value, 2147483648.0f));
}

absl::StatusOr<uint32_t> EditsOf(std::string_view text, const QueryToken& tilde,
                                 std::string_view word, const QueryBuilder& builder) {
  if (builder.edits_of_tilde()) {
    const std::optional<uint32_t> said = builder.edits_of_tilde()(word, tilde.text);
    if (said.has_value()) return *said;
    const std::optional<uint32_t> whole = WholePart(tilde.text);
    if (whole.has_value()) return std::min(*whole, kMaxEdits);
  }
  if (tilde.text.empty()) return kMaxEdits;
  const std::optional<uint32_t> edits = WholeNumber(tilde.text);
  if (edits.has_value() && *edits <= kMaxEdits) return *edits;
  return QueryError(text, tilde.begin, "the edit distance must be 0, 1 or 2");
}

absl::StatusOr<std::unique_ptr<Query>> BuildRegexp(std::string_view text, const QueryToken& word,
                                                   bool folds, const QueryScope& scope,
                                                   QueryBuilder& builder) {
  const std::string expression = folds ? builder.FoldedRegexp(word.text) : std::string(word.text);
  RegexpProblem problem;
  auto automaton = RegexpAutomaton::Compile(expression, builder.regexp_budget(), problem);
  if (automaton == nullptr) return QueryError(text, word.begin + 1 + problem.offset, problem.what);
  return builder.Regexp(scope.fields, expression, std::move(automaton));
}

// True for a word with wildcards and a regular expression. As in Lucene, a tilde behind them means
// nothing.
bool IsPattern(const QueryToken& word) {
  return word.kind == QueryTokenKind::kRegexp || word.wildcards != 0;
}

// True for a word that stands for itself.
bool IsPlainWord(const QueryToken& word) {
  const bool compares = word.text.starts_with('<') || word.text.starts_with('>');
  return word.kind == QueryTokenKind::kWord && word.wildcards == 0 && !compares;
}

absl::StatusOr<std::unique_ptr<Query>> BuildFuzzyKeyword(std::string_view text,
                                                         const QueryToken& word,
                                                         const QueryToken& tilde,
                                                         const std::string& field,
                                                         QueryBuilder& builder) {
  auto leaf = std::make_unique<Query>();
  leaf->kind = QueryKind::kFuzzy;
  leaf->field = field;
  leaf->text = Unescape(word.text);
  PMDEX_ASSIGN_OR_RETURN(leaf->edits, EditsOf(text, tilde, leaf->text, builder));
  builder.CountLeaf();
  return leaf;
}

std::unique_ptr<Query> LeafInField(const Query& leaf, const std::string& field) {
  auto copy = std::make_unique<Query>(LeafOf(leaf));
  copy->every_field = false;
  copy->field = field;
  return copy;
}

// Builds the leaf of a token in one field after the other.
class LeafInFields {
 public:
  LeafInFields(std::string_view text, const QueryToken& word,
               const std::optional<QueryToken>& tilde, QueryBuilder& builder)
      : text_(text), word_(word), tilde_(tilde), builder_(builder) {}

  // What is alike in all fields of text, above all a compiled expression, is made once.
  absl::StatusOr<std::unique_ptr<Query>> In(const std::string& field) {
    if (of_text_ != nullptr && !IsColumnLeaf(word_, field, builder_.columns())) {
      builder_.CountLeaf();
      return LeafInField(*of_text_, field);
    }
    const QueryScope scope{std::span<const std::string>(&field, 1), true};
    PMDEX_ASSIGN_OR_RETURN(auto leaf, BuildLeaf(text_, word_, tilde_, scope, builder_));
    const bool is_one_leaf = leaf != nullptr && leaf->clauses.empty();
    if (is_one_leaf && !IsColumnLeaf(word_, field, builder_.columns())) {
      of_text_ = LeafInField(*leaf, field);
    }
    return leaf;
  }

 private:
  std::string_view text_;
  const QueryToken& word_;
  const std::optional<QueryToken>& tilde_;
  QueryBuilder& builder_;
  std::unique_ptr<Query> of_text_;
};

}  // namespace

absl::StatusOr<uint32_t> SlopOf(std::string_view text, const std::optional<QueryToken>& tilde) {
  if (!tilde.has_value() || tilde->text.empty()) return 0;
  std::optional<uint32_t> slop = WholeNumber(tilde->text);
  if (!slop.has_value()) slop = WholePart(tilde->text);
  if (slop.has_value()) return *slop;
  return QueryError(text, tilde->begin, "what follows ~ after a phrase must be a positive number");
}

absl::StatusOr<std::unique_ptr<Query>> BuildLeaf(std::string_view text, const QueryToken& word,
                                                 const std::optional<QueryToken>& tilde,
                                                 const QueryScope& scope, QueryBuilder& builder) {
  if (tilde.has_value() && IsPattern(word)) {
    return BuildLeaf(text, word, std::nullopt, scope, builder);
  }
  if (scope.is_named && IsColumnLeaf(word, scope.fields.names[0], builder.columns())) {
    const bool is_range =
        word.kind == QueryTokenKind::kRange || word.kind == QueryTokenKind::kComparison;
    if (!is_range && builder.columns().TypeOf(scope.fields.names[0]) == FieldType::kKeyword) {
      if (word.kind == QueryTokenKind::kRegexp) {
        return BuildRegexp(text, word, false, scope, builder);
      }
      if (tilde.has_value() && IsPlainWord(word)) {
        return BuildFuzzyKeyword(text, word, *tilde, scope.fields.names[0], builder);
      }
      // A keyword is one value, in which nothing can lie between words.
      if (tilde.has_value() && word.kind == QueryTokenKind::kQuoted) {
        PMDEX_RETURN_IF_ERROR(SlopOf(text, tilde).status());
        return BuildLeaf(text, word, std::nullopt, scope, builder);
      }
    }
    builder.CountLeaf();
    return BuildColumnLeaf(text, word, tilde, scope.fields.names[0], builder.columns());
  }
  if (word.kind == QueryTokenKind::kQuoted) {
    PMDEX_ASSIGN_OR_RETURN(const uint32_t slop, SlopOf(text, tilde));
    return builder.Phrase(scope.fields, Unescape(word.text), slop);
  }
  if (word.kind == QueryTokenKind::kRegexp) {
    return BuildRegexp(text, word, builder.folds_regexps(), scope, builder);
  }
  if (word.wildcards != 0) {
    // A star alone matches every document, unless the query names a field.
    if (word.text == "*" && !scope.is_named) return QueryBuilder::AllDocuments();
    return builder.Wildcard(scope.fields, UnescapeNumbers(word.text));
  }
  if (tilde.has_value()) {
    const std::string unescaped = Unescape(word.text);
    PMDEX_ASSIGN_OR_RETURN(const uint32_t edits, EditsOf(text, *tilde, unescaped, builder));
    return builder.Fuzzy(scope.fields, unescaped, edits);
  }
  return builder.Word(scope.fields, Unescape(word.text));
}

absl::StatusOr<std::unique_ptr<Query>> BuildLeafInFields(std::string_view text,
                                                         const QueryToken& word,
                                                         const std::optional<QueryToken>& tilde,
                                                         std::span<const WeightedField> fields,
                                                         bool lenient, QueryBuilder& builder) {
  LeafInFields leaves(text, word, tilde, builder);
  auto best = std::make_unique<Query>();
  best->kind = QueryKind::kDisjunctionMax;
  bool is_empty = !fields.empty();  // the analyzer has removed all of the word
  for (const WeightedField& field : fields) {
    absl::StatusOr<std::unique_ptr<Query>> leaf = leaves.In(field.name);
    const auto type = builder.columns().TypeOf(field.name);
    const bool is_column = type.has_value() && *type != FieldType::kText;
    const bool may_fail = is_column || word.kind == QueryTokenKind::kRegexp;
    if (!leaf.ok() && !(may_fail && lenient)) return leaf.status();
    is_empty = is_empty && !is_column && leaf.ok();
    if (!leaf.ok() || *leaf == nullptr) continue;
    (*leaf)->boost *= field.boost;
    best->clauses.push_back({Occur::kShould, *std::move(leaf)});
  }
  if (best->clauses.size() > 1) return best;
  if (best->clauses.size() == 1) return std::move(best->clauses[0].query);
  return is_empty ? nullptr : std::make_unique<Query>();
}

}  // namespace pmdex
