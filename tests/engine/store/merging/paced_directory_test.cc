#include "engine/store/merging/paced_directory.h"

#include <gtest/gtest.h>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace paced_directory_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A clock that only waiting moves.
struct FakeTime {
  Pacer::Clock::time_point now;
  Pacer::Time Functions() {
    return {[this] { return now; }, [this](Pacer::Clock::duration duration) { now += duration; }};
  }
};

TEST(Pacer, LetsSoManyBytesPassASecond) {
  FakeTime time;
  const auto start = time.now;
  Pacer pacer(1000, {}, time.Functions());
  for (int i = 0; i < 10; ++i) pacer.Spend(500);
  EXPECT_EQ(time.now - start, seconds(5));
  // A pause is not made up for.
  time.now += seconds(60);
  const auto later = time.now;
  pacer.Spend(250);
  EXPECT_EQ(time.now - later, milliseconds(250));
}

TEST(Pacer, WaitsNoMoreOnceItIsStopped) {
  FakeTime time;
  const auto start = time.now;
  Pacer pacer(
      1, [&] { return time.now - start >= seconds(1); }, time.Functions());
  pacer.Spend(1'000'000);
  EXPECT_EQ(time.now - start, seconds(1));
}

TEST(PacedDirectory, WritesTheSameFilesAtTheRate) {
  const auto plain = NewDramDirectory("plain");
  const auto inner = NewDramDirectory("paced");
  FakeTime time;
  const auto start = time.now;
  const auto paced =
      NewPacedDirectory(*inner, std::make_shared<Pacer>(10'000, nullptr, time.Functions()));
  for (Directory* const directory : {plain.get(), paced.get()}) {
    BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}, {{"b", "two three"}}});
  }
  ASSERT_EQ(FileNames(*paced), FileNames(*plain));
  uint64_t bytes = 0;
  const std::vector<DirectoryEntry> entries = paced->List().value();
  for (const DirectoryEntry& entry : entries) {
    EXPECT_EQ(ContentOf(*inner, entry.name), ContentOf(*plain, entry.name));
    bytes += entry.size_bytes;
  }
  EXPECT_GT(time.now - start, milliseconds(bytes / 10 / 4));
  EXPECT_LT(time.now - start, milliseconds(bytes / 10));
}

}  // namespace paced_directory_test
}  // namespace pmdex
