#include "query/language/query.h"

#include <array>
#include <charconv>
#include <string_view>

namespace pmdex {
namespace {

void AppendEscaped(std::string_view text, std::string_view special, std::string& out) {
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
}

constexpr std::string_view kWordSpecial = " \t\r\n+-!(){}[]^\"~*?:\\/";
constexpr std::string_view kQuotedSpecial = "\"\\";

void AppendNumber(float number, std::string& out) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  out.append(buffer.data(), end.ptr);
}

void AppendBoost(float boost, std::string& out) {
  if (boost == 1.0f) return;
  out += '^';
  AppendNumber(boost, out);
}

void AppendPhrase(const Query& query, std::string& out) {
  out += '"';
  uint32_t expected = 0;
  for (size_t i = 0; i < query.terms.size(); ++i) {
    if (i != 0) out += ' ';
    // A removed word shows as `?`. Long gaps (between the values of a field) show as eight of them.
    const uint32_t offset = i < query.offsets.size() ? query.offsets[i] : expected;
    for (uint32_t gap = 0; expected < offset && gap < 8; ++expected, ++gap) out += "? ";
    AppendEscaped(query.terms[i], kQuotedSpecial, out);
    expected = offset + 1;
  }
  if (query.kind == QueryKind::kPhrasePrefix) out += '*';
  out += '"';
  if (query.slop != 0) out += '~' + std::to_string(query.slop);
}

void AppendIds(const Query& query, std::string& out) {
  out += "_id:(";
  for (size_t i = 0; i < query.terms.size(); ++i) {
    if (i != 0) out += ' ';
    AppendEscaped(query.terms[i], kWordSpecial, out);
  }
  out += ')';
}

void Append(const Query& query, std::string& out);

char SignOf(Occur occur) {
  return occur == Occur::kMust ? '+' : occur == Occur::kFilter ? '#' : '-';
}

void AppendBoolean(const Query& query, std::string& out) {
  out += '(';
  for (size_t i = 0; i < query.clauses.size(); ++i) {
    const Clause& clause = query.clauses[i];
    if (i != 0) out += ' ';
    if (clause.occur != Occur::kShould) out += SignOf(clause.occur);
    Append(*clause.query, out);
  }
  out += ')';
  if (query.minimum_should_match != 0) out += '~' + std::to_string(query.minimum_should_match);
}

void AppendDisjunctionMax(const Query& query, std::string& out) {
  out += '(';
  for (size_t i = 0; i < query.clauses.size(); ++i) {
    if (i != 0) out += " | ";
    Append(*query.clauses[i].query, out);
  }
  out += ')';
  if (query.tie_breaker == 0) return;
  out += '~';
  AppendNumber(query.tie_breaker, out);
}

void AppendConstantScore(const Query& query, std::string& out) {
  out += "ConstantScore(";
  for (const Clause& clause : query.clauses) Append(*clause.query, out);
  out += ')';
}

bool HasField(QueryKind kind) {
  switch (kind) {
    case QueryKind::kNone:
    case QueryKind::kAll:
    case QueryKind::kBoolean:
    case QueryKind::kConstantScore:
    case QueryKind::kDisjunctionMax:
    case QueryKind::kIds:
      return false;
    default:
      return true;
  }
}

void Append(const Query& query, std::string& out) {
  if (!query.field.empty() && HasField(query.kind)) {
    AppendEscaped(query.field, kWordSpecial, out);
    out += ':';
  }
  switch (query.kind) {
    case QueryKind::kNone:
      out += "<nothing>";
      return;
    case QueryKind::kAll:
      out += "*:*";
      break;
    case QueryKind::kTerm:
      AppendEscaped(query.text, kWordSpecial, out);
      break;
    case QueryKind::kPhrase:
    case QueryKind::kPhrasePrefix:
      AppendPhrase(query, out);
      break;
    case QueryKind::kPrefix:
      AppendEscaped(query.text, kWordSpecial, out);
      out += '*';
      break;
    case QueryKind::kWildcard:
      out += query.text;
      break;
    case QueryKind::kFuzzy:
      AppendEscaped(query.text, kWordSpecial, out);
      out += '~' + std::to_string(query.edits);
      break;
    case QueryKind::kRegexp:
      out += '/' + query.text + '/';
      break;
    case QueryKind::kBoolean:
      AppendBoolean(query, out);
      break;
    case QueryKind::kConstantScore:
      AppendConstantScore(query, out);
      break;
    case QueryKind::kDisjunctionMax:
      AppendDisjunctionMax(query, out);
      break;
    case QueryKind::kIds:
      AppendIds(query, out);
      break;
    case QueryKind::kExists:
      out += '*';
      break;
    case QueryKind::kRange:
      out += query.text;
      break;
  }
  AppendBoost(query.boost, out);
}

}  // namespace

Query LeafOf(const Query& query) {
  Query leaf;
  leaf.kind = query.kind;
  leaf.text = query.text;
  leaf.terms = query.terms;
  leaf.offsets = query.offsets;
  leaf.slop = query.slop;
  leaf.max_expansions = query.max_expansions;
  leaf.edits = query.edits;
  leaf.prefix_length = query.prefix_length;
  leaf.regexp = query.regexp;
  leaf.range = query.range;
  return leaf;
}

std::string ToString(const Query& query) {
  std::string out;
  Append(query, out);
  return out;
}

}  // namespace pmdex
