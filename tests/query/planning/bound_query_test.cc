#include "query/planning/bound_query.h"

#include <string>

#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace bound_query_test {

class BoundQueryTest : public WindowedIndexTest<testing::Test, 500> {
 protected:
  static std::string TextOf(const std::string& text) { return ToText(*Bind(text).root); }
};

TEST_F(BoundQueryTest, IsWrittenAsItWasRead) {
  for (const char* text :
       {"body:t0", "body:\"t0 t1\"", "body:\"t0 t1\"~2", "body:t1*", "body:t?", "title:*",
        "body:/t[12]/", "*:*", "(+body:t0 -title:t1 body:t2)", "(+body:t0 +(body:t1 body:t2))"}) {
    EXPECT_EQ(TextOf(text), text);
  }
}

TEST_F(BoundQueryTest, NamesTheFieldsThatAWordIsSearchedIn) {
  EXPECT_EQ(TextOf("t0"), "(body:t0 title:t0)");
}

TEST_F(BoundQueryTest, LeavesOutBoostsAndWhatMatchesNothing) {
  EXPECT_EQ(TextOf("body:t0^3"), "body:t0");
  EXPECT_EQ(TextOf("body:nowhere"), "");
  EXPECT_EQ(TextOf("body:t0 body:nowhere"), "body:t0");
}

}  // namespace bound_query_test
}  // namespace pmdex
