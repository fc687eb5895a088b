// The times of log lines: the same whatever the threads, the memory and the borders of blocks, in
// one run and in several.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/column_view.h"
#include "engine/columns/date_text.h"
#include "engine/ingest/build_options.h"
#include "engine/ingest/formats/lines.h"
#include "engine/ingest/logs/log_clock.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace log_time_test {

using Times = std::map<std::string, std::string>;  // by id; "" where there is none

class LogTimeTest : public IngestFixture {
 protected:
  LogTimeTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kLines;
    options_.log_zone = "UTC";
  }

  static Times TimesIn(const Directory& directory) {
    Times times;
    const auto snapshot = Snapshot::Open(directory);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    if (!snapshot.ok()) return times;
    for (const auto& segment : (*snapshot)->segments()) {
      const ColumnView* const column = segment->FindColumn("time");
      for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
        const std::string id(*segment->doc_id(doc));
        const auto at = column != nullptr ? *column->ValuesOf(doc) : ValueRange{};
        std::string& time = times[id.substr(id.rfind('/') + 1)];
        if (at.count == 0) continue;
        const uint64_t key = *column->KeyAt(at.first);
        time = FormatDate(std::bit_cast<int64_t>(BitsOfKey(FieldType::kDate, key)));
      }
    }
    return times;
  }

  // Lines with and without stamps, with times that only the year before them can have been.
  static std::string RandomLog(uint32_t seed, int lines) {
    std::mt19937 random(seed);
    std::string text;
    int second = 0;
    for (int i = 0; i < lines; ++i) {
      ++second;
      char stamp[64];
      std::snprintf(stamp, sizeof(stamp), "2026-01-%02d %02d:%02d:%02d", 1 + second / 86400,
                    second / 3600 % 24, second / 60 % 60, second % 60);
      switch (random() % 4) {
        case 0:
          text += std::string(stamp) + " INFO ";
          break;
        case 1:
          text += "Mar  3 10:20:30 host ";
          break;
        default:
          text += "\tgoes on ";
      }
      text += std::string(random() % 100, 'x') + (random() % 3 == 0 ? "\r\n" : "\n");
      if (random() % 50 == 0) text += "\n";
      // Whole blocks without a stamp.
      if (random() % 200 == 0) text += std::string(random() % 150000, 'y') + "\n";
    }
    return text;
  }

  static void SetMtime(const std::string& path, std::string_view time) {
    const int64_t seconds = *NarrowDate(ParseDateText(time)->first) / kNanosecondsPerSecond;
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  // Line by line, as the contract says it.
  static void AddExpected(const std::string& name, std::string_view text, std::string_view mtime,
                          Times& expected) {
    const LogClock clock = *LogClock::Open("UTC");
    const int64_t changed = *NarrowDate(ParseDateText(mtime)->first);
    std::optional<int64_t> time;
    for (int line = 1; !text.empty(); ++line) {
      const std::string_view body = TakeLine(text);
      if (body.empty()) continue;
      if (const auto own = clock.TimeOf(body, changed)) time = own;
      expected[name + ":" + std::to_string(line)] = time.has_value() ? FormatDate(*time) : "";
    }
  }
};

TEST_F(LogTimeTest, IsAFieldOfTypeDate) {
  const std::string path =
      Write("a.log", "first\n2026-01-31 10:20:30 a\n  b\n\nJan  2 03:04:05 c\n");
  SetMtime(path, "2026-01-01");
  Run({path});
  const Times expected = {{"a.log:1", ""},
                          {"a.log:2", "2026-01-31T10:20:30Z"},
                          {"a.log:3", "2026-01-31T10:20:30Z"},
                          {"a.log:5", "2025-01-02T03:04:05Z"}};
  EXPECT_EQ(TimesIn(*directory_), expected);
  const auto snapshot = Snapshot::Open(*directory_);
  const FieldSpec date = {FieldType::kDate, Multiplicity::kOne};
  EXPECT_EQ((*snapshot)->manifest().fields.at("time"), date);
}

TEST_F(LogTimeTest, IsLeftOutWithoutTheOption) {
  options_.log_zone.clear();
  Run({Write("a.log", "2026-01-31 10:20:30 a\n")});
  EXPECT_EQ(TimesIn(*directory_), (Times{{"a.log:1", ""}}));
}

TEST_F(LogTimeTest, DoesNotDependOnThreadsMemoryAndBlocks) {
  Times expected;
  std::vector<std::string> paths;
  for (const uint32_t seed : {1u, 2u, 3u}) {
    const std::string name = std::to_string(seed) + ".log";
    const std::string text = RandomLog(seed, seed == 1 ? 20000 : 500);
    paths.push_back(Write(name, text));
    SetMtime(paths.back(), "2026-02-01");
    AddExpected(name, text, "2026-02-01", expected);
  }
  struct Shape {
    int indexers;
    int readers;
    uint64_t block_bytes;
  };
  for (const Shape& shape : {Shape{1, 1, 1 << 20}, Shape{1, 1, 65536}, Shape{3, 3, 65536},
                             Shape{2, 4, 131072}, Shape{4, 2, 0}}) {
    options_.indexer_threads = shape.indexers;
    options_.reader_threads = shape.readers;
    options_.block_bytes = shape.block_bytes;
    Run(paths);
    EXPECT_EQ(TimesIn(*directory_), expected) << shape.readers << " " << shape.block_bytes;
  }
}

TEST_F(LogTimeTest, GoesOnAfterAFailureWithTheTimeOfTheLineBefore) {
  Times expected;
  const std::string text = RandomLog(4, 8000);
  const std::string path = Write("a.log", text);
  SetMtime(path, "2026-02-01");
  AddExpected("a.log", text, "2026-02-01", expected);
  options_.block_bytes = 65536;
  options_.checkpoint_interval = std::chrono::milliseconds(0);
  options_.indexer_threads = 2;
  options_.reader_threads = 2;
  options_.inputs = {path};
  uint64_t resumed = 0;
  for (int64_t changes = 5; changes < 300; changes += 37) {
    const auto directory = NewDramDirectory("log-time");
    FailingDirectory failing(*directory, changes);
    {
      auto writer = IndexWriter::Open(failing, OpenMode::kCreate, options_.settings);
      if (writer.ok() && Ingest(options_, **writer, nullptr).ok()) continue;
    }
    auto writer = IndexWriter::OpenToResume(*directory, OpenMode::kCreate, DescribeBuild(options_),
                                            options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    const auto report = Ingest(options_, **writer, nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    resumed += report->resumed_documents;
    EXPECT_EQ(TimesIn(*directory), expected) << changes;
  }
  EXPECT_GT(resumed, 0u) << "nothing was ever taken up";
}

TEST_F(LogTimeTest, RefusesAnIndexInWhichTimeIsAnotherField) {
  options_.format = InputFormat::kJsonl;
  options_.log_zone.clear();
  Run({Write("a.jsonl", "{\"id\": \"1\", \"time\": 7}\n")});
  options_.format = InputFormat::kLines;
  options_.log_zone = "UTC";
  const auto report = TryRun({Write("a.log", "2026-01-31 10:20:30 a\n")}, OpenMode::kAppend);
  EXPECT_TRUE(absl::IsFailedPrecondition(report.status())) << report.status();
}

}  // namespace log_time_test
}  // namespace pmdex
