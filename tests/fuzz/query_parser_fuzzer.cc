// Any text is a query or a clear error; a query's own text parses again.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "pmem/check.h"
#include "query/language/query_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto analyzer = pmdex::NewAnalyzer(pmdex::AnalyzerKind::kEnglish);
  static const std::vector<std::string> fields = {"body", "title"};
  pmdex::QueryParser parser(*analyzer, fields);
  const auto query = parser.Parse({reinterpret_cast<const char*>(data), size});
  if (query.ok()) {
    (void)pmdex::ToString(**query);
  } else {
    PMDEX_CHECK(absl::IsInvalidArgument(query.status()));
  }
  return 0;
}
