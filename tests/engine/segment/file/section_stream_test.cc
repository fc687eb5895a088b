#include "engine/segment/file/section_stream.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/file/page_checksums.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace section_stream_test {

std::vector<std::byte> RandomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(1 + random() % 255);
  return bytes;
}

TEST(SectionStream, WritesWhatIsAppendedInAnyPieces) {
  const std::vector<std::byte> bytes = RandomBytes(5'000'001, 1);
  std::mt19937_64 random(2);
  for (const size_t greatest_piece : {1000u, 100'000u, 3'000'000u}) {
    const auto directory = NewDramDirectory("section_stream_test");
    auto file = directory->Create("file", bytes.size() + 1024).value();
    SectionStream stream(*file, SectionKind::kPostings, 512, bytes.size());
    for (size_t at = 0; at < bytes.size();) {
      const size_t piece = std::min<size_t>(1 + random() % greatest_piece, bytes.size() - at);
      stream.Append(std::span(bytes).subspan(at, piece));
      at += piece;
      ASSERT_EQ(stream.size_bytes(), at);
    }
    const SectionEntry entry = stream.Finish();
    EXPECT_EQ(entry.kind, SectionKind::kPostings);
    EXPECT_EQ(entry.offset, 512u);
    EXPECT_EQ(entry.size_bytes, bytes.size());
    EXPECT_EQ(entry.checksum, Xxh3(bytes));
    std::vector<uint32_t> page_checksums;
    AppendPageChecksums(bytes, page_checksums);
    EXPECT_TRUE(std::ranges::equal(stream.page_checksums(), page_checksums));
    EXPECT_EQ(file->counters().copied_bytes, AlignUp(bytes.size(), kSectionAlignment));
    ASSERT_TRUE(file->Seal(512 + AlignUp(bytes.size(), kSectionAlignment)).ok());
    const auto read = directory->Open("file").value();
    const auto section = read->bytes().subspan(512);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), section.begin()));
    for (const std::byte padding : section.subspan(bytes.size())) {
      EXPECT_EQ(padding, std::byte{0});
    }
  }
}

TEST(SectionStream, TakesValuesThatAreMadeInPlaceAsItTakesOthers) {
  struct Value {
    uint64_t number;
    uint64_t square;
  };
  constexpr uint64_t kCount = 300'000;  // more than the staging buffer holds
  const auto directory = NewDramDirectory("section_stream_test");
  auto file = directory->Create("file", (kCount + 2) * sizeof(Value)).value();
  SectionStream stream(*file, SectionKind::kDictionaryEntries, 0, kCount * sizeof(Value));
  const auto append = [&stream](uint64_t number) {
    stream.AppendMade<Value>([number](Value& value) { value = {number, number * number}; });
  };
  for (uint64_t i = 0; i < kCount; ++i) append(i);
  EXPECT_EQ(stream.size_bytes(), kCount * sizeof(Value));
  EXPECT_FALSE(stream.overran());
  append(kCount);
  EXPECT_TRUE(stream.overran());
  stream.Finish();
  ASSERT_TRUE(file->Seal(AlignUp(kCount * sizeof(Value), kSectionAlignment)).ok());
  const auto read = directory->Open("file").value();
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    Value value;
    std::memcpy(&value, read->bytes().data() + i * sizeof(Value), sizeof(Value));
    wrong += value.number != i || value.square != i * i ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(SectionStream, PadsWithZeros) {
  const auto directory = NewDramDirectory("section_stream_test");
  auto file = directory->Create("file", 65536).value();
  SectionStream stream(*file, SectionKind::kNorms, 0, 10000);
  stream.AppendValue(uint8_t{7});
  stream.PadTo(9000);
  stream.AppendValue(uint8_t{9});
  stream.PadTo(10);  // already beyond
  EXPECT_EQ(stream.Finish().size_bytes, 9001u);
  ASSERT_TRUE(file->Seal(9001).ok());
  const auto read = directory->Open("file").value();
  EXPECT_EQ(read->bytes()[0], std::byte{7});
  for (size_t i = 1; i < 9000; ++i) ASSERT_EQ(read->bytes()[i], std::byte{0});
  EXPECT_EQ(read->bytes()[9000], std::byte{9});
}

TEST(SectionStream, ChecksumsThePagesOfSmallSections) {
  for (const size_t size : {0u, 1u, 256u, 512u, 4095u, 4096u, 4097u, 8192u, 100'000u}) {
    const std::vector<std::byte> bytes = RandomBytes(size, 4);
    const auto directory = NewDramDirectory("section_stream_test");
    auto file = directory->Create("file", 200'000).value();
    SectionStream stream(*file, SectionKind::kNorms, 256, size);
    stream.Append(bytes);
    EXPECT_EQ(stream.Finish().checksum, Xxh3(bytes));
    std::vector<uint32_t> page_checksums;
    AppendPageChecksums(bytes, page_checksums);
    EXPECT_TRUE(std::ranges::equal(stream.page_checksums(), page_checksums)) << size;
  }
}

TEST(SectionStream, DropsWhatGoesBeyondTheLimitAndSaysSo) {
  const auto directory = NewDramDirectory("section_stream_test");
  auto file = directory->Create("file", 65536).value();
  SectionStream stream(*file, SectionKind::kNorms, 0, 300);
  stream.Append(RandomBytes(300, 3));
  EXPECT_FALSE(stream.overran());
  stream.AppendValue(uint8_t{1});
  EXPECT_TRUE(stream.overran());
  stream.PadTo(1000);
  EXPECT_EQ(stream.size_bytes(), 300u);
}

TEST(SectionStream, GivesAnEmptySectionItsChecksum) {
  const auto directory = NewDramDirectory("section_stream_test");
  auto file = directory->Create("file", 4096).value();
  SectionStream stream(*file, SectionKind::kNorms, 256, 0);
  const SectionEntry entry = stream.Finish();
  EXPECT_EQ(entry.size_bytes, 0u);
  EXPECT_EQ(entry.checksum, Xxh3({}));
  EXPECT_EQ(file->counters().copied_bytes, 0u);
}

}  // namespace section_stream_test
}  // namespace pmdex
