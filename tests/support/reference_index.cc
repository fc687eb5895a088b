#include "tests/support/reference_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "gtest/gtest.h"

#include "engine/segment/segment_writer.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/language/regexp_automaton.h"
#include "tests/support/deletions.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace {

class TokenCollector final : public TokenSink {
 public:
  void Accept(std::span<const Token> tokens) override {
    for (const Token& token : tokens) out.push_back({std::string(token.term), token.position});
  }
  std::vector<ReferenceToken> out;
};

// Lucene's intToByte4 and back: exact below 40, then 24 plus four significant bits.
double QuantizedLength(size_t length) {
  if (length < 40) return static_cast<double>(length);
  const uint64_t rest = length - 24;
  const int dropped = static_cast<int>(std::bit_width(rest)) - 4;
  return static_cast<double>(24 + (rest >> dropped << dropped));
}

std::vector<uint32_t> PositionsOf(const std::vector<ReferenceToken>& tokens,
                                  const std::string& term) {
  std::vector<uint32_t> positions;
  for (const ReferenceToken& token : tokens) {
    if (token.term == term) positions.push_back(token.position);
  }
  return positions;
}

}  // namespace

ReferenceIndex::ReferenceIndex(AnalyzerKind analyzer) : analyzer_(NewAnalyzer(analyzer)) {}

void ReferenceIndex::Add(const CorpusDocument& document) {
  Document& added = documents_.emplace_back();
  added.source = document;
  for (const auto& [name, text] : document.fields) {
    TokenCollector collector;
    analyzer_->Analyze(text, 0, collector);
    if (!collector.out.empty()) added.fields[name] = std::move(collector.out);
  }
}

const std::vector<ReferenceToken>& ReferenceIndex::Tokens(uint64_t doc,
                                                          const std::string& field) const {
  static const std::vector<ReferenceToken> kNone;
  const auto found = documents_[doc].fields.find(field);
  return found == documents_[doc].fields.end() ? kNone : found->second;
}

std::set<std::string> ReferenceIndex::Terms(const std::string& field) const {
  std::set<std::string> terms;
  for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
    for (const ReferenceToken& token : Tokens(doc, field)) terms.insert(token.term);
  }
  return terms;
}

std::set<std::string> ReferenceIndex::FieldNames() const {
  std::set<std::string> names;
  for (const Document& document : documents_) {
    for (const auto& [name, tokens] : document.fields) names.insert(name);
  }
  return names;
}

uint64_t ReferenceIndex::DocumentFrequency(const std::string& field,
                                           const std::string& term) const {
  uint64_t df = 0;
  for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
    df += PositionsOf(Tokens(doc, field), term).empty() ? 0 : 1;
  }
  return df;
}

double ReferenceIndex::Idf(SimilarityKind similarity, const std::string& field, uint64_t df) const {
  double n = 0;
  for (const Document& document : documents_) n += document.fields.count(field) != 0 ? 1 : 0;
  const auto d = static_cast<double>(df);
  if (similarity == SimilarityKind::kTfidf) return 1 + std::log((n + 1) / (d + 1));
  return std::log(1 + (n - d + 0.5) / (d + 0.5));
}

ReferenceScore ReferenceIndex::Score(SimilarityKind similarity, const std::string& field,
                                     uint64_t doc, double boost, double idf,
                                     double frequency) const {
  const double dl = QuantizedLength(Tokens(doc, field).size());
  if (similarity == SimilarityKind::kTfidf) {
    const double score = boost * idf * std::sqrt(frequency) / std::sqrt(dl);
    return {score, score};
  }
  double n = 0;
  double tokens = 0;
  for (uint64_t other = 0; other < documents_.size(); ++other) {
    n += Tokens(other, field).empty() ? 0 : 1;
    tokens += static_cast<double>(Tokens(other, field).size());
  }
  const double saturation = 1.2 * (1 - 0.75 + 0.75 * dl / (tokens / n));
  return {boost * idf * frequency / (frequency + saturation), boost * idf};
}

std::map<uint64_t, ReferenceScore> ReferenceIndex::Evaluate(const Query& query,
                                                            SimilarityKind similarity) const {
  Matches found = Run(query, 1.0, similarity);
  for (const uint64_t doc : deleted_) found.erase(doc);
  return found;
}

ReferenceIndex::Matches ReferenceIndex::Run(const Query& query, double boost,
                                            SimilarityKind similarity) const {
  boost *= static_cast<double>(query.boost);
  if (query.every_field) return EveryFieldMatches(query, boost, similarity);
  const auto constant = [&](const std::function<bool(uint64_t)>& matches) {
    Matches found;
    for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
      if (matches(doc)) found[doc] = {boost, boost};
    }
    return found;
  };
  const auto any_term = [&](const std::function<bool(const std::string&)>& wanted) {
    return constant([&](uint64_t doc) {
      const auto& tokens = Tokens(doc, query.field);
      return std::any_of(tokens.begin(), tokens.end(),
                         [&](const ReferenceToken& token) { return wanted(token.term); });
    });
  };
  switch (query.kind) {
    case QueryKind::kNone:
    case QueryKind::kRange:  // it has no columns
      return {};
    case QueryKind::kAll:
      return constant([](uint64_t) { return true; });
    case QueryKind::kTerm:
      return TermMatches(query.field, query.text, boost, DocumentFrequency(query.field, query.text),
                         similarity);
    case QueryKind::kPhrase:
      return PhraseMatches(query, {}, boost, similarity);
    case QueryKind::kPhrasePrefix:
      return PhrasePrefixMatches(query, boost, similarity);
    case QueryKind::kExists:
      return constant([&](uint64_t doc) { return !Tokens(doc, query.field).empty(); });
    case QueryKind::kIds:
      return constant([&](uint64_t doc) {
        return std::count(query.terms.begin(), query.terms.end(), documents_[doc].source.id) != 0;
      });
    case QueryKind::kConstantScore: {
      const Matches matches = Run(*query.clauses[0].query, 1, similarity);
      return constant([&](uint64_t doc) { return matches.count(doc) != 0; });
    }
    case QueryKind::kDisjunctionMax:
      return DisjunctionMaxMatches(query, boost, similarity);
    case QueryKind::kPrefix:
      return any_term([&](const std::string& term) { return term.starts_with(query.text); });
    case QueryKind::kWildcard:
      return any_term([&](const std::string& term) { return WildcardMatches(query.text, term); });
    case QueryKind::kRegexp:
      return any_term([&](const std::string& term) { return query.regexp->Matches(term); });
    case QueryKind::kFuzzy:
      return FuzzyMatches(query, boost, similarity);
    case QueryKind::kBoolean:
      return BooleanMatches(query, boost, similarity);
  }
  return {};
}

// The sum over the fields, each asked by its name.
ReferenceIndex::Matches ReferenceIndex::EveryFieldMatches(const Query& query, double boost,
                                                          SimilarityKind similarity) const {
  Query leaf = LeafOf(query);
  Matches found;
  for (const std::string& name : FieldNames()) {
    leaf.field = name;
    for (const auto& [doc, score] : Run(leaf, boost, similarity)) {
      found[doc].score += score.score;
      found[doc].magnitude += score.magnitude;
    }
  }
  return found;
}

ReferenceIndex::Matches ReferenceIndex::TermMatches(const std::string& field,
                                                    const std::string& term, double boost,
                                                    uint64_t df, SimilarityKind similarity) const {
  Matches found;
  const double idf = Idf(similarity, field, df);
  for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
    const size_t frequency = PositionsOf(Tokens(doc, field), term).size();
    if (frequency == 0) continue;
    found[doc] = Score(similarity, field, doc, boost, idf, static_cast<double>(frequency));
  }
  return found;
}

// last: the terms for which the last word stands; none for a plain phrase.
ReferenceIndex::Matches ReferenceIndex::PhraseMatches(const Query& query,
                                                      const std::set<std::string>& last,
                                                      double boost,
                                                      SimilarityKind similarity) const {
  Matches found;
  double idf = 0;
  std::vector<std::set<std::string>> words;
  for (const std::string& term : query.terms) words.push_back({term});
  if (!last.empty()) words.back() = last;
  for (const std::set<std::string>& terms : words) {
    for (const std::string& term : terms) {
      idf += Idf(similarity, query.field, DocumentFrequency(query.field, term));
    }
  }
  for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
    const auto& tokens = Tokens(doc, query.field);
    std::vector<std::vector<uint32_t>> positions;
    for (const std::set<std::string>& terms : words) {
      positions.emplace_back();
      for (const ReferenceToken& token : tokens) {
        if (terms.count(token.term) != 0) positions.back().push_back(token.position);
      }
    }
    double frequency = 0;
    if (query.slop == 0) {
      for (const uint32_t start : positions[0]) {
        bool all = true;
        for (size_t i = 0; i < positions.size(); ++i) {
          all = all &&
                std::count(positions[i].begin(), positions[i].end(), start + query.offsets[i]) != 0;
        }
        frequency += all ? 1 : 0;
      }
    } else {
      frequency = SloppyFrequency(query.terms, query.offsets, query.slop, positions, last);
    }
    if (frequency == 0) continue;
    found[doc] = Score(similarity, query.field, doc, boost, idf, frequency);
  }
  return found;
}

// A prefix alone is any of its terms.
ReferenceIndex::Matches ReferenceIndex::PhrasePrefixMatches(const Query& query, double boost,
                                                            SimilarityKind similarity) const {
  std::set<std::string> last;
  for (const std::string& term : Terms(query.field)) {
    if (term.starts_with(query.terms.back()) && last.size() < query.max_expansions) {
      last.insert(term);
    }
  }
  if (last.empty()) return {};
  if (query.terms.size() > 1) return PhraseMatches(query, last, boost, similarity);
  Matches found;
  for (const std::string& term : last) {
    const uint64_t df = DocumentFrequency(query.field, term);
    for (const auto& [doc, score] : TermMatches(query.field, term, boost, df, similarity)) {
      found[doc].score += score.score;
      found[doc].magnitude += score.magnitude;
    }
  }
  return found;
}

// The terms of the greatest similarity, at most 50, the first in byte order of equal ones.
ReferenceIndex::Matches ReferenceIndex::FuzzyMatches(const Query& query, double boost,
                                                     SimilarityKind similarity) const {
  const size_t most = std::min<size_t>(50, query.max_expansions);
  const auto first = [&](std::string_view text) {
    const auto characters = Characters(text);
    return std::vector(characters.begin(),
                       characters.begin() + static_cast<ptrdiff_t>(std::min<size_t>(
                                                query.prefix_length, characters.size())));
  };
  std::vector<std::pair<float, std::string>> expansions;  // as a negative similarity
  for (const std::string& term : Terms(query.field)) {
    const uint32_t distance = EditDistance(query.text, term);
    if (distance > query.edits || first(term) != first(query.text)) continue;
    const size_t shorter = std::min(Characters(query.text).size(), Characters(term).size());
    const float farness = static_cast<float>(distance) / static_cast<float>(shorter);
    expansions.emplace_back(-(1.0f - farness), term);
  }
  std::sort(expansions.begin(), expansions.end());
  expansions.resize(std::min(expansions.size(), most));
  uint64_t df = 0;
  for (const auto& [negated, term] : expansions) {
    df = std::max(df, DocumentFrequency(query.field, term));
  }
  Matches found;
  for (const auto& [negated, term] : expansions) {
    const double factor = std::max(0.0, -static_cast<double>(negated));
    for (const auto& [doc, score] :
         TermMatches(query.field, term, boost * factor, df, similarity)) {
      found[doc].score += score.score;
      found[doc].magnitude += score.magnitude;
    }
  }
  return found;
}

ReferenceIndex::Matches ReferenceIndex::DisjunctionMaxMatches(const Query& query, double boost,
                                                              SimilarityKind similarity) const {
  std::map<uint64_t, std::vector<ReferenceScore>> scores;
  for (const Clause& clause : query.clauses) {
    for (const auto& [doc, score] : Run(*clause.query, boost, similarity)) {
      scores[doc].push_back(score);
    }
  }
  Matches found;
  for (const auto& [doc, all] : scores) {
    double best = all[0].score;
    double sum = 0;
    for (const ReferenceScore& score : all) {
      best = std::max(best, score.score);
      sum += score.score;
      found[doc].magnitude += score.magnitude;
    }
    found[doc].score = best + static_cast<double>(query.tie_breaker) * (sum - best);
  }
  return found;
}

ReferenceIndex::Matches ReferenceIndex::BooleanMatches(const Query& query, double boost,
                                                       SimilarityKind similarity) const {
  std::vector<std::pair<Occur, Matches>> clauses;
  bool has_positive = false;
  for (const Clause& clause : query.clauses) {
    clauses.emplace_back(clause.occur, Run(*clause.query, boost, similarity));
    has_positive = has_positive || clause.occur != Occur::kMustNot;
  }
  Matches found;
  for (uint64_t doc = 0; doc < documents_.size(); ++doc) {
    bool excluded = query.clauses.empty();
    bool has_must = false;
    bool matched = false;
    ReferenceScore sum;
    uint32_t optional = 0;
    for (const auto& [occur, matches] : clauses) {
      const auto match = matches.find(doc);
      const bool has = match != matches.end();
      excluded = excluded || (occur == Occur::kMustNot && has) || (IsRequired(occur) && !has);
      has_must = has_must || IsRequired(occur);
      if (occur == Occur::kMustNot || !has) continue;
      matched = true;
      optional += occur == Occur::kShould ? 1 : 0;
      if (occur == Occur::kFilter) continue;
      sum.score += match->second.score;
      sum.magnitude += match->second.magnitude;
    }
    if (optional < query.minimum_should_match) continue;
    if (excluded || (has_positive && !has_must && !matched)) continue;
    if (!has_positive) sum = {boost, boost};
    found[doc] = sum;
  }
  return found;
}

std::shared_ptr<const Snapshot> ReferenceIndex::BuildSnapshot(size_t per_segment, bool positions,
                                                              bool store_text) const {
  const AnalyzerKind kind = analyzer_->kind();
  const std::unique_ptr<Directory> directory = NewDramDirectory("reference");
  std::vector<std::shared_ptr<const Segment>> segments;
  for (size_t first = 0; first < documents_.size(); first += per_segment) {
    VectorSegmentInput input({.positions = positions, .stored_text = store_text, .analyzer = kind});
    std::map<std::string, FieldId> fields;
    for (size_t i = first; i < std::min(first + per_segment, documents_.size()); ++i) {
      for (const auto& [name, text] : documents_[i].source.fields) {
        if (fields.count(name) == 0) fields[name] = input.AddField(name);
      }
      const DocId doc = input.AddDocument(documents_[i].source.id);
      for (const auto& [name, tokens] : documents_[i].fields) {
        std::map<std::string, std::vector<uint32_t>> terms;
        for (const ReferenceToken& token : tokens) terms[token.term].push_back(token.position);
        for (const auto& [term, places] : terms) {
          VectorPosting posting{doc, static_cast<uint32_t>(places.size()), {}};
          if (positions) posting.positions = places;
          input.AddPosting(fields[name], term, std::move(posting));
        }
      }
      for (const auto& [name, text] : documents_[i].source.fields) {
        if (store_text) input.AddStoredValue(doc, fields[name], text);
      }
    }
    input.Finish();
    const auto written = WriteSegment(*directory, segments.size() + 1, input);
    EXPECT_TRUE(written.ok()) << written.status();
    PMDEX_CHECK(written.ok());
    auto file = directory->Open(written->file_name);
    PMDEX_CHECK(file.ok());
    auto segment = Segment::Open(std::move(*file), written->file_name, std::nullopt);
    EXPECT_TRUE(segment.ok()) << segment.status();
    PMDEX_CHECK(segment.ok());
    segments.push_back(std::move(*segment));
  }
  IndexSettings settings;
  settings.analyzer = kind;
  settings.positions = positions;
  settings.store_text = store_text;
  return WithDeletions(*Snapshot::Of(settings, std::move(segments)),
                       std::vector<uint64_t>(deleted_.begin(), deleted_.end()));
}

}  // namespace pmdex
