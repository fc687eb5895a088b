#include "engine/segment/dictionary/term_dictionary.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace term_dictionary_test {

// Two fields of random terms with many common prefixes, and a field without terms between them.
class TermDictionaryTest : public testing::Test {
 protected:
  static constexpr FieldId kFields[] = {0, 2};

  TermDictionaryTest() : input_({.positions = false}) {
    for (const char* name : {"first", "none", "last"}) input_.AddField(name);
    const DocId doc = input_.AddDocument("doc");
    for (const FieldId field : kFields) {
      while (terms_[field].size() < 3000) {
        std::string term(1 + random_() % (random_() % 50 == 0 ? 255 : 20), ' ');
        for (char& c : term) c = static_cast<char>(random_() % 3 == 0 ? random_() : 'e');
        terms_[field].insert(std::move(term));
      }
      for (const std::string& term : terms_[field]) input_.AddPosting(field, term, {doc, 1, {}});
    }
    input_.Finish();
    bytes_ = std::make_unique<SegmentBytes>(input_);
    segment_ = bytes_->Open().value();
  }
  std::string Probe() {
    std::string probe(random_() % 6, ' ');
    for (char& c : probe) c = static_cast<char>(random_() % 3 == 0 ? random_() : 'e');
    return probe;
  }

  std::mt19937_64 random_{23};
  VectorSegmentInput input_;
  std::set<std::string> terms_[3];
  std::unique_ptr<SegmentBytes> bytes_;
  std::shared_ptr<const Segment> segment_;
};

TEST_F(TermDictionaryTest, FindsEveryTermAndNoOther) {
  for (FieldId field = 0; field < 4; ++field) {
    for (const FieldId other : kFields) {
      for (const std::string& term : terms_[other]) {
        const DictionaryEntry* entry = segment_->Find(field, term).value();
        const bool expected = field < 3 && terms_[field].contains(term);
        ASSERT_EQ(entry != nullptr, expected);
        if (entry == nullptr) continue;
        EXPECT_EQ(entry->field, field);
        EXPECT_EQ(segment_->dictionary().Term(*entry).value(), term);
      }
    }
  }
  EXPECT_EQ(segment_->Find(0, "").value(), nullptr);
  EXPECT_EQ(segment_->Find(0, std::string(256, 'e')).value(), nullptr);
  EXPECT_EQ(segment_->Find(0, std::string(100000, 'e')).value(), nullptr);
}

TEST_F(TermDictionaryTest, WalksTermsInOrder) {
  for (FieldId field = 0; field < 4; ++field) {
    TermIterator iterator(segment_->dictionary(), field);
    if (field < 3) {
      for (const std::string& term : terms_[field]) {
        ASSERT_TRUE(iterator.Next());
        ASSERT_EQ(iterator.term(), term);
        ASSERT_EQ(iterator.entry().value(), segment_->Find(field, term).value());
      }
    }
    EXPECT_FALSE(iterator.Next());
    EXPECT_FALSE(iterator.Next());  // stays at the end
    EXPECT_TRUE(iterator.status().ok());
  }
}

TEST_F(TermDictionaryTest, SeeksInBothDirectionsAndGoesOn) {
  const std::set<std::string>& terms = terms_[2];
  TermIterator iterator(segment_->dictionary(), 2);
  for (int round = 0; round < 5000; ++round) {
    const std::string probe = Probe();
    auto expected = terms.lower_bound(probe);
    ASSERT_EQ(iterator.Seek(probe), expected != terms.end());
    for (int i = 0; i < 3 && expected != terms.end(); ++i) {
      ASSERT_EQ(iterator.term(), *expected);
      ++expected;
      ASSERT_EQ(iterator.Next(), expected != terms.end());
    }
  }
  EXPECT_TRUE(iterator.Seek(*terms.rbegin()));
  EXPECT_FALSE(iterator.Seek(*terms.rbegin() + "x"));
  EXPECT_FALSE(iterator.Next());
  EXPECT_TRUE(iterator.Seek(""));
  EXPECT_EQ(iterator.term(), *terms.begin());
  TermIterator none(segment_->dictionary(), 1);
  EXPECT_FALSE(none.Seek(""));
  EXPECT_FALSE(none.Next());
}

TEST_F(TermDictionaryTest, SeeksPartsOfAboutAsManyTerms) {
  constexpr uint64_t kParts = 7;
  const std::vector<std::string> terms(terms_[2].begin(), terms_[2].end());
  TermIterator iterator(segment_->dictionary(), 2);
  for (uint64_t part = 0; part < kParts; ++part) {
    ASSERT_TRUE(iterator.SeekPart(part, kParts));
    const auto at = std::find(terms.begin(), terms.end(), iterator.term());
    EXPECT_NEAR(static_cast<double>(at - terms.begin()),
                static_cast<double>(terms.size() * part / kParts), kTermsPerBlock);
    ASSERT_TRUE(iterator.Next());
    EXPECT_EQ(iterator.term(), at[1]);
  }
  TermIterator none(segment_->dictionary(), 1);
  EXPECT_FALSE(none.SeekPart(0, 1));
}

TEST_F(TermDictionaryTest, StaysInsideWhateverTheBytesSay) {
  const SectionKind kinds[] = {SectionKind::kDictionaryEntries, SectionKind::kTermBytes,
                               SectionKind::kTermBlocks, SectionKind::kTermBlockStarts};
  for (int round = 0; round < 40; ++round) {
    SegmentBytes bytes = *bytes_;
    const auto section = bytes.section(kinds[round % 4]);
    for (int i = 0; i < 200; ++i) {
      section[random_() % section.size()] = static_cast<std::byte>(random_());
    }
    bytes.Reseal();
    const auto segment = bytes.Open().value();
    size_t walked = 0;
    for (const FieldId field : kFields) {
      TermIterator iterator(segment->dictionary(), field);
      while (iterator.Next()) {
        ++walked;
        ASSERT_LE(iterator.term().size(), 255u);
        const auto term = segment->dictionary().Term(*iterator.entry().value());
        (void)segment->Find(field, term.value_or(""));
      }
      for (int i = 0; i < 50; ++i) {
        TermIterator fresh(segment->dictionary(), field);
        ASSERT_TRUE(!fresh.Seek(Probe()) || !fresh.term().empty());
      }
    }
    // No block yields more terms than its bytes hold.
    ASSERT_LE(walked, bytes.section(SectionKind::kTermBlocks).size() * 40);
  }
}

TEST_F(TermDictionaryTest, ReportsADamagedBlock) {
  SegmentBytes bytes = *bytes_;
  bytes.at<uint64_t>(SectionKind::kTermBlockStarts, 3) = ~uint64_t{0};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  TermIterator iterator(segment->dictionary(), 0);
  size_t walked = 0;
  while (iterator.Next()) ++walked;
  EXPECT_EQ(walked, 2 * kTermsPerBlock);
  EXPECT_EQ(iterator.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(iterator.Next());
}

TEST_F(TermDictionaryTest, RefusesToOpenWhatDoesNotFitTogether) {
  using Damage = void (*)(SegmentBytes&);
  const Damage damages[] = {
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).home_bucket_count = 0; },
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).home_bucket_count = ~0u; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 1).first_term_block = ~0u; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 3).term_block_count += 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kDictionaryEntries).size_bytes -= 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kTermBlockStarts).size_bytes -= 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kTermBlockStarts).size_bytes = 0; },
  };
  for (const Damage damage : damages) {
    SegmentBytes bytes = *bytes_;
    damage(bytes);
    bytes.Reseal();
    EXPECT_EQ(bytes.Open().status().code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace term_dictionary_test
}  // namespace pmdex
