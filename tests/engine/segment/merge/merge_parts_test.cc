// The parts of a merge alone. merge_input_test.cc tests them together.
#include <algorithm>
#include <memory>

#include "gtest/gtest.h"

#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/merge/merged_fields.h"
#include "engine/segment/merge/merged_stored_text.h"
#include "engine/segment/merge/merged_terms.h"
#include "engine/segment/merge/source_postings.h"
#include "engine/segment/merge/stored_documents.h"
#include "tests/engine/segment/merge/merge_model.h"

namespace pmdex {
namespace merge_parts_test {

// Two segments of three documents each: a b c and d e f, of which b, d and e are deleted.
struct TwoSegments {
  TwoSegments() {
    for (const char* const id : {"a", "b", "c", "d", "e", "f"}) {
      ModelDocument& doc = docs.emplace_back();
      doc.id = id;
      doc.terms[{"body", "all"}] = {0, 5};
      doc.terms[{"body", std::string("only-") + id}] = {7};
      doc.stored = {{"body", std::string("text of ") + id}};
    }
    const ModelDocument* const first[] = {&docs[0], &docs[1], &docs[2]};
    const ModelDocument* const second[] = {&docs[3], &docs[4], &docs[5]};
    const ModelOptions options{.stored_text = true};
    segments = {WriteModel(first, {"body"}, options), WriteModel(second, {"tag", "body"}, options)};
    const DocId b[] = {1};
    const DocId d_and_e[] = {0, 1};
    live_docs = {LiveDocs::Without(3, b), LiveDocs::Without(3, d_and_e)};
    sources = {{segments[0].get(), &live_docs[0]}, {segments[1].get(), &live_docs[1]}};
    whole = {{segments[0].get(), nullptr}, {segments[1].get(), nullptr}};
  }

  std::vector<ModelDocument> docs;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<LiveDocs> live_docs;
  std::vector<MergeSource> sources;
  std::vector<MergeSource> whole;  // with all documents live
};

std::string IdsOf(const MergedDocs& docs, const std::vector<MergeSource>& sources) {
  std::string ids;
  MergedDocs::Place place;
  for (DocId doc = 0; doc < docs.count(); ++doc) {
    place = docs.PlaceOf(doc, place);
    EXPECT_EQ(docs.New(place.source, place.doc), doc);
    ids += sources[place.source].segment->doc_id(place.doc).value();
  }
  return ids;
}

TEST(MergedDocs, MapsDocidsInBothDirections) {
  const TwoSegments two;
  const MergedDocs whole = MergedDocs::Concatenate(two.whole).value();
  EXPECT_EQ(IdsOf(whole, two.whole), "abcdef");
  EXPECT_EQ(whole.shift(1), 3u);
  const MergedDocs live = MergedDocs::Concatenate(two.sources).value();
  EXPECT_EQ(IdsOf(live, two.sources), "acf");
  EXPECT_FALSE(live.shift(0).has_value());
  EXPECT_TRUE(live.has_deleted(0));
  EXPECT_EQ(live.New(1, 1), MergedDocs::kDeleted);
  const MergedDocs permuted = MergedDocs::Permute(two.sources, std::vector<DocId>{2, 0, 1}).value();
  EXPECT_EQ(IdsOf(permuted, two.sources), "fac");
  EXPECT_TRUE(permuted.is_permuted());
}

TEST(MergedDocs, FindsPlacesInAnyOrder) {
  const TwoSegments two;
  const MergedDocs docs = MergedDocs::Concatenate(two.sources).value();
  MergedDocs::Place place;
  for (const DocId doc : {2u, 0u, 1u, 1u, 0u, 2u}) {
    place = docs.PlaceOf(doc, place);
    EXPECT_EQ(docs.New(place.source, place.doc), doc);
  }
}

TEST(MergedFields, NumbersNamesInTheOrderInWhichTheyCome) {
  const TwoSegments two;
  const MergedFields fields(two.whole);
  ASSERT_EQ(fields.names().size(), 2u);
  EXPECT_EQ(fields.names()[0], "body");
  EXPECT_EQ(fields.names()[1], "tag");
  EXPECT_EQ(fields.New(1, 0), 1);
  EXPECT_EQ(fields.New(1, 1), 0);
  EXPECT_EQ(fields.Of(1, 0), FieldId{1});
  EXPECT_EQ(fields.Of(0, 1), std::nullopt);
  EXPECT_TRUE(fields.IsUnchanged(0));
  EXPECT_FALSE(fields.IsUnchanged(1));
}

TEST(SourcePostings, ReadsTheLivePostingsOfOneList) {
  const TwoSegments two;
  const MergedDocs docs = MergedDocs::Concatenate(two.sources).value();
  SourcePostings postings(*two.segments[0], docs, 0);
  const DictionaryEntry entry = two.segments[0]->Find(0, "all").value().value();
  const auto counts = postings.Count(entry).value();
  EXPECT_EQ(counts.df, 2u);
  EXPECT_EQ(counts.cf, 4u);
  ASSERT_TRUE(postings.Open(entry).ok());
  PostingBlock block;
  ASSERT_TRUE(postings.Fill(block).ok());
  EXPECT_TRUE(postings.at_end());
  ASSERT_EQ(block.count, 2u);
  EXPECT_EQ(block.docids[1], 1u);
  EXPECT_EQ(
      std::vector<uint16_t>(block.positions.entries().begin(), block.positions.entries().end()),
      (std::vector<uint16_t>{0, 5, 0, 5}));
}

TEST(MergedTerms, GoesThroughAllTermsWithLivePostings) {
  const TwoSegments two;
  const MergedDocs docs = MergedDocs::Concatenate(two.sources).value();
  const MergedFields fields(two.sources);
  MergeStatus status;
  const std::function<bool()> stop;
  const auto read = [&](std::optional<std::span<const uint32_t>> numbers) {
    MergedTerms terms(two.sources, docs, fields, numbers, stop, {}, status);
    std::string found;
    while (terms.Next())
      found += std::string(terms.term()) + ":" + std::to_string(terms.df()) + " ";
    return found;
  };
  EXPECT_EQ(read(std::nullopt), "all:3 only-a:1 only-c:1 only-f:1 ");
  const std::vector<uint32_t> numbers = {0, 3};
  EXPECT_EQ(read(numbers), "all:3 only-f:1 ");
  EXPECT_TRUE(status.ok());
}

TEST(StoredDocuments, ReadsTheValuesOfADocument) {
  const TwoSegments two;
  StoredDocuments documents(two.sources);
  for (const size_t source : {1u, 0u, 1u}) {
    const auto values = documents.Read(source, 2).value();
    ASSERT_EQ(values.size(), 2u);
    EXPECT_EQ(values[0].first, source == 0 ? 0 : 1);
    EXPECT_EQ(values[0].second, source == 0 ? "text of c" : "text of f");
    EXPECT_EQ(values[1].first, kOriginalRecordField);
  }
  EXPECT_FALSE(documents.Read(0, 3).ok());
  EXPECT_EQ(StoredDocuments::TableOf(*two.segments[0])->size(), 2u);
}

TEST(MergedStoredText, CompressesShortChunksOfSeveralSourcesTogether) {
  const TwoSegments two;
  const MergedDocs docs = MergedDocs::Concatenate(two.sources).value();
  const MergedFields fields(two.sources);
  MergedStoredText text(two.sources, docs, fields);
  ASSERT_TRUE(text.Plan().ok());
  ASSERT_EQ(text.chunk_count(), 1u);
  EXPECT_EQ(text.chunk(0).first_doc, 0u);
  const auto bytes = text.ChunkBytes(0);
  ASSERT_TRUE(bytes.ok());
  EXPECT_LE(bytes->size(), text.bytes());
}

}  // namespace merge_parts_test
}  // namespace pmdex
