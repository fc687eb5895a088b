// Whatever the number of readers, their blocks and what was done before: the same documents, the
// same problems, and exact ranges of what is done.
#include "engine/ingest/reading/reader.h"

#include <random>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/resume/watermark_builder.h"
#include "tests/engine/ingest/reading_fixture.h"

namespace pmdex {
namespace reader_test {

struct Input {
  InputFile file;
  std::string text;
};

class ReaderTest : public ReadingFixture, public testing::WithParamInterface<InputFormat> {
 protected:
  // Records around the sizes where their way changes: the front of a block, a piece, a block, the
  // limit.
  static size_t RandomBytes(std::mt19937& random) {
    switch (random() % 100) {
      case 0:
        return random() % 130000;
      case 1:
        return random() % 30000;
      case 2:
      case 3:
        return random() % 9000;
      default:
        return random() % 300;
    }
  }

  static std::string Record(InputFormat format, uint64_t number, std::mt19937& random) {
    std::string body(RandomBytes(random), static_cast<char>('a' + number % 26));
    for (size_t i = 50; i < body.size(); i += 1 + random() % 200) body[i] = ' ';
    if (format == InputFormat::kLines) {
      return body + (random() % 5 == 0 ? "\r\n" : "\n");
    }
    if (format == InputFormat::kJsonl) {
      if (random() % 50 == 0) return "no json\n";
      return "{\"id\": \"" + std::to_string(number) + "\", \"t\": \"" + body + "\"}\n";
    }
    for (size_t i = 30; i < body.size(); i += 60) body[i] = '\n';
    const std::string tag = random() % 2 == 0 ? "DOC" : "doc n=\"1\"";
    return "<" + tag + ">\n<DOCNO> " + std::to_string(number) + " </DOCNO>\n" + body + "</DOC>" +
           (random() % 3 == 0 ? "\n\n" : "") + (random() % 40 == 0 ? "stray\n" : "");
  }

  Input RandomInput(int index, std::mt19937& random) {
    std::string text = random() % 3 == 0 ? "\xef\xbb\xbf" : "";
    const size_t size = random() % 600000;
    for (uint64_t number = 1; text.size() < size; ++number) {
      text += Record(GetParam(), number, random);
    }
    if (random() % 2 == 0) text += GetParam() == InputFormat::kTrec ? "<DOC> cut" : "the last";
    Input input;
    if (random() % 8 == 0 && !text.empty())
      text[random() % std::min<size_t>(text.size(), 9000)] = '\0';
    input.file = NewFile("in" + std::to_string(index), GetParam(), text);
    input.file.walked = random() % 2 == 0;
    input.text = std::move(text);
    return input;
  }

  std::vector<Input> RandomInputs(std::mt19937& random) {
    std::vector<Input> inputs;
    const int count = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < count; ++i) inputs.push_back(RandomInput(i, random));
    return inputs;
  }

  static std::vector<InputFile> FilesOf(const std::vector<Input>& inputs) {
    std::vector<InputFile> files;
    for (const Input& input : inputs) files.push_back(input.file);
    return files;
  }

  static ReadingOptions RandomOptions(std::mt19937& random) {
    ReadingOptions options;
    options.block_bytes = 16384 << random() % 3;
    options.readers = 1 + static_cast<int>(random() % 4);
    options.direct_io = static_cast<DirectIo>(random() % 3);
    options.larger_first = random() % 2 == 0;
    return options;
  }

  static std::vector<std::string> Counts(const ProblemSummaries& problems) {
    std::vector<std::string> counts;
    for (const auto& [kind, summary] : problems) {
      counts.push_back(std::string(ToString(kind)) + " " + std::to_string(summary.count));
    }
    return counts;
  }

  // Of each file all bytes, once, at borders whose lines are numbered right (but where the next
  // range was done by an earlier run: its own end says it).
  static void ExpectDoneOnce(std::vector<DoneBytes> done, const std::vector<Input>& inputs) {
    const auto was_done = [&](const DoneBytes& bytes) {
      const std::vector<DoneRange>& before = inputs[bytes.ordinal].file.done;
      return std::any_of(before.begin(), before.end(),
                         [&](const DoneRange& range) { return range.begin == bytes.range.end; });
    };
    std::sort(done.begin(), done.end(), [](const DoneBytes& a, const DoneBytes& b) {
      return std::pair(a.ordinal, a.range.begin) < std::pair(b.ordinal, b.range.begin);
    });
    std::vector<uint64_t> ends(inputs.size(), 0);
    for (const DoneBytes& bytes : done) {
      ASSERT_EQ(bytes.range.begin, ends[bytes.ordinal]);
      ends[bytes.ordinal] = bytes.range.end;
      EXPECT_EQ(bytes.file.path, inputs[bytes.ordinal].file.path);
      if (bytes.range.end == kToEnd || was_done(bytes)) continue;
      const std::string_view before =
          std::string_view(inputs[bytes.ordinal].text).substr(0, bytes.range.end);
      EXPECT_EQ(bytes.range.next_line, 1 + CountLines(before));
    }
    EXPECT_EQ(ends, std::vector<uint64_t>(inputs.size(), kToEnd));
  }
};

TEST_P(ReaderTest, ManyReadersGiveWhatOneGives) {
  std::mt19937 random(21);
  for (int round = 0; round < 40; ++round) {
    const std::vector<Input> inputs = RandomInputs(random);
    ReadingOptions options = RandomOptions(random);
    const ReadingResult found = ReadFiles(FilesOf(inputs), options);
    options.readers = 0;
    const ReadingResult expected = ReadFiles(FilesOf(inputs), options);
    ASSERT_TRUE(found.SortedDocuments() == expected.SortedDocuments()) << round;
    ASSERT_EQ(Counts(found.AllDone().problems), Counts(expected.AllDone().problems)) << round;
    EXPECT_EQ(found.AllDone().bytes_in, expected.AllDone().bytes_in);
    EXPECT_EQ(found.bytes_done, expected.bytes_done);
    ExpectDoneOnce(found.AllDone().bytes, inputs);
  }
}

// Some blocks of a run are durable, then it dies; the next run reads what is left.
TEST_P(ReaderTest, ReadsWhatAnEarlierRunHasNotDone) {
  std::mt19937 random(22);
  for (int round = 0; round < 40; ++round) {
    std::vector<Input> inputs = {RandomInput(0, random)};
    const ReadingResult whole = ReadFiles(FilesOf(inputs), {});
    const ReadingResult first = ReadFiles(FilesOf(inputs), RandomOptions(random));
    std::vector<std::string> documents;
    WatermarkBuilder builder({});
    DoneWork done;
    for (const ReadPart& part : first.parts) {
      if (random() % 3 == 0) continue;
      documents.insert(documents.end(), part.documents.begin(), part.documents.end());
      for (const DoneBytes& bytes : part.done.bytes) builder.Add(bytes);
      done.Add(DoneWork(part.done));
    }
    const Watermark watermark = builder.Build();
    if (!watermark.empty() && watermark[0].is_whole()) continue;
    if (!watermark.empty()) inputs[0].file.done = watermark[0].ranges;
    const ReadingResult second = ReadFiles(FilesOf(inputs), RandomOptions(random));
    const std::vector<std::string> rest = second.SortedDocuments();
    documents.insert(documents.end(), rest.begin(), rest.end());
    std::sort(documents.begin(), documents.end());
    ASSERT_TRUE(documents == whole.SortedDocuments()) << round;
    done.Add(second.AllDone());
    ExpectDoneOnce(done.bytes, inputs);
  }
}

TEST_P(ReaderTest, OneReaderKeepsTheOrderOfTheFile) {
  std::mt19937 random(23);
  const std::vector<Input> inputs = {RandomInput(0, random)};
  ReadingOptions options;
  options.readers = 1;
  const auto in_order = [](const ReadingResult& result) {
    std::vector<std::string> all;
    for (const ReadPart& part : result.parts) {
      all.insert(all.end(), part.documents.begin(), part.documents.end());
    }
    return all;
  };
  EXPECT_TRUE(in_order(ReadFiles(FilesOf(inputs), options)) ==
              in_order(ReadFiles(FilesOf(inputs), {})));
}

INSTANTIATE_TEST_SUITE_P(Format, ReaderTest,
                         testing::Values(InputFormat::kLines, InputFormat::kJsonl,
                                         InputFormat::kTrec),
                         [](const auto& format) { return std::string(ToString(format.param)); });

// Blocks of 16 KiB; the test takes them from the queue.
IngestContext NewContext() {
  return IngestContext({.memory = {.block_bytes = 16384,
                                   .block_count = 8,
                                   .document_limit_bytes = 100000,
                                   .json_limit_bytes = 100000,
                                   .decoders_bytes = size_t{16} << 20}});
}

TEST_F(ReadingFixture, ReadScheduledFilesReadsEachFileAsItsFormatWantsIt) {
  IngestContext context = NewContext();
  FileSchedule schedule(4, /*larger_first=*/false, context.pool);
  ASSERT_TRUE(schedule.Push(NewFile("whole", InputFormat::kFiles, "a whole file")));
  ASSERT_TRUE(schedule.Push(NewFile("lines", InputFormat::kLines, "one\ntwo\n")));
  schedule.Close();
  ReaderWork work;
  EXPECT_TRUE(ReadScheduledFiles(context, schedule, work));
  context.blocks.Close();
  std::vector<InputFormat> formats;
  while (const auto block = context.blocks.Pop()) formats.push_back((*block)->format);
  std::sort(formats.begin(), formats.end());
  EXPECT_EQ(formats, (std::vector<InputFormat>{InputFormat::kFiles, InputFormat::kLines}));
  EXPECT_TRUE(work.error.ok());
}

TEST_F(ReadingFixture, ReadScheduledFilesKeepsWhatNoBlockCameAfter) {
  IngestContext context = NewContext();
  FileSchedule schedule(4, /*larger_first=*/false, context.pool);
  InputFile gone;
  gone.path = Path("gone");
  gone.walked = true;
  gone.ordinal = 7;
  ASSERT_TRUE(schedule.Push(gone));
  schedule.Close();
  ReaderWork work;
  EXPECT_TRUE(ReadScheduledFiles(context, schedule, work));
  const DoneWork done = work.Take();
  ASSERT_EQ(done.files.size(), 1u);
  EXPECT_EQ(done.files[0].first_ordinal, 7u);
  EXPECT_EQ(done.problems.at(ProblemKind::kVanishedFile).count, 1u);
}

TEST_F(ReadingFixture, ReadScheduledFilesEndsWhenTheRunStops) {
  IngestContext context = NewContext();
  FileSchedule schedule(4, /*larger_first=*/false, context.pool);
  ASSERT_TRUE(schedule.Push(NewFile("lines", InputFormat::kLines, "one\n")));
  context.stopped.Set();
  context.pool.Cancel();
  context.blocks.Cancel();
  schedule.Cancel();
  ReaderWork work;
  EXPECT_FALSE(ReadScheduledFiles(context, schedule, work));
}

// Files of all formats at once, small and large, and some that are no text.
TEST_F(ReadingFixture, ReaderTakesFilesOfAllKinds) {
  std::mt19937 random(24);
  std::vector<InputFile> files;
  for (int i = 0; i < 60; ++i) {
    const bool large = random() % 6 == 0;
    std::string text;
    while (text.size() < (large ? 90000 : 2000)) text += std::to_string(random()) + "\n";
    if (random() % 10 == 0) text[5] = '\0';
    const InputFormat format = random() % 3 == 0 ? InputFormat::kLines : InputFormat::kFiles;
    files.push_back(NewFile(std::to_string(i), format, text));
  }
  const ReadingResult expected = ReadFiles(files, {});
  for (const int readers : {1, 2, 5}) {
    ReadingOptions options;
    options.readers = readers;
    const ReadingResult found = ReadFiles(files, options);
    EXPECT_TRUE(found.SortedDocuments() == expected.SortedDocuments());
    EXPECT_EQ(found.AllDone().bytes_in, expected.AllDone().bytes_in);
  }
}

}  // namespace reader_test
}  // namespace pmdex
