#include "tools/server/users/user_views.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/tools/server/served_library.h"

namespace pmdex {
namespace user_views_test {

const UserIdentity kAlice{61001, {61001}};
const UserIdentity kBob{61002, {61002}};

class UserViewsTest : public IngestFixture {
 protected:
  UserViewsTest() {
    options_.format = InputFormat::kJsonl;
    options_.schema["access"] = {FieldType::kKeyword, Multiplicity::kOpen};
  }

  // Files that are not at hand, so that the rights in the index decide.
  std::shared_ptr<const ServedIndex> Build(const std::string& name) {
    Run({Write(name + ".jsonl",
               R"({"id": "/gone/all", "body": "fox", "access": "0:0:0644|0:0:0755"}
{"id": "/gone/alice", "body": "fox", "access": "61001:1:0600|0:0:0755"}
{"id": "none", "body": "fox"}
)")});
    return ServedSnapshot(name, *Snapshot::Open(*directory_));
  }
  static uint64_t Count(const ServedIndex& index) {
    SearchOptions options;
    options.count = true;
    const auto result = index.searcher->Search("fox", options);
    return result.ok() ? result->total : UINT64_MAX;
  }

  UserViews views_;
};

TEST_F(UserViewsTest, HaveWhatTheUserMaySee) {
  const auto indexes = std::make_shared<const ServedIndexes>(ServedIndexes{Build("docs")});
  const auto alice = views_.Get(kAlice, indexes);
  const auto bob = views_.Get(kBob, indexes);
  const auto root = views_.Get({0, {0}}, indexes);
  ASSERT_TRUE(alice.ok() && bob.ok() && root.ok());
  EXPECT_EQ(Count(*(**alice)[0]), 2u);
  EXPECT_EQ(Count(*(**bob)[0]), 1u);
  EXPECT_EQ(Count(*(**root)[0]), 3u);
  EXPECT_EQ(Count(*(*indexes)[0]), 3u) << "the index itself stays as it is";
  EXPECT_EQ((**bob)[0]->name, "docs");
  EXPECT_TRUE((**bob)[0]->is_of_a_user);
  EXPECT_FALSE((*indexes)[0]->is_of_a_user);
}

TEST_F(UserViewsTest, AreKeptUntilTheirIndexChanges) {
  const auto first = Build("first");
  const auto indexes = std::make_shared<const ServedIndexes>(ServedIndexes{first, Build("second")});
  const auto before = *views_.Get(kBob, indexes);
  EXPECT_EQ(*views_.Get(kBob, indexes), before);
  const auto changed = std::make_shared<const ServedIndexes>(ServedIndexes{Build("second"), first});
  const auto after = *views_.Get(kBob, changed);
  EXPECT_EQ((*after)[1], (*before)[0]) << "of the index that is the same";
  EXPECT_NE((*after)[0], (*before)[1]);
  // So many others came that it was forgotten.
  for (uint32_t uid = 1; uid <= UserViews::kMostUsers; ++uid) {
    ASSERT_TRUE(views_.Get({uid, {}}, changed).ok());
  }
  EXPECT_NE(*views_.Get(kBob, changed), after);
}

TEST_F(UserViewsTest, LetGoOfIndexesThatAreNotServedAnyMore) {
  const auto stays = Build("stays");
  std::weak_ptr<const ServedIndex> old;
  std::shared_ptr<const ServedIndex> view_of_stays;
  {
    const auto goes = Build("goes");
    old = goes;
    const auto both = std::make_shared<const ServedIndexes>(ServedIndexes{stays, goes});
    view_of_stays = (**views_.Get(kBob, both))[0];
  }
  EXPECT_FALSE(old.expired()) << "a view holds it";
  const auto rest = std::make_shared<const ServedIndexes>(ServedIndexes{stays});
  views_.KeepOnly(rest);
  EXPECT_TRUE(old.expired());
  EXPECT_EQ((**views_.Get(kBob, rest))[0], view_of_stays);
}

TEST_F(UserViewsTest, DifferByTheGroupsOfTheUser) {
  const auto indexes = std::make_shared<const ServedIndexes>(ServedIndexes{Build("docs")});
  const auto bob = *views_.Get(kBob, indexes);
  EXPECT_NE(*views_.Get({61002, {1, 61002}}, indexes), bob);
}

}  // namespace user_views_test
}  // namespace pmdex
