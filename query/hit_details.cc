#include "query/hit_details.h"

#include <algorithm>
#include <array>
#include <utility>

#include "query/files/file_text.h"
#include "query/result/doc_value.h"
#include "query/result/explain.h"
#include "query/result/snippet.h"

namespace pmdex {
namespace {

// The index of the segment that holds a document. doc: number in index order.
size_t SegmentOf(const Snapshot& snapshot, uint64_t doc) {
  size_t low = 0;
  size_t high = snapshot.segments().size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (snapshot.doc_base(middle) <= doc ? low : high) = middle;
  }
  return low;
}

// Where a document of the index is.
struct DocPlace {
  const Segment* segment = nullptr;
  DocId doc = 0;
};

DocPlace DocPlaceOf(const Snapshot& snapshot, uint64_t doc) {
  const size_t number = SegmentOf(snapshot, doc);
  return {snapshot.segments()[number].get(), static_cast<DocId>(doc - snapshot.doc_base(number))};
}

// True if the deadline ended the making of the last element, which it removes.
template <typename T>
bool IsTooLate(const absl::Status& status, std::vector<T>& made, SearchResult& result) {
  if (status.code() != absl::StatusCode::kDeadlineExceeded) return false;
  made.pop_back();
  return result.timed_out = true;
}

// The snippet of a document that is a file, from the file.
absl::StatusOr<std::string> MarkFile(const SnippetMarker& marker, size_t number,
                                     const DocPlace& place, FileText& files, Analyzer& analyzer,
                                     const Deadline& deadline) {
  PMDEX_ASSIGN_OR_RETURN(std::string text, files.Read(number, place.doc));
  const auto fields = place.segment->fields();
  const auto body = std::find_if(fields.begin(), fields.end(), [](const FieldInfo& field) {
    return field.name == FileText::FieldName();
  });
  if (text.empty() || body == fields.end()) return std::string();
  const auto field = static_cast<FieldId>(body - fields.begin());
  return marker.MarkText(*place.segment, {{field, std::move(text)}}, analyzer, deadline);
}

}  // namespace

absl::Status NameHits(const Snapshot& snapshot, const std::vector<ScoredDoc>& docs,
                      const Deadline& deadline, SearchResult& result) {
  constexpr size_t kBatch = 32;
  constexpr size_t kMoreIdBytes = 8;  // than the first id has, for the memory of all
  std::array<DocPlace, kBatch> places;
  auto bytes = std::make_shared<std::string>();
  std::string buffer;
  result.hits.resize(docs.size());
  for (size_t first = 0; first < docs.size(); first += kBatch) {
    const size_t count = std::min(kBatch, docs.size() - first);
    if (first != 0 && IsPast(deadline)) {
      result.timed_out = true;
      result.hits.resize(first);
      break;
    }
    for (size_t i = 0; i < count; ++i) {
      places[i] = DocPlaceOf(snapshot, docs[first + i].doc);
      places[i].segment->PrefetchDocPlace(places[i].doc);
    }
    for (size_t i = 0; i < count; ++i) places[i].segment->PrefetchDocId(places[i].doc);
    for (size_t i = 0; i < count; ++i) {
      const Segment& segment = *places[i].segment;
      Hit& hit = result.hits[first + i];
      PMDEX_ASSIGN_OR_RETURN(hit.id, segment.Checked(segment.doc_id(places[i].doc, buffer)));
      if (bytes->empty()) bytes->reserve(docs.size() * (hit.id.size() + kMoreIdBytes));
      bytes->append(hit.id);
      hit.score = docs[first + i].score;
      hit.doc = docs[first + i].doc;
    }
  }
  // Not before, because the bytes have moved while they grew.
  size_t begin = 0;
  for (Hit& hit : result.hits) {
    hit.id = {bytes->data() + begin, hit.id.size()};
    begin += hit.id.size();
  }
  result.id_bytes = std::move(bytes);
  return absl::OkStatus();
}

absl::Status AddSnippets(const QueryBinding& binding, const Deadline& deadline, Analyzer& analyzer,
                         SearchResult& result) {
  const Snapshot& snapshot = *binding.snapshot;
  const SnippetMarker marker(binding);
  LastStoredChunk last;
  FileText files(snapshot);
  for (const Hit& hit : result.hits) {
    const DocPlace place = DocPlaceOf(snapshot, hit.doc);
    std::string& snippet = result.snippets.emplace_back();
    absl::StatusOr<std::string> made = place.segment->Checked(
        snapshot.settings().store_text
            ? marker.Mark(*place.segment, place.doc, analyzer, last, deadline)
            : MarkFile(marker, SegmentOf(snapshot, hit.doc), place, files, analyzer, deadline));
    if (IsTooLate(made.status(), result.snippets, result)) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(snippet, std::move(made));
  }
  return absl::OkStatus();
}

absl::Status AddExplanations(const QueryBinding& binding, const Deadline& deadline,
                             SearchResult& result) {
  for (const Hit& hit : result.hits) {
    const Segment& segment = *binding.snapshot->segments()[SegmentOf(*binding.snapshot, hit.doc)];
    Explanation& explanation = result.explanations.emplace_back();
    absl::StatusOr<Explanation> made = segment.Checked(Explain(binding, hit.doc, deadline));
    if (IsTooLate(made.status(), result.explanations, result)) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(explanation, std::move(made));
  }
  return absl::OkStatus();
}

absl::Status AddFieldValues(const std::vector<std::string>& fields, const Snapshot& snapshot,
                            SearchResult& result) {
  result.field_names = fields;
  for (const Hit& hit : result.hits) {
    const DocPlace place = DocPlaceOf(snapshot, hit.doc);
    PMDEX_ASSIGN_OR_RETURN(result.field_values.emplace_back(),
                           place.segment->Checked(ReadFields(*place.segment, place.doc, fields)));
  }
  return absl::OkStatus();
}

}  // namespace pmdex
