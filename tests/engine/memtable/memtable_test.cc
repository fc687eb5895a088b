#include "engine/memtable/memtable.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/documents/norms.h"

namespace pmdex {
namespace memtable_test {

// (field, term) -> document -> positions: the index in the plainest form.
using NaiveIndex =
    std::map<std::pair<std::string, std::string>, std::map<DocId, std::vector<uint32_t>>>;

struct NaiveField {
  uint64_t doc_count = 0;
  uint64_t token_count = 0;
  std::map<DocId, uint32_t> lengths;
};

class NaiveMemtable : private TokenSink {
 public:
  explicit NaiveMemtable(AnalyzerKind kind) : analyzer_(NewAnalyzer(kind)) {}

  void Add(std::string id, const std::vector<std::pair<std::string, std::string>>& values) {
    std::map<std::string, uint32_t> next;
    for (const auto& [field, text] : values) {
      field_ = field;
      uint32_t first = 0;
      if (const auto found = next.find(field); found != next.end())
        first = found->second + kPositionGap;
      next[field] = analyzer_->Analyze(text, first, *this);
    }
    ids.push_back(std::move(id));
  }

  NaiveIndex index;
  std::map<std::string, NaiveField> fields;
  std::vector<std::string> ids;

 private:
  void Accept(std::span<const Token> tokens) override {
    const DocId doc = static_cast<DocId>(ids.size());
    NaiveField& field = fields[field_];
    for (const Token& token : tokens) {
      index[{field_, std::string(token.term)}][doc].push_back(token.position);
      if (field.lengths[doc]++ == 0) ++field.doc_count;
      ++field.token_count;
    }
  }

  std::unique_ptr<Analyzer> analyzer_;
  std::string field_;
};

std::string RandomText(std::mt19937& random, int most_words) {
  std::string text;
  for (int words = static_cast<int>(random() % (most_words + 1)); words > 0; --words) {
    const uint32_t word = random() % 2 == 0 ? random() % 20 : random() % 3000;
    text += random() % 9 == 0 ? "the" : "word" + std::to_string(word);
    if (random() % 50 == 0) text += std::string(40, static_cast<char>('a' + word % 26));
    text += random() % 7 == 0 ? ". " : " ";
  }
  return text;
}

// Adds the same random documents to both.
void AddRandomDocuments(std::mt19937& random, int documents, Memtable& memtable,
                        NaiveMemtable& naive) {
  for (int i = 0; i < documents; ++i) {
    const std::string id = "doc-" + std::to_string(random());
    std::vector<std::pair<std::string, std::string>> values;
    for (int n = static_cast<int>(random() % 5); n > 0; --n) {
      values.emplace_back("field" + std::to_string(random() % 3), RandomText(random, 60));
    }
    memtable.BeginDocument(id);
    for (const auto& [field, text] : values) ASSERT_TRUE(memtable.AddField(field, text));
    memtable.EndDocument();
    naive.Add(id, values);
  }
}

// Reads the input back into the plain form, and checks what the contract says of blocks and order.
NaiveIndex ReadIndex(SegmentInput& input) {
  NaiveIndex index;
  std::pair<FieldId, std::string> before;
  const std::unique_ptr<TermStream> terms = input.OpenTerms();
  PostingBlock block;
  while (terms->Next()) {
    const std::pair<FieldId, std::string> key(terms->field(), terms->term());
    EXPECT_TRUE(index.empty() || before < key);
    before = key;
    auto& postings = index[{input.fields()[key.first].name, key.second}];
    uint64_t cf = 0;
    uint32_t left = terms->df();
    while (terms->NextBlock(block)) {
      EXPECT_EQ(block.count, std::min(left, kBlockPostings));
      left -= block.count;
      size_t at = 0;
      for (uint32_t i = 0; i < block.count; ++i) {
        auto& positions = postings[block.docids[i]];
        cf += block.freqs[i];
        for (uint32_t f = 0; input.has_positions() && f < block.freqs[i]; ++f) {
          positions.push_back(block.positions[at++]);
        }
        if (!input.has_positions()) positions.assign(block.freqs[i], 0);
      }
      EXPECT_EQ(at, block.positions.size());
    }
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(cf, terms->cf());
    EXPECT_FALSE(terms->NextBlock(block));
  }
  return index;
}

void ExpectEqualFields(SegmentInput& input, const NaiveMemtable& naive) {
  ASSERT_EQ(input.doc_count(), naive.ids.size());
  std::vector<uint32_t> tokens(naive.ids.size());
  for (const SegmentField& field : input.fields()) {
    const auto found = naive.fields.find(field.name);
    const NaiveField expected = found == naive.fields.end() ? NaiveField{} : found->second;
    EXPECT_EQ(field.doc_count, expected.doc_count);
    EXPECT_EQ(field.token_count, expected.token_count);
    ASSERT_EQ(field.norms.size(), naive.ids.size());
    for (DocId doc = 0; doc < naive.ids.size(); ++doc) {
      const auto length = expected.lengths.find(doc);
      const uint32_t count = length == expected.lengths.end() ? 0 : length->second;
      ASSERT_EQ(field.norms[doc], EncodeLength(count));
      tokens[doc] += count;
    }
  }
  for (DocId doc = 0; doc < naive.ids.size(); ++doc) {
    ASSERT_EQ(input.doc_id(doc), naive.ids[doc]);
    ASSERT_EQ(input.doc_token_count(doc), tokens[doc]);
  }
}

class MemtableOfAnalyzer : public testing::TestWithParam<AnalyzerKind> {};

TEST_P(MemtableOfAnalyzer, EqualsANaiveIndexOfRandomDocuments) {
  std::mt19937 random(42);
  for (int round = 0; round < 3; ++round) {
    Memtable memtable({.analyzer = GetParam()});
    NaiveMemtable naive(GetParam());
    AddRandomDocuments(random, 1500, memtable, naive);
    const auto input = memtable.Freeze();
    ASSERT_TRUE(input.ok());
    ExpectEqualFields(**input, naive);
    EXPECT_EQ(ReadIndex(**input), naive.index);
    EXPECT_EQ(ReadIndex(**input), naive.index) << "a second pass";
  }
}
INSTANTIATE_TEST_SUITE_P(All, MemtableOfAnalyzer,
                         testing::Values(AnalyzerKind::kStandard, AnalyzerKind::kWhitespace,
                                         AnalyzerKind::kEnglish, AnalyzerKind::kLog));

TEST(Memtable, KeepsFrequenciesWithoutPositions) {
  std::mt19937 random(1);
  Memtable memtable({.positions = false});
  NaiveMemtable naive(AnalyzerKind::kStandard);
  AddRandomDocuments(random, 800, memtable, naive);
  for (auto& [term, postings] : naive.index) {
    for (auto& [doc, positions] : postings) positions.assign(positions.size(), 0);
  }
  EXPECT_EQ(ReadIndex(**memtable.Freeze()), naive.index);
}

TEST(Memtable, LeavesAGapBetweenValuesOfOneField) {
  Memtable memtable({.analyzer = AnalyzerKind::kWhitespace});
  memtable.BeginDocument("a");
  memtable.AddField("f", "x y");
  memtable.AddField("g", "x");
  memtable.AddField("f", "z");
  memtable.EndDocument();
  const NaiveIndex index = ReadIndex(**memtable.Freeze());
  EXPECT_EQ(index.at({"f", "z"}).at(0), std::vector<uint32_t>{2 + kPositionGap});
  EXPECT_EQ(index.at({"g", "x"}).at(0), std::vector<uint32_t>{0});
}

TEST(Memtable, CountsRemovedStopWordsInPositionsButNotInLength) {
  Memtable memtable({.analyzer = AnalyzerKind::kEnglish});
  memtable.BeginDocument("a");
  memtable.AddField("f", "the house of the rising sun");
  memtable.EndDocument();
  SegmentInput& input = **memtable.Freeze();
  EXPECT_EQ(input.doc_token_count(0), 3u);
  EXPECT_EQ(input.fields()[0].norms[0], EncodeLength(3));
  EXPECT_EQ(ReadIndex(input).at({"f", "sun"}).at(0), std::vector<uint32_t>{5});
}

TEST(Memtable, ForgetsAnAbandonedDocument) {
  std::mt19937 random(9);
  Memtable memtable({});
  NaiveMemtable naive(AnalyzerKind::kStandard);
  AddRandomDocuments(random, 300, memtable, naive);
  const uint64_t tokens = memtable.token_count();
  memtable.BeginDocument("gone");
  memtable.AddField("field0", RandomText(random, 500) + " onlyhere onlyhere");
  memtable.AbandonDocument();
  EXPECT_EQ(memtable.token_count(), tokens);
  SegmentInput& input = **memtable.Freeze();
  ExpectEqualFields(input, naive);
  EXPECT_EQ(ReadIndex(input), naive.index);
}

TEST(Memtable, DropsTokensBeyondItsLimitAndSaysSo) {
  constexpr size_t kLimit = size_t{2} << 20;
  Memtable memtable({.analyzer = AnalyzerKind::kWhitespace, .limit_bytes = kLimit});
  memtable.BeginDocument("small");
  memtable.AddField("f", "one two");
  memtable.EndDocument();
  EXPECT_FALSE(memtable.over_limit());
  std::string words;
  for (int i = 0; i < 100000; ++i) words += std::to_string(i) + " ";
  memtable.BeginDocument("new words only");
  memtable.AddField("f", words);
  EXPECT_TRUE(memtable.over_limit());
  EXPECT_LT(memtable.memory_bytes(), kLimit + (size_t{1} << 20));
  memtable.AbandonDocument();
  EXPECT_EQ((*memtable.Freeze())->doc_count(), 1u);
  EXPECT_EQ(ReadIndex(**memtable.Freeze()).size(), 2u);
}

TEST(Memtable, KeepsFieldsBeyondTheLimitAsValuesOfOne) {
  Memtable memtable({});
  memtable.BeginDocument("a");
  for (size_t i = 0; i < kMaxFields; ++i) {
    ASSERT_TRUE(memtable.AddField("f" + std::to_string(i), "x"));
  }
  EXPECT_FALSE(memtable.AddField("one more", "y z"));
  EXPECT_TRUE(memtable.AddField("f0", "y"));
  EXPECT_FALSE(memtable.AddField("and another", "z"));
  memtable.EndDocument();
  SegmentInput& input = **memtable.Freeze();
  ASSERT_EQ(input.fields().size(), kMaxFields + 1);
  EXPECT_EQ(input.fields().back().name, kOtherField);
  EXPECT_EQ(input.fields().back().token_count, 3u);
  EXPECT_EQ(ReadIndex(input).at({std::string(kOtherField), "z"}).at(0),
            (std::vector<uint32_t>{1, 2 + kPositionGap}));
}

TEST(Memtable, CountsWhatWritingLongTermsWillTake) {
  constexpr size_t kTerms = 1000;
  std::vector<size_t> sizes;
  for (const size_t size : {100u, 200u}) {
    Memtable memtable({});
    memtable.BeginDocument("a");
    for (size_t i = 0; i < kTerms; ++i) {
      memtable.AddField("f", std::to_string(10000 + i) + std::string(size - 5, 'x'));
    }
    memtable.EndDocument();
    sizes.push_back(memtable.memory_bytes());
  }
  // Once in the arena, in units of eight bytes, twice when they are written; the last tokens
  // may not be there yet.
  EXPECT_GT(sizes[1], sizes[0] + (kTerms - 64) * (96 + 2 * 100));
}

TEST(Memtable, HoldsTheSameWhateverItsDepthAndSplitFactor) {
  std::vector<size_t> sizes;
  for (const uint32_t index_depth : {0u, 5u, 64u, MemtableOptions::kMaxIndexDepth}) {
    for (const uint32_t split_factor : {1u, 256u}) {
      Memtable memtable({.index_depth = index_depth, .split_factor = split_factor});
      NaiveMemtable naive(AnalyzerKind::kStandard);
      std::mt19937 random(6);
      AddRandomDocuments(random, 300, memtable, naive);
      sizes.push_back(memtable.memory_bytes());
      ASSERT_EQ(ReadIndex(**memtable.Freeze()), naive.index);
    }
  }
  // Deeper first slices take more.
  EXPECT_LT(sizes[0], sizes[4]);
  EXPECT_LT(sizes[4], sizes[6]);
}

TEST(Memtable, HasRoomForTheTermsThatAreExpected) {
  Memtable grows({}), has_room({.expected_terms = 5000});
  NaiveMemtable naive(AnalyzerKind::kStandard), same(AnalyzerKind::kStandard);
  EXPECT_GT(has_room.memory_bytes(), grows.memory_bytes() + 5000 * 16);
  std::mt19937 random(6), again(6);
  AddRandomDocuments(random, 300, grows, naive);
  AddRandomDocuments(again, 300, has_room, same);
  ASSERT_EQ(ReadIndex(**has_room.Freeze()), ReadIndex(**grows.Freeze()));
  EXPECT_EQ(has_room.term_count(), naive.index.size());
}

TEST(Memtable, ReadsSomeOfItsTermsAndThenAllOfThemAgain) {
  std::mt19937 random(12);
  Memtable memtable({.analyzer = AnalyzerKind::kWhitespace});
  NaiveMemtable naive(AnalyzerKind::kWhitespace);
  AddRandomDocuments(random, 300, memtable, naive);
  SegmentInput& input = **memtable.Freeze();
  std::vector<std::pair<FieldId, std::string>> every_third;
  std::vector<uint32_t> numbers;
  {
    const auto terms = input.OpenTerms();
    for (uint32_t number = 0; terms->Next(); ++number) {
      if (number % 3 != 1) continue;
      numbers.push_back(number);
      every_third.emplace_back(terms->field(), terms->term());
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    const auto some = input.OpenSomeTerms(numbers);
    PostingBlock block;
    for (const auto& [field, term] : every_third) {
      ASSERT_TRUE(some->Next());
      EXPECT_EQ(some->field(), field);
      EXPECT_EQ(some->term(), term);
      EXPECT_TRUE(some->NextBlock(block));
    }
    EXPECT_FALSE(some->Next());
  }
  EXPECT_EQ(ReadIndex(input), naive.index);
}

TEST(Memtable, CountsBucketsWhileTheyAreMoreThanWhatTheFlushTakes) {
  std::vector<size_t> sizes;
  for (const uint32_t split_factor : {1u, 256u}) {
    Memtable memtable({.split_factor = split_factor});
    sizes.push_back(memtable.memory_bytes());
    EXPECT_LT(memtable.flush_bytes(), 1024u);
  }
  EXPECT_GT(sizes[1], sizes[0] + (size_t{500} << 10)) << "empty tables of two KiB";
}

TEST(Memtable, HoldsDocumentsWithoutTokensAndWithoutFields) {
  Memtable memtable({});
  memtable.BeginDocument("empty");
  memtable.EndDocument();
  memtable.BeginDocument("blank");
  memtable.AddField("f", " ... ");
  memtable.EndDocument();
  SegmentInput& input = **memtable.Freeze();
  ASSERT_EQ(input.doc_count(), 2u);
  EXPECT_EQ(input.fields()[0].doc_count, 0u);
  EXPECT_EQ(input.fields()[0].norms.size(), 2u);
  EXPECT_FALSE(input.OpenTerms()->Next());
}

TEST(Memtable, StoresTheTextOfEveryDocument) {
  Memtable memtable({.store_text = true});
  for (int i = 0; i < 3000; ++i) {
    memtable.BeginDocument(std::to_string(i));
    memtable.AddField("f", "some text that is kept " + std::to_string(i));
    memtable.EndDocument();
  }
  SegmentInput& input = **memtable.Freeze();
  ASSERT_GT(input.stored_chunk_count(), 1u);
  EXPECT_EQ(input.stored_chunk(0).first_doc, 0u);
  EXPECT_GT(input.stored_chunk_bytes(0).size(), 0u);
}

TEST(Memtable, KeepsRecordsOnlyWhereTextIsStored) {
  const std::string record(1000, 'r');
  for (const bool store : {false, true}) {
    Memtable memtable({.store_text = store});
    memtable.BeginDocument("a");
    memtable.StoreRecord(record);
    memtable.EndDocument();
    SegmentInput& input = **memtable.Freeze();
    ASSERT_EQ(input.stored_chunk_count(), store ? 1u : 0u);
    if (!store) continue;
    EXPECT_EQ(input.stored_chunk(0).raw_bytes, 4u + 6u + 1000u);
  }
}

TEST(Memtable, CountsValuesOfColumnsAgainstItsLimit) {
  constexpr size_t kLimit = size_t{2} << 20;
  Memtable memtable({.limit_bytes = kLimit});
  memtable.BeginDocument("a");
  const FieldValue one = FieldValue::I64(1);
  EXPECT_TRUE(memtable.AddValue("n", one));
  for (int i = 0; i < 1000000 && !memtable.over_limit(); ++i) memtable.AddValue("n", one);
  EXPECT_TRUE(memtable.over_limit());
  EXPECT_FALSE(memtable.AddValue("n", one));
  EXPECT_LT(memtable.memory_bytes(), 2 * kLimit);
  memtable.AbandonDocument();
  EXPECT_LT(memtable.memory_bytes(), 2 * kLimit);
}

TEST(Memtable, CountsRecordsAgainstItsLimit) {
  Memtable memtable({.store_text = true, .limit_bytes = 8 << 20});
  memtable.BeginDocument("a");
  EXPECT_FALSE(memtable.over_limit());
  memtable.StoreRecord(std::string(9 << 20, 'r'));
  EXPECT_TRUE(memtable.over_limit());
}

}  // namespace memtable_test
}  // namespace pmdex
