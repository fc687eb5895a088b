#include "tools/watch/throttle.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace throttle_test {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

nanoseconds Rest(const char* text, uint64_t files, milliseconds cpu, milliseconds elapsed) {
  const auto throttle = Throttle::Parse(text);
  EXPECT_TRUE(throttle.ok()) << throttle.status();
  return throttle->RestAfter(files, cpu, elapsed);
}

TEST(Throttle, WithoutABoundItNeverRests) {
  EXPECT_EQ(Rest("", 1000, milliseconds(500), milliseconds(500)), nanoseconds(0));
}

TEST(Throttle, KeepsToAPartOfOneCpu) {
  EXPECT_EQ(Rest("25%", 1, milliseconds(100), milliseconds(100)), milliseconds(300));
  // What it has waited for the medium counts as rest.
  EXPECT_EQ(Rest("25%", 1, milliseconds(100), milliseconds(250)), milliseconds(150));
  EXPECT_EQ(Rest("25%", 1, milliseconds(100), milliseconds(900)), nanoseconds(0));
}

TEST(Throttle, KeepsToANumberOfFilesASecond) {
  EXPECT_EQ(Rest("100/s", 50, milliseconds(1), milliseconds(100)), milliseconds(400));
  EXPECT_EQ(Rest("100/s", 0, milliseconds(1), milliseconds(1)), nanoseconds(0));
}

TEST(Throttle, AllowsAMergeWhatReadingTakes) {
  const auto share = [](const char* text) {
    return Throttle::Parse(text)->ShareOfMerge(std::chrono::milliseconds(30),
                                               std::chrono::milliseconds(100));
  };
  EXPECT_EQ(share(""), 0);
  EXPECT_EQ(share("25%"), 0.25);
  EXPECT_EQ(share("100/s"), 0.3);
  const std::chrono::milliseconds none(0);
  EXPECT_EQ(Throttle::Parse("1/s")->ShareOfMerge(none, std::chrono::hours(1)), 0.01);
  EXPECT_EQ(Throttle::Parse("1/s")->ShareOfMerge(none, none), 0.01);
}

// A thread that works for a millisecond and is paced then, again and again.
std::chrono::nanoseconds ElapsedOfWork(double share, int milliseconds, bool is_stopped) {
  std::chrono::nanoseconds now{5};
  std::chrono::nanoseconds cpu{7};
  CpuPacer pacer(share, [is_stopped] { return is_stopped; },
                 {[&] { return now; }, [&] { return cpu; },
                  [&](std::chrono::nanoseconds time) {
                    EXPECT_LE(time, std::chrono::milliseconds(50));
                    now += time;
                  }});
  for (int i = 0; i < milliseconds; ++i) {
    now += std::chrono::milliseconds(1);
    cpu += std::chrono::milliseconds(1);
    pacer.Keep();
  }
  return now - std::chrono::nanoseconds(5);
}

TEST(CpuPacer, KeepsAThreadToItsPart) {
  using std::chrono::milliseconds;
  EXPECT_EQ(ElapsedOfWork(0.25, 100, false), milliseconds(400));
  EXPECT_EQ(ElapsedOfWork(0.001, 1, false), milliseconds(1000));
  EXPECT_EQ(ElapsedOfWork(1, 100, false), milliseconds(100));
  EXPECT_EQ(ElapsedOfWork(0, 100, false), milliseconds(100));
  EXPECT_EQ(ElapsedOfWork(0.25, 100, true), milliseconds(100));
}

TEST(Throttle, RefusesWhatIsNoRate) {
  for (const char* text : {"25", "%", "/s", "0%", "101%", "-5%", "x/s", "0/s", "5 /s", "nan%"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Throttle::Parse(text).status())) << text;
  }
}

}  // namespace throttle_test
}  // namespace pmdex
