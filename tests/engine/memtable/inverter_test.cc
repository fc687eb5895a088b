#include "engine/memtable/inverter.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/memtable/memtable_postings.h"

namespace pmdex {
namespace inverter_test {

using Postings = std::map<std::pair<FieldId, std::string>, std::vector<std::pair<DocId, uint32_t>>>;

std::string RandomTerm(std::mt19937& random) {
  const size_t size = random() % 8 == 0 ? 1 + random() % kMaxTokenBytes : 1 + random() % 14;
  std::string term(size, 'x');
  for (size_t i = 0; i < std::min<size_t>(size, 2); ++i) term[i] = 'a' + random() % 26;
  return term;
}

Postings ReadAll(const TermTable& table, const PostingSlices& slices, bool positions) {
  Postings all;
  PostingReader reader(slices);
  table.ForEach([&](TermHandle handle) {
    if (TermTable::IsHapax(handle)) {
      const HapaxEntry& hapax = table.HapaxAt(handle);
      all[{hapax.field, std::string(table.TermOf(hapax))}] = {{hapax.occurrence.doc, 1}};
      return;
    }
    const TermEntry& entry = table.EntryAt(handle);
    std::vector<DocId> docids(entry.df);
    std::vector<uint32_t> freqs(entry.df);
    BlockPositions unused;
    reader.Open(entry);
    const uint32_t read =
        positions ? reader.ReadWithPositions(entry.df, docids.data(), freqs.data(), unused)
                  : reader.Read(entry.df, docids.data(), freqs.data());
    ASSERT_EQ(read, entry.df);
    auto& postings = all[{entry.field, std::string(table.TermOf(entry))}];
    for (uint32_t i = 0; i < read; ++i) postings.emplace_back(docids[i], freqs[i]);
  });
  return all;
}

class Inverters : public testing::TestWithParam<std::tuple<bool, uint32_t>> {
 protected:
  const bool positions_ = std::get<0>(GetParam());
  Arena arena_;
  PostingSlices slices_{arena_};
  TermTable table_{arena_, std::get<1>(GetParam())};
  Inverter inverter_{table_, slices_, positions_};
  Postings expected_;
  uint64_t posting_count_ = 0;

  // The text of the tokens is gone afterwards.
  void AddTokens(std::mt19937& random, size_t count, FieldId field, DocId doc) {
    std::string text(count * kMaxTokenBytes + kReadableTermBytes, ' ');
    std::vector<Token> tokens(count);
    for (size_t i = 0; i < count; ++i) {
      const std::string term = RandomTerm(random);
      text.replace(i * kMaxTokenBytes, term.size(), term);
      tokens[i].term = std::string_view(text).substr(i * kMaxTokenBytes, term.size());
      tokens[i].position = next_position_++;
      auto& postings = expected_[{field, term}];
      if (postings.empty() || postings.back().first != doc) {
        postings.emplace_back(doc, 0);
        ++posting_count_;
      }
      ++postings.back().second;
    }
    inverter_.Add(tokens, field, doc);
  }
  uint32_t next_position_ = 0;
};

TEST_P(Inverters, WriteWhatTheyWereGivenInBatchesOfAnySize) {
  std::mt19937 random(21);
  for (DocId doc = 0; doc < 1500; ++doc) {
    next_position_ = 0;
    for (FieldId field = 0; field < 2; ++field) AddTokens(random, random() % 90, field, doc);
    if (random() % 100 == 0) inverter_.Finish();
  }
  inverter_.Finish();
  EXPECT_EQ(inverter_.posting_count(), posting_count_);
  EXPECT_EQ(ReadAll(table_, slices_, positions_), expected_);
  inverter_.Finish();  // nothing is left to do
  EXPECT_EQ(inverter_.posting_count(), posting_count_);
}

INSTANTIATE_TEST_SUITE_P(All, Inverters,
                         testing::Combine(testing::Bool(), testing::Values(1u, 16u)));

}  // namespace inverter_test
}  // namespace pmdex
