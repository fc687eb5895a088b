#include "tools/find/entry_listing.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace entry_listing_test {

TEST(EntryListing, NamesAreEscapedAsFindDoes) {
  std::string text;
  AppendEscapedName("a b\\c\"d\n\t\r\f\b\x01\xff~", text);
  EXPECT_EQ(text, "a\\ b\\\\c\\\"d\\n\\t\\r\\f\\b\\001\\377~");
}

}  // namespace entry_listing_test
}  // namespace pmdex
