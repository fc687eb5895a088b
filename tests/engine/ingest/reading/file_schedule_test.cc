#include "engine/ingest/reading/file_schedule.h"

#include <atomic>
#include <thread>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "tests/engine/ingest/reading_fixture.h"

namespace pmdex {
namespace file_schedule_test {

constexpr size_t kBlockBytes = 65536;

class FileScheduleTest : public ReadingFixture {
 protected:
  FileScheduleTest() : context_({.memory = Plan()}) {}

  static MemoryPlan Plan() {
    MemoryPlan plan;
    plan.block_bytes = kBlockBytes;
    plan.block_count = 8;
    plan.document_limit_bytes = plan.json_limit_bytes = 1 << 20;
    return plan;
  }
  static InputFile File(std::string path, uint64_t size_bytes,
                        InputFormat format = InputFormat::kLines) {
    InputFile file;
    file.path = std::move(path);
    file.format = format;
    file.size_bytes = size_bytes;
    return file;
  }
  // Pushes the files, and gives their paths in the order in which they are taken.
  std::string Order(std::vector<InputFile> files, bool larger_first) {
    FileSchedule schedule(files.size(), larger_first, context_.pool);
    uint64_t ordinal = 0;
    for (InputFile& file : files) {
      file.ordinal = ordinal++;
      EXPECT_TRUE(schedule.Push(std::move(file)));
    }
    schedule.Close();
    std::string order;
    while (const auto file = schedule.Next().file) {
      order += (order.empty() ? "" : " ") + file->path;
      schedule.FileIsRead();
    }
    EXPECT_FALSE(schedule.AwaitMore());
    return order;
  }
  // Of a file with as many pieces as a stretch must have, and some more.
  std::shared_ptr<SharedRead> NewShared() {
    const InputFile file = NewFile("f", InputFormat::kLines, std::string(10 * kBlockBytes, '\n'));
    opened_ = *OpenInput(file, problems_);
    return std::make_shared<SharedRead>(
        context_, file, std::make_shared<const std::string>(file.path), *opened_, Gap{});
  }

  ProblemLog problems_;
  IngestContext context_;
  std::optional<OpenedFile> opened_;
};

TEST_F(FileScheduleTest, KeepsTheOrderOfTheWalkForOneIndexer) {
  EXPECT_EQ(Order({File("a", 10), File("b", 1 << 20), File("c", 20), File("d", 1 << 30)}, false),
            "a b c d");
}

TEST_F(FileScheduleTest, TakesLargeFilesFirstAndSmallOnesInTheirOrder) {
  EXPECT_EQ(Order({File("a", 10), File("b", 1 << 20), File("c", 20), File("d", 1 << 30)}, true),
            "d b a c");
}

TEST_F(FileScheduleTest, LooksAtABoundedPartOfTheWalk) {
  std::vector<InputFile> files;
  for (uint64_t i = 0; i < FileSchedule::kFilesLookedAt; ++i) files.push_back(File("s", 1));
  files.push_back(File("LARGE", 1 << 30));
  const std::string order = Order(std::move(files), true);
  EXPECT_TRUE(order.starts_with("s LARGE s"));
}

TEST_F(FileScheduleTest, LeavesFilesThatNeedTheOversizeBlockWhileItIsInUse) {
  const BlockPtr oversize = context_.pool.AcquireOversize(1 << 20);
  EXPECT_EQ(Order({File("whole", 1 << 20, InputFormat::kFiles), File("lines", 1 << 19),
                   File("small", 10)},
                  true),
            "lines small whole");
}

TEST_F(FileScheduleTest, LetsFewerFilesWaitWhenTheirPathsAreLong) {
  FileSchedule schedule(4, true, context_.pool);
  const std::string path(2 * kBytesPerWaitingFile, 'p');
  ASSERT_TRUE(schedule.Push(File(path, 1)));
  ASSERT_TRUE(schedule.Push(File(path, 1)));
  std::atomic<bool> pushed = false;
  std::thread walk([&] { pushed = schedule.Push(File(path, 1)); });
  ASSERT_TRUE(schedule.Next().file.has_value());  // only now there is room
  walk.join();
  EXPECT_TRUE(pushed);
  EXPECT_EQ(schedule.report().max_depth, 2u);
}

TEST_F(FileScheduleTest, GivesSharedReadsToReadersWithoutAFile) {
  FileSchedule schedule(4, true, context_.pool);
  const auto shared = NewShared();
  ASSERT_TRUE(schedule.Push(File("a", 1)));
  schedule.Offer(shared);
  EXPECT_TRUE(schedule.Next().file.has_value());
  EXPECT_EQ(schedule.Next().shared, shared);  // the walk may still bring files
  schedule.Close();
  EXPECT_EQ(schedule.Next().shared, shared);
  schedule.Withdraw(shared.get());
  EXPECT_EQ(schedule.Next().shared, nullptr);
}

TEST_F(FileScheduleTest, ReadersWaitWhileAnotherMayStillAskForHelp) {
  FileSchedule schedule(4, true, context_.pool);
  ASSERT_TRUE(schedule.Push(File("a", 1)));
  schedule.Close();
  ASSERT_TRUE(schedule.Next().file.has_value());
  bool more = false;
  std::thread waiting([&] { more = schedule.AwaitMore(); });
  schedule.Offer(NewShared());
  waiting.join();
  EXPECT_TRUE(more);
}

TEST_F(FileScheduleTest, EndsEveryWaitWhenItIsCancelled) {
  FileSchedule schedule(1, true, context_.pool);
  ASSERT_TRUE(schedule.Push(File("a", 1)));
  ASSERT_TRUE(schedule.Next().file.has_value());
  ASSERT_TRUE(schedule.Push(File("b", 1)));
  std::thread walk([&] { EXPECT_FALSE(schedule.Push(File("c", 1))); });
  schedule.Cancel();
  walk.join();
  EXPECT_FALSE(schedule.Next().file.has_value());
  EXPECT_FALSE(schedule.AwaitMore());
}

}  // namespace file_schedule_test
}  // namespace pmdex
