#include "query/planning/bound_query.h"

namespace pmdex {
namespace {

std::string PhraseText(const BoundQuery& phrase) {
  std::string text = "\"";
  for (size_t i = 0; i < phrase.terms.size(); ++i) {
    if (i != 0) text += ' ';
    text += phrase.terms[i].text;
  }
  text += '"';
  return phrase.slop == 0 ? text : text + "~" + std::to_string(phrase.slop);
}

std::string BooleanText(const BoundQuery& boolean) {
  std::string text = "(";
  for (const BoundClause& clause : boolean.clauses) {
    if (text.size() > 1) text += ' ';
    if (clause.occur != Occur::kShould) text += clause.occur == Occur::kMust ? '+' : '-';
    text += ToText(*clause.query);
  }
  return text + ")";
}

}  // namespace

std::string ToText(const BoundQuery& query) {
  switch (query.kind) {
    case BoundKind::kNone:
      return "";
    case BoundKind::kAll:
      return "*:*";
    case BoundKind::kTerm:
      return query.field + ":" + query.terms[0].text;
    case BoundKind::kPhrase:
      return query.field + ":" + PhraseText(query);
    case BoundKind::kField:
      return query.field + ":*";
    case BoundKind::kPrefix:
      return query.field + ":" + query.text + "*";
    case BoundKind::kWildcard:
      return query.field + ":" + query.text;
    case BoundKind::kRegexp:
      return query.field + ":/" + query.text + "/";
    case BoundKind::kBoolean:
      return BooleanText(query);
  }
  return "";
}

}  // namespace pmdex
