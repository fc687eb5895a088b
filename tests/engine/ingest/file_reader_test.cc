#include "engine/ingest/file_reader.h"

#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace file_reader_test {

TEST_F(IngestFixture, FileReaderPacksSmallFilesAndSendsLargeOnesAlone) {
  MemoryPlan plan;
  plan.block_bytes = 256 << 10;
  plan.block_count = 8;
  plan.document_limit_bytes = 1 << 20;
  IngestContext context(plan);
  ReaderWork work;
  FileReader reader(context, work);
  uint64_t ordinal = 0;
  const auto read = [&](const std::string& name, size_t size) {
    InputFile file;
    file.ordinal = ordinal++;
    file.path = Write(name, std::string(size, 'x'));
    file.size_bytes = size;
    ASSERT_TRUE(reader.Read(file));
  };
  read("a", 1000);
  read("b", 2000);
  read("large", 300 << 10);
  read("c", 10);
  read("too-large", (1 << 20) + 1);
  ASSERT_TRUE(reader.Finish());
  context.blocks.Close();
  std::vector<std::vector<size_t>> sizes;
  DoneWork done = work.Take();
  while (const auto block = context.blocks.Pop()) {
    done.Add(std::move((*block)->origin));
    auto& of_block = sizes.emplace_back();
    for (const FileRecord& file : (*block)->files) of_block.push_back(file.text_bytes);
  }
  EXPECT_EQ(sizes, (std::vector<std::vector<size_t>>{{1000, 2000}, {300 << 10}, {10}}));
  EXPECT_EQ(done.problems.at(ProblemKind::kDocumentTooLarge).count, 1u);
  EXPECT_EQ(done.bytes_in, 3010u + (300 << 10));
  EXPECT_EQ(context.counters.bytes_done, 3010u + (300 << 10) + (1 << 20) + 1);
}

// What is opened ahead is done when it is read: a run that dies in between meets it again.
TEST_F(IngestFixture, FileReaderReportsAFileThatIsGoneTogetherWithItsPlace) {
  MemoryPlan plan;
  plan.block_bytes = 256 << 10;
  plan.block_count = 64;
  plan.document_limit_bytes = 1 << 20;
  IngestContext context(plan);
  ReaderWork work;
  FileReader reader(context, work);
  for (uint64_t ordinal = 0; ordinal < 50; ++ordinal) {
    InputFile file;
    file.ordinal = ordinal;
    file.path = Path(std::to_string(ordinal));
    if (ordinal != 7) Write(std::to_string(ordinal), std::string(100000, 'x'));
    ASSERT_TRUE(reader.Read(file));
  }
  ASSERT_TRUE(reader.Finish());
  context.blocks.Close();
  int reports = 0;
  while (const auto block = context.blocks.Pop()) {
    const DoneWork& done = (*block)->origin;
    ASSERT_EQ(done.files.size(), 1u);
    const bool here = done.files[0].first_ordinal <= 7 && 7 <= done.files[0].last_ordinal;
    EXPECT_EQ(done.problems.contains(ProblemKind::kVanishedFile), here);
    reports += here ? 1 : 0;
  }
  EXPECT_EQ(reports, 1);
}

}  // namespace file_reader_test
}  // namespace pmdex
