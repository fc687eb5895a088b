#include "engine/ingest/reading/decompressor.h"

#include <algorithm>
#include <random>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/compress.h"

namespace pmdex {
namespace decompressor_test {

using Status = Decompressor::Status;

std::string Text(size_t words) {
  std::mt19937 random(3);
  std::string text;
  for (size_t i = 0; i < words; ++i) text += "word" + std::to_string(random() % 500) + " ";
  return text;
}

struct Decoded {
  std::string text;
  Status status = Status::kGoesOn;
  size_t taken = 0;
};

// Of one stream, with this much input and this much space for output at a time.
Decoded Decode(Compression compression, std::string_view bytes, size_t input_bytes,
               size_t output_bytes, size_t limit_bytes = size_t{16} << 20) {
  DecoderMemory memory(limit_bytes);
  Decoded decoded;
  {
    const auto decompressor = Decompressor::New(compression, memory);
    std::string out(output_bytes, '\0');
    for (;;) {
      const std::string_view input =
          bytes.substr(decoded.taken, std::min(input_bytes, bytes.size() - decoded.taken));
      const Decompressor::Step step = decompressor->Run(input, out);
      decoded.text.append(out, 0, step.given_bytes);
      decoded.taken += step.taken_bytes;
      decoded.status = step.status;
      if (step.status != Status::kGoesOn || (step.taken_bytes == 0 && step.given_bytes == 0)) break;
    }
    EXPECT_LE(memory.used_bytes(), limit_bytes);
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
  return decoded;
}

class DecompressorTest : public testing::TestWithParam<Compression> {};

TEST_P(DecompressorTest, GivesBackTheTextHoweverItIsCutIntoPieces) {
  const std::string text = Text(3000);
  const std::string bytes = Compress(GetParam(), text);
  for (const auto& [input, output] :
       {std::pair<size_t, size_t>{1, 1 << 20}, {1 << 20, 1}, {7, 5}, {1 << 20, 1 << 20}}) {
    const Decoded decoded = Decode(GetParam(), bytes, input, output);
    EXPECT_EQ(decoded.status, Status::kStreamEnd);
    EXPECT_EQ(decoded.taken, bytes.size());
    EXPECT_TRUE(decoded.text == text);
  }
}

TEST_P(DecompressorTest, GivesTheSameTextBeforeDamageHoweverItIsCutIntoPieces) {
  std::string bytes = Compress(GetParam(), Text(30000));
  for (const size_t place : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 20}) {
    std::string damaged = bytes;
    damaged[place] ^= 0x55;
    const Decoded whole = Decode(GetParam(), damaged, 1 << 20, 1 << 20);
    for (const size_t output : {1, 100, 1000, 65536}) {
      const Decoded pieces = Decode(GetParam(), damaged, 1 << 20, output);
      EXPECT_TRUE(pieces.text == whole.text) << output;
      EXPECT_EQ(pieces.status, whole.status) << output;
    }
  }
}

TEST_P(DecompressorTest, EndsWithItsStreamAndBeginsTheNext) {
  const std::string bytes = Compress(GetParam(), "one ") + Compress(GetParam(), "two");
  DecoderMemory memory(size_t{16} << 20);
  const auto decompressor = Decompressor::New(GetParam(), memory);
  std::string out(100, '\0');
  std::string text;
  size_t taken = 0;
  int streams = 0;
  for (int steps = 0; steps < 100 && streams < 2; ++steps) {
    const Decompressor::Step step = decompressor->Run(std::string_view(bytes).substr(taken), out);
    text.append(out, 0, step.given_bytes);
    taken += step.taken_bytes;
    streams += step.status == Status::kStreamEnd ? 1 : 0;
  }
  EXPECT_EQ(text, "one two");
  EXPECT_EQ(taken, bytes.size());
}

TEST_P(DecompressorTest, ATextThatIsCutShortGoesNoFurtherThanItsBytes) {
  const std::string text = Text(60);
  const std::string bytes = Compress(GetParam(), text);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Decoded decoded =
        Decode(GetParam(), std::string_view(bytes).substr(0, size), 1 << 20, 1 << 20);
    EXPECT_EQ(decoded.status, Status::kGoesOn) << size;
    EXPECT_TRUE(text.starts_with(decoded.text)) << size;
  }
}

TEST_P(DecompressorTest, NoticesAnyByteOfTheStreamThatIsChanged) {
  const std::string text = Text(60);
  const std::string bytes = Compress(GetParam(), text);
  // Bytes 4 to 9 of a gzip header say when and where it was made.
  const auto means_nothing = [](size_t at) {
    return GetParam() == Compression::kGzip && at >= 4 && at <= 9;
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (means_nothing(at)) continue;
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const Decoded decoded = Decode(GetParam(), damaged, 1 << 20, 1 << 20);
    EXPECT_FALSE(decoded.status == Status::kStreamEnd && decoded.text == text &&
                 decoded.taken == bytes.size())
        << at;
    if (decoded.status == Status::kStreamEnd) {
      EXPECT_NE(decoded.taken, bytes.size()) << at;
    }
  }
}

TEST_P(DecompressorTest, StaysWithinItsMemoryAndSaysWhatItNeeds) {
  const std::string bytes =
      Compress(GetParam(), Text(20'000), GetParam() == Compression::kXz ? 4 : 0);
  size_t limit = 1000;
  for (int tries = 0; tries < 100; ++tries) {
    const Decoded decoded = Decode(GetParam(), bytes, 1 << 20, 1000, limit);
    if (decoded.status == Status::kStreamEnd) break;
    ASSERT_EQ(decoded.status, Status::kNoMemory);
    DecoderMemory memory(limit);
    const auto decompressor = Decompressor::New(GetParam(), memory);
    std::string out(1000, '\0');
    size_t taken = 0;
    for (Decompressor::Step step; step.status == Status::kGoesOn; taken += step.taken_bytes) {
      step = decompressor->Run(std::string_view(bytes).substr(taken), out);
    }
    ASSERT_GT(memory.needed_bytes(), limit);
    limit = memory.needed_bytes();
  }
  EXPECT_GT(limit, 10'000u);
  EXPECT_LT(limit, size_t{6} << 20);
}

INSTANTIATE_TEST_SUITE_P(All, DecompressorTest, testing::ValuesIn(kAllCompressions),
                         [](const auto& tested) { return std::string(ToString(tested.param)); });

TEST(Decompressor, RefusesAZstdWindowOfTwoGigabytesWithoutTakingIt) {
  const std::string header("\x28\xb5\x2f\xfd\x00\xa8\x00\x00\x00", 9);
  const Decoded decoded = Decode(Compression::kZstd, header, 100, 100);
  EXPECT_EQ(decoded.status, Status::kNoMemory);
}

TEST(Compression, IsKnownByNameAndByTheFirstBytes) {
  EXPECT_EQ(CompressionOfName("a/b.gz"), Compression::kGzip);
  EXPECT_EQ(CompressionOfName("b.tar.zst"), Compression::kZstd);
  EXPECT_EQ(CompressionOfName("b.xz"), Compression::kXz);
  EXPECT_EQ(CompressionOfName("b.bz2"), Compression::kBzip2);
  EXPECT_EQ(CompressionOfName("gz"), Compression::kNone);
  EXPECT_EQ(CompressionOfName("a.gz/b"), Compression::kNone);
  EXPECT_EQ(NameOfText("a.jsonl.zst"), "a.jsonl");
  EXPECT_EQ(NameOfText("a.jsonl"), "a.jsonl");
  for (const Compression compression : kAllCompressions) {
    const std::string bytes = Compress(compression, "text");
    for (const Compression other : kAllCompressions) {
      EXPECT_EQ(BeginsAs(other, bytes), other == compression) << ToString(other);
    }
    EXPECT_FALSE(BeginsAs(compression, ""));
    EXPECT_FALSE(BeginsAs(compression, "text"));
    EXPECT_TRUE(BeginsAs(compression, bytes.substr(0, 1)));
  }
  EXPECT_TRUE(BeginsAs(Compression::kZstd, "\x5a\x2a\x4d\x18"));
  EXPECT_FALSE(BeginsAs(Compression::kBzip2, "BZhello"));
}

}  // namespace decompressor_test
}  // namespace pmdex
