#include "engine/segment/segment_writer.h"

#include <memory>
#include <random>
#include <span>
#include <string>

#include "gtest/gtest.h"

#include "engine/segment/segment.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/effort.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace segment_writer_test {

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
  AddDocuments(input, 20'000);  // bitsets from df 673 on
  for (const uint32_t df : {1,  2,  3,  4,   5,   8,   9,   15,  16,  17,  32,  33,
                            63, 64, 65, 255, 256, 257, 511, 512, 513, 672, 673, 20'000}) {
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
  EXPECT_TRUE(VerifySegment(*segment).empty());
}

TEST_P(SegmentWriterTest, MakesListsBitsetsWhereThatTakesNoMoreRoom) {
  // The least df of a bitset: rounded to 64 B, its docids take what the bits and ranks do.
  const struct {
    uint32_t doc_count;
    uint32_t least_df;
  } borders[] = {{257, 257},    {512, 257},    {513, 257},    {7679, 257},
                 {7680, 257},   {7681, 273},   {8192, 273},   {8193, 289},
                 {15'872, 513}, {15'873, 545}, {16'384, 545}, {16'385, 561}};
  for (const auto& [doc_count, least_df] : borders) {
    SCOPED_TRACE(doc_count);
    if (kIsSanitized && doc_count > 1000) break;
    VectorSegmentInput input(GetParam());
    const FieldId body = input.AddField("body");
    AddDocuments(input, doc_count);
    AddList(input, body, "lanes", least_df - 1, 3, 40);
    AddList(input, body, "bits", least_df, 3, 40);
    AddList(input, body, "escapes", least_df, 300, 3);
    AddList(input, body, "all", doc_count, 2, 40);
    input.Finish();
    const auto segment = WriteAndOpen(*directory_, doc_count, input);
    ASSERT_NE(segment, nullptr);
    ExpectSegmentHolds(*segment, input);
    EXPECT_TRUE(VerifySegment(*segment).empty());
    const auto representation = [&](std::string_view term) {
      return segment->Find(body, term).value()->representation;
    };
    EXPECT_EQ(representation("lanes"), Representation::kLanes);
    EXPECT_EQ(representation("bits"), Representation::kBitset);
    EXPECT_EQ(representation("escapes"), Representation::kBitset);
    EXPECT_EQ(representation("all"), Representation::kBitset);
  }
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
  EXPECT_TRUE(VerifySegment(*segment).empty());
}

TEST_P(SegmentWriterTest, KeepsALongListAndLongDocuments) {
  VectorSegmentInput input(GetParam());
  const FieldId body = input.AddField("body");
  constexpr uint32_t kDocs = kIsSanitized ? 10'000 : 100'000;
  AddDocuments(input, kDocs);
  AddList(input, body, "everywhere", kDocs, 2, 20);
  input.AddPosting(body, "million", Posting(77, 1'000'000, 3));  // tokens enough to count pages
  for (int i = 0; i < 50; ++i) {
    input.AddPosting(body, "far-" + std::to_string(i), Posting(77, 4, 400'000));
  }
  input.Finish();
  const auto segment = WriteAndOpen(*directory_, 1, input);
  ASSERT_NE(segment, nullptr);
  ExpectSegmentHolds(*segment, input);
  EXPECT_TRUE(VerifySegment(*segment).empty());
}

TEST_P(SegmentWriterTest, WritesSegmentsOfNothing) {
  VectorSegmentInput nothing(GetParam());
  nothing.Finish();
  const auto empty = WriteAndOpen(*directory_, 1, nothing);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->doc_count(), 0u);
  EXPECT_FALSE(empty->Find(0, "term").value().has_value());
  EXPECT_TRUE(VerifySegment(*empty).empty());

  VectorSegmentInput silent(GetParam());
  silent.AddField("body");
  AddDocuments(silent, 3);  // documents without a word
  silent.Finish();
  const auto segment = WriteAndOpen(*directory_, 2, silent);
  ASSERT_NE(segment, nullptr);
  ExpectSegmentHolds(*segment, silent);
  EXPECT_TRUE(VerifySegment(*segment).empty());
}

INSTANTIATE_TEST_SUITE_P(Contents, SegmentWriterTest,
                         testing::Values(VectorSegmentOptions{.positions = true},
                                         VectorSegmentOptions{.positions = false,
                                                              .stored_text = true}),
                         [](const auto& param_info) {
                           return param_info.param.positions ? "WithPositions" : "WithoutPositions";
                         });

TEST(WriteSegment, DrainsTwiceAndFlushesTheHeaderPageOnly) {
  const auto directory = NewDramDirectory("segment_writer_test");
  const auto input = MakeSmallInput({.positions = true, .stored_text = true});
  const SegmentFileInfo info = WriteSegment(*directory, 0x1f, *input).value();
  EXPECT_EQ(info.file_name, "segment-000000000000001f.pmdex");
  EXPECT_EQ(info.persist.drains, 2u);
  EXPECT_EQ(info.persist.flushes, 1u);
  EXPECT_EQ(info.persist.flushed_bytes, kHeaderPageBytes);
  // Sections leave by whole lines, once: all of the file but the header page.
  EXPECT_EQ(info.persist.copied_bytes, info.file_bytes - kHeaderPageBytes);
  EXPECT_EQ(info.doc_count, 301u);
  EXPECT_EQ(info.term_count, input->terms().size());
  const auto list = directory->List().value();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].name, info.file_name);
  EXPECT_EQ(list[0].size_bytes, info.file_bytes);
}

TEST(WriteSegment, WritesTheSameBytesEachTime) {
  const auto input = MakeSmallInput({.positions = true});
  EXPECT_EQ(SegmentBytes(*input).bytes(), SegmentBytes(*input).bytes());
}

// Does not keep to what it is asked for in the second pass.
class WholeInput : public VectorSegmentInput {
 public:
  using VectorSegmentInput::VectorSegmentInput;
  std::unique_ptr<TermStream> OpenSomeTerms(std::span<const uint32_t>) override {
    return OpenTerms();
  }
};

TEST(WriteSegment, NoticesMoreTermsThanItAskedFor) {
  const auto directory = NewDramDirectory("segment_writer_test");
  WholeInput input({.positions = false});
  const FieldId body = input.AddField("body");
  for (uint32_t doc = 0; doc < 10; ++doc) {
    input.AddPosting(body, "in all", {input.AddDocument(std::to_string(doc)), 1, {}});
  }
  input.AddPosting(body, "in one", {3, 1, {}});  // its entry is known when the second pass begins
  input.Finish();
  const auto info = WriteSegment(*directory, 1, input);
  EXPECT_EQ(info.status().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(directory->List()->empty());
}

// Passes calls on; the one that is counted out fails.
struct Fault {
  int calls_left = 0;
  int syncs = 0;
  bool Fails() { return calls_left-- == 0; }
  absl::Status status() const { return MakeStatus(absl::StatusCode::kResourceExhausted, "full"); }
};

class FaultyFile : public WritableFile {
 public:
  FaultyFile(std::unique_ptr<WritableFile> file, Fault& fault)
      : file_(std::move(file)), fault_(fault) {}
  uint64_t capacity_bytes() const override { return file_->capacity_bytes(); }
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    file_->CopyNonTemporal(offset, bytes);
  }
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    file_->StoreAndFlush(offset, bytes);
  }
  absl::Status Drain() override { return fault_.Fails() ? fault_.status() : file_->Drain(); }
  absl::Status Seal(uint64_t length_bytes) override {
    return fault_.Fails() ? fault_.status() : file_->Seal(length_bytes);
  }
  const PersistCounters& counters() const override { return file_->counters(); }

 private:
  std::unique_ptr<WritableFile> file_;
  Fault& fault_;
};

class FaultyDirectory : public Directory {
 public:
  FaultyDirectory(Directory& directory, Fault& fault) : directory_(directory), fault_(fault) {}
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (fault_.Fails()) return fault_.status();
    PMDEX_ASSIGN_OR_RETURN(auto file, directory_.Create(name, capacity_bytes));
    return std::make_unique<FaultyFile>(std::move(file), fault_);
  }
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    return directory_.Open(name);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    return fault_.Fails() ? fault_.status() : directory_.Rename(from, to);
  }
  absl::Status Remove(std::string_view name) override { return directory_.Remove(name); }
  absl::Status Sync() override {
    ++fault_.syncs;
    return directory_.Sync();
  }
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override { return directory_.List(); }
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override {
    return directory_.Lock(name);
  }
  StoreGranularity granularity() const override { return directory_.granularity(); }
  absl::StatusOr<uint64_t> FreeBytes() const override { return directory_.FreeBytes(); }
  const std::string& path() const override { return directory_.path(); }

 private:
  Directory& directory_;
  Fault& fault_;
};

TEST(WriteSegment, LeavesNothingBehindWhicheverStepFails) {
  const auto input = MakeSmallInput({.positions = true});
  int steps = 0;
  for (;; ++steps) {
    const auto directory = NewDramDirectory("segment_writer_test");
    Fault fault{.calls_left = steps};
    FaultyDirectory faulty(*directory, fault);
    const auto info = WriteSegment(faulty, 1, *input);
    EXPECT_EQ(fault.syncs, 0);  // the publisher's business
    if (info.ok()) break;
    EXPECT_EQ(info.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_TRUE(directory->List()->empty()) << "step " << steps;
  }
  EXPECT_EQ(steps, 5);  // create, two drains, seal, rename
}

}  // namespace segment_writer_test
}  // namespace pmdex
