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

TEST(Throttle, RefusesWhatIsNoRate) {
  for (const char* text : {"25", "%", "/s", "0%", "101%", "-5%", "x/s", "0/s", "5 /s", "nan%"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Throttle::Parse(text).status())) << text;
  }
}

}  // namespace throttle_test
}  // namespace pmdex
