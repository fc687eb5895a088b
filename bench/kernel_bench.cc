// How fast do the query kernels run, and how close is that to the bandwidth of the memory? It runs
// every level that the CPU supports, over arrays that fit into the caches and arrays that do not.
// items_per_second is postings (or blocks or documents), bytes_per_second the bytes that are read.
// BM_ReadMemory is the yardstick: it only adds up the same bytes. One thread.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Frequencies of which each is half as common as the one before it, and lengths of about 100.
struct PostingArrays {
  explicit PostingArrays(size_t count) : freqs(count + 64), codes(count + 64) {
    for (size_t i = 0; i < count; ++i) {
      freqs[i] = static_cast<uint8_t>(1 + std::countr_zero(Mix(i) | 0x40));
      codes[i] = static_cast<uint8_t>(40 + Mix(i + count) % 30);
    }
  }
  std::vector<uint8_t> freqs, codes;
};

const LengthTable& Lengths() {
  static const LengthTable table =
      MakeLengthTable(SimilarityKind::kBm25, FieldStatistics{1000, 100000, 50000});
  return table;
}

const TermScorer& Scorer() {
  static const TermScorer scorer = {SimilarityKind::kBm25, 3.0f, &Lengths()};
  return scorer;
}

const QueryKernels* KernelsOf(benchmark::State& state) {
  const auto level = static_cast<SimdLevel>(state.range(0));
  if (!IsUsable(level)) {
    state.SkipWithError("this CPU does not have it");
    return nullptr;
  }
  state.SetLabel(std::string(ToString(level)));
  return &QueryKernelsOf(level);
}

void BM_FilterPostings(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  const auto count = static_cast<uint32_t>(state.range(1));
  const PostingArrays arrays(count);
  LeastFreqs table;
  kernels->least_freqs(Scorer(), 2.5f, table);
  std::vector<uint64_t> mask(count / 64);
  for (auto _ : state) {
    for (uint32_t i = 0; i < count; i += kBlockPostings) {
      kernels->filter_postings(arrays.freqs.data() + i, arrays.codes.data() + i, kBlockPostings,
                               table, mask.data() + i / 64);
    }
    benchmark::DoNotOptimize(mask.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * count * 2);
}

void BM_ScorePostings(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  const auto count = static_cast<uint32_t>(state.range(1));
  const PostingArrays arrays(count);
  alignas(64) float scores[kBlockPostings];
  for (auto _ : state) {
    for (uint32_t i = 0; i < count; i += kBlockPostings) {
      kernels->score_postings(arrays.freqs.data() + i, arrays.codes.data() + i, kBlockPostings,
                              Scorer(), 255, scores);
      benchmark::DoNotOptimize(scores);
    }
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * count * 2);
}

void BM_BlockBounds(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  std::vector<BoundPoints> blocks(4096);
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = {{9, 5, 3, 1}, {80, 60, static_cast<uint8_t>(40 + i % 20), 30}};
  }
  std::vector<float> bounds(blocks.size());
  for (auto _ : state) {
    kernels->block_bounds(blocks.data(), static_cast<uint32_t>(blocks.size()), Scorer(), 255,
                          bounds.data());
    benchmark::DoNotOptimize(bounds.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(blocks.size()));
}

void BM_LeastFreqs(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  LeastFreqs table;
  float needed = 0.1f;
  for (auto _ : state) {
    needed = needed > 2.9f ? 0.1f : needed + 0.01f;
    kernels->least_freqs(Scorer(), needed, table);
    benchmark::DoNotOptimize(table);
  }
  state.SetItemsProcessed(state.iterations());
}

// A window of which every other document is a member and every fourth one passes.
void BM_Deposit(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  WindowBits documents;
  documents.words.fill(0x5555555555555555);
  const std::vector<uint64_t> mask(kWindowWords + 1, 0x5555555555555555);
  WindowBits out;
  for (auto _ : state) {
    kernels->deposit(documents.words.data(), mask.data(), out);
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations() * kWindowDocs);
}

// Documents with `size` positions of each of two terms.
struct RunPairs {
  static constexpr uint32_t kCount = 1024;
  explicit RunPairs(size_t size) {
    for (size_t i = 0; i < 2 * kCount * size; ++i) {
      positions.push_back(static_cast<uint16_t>((i % size) * 60 + Mix(i) % 50));
    }
    for (size_t i = 0; i < kCount; ++i) {
      begins_a.push_back(static_cast<uint32_t>(2 * i * size));
      begins_b.push_back(static_cast<uint32_t>((2 * i + 1) * size));
    }
    counts.assign(kCount, static_cast<uint16_t>(size));
  }
  std::vector<uint16_t> positions, counts;
  std::vector<uint32_t> begins_a, begins_b;
};

// run(kernels, a, b, matches, out): compares each pair of runs of range(1) positions.
template <typename Run>
void ComparePairs(benchmark::State& state, Run run) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  RunPairs pairs(static_cast<size_t>(state.range(1)));
  const uint16_t* base = pairs.positions.data();
  const RunArrays a{base, pairs.begins_a.data(), pairs.counts.data()};
  const RunArrays b{base, pairs.begins_b.data(), pairs.counts.data()};
  std::vector<uint32_t> begins(RunPairs::kCount + 64);
  std::vector<uint16_t> counts(RunPairs::kCount + 64);
  std::vector<uint16_t> matches(pairs.positions.size() + 64);
  for (auto _ : state) {
    run(*kernels, a, b, matches.data(), RunArrays{matches.data(), begins.data(), counts.data()});
    benchmark::DoNotOptimize(counts.data());
  }
  state.SetItemsProcessed(state.iterations() * RunPairs::kCount);
}

// range(2): 1 if the matches are written, 0 if they are only counted.
void BM_MatchRuns(benchmark::State& state) {
  ComparePairs(state, [&state](const QueryKernels& kernels, const RunArrays& a, const RunArrays& b,
                               uint16_t* matches, const RunArrays& out) {
    kernels.match_runs(a, b, RunPairs::kCount, 1, state.range(2) != 0 ? matches : nullptr, out);
  });
}

// Within two positions of each other.
void BM_NearRuns(benchmark::State& state) {
  ComparePairs(state, [](const QueryKernels& kernels, const RunArrays& a, const RunArrays& b,
                         uint16_t* matches, const RunArrays& out) {
    kernels.near_runs(a, b, RunPairs::kCount, 1, 2, matches, out);
  });
}

// Selects every other posting of a window.
void BM_SelectRuns(benchmark::State& state) {
  const QueryKernels* kernels = KernelsOf(state);
  if (kernels == nullptr) return;
  const PostingArrays arrays(kWindowDocs);
  std::vector<uint32_t> groups;
  uint32_t entries = 0;
  for (uint32_t i = 0; i < kWindowDocs; ++i) {
    if (i != 0 && i % kPositionGroup == 0) groups.push_back(entries);
    entries += arrays.freqs[i];
  }
  const std::vector<uint16_t> positions(entries);
  PostingListView list;
  list.df = kWindowDocs;
  list.freqs = arrays.freqs.data();
  list.groups = groups.data();
  list.positions = positions;
  const std::vector<uint64_t> mask(kWindowWords + 1, 0x5555555555555555);
  std::vector<uint32_t> begins(kWindowDocs + 64);
  std::vector<uint16_t> counts(kWindowDocs + 64);
  for (auto _ : state) {
    kernels->select_runs(list, 0, mask.data(), kWindowDocs,
                         {positions.data(), begins.data(), counts.data()});
    benchmark::DoNotOptimize(begins.data());
  }
  state.SetItemsProcessed(state.iterations() * kWindowDocs / 2);
}

void BM_ReadMemory(benchmark::State& state) {
  const std::vector<uint64_t> words(static_cast<size_t>(state.range(0)) / sizeof(uint64_t), 1);
  for (auto _ : state) {
    uint64_t sums[8] = {};
    for (size_t i = 0; i < words.size(); i += 8) {
      for (size_t j = 0; j < 8; ++j) sums[j] += words[i + j];
    }
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

const std::vector<int64_t> kLevels = {0, 1, 2};  // SimdLevel
constexpr int64_t kCached = 1 << 14;
constexpr int64_t kInMemory = 1 << 26;

BENCHMARK(BM_FilterPostings)->ArgsProduct({kLevels, {kCached, kInMemory}});
BENCHMARK(BM_ScorePostings)->ArgsProduct({kLevels, {kCached, kInMemory}});
BENCHMARK(BM_BlockBounds)->ArgsProduct({kLevels});
BENCHMARK(BM_LeastFreqs)->ArgsProduct({kLevels});
BENCHMARK(BM_Deposit)->ArgsProduct({kLevels});
BENCHMARK(BM_MatchRuns)->ArgsProduct({kLevels, {4, 12, 100}, {0, 1}});
BENCHMARK(BM_NearRuns)->ArgsProduct({kLevels, {4, 12, 100}});
BENCHMARK(BM_SelectRuns)->ArgsProduct({kLevels});
BENCHMARK(BM_ReadMemory)->Arg(2 * kCached)->Arg(2 * kInMemory);

}  // namespace
}  // namespace pmdex
