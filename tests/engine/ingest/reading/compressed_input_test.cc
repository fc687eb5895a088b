#include "engine/ingest/reading/compressed_input.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "engine/ingest/memory_plan.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/compress.h"

namespace pmdex {
namespace compressed_input_test {

using End = CompressedInput::End;

std::string RandomText(size_t words, uint32_t seed = 5) {
  std::mt19937 random(seed);
  std::string text;
  for (size_t i = 0; i < words; ++i) text += std::to_string(random() % 5000) + " ";
  return text;
}

struct Read {
  std::string text;
  End end = End::kNotYet;
  std::string problem;  // the first place, with the reason
  uint64_t bytes_done = 0;
  size_t most_reserved_bytes = 0;
};

class CompressedInputTest : public IngestFixture, public testing::WithParamInterface<Compression> {
 protected:
  CompressedInputTest() { UseMemoryFileSystem(); }

  InputFile Store(std::string_view bytes, Compression compression = GetParam()) const {
    InputFile file;
    file.path = Write("input." + EndingOf(compression), bytes);
    return file;
  }

  // All of it, so many bytes at a time.
  Read ReadAll(std::string_view bytes, size_t step_bytes = 1 << 20,
               size_t memory_bytes = size_t{20} << 20, Compression compression = GetParam()) const {
    MemoryPlan plan;
    plan.block_bytes = 65536;
    plan.decoders_bytes = memory_bytes;
    IngestContext context({.memory = plan});
    const InputFile file = Store(bytes, compression);
    ProblemLog problems;
    const auto opened = OpenInput(file, problems).value();
    EXPECT_EQ(ProbeCompression(file, *opened).value(), compression);
    Read read;
    {
      CompressedInput input(context, *opened, compression);
      std::string piece(step_bytes, '\0');
      for (size_t got = step_bytes; got == step_bytes;) {
        got = input.Read(piece.data(), step_bytes);
        read.text.append(piece, 0, got);
        read.most_reserved_bytes =
            std::max(read.most_reserved_bytes, memory_bytes - context.decoders.free_bytes());
      }
      read.end = input.end();
      EXPECT_EQ(input.Read(piece.data(), step_bytes), 0u) << "after the end";
      input.Report(file.path, problems);
    }
    EXPECT_EQ(context.decoders.free_bytes(), memory_bytes) << "all is given back";
    read.bytes_done = context.counters.bytes_done;
    for (const auto& [kind, summary] : problems.problems()) {
      read.problem = std::string(ToString(kind)) + " " + summary.first_places.at(0);
    }
    return read;
  }

  static std::string Packed(std::string_view text, int level = 0) {
    return Compress(GetParam(), text, level);
  }
};

TEST_P(CompressedInputTest, ReadsTheTextHoweverMuchIsAskedForAtOnce) {
  const std::string text = RandomText(60'000);
  const std::string bytes = Packed(text);
  for (const size_t step_bytes : {size_t{100}, size_t{4097}, size_t{1} << 20}) {
    const Read read = ReadAll(bytes, step_bytes);
    EXPECT_TRUE(read.text == text);
    EXPECT_EQ(read.end, End::kWhole);
    EXPECT_EQ(read.problem, "");
    EXPECT_EQ(read.bytes_done, bytes.size()) << "progress counts bytes of the file";
  }
}

TEST_P(CompressedInputTest, StreamsThatFollowOneAnotherAreOneText) {
  const std::string zeros(8, '\0');
  EXPECT_EQ(ReadAll(Packed("one ") + Packed("") + Packed("two")).text, "one two");
  EXPECT_EQ(ReadAll(Packed("one ") + zeros + Packed("two") + std::string(100'000, '\0')).text,
            "one two");
  EXPECT_EQ(ReadAll(Packed("")).end, End::kWhole);
}

TEST_P(CompressedInputTest, KeepsWhatComesBeforeOtherBytesAndReportsThem) {
  const Read read = ReadAll(Packed("the text") + "garbage");
  EXPECT_EQ(read.text, "the text");
  EXPECT_EQ(read.end, End::kDamaged);
  EXPECT_NE(read.problem.find("what follows 8 bytes of text is not"), std::string::npos)
      << read.problem;
}

TEST_P(CompressedInputTest, AFileThatIsCutAnywhereGivesTheTextBeforeItAndIsReported) {
  const std::string text = RandomText(200);
  const std::string bytes = Packed(text.substr(0, 500)) + Packed(text.substr(500));
  const size_t first = Packed(text.substr(0, 500)).size();
  for (size_t size = 1; size < bytes.size(); ++size) {
    const Read read = ReadAll(bytes.substr(0, size));
    ASSERT_TRUE(text.starts_with(read.text)) << size;
    ASSERT_EQ(read.end, size == first ? End::kWhole : End::kDamaged) << size;
    if (size >= first) {
      ASSERT_GE(read.text.size(), 500u) << size;
    }
    ASSERT_EQ(read.problem.starts_with("damaged compressed file "), size != first) << size;
  }
}

TEST_P(CompressedInputTest, AnyBytesAreATextOrAreReported) {
  std::mt19937 random(7);
  const std::string bytes = Packed(RandomText(3000)) + Packed(RandomText(100));
  for (int round = 0; round < 150; ++round) {
    std::string damaged = bytes;
    for (uint32_t changes = 1 + random() % 5; changes > 0; --changes) {
      damaged[kMagicBytes + random() % (bytes.size() - kMagicBytes)] = static_cast<char>(random());
    }
    const Read read = ReadAll(damaged, 1 + random() % 20'000, size_t{12} << 20);
    EXPECT_EQ(read.end == End::kWhole, read.problem.empty());
    EXPECT_LE(read.most_reserved_bytes, size_t{12} << 20);
  }
}

TEST_P(CompressedInputTest, ReservesMoreMemoryWhenALaterStreamNeedsItAndLosesNoText) {
  // The libraries' lowest levels take little memory, the highest ones much.
  const std::string first = RandomText(5000);
  const std::string second = RandomText(100'000);
  const std::string bytes =
      Packed(first, 1) + Packed(second, GetParam() == Compression::kXz ? 4 : 9);
  const Read read = ReadAll(bytes, 10'000);
  EXPECT_EQ(read.end, End::kWhole) << read.problem;
  EXPECT_TRUE(read.text == first + second);
  EXPECT_EQ(read.bytes_done, bytes.size()) << "what is read twice counts once";
}

TEST_P(CompressedInputTest, GoesOnWhereItWasAfterItGaveItsMemoryBack) {
  const std::string text = RandomText(20'000);
  MemoryPlan plan;
  plan.block_bytes = 65536;
  plan.decoders_bytes = size_t{16} << 20;
  IngestContext context({.memory = plan});
  ProblemLog problems;
  const InputFile file = Store(Packed(text, 1) + Packed(text, 1));
  const auto opened = OpenInput(file, problems).value();
  CompressedInput input(context, *opened, GetParam());
  std::string read(2 * text.size() + 1, '\0');
  size_t size_bytes = 0;
  while (input.end() == End::kNotYet) {
    input.Suspend();
    EXPECT_EQ(context.decoders.free_bytes(), plan.decoders_bytes);
    size_bytes += input.Read(read.data() + size_bytes, text.size() / 3 + 1);
  }
  read.resize(size_bytes);
  EXPECT_TRUE(read == text + text);
}

TEST_P(CompressedInputTest, AFileThatNeedsMoreMemoryThanThereIsIsReported) {
  const Read read = ReadAll(Packed(RandomText(100), 1), 1 << 20, 100'000);
  EXPECT_EQ(read.text, "");
  EXPECT_EQ(read.end, End::kNoMemory);
  EXPECT_NE(read.problem.find("a larger --memory takes it"), std::string::npos) << read.problem;
}

INSTANTIATE_TEST_SUITE_P(All, CompressedInputTest, testing::ValuesIn(kAllCompressions),
                         [](const auto& tested) { return std::string(ToString(tested.param)); });

class PlainInputTest : public CompressedInputTest {};

TEST_P(PlainInputTest, AFileThatIsNotWhatItsNameSaysIsReadAsItIs) {
  for (const std::string bytes : {"plain text", "", "\x1f\x8b\x09"}) {
    InputFile file = Store(bytes);
    ProblemLog problems;
    auto opened = OpenInput(file, problems).value();
    EXPECT_EQ(ProbeCompression(file, *opened).value(), Compression::kNone);
    file.path = Write("other.txt", Packed("text"));
    opened = OpenInput(file, problems).value();
    EXPECT_EQ(ProbeCompression(file, *opened).value(), Compression::kNone)
        << "nor by its bytes alone";
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlainInputTest, testing::Values(Compression::kGzip));

using BombTest = CompressedInputTest;

TEST_P(BombTest, ALargeWindowIsReservedBeforeItIsTakenOrRefused) {
  const std::string text = RandomText(200'000);
  const std::string bytes = CompressWithWindow(text, 24);
  const Read enough = ReadAll(bytes, 1 << 20, size_t{20} << 20, Compression::kZstd);
  EXPECT_TRUE(enough.text == text) << enough.problem;
  const Read refused = ReadAll(bytes, 1 << 20, size_t{8} << 20, Compression::kZstd);
  EXPECT_EQ(refused.end, End::kNoMemory);
  EXPECT_LE(refused.most_reserved_bytes, size_t{8} << 20);
}

TEST_P(BombTest, ManyReadersOfLargeWindowsWaitForOneAnother) {
  const std::string text = RandomText(50'000);
  MemoryPlan plan;
  plan.block_bytes = 65536;
  plan.decoders_bytes = size_t{9} << 20;
  IngestContext context({.memory = plan});
  const InputFile file = Store(CompressWithWindow(text, 23), Compression::kZstd);
  std::atomic<int> whole = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      ProblemLog problems;
      const auto opened = OpenInput(file, problems).value();
      CompressedInput input(context, *opened, Compression::kZstd);
      std::string read(text.size() + 1, '\0');
      read.resize(input.Read(read.data(), read.size()));
      whole += read == text ? 1 : 0;
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(whole, 4);
}

INSTANTIATE_TEST_SUITE_P(All, BombTest, testing::Values(Compression::kZstd));

}  // namespace compressed_input_test
}  // namespace pmdex
