#include "engine/ingest/resume/input_order.h"

#include <gtest/gtest.h>

#include <span>

namespace pmdex {
namespace input_order_test {

std::vector<SegmentOrder> Example() {
  return {{7, {{0, {{0, "a/z"}, 0, 1}}, {12, {{0, "a/z"}, 65536, 1}}, {13, {{2, "b"}, 9, 4}}}},
          {uint64_t{1} << 40, {{0, {{1, ""}, 0, 0}}}}};
}

TEST(InputOrder, IsThatOfTheWalk) {
  const InputPlace place = {{1, "a/z"}, 100, 5};
  for (const InputPlace& earlier :
       {InputPlace{{0, "b"}, 900, 9}, InputPlace{{1, "a/y"}, 900, 9}, InputPlace{{1, "a/z"}, 99, 9},
        InputPlace{{1, "a/z"}, 100, 4}}) {
    EXPECT_TRUE(ComesBefore(earlier, place));
    EXPECT_FALSE(ComesBefore(place, earlier));
  }
  EXPECT_FALSE(ComesBefore(place, place));
  EXPECT_TRUE(ComesBefore(place, InputPlace{{1, "a.txt"}, 0, 0})) << "name by name";
}

TEST(InputOrder, ComesBackAsItWasEncoded) {
  ProgressWriter out;
  EncodeInputOrders(Example(), out);
  const std::vector<std::byte> bytes = out.Take();
  ProgressReader in(bytes);
  EXPECT_EQ(DecodeInputOrders(in), Example());
  EXPECT_TRUE(in.at_end());
}

TEST(InputOrder, RefusesWhatMakesNoSense) {
  ProgressWriter out;
  EncodeInputOrders(Example(), out);
  const std::vector<std::byte> bytes = out.Take();
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::span<const std::byte> all = bytes;
    ProgressReader in(all.first(length));
    EXPECT_EQ(DecodeInputOrders(in), std::nullopt) << length;
  }
  for (auto orders : {std::vector<SegmentOrder>{{1, {}}}, std::vector<SegmentOrder>{{1, {{1, {}}}}},
                      std::vector<SegmentOrder>{{1, {{0, {}}, {0, {}}}}}}) {
    ProgressWriter wrong;
    EncodeInputOrders(orders, wrong);
    const std::vector<std::byte> damaged = wrong.Take();
    ProgressReader in(damaged);
    EXPECT_EQ(DecodeInputOrders(in), std::nullopt);
  }
}

}  // namespace input_order_test
}  // namespace pmdex
