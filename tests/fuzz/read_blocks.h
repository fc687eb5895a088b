// What the fuzz targets of the ingest formats share: turns bytes into a file in memory, cuts it
// into blocks with a BlockReader, and parses the blocks into documents. For one thread.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/columns/field_value.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/logs/log_clock.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/reading/block_reader.h"
#include "pmem/check.h"
#include "pmem/file_descriptor.h"

namespace pmdex {

struct FuzzedDocument {
  std::string id;
  std::vector<std::pair<std::string, std::string>> fields;
  bool valid_utf8 = true;

  friend bool operator==(const FuzzedDocument&, const FuzzedDocument&) = default;
};

class FuzzedDocuments final : public DocumentSink {
 public:
  absl::Status Add(const Document& document) override {
    FuzzedDocument& kept = documents.emplace_back();
    kept.id = document.id;
    kept.valid_utf8 = document.valid_utf8;
    for (const DocumentField& field : document.fields) {
      kept.fields.emplace_back(field.name, field.value == nullptr
                                               ? std::string(field.text)
                                               : std::to_string(field.value->bits));
    }
    return absl::OkStatus();
  }
  std::vector<FuzzedDocument> documents;
};

// A file with these bytes; it is opened by its path below /proc.
class MemoryInput {
 public:
  explicit MemoryInput(std::string_view text) : fd_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    PMDEX_CHECK(fd_.valid());
    PMDEX_CHECK(write(fd_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  const FileDescriptor fd_;
};

// All documents of `text` in order, read with blocks of block_bytes and records of at most
// limit_bytes. A second thread reads, because there is only one oversize block.
template <typename NewParser>
std::vector<FuzzedDocument> ParseBlocks(std::string_view text, InputFormat format,
                                        size_t block_bytes, size_t limit_bytes,
                                        NewParser&& new_parser, const LogClock* clock = nullptr) {
  MemoryPlan plan;
  plan.block_bytes = block_bytes;
  plan.block_count = text.size() / 32 + 8;  // the reader waits for the oversize block only
  plan.document_limit_bytes = limit_bytes;
  plan.json_limit_bytes = limit_bytes;
  IngestContext context({.memory = plan});
  context.log_clock = clock;
  ReaderWork work;
  const MemoryInput input(text);
  InputFile file;
  file.path = input.path();
  file.format = format;
  file.size_bytes = text.size();
  const auto read = [&] {
    PMDEX_CHECK(BlockReader(context, work).Read(file));
    context.blocks.Close();
  };
  std::optional<std::thread> reader;
  if (block_bytes > text.size()) {
    read();  // one block
  } else {
    reader.emplace(read);
  }
  ProblemLog problems;
  const std::unique_ptr<BlockParser> parser = new_parser(problems);
  FuzzedDocuments sink;
  while (const auto block = context.blocks.Pop()) {
    PMDEX_CHECK(parser->Parse(**block, sink).ok());
  }
  if (reader.has_value()) reader->join();
  return std::move(sink.documents);
}

// True if `part` is `whole` with some documents left out.
inline bool IsSubsequence(const std::vector<FuzzedDocument>& part,
                          const std::vector<FuzzedDocument>& whole) {
  size_t taken = 0;
  for (const FuzzedDocument& document : whole) {
    if (taken < part.size() && part[taken] == document) ++taken;
  }
  return taken == part.size();
}

}  // namespace pmdex
