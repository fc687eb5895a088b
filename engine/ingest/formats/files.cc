#include "engine/ingest/formats/files.h"

#include <simdjson.h>

#include <array>

#include "engine/ingest/pipeline/block_pool.h"

namespace pmdex {
namespace {

class FilesParser final : public BlockParser {
 public:
  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    for (const FileRecord& file : block.files) {
      const std::string_view id(block.bytes + file.id_begin, file.id_bytes);
      const std::string_view text(block.bytes + file.text_begin, file.text_bytes);
      const std::array<DocumentField, 2> fields = {DocumentField{kPathField, id},
                                                   DocumentField{kBodyField, text}};
      Document document;
      document.id = id;
      document.place.path = id;
      document.fields = fields;
      document.valid_utf8 = simdjson::validate_utf8(text.data(), text.size());
      PMDEX_RETURN_IF_ERROR(sink.Add(document));
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<BlockParser> NewFilesParser() {
  return std::make_unique<FilesParser>();
}

}  // namespace pmdex
