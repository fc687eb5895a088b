// How long do expansions take? For fuzzy words it compares the automaton, which seeks in the
// ordered dictionary, with an alignment of every term. For sets of documents it compares a bitset
// with a sorted vector, to find the share of documents from which the bitset is faster. For
// wildcards it measures one pass over all terms.
//
//   expansion_bench --benchmark_filter='Fuzzy|Bits|Sorted|Wildcard'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/one_document_input.h"
#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "pmem/check.h"
#include "query/cursor/doc_set.h"
#include "query/expansion/fuzzy_terms.h"
#include "query/expansion/signature_terms.h"
#include "query/expansion/term_pattern.h"

namespace pmdex {
namespace {

// Words of two to five syllables. Many of them share a prefix, as in a natural language.
std::vector<std::string> MakeTerms(size_t count) {
  std::mt19937_64 random(1);
  std::set<std::string> terms;
  while (terms.size() < count) {
    std::string term;
    for (size_t n = 2 + random() % 4; n > 0; --n) {
      term += "bcdfghklmnprstvwz"[random() % 17];
      if (random() % 4 == 0) term += "rlns"[random() % 4];
      term += "aeiou"[random() % 5];
    }
    terms.insert(std::move(term));
  }
  return {terms.begin(), terms.end()};
}

struct Dictionary {
  explicit Dictionary(size_t count)
      : terms(MakeTerms(count)), directory(NewDramDirectory("expansion_bench")) {
    OneDocumentInput input(terms);
    const auto info = WriteSegment(*directory, 1, input);
    PMDEX_CHECK(info.ok());
    auto opened = Segment::Open(directory->Open(info->file_name).value(), info->file_name, {});
    PMDEX_CHECK(opened.ok());
    segment = *opened;
  }
  // Words of about eight letters that are in the dictionary.
  std::string Word(size_t i) const { return terms[(i * 7919) % terms.size()]; }

  std::vector<std::string> terms;
  std::unique_ptr<Directory> directory;
  std::shared_ptr<const Segment> segment;
};

const Dictionary& DictionaryOf(size_t count) {
  static std::unique_ptr<Dictionary> last;
  if (last == nullptr || last->terms.size() != count) last = std::make_unique<Dictionary>(count);
  return *last;
}

// Each iteration expands one word.
void BM_FuzzyAutomaton(benchmark::State& state) {
  const Dictionary& dictionary = DictionaryOf(static_cast<size_t>(state.range(0)));
  uint64_t found = 0;
  uint64_t visited = 0;
  size_t i = 0;
  for (auto _ : state) {
    const FuzzyAutomaton automaton(dictionary.Word(i++), static_cast<uint32_t>(state.range(1)));
    DeadlineWatch watch(kNoDeadline);
    FuzzyTerms terms(dictionary.segment->dictionary(), 0, automaton, watch);
    while (terms.Next()) ++found;
    visited += terms.visited();
  }
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
  state.counters["visited"] =
      benchmark::Counter(static_cast<double>(visited), benchmark::Counter::kAvgIterations);
}

void BM_FuzzySignatures(benchmark::State& state) {
  const Dictionary& dictionary = DictionaryOf(static_cast<size_t>(state.range(0)));
  uint64_t found = 0;
  size_t i = 0;
  for (auto _ : state) {
    const std::string word = dictionary.Word(i++);
    const FuzzyAutomaton automaton(word, 2);
    DeadlineWatch watch(kNoDeadline);
    SignatureTerms terms(dictionary.segment->dictionary(), 0, automaton, watch);
    if (const absl::Status status = terms.Scan(word, ""); !status.ok()) {
      state.SkipWithError(std::string(status.message()).c_str());
      break;
    }
    for (const auto set : {SignatureTerms::Candidates::kNear, SignatureTerms::Candidates::kFar}) {
      terms.Start(set);
      while (terms.Next()) ++found;
    }
  }
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}

void BM_FuzzyAlignment(benchmark::State& state) {
  const Dictionary& dictionary = DictionaryOf(static_cast<size_t>(state.range(0)));
  uint64_t found = 0;
  size_t i = 0;
  for (auto _ : state) {
    FuzzyPattern pattern(dictionary.Word(i++), static_cast<uint32_t>(state.range(1)));
    TermIterator terms(dictionary.segment->dictionary(), 0);
    while (terms.Next()) found += pattern.Distance(terms.term()).has_value() ? 1 : 0;
  }
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}

void BM_WildcardOfAllTerms(benchmark::State& state) {
  const Dictionary& dictionary = DictionaryOf(static_cast<size_t>(state.range(0)));
  uint64_t found = 0;
  size_t i = 0;
  for (auto _ : state) {
    const WildcardPattern pattern("*" + dictionary.Word(i++).substr(1));
    TermIterator terms(dictionary.segment->dictionary(), 0);
    while (terms.Next()) found += pattern.Matches(terms.term()) ? 1 : 0;
  }
  benchmark::DoNotOptimize(found);
}

// A random set of documents: one in range(1) of range(0) documents.
std::vector<DocId> RandomDocs(const benchmark::State& state) {
  std::mt19937 random(2);
  std::vector<DocId> docs(static_cast<size_t>(state.range(0) / state.range(1)));
  for (DocId& doc : docs)
    doc = static_cast<DocId>(random() % static_cast<uint32_t>(state.range(0)));
  return docs;
}

void BM_Bits(benchmark::State& state) {
  const std::vector<DocId> docs = RandomDocs(state);
  for (auto _ : state) {
    std::vector<uint64_t> words(static_cast<size_t>(state.range(0)) / 64 + 1);
    for (const DocId doc : docs) words[doc / 64] |= uint64_t{1} << (doc % 64);
    benchmark::DoNotOptimize(words.data());
  }
}

void BM_Sorted(benchmark::State& state) {
  const std::vector<DocId> docs = RandomDocs(state);
  for (auto _ : state) {
    std::vector<DocId> sorted(docs);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}

void Words(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"terms", "edits"})
      ->ArgsProduct({{100'000, 1'000'000, 6'000'000}, {0, 1, 2}})
      ->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_FuzzyAutomaton)->Apply(Words);
BENCHMARK(BM_FuzzySignatures)
    ->ArgName("terms")
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(6'000'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_FuzzyAlignment)->Apply(Words);
BENCHMARK(BM_WildcardOfAllTerms)->ArgName("terms")->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void Sets(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"docs", "one_in"})
      ->ArgsProduct({{200'000, 10'000'000}, {32, 256, 1024, 4096, 16384}})
      ->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_Bits)->Apply(Sets);
BENCHMARK(BM_Sorted)->Apply(Sets);

}  // namespace
}  // namespace pmdex
