// The options of a search that name fields which are not text: `sort`, `after`, `facet` and
// `fields_out`, in the URL and in the body of a request. They mean what the flags of `pmdex search`
// mean. Stateless.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"

namespace pmdex {

// The value of a parameter or of a key.
struct RequestValue {
  std::string text;
  bool is_text = false;                  // it can be a query
  const nlohmann::json* json = nullptr;  // nullptr: a parameter of the URL
};

struct FieldedSearch {
  SearchOptions options;
  std::vector<std::string> facets;  // as the client wrote options.aggregations
};

// kInvalidArgument: "'NAME': expected EXPECTED".
absl::Status WrongValue(std::string_view name, std::string_view expected);

// True if SetFieldOption knows the name.
bool IsFieldOption(std::string_view name);

// Sets the option, which may name at most `most` fields. The key of a body takes the place of what
// was set before; each parameter `facet` of the URL adds one. kInvalidArgument if the value is
// wrong by itself. Whether the index has the fields shows when it is searched. Requires
// IsFieldOption(name).
absl::Status SetFieldOption(std::string_view name, const RequestValue& value, size_t most,
                            FieldedSearch& search);

// Adds a text to `key` that tells apart any two requests whose options differ.
void AppendFieldOptions(const FieldedSearch& search, std::string& key);

// False only if the text of a query or a facet has no bound of a date that is relative to `now`.
bool MayNameNow(std::string_view text);

}  // namespace pmdex
