// How many postings per second does the exhaustive evaluator score? It answers single terms, unions
// and conjunctions over synthetic lists in a directory in memory, so that only the evaluator and
// the bandwidth of the memory count. items_per_second is postings; one thread.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/segment/documents/norms.h"
#include "engine/segment/segment_writer.h"
#include "pmem/check.h"
#include "query/algorithm/exhaustive.h"

namespace pmdex {
namespace {

constexpr uint32_t kDocs = 4u << 20;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct SyntheticTerm {
  const char* text;
  uint32_t one_in;  // documents
};
// In byte order, as the segment writer requires.
constexpr std::array<SyntheticTerm, 5> kTerms = {
    {{"all", 1}, {"half", 2}, {"hundredth", 100}, {"tenth", 10}, {"thousandth", 1000}}};

// Synthetic postings, computed by a hash.
bool Has(size_t term, uint32_t doc) {
  return Mix(uint64_t{doc} * 8 + term) % kTerms[term].one_in == 0;
}
uint32_t Freq(size_t term, uint32_t doc) {
  const uint64_t bits = Mix(uint64_t{doc} * 8 + term + 99);
  return 1 + static_cast<uint32_t>(std::countr_zero(bits | 0x80));  // halving, up to 8
}

class SyntheticStream final : public TermStream {
 public:
  bool Next() override {
    term_ = term_ == SIZE_MAX ? 0 : term_ + 1;
    next_ = 0;
    return term_ < kTerms.size();
  }
  FieldId field() const override { return 0; }
  std::string_view term() const override { return kTerms[term_].text; }
  uint32_t df() const override {
    uint32_t df = 0;
    for (uint32_t doc = 0; doc < kDocs; ++doc) df += Has(term_, doc) ? 1 : 0;
    return df;
  }
  uint64_t cf() const override {
    uint64_t cf = 0;
    for (uint32_t doc = 0; doc < kDocs; ++doc) cf += Has(term_, doc) ? Freq(term_, doc) : 0;
    return cf;
  }
  bool NextBlock(PostingBlock& block) override {
    block.count = 0;
    block.positions.Clear();
    for (; next_ < kDocs && block.count < kBlockPostings; ++next_) {
      if (!Has(term_, next_)) continue;
      block.docids[block.count] = next_;
      block.freqs[block.count++] = Freq(term_, next_);
    }
    return block.count != 0;
  }

 private:
  size_t term_ = SIZE_MAX;
  uint32_t next_ = 0;
};

class SyntheticInput final : public SegmentInput {
 public:
  SyntheticInput() : norms_(kDocs) {
    uint64_t tokens = 0;
    for (uint32_t doc = 0; doc < kDocs; ++doc) {
      uint32_t length = 0;
      for (size_t term = 0; term < kTerms.size(); ++term) {
        length += Has(term, doc) ? Freq(term, doc) : 0;
      }
      norms_[doc] = EncodeLength(length);
      tokens += length;
    }
    fields_.push_back({"body", kDocs, tokens, norms_});
  }
  AnalyzerKind analyzer() const override { return AnalyzerKind::kWhitespace; }
  bool has_positions() const override { return false; }
  bool has_stored_text() const override { return false; }
  uint32_t doc_count() const override { return kDocs; }
  std::span<const SegmentField> fields() const override { return fields_; }
  std::string_view doc_id(DocId) const override { return "d"; }
  uint32_t doc_token_count(DocId doc) const override { return DecodeLength(norms_[doc]); }
  size_t stored_chunk_count() const override { return 0; }
  StoredChunk stored_chunk(size_t) const override { return {}; }
  std::span<const std::byte> stored_chunk_bytes(size_t) const override { return {}; }
  std::unique_ptr<TermStream> OpenTerms() override { return std::make_unique<SyntheticStream>(); }

 private:
  std::vector<uint8_t> norms_;
  std::vector<SegmentField> fields_;
};

const Snapshot& SyntheticIndex() {
  static const std::shared_ptr<const Snapshot> kSnapshot = [] {
    const std::unique_ptr<Directory> directory = NewDramDirectory("bench");
    SyntheticInput input;
    const auto written = WriteSegment(*directory, 1, input);
    PMDEX_CHECK(written.ok());
    auto file = directory->Open(written->file_name);
    PMDEX_CHECK(file.ok());
    auto segment = Segment::Open(std::move(*file), written->file_name, std::nullopt);
    PMDEX_CHECK(segment.ok());
    IndexSettings settings;
    settings.analyzer = AnalyzerKind::kWhitespace;
    settings.positions = false;
    return Snapshot::Of(settings, {*segment});
  }();
  return *kSnapshot;
}

Query TermOf(const char* text) {
  Query query;
  query.kind = QueryKind::kTerm;
  query.field = "body";
  query.text = text;
  return query;
}

uint64_t Postings(const BoundQuery& query) {
  uint64_t postings = 0;
  for (const BoundTerm& term : query.terms) postings += term.df;
  for (const BoundClause& clause : query.clauses) postings += Postings(*clause.query);
  return postings;
}

void Run(benchmark::State& state, const Query& query, SimilarityKind similarity) {
  const auto binding = BindQuery(query, SyntheticIndex(), similarity);
  PMDEX_CHECK(binding.ok());
  for (auto _ : state) {
    const auto result = SearchExhaustively(*binding, 10);
    PMDEX_CHECK(result.ok());
    benchmark::DoNotOptimize(result->docs.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * Postings(*binding->root)));
}

void SingleTerm(benchmark::State& state, const char* text, SimilarityKind similarity) {
  Run(state, TermOf(text), similarity);
}

void Several(benchmark::State& state, Occur occur, std::vector<const char*> terms) {
  Query query;
  query.kind = QueryKind::kBoolean;
  for (const char* term : terms) {
    query.clauses.push_back({occur, std::make_unique<Query>(TermOf(term))});
  }
  Run(state, query, SimilarityKind::kBm25);
}

using Terms = std::vector<const char*>;
BENCHMARK_CAPTURE(SingleTerm, bm25_all, "all", SimilarityKind::kBm25);
BENCHMARK_CAPTURE(SingleTerm, bm25_tenth, "tenth", SimilarityKind::kBm25);
BENCHMARK_CAPTURE(SingleTerm, tfidf_all, "all", SimilarityKind::kTfidf);
BENCHMARK_CAPTURE(Several, or_half_tenth, Occur::kShould, Terms{"half", "tenth"});
BENCHMARK_CAPTURE(Several, or_tenth_hundredth, Occur::kShould, Terms{"tenth", "hundredth"});
BENCHMARK_CAPTURE(Several, or_four, Occur::kShould,
                  Terms{"half", "tenth", "hundredth", "thousandth"});
BENCHMARK_CAPTURE(Several, and_half_tenth, Occur::kMust, Terms{"half", "tenth"});
BENCHMARK_CAPTURE(Several, and_half_thousandth, Occur::kMust, Terms{"half", "thousandth"});

}  // namespace
}  // namespace pmdex
