// What every byte of input passes through takes no memory from the heap once it is warm: analyzers,
// and a memtable that knows the terms.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/memtable/memtable.h"
#include "tests/engine/analysis/random_text.h"
#include "tests/support/heap_counter.h"

#if PMDEX_COUNTS_ALLOCATIONS

namespace pmdex {
namespace allocations_test {

constexpr AnalyzerKind kKinds[] = {AnalyzerKind::kStandard, AnalyzerKind::kWhitespace,
                                   AnalyzerKind::kEnglish, AnalyzerKind::kLog};

template <typename Action>
size_t AllocationsOf(Action action) {
  const size_t before = ThreadHeap().allocations;
  action();
  return ThreadHeap().allocations - before;
}

// Words of many scripts, long ones, and all of NastyAscii.
std::string SomeText(uint64_t seed, size_t max_words) {
  std::mt19937_64 random(seed);
  std::vector<std::string> words = Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8());
  for (const char* word : {"running", "The", "of", "don't", "Größe", "漢字", "привет"}) {
    words.emplace_back(std::string(word) + " ");
  }
  words.emplace_back(300, 'w');
  return RandomText(random, words, max_words);
}

class IgnoreTokens final : public TokenSink {
 public:
  void Accept(std::span<const Token>) override {}
};

TEST(Allocations, AreCounted) {
  EXPECT_EQ(AllocationsOf([] { std::string("short"); }), 0U);
  EXPECT_GE(AllocationsOf([] { std::vector<int> numbers(1'000); }), 1U);
}

TEST(Allocations, AWarmAnalyzerMakesNone) {
  for (const AnalyzerKind kind : kKinds) {
    const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(kind);
    IgnoreTokens sink;
    std::vector<std::string> texts;
    for (uint64_t seed = 0; seed < 20; ++seed) texts.push_back(SomeText(seed, 3'000));
    for (const std::string& text : texts) analyzer->Analyze(text, 0, sink);
    for (const std::string& text : texts) {
      EXPECT_EQ(AllocationsOf([&] { analyzer->Analyze(text, 0, sink); }), 0U) << ToString(kind);
    }
  }
}

// Arrays with an entry per document double now and then: neither 1,100 nor 1,500 documents are at
// such a step.
TEST(Allocations, AMemtableThatKnowsTheTermsMakesNone) {
  for (const AnalyzerKind kind : kKinds) {
    MemtableOptions options;
    options.analyzer = kind;
    Memtable memtable(options);
    std::vector<std::string> texts;
    for (uint64_t seed = 0; seed < 10; ++seed) texts.push_back(SomeText(seed, 300));
    const auto add = [&](size_t documents) {
      for (size_t i = 0; i < documents; ++i) {
        memtable.BeginDocument("id");
        memtable.AddField("body", texts[i % texts.size()]);
        memtable.AddField("title", "a few words of a title");
        memtable.EndDocument();
      }
    };
    add(1'100);
    const uint64_t tokens = memtable.token_count();
    EXPECT_EQ(AllocationsOf([&] { add(400); }), 0U) << ToString(kind);
    EXPECT_GT(memtable.token_count(), tokens + 400 * 20);
  }
}

}  // namespace allocations_test
}  // namespace pmdex

#endif  // PMDEX_COUNTS_ALLOCATIONS
