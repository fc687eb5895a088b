#include "tests/support/windowed_index.h"

#include <map>
#include <string>
#include <utility>

#include "gtest/gtest.h"

#include "engine/segment/segment_writer.h"
#include "tests/support/random_corpus.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace {

std::shared_ptr<const Segment> WriteRandomSegment(Directory& directory, uint64_t id,
                                                  uint32_t doc_count, uint64_t seed) {
  SeededRandom random(seed);
  VectorSegmentInput input({.positions = true, .analyzer = AnalyzerKind::kWhitespace});
  const std::vector<FieldId> fields = {input.AddField("body"), input.AddField("title")};
  for (uint32_t i = 0; i < doc_count; ++i) {
    const DocId doc = input.AddDocument("d" + std::to_string(id) + "-" + std::to_string(i));
    for (const FieldId field : fields) {
      std::map<std::string, VectorPosting> postings;
      const size_t words = field == 1 ? 2 : random.OneIn(200) ? 1200 : 3 + random.Below(12);
      for (uint32_t position = 0; position < words; ++position) {
        size_t rank = 0;
        while (rank < 11 && !random.OneIn(3)) ++rank;
        VectorPosting& posting = postings["t" + std::to_string(rank)];
        posting.positions.push_back(position);
      }
      for (auto& [term, posting] : postings) {
        posting.doc = doc;
        posting.freq = static_cast<uint32_t>(posting.positions.size());
        input.AddPosting(field, term, std::move(posting));
      }
    }
  }
  input.Finish();
  const auto written = WriteSegment(directory, id, input);
  EXPECT_TRUE(written.ok()) << written.status();
  auto file = directory.Open(written->file_name);
  EXPECT_TRUE(file.ok()) << file.status();
  auto segment = Segment::Open(*std::move(file), written->file_name, std::nullopt);
  EXPECT_TRUE(segment.ok()) << segment.status();
  return *segment;
}

}  // namespace

std::shared_ptr<const Snapshot> WriteWindowedIndex(Directory& directory,
                                                   const std::vector<uint32_t>& doc_counts) {
  std::vector<std::shared_ptr<const Segment>> segments;
  for (size_t i = 0; i < doc_counts.size(); ++i) {
    segments.push_back(WriteRandomSegment(directory, i + 1, doc_counts[i], i + 1));
  }
  IndexSettings settings;
  settings.analyzer = AnalyzerKind::kWhitespace;
  return Snapshot::Of(settings, std::move(segments));
}

}  // namespace pmdex
