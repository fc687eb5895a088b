#include "query/access/user_identity.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace user_identity_test {

TEST(UserIdentity, IsThatOfAnAccountByNameAndByNumber) {
  const auto root = FindUser("root");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->uid, 0u);
  EXPECT_TRUE(root->IsIn(0));
  const auto numbered = FindUser("0");
  ASSERT_TRUE(numbered.ok()) << numbered.status();
  EXPECT_EQ(numbered->gids, root->gids);
  EXPECT_EQ(FindUserOfNumber(0)->gids, root->gids);
}

TEST(UserIdentity, OfANumberWithoutAnAccountIsInNoGroup) {
  const auto user = FindUser("3999999999");
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(user->uid, 3999999999u);
  EXPECT_TRUE(user->gids.empty());
  EXPECT_EQ(FindUserOfNumber(3999999999)->uid, 3999999999u);
}

TEST(UserIdentity, IsNoneForANameThatTheMachineDoesNotKnow) {
  for (const std::string_view name : {"", "no-such-user-here", "12x", "-1", "99999999999"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(FindUser(name).status())) << name;
  }
}

}  // namespace user_identity_test
}  // namespace pmdex
