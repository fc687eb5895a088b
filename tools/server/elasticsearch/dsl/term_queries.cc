#include "tools/server/elasticsearch/dsl/term_queries.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/column_queries.h"
#include "tools/server/elasticsearch/dsl/field_types.h"
#include "tools/server/elasticsearch/dsl/full_text_queries.h"
#include "tools/server/elasticsearch/dsl/match_options.h"
#include "tools/server/elasticsearch/name_pattern.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

struct TermValue {
  std::string text;
  bool case_insensitive = false;
};

absl::StatusOr<TermValue> ReadValue(std::string_view query, const Json& options,
                                    const char* key = "value") {
  TermValue value;
  if (!options.contains(key) || options[key].is_null()) {
    return BadArgument(absl::StrCat("[", ToAbsl(query), "] value cannot be null"));
  }
  PMDEX_ASSIGN_OR_RETURN(value.text, JsonText(key, options[key]));
  if (options.contains("case_insensitive")) {
    PMDEX_ASSIGN_OR_RETURN(value.case_insensitive,
                           JsonSwitch("case_insensitive", options["case_insensitive"]));
  }
  return value;
}

char SwappedCase(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c))
             ? absl::ascii_toupper(static_cast<unsigned char>(c))
             : absl::ascii_tolower(static_cast<unsigned char>(c));
}

// A regular expression that matches the pattern's terms. wildcards: `*` and `?` have their meaning.
std::string AsRegexp(std::string_view pattern, bool wildcards) {
  std::string expression;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (wildcards && c == '*') {
      expression += ".*";
    } else if (wildcards && c == '?') {
      expression += '.';
    } else {
      const bool escapes = wildcards && c == '\\' && i + 1 < pattern.size();
      const char literal = escapes ? pattern[++i] : c;
      const auto byte = static_cast<unsigned char>(literal);
      if (byte < 0x80 && !absl::ascii_isalnum(byte)) expression += '\\';
      expression += literal;
    }
  }
  return expression;
}

bool IsColumn(const DslScope& scope, std::string_view field) {
  return scope.ColumnTypeOf(field).has_value();
}

bool IsKeyword(const DslScope& scope, std::string_view field) {
  return scope.ColumnTypeOf(field) == FieldType::kKeyword;
}

absl::Status NoCaseOfColumn(const DslScope& scope, std::string_view field) {
  return ShardError("query_shard_exception",
                    absl::StrCat("[", ToAbsl(field), "] field which is of type [",
                                 MappedTypeName(*scope.ColumnTypeOf(field)),
                                 "], does not support case insensitive term queries"),
                    scope.index().name);
}

QueryPtr IgnoringCase(std::string_view field, std::string_view expression) {
  return FieldLeaf(QueryKind::kRegexp, field, WithoutCase(expression));
}

}  // namespace

std::string WithoutCase(std::string_view expression) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\' && i + 1 < expression.size()) {
      out += c;
      out += expression[++i];
      continue;
    }
    const bool is_range = in_class && i + 2 < expression.size() && expression[i + 1] == '-' &&
                          expression[i + 2] != ']';
    if (is_range) {
      const char last = expression[i + 2];
      out += expression.substr(i, 3);
      const bool same_case = absl::ascii_isalpha(static_cast<unsigned char>(c)) &&
                             absl::ascii_isalpha(static_cast<unsigned char>(last)) &&
                             absl::ascii_islower(static_cast<unsigned char>(c)) ==
                                 absl::ascii_islower(static_cast<unsigned char>(last));
      if (same_case) out.append({SwappedCase(c), '-', SwappedCase(last)});
      i += 2;
    } else if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      const std::string both = {c, SwappedCase(c)};
      out += in_class ? both : "[" + both + "]";
    } else {
      if (c == '[') in_class = true;
      if (c == ']') in_class = false;
      out += c;
    }
  }
  return out;
}

QueryOr ReadTerm(DslScope& scope, std::string_view field, const Json& options) {
  PMDEX_ASSIGN_OR_RETURN(const TermValue value, ReadValue("term", options));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  if (field == "_id") return ConstantScoreOf(IdsQuery({value.text}));
  if (field == "_index") return scope.OfIndexes({value.text});
  if (IsColumn(scope, field)) {
    if (!value.case_insensitive) return ColumnTerm(scope, field, value.text);
    if (!IsKeyword(scope, field)) return NoCaseOfColumn(scope, field);
    if (value.text.empty()) return QueryOfKind(QueryKind::kNone);
  }
  if (value.case_insensitive) return IgnoringCase(field, AsRegexp(value.text, false));
  return FieldLeaf(QueryKind::kTerm, field, value.text);
}

QueryOr ReadPrefix(DslScope& scope, std::string_view field, const Json& options) {
  PMDEX_ASSIGN_OR_RETURN(const TermValue value, ReadValue("prefix", options));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  if (field == "_id") return NotOfIds(scope, "prefix");
  if (field == "_index") return scope.OfIndexes({value.text + "*"});
  if (IsColumn(scope, field) && !(value.case_insensitive && IsKeyword(scope, field))) {
    return ColumnPrefix(scope, field, value.text);
  }
  if (value.case_insensitive) return IgnoringCase(field, AsRegexp(value.text, false) + ".*");
  return FieldLeaf(QueryKind::kPrefix, field, value.text);
}

QueryOr ReadWildcard(DslScope& scope, std::string_view field, const Json& options) {
  const char* const key = options.contains("wildcard") ? "wildcard" : "value";
  PMDEX_ASSIGN_OR_RETURN(const TermValue value, ReadValue("wildcard", options, key));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  if (field == "_id") return NotOfIds(scope, "wildcard");
  if (field == "_index") return scope.OfIndexes({value.text});
  if (IsColumn(scope, field) && !(value.case_insensitive && IsKeyword(scope, field))) {
    return ColumnWildcard(scope, field, value.text);
  }
  if (value.case_insensitive) return IgnoringCase(field, AsRegexp(value.text, true));
  return FieldLeaf(QueryKind::kWildcard, field, value.text);
}

QueryOr ReadRegexp(DslScope& scope, std::string_view field, const Json& options) {
  PMDEX_ASSIGN_OR_RETURN(const TermValue value, ReadValue("regexp", options));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  if (field == "_id") return NotOfIds(scope, "regexp");
  if (IsColumn(scope, field) && !IsKeyword(scope, field)) {
    return NoQueryOfColumn(scope, "regexp", field);
  }
  if (value.case_insensitive) return IgnoringCase(field, value.text);
  return FieldLeaf(QueryKind::kRegexp, field, value.text);
}

QueryOr ReadFuzzy(DslScope& scope, std::string_view field, const Json& options) {
  PMDEX_ASSIGN_OR_RETURN(const TermValue value, ReadValue("fuzzy", options));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  if (field == "_id") return NotOfIds(scope, "fuzzy");
  if (IsColumn(scope, field) && !IsKeyword(scope, field)) {
    return NoQueryOfColumn(scope, "fuzzy", field);
  }
  Json as_match = options;
  as_match["query"] = value.text;
  PMDEX_ASSIGN_OR_RETURN(const MatchOptions match, ReadMatchOptions("fuzzy", as_match));
  Fuzziness fuzziness;
  fuzziness.automatic = true;
  fuzziness = match.fuzziness.value_or(fuzziness);
  const uint32_t edits = fuzziness.EditsOf(value.text);
  if (!IsColumn(scope, field) && value.text.empty()) return QueryOfKind(QueryKind::kNone);
  return IsColumn(scope, field) ? FuzzyKeywordLeaf(field, value.text, edits, match)
                                : FuzzyLeaf(field, value.text, edits, match);
}

QueryOr ReadTerms(DslScope& scope, const Json& body) {
  const Json* values = nullptr;
  std::string field;
  for (const auto& [key, value] : body.items()) {
    if (HasWord(FindQueryOptions("terms")->options, key)) continue;
    if (!value.is_array()) return UnknownKey("[terms] query", key);
    if (values != nullptr) {
      return ApiError(400, "parsing_exception", "[terms] query does not support multiple fields");
    }
    values = &value;
    field = key;
  }
  if (values == nullptr) {
    return ApiError(400, "parsing_exception",
                    "[terms] query requires a field name, followed by array of terms");
  }
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string> terms, JsonTexts(field, *values));
  PMDEX_RETURN_IF_ERROR(scope.Count(terms.size()));
  if (field == "_id") return ConstantScoreOf(IdsQuery(std::move(terms)));
  if (field == "_index") return scope.OfIndexes(terms);
  std::vector<QueryPtr> leaves;
  const bool is_column = scope.ColumnTypeOf(field).has_value();
  for (const std::string& term : terms) {
    if (is_column) {
      PMDEX_ASSIGN_OR_RETURN(leaves.emplace_back(), ColumnTerm(scope, field, term));
    } else {
      leaves.push_back(FieldLeaf(QueryKind::kTerm, field, term));
    }
  }
  return ConstantScoreOf(AllOf(Occur::kShould, std::move(leaves)));
}

QueryOr ReadIds(DslScope& scope, const Json& options) {
  std::vector<std::string> ids;
  if (options.contains("values")) {
    PMDEX_ASSIGN_OR_RETURN(ids, JsonTexts("values", options["values"]));
  }
  PMDEX_RETURN_IF_ERROR(scope.Count(ids.size()));
  return IdsQuery(std::move(ids));
}

QueryOr ReadExists(DslScope& scope, const Json& options) {
  if (!options.contains("field")) {
    return ApiError(400, "parsing_exception", "[exists] must be provided with a [field]");
  }
  PMDEX_ASSIGN_OR_RETURN(const std::string field, JsonText("field", options["field"]));
  if (field.empty()) return BadArgument("field name is null or empty");
  return ExistsIn(scope, field);
}

QueryOr ExistsIn(DslScope& scope, std::string_view field) {
  if (field == "_source") {
    return ShardError("query_shard_exception", "The _source field is not searchable",
                      scope.index().name);
  }
  if (field == "_id" || field == "_index") {
    return QueryOfKind(QueryKind::kAll);
  }
  const std::string inside = std::string(field) + ".";
  std::vector<QueryPtr> leaves;
  for (const std::string& name : scope.index().fields) {
    if (!MatchesNamePattern(field, name) && !name.starts_with(inside)) continue;
    leaves.push_back(FieldLeaf(QueryKind::kExists, name, ""));
  }
  for (const std::string& name : scope.index().column_names) {
    if (!MatchesNamePattern(field, name) && !name.starts_with(inside)) continue;
    leaves.push_back(ColumnExists(scope, name));
  }
  PMDEX_RETURN_IF_ERROR(scope.Count(leaves.size()));
  if (leaves.size() == 1) return std::move(leaves[0]);
  return ConstantScoreOf(AllOf(Occur::kShould, std::move(leaves)));
}

}  // namespace pmdex
