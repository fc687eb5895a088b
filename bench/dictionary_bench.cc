// What does one exact look-up in a segment's term dictionary cost, compared with a hash map in DRAM
// and with binary search? Terms are looked up in random order, so that large tables miss the
// caches.
//
//   dictionary_bench --benchmark_filter='Dictionary|Map|Sorted'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "bench/one_document_input.h"
#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kLookups = 1 << 16;

// Terms like words: 3 to 14 letters and a number that makes each of them unique.
std::vector<std::string> MakeTerms(size_t count, uint64_t seed, char mark) {
  std::mt19937_64 random(seed);
  std::vector<std::string> terms;
  for (size_t i = 0; i < count; ++i) {
    std::string term(1 + random() % 8, ' ');
    for (char& c : term) c = static_cast<char>('a' + random() % 26);
    terms.push_back(term + mark + std::to_string(i));
  }
  std::sort(terms.begin(), terms.end());
  return terms;
}

// The terms to look up: terms of the table or, for misses, similar ones that are not in it.
std::vector<std::string> MakeProbes(const std::vector<std::string>& terms, bool hits) {
  const std::vector<std::string> strangers =
      hits ? std::vector<std::string>() : MakeTerms(kLookups, 2, '_');
  std::mt19937_64 random(3);
  std::vector<std::string> probes;
  for (size_t i = 0; i < kLookups; ++i) {
    probes.push_back(hits ? terms[random() % terms.size()] : strangers[random() % kLookups]);
  }
  return probes;
}

// Each iteration looks up one term.
template <typename Lookup>
void RunLookups(benchmark::State& state, const std::vector<std::string>& terms,
                const Lookup& lookup) {
  const std::vector<std::string> probes = MakeProbes(terms, state.range(1) != 0);
  size_t i = 0;
  for (auto _ : state) {
    const bool found = lookup(probes[i]);
    i = (i + 1) % kLookups;
    benchmark::DoNotOptimize(found);
  }
}

void BM_Dictionary(benchmark::State& state) {
  const std::vector<std::string> terms = MakeTerms(static_cast<size_t>(state.range(0)), 1, '-');
  const auto directory = NewDramDirectory("dictionary_bench");
  OneDocumentInput input(terms);
  const auto info = WriteSegment(*directory, 1, input);
  PMDEX_CHECK(info.ok());
  const auto segment =
      Segment::Open(directory->Open(info->file_name).value(), info->file_name, std::nullopt);
  PMDEX_CHECK(segment.ok());
  RunLookups(state, terms,
             [&](std::string_view term) { return (*segment)->Find(0, term).value().has_value(); });
}

void BM_Map(benchmark::State& state) {
  const std::vector<std::string> terms = MakeTerms(static_cast<size_t>(state.range(0)), 1, '-');
  absl::flat_hash_map<std::string, uint64_t> map;
  for (const std::string& term : terms) map.emplace(term, map.size());
  RunLookups(state, terms, [&](const std::string& term) { return map.contains(term); });
}

void BM_Sorted(benchmark::State& state) {
  const std::vector<std::string> terms = MakeTerms(static_cast<size_t>(state.range(0)), 1, '-');
  RunLookups(state, terms, [&](const std::string& term) {
    const auto at = std::lower_bound(terms.begin(), terms.end(), term);
    return at != terms.end() && *at == term;
  });
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"terms", "hits"})->ArgsProduct({{1'000, 10'000, 100'000, 1'000'000}, {1, 0}});
}
BENCHMARK(BM_Dictionary)->Apply(Sizes);
BENCHMARK(BM_Map)->Apply(Sizes);
BENCHMARK(BM_Sorted)->Apply(Sizes);

}  // namespace
}  // namespace pmdex
