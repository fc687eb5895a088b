#include "engine/codec/compressed_unit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "engine/codec/unit_check.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace compressed_unit_test {

struct Postings {
  std::vector<DocId> docids;
  std::vector<uint8_t> freqs;
  std::vector<uint8_t> codes;
};

// Gaps of at most doc_bits bits, and one in `outliers` of any size that the docids allow.
Postings RandomPostings(SeededRandom& random, size_t count, uint32_t doc_bits, uint32_t freq_bits,
                        uint32_t code_bits, size_t outliers) {
  Postings postings;
  uint64_t doc = 0xffffffff;  // before the first
  for (size_t i = 0; i < count; ++i) {
    const uint64_t most =
        (uint64_t{0xfffffffe} - (doc & 0xffffffff) * (i > 0 ? 1 : 0)) / (count - i);
    uint64_t gap = random.Next() & ((uint64_t{1} << doc_bits) - 1);
    if (random.OneIn(outliers)) gap = random.Next();
    doc = (doc + 1 + (most == 0 ? 0 : std::min(gap, gap % most))) & 0xffffffff;
    postings.docids.push_back(static_cast<DocId>(doc));
    uint64_t freq = random.Next() & ((1u << freq_bits) - 1);
    if (random.OneIn(outliers)) freq = random.Below(255);
    postings.freqs.push_back(static_cast<uint8_t>(1 + std::min<uint64_t>(freq, 254)));
    postings.codes.push_back(static_cast<uint8_t>(random.Below(1u << code_bits) +
                                                  (code_bits < 8 ? random.Below(2) * 3 : 0)));
  }
  return postings;
}

// The units of a list, one behind the other. has_docs: with docids.
std::vector<std::byte> Encode(const Postings& postings, bool has_docs) {
  std::vector<std::byte> bytes;
  for (size_t at = 0; at < postings.freqs.size(); at += kUnitPostings) {
    const size_t count = std::min<size_t>(postings.freqs.size() - at, kUnitPostings);
    UnitSource source;
    source.freqs = std::span(postings.freqs).subspan(at, count);
    source.codes = std::span(postings.codes).subspan(at, count);
    if (has_docs) source.docids = std::span(postings.docids).subspan(at, count);
    if (at > 0) source.doc_before = postings.docids[at - 1];
    std::array<std::byte, kMostUnitBytes> unit;
    const size_t size = EncodeUnit(source, bytes.size(), unit);
    EXPECT_LE(size, MostUnitBytes(count));
    EXPECT_TRUE(HasRightCheck(std::span(unit).first(size), bytes.size()));
    bytes.insert(bytes.end(), unit.begin(), unit.begin() + static_cast<long>(size));
  }
  return bytes;
}

void ExpectDecodes(const Postings& postings, std::span<const std::byte> bytes, bool has_docs) {
  std::vector<std::byte> with_slack(bytes.begin(), bytes.end());
  with_slack.resize(bytes.size() + kUnpackSlack);
  size_t posting = 0;
  for (size_t at = 0; at < bytes.size();) {
    const auto unit =
        ParseUnit(std::span<const std::byte>(with_slack).first(bytes.size()).subspan(at));
    ASSERT_TRUE(unit.has_value());
    ASSERT_LE(posting + unit->count, postings.freqs.size());
    const DocId before = posting == 0 ? 0xffffffff : postings.docids[posting - 1];
    for (const SimdLevel level : UsableSimdLevels()) {
      const auto docids = std::make_unique<DocId[]>(unit->count);
      const auto freqs = std::make_unique<uint8_t[]>(unit->count);
      const auto codes = std::make_unique<uint8_t[]>(unit->count);
      if (has_docs) DecodeDocids(*unit, before, UnitKernelsOf(level), docids.get());
      DecodeFreqs(*unit, UnitKernelsOf(level), freqs.get());
      DecodeCodes(*unit, UnitKernelsOf(level), codes.get());
      for (uint32_t i = 0; i < unit->count; ++i) {
        ASSERT_TRUE(!has_docs || docids[i] == postings.docids[posting + i]);
        ASSERT_EQ(freqs[i], postings.freqs[posting + i]);
        ASSERT_EQ(codes[i], postings.codes[posting + i]);
      }
    }
    posting += unit->count;
    at += unit->bytes;
  }
  EXPECT_EQ(posting, postings.freqs.size());
}

TEST(CompressedUnit, GivesBackListsOfEveryWidth) {
  SeededRandom random(1);
  for (uint32_t doc_bits = 0; doc_bits <= 32; ++doc_bits) {
    for (const size_t outliers : {1, 2, 10, 50, 1000}) {
      const size_t count = 1 + random.Below(1500);
      const Postings postings =
          RandomPostings(random, count, doc_bits, doc_bits % 9, (doc_bits + 3) % 9, outliers);
      for (const bool has_docs : {true, false}) {
        ExpectDecodes(postings, Encode(postings, has_docs), has_docs);
      }
    }
  }
}

TEST(CompressedUnit, GivesBackListsOfEveryLength) {
  SeededRandom random(2);
  for (size_t count = 1; count <= 600; ++count) {
    const Postings postings =
        RandomPostings(random, count, 1 + random.Below(14), random.Below(4), random.Below(7), 20);
    ExpectDecodes(postings, Encode(postings, true), true);
  }
}

TEST(CompressedUnit, HoldsTheGreatestValues) {
  Postings postings{{0, 1, 0xfffffffd}, {255, 1, 255}, {0, 255, 255}};
  ExpectDecodes(postings, Encode(postings, true), true);
  postings = {{0xfffffffd}, {1}, {0}};
  ExpectDecodes(postings, Encode(postings, true), true);
}

TEST(CompressedUnit, PacksDensePostingsWithoutBits) {
  Postings postings;
  for (DocId doc = 0; doc < 256; ++doc) {
    postings.docids.push_back(doc);
    postings.freqs.push_back(1);
    postings.codes.push_back(77);
  }
  EXPECT_EQ(Encode(postings, true).size(), sizeof(UnitHeader));
}

TEST(CompressedUnit, TakesLessSpaceForAnOutlierThanForAWiderUnit) {
  Postings even;
  for (DocId doc = 0; doc < 20000; doc += 10) {
    even.docids.push_back(doc);
    even.freqs.push_back(1);
    even.codes.push_back(40);
  }
  Postings uneven = even;
  for (size_t i = 0; i < uneven.freqs.size(); i += 100) uneven.freqs[i] = 200;
  EXPECT_LE(Encode(uneven, true).size(), Encode(even, true).size() * 11 / 10);
}

TEST(CompressedUnit, NoticesEveryChangedByteAndAnotherPlace) {
  SeededRandom random(3);
  const Postings postings = RandomPostings(random, 60, 9, 3, 5, 20);
  std::vector<std::byte> unit = Encode(postings, true);
  for (std::byte& byte : unit) {
    byte ^= std::byte{1};
    EXPECT_FALSE(HasRightCheck(unit, 0));
    byte ^= std::byte{1};
  }
  EXPECT_TRUE(HasRightCheck(unit, 0));
  EXPECT_FALSE(HasRightCheck(unit, 1));
  EXPECT_FALSE(HasRightCheck(std::span(unit).first(3), 0));
}

TEST(CompressedUnit, RefusesHeadersThatPromiseTooMuch) {
  SeededRandom random(4);
  const Postings postings = RandomPostings(random, 60, 9, 3, 5, 20);
  const std::vector<std::byte> bytes = Encode(postings, true);
  const auto with = [&](auto change) {
    std::vector<std::byte> changed = bytes;
    UnitHeader header;
    std::memcpy(&header, changed.data(), sizeof(header));
    change(header);
    std::memcpy(changed.data(), &header, sizeof(header));
    return ParseUnit(changed).has_value();
  };
  EXPECT_TRUE(with([](UnitHeader&) {}));
  EXPECT_FALSE(with([](UnitHeader& header) { header.last = 255, header.doc_width = 24; }));
  EXPECT_FALSE(with([](UnitHeader& header) { header.doc_width = 25; }));
  EXPECT_FALSE(with([](UnitHeader& header) { header.doc_width = 33; }));
  EXPECT_FALSE(with([](UnitHeader& header) { header.widths = 0x09; }));
  EXPECT_FALSE(with([](UnitHeader& header) { header.widths = 0x90; }));
  EXPECT_FALSE(with([](UnitHeader& header) { header.exceptions = 0xff; }));
  EXPECT_FALSE(ParseUnit(std::span(bytes).first(sizeof(UnitHeader) - 1)).has_value());
  EXPECT_FALSE(ParseUnit(std::span(bytes).first(bytes.size() - 1)).has_value());
}

// Whatever the bytes are, every level writes the same elements and no others.
TEST(CompressedUnit, DecodesAnyBytesAlikeOnEveryLevel) {
  SeededRandom random(5);
  size_t parsed = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const size_t size = sizeof(UnitHeader) + random.Below(1000);
    const auto bytes = std::make_unique<std::byte[]>(size + kUnpackSlack);
    for (size_t i = 0; i < size + kUnpackSlack; ++i)
      bytes[i] = static_cast<std::byte>(random.Next());
    UnitHeader header;
    std::memcpy(&header, bytes.get(), sizeof(header));
    header.doc_width = static_cast<uint8_t>(random.OneIn(9) ? 32 : random.Below(26));
    header.widths = static_cast<uint8_t>(random.Below(9) | random.Below(9) << 4);
    std::memcpy(bytes.get(), &header, sizeof(header));
    const auto unit = ParseUnit({bytes.get(), size});
    if (!unit.has_value()) continue;
    ++parsed;
    std::vector<DocId> docids(unit->count);
    std::vector<uint8_t> freqs(unit->count), codes(unit->count);
    DecodeDocids(*unit, 5, ScalarUnitKernels(), docids.data());
    DecodeFreqs(*unit, ScalarUnitKernels(), freqs.data());
    DecodeCodes(*unit, ScalarUnitKernels(), codes.data());
    for (const SimdLevel level : UsableSimdLevels()) {
      std::vector<DocId> other_docids(unit->count);
      std::vector<uint8_t> other_freqs(unit->count), other_codes(unit->count);
      DecodeDocids(*unit, 5, UnitKernelsOf(level), other_docids.data());
      DecodeFreqs(*unit, UnitKernelsOf(level), other_freqs.data());
      DecodeCodes(*unit, UnitKernelsOf(level), other_codes.data());
      ASSERT_EQ(docids, other_docids);
      ASSERT_EQ(freqs, other_freqs);
      ASSERT_EQ(codes, other_codes);
    }
  }
  EXPECT_GT(parsed, 1000u);
}

}  // namespace compressed_unit_test
}  // namespace pmdex
