#include "pmem/account_record.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>

#include <cstring>
#include <string>
#include <utility>

namespace pmdex {
namespace account_record_test {

TEST(AccountRecord, IsWhatTheMachineKnows) {
  const auto find = [](const char* name) {
    return FindAccountRecord<passwd>(
        [name](passwd* record, char* room, size_t room_bytes, passwd** found) {
          return getpwnam_r(name, record, room, room_bytes, found);
        });
  };
  const auto root = find("root");
  ASSERT_TRUE(root.is_found);
  EXPECT_EQ(root.error, 0);
  EXPECT_EQ(root.record.pw_uid, 0u);
  EXPECT_FALSE(find("no such user here").is_found);
}

// A function that wants so much room, and then writes a name into it.
struct GreedyLookUp {
  size_t wanted;
  int* calls;
  int operator()(group* record, char* room, size_t room_bytes, group** found) const {
    ++*calls;
    if (room_bytes < wanted) return ERANGE;
    std::memcpy(room, "many", 5);
    record->gr_name = room;
    *found = record;
    return 0;
  }
};

TEST(AccountRecord, GetsAsMuchRoomAsItTakes) {
  int calls = 0;
  auto account = FindAccountRecord<group>(GreedyLookUp{1 << 20, &calls});
  EXPECT_EQ(calls, 6);
  ASSERT_TRUE(account.is_found);
  const AccountRecord<group> moved = std::move(account);
  EXPECT_EQ(std::string(moved.record.gr_name), "many");
}

TEST(AccountRecord, IsNotFoundWithoutEndlessRoom) {
  int calls = 0;
  const auto account = FindAccountRecord<group>(GreedyLookUp{SIZE_MAX, &calls});
  EXPECT_FALSE(account.is_found);
  EXPECT_EQ(account.error, ERANGE);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(account.room.size(), size_t{4} << 20);
}

TEST(AccountRecord, KeepsTheErrorOfTheFunction) {
  const auto account = FindAccountRecord<group>([](group*, char*, size_t, group**) { return EIO; });
  EXPECT_FALSE(account.is_found);
  EXPECT_EQ(account.error, EIO);
}

}  // namespace account_record_test
}  // namespace pmdex
