// Sends any bytes as the body of a search of the Elasticsearch API, of an index of text and of one
// with columns of every type. The answer must be JSON, and its status must say that the search was
// carried out or that the client made a mistake.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmem/check.h"
#include "tests/support/column_index.h"
#include "tests/support/reference_index.h"
#include "tools/server/elasticsearch/elasticsearch_api.h"
#include "tools/server/elasticsearch/json_text.h"

namespace {

std::vector<std::shared_ptr<const pmdex::ServedIndex>> MakeIndexes() {
  pmdex::ReferenceIndex reference(pmdex::AnalyzerKind::kStandard);
  const std::vector<std::string> bodies = {"The quick brown fox jumps over the lazy dog.",
                                           "A river. A dog! Quick water", "foxes and rivers", ""};
  for (size_t i = 0; i < bodies.size(); ++i) {
    reference.Add({"b" + std::to_string(i), {{"title", "Fox"}, {"body", bodies[i]}}});
  }
  auto index = std::make_shared<pmdex::ServedIndex>();
  index->name = "books";
  index->searcher = std::make_shared<const pmdex::Searcher>(
      reference.BuildSnapshot(2, /*positions=*/true, /*store_text=*/true));
  auto typed = std::make_shared<pmdex::ServedIndex>();
  typed->name = "typed";
  typed->searcher =
      std::make_shared<const pmdex::Searcher>(pmdex::MakeColumnIndex(1, {200, 60}).snapshot);
  return {std::move(index), std::move(typed)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto indexes = MakeIndexes();
  static const pmdex::ElasticsearchApi api{pmdex::ElasticsearchLimits{}};
  pmdex::HttpRequest request;
  request.method = "POST";
  request.headers = {{"content-type", "application/json"}};
  request.body.assign(reinterpret_cast<const char*>(data), size);
  for (const auto& index : indexes) {
    request.path = {index->name, "_search"};
    const pmdex::HttpResponse response = api.Handle(request, indexes, std::chrono::seconds(1));
    PMDEX_CHECK(response.status >= 200 && response.status < 500);
    PMDEX_CHECK(pmdex::Json::accept(response.body));
  }
  return 0;
}
