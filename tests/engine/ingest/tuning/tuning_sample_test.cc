#include "engine/ingest/tuning/tuning_sample.h"

#include <sstream>

#include "engine/ingest/ingest_options.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/compress.h"

namespace pmdex {
namespace tuning_sample_test {

constexpr uint64_t kMiB = uint64_t{1} << 20;

std::string JsonLines(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    text += "{\"id\": \"" + std::to_string(i) + "\", \"body\": \"some words of line\"}\n";
  }
  return text;
}

class TuningSampleTest : public IngestFixture {
 protected:
  absl::StatusOr<TuningSample> Take(std::vector<std::string> inputs, uint64_t limit) {
    options_.inputs = std::move(inputs);
    std::filesystem::remove_all(Path("sample"));
    return TakeSample(options_, Path("sample"), limit);
  }
  // Bytes of all files in the sample.
  uint64_t BytesThere() const {
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Path("sample"))) {
      if (entry.is_regular_file()) bytes += entry.file_size();
    }
    return bytes;
  }
};

TEST_F(TuningSampleTest, IsWholeSmallFilesUpToItsLimit) {
  for (int i = 0; i < 100; ++i) {
    Write("tree/" + std::to_string(i), std::string(64 << 10, 'a' + i % 26));
  }
  const auto sample = Take({Path("tree")}, 2 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->format, InputFormat::kFiles);
  EXPECT_LE(sample->bytes, 2 * kMiB);
  EXPECT_GE(sample->bytes, 2 * kMiB / 16 * 15);
  EXPECT_EQ(sample->bytes, sample->files * (64 << 10));
  EXPECT_EQ(BytesThere(), sample->bytes);
}

TEST_F(TuningSampleTest, IsTheSameEveryTime) {
  for (int i = 0; i < 100; ++i) Write("tree/" + std::to_string(i), std::string(40'000 + i, 'x'));
  const auto first = Take({Path("tree")}, 2 * kMiB);
  const auto second = Take({Path("tree")}, 2 * kMiB);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->bytes, second->bytes);
  EXPECT_LT(first->bytes, 100u * 40'000);
}

TEST_F(TuningSampleTest, TakesBeginningsOfLargeFilesAndCutsThemBehindALine) {
  for (const char* name : {"a.jsonl", "b.jsonl", "c.jsonl"}) Write(name, JsonLines(6 * kMiB));
  Write("small.txt", "not many bytes are in this format");
  const auto sample =
      Take({Path("a.jsonl"), Path("small.txt"), Path("b.jsonl"), Path("c.jsonl")}, 8 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->format, InputFormat::kJsonl);
  EXPECT_EQ(sample->files, 3u);  // a third of the limit each
  EXPECT_LE(sample->bytes, 8 * kMiB);
  EXPECT_GT(sample->bytes, 8 * kMiB - 1000);
  options_.inputs = {sample->directory};
  options_.format = sample->format;
  auto writer = IndexWriter::Open(*directory_, OpenMode::kOverwrite, options_.settings);
  const auto report = Ingest(options_, **writer, nullptr);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->bytes_in, sample->bytes);
  EXPECT_TRUE(report->problems.empty());
}

TEST_F(TuningSampleTest, CutsTrecBehindADocument) {
  std::string text;
  for (int i = 0; text.size() < 20 * kMiB; ++i) {
    text += "<DOC>\n<DOCNO> " + std::to_string(i) + " </DOCNO>\nsome\ntext\nof it\n</DOC>\n";
  }
  Write("a.trec", text);
  options_.format = InputFormat::kTrec;
  const auto sample = Take({Path("a.trec")}, 10 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  std::ifstream stream(Path("sample/0/0"));
  std::stringstream copy;
  copy << stream.rdbuf();
  EXPECT_EQ(copy.str(), text.substr(0, copy.str().size()));
  EXPECT_TRUE(copy.str().ends_with("</DOC>\n")) << copy.str().substr(copy.str().size() - 80);
}

TEST_F(TuningSampleTest, HoldsTheTextOfCompressedFilesAndNoMoreOfItThanItsLimit) {
  uint64_t packed_bytes = 0;
  for (int i = 0; i < 80; ++i) {
    const Compression compression = kAllCompressions[static_cast<size_t>(i) % 4];
    const std::string packed = Compress(compression, std::string(64 << 10, 'a' + i % 26));
    packed_bytes += packed.size();
    Write("tree/" + std::to_string(i) + "." + EndingOf(compression), packed);
  }
  ASSERT_LT(packed_bytes, kMiB / 8);
  Write("tree/bomb.gz", Compress(Compression::kGzip, std::string(20 * kMiB, 'b')));
  Write("tree/cut.xz", Compress(Compression::kXz, std::string(1000, 'c')).substr(0, 20));
  const auto sample = Take({Path("tree")}, 2 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->format, InputFormat::kFiles);
  EXPECT_LE(sample->bytes, 2 * kMiB);
  EXPECT_GE(sample->bytes, 2 * kMiB / 16 * 15);
  EXPECT_EQ(sample->bytes, sample->files * (64 << 10));
  EXPECT_EQ(BytesThere(), sample->bytes);
}

TEST_F(TuningSampleTest, TakesBeginningsOfCompressedFilesAndCutsThemBehindALine) {
  const std::string text = JsonLines(6 * kMiB);
  std::vector<std::string> inputs;
  for (const Compression compression : kAllCompressions) {
    inputs.push_back(Write("a.jsonl." + EndingOf(compression), Compress(compression, text, 1)));
  }
  const auto sample = Take(inputs, 8 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->format, InputFormat::kJsonl);
  EXPECT_EQ(sample->files, 4u);  // a quarter of the limit each
  EXPECT_LE(sample->bytes, 8 * kMiB);
  EXPECT_GT(sample->bytes, 8 * kMiB - 1000);
  options_.inputs = {sample->directory};
  options_.format = sample->format;
  auto writer = IndexWriter::Open(*directory_, OpenMode::kOverwrite, options_.settings);
  const auto report = Ingest(options_, **writer, nullptr);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->bytes_in, sample->bytes);
  EXPECT_TRUE(report->problems.empty());
}

// Its length says little about that of its text.
TEST_F(TuningSampleTest, TakesTheWholeOfAShortCompressedFile) {
  const std::string text = JsonLines(2 * kMiB);
  const auto sample = Take({Write("a.jsonl.xz", Compress(Compression::kXz, text))}, 8 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->bytes, text.size());
}

TEST_F(TuningSampleTest, RefusesStandardInputAndTooLittle) {
  Write("a.txt", "a few words");
  EXPECT_EQ(Take({Path("a.txt"), "-"}, kMiB).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Take({Path("a.txt")}, kMiB).status().code(), absl::StatusCode::kFailedPrecondition);
  std::filesystem::create_directories(Path("empty"));
  EXPECT_EQ(Take({Path("empty")}, kMiB).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TuningSampleTest, IsMeasuredInADirectoryThatIsGoneAfterwards) {
  Write("a.jsonl", JsonLines(12 * kMiB));
  const auto sample = Take({Path("a.jsonl")}, 16 * kMiB);
  ASSERT_TRUE(sample.ok()) << sample.status();
  const auto rate = MeasureSample(*sample, options_, Path("index"));
  ASSERT_TRUE(rate.ok()) << rate.status();
  EXPECT_GT(*rate, 0);
  EXPECT_FALSE(std::filesystem::exists(Path("index")));
  EXPECT_EQ(BytesThere(), sample->bytes);
}

}  // namespace tuning_sample_test
}  // namespace pmdex
