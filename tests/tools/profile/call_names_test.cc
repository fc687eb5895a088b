#include "tools/profile/call_names.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/tools/counters/spend_time.h"
#include "tools/counters/timer_sampler.h"

namespace pmdex {
namespace call_names_test {

using testing::ElementsAre;

// Their calls are followed by something, so that they do not become jumps.
[[gnu::noinline]] uint64_t InnerCaller(uint64_t limit) {
  return SpendTime(limit) | 1;
}
[[gnu::noinline]] uint64_t MiddleCaller(uint64_t limit) {
  return InnerCaller(limit) + 1;
}
[[gnu::noinline]] uint64_t OuterCaller(uint64_t limit) {
  const std::function<uint64_t(uint64_t)> inner = [](uint64_t most) {
    return MiddleCaller(most) + 1;
  };
  return inner(limit) + 1;
}

TEST(CallNames, ShowAKnownChainOfCalls) {
  const auto names = AddressNames::OfProcess("self");
  ASSERT_TRUE(names.ok()) << names.status();
  auto sampler = TimerSampler::Start(1000);
  ASSERT_TRUE(sampler.ok()) << sampler.status();
  std::vector<CpuSample> samples;
  for (int i = 0; i < 10'000 && CountInSpendTime(samples) < 20; ++i) {
    EXPECT_GT(OuterCaller(1'000'000), 0u);
    (*sampler)->Drain(samples);
  }
  CallNames calls(*names);
  size_t whole = 0;
  size_t spent = 0;
  for (const CpuSample& sample : samples) {
    std::vector<std::string> functions = calls.Of(sample);
    if (functions.back() != "SpendTime") continue;
    ++spent;
    ASSERT_LE(functions.size(), kMostCallers + 1);
    // SpendTime may have no frame, and then its direct caller is missing.
    std::erase(functions, "call_names_test::InnerCaller");
    const std::vector<std::string> chain = {"call_names_test::OuterCaller",
                                            "call_names_test::MiddleCaller", "SpendTime"};
    functions.erase(
        functions.begin(),
        functions.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(functions.size(), 3)));
    if (functions == chain) ++whole;
  }
  ASSERT_GE(spent, 20u);
  // A sample in the first or last instructions of a function lacks a caller more.
  EXPECT_GE(whole, spent * 3 / 4);
}

TEST(CallNames, LeaveOutWhatIsNoCodeAndWhatOnlyPassesCallsOn) {
  const AddressNames names(
      "1000-2000 r-xp 00000000 00:00 0 /bin/a\n"
      "2000-3000 r-xp 00000000 00:00 0 /bin/b\n"
      "3000-4000 r-xp 00000000 00:00 0 /bin/std::sort\n",
      {});
  CallNames calls(names);
  EXPECT_THAT(calls.Of({1, 0x1500, {}}), ElementsAre("[a]"));
  EXPECT_THAT(calls.Of({1, 0x5000, {0x2500}}), ElementsAre("[b]", "[unknown]"));
  EXPECT_THAT(calls.Of({1, 0x1500, {0x2500, 0x9000, 0x1500}}), ElementsAre("[b]", "[a]"));
  EXPECT_THAT(calls.Of({1, 0x1500, {0, 0x1500}}), ElementsAre("[a]"));
  EXPECT_THAT(calls.Of({1, 0x1500, {0x1600, 0x2500, 0x2600, 0x1700}}),
              ElementsAre("[a]", "[b]", "[a]"));
  // The call is the last instruction before the border.
  EXPECT_THAT(calls.Of({1, 0x2500, {0x2000}}), ElementsAre("[a]", "[b]"));
}

}  // namespace call_names_test
}  // namespace pmdex
