#include "tests/support/segment_exercise.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/segment/verify/verifier.h"
#include "query/algorithm/exhaustive.h"
#include "query/result/explain.h"
#include "query/result/snippet.h"
#include "tests/support/planned_search.h"
#include "tests/support/reseal_segment.h"

namespace pmdex {
namespace {

// A hostile file of 64 KiB can name the same long list in every entry: enough is enough.
constexpr size_t kMaxPostings = 20'000;
constexpr size_t kMaxTerms = 2'000;
constexpr size_t kMostReadFields = 8;
constexpr DocId kMaxStored = 8;

// Ends exactly where its bytes do, 64 B aligned as a mapping would be.
class ExactFile final : public ReadableFile {
 public:
  explicit ExactFile(std::span<const std::byte> data)
      : bytes_(static_cast<std::byte*>(::operator new (data.size(), std::align_val_t{64}))),
        size_(data.size()) {
    if (!data.empty()) std::memcpy(bytes_, data.data(), data.size());
  }
  ~ExactFile() override { ::operator delete (bytes_, std::align_val_t{64}); }
  std::span<const std::byte> bytes() const override { return {bytes_, size_}; }
  std::span<std::byte> mutable_bytes() { return {bytes_, size_}; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  std::byte* bytes_;
  size_t size_;
};

struct KnownTerm {
  std::string field;
  std::string text;
};

void ReadList(const Segment& segment, const DictionaryEntry& entry, size_t& budget) {
  const auto list = segment.Postings(entry);
  if (!list.ok()) return;
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < list->df && budget > 0; ++i, --budget) {
    (void)list->Freq(i);
    (void)list->ReadPositions(i, positions);
    (void)segment.doc_id(list->Doc(i));
    (void)list->PostingOf(i);
  }
}

// Every field's terms, and a few of them to search for.
std::vector<KnownTerm> ReadTerms(const Segment& segment) {
  std::vector<KnownTerm> known;
  size_t postings = kMaxPostings;
  for (size_t field = 0; field < std::min(segment.fields().size(), kMostReadFields); ++field) {
    const auto id = static_cast<FieldId>(field);
    (void)segment.norms(id);
    TermIterator terms(segment.dictionary(), id);
    for (size_t i = 0; i < kMaxTerms && terms.Next(); ++i) {
      const auto entry = terms.entry();
      if (entry.ok()) ReadList(segment, *entry, postings);
      (void)segment.Find(id, terms.term());
      if (i < 3 || i % 16 == 5) {
        known.push_back({std::string(segment.fields()[field].name), std::string(terms.term())});
      }
    }
    (void)terms.Seek("m");
  }
  known.resize(std::min<size_t>(known.size(), 12));
  return known;
}

void ReadColumns(const Segment& segment) {
  for (const ColumnView& column : segment.columns()) {
    for (DocId doc = 0; doc < std::min<uint32_t>(segment.doc_count(), 500); ++doc) {
      const auto values = column.ValuesOf(doc);
      if (!values.ok() || values->count == 0) continue;
      const auto key = column.KeyAt(values->first + values->count - 1);
      if (key.ok()) (void)column.Keyword(*key);
    }
    for (uint32_t window = 0; window < std::min<uint64_t>(ZoneCount(segment.doc_count()), 8);
         ++window) {
      (void)column.Zone(window);
      const auto values = column.Window(window);
      for (uint32_t i = 0; values.ok() && i < std::min(values->value_count, 5000u); ++i) {
        (void)column.KeyIn(values->lane, i);
      }
    }
    const uint64_t middle = column.least() + (column.greatest() - column.least()) / 2;
    const auto range = column.FindInOrder(column.least() + 1, middle);
    if (range.ok()) (void)column.DocsInOrder(range->begin, range->end);
    (void)column.FirstKeywordFrom("info");
  }
}

void ReadDocuments(const Segment& segment) {
  for (DocId doc = 0; doc < std::min<uint32_t>(segment.doc_count(), 500); ++doc) {
    (void)segment.doc_id(doc);
  }
  for (DocId doc = 0; doc < std::min<uint32_t>(segment.doc_count(), kMaxStored); ++doc) {
    (void)segment.StoredText(doc);
  }
}

Query OfKind(QueryKind kind, const KnownTerm& term) {
  Query query;
  query.kind = kind;
  query.field = term.field;
  query.text = term.text;
  return query;
}

Query Phrase(const KnownTerm& first, const KnownTerm& second, uint32_t slop) {
  Query query = OfKind(QueryKind::kPhrase, first);
  query.terms = {first.text, second.text};
  query.offsets = {0, 1};
  query.slop = slop;
  return query;
}

Query Both(Query first, Query second, Occur occur) {
  Query query;
  query.kind = QueryKind::kBoolean;
  query.clauses.push_back({Occur::kMust, std::make_unique<Query>(std::move(first))});
  query.clauses.push_back({occur, std::make_unique<Query>(std::move(second))});
  return query;
}

std::vector<Query> QueriesFor(const KnownTerm& a, const KnownTerm& b) {
  std::vector<Query> queries;
  for (const QueryKind kind : {QueryKind::kTerm, QueryKind::kPrefix, QueryKind::kFuzzy}) {
    queries.push_back(OfKind(kind, a));
  }
  queries.back().edits = 2;
  queries.push_back(OfKind(QueryKind::kPrefix, {a.field, a.text.substr(0, 1)}));
  queries.push_back(OfKind(QueryKind::kPrefix, {a.field, ""}));  // documents with the field
  queries.push_back(OfKind(QueryKind::kWildcard, {a.field, "*" + a.text.substr(0, 2) + "?*"}));
  queries.push_back(Phrase(a, b, 0));
  queries.push_back(Phrase(a, a, 3));
  queries.push_back(OfKind(QueryKind::kExists, a));
  queries.push_back(Phrase(a, {b.field, b.text.substr(0, 1)}, 0));
  queries.back().kind = QueryKind::kPhrasePrefix;
  queries.push_back(OfKind(QueryKind::kIds, a));
  queries.back().terms = {"1", "doc-1"};
  queries.push_back(Both(OfKind(QueryKind::kTerm, a), OfKind(QueryKind::kTerm, b), Occur::kShould));
  queries.back().kind = QueryKind::kDisjunctionMax;
  for (const Occur occur : {Occur::kMust, Occur::kShould, Occur::kMustNot, Occur::kFilter}) {
    queries.push_back(Both(OfKind(QueryKind::kTerm, a), OfKind(QueryKind::kTerm, b), occur));
  }
  queries.push_back(Both(OfKind(QueryKind::kAll, a), Phrase(b, a, 2), Occur::kShould));
  return queries;
}

void Search(const Snapshot& snapshot, const Query& query) {
  const auto binding = BindQuery(query, snapshot, SimilarityKind::kBm25);
  if (!binding.ok()) return;
  (void)SearchExhaustively(*binding, 0);
  for (const SimdLevel level : {SimdLevel::kScalar, BestQueryKernels().level}) {
    const QueryKernels& kernels = QueryKernelsOf(level);
    (void)PlanAndCount(*binding, kernels);
    if (!IsPruned(*binding)) continue;
    for (const size_t k : {1, 1000}) {
      PlanOptions options;
      options.k = k;
      const auto pruned = PlanAndSearch(*binding, options, kernels);
      if (!pruned.ok()) continue;
      for (const ScoredDoc& hit : pruned->docs) {
        (void)snapshot.segments()[0]->doc_id(static_cast<DocId>(hit.doc));
      }
    }
  }
  const auto found = SearchExhaustively(*binding, 3);
  if (!found.ok() || found->docs.empty()) return;
  (void)Explain(*binding, found->docs[0].doc);
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  LastStoredChunk last;
  (void)SnippetMarker(*binding).Mark(*snapshot.segments()[0],
                                     static_cast<DocId>(found->docs[0].doc), *analyzer, last);
}

}  // namespace

bool ExerciseHostileSegment(std::span<const std::byte> bytes) {
  auto file = std::make_unique<ExactFile>(bytes);
  if (bytes.size() >= kHeaderPageBytes) {
    const uint64_t length = bytes.size();
    std::memcpy(file->mutable_bytes().data() + offsetof(FileHeader, file_bytes), &length,
                sizeof(length));
  }
  ResealSegment(file->mutable_bytes());
  const auto segment = Segment::Open(std::move(file), "hostile", std::nullopt);
  if (!segment.ok()) return false;
  const std::vector<KnownTerm> terms = ReadTerms(**segment);
  ReadDocuments(**segment);
  ReadColumns(**segment);
  IndexSettings settings;
  settings.analyzer = AnalyzerKind::kStandard;
  settings.positions = (*segment)->has_positions();
  const auto snapshot = Snapshot::Of(settings, {*segment});
  for (size_t i = 0; i < terms.size(); i += 3) {
    for (const Query& query : QueriesFor(terms[i], terms[(i + 1) % terms.size()])) {
      Search(*snapshot, query);
    }
  }
  (void)VerifySegment(**segment, {.max_findings = 20});
  return true;
}

}  // namespace pmdex
