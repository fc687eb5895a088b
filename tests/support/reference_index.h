// Answers queries by brute force, as the expected value of tests. It keeps documents as vectors of
// tokens, evaluates all nodes of the query tree for every document, and computes scores in double
// precision from the formulas. It shares only the analyzer and the query tree with the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/store/snapshot.h"
#include "query/language/query.h"
#include "query/similarity.h"
#include "tests/support/random_corpus.h"

namespace pmdex {

struct ReferenceToken {
  std::string term;
  uint32_t position = 0;
};

// A score, and the magnitude of the numbers that were added for it, which bounds the rounding
// error.
struct ReferenceScore {
  double score = 0;
  double magnitude = 0;
};

class ReferenceIndex {
 public:
  explicit ReferenceIndex(AnalyzerKind analyzer);

  void Add(const CorpusDocument& document);

  // Deletes a document. It matches nothing any more, and still counts in the statistics.
  void Delete(uint64_t doc) { deleted_.insert(doc); }

  // All documents that match, keyed by their number in the order of Add.
  std::map<uint64_t, ReferenceScore> Evaluate(const Query& query, SimilarityKind similarity) const;

  // The same documents as an index with per_segment documents in each segment. The same ones are
  // deleted.
  std::shared_ptr<const Snapshot> BuildSnapshot(size_t per_segment, bool positions,
                                                bool store_text) const;

  // The phrase frequency by the definition in sloppy_phrase.h.
  // last: the terms for which the last word stands; none for a plain phrase.
  static double SloppyFrequency(const std::vector<std::string>& terms,
                                const std::vector<uint32_t>& offsets, uint32_t slop,
                                const std::vector<std::vector<uint32_t>>& positions,
                                const std::set<std::string>& last = {});
  static uint32_t EditDistance(std::string_view a, std::string_view b);
  static bool WildcardMatches(std::string_view pattern, std::string_view term);
  static std::vector<uint32_t> Characters(std::string_view text);  // code points

 private:
  using Matches = std::map<uint64_t, ReferenceScore>;
  struct Document {
    CorpusDocument source;
    std::map<std::string, std::vector<ReferenceToken>> fields;  // only those with tokens
  };

  const std::vector<ReferenceToken>& Tokens(uint64_t doc, const std::string& field) const;
  std::set<std::string> Terms(const std::string& field) const;
  std::set<std::string> FieldNames() const;  // of fields with tokens
  uint64_t DocumentFrequency(const std::string& field, const std::string& term) const;
  ReferenceScore Score(SimilarityKind similarity, const std::string& field, uint64_t doc,
                       double boost, double idf, double frequency) const;
  double Idf(SimilarityKind similarity, const std::string& field, uint64_t df) const;

  Matches Run(const Query& query, double boost, SimilarityKind similarity) const;
  Matches EveryFieldMatches(const Query& query, double boost, SimilarityKind similarity) const;
  Matches TermMatches(const std::string& field, const std::string& term, double boost, uint64_t df,
                      SimilarityKind similarity) const;
  Matches PhraseMatches(const Query& query, const std::set<std::string>& last, double boost,
                        SimilarityKind similarity) const;
  Matches PhrasePrefixMatches(const Query& query, double boost, SimilarityKind similarity) const;
  Matches FuzzyMatches(const Query& query, double boost, SimilarityKind similarity) const;
  Matches DisjunctionMaxMatches(const Query& query, double boost, SimilarityKind similarity) const;
  Matches BooleanMatches(const Query& query, double boost, SimilarityKind similarity) const;

  std::unique_ptr<Analyzer> analyzer_;
  std::vector<Document> documents_;
  std::set<uint64_t> deleted_;
};

}  // namespace pmdex
