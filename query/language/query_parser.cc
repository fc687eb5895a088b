#include "query/language/query_parser.h"

#include <optional>
#include <utility>
#include <vector>

#include "query/language/query_builder.h"
#include "query/language/query_escapes.h"
#include "query/language/query_leaf.h"
#include "query/language/query_lexer.h"
#include "query/planning/score_bound.h"

namespace pmdex {
namespace {

using Kind = QueryTokenKind;
using QueryPointer = std::unique_ptr<Query>;  // nullptr if the analyzer removed every word

// The field that the query names at this place; empty: none.
std::string_view NameOf(const QueryScope& scope) {
  return scope.is_named ? std::string_view(scope.fields.names[0]) : std::string_view();
}

bool IsConjunction(Kind kind) {
  return kind == Kind::kAnd || kind == Kind::kOr;
}
bool IsModifier(Kind kind) {
  return kind == Kind::kPlus || kind == Kind::kMinus || kind == Kind::kNot;
}

// One parse of one text, by recursive descent: each parenthesis is a nested call.
class Descent {
 public:
  Descent(Analyzer& analyzer, const QueryFields& fields, const QueryParserLimits& limits,
          bool require_all, QueryFieldReader* field_reader, std::string_view text)
      : builder_(analyzer),
        default_fields_(fields),
        limits_(limits),
        require_all_(require_all),
        field_reader_(field_reader),
        text_(text),
        lexer_(text) {}

  QueryBuilder& builder() { return builder_; }

  absl::StatusOr<QueryPointer> Run();

 private:
  absl::Status Fail(size_t offset, std::string_view what) const {
    return QueryError(text_, offset, what);
  }
  absl::Status Advance();  // to the next token
  // The number of the boost at the current token, which also becomes a candidate for
  // greatest_boost_. Requires a token of kind kBoost.
  float TakeBoost() {
    if (greatest_boost_.kind != Kind::kBoost || token_.boost > greatest_boost_.boost) {
      greatest_boost_ = token_;
    }
    return token_.boost;
  }
  std::string Written(const QueryToken& token) const {
    return "'" + std::string(text_.substr(token.begin, token.end - token.begin)) + "'";
  }

  absl::StatusOr<QueryPointer> Group(const QueryScope& scope, size_t depth);
  absl::StatusOr<Kind> Conjunction(bool is_first);
  absl::StatusOr<Kind> Modifier();
  absl::StatusOr<QueryPointer> ClauseOf(const QueryScope& scope, size_t depth);
  absl::StatusOr<QueryPointer> InField(const QueryToken& name, size_t depth);
  absl::StatusOr<QueryPointer> Parenthesized(const QueryScope& scope, size_t depth);
  absl::StatusOr<QueryPointer> WordOrPhrase(const QueryScope& scope);
  absl::StatusOr<QueryPointer> StarOfEveryField();
  absl::StatusOr<QueryPointer> Leaf(const QueryToken& token, const std::optional<QueryToken>& tilde,
                                    const QueryScope& scope);
  // The kind of the text if field_reader_ makes the query of such a token.
  std::optional<QueryFieldReader::TextKind> KindForReader(const QueryToken& token,
                                                          const QueryScope& scope) const;
  bool IsReadAsWords(const QueryToken& token, const QueryScope& scope) const {
    return KindForReader(token, scope) == QueryFieldReader::TextKind::kWords;
  }
  absl::Status TakeFollowingWords(const QueryScope& scope, std::string& words);

  QueryBuilder builder_;
  const QueryFields default_fields_;
  const QueryParserLimits& limits_;
  const bool require_all_;
  QueryFieldReader* const field_reader_;  // nullptr: the parser reads all
  bool may_join_words_ = false;           // no operator stands before the current token
  std::string_view text_;
  QueryLexer lexer_;
  QueryToken token_;           // the next token; not consumed yet
  QueryToken greatest_boost_;  // so far; an error about too large scores points at it
};

absl::Status Descent::Advance() {
  PMDEX_ASSIGN_OR_RETURN(token_, lexer_.Next());
  return absl::OkStatus();
}

absl::StatusOr<QueryPointer> Descent::Run() {
  PMDEX_RETURN_IF_ERROR(Advance());
  if (token_.kind == Kind::kEnd) return Fail(0, "the query is empty");
  PMDEX_ASSIGN_OR_RETURN(QueryPointer query, Group(QueryScope{default_fields_, false}, 0));
  if (token_.kind == Kind::kRightParen) {
    return Fail(token_.begin, "a closing parenthesis without an opening one");
  }
  if (query == nullptr) query = std::make_unique<Query>();
  if (!HasFiniteScores(*query)) {
    return Fail(greatest_boost_.begin,
                "the boosts, multiplied and added up, make scores too large for a number");
  }
  return query;
}

// Lucene's addClause. AND also makes the clause before it required, unless that one is prohibited.
// Where all words are required, OR makes the clause before it optional. A clause that lost all its
// words is dropped, but an AND before it still applies to the clause on its left.
void AddClause(Kind conjunction, Kind modifier, bool require_all, QueryPointer query,
               std::vector<Clause>& clauses) {
  if (!clauses.empty() && clauses.back().occur != Occur::kMustNot) {
    if (conjunction == Kind::kAnd) clauses.back().occur = Occur::kMust;
    if (conjunction == Kind::kOr && require_all) clauses.back().occur = Occur::kShould;
  }
  if (query == nullptr) return;
  Occur occur = Occur::kShould;
  if (modifier == Kind::kMinus || modifier == Kind::kNot) {
    occur = Occur::kMustNot;
  } else if (modifier == Kind::kPlus || conjunction == Kind::kAnd ||
             (require_all && conjunction != Kind::kOr)) {
    occur = Occur::kMust;
  }
  clauses.push_back({occur, std::move(query)});
}

absl::StatusOr<QueryPointer> Descent::Group(const QueryScope& scope, size_t depth) {
  std::vector<Clause> clauses;
  clauses.reserve(4);  // more than most groups have
  bool is_first = true;
  while (token_.kind != Kind::kEnd && token_.kind != Kind::kRightParen) {
    PMDEX_ASSIGN_OR_RETURN(const Kind conjunction, Conjunction(is_first));
    PMDEX_ASSIGN_OR_RETURN(const Kind modifier, Modifier());
    may_join_words_ = conjunction == Kind::kEnd && modifier == Kind::kEnd;
    PMDEX_ASSIGN_OR_RETURN(QueryPointer query, ClauseOf(scope, depth));
    AddClause(conjunction, modifier, require_all_, std::move(query), clauses);
    is_first = false;
  }
  if (clauses.empty()) return QueryPointer();
  if (clauses.size() == 1 && clauses[0].occur != Occur::kMustNot) {
    return std::move(clauses[0].query);
  }
  auto group = std::make_unique<Query>();
  group->kind = QueryKind::kBoolean;
  group->clauses = std::move(clauses);
  return group;
}

// kEnd when there is none.
absl::StatusOr<Kind> Descent::Conjunction(bool is_first) {
  if (!IsConjunction(token_.kind)) return Kind::kEnd;
  const QueryToken conjunction = token_;
  if (is_first) return Fail(conjunction.begin, "nothing stands before " + Written(conjunction));
  PMDEX_RETURN_IF_ERROR(Advance());
  if (token_.kind == Kind::kEnd || token_.kind == Kind::kRightParen) {
    return Fail(conjunction.begin, "nothing follows " + Written(conjunction));
  }
  if (IsConjunction(token_.kind)) return Fail(token_.begin, "two operators in a row");
  return conjunction.kind;
}

// kEnd when there is none.
absl::StatusOr<Kind> Descent::Modifier() {
  if (token_.kind == Kind::kBareOperator) {
    // A word, unless nothing follows it.
    const QueryToken bare = token_;
    const QueryLexer here = lexer_;
    PMDEX_RETURN_IF_ERROR(Advance());
    if (token_.kind == Kind::kEnd || token_.kind == Kind::kRightParen) {
      return Fail(bare.begin, "nothing follows " + Written(bare));
    }
    token_ = bare;
    lexer_ = here;
    return Kind::kEnd;
  }
  if (!IsModifier(token_.kind)) return Kind::kEnd;
  const QueryToken modifier = token_;
  PMDEX_RETURN_IF_ERROR(Advance());
  if (token_.kind == Kind::kEnd || token_.kind == Kind::kRightParen) {
    return Fail(modifier.begin, "nothing follows " + Written(modifier));
  }
  if (IsModifier(token_.kind) || IsConjunction(token_.kind)) {
    return Fail(token_.begin, "two operators in a row");
  }
  return modifier.kind;
}

absl::StatusOr<QueryPointer> Descent::ClauseOf(const QueryScope& scope, size_t depth) {
  switch (token_.kind) {
    case Kind::kLeftParen:
      return Parenthesized(scope, depth);
    case Kind::kWord:
    case Kind::kQuoted:
    case Kind::kRegexp:
    case Kind::kBareOperator:
      break;
    case Kind::kRange:
      if (scope.is_named || field_reader_ != nullptr) break;
      return Fail(token_.begin, "a range needs a field name and a colon before it");
    case Kind::kColon:
      return Fail(token_.begin, "no field name stands before the colon");
    case Kind::kBoost:
    case Kind::kTilde:
      return Fail(token_.begin, "nothing stands before " + Written(token_));
    default:
      return Fail(token_.begin, "two operators in a row");
  }
  if (token_.kind == Kind::kWord && lexer_.IsBeforeColon()) {
    const QueryToken name = token_;
    PMDEX_RETURN_IF_ERROR(Advance());
    return InField(name, depth);
  }
  return WordOrPhrase(scope);
}

// Requires that the current token is the colon after the field name.
absl::StatusOr<QueryPointer> Descent::InField(const QueryToken& name, size_t depth) {
  const size_t colon = token_.begin;
  PMDEX_ASSIGN_OR_RETURN(token_, lexer_.NextValue());
  const bool is_every = name.text == "*";
  if (is_every && token_.kind == Kind::kWord && token_.text == "*") return StarOfEveryField();
  if (is_every && field_reader_ == nullptr) {
    return Fail(name.begin, "the only query over every field by name is *:*");
  }
  if (name.wildcards != 0 && !is_every) return Fail(name.begin, "a field name has no wildcards");
  may_join_words_ = false;  // the words behind this one are not in the field
  const std::string field = Unescape(name.text);
  const QueryScope scope{std::span<const std::string>(&field, 1), true};
  switch (token_.kind) {
    case Kind::kLeftParen:
      return Parenthesized(scope, depth);
    case Kind::kWord:
    case Kind::kQuoted:
    case Kind::kRegexp:
    case Kind::kRange:
    case Kind::kComparison:
      return WordOrPhrase(scope);
    case Kind::kEnd:
    case Kind::kRightParen:
      return Fail(colon, "nothing follows the colon");
    default:
      return Fail(token_.begin, "a word, a phrase or a parenthesis must follow the colon");
  }
}

absl::StatusOr<QueryPointer> Descent::Parenthesized(const QueryScope& scope, size_t depth) {
  const size_t open = token_.begin;
  if (depth >= limits_.max_depth) {
    return Fail(open, "more than " + std::to_string(limits_.max_depth) + " nested parentheses");
  }
  PMDEX_RETURN_IF_ERROR(Advance());
  if (token_.kind == Kind::kRightParen) return Fail(open, "the parentheses are empty");
  PMDEX_ASSIGN_OR_RETURN(QueryPointer query, Group(scope, depth + 1));
  if (token_.kind == Kind::kEnd) return Fail(open, "the parenthesis is never closed");
  PMDEX_RETURN_IF_ERROR(Advance());
  if (token_.kind == Kind::kBoost) {
    const float boost = TakeBoost();
    if (query != nullptr) query->boost *= boost;
    PMDEX_RETURN_IF_ERROR(Advance());
  }
  if (token_.kind == Kind::kTilde || token_.kind == Kind::kBoost) {
    return Fail(token_.begin, Written(token_) + " cannot stand here");
  }
  return query;
}

// Parses a word or phrase and what may follow it: ~N and ^N, in either order, each at most once.
absl::StatusOr<QueryPointer> Descent::WordOrPhrase(const QueryScope& scope) {
  const QueryToken token = token_;
  const bool may_join_words = may_join_words_;
  PMDEX_RETURN_IF_ERROR(Advance());
  const std::optional<QueryFieldReader::TextKind> kind = KindForReader(token, scope);
  QueryFieldReader::Text read;
  if (kind.has_value()) read = {*kind, Unescape(token.text)};
  if (may_join_words && kind == QueryFieldReader::TextKind::kWords) {
    PMDEX_RETURN_IF_ERROR(TakeFollowingWords(scope, read.text));
  }
  std::optional<QueryToken> tilde;
  std::optional<QueryToken> boost;
  while (token_.kind == Kind::kTilde || token_.kind == Kind::kBoost) {
    std::optional<QueryToken>& place = token_.kind == Kind::kTilde ? tilde : boost;
    if (place.has_value()) return Fail(token_.begin, Written(token_) + " cannot stand here");
    if (token_.kind == Kind::kBoost) TakeBoost();
    place = token_;
    PMDEX_RETURN_IF_ERROR(Advance());
  }
  if (token_.kind == Kind::kColon) {
    return Fail(token_.begin, "no field name stands before the colon");
  }
  QueryPointer query;
  if (kind == QueryFieldReader::TextKind::kPhrase) {
    PMDEX_ASSIGN_OR_RETURN(read.slop, SlopOf(text_, tilde));
  }
  // A tilde behind a star means nothing.
  if (kind.has_value() && (kind != QueryFieldReader::TextKind::kWords || !tilde.has_value())) {
    PMDEX_ASSIGN_OR_RETURN(query, field_reader_->Read(NameOf(scope), read));
  } else {
    PMDEX_ASSIGN_OR_RETURN(query, Leaf(token, tilde, scope));
  }
  if (builder_.leaves() > limits_.max_clauses) {
    return Fail(token.begin, "more than " + std::to_string(limits_.max_clauses) + " words");
  }
  if (query != nullptr && boost.has_value()) query->boost *= boost->boost;
  return query;
}

std::optional<QueryFieldReader::TextKind> Descent::KindForReader(const QueryToken& token,
                                                                 const QueryScope& scope) const {
  if (field_reader_ == nullptr) return std::nullopt;
  auto kind = QueryFieldReader::TextKind::kWords;
  if (token.kind == Kind::kQuoted) {
    kind = QueryFieldReader::TextKind::kPhrase;
  } else if (token.kind != Kind::kWord) {
    return std::nullopt;
  } else if (token.wildcards != 0) {
    if (token.text != "*") return std::nullopt;
    kind = QueryFieldReader::TextKind::kStar;
  }
  return field_reader_->Reads(NameOf(scope), kind) ? std::optional(kind) : std::nullopt;
}

// The query of one token, in each field that the scope stands for.
absl::StatusOr<QueryPointer> Descent::Leaf(const QueryToken& token,
                                           const std::optional<QueryToken>& tilde,
                                           const QueryScope& scope) {
  if (field_reader_ == nullptr) return BuildLeaf(text_, token, tilde, scope, builder_);
  return BuildLeafInFields(text_, token, tilde, field_reader_->FieldsOf(NameOf(scope)),
                           field_reader_->IsLenient(), builder_);
}

// Appends the words that follow, up to the last one that nothing but a space, an operator or a
// parenthesis follows.
absl::Status Descent::TakeFollowingWords(const QueryScope& scope, std::string& words) {
  const auto belongs_to_word = [](Kind kind) {
    return kind == Kind::kColon || kind == Kind::kTilde || kind == Kind::kBoost;
  };
  if (belongs_to_word(token_.kind)) return absl::OkStatus();
  while (IsReadAsWords(token_, scope)) {
    const QueryToken word = token_;
    const QueryLexer here = lexer_;
    PMDEX_RETURN_IF_ERROR(Advance());
    if (belongs_to_word(token_.kind)) {
      token_ = word;
      lexer_ = here;
      break;
    }
    words += " " + Unescape(word.text);
  }
  return absl::OkStatus();
}

// Parses `*:*`. Requires that the current token is the star after the colon.
absl::StatusOr<QueryPointer> Descent::StarOfEveryField() {
  PMDEX_RETURN_IF_ERROR(Advance());
  QueryPointer all = QueryBuilder::AllDocuments();
  if (token_.kind == Kind::kBoost) {
    all->boost = TakeBoost();
    PMDEX_RETURN_IF_ERROR(Advance());
  }
  if (token_.kind == Kind::kTilde || token_.kind == Kind::kBoost || token_.kind == Kind::kColon) {
    return Fail(token_.begin, Written(token_) + " cannot stand here");
  }
  return all;
}

}  // namespace

QueryParser::QueryParser(Analyzer& analyzer, const QueryParserLimits& limits)
    : analyzer_(analyzer), default_fields_(QueryFields::Every()), limits_(limits) {}

QueryParser::QueryParser(Analyzer& analyzer, std::span<const std::string> default_fields,
                         const QueryParserLimits& limits)
    : analyzer_(analyzer), default_fields_(default_fields), limits_(limits) {}

absl::StatusOr<std::unique_ptr<Query>> QueryParser::Parse(std::string_view text) {
  if (text.size() > limits_.max_query_bytes) {
    return InvalidArgument("column 1: the query has " + std::to_string(text.size()) +
                           " bytes, more than " + std::to_string(limits_.max_query_bytes));
  }
  Descent descent(analyzer_, default_fields_, limits_, require_all_, field_reader_, text);
  descent.builder().set_edits_of_tilde(edits_of_tilde_);
  descent.builder().set_folds_regexps(folds_regexps_);
  descent.builder().set_columns(columns_);
  return descent.Run();
}

}  // namespace pmdex
