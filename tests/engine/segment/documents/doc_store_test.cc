#include "engine/segment/documents/doc_store.h"

#include <random>
#include <string>

#include "gtest/gtest.h"

#include "engine/segment/verify/verifier.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace doc_store_test {

std::unique_ptr<VectorSegmentInput> StoredInput(int doc_count) {
  auto input = std::make_unique<VectorSegmentInput>(
      VectorSegmentOptions{.positions = false, .stored_text = true});
  const FieldId title = input->AddField("title");
  const FieldId body = input->AddField("body");
  std::mt19937_64 random(13);
  for (int i = 0; i < doc_count; ++i) {
    const DocId doc = input->AddDocument(std::to_string(i));
    if (i % 5 == 4) continue;  // nothing stored
    input->AddStoredValue(doc, title, "title " + std::to_string(i));
    std::string text;
    const size_t size = i % 100 == 50 ? 300'000 : random() % 2000;
    while (text.size() < size) text += "word" + std::to_string(random() % 100) + " ";
    input->AddStoredValue(doc, body, text);
    input->AddStoredValue(doc, body, "");
  }
  input->Finish();
  return input;
}

TEST(DocStore, GivesBackEveryDocument) {
  const auto input = StoredInput(400);
  EXPECT_GT(input->stored_chunk_count(), 5u);
  SegmentBytes bytes(*input);
  const auto segment = bytes.Open().value();
  for (DocId doc = 0; doc < input->doc_count(); ++doc) {
    const auto values = segment->StoredText(doc);
    ASSERT_TRUE(values.ok()) << values.status();
    ASSERT_EQ(values->size(), input->stored(doc).size());
    for (size_t i = 0; i < values->size(); ++i) {
      ASSERT_EQ((*values)[i].field, input->stored(doc)[i].first);
      ASSERT_EQ((*values)[i].text, input->stored(doc)[i].second);
    }
  }
  EXPECT_FALSE(segment->StoredText(input->doc_count()).ok());
  EXPECT_FALSE(segment->StoredText(0xffffffff).ok());
}

TEST(DocStore, ReadsTheSameThroughTheChunkThatWasReadLast) {
  const auto input = StoredInput(400);
  SegmentBytes bytes(*input);
  SegmentBytes others(*StoredInput(300));
  const auto segment = bytes.Open().value();
  const auto other = others.Open().value();
  std::mt19937 random(1);
  LastStoredChunk last;
  DocId doc = 0;
  for (int i = 0; i < 3000; ++i) {
    doc = random() % 4 == 0 ? random() % 300 : (doc + 1) % 300;  // often in the same chunk
    const Segment& read = random() % 3 == 0 ? *other : *segment;
    const auto expected = read.StoredText(doc).value();
    const auto values = read.StoredText(doc, last).value();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t j = 0; j < values.size(); ++j) ASSERT_EQ(values[j].text, expected[j].text);
  }
}

TEST(DocStore, KeepsOriginalRecordsApartFromTheText) {
  VectorSegmentInput input({.positions = false, .stored_text = true});
  const FieldId title = input.AddField("title");
  for (int i = 0; i < 200; ++i) {
    const DocId doc = input.AddDocument(std::to_string(i));
    const std::string text(static_cast<size_t>(i) * 7, 'x');
    if (i % 3 != 0) input.AddStoredValue(doc, kOriginalRecordField, "{\"title\":\"" + text + "\"}");
    input.AddStoredValue(doc, title, text);
  }
  input.Finish();
  SegmentBytes bytes(input);
  const auto segment = bytes.Open().value();
  EXPECT_TRUE(VerifySegment(*segment, {}).empty());
  LastStoredChunk last;
  for (DocId doc = 0; doc < input.doc_count(); ++doc) {
    const std::string text(size_t{doc} * 7, 'x');
    ASSERT_EQ(segment->OriginalRecord(doc, last).value(), segment->OriginalRecord(doc).value());
    const auto values = segment->StoredText(doc).value();
    ASSERT_EQ(values.size(), 1u);
    ASSERT_EQ(values[0].text, text);
    const auto record = segment->OriginalRecord(doc).value();
    ASSERT_EQ(record.has_value(), doc % 3 != 0);
    ASSERT_EQ(record.value_or("{\"title\":\"" + text + "\"}"), "{\"title\":\"" + text + "\"}");
  }
}

TEST(DocStore, CutsChunksNearTheirTarget) {
  DocStoreBuilder builder;
  const std::string text(1000, 'x');
  const std::pair<FieldId, std::string_view> value{FieldId{0}, text};
  for (int i = 0; i < 100; ++i) builder.AddDocument({&value, 1});
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_EQ(builder.chunk_count(), 4u);  // 33 documents of 1010 bytes reach 32 KiB
  EXPECT_EQ(builder.chunk(0).first_doc, 0u);
  EXPECT_EQ(builder.chunk(1).first_doc, 33u);
  EXPECT_EQ(builder.chunk(1).raw_bytes, 33u * 1010);
  EXPECT_EQ(builder.chunk(1).offset, builder.chunk_bytes(0).size());
  EXPECT_LT(builder.chunk_bytes(0).size(), 500u);
}

TEST(DocStore, ReportsItsMemory) {
  DocStoreBuilder builder;
  std::mt19937_64 random(17);
  std::string text(1 << 20, ' ');
  for (char& c : text) c = static_cast<char>(random());  // does not shrink
  const std::pair<FieldId, std::string_view> value{FieldId{0}, text};
  for (int i = 0; i < 8; ++i) builder.AddDocument({&value, 1});
  EXPECT_GE(builder.memory_bytes(), size_t{8} << 20);
  EXPECT_LE(builder.memory_bytes(), size_t{13} << 20);
}

TEST(DocStore, RefusesChunkTablesThatLie) {
  const auto input = StoredInput(100);
  const SegmentBytes sound(*input);
  using Damage = void (*)(StoredChunk*);
  const Damage damages[] = {
      [](StoredChunk* table) { table[0].raw_bytes += 1; },
      [](StoredChunk* table) { table[0].raw_bytes = 0xffffffff; },
      [](StoredChunk* table) { table[0].offset = ~uint64_t{0}; },
      [](StoredChunk* table) { table[1].offset = ~uint64_t{0}; },
      [](StoredChunk* table) { table[1].offset = 0; },
      [](StoredChunk* table) { table[0].first_doc = 1; },
  };
  for (const Damage damage : damages) {
    SegmentBytes bytes = sound;
    damage(&bytes.at<StoredChunk>(SectionKind::kStoredChunks, 0));
    bytes.Reseal();
    const auto segment = bytes.Open().value();
    const auto values = segment->StoredText(0);
    ASSERT_FALSE(values.ok());
    EXPECT_EQ(values.status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(DocStore, NeverReadsOutsideADamagedFrame) {
  const auto input = StoredInput(60);
  const SegmentBytes sound(*input);
  std::mt19937_64 random(19);
  for (int round = 0; round < 200; ++round) {
    SegmentBytes bytes = sound;
    const auto frames = bytes.section(SectionKind::kStoredBytes);
    frames[random() % frames.size()] ^= static_cast<std::byte>(1 + random() % 255);
    bytes.Reseal();
    const auto segment = bytes.Open().value();
    bool failed = false;
    for (DocId doc = 0; doc < input->doc_count(); ++doc) {
      failed |= !segment->StoredText(doc).ok();
    }
    ASSERT_TRUE(failed);  // every frame carries a checksum of its own
  }
}

}  // namespace doc_store_test
}  // namespace pmdex
