#include "tools/server/elasticsearch/dsl/dsl_scope.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/name_pattern.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

class TokenCollector final : public TokenSink {
 public:
  void Accept(std::span<const Token> tokens) override {
    for (const Token& token : tokens) {
      collected.push_back({std::string(token.term), token.position});
    }
  }
  std::vector<DslToken> collected;
};

absl::StatusOr<WeightedField> SplitBoost(std::string_view text) {
  const size_t caret = text.find('^');
  if (caret == text.npos) return WeightedField{std::string(text), 1.0f};
  const std::string_view digits = text.substr(caret + 1);
  float boost = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, boost);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(boost >= 0) || std::isinf(boost)) {
    return ApiError(400, "number_format_exception",
                    absl::StrCat("the boost of the field [", ToAbsl(text), "] is not a number"));
  }
  return WeightedField{std::string(text.substr(0, caret)), boost};
}

void AddField(std::vector<WeightedField>& fields, WeightedField added) {
  for (WeightedField& field : fields) {
    if (field.name == added.name) {
      field.boost *= added.boost;
      return;
    }
  }
  fields.push_back(std::move(added));
}

}  // namespace

absl::StatusOr<AnalyzerKind> DslScope::KindOf(const std::optional<std::string>& analyzer,
                                              std::string_view query) const {
  if (!analyzer.has_value()) return index_.analyzer;
  absl::StatusOr<AnalyzerKind> kind = ParseAnalyzerKind(*analyzer);
  if (kind.ok()) return kind;
  return ShardError("query_shard_exception",
                    absl::StrCat("[", ToAbsl(query), "] analyzer [", *analyzer, "] not found"),
                    index_.name);
}

std::optional<FieldType> DslScope::ColumnTypeOf(std::string_view field) const {
  const std::optional<FieldType> type = index_.columns.TypeOf(field);
  return type == FieldType::kText ? std::nullopt : type;
}

std::vector<DslToken> DslScope::Analyze(std::string_view text, AnalyzerKind kind) {
  const AnalyzerPool::Borrowed analyzer = Borrow(kind);
  TokenCollector collector;
  (*analyzer).Analyze(text, 0, collector);
  return std::move(collector.collected);
}

QueryPtr DslScope::OfIndexes(const std::vector<std::string>& patterns) const {
  const bool is_named = MatchesAnyNamePattern(patterns, index_.name);
  return QueryOfKind(is_named ? QueryKind::kAll : QueryKind::kNone);
}

absl::Status DslScope::Count(size_t leaves) {
  leaves_ += leaves;
  if (leaves_ <= max_clauses_) return absl::OkStatus();
  return ShardError("too_many_clauses", absl::StrCat("maxClauseCount is set to ", max_clauses_),
                    index_.name);
}

std::vector<WeightedField> FieldsLike(const DslIndex& index, std::string_view pattern) {
  std::vector<WeightedField> fields;
  for (const std::string& field : index.fields) {
    if (MatchesNamePattern(pattern, field)) fields.push_back({field, 1});
  }
  for (const std::string& field : index.column_names) {
    if (MatchesNamePattern(pattern, field)) fields.push_back({field, 1});
  }
  return fields;
}

absl::StatusOr<std::vector<WeightedField>> ExpandFields(const DslIndex& index,
                                                        const std::vector<std::string>& names) {
  std::vector<WeightedField> fields;
  for (const std::string& text : names) {
    PMDEX_ASSIGN_OR_RETURN(const WeightedField asked, SplitBoost(text));
    if (asked.name.find('*') == std::string::npos) {
      AddField(fields, asked);
      continue;
    }
    for (WeightedField& field : FieldsLike(index, asked.name)) {
      field.boost = asked.boost;
      AddField(fields, std::move(field));
    }
  }
  return fields;
}

absl::StatusOr<std::vector<std::string>> FieldsOrAll(const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string> names, JsonTexts("fields", value));
  if (names.empty()) names.emplace_back("*");
  return names;
}

bool NamesAllFields(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.substr(0, name.find('^')) == "*"; });
}

}  // namespace pmdex
