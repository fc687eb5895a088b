#include "engine/ingest/reading/block_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace block_reader_test {

MemoryPlan SmallPlan() {
  MemoryPlan plan;
  plan.block_bytes = 4096;
  plan.block_count = 4;
  plan.document_limit_bytes = 20000;
  plan.json_limit_bytes = 20000;
  return plan;
}

struct ReadBlock {
  std::string text;
  uint64_t first_line;
};

class BlockReaderTest : public IngestFixture {
 protected:
  std::vector<ReadBlock> Read(std::string_view text, InputFormat format) {
    IngestContext context({.memory = SmallPlan()});
    InputFile file;
    file.path = Write("in", text);
    file.format = format;
    std::vector<ReadBlock> blocks;
    DoneWork done;
    std::thread consumer([&] {
      while (const auto block = context.blocks.Pop()) {
        done.Add(std::move((*block)->origin));
        blocks.push_back({std::string((*block)->text()), (*block)->first_line});
      }
    });
    ReaderWork work;
    EXPECT_TRUE(BlockReader(context, work).Read(file));
    context.blocks.Close();
    consumer.join();
    done.Add(work.Take());
    problems_ = done.problems;
    return blocks;
  }

  std::map<ProblemKind, ProblemSummary> problems_;
};

// Random lines around the size of blocks and of the limit: every line that fits comes out whole,
// once, with its number, whatever the borders; every other one is reported.
TEST_F(BlockReaderTest, CutsAtLinesOnlyAndLosesNothingButLongLines) {
  std::mt19937 random(17);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    std::map<uint64_t, std::string> expected;
    uint64_t too_long = 0;
    const uint64_t lines = 1 + random() % 40;
    for (uint64_t line = 1; line <= lines; ++line) {
      const size_t most = random() % 3 == 0 ? 30000 : random() % 2 == 0 ? 5000 : 200;
      const std::string body(random() % most, static_cast<char>('a' + line % 26));
      const bool last = line == lines && random() % 2 == 0;
      text += last ? body : body + "\n";
      if (body.size() + (last ? 0 : 1) > 20000) {
        ++too_long;
      } else if (!body.empty() || !last) {
        expected[line] = body;
      }
    }
    std::map<uint64_t, std::string> found;
    for (const ReadBlock& block : Read(text, InputFormat::kLines)) {
      uint64_t line = block.first_line;
      std::string_view rest = block.text;
      for (; !rest.empty(); ++line) {
        const size_t newline = std::min(rest.find('\n'), rest.size() - 1);
        std::string_view body = rest.substr(0, newline + 1);
        rest.remove_prefix(newline + 1);
        if (body.ends_with('\n')) body.remove_suffix(1);
        ASSERT_TRUE(found.emplace(line, body).second);
      }
    }
    ASSERT_EQ(found, expected) << round;
    const auto problem = problems_.find(ProblemKind::kLineTooLong);
    ASSERT_EQ(problem == problems_.end() ? 0 : problem->second.count, too_long);
  }
}

// A directory can be opened as standard input, and every read of it fails.
TEST_F(BlockReaderTest, KeepsTheSampleOfStandardInputIfReadingFailsBehindIt) {
  const int before = dup(STDIN_FILENO);
  const int directory = open(".", O_RDONLY | O_DIRECTORY);
  ASSERT_GE(directory, 0);
  ASSERT_EQ(dup2(directory, STDIN_FILENO), STDIN_FILENO);
  IngestContext context({.memory = SmallPlan()});
  context.input_begin = "one\ntwo\n";
  InputFile file;
  file.path = kStandardInput;
  file.format = InputFormat::kLines;
  ReaderWork work;
  EXPECT_TRUE(BlockReader(context, work).Read(file));
  context.blocks.Close();
  const auto block = context.blocks.Pop();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ((*block)->text(), "one\ntwo\n");
  DoneWork done;
  done.Add(std::move((*block)->origin));
  done.Add(work.Take());
  EXPECT_EQ(done.problems[ProblemKind::kUnreadableFile].count, 1u);
  dup2(before, STDIN_FILENO);
  close(before);
  close(directory);
}

// A block of standard input that is not full is handed over while the writer waits, as far as its
// records are whole.
void ExpectHandsOverWholeRecords(InputFormat format, const std::vector<std::string>& pieces,
                                 const std::vector<std::string>& blocks) {
  const int before = dup(STDIN_FILENO);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  IngestContext context({.memory = SmallPlan()});
  context.longest_wait = std::chrono::milliseconds(1);
  InputFile file;
  file.path = kStandardInput;
  file.format = format;
  ReaderWork work;
  std::thread reader([&] {
    EXPECT_TRUE(BlockReader(context, work).Read(file));
    context.blocks.Close();
  });
  uint64_t line = 1;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i < pieces.size()) {
      EXPECT_EQ(write(ends[1], pieces[i].data(), pieces[i].size()),
                static_cast<ssize_t>(pieces[i].size()));
    }
    if (i + 1 == blocks.size()) close(ends[1]);
    const auto block = context.blocks.PopFor(std::chrono::minutes(2));
    ASSERT_TRUE(block.value.has_value()) << i;
    EXPECT_EQ((*block.value)->text(), blocks[i]);
    EXPECT_EQ((*block.value)->first_line, line);
    line += CountLines(blocks[i]);
  }
  reader.join();
  EXPECT_FALSE(context.blocks.Pop().has_value());
  dup2(before, STDIN_FILENO);
  close(before);
  close(ends[0]);
}

TEST_F(BlockReaderTest, HandsOverTheLinesOfAPipeThatWaits) {
  ExpectHandsOverWholeRecords(InputFormat::kLines, {"\xef\xbb\xbfone\ntwo\nth", "ree\nfour"},
                              {"one\ntwo\n", "three\n", "four"});
}

TEST_F(BlockReaderTest, HandsOverTheTrecDocumentsOfAPipeThatWaits) {
  ExpectHandsOverWholeRecords(InputFormat::kTrec,
                              {"<DOC>\none\n</DOC>\n<DOC>\nt\n", "wo\n</DOC>\n<DOC>\nthree\n"},
                              {"<DOC>\none\n</DOC>\n", "<DOC>\nt\nwo\n</DOC>\n", "<DOC>\nthree\n"});
}

TEST_F(BlockReaderTest, CutsTrecAtDocuments) {
  std::mt19937 random(5);
  std::string text;
  uint64_t too_large = 0;
  for (int i = 0; i < 60; ++i) {
    const size_t size = random() % 5 == 0 ? random() % 30000 : random() % 2000;
    if (size + 11 > 20000) ++too_large;
    text += "<DOC>" + std::string(size, 'x') + "</DOC>";
  }
  size_t documents = 0;
  for (const ReadBlock& block : Read(text, InputFormat::kTrec)) {
    EXPECT_TRUE(block.text.starts_with("<DOC>") && block.text.ends_with("</DOC>"));
    for (size_t at = 0; (at = block.text.find("</DOC>", at)) != std::string::npos; ++at)
      ++documents;
  }
  ASSERT_GT(too_large, 0u);
  EXPECT_EQ(documents, 60 - too_large);
  EXPECT_EQ(problems_.at(ProblemKind::kDocumentTooLarge).count, too_large);
}

TEST_F(BlockReaderTest, GivesNothingForAnEmptyFile) {
  EXPECT_TRUE(Read("", InputFormat::kJsonl).empty());
  EXPECT_TRUE(problems_.empty());
}

}  // namespace block_reader_test
}  // namespace pmdex
