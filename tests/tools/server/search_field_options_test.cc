// search_request_test.cc and search_api_test.cc test what these options mean in requests.
#include "tools/server/search_field_options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pmdex {
namespace search_field_options_test {

std::string KeyOf(const std::vector<std::string>& fields_out, const std::vector<std::string>& sort,
                  const std::vector<std::string>& facets) {
  FieldedSearch search;
  search.options.fields_out = fields_out;
  for (const std::string& field : sort) search.options.sort.push_back({field, false});
  search.facets = facets;
  std::string key;
  AppendFieldOptions(search, key);
  return key;
}

TEST(SearchFieldOptions, TellsApartListsOfTheSameCharacters) {
  const std::vector<std::string> keys = {
      KeyOf({"a", "b"}, {}, {}),     KeyOf({"a", "b"}, {"c"}, {}),   KeyOf({"ab"}, {}, {}),
      KeyOf({"b", "a"}, {}, {}),     KeyOf({}, {"a", "b"}, {}),      KeyOf({}, {}, {"a", "b"}),
      KeyOf({"a"}, {}, {"b"}),       KeyOf({"a1:b"}, {}, {}),        KeyOf({"a", "1:b"}, {}, {}),
      KeyOf({}, {"a+1:b", "c"}, {}), KeyOf({}, {"a", "b", "c"}, {}),
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " " << j;
  }
}

TEST(SearchFieldOptions, KeepsTheIntegersOfAPlaceExact) {
  const auto place = nlohmann::json::parse("[9223372036854775807, 18446744073709551615]");
  FieldedSearch search;
  ASSERT_TRUE(SetFieldOption("after", {"", false, &place}, 10, search).ok());
  ASSERT_EQ(search.options.sort_after.size(), 2u);
  EXPECT_EQ(search.options.sort_after[0].text, "9223372036854775807");
  EXPECT_EQ(search.options.sort_after[1].text, "18446744073709551615");
}

}  // namespace search_field_options_test
}  // namespace pmdex
