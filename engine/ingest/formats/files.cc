#include "engine/ingest/formats/files.h"

#include <simdjson.h>

#include <vector>

#include "engine/ingest/entries/attribute_fields.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/pipeline/block_pool.h"

namespace pmdex {
namespace {

class FilesParser final : public BlockParser {
 public:
  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    for (const FileRecord& file : block.files) {
      const std::string_view id(block.bytes + file.id_begin, file.id_bytes);
      const std::string_view entry(id.data() + id.size(), file.entry_bytes);
      const std::string_view text(block.bytes + file.text_begin, file.text_bytes);
      fields_.clear();
      if (!entry.empty()) {
        const auto attributes = attributes_.Describe(id, DecodeEntry(entry), file.has_text);
        fields_.assign(attributes.begin(), attributes.end());
      }
      if (file.has_text) fields_.push_back({kBodyField, text});
      Document document;
      document.id = id;
      document.place.path = id;
      document.fields = fields_;
      document.valid_utf8 = simdjson::validate_utf8(text.data(), text.size());
      PMDEX_RETURN_IF_ERROR(sink.Add(document));
    }
    return absl::OkStatus();
  }

 private:
  AttributeFields attributes_;
  std::vector<DocumentField> fields_;
};

}  // namespace

std::unique_ptr<BlockParser> NewFilesParser() {
  return std::make_unique<FilesParser>();
}

}  // namespace pmdex
