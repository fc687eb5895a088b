// Compares the estimate for a flush with the most memory that operator new has given out at a time.
// The estimate must never be less, and hardly more for inputs that are like logs and like text.
#include "engine/segment/writer_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "engine/memtable/memtable.h"
#include "engine/segment/segment_writer.h"
#include "tests/support/heap_counter.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace writer_memory_test {

#if PMDEX_COUNTS_ALLOCATIONS

// Of a block that is being written: what it reads and what it makes of it, in vectors that double.
constexpr double kBytesPerPosition = 3 * (sizeof(uint32_t) + sizeof(uint16_t));

struct Flush {
  double estimated = 0;
  double taken = 0;
};

// Fills a memtable with documents, each one field of next_text(i), and flushes it.
template <typename NextText>
Flush FlushOf(const MemtableOptions& options, int documents, NextText next_text,
              double block_positions = 0) {
  const TemporaryDirectory directory;
  const auto files = OpenFileDirectory(directory.path(), {.durable = false}).value();
  Memtable memtable(options);
  for (int i = 0; i < documents; ++i) {
    memtable.BeginDocument("doc" + std::to_string(i));
    memtable.AddField("body", next_text(i));
    memtable.EndDocument();
  }
  Flush flush;
  flush.estimated = static_cast<double>(memtable.flush_bytes());
  HeapCounts& heap = ThreadHeap();
  const int64_t before = heap.peak_bytes = heap.live_bytes;
  SegmentInput* const input = memtable.Freeze().value();
  EXPECT_TRUE(WriteSegment(*files, 1, *input).ok());
  flush.taken = static_cast<double>(heap.peak_bytes - before) - block_positions * kBytesPerPosition;
  EXPECT_GE(flush.estimated + kWriterBufferBytes, flush.taken);
  return flush;
}

std::string HexWord(std::mt19937_64& random, int digits) {
  std::string word;
  for (int i = 0; i < digits; ++i) word += "0123456789abcdef"[random() % 16];
  return word;
}

// Common words, and one that comes once.
TEST(WriterMemory, IsEstimatedWithinAFifthForLogs) {
  std::mt19937_64 random(1);
  const Flush flush =
      FlushOf({.analyzer = AnalyzerKind::kLog, .positions = false}, 200'000, [&random](int i) {
        return "2026 node" + std::to_string(random() % 5000) + " sshd " +
               std::to_string(random() % 30000) + " info accepted for " +
               std::to_string(random() % 900) + " id " + HexWord(random, 12) + " elapsed " +
               std::to_string(i % 4000);
      });
  EXPECT_LE(flush.estimated, 1.2 * flush.taken);
  RecordProperty("times", std::to_string(flush.estimated / flush.taken));
}

// A Zipf vocabulary, positions on.
TEST(WriterMemory, IsEstimatedWithinAFifthForText) {
  std::mt19937_64 random(2);
  const Flush flush =
      FlushOf({.analyzer = AnalyzerKind::kStandard, .positions = true}, 20'000, [&random](int) {
        std::string text;
        for (int word = 0; word < 200; ++word) {
          const double rank =
              std::exp(std::uniform_real_distribution<double>(0, std::log(3e6))(random));
          std::mt19937_64 letters(static_cast<uint64_t>(rank));
          for (uint64_t i = 0, n = 2 + letters() % 10; i < n; ++i) {
            text += static_cast<char>('a' + letters() % 26);
          }
          text += ' ';
        }
        return text;
      });
  EXPECT_LE(flush.estimated, 1.2 * flush.taken);
  RecordProperty("times", std::to_string(flush.estimated / flush.taken));
}

// Most tokens are beyond the first page of positions, which nobody writes.
TEST(WriterMemory, IsEstimatedWithinAFifthForLongDocumentsWithoutPositions) {
  std::mt19937_64 random(3);
  const Flush flush =
      FlushOf({.analyzer = AnalyzerKind::kWhitespace, .positions = false}, 4, [&random](int) {
        std::string text;
        for (int word = 0; word < 400'000; ++word) text += HexWord(random, 5) + " ";
        return text;
      });
  EXPECT_LE(flush.estimated, 1.2 * flush.taken);
  RecordProperty("times", std::to_string(flush.estimated / flush.taken));
}

// Every term in so many documents, as often in each: around what fits into an entry.
TEST(WriterMemory, IsEnoughForTermsOfEveryFrequency) {
  for (const bool positions : {false, true}) {
    for (const int df : {1, 2, 4, 5, 6, 257}) {
      for (const int freq : {1, 2, 4, 5, 255}) {
        const int terms = 150'000 / df / freq;
        std::string text;
        for (int term = 0; term < terms; ++term) {
          const std::string word = "w" + std::to_string(term) + " ";
          for (int i = 0; i < freq; ++i) text += word;
        }
        FlushOf(
            {.analyzer = AnalyzerKind::kWhitespace, .positions = positions}, df,
            [&text](int) { return text; }, positions ? std::min(df, 256) * freq : 0);
      }
    }
  }
}

TEST(WriterMemory, IsEnoughForLongTermsAndLongDocuments) {
  for (const int length : {1, 12, 13, 16, 17, 255}) {
    for (const int documents : {1, 100}) {
      std::mt19937_64 random(static_cast<uint64_t>(length));
      FlushOf({.analyzer = AnalyzerKind::kWhitespace, .positions = true}, documents, [&](int) {
        std::string text;
        for (int word = 0; word < 200'000 / documents; ++word) {
          text += HexWord(random, length) + " ";
        }
        return text;
      });
    }
  }
}

#endif  // PMDEX_COUNTS_ALLOCATIONS

TEST(WriterMemory, GrowsWithEveryCount) {
  const WriterCounts counts{.has_positions = true,
                            .docs = 1000,
                            .terms = 1000,
                            .term_bytes = 9000,
                            .long_term_bytes = 1000,
                            .tokens = 100'000,
                            .postings = 50'000,
                            .first_postings = 3000,
                            .frequent_terms = 200,
                            .long_tokens = 10'000,
                            .far_tokens = 100};
  for (const auto count :
       {&WriterCounts::docs, &WriterCounts::terms, &WriterCounts::term_bytes,
        &WriterCounts::long_term_bytes, &WriterCounts::tokens, &WriterCounts::postings,
        &WriterCounts::first_postings, &WriterCounts::frequent_terms, &WriterCounts::long_tokens,
        &WriterCounts::far_tokens}) {
    WriterCounts more = counts;
    more.*count += 1'000'000;
    if (count == &WriterCounts::terms) more.first_postings += 1'000'000;
    if (count == &WriterCounts::frequent_terms) {
      more.terms += 1'000'000;
      more.first_postings += 5'000'000;
    }
    EXPECT_GT(EstimateWriterMemory(more).writing, EstimateWriterMemory(counts).writing);
    EXPECT_GE(EstimateWriterMemory(more).laying_out, EstimateWriterMemory(counts).laying_out);
  }
}

}  // namespace writer_memory_test
}  // namespace pmdex
