#include "engine/segment/segment_writer.h"

#include <random>
#include <string>

#include "gtest/gtest.h"

#include "engine/segment/segment.h"
#include "tests/support/segment_check.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace {

// One document per docid below doc_count, and fields that random postings can be added to.
class SegmentWriterTest : public testing::TestWithParam<VectorSegmentOptions> {
 protected:
  SegmentWriterTest() : directory_(NewDramDirectory("segment_writer_test")) {}

  void AddDocuments(VectorSegmentInput& input, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) input.AddDocument("doc-" + std::to_string(i));
  }
  VectorPosting Posting(DocId doc, uint32_t freq, uint32_t greatest_gap) {
    VectorPosting posting{doc, freq, {}};
    uint32_t position = 0;
    for (uint32_t i = 0; GetParam().positions && i < freq; ++i) {
      position += random_() % greatest_gap;
      posting.positions.push_back(position++);
    }
    return posting;
  }
  // df documents spread over the whole segment.
  void AddList(VectorSegmentInput& input, FieldId field, const std::string& term, uint32_t df,
               uint32_t greatest_freq, uint32_t greatest_gap) {
    const uint32_t stride = input.doc_count() / df;
    for (uint32_t i = 0; i < df; ++i) {
      const DocId doc = i * stride + static_cast<DocId>(random_() % stride);
      const auto freq = static_cast<uint32_t>(1 + random_() % greatest_freq);
      input.AddPosting(field, term, Posting(doc, freq, greatest_gap));
    }
  }

  std::mt19937_64 random_{7};
  std::unique_ptr<Directory> directory_;
};

TEST_P(SegmentWriterTest, KeepsListsOfEveryRepresentation) {
  VectorSegmentInput input(GetParam());
  const FieldId body = input.AddField("body");
  AddDocuments(input, 5000);
  for (const uint32_t df :
       {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 5000}) {
    const std::string name = std::to_string(df);
    AddList(input, body, "ones-" + name, df, 1, 40);
    AddList(input, body, "few-" + name, df, 5, 40);
    AddList(input, body, "escaped-" + name, df, 300, 3);
    AddList(input, body, "paged-" + name, df, 3, 200000);
  }
  input.Finish();
  const auto segment = WriteAndOpen(*directory_, 1, input);
  ASSERT_NE(segment, nullptr);
  ExpectSegmentHolds(*segment, input);
}

TEST_P(SegmentWriterTest, KeepsTermsOfEveryLengthInEveryField) {
  VectorSegmentInput input(GetParam());
  for (const char* name : {"title", "body", "überschrift"}) input.AddField(name);
  AddDocuments(input, 40);
  for (FieldId field = 0; field < 3; ++field) {
    for (size_t length = 1; length <= 255; ++length) {
      for (int copy = 0; copy < 4; ++copy) {
        std::string term(length, '\0');
        for (char& c : term) c = static_cast<char>(random_() % 4 + (copy == 0 ? 0xfc : 'a'));
        if (input.terms().contains({field, term})) continue;
        input.AddPosting(field, term, Posting(static_cast<DocId>(random_() % 40), 1, 9));
      }
    }
  }
  input.Finish();
  const auto segment = WriteAndOpen(*directory_, 0xabcdef, input);
  ASSERT_NE(segment, nullptr);
  ExpectSegmentHolds(*segment, input);
}

INSTANTIATE_TEST_SUITE_P(Contents, SegmentWriterTest,
                         testing::Values(VectorSegmentOptions{.positions = true},
                                         VectorSegmentOptions{.positions = false,
                                                              .stored_text = true}),
                         [](const auto& param_info) {
                           return param_info.param.positions ? "WithPositions" : "WithoutPositions";
                         });

}  // namespace
}  // namespace pmdex
