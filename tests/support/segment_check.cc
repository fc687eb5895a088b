#include "tests/support/segment_check.h"

#include <cstring>

#include "gtest/gtest.h"

#include "engine/segment/documents/norms.h"
#include "engine/segment/segment_writer.h"

namespace pmdex {
namespace {

void ExpectListHolds(const Segment& segment, const PostingListView& list, FieldId field,
                     const std::vector<VectorPosting>& expected) {
  ASSERT_EQ(list.df, expected.size());
  const std::span<const uint8_t> norms = segment.norms(field).value();
  std::vector<uint32_t> positions;
  uint64_t cf = 0;
  for (uint32_t i = 0; i < list.df; ++i) {
    ASSERT_EQ(list.Doc(i), expected[i].doc);
    ASSERT_EQ(list.PostingOf(expected[i].doc), i);
    ASSERT_EQ(list.Freq(i), expected[i].freq);
    ASSERT_EQ(list.codes[i], norms[expected[i].doc]);
    const absl::Status status = list.ReadPositions(i, positions);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(positions, expected[i].positions) << "posting " << i;
    cf += expected[i].freq;
  }
  ASSERT_EQ(list.cf, cf);
  ASSERT_EQ(list.block_last_docs.size(),
            list.df > kBlockPostings ? (list.df + kBlockPostings - 1) / kBlockPostings : 0);
}

}  // namespace

bool IsSame(const DictionaryEntry& a, const DictionaryEntry& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

namespace {

void ExpectTermsHold(const Segment& segment, const VectorSegmentInput& input) {
  ASSERT_EQ(segment.term_count(), input.terms().size());
  auto expected = input.terms().begin();
  for (size_t field = 0; field < segment.fields().size(); ++field) {
    TermIterator terms(segment.dictionary(), static_cast<FieldId>(field));
    while (terms.Next()) {
      ASSERT_NE(expected, input.terms().end());
      ASSERT_EQ(expected->first.first, field);
      ASSERT_EQ(expected->first.second, terms.term());
      const auto entry = segment.Find(static_cast<FieldId>(field), terms.term()).value();
      ASSERT_TRUE(entry.has_value());
      ASSERT_TRUE(IsSame(*entry, terms.entry().value()));
      const absl::StatusOr<PostingListView> list = segment.Postings(*entry);
      ASSERT_TRUE(list.ok()) << list.status();
      SCOPED_TRACE("term " + std::string(terms.term()));
      ExpectListHolds(segment, *list, static_cast<FieldId>(field), expected->second);
      if (testing::Test::HasFatalFailure()) return;
      ++expected;
    }
    ASSERT_TRUE(terms.status().ok()) << terms.status();
  }
  ASSERT_EQ(expected, input.terms().end());
}

void ExpectDocumentsHold(const Segment& segment, const VectorSegmentInput& input) {
  for (DocId doc = 0; doc < input.doc_count(); ++doc) {
    const absl::StatusOr<std::string> id = segment.doc_id(doc);
    ASSERT_TRUE(id.ok()) << id.status();
    ASSERT_EQ(*id, input.doc_id(doc));
    for (size_t field = 0; field < input.fields().size(); ++field) {
      ASSERT_EQ(segment.norms(static_cast<FieldId>(field)).value()[doc],
                EncodeLength(input.length(static_cast<FieldId>(field), doc)));
    }
    const absl::StatusOr<std::vector<StoredValue>> stored = segment.StoredText(doc);
    ASSERT_TRUE(stored.ok()) << stored.status();
    if (!input.has_stored_text()) continue;
    ASSERT_EQ(stored->size(), input.stored(doc).size());
    for (size_t i = 0; i < stored->size(); ++i) {
      ASSERT_EQ((*stored)[i].field, input.stored(doc)[i].first);
      ASSERT_EQ((*stored)[i].text, input.stored(doc)[i].second);
    }
  }
}

}  // namespace

void ExpectSegmentHolds(const Segment& segment, const VectorSegmentInput& input) {
  ASSERT_EQ(segment.doc_count(), input.doc_count());
  ASSERT_EQ(segment.has_positions(), input.has_positions());
  ASSERT_EQ(segment.has_stored_text(), input.has_stored_text());
  ASSERT_EQ(segment.analyzer(), input.analyzer());
  ASSERT_EQ(segment.fields().size(), input.fields().size());
  for (size_t i = 0; i < input.fields().size(); ++i) {
    const FieldInfo& field = segment.fields()[i];
    ASSERT_EQ(field.name, input.fields()[i].name);
    ASSERT_EQ(field.doc_count, input.fields()[i].doc_count);
    ASSERT_EQ(field.token_count, input.fields()[i].token_count);
    ASSERT_EQ(segment.FindField(field.name), static_cast<FieldId>(i));
  }
  ExpectTermsHold(segment, input);
  if (testing::Test::HasFatalFailure()) return;
  ExpectDocumentsHold(segment, input);
}

std::shared_ptr<const Segment> WriteAndOpen(Directory& directory, uint64_t segment_id,
                                            SegmentInput& input) {
  const absl::StatusOr<SegmentFileInfo> info = WriteSegment(directory, segment_id, input);
  EXPECT_TRUE(info.ok()) << info.status();
  if (!info.ok()) return nullptr;
  absl::StatusOr<std::unique_ptr<ReadableFile>> file = directory.Open(info->file_name);
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok()) return nullptr;
  absl::StatusOr<std::shared_ptr<const Segment>> segment = Segment::Open(
      std::move(*file), info->file_name, SegmentExpectation{info->file_bytes, info->header_crc});
  EXPECT_TRUE(segment.ok()) << segment.status();
  return segment.ok() ? *segment : nullptr;
}

}  // namespace pmdex
