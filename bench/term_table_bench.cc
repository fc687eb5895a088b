// What does the look-up of a token in the memtable's vocabulary cost? It compares the term table of
// pmdex, which has inline keys, with absl::flat_hash_map: one token at a time, and a batch at a
// time with prefetches. The tokens are words with Zipf's distribution, and all are in the tables
// already. An item is a token.
//
//   term_table_bench --benchmark_min_time=0.5
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "engine/memtable/memtable_postings.h"
#include "engine/memtable/terms/term_table.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr size_t kBatch = 128;
constexpr size_t kTokens = size_t{1} << 22;
constexpr size_t kTokensPerDoc = 300;

// The tokens of a long text, with their terms one after the other as an analyzer returns them.
class Workload {
 public:
  explicit Workload(size_t vocabulary) {
    std::mt19937_64 random(vocabulary);
    std::vector<std::string> words(vocabulary);
    for (size_t i = 0; i < vocabulary; ++i) {
      words[i] = std::to_string(i);
      const size_t letters = 1 + random() % 6 + (random() % 12 == 0 ? 8 : 0);
      for (size_t j = 0; j < letters; ++j) words[i] += static_cast<char>('a' + random() % 26);
    }
    // Ranks by the inverse of the integral of 1/x.
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<size_t> ranks(kTokens);
    for (size_t& rank : ranks) {
      rank = static_cast<size_t>(std::pow(static_cast<double>(vocabulary), uniform(random))) - 1;
      rank = std::min(rank, vocabulary - 1);
    }
    for (size_t i = 0; i < vocabulary; ++i) AddWord(words[i]);
    for (const size_t rank : ranks) AddWord(words[rank]);
    text_.resize(text_.size() + kReadableTermBytes);
    size_t begin = 0;
    for (const size_t end : ends_) {
      terms_.emplace_back(text_.data() + begin, end - begin);
      begin = end;
    }
  }

  // Adds every term once; the tokens follow.
  const std::vector<std::string_view>& terms() const { return terms_; }

 private:
  void AddWord(const std::string& word) {
    text_ += word;
    ends_.push_back(text_.size());
  }

  std::string text_;
  std::vector<size_t> ends_;
  std::vector<std::string_view> terms_;
};

class PmdexTable {
 public:
  void AddOneByOne(std::span<const std::string_view> terms, DocId doc) {
    for (const std::string_view term : terms) {
      AddOccurrence<true>(slices_, table_.FindOrInsert(table_.MakeKey(0, term)), doc, 7);
    }
  }
  void AddBatch(std::span<const std::string_view> terms, DocId doc) {
    table_.Reserve(terms.size());
    LookupKey keys[kBatch];
    TermEntry* located[kBatch];
    for (size_t i = 0; i < terms.size(); ++i) {
      keys[i] = table_.MakeKey(0, terms[i]);
      table_.PrefetchBucket(keys[i]);
    }
    for (size_t i = 0; i < terms.size(); ++i) located[i] = table_.Locate(keys[i]);
    for (size_t i = 0; i < terms.size(); ++i) table_.PrefetchPostings(keys[i], located[i]);
    for (size_t i = 0; i < terms.size(); ++i) {
      TermEntry* const entry = table_.Find(keys[i], located[i]);
      AddOccurrence<true>(slices_, entry != nullptr ? *entry : table_.FindOrInsert(keys[i]), doc,
                          7);
    }
  }
  size_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  Arena arena_;
  PostingSlices slices_{arena_};
  TermTable table_{arena_};
};

// The same entries, found by a map whose keys are views into the arena.
class FlatHashMap {
 public:
  void AddOneByOne(std::span<const std::string_view> terms, DocId doc) {
    for (const std::string_view term : terms) AddOccurrence<true>(slices_, Find(term), doc, 7);
  }
  void AddBatch(std::span<const std::string_view> terms, DocId doc) {
    TermEntry* entries[kBatch];
    for (const std::string_view term : terms) map_.prefetch(ToAbsl(term));
    for (size_t i = 0; i < terms.size(); ++i) {
      entries[i] = &Find(terms[i]);
      PrefetchLine(entries[i]);
    }
    for (size_t i = 0; i < terms.size(); ++i) PrefetchLine(entries[i]->postings.next);
    for (size_t i = 0; i < terms.size(); ++i) AddOccurrence<true>(slices_, *entries[i], doc, 7);
  }
  size_t memory_bytes() const {
    return map_.capacity() * (1 + sizeof(Map::value_type)) + entries_.used_bytes() + key_bytes_;
  }

 private:
  using Map = absl::flat_hash_map<absl::string_view, TermEntry*>;

  TermEntry& Find(std::string_view term) {
    const auto found = map_.find(ToAbsl(term));
    if (found != map_.end()) return *found->second;
    char* const bytes = reinterpret_cast<char*>(arena_.At(arena_.Allocate(term.size())));
    std::memcpy(bytes, term.data(), term.size());
    key_bytes_ += (term.size() + 7) / 8 * 8;
    TermEntry* const entry = new (entries_.At(entries_.Allocate(sizeof(TermEntry)))) TermEntry{};
    entry->postings = PostingSlices::Start(entry->first);
    map_.emplace(absl::string_view(bytes, term.size()), entry);
    return *entry;
  }

  Arena arena_, entries_;
  PostingSlices slices_{arena_};
  Map map_;
  size_t key_bytes_ = 0;
};

template <typename Table, bool kInBatches>
void Tokens(benchmark::State& state) {
  const auto vocabulary = static_cast<size_t>(state.range(0));
  const Workload workload(vocabulary);
  const std::span<const std::string_view> terms = workload.terms();
  auto table = std::make_unique<Table>();
  DocId doc = 0;
  for (const std::string_view& term : terms.first(vocabulary)) table->AddOneByOne({&term, 1}, doc);
  size_t at = vocabulary;
  for (auto _ : state) {
    const std::span<const std::string_view> batch =
        terms.subspan(at, std::min(kBatch, terms.size() - at));
    doc += at % kTokensPerDoc < kBatch ? 1 : 0;
    if constexpr (kInBatches) {
      table->AddBatch(batch, doc);
    } else {
      table->AddOneByOne(batch, doc);
    }
    at = at + batch.size() == terms.size() ? vocabulary : at + batch.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
  state.counters["bytes_a_term"] =
      static_cast<double>(table->memory_bytes()) / static_cast<double>(vocabulary);
}

#define PMDEX_SIZES ->Arg(1000)->Arg(30000)->Arg(1000000)
BENCHMARK(Tokens<PmdexTable, true>)->Name("term table, batch") PMDEX_SIZES;
BENCHMARK(Tokens<FlatHashMap, true>)->Name("flat_hash_map, batch") PMDEX_SIZES;
BENCHMARK(Tokens<PmdexTable, false>)->Name("term table, one by one") PMDEX_SIZES;
BENCHMARK(Tokens<FlatHashMap, false>)->Name("flat_hash_map, one by one") PMDEX_SIZES;
#undef PMDEX_SIZES

}  // namespace
}  // namespace pmdex
