#include "engine/segment/dictionary/term_dictionary.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/engine/segment/dictionary/random_dictionary.h"

namespace pmdex {
namespace term_dictionary_test {

using TermDictionaryTest = RandomDictionary;

TEST_F(TermDictionaryTest, FindsEveryTermAndNoOther) {
  const TermDictionary& dictionary = segment_->dictionary();
  for (FieldId field = 0; field < 4; ++field) {
    for (const FieldId other : kFields) {
      for (const std::string& term : terms_[other]) {
        const auto entry = dictionary.Find(field, term).value();
        const bool expected = field < 3 && terms_[field].contains(term);
        ASSERT_EQ(entry.has_value(), expected);
        const auto again = dictionary.Find(field, term, DictionaryTable::kFrequent).value();
        ASSERT_EQ(again.has_value(), expected);
        if (!expected) continue;
        EXPECT_EQ(entry->field, field);
        EXPECT_EQ(entry->term_bytes, term.size());
        EXPECT_EQ(std::memcmp(&*again, &*entry, sizeof(*entry)), 0);
        EXPECT_EQ(IsInline(entry->representation), entry->df <= kMaxInlinePostings);
        if (IsInline(entry->representation)) continue;
        EXPECT_EQ(dictionary.Term(*entry).value(), term);
      }
    }
  }
  EXPECT_FALSE(segment_->Find(0, "").value().has_value());
  EXPECT_FALSE(segment_->Find(0, std::string(256, 'e')).value().has_value());
  EXPECT_FALSE(segment_->Find(0, std::string(100000, 'e')).value().has_value());
}

TEST_F(TermDictionaryTest, StaysInsideWhateverTheBytesSay) {
  const SectionKind kinds[] = {SectionKind::kDictionaryEntries, SectionKind::kTermBytes,
                               SectionKind::kTermBlocks, SectionKind::kTermBlockStarts,
                               SectionKind::kRareTermSlots};
  for (int round = 0; round < 50; ++round) {
    SegmentBytes bytes = *bytes_;
    const auto section = bytes.section(kinds[round % 5]);
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
        (void)segment->Find(field, iterator.term());
        const DictionaryEntry entry = iterator.entry().value();
        if (IsInline(entry.representation)) continue;
        const auto term = segment->dictionary().Term(entry);
        (void)segment->Find(field, term.value_or(""));
      }
      for (const std::string& term : terms_[field]) (void)segment->Find(field, term);
      for (int i = 0; i < 50; ++i) {
        TermIterator fresh(segment->dictionary(), field);
        ASSERT_TRUE(!fresh.Seek(Probe()) || !fresh.term().empty());
      }
    }
    // No block yields more terms than its bytes hold.
    ASSERT_LE(walked, bytes.section(SectionKind::kTermBlocks).size() * 40);
  }
}

TEST_F(TermDictionaryTest, HasTheSignatureOfEachTerm) {
  const TermDictionary& dictionary = segment_->dictionary();
  ASSERT_TRUE(dictionary.has_signatures());
  for (FieldId field = 0; field < 3; ++field) {
    const uint64_t count = dictionary.term_block_count(field);
    ASSERT_EQ(count, (terms_[field].size() + kTermsPerBlock - 1) / kTermsPerBlock);
    const auto blocks = dictionary.Signatures(field, 0, count).value();
    ASSERT_EQ(blocks.size(), count);
    size_t number = 0;
    for (const std::string& term : terms_[field]) {
      ASSERT_EQ(blocks[number / kTermsPerBlock].of_term[number % kTermsPerBlock],
                SignatureOf(term));
      ++number;
    }
    for (; number % kTermsPerBlock != 0; ++number) {
      ASSERT_EQ(blocks[number / kTermsPerBlock].of_term[number % kTermsPerBlock], 0u);
    }
  }
  EXPECT_EQ(dictionary.term_block_count(99), 0u);
}

TEST_F(TermDictionaryTest, OpensASegmentWithoutSignatures) {
  SegmentBytes bytes = *bytes_;
  bytes.entry(SectionKind::kTermSignatures).kind = SectionKind{63};  // a kind that nobody knows
  bytes.Reseal();
  const auto opened = bytes.Open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_FALSE((*opened)->dictionary().has_signatures());
}

TEST_F(TermDictionaryTest, RefusesToOpenWhatDoesNotFitTogether) {
  using Damage = void (*)(SegmentBytes&);
  const Damage damages[] = {
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).home_bucket_count = 0; },
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).home_bucket_count = ~0u; },
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).rare_bucket_count = 0; },
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).rare_bucket_count = ~0u; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 1).first_term_block = ~0u; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 3).term_blocks_begin += 1; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 3).term_blocks_bytes += 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kRareTermSlots).size_bytes -= 8; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 3).term_block_count += 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kDictionaryEntries).size_bytes -= 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kTermBlockStarts).size_bytes -= 1; },
      [](SegmentBytes& b) { b.entry(SectionKind::kTermBlockStarts).size_bytes = 0; },
      [](SegmentBytes& b) { b.entry(SectionKind::kTermSignatures).size_bytes -= 64; },
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
