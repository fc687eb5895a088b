#include "engine/ingest/reading/file_reader.h"

#include <sys/resource.h>

#include <algorithm>

#include "engine/ingest/memory_plan.h"
#include "engine/ingest/problem_kind.h"
#include "pmem/descriptor_limit.h"
#include "pmem/exhaustion.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace file_reader_test {

TEST_F(IngestFixture, FileReaderPacksSmallFilesAndSendsLargeOnesAlone) {
  MemoryPlan plan;
  plan.block_bytes = 256 << 10;
  plan.block_count = 8;
  plan.document_limit_bytes = 1 << 20;
  IngestContext context({.memory = plan});
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
  IngestContext context({.memory = plan});
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

// Reads 40 files; returns how many came out, and how many descriptors it had at most.
struct ReadWithDescriptors {
  size_t files = 0;
  uint64_t most_open = 0;
  absl::Status error;
};
ReadWithDescriptors ReadFiles(const std::vector<std::string>& paths, size_t files_ahead) {
  MemoryPlan plan;
  plan.block_bytes = 256 << 10;
  plan.block_count = 64;
  plan.document_limit_bytes = 1 << 20;
  IngestContext context({.memory = plan, .files_ahead = files_ahead});
  ReaderWork work;
  FileReader reader(context, work);
  const uint64_t free = FreeDescriptors();
  ReadWithDescriptors result;
  for (const std::string& path : paths) {
    InputFile file;
    file.path = path;
    if (!reader.Read(file)) break;
    result.most_open = std::max(result.most_open, free - std::min(free, FreeDescriptors()));
  }
  result.error = work.error;
  if (!work.error.ok()) return result;
  EXPECT_TRUE(reader.Finish());
  context.blocks.Close();
  while (const auto block = context.blocks.Pop()) result.files += (*block)->files.size();
  return result;
}

TEST_F(IngestFixture, FileReaderHasNoMoreFilesOpenThanItMay) {
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) paths.push_back(Write(std::to_string(i), "text"));
  EXPECT_EQ(ReadFiles(paths, 16).most_open, 16u);
  const ReadWithDescriptors three = ReadFiles(paths, 3);
  EXPECT_EQ(three.most_open, 3u);
  EXPECT_EQ(three.files, 40u);
}

TEST_F(IngestFixture, FileReaderGivesDescriptorsBackBeforeItGivesUp) {
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) paths.push_back(Write(std::to_string(i), "text"));
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlim_t open = before.rlim_cur - FreeDescriptors();
  for (const bool some_left : {true, false}) {
    const rlimit low = {some_left ? open + 4 : 0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    const ReadWithDescriptors read = ReadFiles(paths, 16);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(read.files, some_left ? 40u : 0u);
    EXPECT_EQ(ExhaustedResource(read.error), some_left ? Resource::kNone : Resource::kDescriptors);
  }
}

}  // namespace file_reader_test
}  // namespace pmdex
