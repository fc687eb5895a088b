// Checks the operations of the publish protocol one by one. docs/FORMAT.md describes them. The
// numbers of flushes, drains and fsyncs are the cost of a publish.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/simulated_directory.h"

namespace pmdex {
namespace publish_protocol_test {

// The operations of a medium from now on; copies in a row are one.
class OperationLog {
 public:
  explicit OperationLog(SimulatedMedium& medium) : medium_(medium) {
    medium.set_observer([this] {
      const std::string& operation = medium_.operation();
      if (log_.empty() || log_.back() != operation || !operation.starts_with("copy ")) {
        log_.push_back(operation);
      }
    });
  }
  ~OperationLog() { medium_.set_observer(nullptr); }

  std::vector<std::string> Take() { return std::exchange(log_, {}); }

 private:
  SimulatedMedium& medium_;
  std::vector<std::string> log_;
};

// How a file comes to be, under its temporary name. fsync follows the truncation (second resize).
std::vector<std::string> StepsOfFile(const std::string& name, bool is_segment) {
  const std::string temporary = name + ".tmp";
  std::vector<std::string> steps = {"create " + temporary, "resize " + temporary};
  if (is_segment) {
    steps.push_back("copy " + temporary);
    steps.push_back("drain " + temporary);
  }
  for (const char* verb : {"store ", "flush ", "drain ", "resize ", "fsync ", "rename "}) {
    steps.push_back(verb + temporary);
  }
  return steps;
}

std::vector<std::string> Joined(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

using Steps = std::vector<std::string>;
const Steps kSync = {"fsync directory"};

TEST(PublishProtocol, TakesTheStepsOfTheFormatDocument) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  OperationLog log(medium);
  BuildStore(directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "y"}}});
  EXPECT_EQ(log.Take(), Joined({{"create write.lock"},
                                StepsOfFile(SegmentFileName(1), true),
                                StepsOfFile(SegmentFileName(2), true),
                                kSync,
                                StepsOfFile(ManifestFileName(1), false),
                                kSync}));
  BuildStore(directory, OpenMode::kOverwrite, {{{"c", "z"}}});
  EXPECT_EQ(log.Take(), Joined({kSync,
                                StepsOfFile(SegmentFileName(3), true),
                                kSync,
                                StepsOfFile(ManifestFileName(2), false),
                                kSync,
                                {"remove " + ManifestFileName(1), "remove " + SegmentFileName(1),
                                 "remove " + SegmentFileName(2)}}));
}

TEST(PublishProtocol, FlushesAndDrainsASegmentAFixedNumberOfTimes) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  const auto writer = IndexWriter::Open(directory, OpenMode::kCreate, TestSettings());
  ASSERT_TRUE(writer.ok());
  for (const size_t documents : {1, 100, 3000}) {
    std::vector<std::pair<std::string, std::string>> contents;
    for (size_t i = 0; i < documents; ++i) {
      contents.emplace_back(std::to_string(i), "word w" + std::to_string(i));
    }
    const auto input = MakeInput(contents);
    const auto info = (*writer)->WriteSegment(*input);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->persist.drains, 2u);   // sections, header
    EXPECT_EQ(info->persist.flushes, 1u);  // header
    EXPECT_EQ(info->persist.flushed_bytes, 4096u);
    // Each byte is written once: nothing but the header page does not go past the caches.
    EXPECT_EQ(info->persist.copied_bytes, info->file_bytes - 4096);
  }
}

}  // namespace publish_protocol_test
}  // namespace pmdex
