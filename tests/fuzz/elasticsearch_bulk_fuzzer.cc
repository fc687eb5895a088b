// Reads any bytes as the body of a _bulk, and its documents as a live index takes them. An error
// must be one of the client. A document that is accepted must be JSON.
#include <cstdint>
#include <string_view>

#include "pmem/check.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/writing/bulk_body.h"
#include "tools/server/mapping/document_mapper.h"
#include "tools/server/writing/source_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto items = pmdex::ReadBulkBody(body, "books", pmdex::ElasticsearchLimits{});
  if (!items.ok()) {
    PMDEX_CHECK(pmdex::HttpStatusOf(items.status()) == 400);
    PMDEX_CHECK(pmdex::Json::accept(pmdex::ToJsonText(pmdex::ErrorBody(items.status()))));
    return 0;
  }
  PMDEX_CHECK(!items->empty());
  pmdex::SourceReader reader;
  for (const pmdex::BulkItem& item : *items) {
    PMDEX_CHECK(!item.index.empty());
    const auto document = reader.Read("id", item.operation.source);
    if (document.ok()) {
      PMDEX_CHECK(pmdex::Json::accept(document->record));
      const auto mapped = pmdex::MapDocument(*document, pmdex::MappedFields());
      if (!mapped.ok()) PMDEX_CHECK(pmdex::HttpStatusOf(mapped.status()) == 400);
    }
    if (!document.ok()) PMDEX_CHECK(absl::IsInvalidArgument(document.status()));
  }
  return 0;
}
