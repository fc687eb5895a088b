#include "query/access/access_rights.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/access_list.h"

namespace pmdex {
namespace access_rights_test {

UserIdentity User(uint32_t uid, std::vector<uint32_t> gids = {}) {
  return {uid, std::move(gids)};
}

TEST(AccessRights, OfAModeAreThoseOfTheFirstClassThatTheUserIsIn) {
  EXPECT_TRUE(MayRead(User(7), "7:8:0400|0:0:0755"));
  EXPECT_FALSE(MayRead(User(7, {8}), "7:8:0044|0:0:0755")) << "the owner is not in the group";
  EXPECT_TRUE(MayRead(User(9, {8}), "7:8:0040|0:0:0755"));
  EXPECT_FALSE(MayRead(User(9, {8}), "7:8:0404|0:0:0755")) << "the group is not all others";
  EXPECT_TRUE(MayRead(User(9, {5}), "7:8:0004|0:0:0755"));
}

TEST(AccessRights, NeedToSearchAllParents) {
  EXPECT_TRUE(MayRead(User(9), "7:8:0644|0:0:0711|0:0:0755"));
  EXPECT_FALSE(MayRead(User(9), "7:8:0644|0:0:0744|0:0:0755")) << "to list is not to search";
  EXPECT_FALSE(MayRead(User(9), "7:8:0644|0:0:0755|7:8:0700"));
  EXPECT_FALSE(MayRead(User(9), "7:8:0711|0:0:0755")) << "to search is not to read";
}

TEST(AccessRights, AreAllThereAreForTheUserZeroAndNoneWhereNothingIsKnown) {
  for (const std::string access :
       {"?", "", "7:8:0644|?", "7:8:0644:?|0:0:0755", "7:8|0:0:0755", "x:8:0644", "7:8:0999",
        "7:8:0644:user::rwz", "7:8:0644:nobody::r--", "7:8:0644:user:x:r--", "|7:8:0644"}) {
    EXPECT_FALSE(MayRead(User(9), access)) << access;
    EXPECT_TRUE(MayRead(User(0), access)) << access;
  }
}

TEST(AccessRights, OfAListComeInTheOrderOfAcl5) {
  const std::string list =
      "7:8:0670:user::r--,user:9:rw-,user:10:---,group::--"
      "-,group:20:r--,group:21:-w-,mask::rw-,"
      "other::r--";
  EXPECT_TRUE(MayRead(User(7), list));
  EXPECT_TRUE(MayRead(User(9), list));
  EXPECT_FALSE(MayRead(User(10, {20}), list)) << "a named user before the groups";
  EXPECT_FALSE(MayRead(User(11, {8}), list)) << "the group has no right, and others do not count";
  EXPECT_TRUE(MayRead(User(11, {20}), list));
  EXPECT_TRUE(MayRead(User(11, {8, 20}), list)) << "one group is enough";
  EXPECT_FALSE(MayRead(User(11, {21}), list));
  EXPECT_TRUE(MayRead(User(11, {30}), list));
}

TEST(AccessRights, OfAListAreMaskedButThoseOfOwnerAndOthers) {
  const std::string list =
      "7:8:0600:user::r--,user:9:rwx,group::rwx,group:20:"
      "rwx,mask::-wx,other::r--";
  EXPECT_TRUE(MayRead(User(7), list));
  EXPECT_FALSE(MayRead(User(9), list));
  EXPECT_FALSE(MayRead(User(11, {8}), list));
  EXPECT_FALSE(MayRead(User(11, {20}), list));
  EXPECT_TRUE(MayRead(User(11, {30}), list));
}

TEST(AccessRights, OfAListWithAnEmptyMaskAreThoseOfTheMode) {
  const std::string list =
      "7:8:0705:user::rwx,user:9:rw-,group::rwx,group:20:r--,mask::---,other::r-x";
  EXPECT_TRUE(MayRead(User(7), list));
  EXPECT_TRUE(MayRead(User(9), list)) << "one of all others";
  EXPECT_TRUE(MayRead(User(11, {20}), list));
  EXPECT_FALSE(MayRead(User(11, {8}), list)) << "the group of the file";
  EXPECT_TRUE(MayRead(User(11, {30}), list));
}

TEST(AccessRights, AreReadFromTheBytesOfTheKernel) {
  const std::string bytes = AccessListOf(6, 9, 4);
  const auto rights = RightsOf(7, 8, 0640, bytes);
  ASSERT_TRUE(rights.has_value());
  EXPECT_TRUE(rights->Allow(Permission::kRead, User(7)));
  EXPECT_TRUE(rights->Allow(Permission::kRead, User(9)));
  EXPECT_FALSE(rights->Allow(Permission::kRead, User(11, {8})));
  EXPECT_FALSE(RightsOf(7, 8, 0640, bytes.substr(1)).has_value());
  EXPECT_FALSE(RightsOf(7, 8, 0640, "x").has_value());
  EXPECT_TRUE(RightsOf(7, 8, 0640, "").has_value());
}

}  // namespace access_rights_test
}  // namespace pmdex
