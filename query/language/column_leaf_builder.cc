#include "query/language/column_leaf_builder.h"

#include <utility>

#include "query/columns/column_range.h"
#include "query/columns/value_bounds.h"
#include "query/language/query_escapes.h"

namespace pmdex {
namespace {

// A place of the query and what stands there.
struct Written {
  size_t begin = 0;
  std::string_view text;  // with escapes, and perhaps in quotes
};

std::string ValueOf(std::string_view written) {
  const bool is_quoted = written.size() >= 2 && written.front() == '"';
  return Unescape(is_quoted ? written.substr(1, written.size() - 2) : written);
}

std::optional<BoundText> BoundOf(std::string_view written, bool inclusive) {
  if (written == "*") return std::nullopt;
  return BoundText{ValueOf(written), inclusive};
}

// The operator at the begin of a comparison: "<", "<=", ">" or ">="; empty if there is none.
std::string_view OperatorOf(std::string_view text) {
  if (text.empty() || (text[0] != '<' && text[0] != '>')) return {};
  return text.substr(0, text.size() > 1 && text[1] == '=' ? 2 : 1);
}

class ColumnLeafBuilder {
 public:
  ColumnLeafBuilder(std::string_view text, std::string_view field, FieldType type,
                    const ColumnKnowledge& knowledge)
      : text_(text), field_(field), type_(type), knowledge_(knowledge) {}

  absl::StatusOr<ColumnRange> Build(const QueryToken& token) const {
    switch (token.kind) {
      case QueryTokenKind::kRange:
        return Range(token);
      case QueryTokenKind::kComparison:
        return Comparison(token.text, {token.begin, token.low});
      case QueryTokenKind::kQuoted:
        return Equality({token.begin, token.text});
      case QueryTokenKind::kRegexp:
        return Fail(token.begin, "has no regular expressions");
      default:
        return Word(token);
    }
  }

 private:
  absl::Status Fail(size_t offset, std::string_view what) const {
    return QueryError(text_, offset,
                      "a field of type " + std::string(ToString(type_)) + " " + std::string(what));
  }
  absl::Status Bad(const Written& value) const {
    return QueryError(
        text_, value.begin,
        "'" + ValueOf(value.text) + "' is no value of type " + std::string(ToString(type_)));
  }

  absl::StatusOr<ColumnRange> Range(const QueryToken& token) const {
    const auto at = [this](std::string_view part) {
      return Written{static_cast<size_t>(part.data() - text_.data()), part};
    };
    RangeOutcome outcome =
        knowledge_.RangeOf(field_, type_, BoundOf(token.low, token.low_inclusive),
                           BoundOf(token.high, token.high_inclusive));
    if (outcome.bad == BadBound::kLow) return Bad(at(token.low));
    if (outcome.bad == BadBound::kHigh) return Bad(at(token.high));
    return std::move(outcome.range);
  }

  absl::StatusOr<ColumnRange> Comparison(std::string_view sign, const Written& value) const {
    const BoundText bound{ValueOf(value.text), sign.size() == 2};
    RangeOutcome outcome = sign[0] == '>' ? knowledge_.RangeOf(field_, type_, bound, std::nullopt)
                                          : knowledge_.RangeOf(field_, type_, std::nullopt, bound);
    if (outcome.bad != BadBound::kNone) return Bad(value);
    return std::move(outcome.range);
  }

  absl::StatusOr<ColumnRange> Equality(const Written& value) const {
    RangeOutcome outcome = knowledge_.EqualityOf(field_, type_, Unescape(value.text));
    if (outcome.bad != BadBound::kNone) return Bad(value);
    return std::move(outcome.range);
  }

  absl::StatusOr<ColumnRange> Word(const QueryToken& token) const {
    if (token.text == "*") return MakeRange(type_, std::nullopt, std::nullopt, 0).range;
    if (token.wildcards != 0) {
      if (type_ != FieldType::kKeyword) return Fail(token.begin, "has no wildcards");
      const std::string pattern = UnescapeNumbers(token.text);
      const bool is_prefix = token.wildcards == 1 && pattern.back() == '*';
      if (is_prefix) return MakePrefix(Unescape(pattern.substr(0, pattern.size() - 1)));
      return MakeWildcard(pattern);
    }
    const std::string_view sign = OperatorOf(token.text);
    if (sign.empty()) return Equality({token.begin, token.text});
    const Written value{token.begin, token.text.substr(sign.size())};
    return Comparison(sign, value);
  }

  std::string_view text_;
  std::string_view field_;
  FieldType type_;
  const ColumnKnowledge& knowledge_;
};

bool IsRangeToken(const QueryToken& token) {
  return token.kind == QueryTokenKind::kRange || token.kind == QueryTokenKind::kComparison;
}

}  // namespace

RangeOutcome ColumnKnowledge::RangeOf(std::string_view field, FieldType type,
                                      const std::optional<BoundText>& low,
                                      const std::optional<BoundText>& high) const {
  if (range_of) {
    if (auto outcome = range_of(field, low, high)) return *std::move(outcome);
  }
  return MakeRange(type, low, high, now);
}

RangeOutcome ColumnKnowledge::EqualityOf(std::string_view field, FieldType type,
                                         std::string_view text) const {
  if (range_of) {
    const BoundText bound{std::string(text), true};
    if (auto outcome = range_of(field, bound, bound)) return *std::move(outcome);
  }
  return MakeEquality(type, text, now);
}

bool IsColumnLeaf(const QueryToken& token, std::string_view field,
                  const ColumnKnowledge& knowledge) {
  if (IsRangeToken(token)) return true;
  const std::optional<FieldType> type = knowledge.TypeOf(field);
  return type.has_value() && *type != FieldType::kText;
}

absl::StatusOr<std::unique_ptr<Query>> BuildColumnLeaf(std::string_view text,
                                                       const QueryToken& token,
                                                       const std::optional<QueryToken>& tilde,
                                                       const std::string& field,
                                                       const ColumnKnowledge& knowledge) {
  if (tilde.has_value()) {
    return QueryError(text, tilde->begin, "a value of a field that is not text has no ~");
  }
  auto leaf = std::make_unique<Query>();
  leaf->kind = QueryKind::kRange;
  leaf->field = field;
  leaf->text = text.substr(token.begin, token.end - token.begin);
  const std::optional<FieldType> type = knowledge.TypeOf(field);
  if (!type.has_value()) return leaf;
  if (*type == FieldType::kText) {
    return QueryError(text, token.begin, "the field " + field + " is text, which has no ranges");
  }
  PMDEX_ASSIGN_OR_RETURN(ColumnRange range,
                         ColumnLeafBuilder(text, field, *type, knowledge).Build(token));
  leaf->range = std::make_shared<const ColumnRange>(std::move(range));
  return leaf;
}

}  // namespace pmdex
