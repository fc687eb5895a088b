#include "engine/ingest/formats/input_sample.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"

namespace pmdex {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;

// Shows whole lines of `text` to the collector. The text stays in place, and kPaddingBytes follow
// it.
absl::Status Show(BlockParser& parser, std::string_view text, FieldCollector& collector) {
  Block block;
  block.bytes = const_cast<char*>(text.data());  // parsers only read
  block.size = text.size();
  block.begin = ByteOrderMarkBytes(text);
  block.path = std::make_shared<const std::string>(kStandardInput);
  const absl::Status parsed = parser.Parse(block, collector);
  return collector.sample_is_over() ? absl::OkStatus() : parsed;
}

}  // namespace

absl::StatusOr<std::string> SampleStandardInput(const IngestOptions& options,
                                                const BuildParameters& parameters,
                                                FieldCollector& collector) {
  const StopFlag never;
  const StopFlag& stop = options.stop == nullptr ? never : *options.stop;
  ProblemLog problems;  // the build itself reports them
  const auto parser = NewJsonlParser(
      {options.id_field, options.fields, parameters.memory.document_limit_bytes}, problems);
  std::string bytes;
  size_t shown = 0;
  bool at_end = false;
  while (!at_end && !collector.sample_is_over() && bytes.size() < kMaxInputSampleBytes) {
    const size_t before = bytes.size();
    bytes.resize(before + kReadBytes + Block::kPaddingBytes);
    const int64_t got = ReadSome(STDIN_FILENO, bytes.data() + before, kReadBytes, stop);
    if (stop.IsSet()) return absl::CancelledError("the build was told to stop");
    at_end = got <= 0;
    const size_t end = before + static_cast<size_t>(std::max<int64_t>(got, 0));
    const size_t newline = std::string_view(bytes).substr(before, end - before).rfind('\n');
    const size_t lines_end = newline == std::string_view::npos ? shown : before + newline + 1;
    const size_t whole = at_end ? end : lines_end;
    if (whole > shown) {
      const auto lines = std::string_view(bytes).substr(shown, whole - shown);
      PMDEX_RETURN_IF_ERROR(Show(*parser, lines, collector));
      shown = whole;
    }
    bytes.resize(end);
  }
  return bytes;
}

}  // namespace pmdex
