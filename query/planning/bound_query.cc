#include "query/planning/bound_query.h"

namespace pmdex {
namespace {

std::string PhraseText(const BoundQuery& phrase) {
  std::string text = "\"";
  for (size_t i = 0; i < phrase.terms.size(); ++i) {
    if (i != 0) text += ' ';
    text += phrase.terms[i].text;
  }
  if (phrase.kind == BoundKind::kPhrasePrefix) text += " " + phrase.text + "*";
  text += '"';
  return phrase.slop == 0 ? text : text + "~" + std::to_string(phrase.slop);
}

std::string_view OccurSign(Occur occur) {
  switch (occur) {
    case Occur::kShould:
      return "";
    case Occur::kMust:
      return "+";
    case Occur::kMustNot:
      return "-";
    case Occur::kFilter:
      return "#";
  }
  return "";
}

std::string BooleanText(const BoundQuery& boolean) {
  std::string text = "(";
  for (const BoundClause& clause : boolean.clauses) {
    if (text.size() > 1) text += ' ';
    text += OccurSign(clause.occur);
    text += ToText(*clause.query);
  }
  text += ')';
  if (boolean.minimum_should_match == 0) return text;
  return text + "~" + std::to_string(boolean.minimum_should_match);
}

std::string DisjunctionMaxText(const BoundQuery& query) {
  std::string text = "(";
  for (const BoundClause& clause : query.clauses) {
    if (text.size() > 1) text += " | ";
    text += ToText(*clause.query);
  }
  return text + ")";
}

// The first ids of a list that may be long.
std::string IdsText(const BoundQuery& query) {
  constexpr size_t kMost = 8;
  std::string text = "_id:(";
  for (size_t i = 0; i < query.ids.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : " ") + query.ids[i];
  }
  return text + (query.ids.size() > kMost ? " ...)" : ")");
}

}  // namespace

bool HasConstantScore(BoundKind kind) {
  switch (kind) {
    case BoundKind::kAll:
    case BoundKind::kField:
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
    case BoundKind::kIds:
    case BoundKind::kRange:
    case BoundKind::kConstantScore:
      return true;
    default:
      return false;
  }
}

BoundPointer NewBoundQuery(BoundKind kind, float boost) {
  auto bound = std::make_unique<BoundQuery>();
  bound->kind = kind;
  bound->boost = boost;
  return bound;
}

std::string ToText(const BoundQuery& query) {
  switch (query.kind) {
    case BoundKind::kNone:
      return "";
    case BoundKind::kAll:
      return "*:*";
    case BoundKind::kTerm:
      return query.field + ":" + query.terms[0].text;
    case BoundKind::kPhrase:
    case BoundKind::kPhrasePrefix:
      return query.field + ":" + PhraseText(query);
    case BoundKind::kField:
      return query.field + ":*";
    case BoundKind::kPrefix:
      return query.field + ":" + query.text + "*";
    case BoundKind::kWildcard:
    case BoundKind::kRange:
      return query.field + ":" + query.text;
    case BoundKind::kRegexp:
      return query.field + ":/" + query.text + "/";
    case BoundKind::kBoolean:
      return BooleanText(query);
    case BoundKind::kIds:
      return IdsText(query);
    case BoundKind::kConstantScore:
      return "ConstantScore(" + ToText(*query.clauses[0].query) + ")";
    case BoundKind::kDisjunctionMax:
      return DisjunctionMaxText(query);
  }
  return "";
}

}  // namespace pmdex
