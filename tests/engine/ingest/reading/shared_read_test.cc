#include "engine/ingest/reading/shared_read.h"

#include <unistd.h>

#include <thread>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "tests/engine/ingest/reading_fixture.h"

namespace pmdex {
namespace shared_read_test {

constexpr size_t kBlockBytes = 64 << 10;
constexpr size_t kPieceBytes = 48 << 10;  // three quarters

class SharedReadTest : public ReadingFixture {
 protected:
  SharedReadTest() : context_({.memory = Plan()}) {}

  static MemoryPlan Plan() {
    MemoryPlan plan;
    plan.block_bytes = kBlockBytes;
    plan.block_count = 64;
    plan.document_limit_bytes = plan.json_limit_bytes = 1 << 20;
    return plan;
  }
  static std::string Lines(size_t count, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += std::string(bytes - 1, 'x') + "\n";
    return text;
  }
  void Open(std::string_view text, const Gap& gap = {}, bool walked = false) {
    InputFile file = NewFile("f", InputFormat::kLines, text);
    file.walked = walked;
    opened_ = *OpenInput(file, work_.problems);
    shared_ = std::make_unique<SharedRead>(
        context_, file, std::make_shared<const std::string>(file.path), *opened_, gap);
  }
  std::string TakeText() {
    context_.blocks.Close();
    std::string text;
    while (const auto block = context_.blocks.Pop()) text += (*block)->text();
    return text;
  }

  IngestContext context_;
  ReaderWork work_;
  std::optional<OpenedFile> opened_;
  std::unique_ptr<SharedRead> shared_;
};

TEST_F(SharedReadTest, PaysForFilesOfSomePieces) {
  Open(std::string(4 * kPieceBytes - 1, '\n'));
  EXPECT_FALSE(shared_->Pays());
  Open(std::string(4 * kPieceBytes, '\n'));
  EXPECT_TRUE(shared_->Pays());
  Open(std::string(4 * kPieceBytes, '\n'), Gap{100000, kToEnd, 1});
  EXPECT_FALSE(shared_->Pays());
}

TEST_F(SharedReadTest, LeavesWhatIsBehindTheLastBorderOfTheLastPiece) {
  const std::string text = Lines(3000, 100);
  Open(text);
  ASSERT_TRUE(shared_->Work(work_));
  const SharedRead::Rest rest = shared_->AwaitRest();
  const uint64_t expected = 6 * kPieceBytes / 100 * 100;
  EXPECT_EQ(rest.gap.begin, expected);
  EXPECT_EQ(rest.gap.end, kToEnd);
  EXPECT_EQ(rest.gap.first_line, expected / 100 + 1);
  EXPECT_EQ(rest.shared_again, kToEnd);
  EXPECT_TRUE(TakeText() == text.substr(0, expected));
}

TEST_F(SharedReadTest, BeginsInTheMiddleOfAPage) {
  const std::string text = Lines(3000, 100);
  Open(text, Gap{12300, kToEnd, 124});
  ASSERT_TRUE(shared_->Work(work_));
  const auto first = context_.blocks.Pop();
  EXPECT_EQ((*first)->first_line, 124u);
  EXPECT_EQ((*first)->origin.bytes.at(0).range.begin, 12300u);
  const std::string begun((*first)->text());
  EXPECT_TRUE(begun + TakeText() == text.substr(12300, shared_->AwaitRest().gap.begin - 12300));
}

TEST_F(SharedReadTest, EndsBeforeARecordThatDoesNotFitAndGoesOnBehindIt) {
  const std::string text = Lines(1000, 100) + std::string(120000, 'y') + "\n" + Lines(3000, 100);
  Open(text);
  ASSERT_TRUE(shared_->Work(work_));
  const SharedRead::Rest rest = shared_->AwaitRest();
  EXPECT_EQ(rest.gap.begin, 100000u);
  EXPECT_EQ(rest.shared_again, 4 * kPieceBytes);  // the piece without a border was the fourth
  EXPECT_FALSE(shared_->HasPieces());
}

TEST_F(SharedReadTest, LeavesBinaryFilesToTheOneWhoReportsThem) {
  Open(std::string(100, '\0') + Lines(3000, 100), {}, true);
  ASSERT_TRUE(shared_->Work(work_));
  const SharedRead::Rest rest = shared_->AwaitRest();
  EXPECT_EQ(rest.gap.begin, 0u);
  EXPECT_EQ(rest.shared_again, kToEnd);
  EXPECT_EQ(TakeText(), "");
}

TEST_F(SharedReadTest, EndsWhereTheFileWasCutMeanwhile) {
  Open(Lines(4000, 100));
  ASSERT_EQ(truncate(Path("f").c_str(), 3 * kPieceBytes + 17), 0);
  ASSERT_TRUE(shared_->Work(work_));
  const SharedRead::Rest rest = shared_->AwaitRest();
  EXPECT_EQ(rest.gap.begin, 3 * kPieceBytes / 100 * 100);
  EXPECT_EQ(rest.shared_again, kToEnd);
}

TEST_F(SharedReadTest, ComesOutInTheOrderOfTheFileWhoeverReads) {
  const std::string text = Lines(20000, 100);
  Open(text);
  std::thread indexer([&] {
    std::string read;
    while (const auto block = context_.blocks.Pop()) read += (*block)->text();
    EXPECT_TRUE(read == text.substr(0, read.size()));
    EXPECT_GT(read.size(), text.size() - kPieceBytes - 100);
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 5; ++i) {
    readers.emplace_back([&] {
      ReaderWork work;
      EXPECT_TRUE(shared_->Work(work));
    });
  }
  for (std::thread& reader : readers) reader.join();
  shared_->AwaitRest();
  context_.blocks.Close();
  indexer.join();
}

TEST_F(SharedReadTest, StopsWithTheRun) {
  Open(Lines(4000, 100));
  context_.stopped.Set();
  EXPECT_FALSE(shared_->Work(work_));
  EXPECT_EQ(shared_->AwaitRest().gap.begin, 0u);
  EXPECT_EQ(TakeText(), "");
}

}  // namespace shared_read_test
}  // namespace pmdex
