#include "engine/ingest/file_reader.h"

#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace {

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

}  // namespace
}  // namespace pmdex
