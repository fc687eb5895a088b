#include "engine/segment/postings/posting_writer.h"

#include <bit>
#include <functional>

#include "gtest/gtest.h"

#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace posting_writer_test {

// A stream of one term whose blocks a test can spoil.
class OneListStream : public TermStream {
 public:
  uint32_t df_value = 3;
  uint64_t cf_value = 6;
  std::vector<PostingBlock> blocks;

  OneListStream() {
    PostingBlock block;
    block.count = 3;
    for (uint32_t i = 0; i < 3; ++i) {
      block.docids[i] = 10 * i;
      block.freqs[i] = 2;
      block.positions.Append(std::vector<uint32_t>{i, i + 7});
    }
    blocks.push_back(block);
  }
  void SetPositions(const std::vector<uint32_t>& positions) {
    blocks[0].positions.Clear();
    blocks[0].positions.Append(positions);
  }
  bool Next() override { return false; }
  FieldId field() const override { return 0; }
  std::string_view term() const override { return "term"; }
  uint32_t df() const override { return df_value; }
  uint64_t cf() const override { return cf_value; }
  bool NextBlock(PostingBlock& block) override {
    if (at_ == blocks.size()) return false;
    block = blocks[at_++];
    return true;
  }

 private:
  size_t at_ = 0;
};

absl::Status Write(OneListStream& terms, DictionaryEntry& entry, bool positions = true) {
  const auto directory = NewDramDirectory("posting_writer_test");
  const auto file = directory->Create("file", 1 << 20).value();
  SectionStream lanes(*file, SectionKind::kPostings, 0, 1 << 18);
  SectionStream entries(*file, SectionKind::kPositions, 1 << 18, 1 << 18);
  const std::vector<uint8_t> norms(100, 5);
  PostingWriter writer(lanes, positions ? &entries : nullptr, 100, 0, 0);
  return writer.WriteList(terms, norms, entry);
}

TEST(PostingWriter, PutsFewPostingsIntoTheEntry) {
  OneListStream terms;
  DictionaryEntry entry{};
  ASSERT_TRUE(Write(terms, entry).ok());
  EXPECT_EQ(entry.representation, Representation::kInline);  // six positions do not fit
  EXPECT_EQ(entry.df, 3u);
  EXPECT_EQ(entry.cf, 6u);
  EXPECT_EQ(entry.inlined.docids[2], 20u);
  EXPECT_EQ(entry.inlined.freqs[2], 2);
  EXPECT_EQ(entry.inlined.codes[2], 5);
}

TEST(PostingWriter, RefusesStreamsThatBreakTheirContract) {
  using Damage = void (*)(OneListStream&);
  const Damage damages[] = {
      [](OneListStream& s) { s.df_value = 0; },
      [](OneListStream& s) { s.df_value = 2; },
      [](OneListStream& s) { s.df_value = 4; },
      [](OneListStream& s) { s.df_value = 101; },
      [](OneListStream& s) { s.cf_value = 7; },
      [](OneListStream& s) { s.blocks.clear(); },
      [](OneListStream& s) { s.blocks.push_back(s.blocks[0]); },
      [](OneListStream& s) { s.blocks[0].count = kBlockPostings + 1; },
      [](OneListStream& s) { s.blocks[0].docids[1] = 0; },
      [](OneListStream& s) { s.blocks[0].docids[1] = 21; },
      [](OneListStream& s) { s.blocks[0].docids[2] = 100; },
      [](OneListStream& s) { s.blocks[0].docids[2] = 0xffffffff; },
      [](OneListStream& s) { s.blocks[0].freqs[0] = 0; },
      [](OneListStream& s) { s.blocks[0].freqs[0] = 0xffffffff; },
      [](OneListStream& s) {
        s.SetPositions({0, 7, 1, 8, 2});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 7, 1, 8, 2, 9, 99});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 0, 1, 8, 2, 9});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 7, 1, 8, 2, 1});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 70000, 1, 8, 2, 1});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 70000, 1, 8, 2});
      },
      [](OneListStream& s) {
        s.SetPositions({0, 7, 1, 8});
        s.blocks[0].positions.AppendEntries(std::vector<uint16_t>{2, kPositionPageMark});
      },
  };
  for (const Damage damage : damages) {
    OneListStream terms;
    damage(terms);
    DictionaryEntry entry{};
    EXPECT_EQ(Write(terms, entry).code(), absl::StatusCode::kInternal);
  }
}

TEST(PostingWriter, EscapesFrequenciesOf255) {
  for (const uint32_t freq : {254u, 255u, 1000000u}) {
    OneListStream terms;
    terms.blocks[0].freqs[1] = freq;
    terms.blocks[0].positions.Clear();
    terms.cf_value = 4 + freq;
    DictionaryEntry entry{};
    ASSERT_TRUE(Write(terms, entry, false).ok());
    EXPECT_EQ(entry.representation, freq < 255 ? Representation::kInline : Representation::kLanes);
    if (freq >= 255) {
      EXPECT_EQ(entry.lanes.overflow_start, 0u);
    }
  }
}

// To the byte: a reader that shares the writer's mistakes would find nothing.
TEST(PostingWriter, WritesBitsRanksFrequenciesAndCodesOfADenseList) {
  OneListStream terms;  // of 600 documents, every other one
  terms.df_value = 300;
  terms.cf_value = 900;
  terms.blocks.assign(2, PostingBlock());
  for (uint32_t i = 0; i < 300; ++i) {
    PostingBlock& block = terms.blocks[i / kBlockPostings];
    block.docids[block.count] = 2 * i;
    block.freqs[block.count++] = 3;
  }
  const auto directory = NewDramDirectory("posting_writer_test");
  const auto file = directory->Create("file", 1 << 20).value();
  SectionStream lanes(*file, SectionKind::kPostings, 0, 1 << 18);
  const std::vector<uint8_t> norms(600, 5);
  PostingWriter writer(lanes, nullptr, 600, 3, 300);
  DictionaryEntry entry{};
  ASSERT_TRUE(writer.WriteList(terms, norms, entry).ok());
  EXPECT_EQ(static_cast<int>(entry.representation), 4);
  EXPECT_EQ(entry.lanes.block_start, 1u);
  EXPECT_EQ(writer.block_last_docs()[0], 0u) << "where the best points are in the other section";
  EXPECT_EQ(writer.block_last_docs()[1], 510u);
  EXPECT_EQ(writer.block_last_docs()[2], 598u);
  const auto best = std::bit_cast<BestPoints>(writer.block_bounds()[0]);
  EXPECT_EQ(best.tf[2], 3);
  EXPECT_EQ(best.length_code[2], 5);
  EXPECT_EQ(best.tf[3], 0) << "there are no 1000 postings";
  EXPECT_EQ(lanes.size_bytes(), 128u + 64 + 320 + 320);
  lanes.Finish();
  ASSERT_TRUE(file->Seal(1024).ok());
  const auto written = directory->Open("file").value();
  const std::byte* bytes = written->bytes().data();
  const auto* words = reinterpret_cast<const uint64_t*>(bytes);
  for (size_t word = 0; word < 9; ++word) EXPECT_EQ(words[word], 0x5555555555555555u);
  EXPECT_EQ(words[9], 0x555555u);
  for (size_t word = 10; word < 16; ++word) EXPECT_EQ(words[word], 0u);
  const auto* ranks = reinterpret_cast<const uint32_t*>(bytes + 128);
  EXPECT_EQ(std::vector<uint32_t>(ranks, ranks + 4), (std::vector<uint32_t>{0, 256, 300, 0}));
  EXPECT_EQ(bytes[191], std::byte{0});
  EXPECT_EQ(bytes[192], std::byte{3});
  EXPECT_EQ(bytes[192 + 299], std::byte{3});
  EXPECT_EQ(bytes[192 + 300], std::byte{0});
  EXPECT_EQ(bytes[192 + 320], std::byte{5});
  EXPECT_EQ(bytes[192 + 320 + 299], std::byte{5});
}

}  // namespace posting_writer_test
}  // namespace pmdex
