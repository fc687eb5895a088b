#include "tools/server/http/timer_wheel.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace timer_wheel_test {

using Deadlines = std::map<uint64_t, uint64_t>;

std::vector<uint64_t> Advance(TimerWheel& wheel, uint64_t now, const Deadlines& deadlines) {
  std::vector<uint64_t> expired;
  wheel.Advance(
      now,
      [&](uint64_t id) {
        const auto found = deadlines.find(id);
        return found == deadlines.end() ? 0 : found->second;
      },
      [&](uint64_t id) { expired.push_back(id); });
  return expired;
}

TEST(TimerWheel, TellsEachDeadlineOnceAndNotTooSoon) {
  SeededRandom random(1);
  TimerWheel wheel(1);
  Deadlines deadlines;
  for (uint64_t id = 1; id <= 500; ++id) {
    deadlines[id] = 2 + random.Below(300);
    wheel.Add(id, deadlines[id]);
  }
  std::map<uint64_t, uint64_t> seen;
  for (uint64_t now = 1; now <= 320; ++now) {
    for (const uint64_t id : Advance(wheel, now, deadlines)) {
      EXPECT_FALSE(seen.contains(id));
      seen[id] = now;
    }
  }
  EXPECT_EQ(seen, deadlines);
}

TEST(TimerWheel, FollowsADeadlineThatMoves) {
  TimerWheel wheel(1);
  Deadlines deadlines = {{7, 3}};
  wheel.Add(7, 3);
  deadlines[7] = 40;
  EXPECT_TRUE(Advance(wheel, 39, deadlines).empty());
  deadlines[7] = 30;  // sooner: seen kMostAhead ticks late at most
  EXPECT_EQ(Advance(wheel, 39 + TimerWheel::kMostAhead, deadlines).size(), 1u);
}

TEST(TimerWheel, ForgetsWhatIsGone) {
  TimerWheel wheel(1);
  wheel.Add(7, 3);
  EXPECT_TRUE(Advance(wheel, 100, {}).empty());
  EXPECT_TRUE(Advance(wheel, 200, {{7, 150}}).empty());
}

}  // namespace timer_wheel_test
}  // namespace pmdex
