#include "tests/support/column_index.h"

#include <string>

#include "pmem/check.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {

const RandomColumn& ColumnIndex::column(std::string_view name) const {
  for (const RandomColumn& column : columns) {
    if (column.name == name) return column;
  }
  PMDEX_CHECK(false);
  return columns[0];
}

ColumnIndex MakeColumnIndex(uint64_t seed, const std::vector<uint32_t>& doc_counts,
                            bool compressed) {
  uint32_t all = 0;
  for (const uint32_t count : doc_counts) all += count;
  ColumnIndex index{MakeRandomColumns(seed, all), nullptr};
  std::vector<std::shared_ptr<const Segment>> segments;
  uint32_t base = 0;
  for (const uint32_t count : doc_counts) {
    VectorSegmentInput input({.positions = false});
    const FieldId body = input.AddField("body");
    for (uint32_t i = base; i < base + count; ++i) {
      std::string text = "all";
      for (const uint32_t divisor : {2, 7, 300}) {
        if (i % divisor == 0) text += " w" + std::to_string(divisor);
      }
      input.AddText(input.AddDocument("d" + std::to_string(i)), body, text);
    }
    AddColumns(index.columns, base, input);
    input.Finish();
    segments.push_back(SegmentBytes(input).Open().value());
    base += count;
  }
  IndexSettings settings;
  settings.analyzer = AnalyzerKind::kWhitespace;
  settings.positions = false;
  index.snapshot = Snapshot::Of(settings, std::move(segments));
  if (compressed) {
    index.snapshot = CompressSnapshot(*index.snapshot, CompressedSegments::kEverySecond);
  }
  return index;
}

}  // namespace pmdex
