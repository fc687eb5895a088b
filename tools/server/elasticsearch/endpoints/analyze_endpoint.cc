#include "tools/server/elasticsearch/endpoints/analyze_endpoint.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "engine/analysis/code_points.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/query_reader.h"
#include "tools/server/elasticsearch/search/index_query.h"

namespace pmdex {
namespace {

constexpr uint32_t kGapBetweenValues = 100;  // positions between two values of a field
constexpr size_t kMostTokens = 10'000;

uint32_t Utf16Units(std::string_view text) {
  uint32_t units = 0;
  while (!text.empty()) {
    const size_t size = CodePointBytes(text);
    units += size == 4 ? 2 : 1;
    text.remove_prefix(size);
  }
  return units;
}

// What Lucene calls a token that begins with this character of a script without spaces or with one
// character a token; empty for any other.
std::string_view ScriptType(uint32_t character) {
  struct Script {
    uint32_t first, last;
    std::string_view type;
  };
  static constexpr Script kScripts[] = {
      {0x0e00, 0x0eff, "<SOUTHEAST_ASIAN>"},  // Thai, Lao
      {0x1000, 0x109f, "<SOUTHEAST_ASIAN>"},  // Myanmar
      {0x1100, 0x11ff, "<HANGUL>"},           //
      {0x1780, 0x17ff, "<SOUTHEAST_ASIAN>"},  // Khmer
      {0x3007, 0x3007, "<IDEOGRAPHIC>"},      // the number zero
      {0x3041, 0x309f, "<HIRAGANA>"},         //
      {0x30a1, 0x30ff, "<KATAKANA>"},         //
      {0x3131, 0x318e, "<HANGUL>"},           //
      {0x31f0, 0x31ff, "<KATAKANA>"},         // phonetic extensions
      {0x3400, 0x4dbf, "<IDEOGRAPHIC>"},      //
      {0x4e00, 0x9fff, "<IDEOGRAPHIC>"},      //
      {0xa960, 0xa97c, "<HANGUL>"},           //
      {0xac00, 0xd7fb, "<HANGUL>"},           //
      {0xf900, 0xfaff, "<IDEOGRAPHIC>"},      //
      {0x20000, 0x323af, "<IDEOGRAPHIC>"},
  };
  for (const Script& script : kScripts) {
    if (character >= script.first && character <= script.last) return script.type;
  }
  return {};
}

std::string_view TypeOf(std::string_view term, AnalyzerKind kind) {
  if (kind == AnalyzerKind::kWhitespace || kind == AnalyzerKind::kLog) return "word";
  const bool is_number = std::all_of(term.begin(), term.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.' || c == ',' || c == '_';
  });
  if (is_number) return "<NUM>";
  std::vector<uint32_t> first;
  DecodeCodePoints(term.substr(0, CodePointBytes(term)), first);
  const std::string_view script = first.empty() ? "" : ScriptType(first[0]);
  return script.empty() ? "<ALPHANUM>" : script;
}

class TokenWriter final : public TokenSink {
 public:
  TokenWriter(std::string_view text, AnalyzerKind kind, uint32_t first_unit, Json& tokens)
      : text_(text), kind_(kind), first_unit_(first_unit), tokens_(tokens) {}

  void Accept(std::span<const Token> batch) override {
    for (const Token& token : batch) {
      if (tokens_.size() > kMostTokens) return;
      const uint32_t begin = UnitAt(token.begin);
      const uint32_t size = Utf16Units(text_.substr(token.begin, token.end - token.begin));
      tokens_.push_back({{"token", token.term},
                         {"start_offset", begin},
                         {"end_offset", begin + size},
                         {"type", TypeOf(token.term, kind_)},
                         {"position", token.position}});
    }
  }

 private:
  // Tokens ascend but for pieces of one word, so that the text is counted once.
  uint32_t UnitAt(size_t byte) {
    if (byte < counted_bytes_) {
      unit_ = first_unit_;
      counted_bytes_ = 0;
    }
    unit_ += Utf16Units(text_.substr(counted_bytes_, byte - counted_bytes_));
    counted_bytes_ = byte;
    return unit_;
  }

  const std::string_view text_;
  const AnalyzerKind kind_;
  const uint32_t first_unit_;
  Json& tokens_;
  size_t counted_bytes_ = 0;
  uint32_t unit_ = first_unit_;
};

// The analyzer that the body names, that of the index, or the standard one.
absl::StatusOr<AnalyzerKind> ChooseAnalyzer(const ApiCall& call) {
  AnalyzerKind kind = AnalyzerKind::kStandard;
  if (!call.index.empty()) {
    PMDEX_ASSIGN_OR_RETURN(const auto index, FindIndex(call.index, call.indexes));
    kind = index->searcher->snapshot().settings().analyzer;
  }
  if (call.body.contains("field")) {
    PMDEX_RETURN_IF_ERROR(JsonText("field", call.body["field"]).status());
    const bool is_needed = !call.body.contains("analyzer");
    if (call.index.empty() && is_needed) return BadArgument("[field] needs an index in the path");
  }
  if (!call.body.contains("analyzer")) return kind;
  PMDEX_ASSIGN_OR_RETURN(const std::string name, JsonText("analyzer", call.body["analyzer"]));
  absl::StatusOr<AnalyzerKind> named = ParseAnalyzerKind(name);
  if (named.ok()) return named;
  return BadArgument(absl::StrCat("failed to find global analyzer [", name, "]"));
}

// The type of the field that the body names, where its analyzer is asked for; nullopt for text, and
// for a field that the index does not have.
absl::StatusOr<std::optional<FieldType>> TypeOfField(const ApiCall& call) {
  std::optional<FieldType> type;
  if (call.index.empty() || !call.body.contains("field") || call.body.contains("analyzer")) {
    return type;
  }
  PMDEX_ASSIGN_OR_RETURN(const auto index, FindIndex(call.index, call.indexes));
  PMDEX_ASSIGN_OR_RETURN(const std::string field, JsonText("field", call.body["field"]));
  type = DslIndexOf(*index).columns.TypeOf(field);
  if (type == FieldType::kText) type.reset();
  if (field != "_id" && (!type.has_value() || type == FieldType::kKeyword)) return type;
  return BadArgument(absl::StrCat("Can't process field [", field,
                                  "], Analysis requests are only supported on tokenized fields"));
}

// A keyword is one token, as it is.
ApiAnswerOr KeywordTokens(const std::vector<std::string>& texts) {
  Json tokens = Json::array();
  uint32_t unit = 0;
  for (const std::string& text : texts) {
    const uint32_t end = unit + Utf16Units(text);
    tokens.push_back({{"token", text},
                      {"start_offset", unit},
                      {"end_offset", end},
                      {"type", "word"},
                      {"position", tokens.size()}});
    unit = end + 1;
  }
  return ApiAnswer{200, {{"tokens", std::move(tokens)}}, {}};
}

}  // namespace

ApiAnswerOr AnswerAnalyze(const ApiCall& call) {
  if (!call.body.is_object()) {
    return ApiError(400, "parse_exception", "request body or source parameter is required");
  }
  std::vector<std::string> texts;
  if (call.body.contains("text")) {
    PMDEX_ASSIGN_OR_RETURN(texts, JsonTexts("text", call.body["text"]));
  }
  if (texts.empty()) return InvalidRequest("text is missing");
  PMDEX_ASSIGN_OR_RETURN(const AnalyzerKind kind, ChooseAnalyzer(call));
  PMDEX_ASSIGN_OR_RETURN(const std::optional<FieldType> type, TypeOfField(call));
  if (type.has_value()) return KeywordTokens(texts);
  const AnalyzerPool::Borrowed analyzer = call.state.analyzers.Borrow(kind);
  Json tokens = Json::array();
  uint32_t position = 0;
  uint32_t unit = 0;
  for (const std::string& text : texts) {
    TokenWriter writer(text, kind, unit, tokens);
    position = (*analyzer).Analyze(text, position, writer);
    if (!call.index.empty()) position += kGapBetweenValues;
    unit += Utf16Units(text) + 1;
  }
  if (tokens.size() > kMostTokens) {
    return BadArgument(
        absl::StrCat("The number of tokens produced by calling _analyze has exceeded "
                     "the allowed maximum of [",
                     kMostTokens, "]."));
  }
  return ApiAnswer{200, {{"tokens", std::move(tokens)}}, {}};
}

}  // namespace pmdex
