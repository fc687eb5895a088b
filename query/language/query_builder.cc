#include "query/language/query_builder.h"

#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace {

class QueryTokens final : public TokenSink {
 public:
  void Accept(std::span<const Token> tokens) override {
    for (const Token& token : tokens) {
      terms.emplace_back(token.term);
      positions.push_back(token.position);
    }
  }

  // Most words have one token, for which no memory is allocated.
  absl::InlinedVector<std::string, 2> terms;
  absl::InlinedVector<uint32_t, 4> positions;
};

std::unique_ptr<Query> CopyLeaf(const Query& leaf) {
  auto copy = std::make_unique<Query>();
  copy->kind = leaf.kind;
  copy->text = leaf.text;
  copy->terms = leaf.terms;
  copy->offsets = leaf.offsets;
  copy->slop = leaf.slop;
  copy->edits = leaf.edits;
  copy->regexp = leaf.regexp;
  return copy;
}

std::unique_ptr<Query> OfKind(QueryKind kind) {
  auto query = std::make_unique<Query>();
  query->kind = kind;
  return query;
}

// A boolean of one clause is that clause.
std::unique_ptr<Query> Simplified(std::unique_ptr<Query> any) {
  if (any->clauses.empty()) return OfKind(QueryKind::kNone);  // no field to search
  if (any->clauses.size() == 1) return std::move(any->clauses[0].query);
  return any;
}

// Normalizes the literal pieces of a pattern as the analyzer normalizes words. A wildcard character
// that a normalized piece contains is escaped again, so that it stays literal.
class PatternNormalizer {
 public:
  explicit PatternNormalizer(const Analyzer& analyzer) : analyzer_(analyzer) {}

  std::string Run(std::string_view pattern) {
    while (!pattern.empty()) {
      if (pattern[0] == '*' || pattern[0] == '?') {
        Close();
        // Runs of stars are one star.
        if (pattern[0] == '?' || out_.empty() || !after_star_) out_ += pattern[0];
        after_star_ = pattern[0] == '*';
        pattern.remove_prefix(1);
        continue;
      }
      if (pattern[0] == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
      const size_t size = CodePointBytes(pattern);
      literal_ += pattern.substr(0, size);
      pattern.remove_prefix(size);
    }
    Close();
    return std::move(out_);
  }

 private:
  void Close() {
    if (literal_.empty()) return;
    for (const char c : analyzer_.Normalize(literal_)) {
      if (c == '*' || c == '?' || c == '\\') out_ += '\\';
      out_ += c;
      after_star_ = false;
    }
    literal_.clear();
  }

  const Analyzer& analyzer_;
  std::string out_;
  std::string literal_;
  bool after_star_ = false;
};

bool IsAsciiAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// True for the characters among which the operators of regular expressions are.
bool IsAsciiPunctuation(char c) {
  return static_cast<unsigned char>(c) < 0x80 && !IsAsciiAlphanumeric(c);
}

// True if the only wildcard of the pattern is a star at its end. `prefix` is then the text before
// the star, without escapes.
bool IsPrefixPattern(std::string_view pattern, std::string& prefix) {
  prefix.clear();
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '?') return false;
    if (pattern[i] == '*') return i + 1 == pattern.size();
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    prefix += pattern[i];
  }
  return false;
}

}  // namespace

std::unique_ptr<Query> QueryBuilder::AllDocuments() {
  return OfKind(QueryKind::kAll);
}

std::unique_ptr<Query> QueryBuilder::InEachField(const QueryFields& fields, const Query& leaf) {
  ++leaves_;
  if (fields.every) {
    auto copy = CopyLeaf(leaf);
    copy->every_field = true;
    return copy;
  }
  if (fields.names.size() == 1) {
    auto copy = CopyLeaf(leaf);
    copy->field = fields.names[0];
    return copy;
  }
  auto any = OfKind(QueryKind::kBoolean);
  for (const std::string& field : fields.names) {
    any->clauses.push_back({Occur::kShould, CopyLeaf(leaf)});
    any->clauses.back().query->field = field;
  }
  return Simplified(std::move(any));
}

std::unique_ptr<Query> QueryBuilder::Word(const QueryFields& fields, std::string_view text) {
  QueryTokens tokens;
  analyzer_.Analyze(text, 0, tokens);
  if (tokens.terms.empty()) return nullptr;
  Query leaf;
  leaf.kind = QueryKind::kTerm;
  if (tokens.terms.size() == 1) {
    leaf.text = std::move(tokens.terms[0]);
    return InEachField(fields, leaf);
  }
  auto any = OfKind(QueryKind::kBoolean);
  for (std::string& term : tokens.terms) {
    leaf.text = std::move(term);
    any->clauses.push_back({Occur::kShould, InEachField(fields, leaf)});
  }
  return Simplified(std::move(any));
}

std::unique_ptr<Query> QueryBuilder::Phrase(const QueryFields& fields, std::string_view text,
                                            uint32_t slop) {
  QueryTokens tokens;
  analyzer_.Analyze(text, 0, tokens);
  if (tokens.terms.empty()) return nullptr;
  Query leaf;
  if (tokens.terms.size() == 1) {
    leaf.kind = QueryKind::kTerm;
    leaf.text = tokens.terms[0];
    return InEachField(fields, leaf);
  }
  leaf.kind = QueryKind::kPhrase;
  leaf.terms.assign(std::make_move_iterator(tokens.terms.begin()),
                    std::make_move_iterator(tokens.terms.end()));
  for (const uint32_t position : tokens.positions) {
    leaf.offsets.push_back(position - tokens.positions[0]);
  }
  leaf.slop = slop;
  return InEachField(fields, leaf);
}

std::unique_ptr<Query> QueryBuilder::Fuzzy(const QueryFields& fields, std::string_view text,
                                           uint32_t edits) {
  Query leaf;
  leaf.kind = QueryKind::kFuzzy;
  leaf.text = analyzer_.Normalize(text);
  leaf.edits = edits;
  if (leaf.text.empty()) return nullptr;
  return InEachField(fields, leaf);
}

std::unique_ptr<Query> QueryBuilder::Regexp(const QueryFields& fields, std::string_view text,
                                            std::shared_ptr<const RegexpAutomaton> automaton) {
  Query leaf;
  leaf.kind = QueryKind::kRegexp;
  leaf.text = text;
  leaf.regexp = std::move(automaton);
  return InEachField(fields, leaf);
}

std::string QueryBuilder::FoldedRegexp(std::string_view text) const {
  std::string folded;
  std::string letters;  // since the last operator
  const auto close = [&] {
    for (const char c : analyzer_.Normalize(letters)) {
      // A wide full stop becomes an ordinary one, which is no operator.
      if (IsAsciiPunctuation(c)) folded += '\\';
      folded += c;
    }
    letters.clear();
  };
  for (const char c : text) {
    if (!IsAsciiPunctuation(c)) {
      letters += c;
      continue;
    }
    close();
    folded += c;
  }
  close();
  return folded;
}

std::unique_ptr<Query> QueryBuilder::Wildcard(const QueryFields& fields, std::string_view pattern) {
  Query leaf;
  leaf.text = PatternNormalizer(analyzer_).Run(pattern);
  std::string prefix;
  if (IsPrefixPattern(leaf.text, prefix)) {
    leaf.kind = QueryKind::kPrefix;
    leaf.text = std::move(prefix);
  } else {
    leaf.kind = QueryKind::kWildcard;
  }
  return InEachField(fields, leaf);
}

}  // namespace pmdex
