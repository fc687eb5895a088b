// Compressed files become the documents of their text, in every format and compression, whatever
// their size is beside that of a block, and with bounded memory when they are hostile.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/reading_fixture.h"
#include "tests/support/compress.h"

namespace pmdex {
namespace compressed_files_test {

class CompressedFilesTest : public ReadingFixture, public testing::WithParamInterface<Compression> {
 protected:
  static std::string Name(std::string_view name) {
    return std::string(name) + "." + EndingOf(GetParam());
  }
  std::string WritePacked(std::string_view name, std::string_view text) const {
    return Write(Name(name), Compress(GetParam(), text, 1));
  }
};

TEST_P(CompressedFilesTest, EveryFormatReadsThemUnderTheirOwnPath) {
  const std::string file = WritePacked("a.txt", "\xef\xbb\xbfzebra in a file");
  Run({file});
  EXPECT_EQ(Find("body", "zebra"), std::vector<std::string>{file});

  options_.format = InputFormat::kLines;
  const std::string lines = WritePacked("a.log", "one\nzebra\nthree\n");
  Run({lines});
  EXPECT_EQ(Find("body", "zebra"), std::vector<std::string>{lines + ":2"});

  options_.format = InputFormat::kTrec;
  Run({WritePacked("a.trec", "<DOC>\n<DOCNO> D1 </DOCNO>\nzebra\n</DOC>\n")});
  EXPECT_EQ(Find("body", "zebra"), std::vector<std::string>{"D1"});

  options_.format = InputFormat::kJsonl;
  Run({WritePacked("a", "{\"id\":\"x\",\"t\":\"zebra\"}\n")});
  EXPECT_EQ(Find("t", "zebra"), std::vector<std::string>{"x"});
}

TEST_P(CompressedFilesTest, AutoTakesTheFormatFromTheNameOfTheText) {
  const std::string line = "{\"id\":\"x\",\"t\":\"zebra\"}\n";
  for (const char* name : {"a.jsonl", "a.ndjson"}) {
    Run({WritePacked(name, line)});
    EXPECT_EQ(Find("t", "zebra"), std::vector<std::string>{"x"}) << name;
  }
  Run({WritePacked("a.json", line)});
  EXPECT_EQ(Ids(), std::vector<std::string>{Path(Name("a.json"))}) << "a file";
}

TEST_P(CompressedFilesTest, CountsTextAndProgressCountsFiles) {
  const std::string text(50'000, 'a');
  const std::string path = WritePacked("tree/a", text);
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(report.bytes_in, text.size());
  EXPECT_EQ(report.documents, 1u);
  InputFile file;
  file.path = path;
  for (const InputFormat format : {InputFormat::kFiles, InputFormat::kLines}) {
    file.format = format;
    EXPECT_EQ(ReadFiles({file}, {}).bytes_done, std::filesystem::file_size(path));
  }
}

TEST_P(CompressedFilesTest, WhatHoldsBinaryDataIsPassedOverInAWalk) {
  WritePacked("tree/archive.tar", std::string("name\0\0\0", 7) + std::string(100'000, 'x'));
  WritePacked("tree/text", "zebra");
  for (const InputFormat format : {InputFormat::kFiles, InputFormat::kLines}) {
    options_.format = format;
    const IngestReport report = Run({Path("tree")});
    EXPECT_EQ(report.documents, 1u);
    EXPECT_EQ(CountOf(report, ProblemKind::kBinaryFile), 1u);
  }
}

TEST_P(CompressedFilesTest, WhatIsNotCompressedIsReadAsItIs) {
  Write(Name("tree/plain"), "zebra in plain text");
  Write(Name("tree/empty"), "");
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(report.documents, 2u);
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(Find("body", "zebra").size(), 1u);
}

TEST_P(CompressedFilesTest, DamageCostsWhatComesBehindIt) {
  const std::string bytes = Compress(GetParam(), "zebra one\n") + Compress(GetParam(), "two\n");
  Write(Name("tree/cut"), bytes.substr(0, bytes.size() - 5));
  WritePacked("tree/whole", "zebra two\n");
  for (const InputFormat format : {InputFormat::kFiles, InputFormat::kLines}) {
    options_.format = format;
    const IngestReport report = Run({Path("tree")});
    EXPECT_EQ(Find("body", "zebra").size(), 2u);
    EXPECT_EQ(CountOf(report, ProblemKind::kDamagedCompression), 1u);
    EXPECT_EQ(report.skipped, 0u) << "what came before the damage is indexed";
    EXPECT_TRUE(FirstPlace(report, ProblemKind::kDamagedCompression)
                    .starts_with(Path(Name("tree/cut")) + ": the " +
                                 std::string(ToString(GetParam())) + " stream ends early"));
  }
}

// Texts of all lengths around the sizes of what they travel in, packed side by side into blocks.
TEST_P(CompressedFilesTest, TextsOfEveryLengthGoWhereTheyFit) {
  std::mt19937 random(9);
  const ReadingOptions options;
  std::vector<InputFile> packed;
  std::vector<InputFile> plain;
  const auto add = [&](size_t size_bytes) {
    std::string text;
    // Some that hardly become shorter, and some that become much shorter.
    const uint32_t words = random() % 2 == 0 ? 3 : 100'000;
    while (text.size() < size_bytes) text += std::to_string(random() % words) + " ";
    text.resize(size_bytes);
    const std::string name = std::to_string(packed.size());
    packed.push_back(NewFile(Name(name), InputFormat::kFiles, Compress(GetParam(), text, 1)));
    plain.push_back(NewFile(name, InputFormat::kFiles, text));
  };
  for (const size_t border : {size_t{0}, kBinaryProbeBytes, options.block_bytes,
                              2 * options.block_bytes, options.limit_bytes}) {
    for (const int off : {-200, -1, 0, 1, 200}) {
      if (static_cast<int>(border) + off >= 0) add(border + static_cast<size_t>(off));
    }
  }
  for (int i = 0; i < 40; ++i) add(random() % 20'000);
  ReadingResult expected = ReadFiles(plain, options);
  ReadingResult result = ReadFiles(packed, options);
  const auto texts = [&](const ReadingResult& of) {
    std::vector<std::string> all;
    for (const std::string& document : of.SortedDocuments()) {
      all.push_back(document.substr(document.find("\nbody=")));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_TRUE(texts(result) == texts(expected));
  EXPECT_EQ(result.AllDone().bytes_in, expected.AllDone().bytes_in);
  EXPECT_EQ(result.AllDone().problems.at(ProblemKind::kDocumentTooLarge).count, 2u);
  EXPECT_EQ(result.AllDone().problems.size(), 1u);
  const ReadingResult together = ReadFiles(packed, {.readers = 3});
  EXPECT_TRUE(together.SortedDocuments() == result.SortedDocuments());
}

TEST_P(CompressedFilesTest, LinesAreCutAsThoseOfAPlainFile) {
  std::mt19937 random(10);
  std::string text;
  for (int line = 0; line < 800; ++line) {
    const size_t most = random() % 100 == 0 ? 120'000 : 300;
    text += std::string(random() % most, static_cast<char>('a' + random() % 26)) + "\n";
  }
  InputFile plain = NewFile("log", InputFormat::kLines, text);
  InputFile packed = NewFile(Name("log"), InputFormat::kLines, Compress(GetParam(), text));
  const auto documents = [&](const InputFile& file, int readers) {
    std::vector<std::string> all;
    for (std::string& document : ReadFiles({file}, {.readers = readers}).SortedDocuments()) {
      for (size_t at; (at = document.find(file.path)) != std::string::npos;) {
        document.replace(at, file.path.size(), "FILE");
      }
      all.push_back(std::move(document));
    }
    return all;
  };
  const auto expected = documents(plain, 0);
  EXPECT_TRUE(documents(packed, 0) == expected);
  EXPECT_TRUE(documents(packed, 3) == expected);
}

TEST_P(CompressedFilesTest, AJobThatWasDoneInPartGoesOnBehindIt) {
  std::string text;
  for (int line = 1; line <= 5000; ++line) text += "line number " + std::to_string(line) + "\n";
  const size_t first = text.find("1001\n") + 5;   // lines 1 to 1001 are done
  const size_t second = text.find("3000\n") + 5;  // and 3001 to 4000
  const size_t third = text.find("4000\n") + 5;
  InputFile file = NewFile(Name("log"), InputFormat::kLines, Compress(GetParam(), text));
  file.done = {{0, first, 1002}, {second, third, 4001}};
  const ReadingResult result = ReadFiles({file}, {});
  const auto documents = result.SortedDocuments();
  EXPECT_EQ(documents.size(), 1999u + 1000u);
  const auto has = [&](int line) {
    const std::string number = std::to_string(line);
    return std::binary_search(documents.begin(), documents.end(),
                              file.path + ":" + number + " at " + file.path + ":" + number +
                                  "\nbody=line number " + number);
  };
  EXPECT_TRUE(has(1002) && has(3000) && has(4001) && has(5000));
  EXPECT_FALSE(has(1001) || has(3001) || has(4000));
  EXPECT_EQ(result.bytes_done, file.size_bytes);
}

TEST_P(CompressedFilesTest, AFileThatHasLessTextThanWasDoneIsReported) {
  InputFile file = NewFile(Name("log"), InputFormat::kLines, Compress(GetParam(), "short\n"));
  file.done = {{0, 1000, 20}};
  const ReadingResult result = ReadFiles({file}, {});
  EXPECT_TRUE(result.SortedDocuments().empty());
  EXPECT_EQ(result.AllDone().problems.at(ProblemKind::kFileChanged).count, 1u);
}

// A text of 40 MB that the compression makes hundreds of times shorter.
TEST_P(CompressedFilesTest, ABombIsReportedAndCostsNoOtherDocument) {
  std::string bomb;
  const std::string piece = Compress(GetParam(), std::string(size_t{4} << 20, 'a'));
  for (int i = 0; i < 10; ++i) bomb += piece;
  ASSERT_LT(bomb.size(), size_t{200} << 10);
  const std::string path =
      Write(Name("tree/bomb"), bomb + Compress(GetParam(), "\nthe zebra behind it\n"));
  WritePacked("tree/other", "zebra\n");
  options_.memory_bytes = uint64_t{64} << 20;
  IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kDocumentTooLarge), 1u);
  EXPECT_EQ(report.documents, 1u);
  options_.format = InputFormat::kLines;
  report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kLineTooLong), 1u);
  EXPECT_EQ(Find("body", "zebra"),
            (std::vector<std::string>{path + ":2", Path(Name("tree/other")) + ":1"}));
}

INSTANTIATE_TEST_SUITE_P(All, CompressedFilesTest, testing::ValuesIn(kAllCompressions),
                         [](const auto& tested) { return std::string(ToString(tested.param)); });

using NeedyFilesTest = CompressedFilesTest;

TEST_P(NeedyFilesTest, AFileWhoseDecoderDoesNotFitIntoMemoryIsSkippedAndReported) {
  std::mt19937 random(11);
  std::string text;
  while (text.size() < 300'000) text += std::to_string(random()) + "\n";
  Write("tree/large.zst", CompressWithWindow(text, 27));
  Write("tree/usual.xz", Compress(Compression::kXz, "zebra"));
  options_.memory_bytes = uint64_t{64} << 20;
  for (const InputFormat format : {InputFormat::kFiles, InputFormat::kLines}) {
    options_.format = format;
    const IngestReport report = Run({Path("tree")});
    EXPECT_EQ(CountOf(report, ProblemKind::kDecoderMemory), 1u);
    EXPECT_EQ(report.skipped, 1u);
    EXPECT_EQ(report.documents, 1u);
    EXPECT_EQ(Find("body", "zebra").size(), 1u);
  }
}

// The oversize block and memory for decoders, each enough for one of them: whoever waits for the
// one must not keep the other.
TEST_P(NeedyFilesTest, ManyFilesThatNeedTheOversizeBlockAndMuchMemoryAllEnd) {
  const std::string large(40'000, 'a');
  std::vector<InputFile> files;
  for (int i = 0; i < 24; ++i) {
    const InputFormat format = i % 2 == 0 ? InputFormat::kFiles : InputFormat::kLines;
    files.push_back(NewFile(std::to_string(i) + ".zst", format,
                            CompressWithWindow(large, 20) + CompressWithWindow(large, 23)));
  }
  const ReadingResult result = ReadFiles(files, {.readers = 4});
  EXPECT_EQ(result.SortedDocuments().size(), files.size());
  EXPECT_TRUE(result.AllDone().problems.empty());
}

INSTANTIATE_TEST_SUITE_P(All, NeedyFilesTest, testing::Values(Compression::kZstd));

}  // namespace compressed_files_test
}  // namespace pmdex
