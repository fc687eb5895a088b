#include "engine/segment/dictionary/term_dictionary_writer.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace term_dictionary_writer_test {

class ListedTerms : public TermStream {
 public:
  explicit ListedTerms(std::vector<std::pair<FieldId, std::string>> terms)
      : terms_(std::move(terms)) {}
  bool Next() override { return at_++ < terms_.size(); }
  FieldId field() const override { return terms_[at_ - 1].first; }
  std::string_view term() const override { return terms_[at_ - 1].second; }
  uint32_t df() const override { return 2; }
  uint64_t cf() const override { return 3; }
  bool NextBlock(PostingBlock&) override { return false; }

 private:
  std::vector<std::pair<FieldId, std::string>> terms_;
  size_t at_ = 0;
};

// All of them as frequent terms, their entries to be set later.
absl::Status AddAll(TermDictionaryWriter& writer, ListedTerms terms) {
  while (terms.Next()) {
    DictionaryEntry entry{};
    PMDEX_RETURN_IF_ERROR(writer.AddTerm(terms, entry));
  }
  return absl::OkStatus();
}

DictionaryEntry Lanes() {
  DictionaryEntry entry{};
  entry.representation = Representation::kLanes;
  entry.df = 2;
  entry.cf = 3;
  return entry;
}

// A rare term of two documents. position_start: of its three positions.
DictionaryEntry Rare(uint64_t position_start = 0) {
  DictionaryEntry entry = Lanes();
  entry.representation = Representation::kInline;
  entry.inlined.docids[1] = 1;
  entry.inlined.freqs[0] = 1;
  entry.inlined.freqs[1] = 2;
  entry.inlined.position_start = position_start;
  return entry;
}

absl::Status WriteEntries(TermDictionaryWriter& writer, ListedTerms terms, SectionStream& entries) {
  while (terms.Next()) {
    DictionaryEntry entry = Lanes();
    PMDEX_RETURN_IF_ERROR(writer.SetEntry(terms, entry));
  }
  return writer.WriteEntries(entries);
}

TEST(TermDictionaryWriter, RefusesTermsOutOfOrder) {
  const std::vector<std::vector<std::pair<FieldId, std::string>>> wrong = {
      {{0, "b"}, {0, "a"}},         {{0, "a"}, {0, "a"}},
      {{1, "a"}, {0, "b"}},         {{0, ""}},
      {{0, std::string(256, 'x')}}, {{2, "a"}}};
  for (const auto& terms : wrong) {
    TermDictionaryWriter writer(1, 2, 10, true);
    EXPECT_EQ(AddAll(writer, ListedTerms(terms)).code(), absl::StatusCode::kInternal);
  }
}

TEST(TermDictionaryWriter, CountsBlocksByField) {
  std::vector<std::pair<FieldId, std::string>> terms;
  for (const FieldId field : {FieldId{0}, FieldId{2}}) {
    for (int i = 100; i < 165; ++i) terms.emplace_back(field, std::to_string(i));
  }
  TermDictionaryWriter writer(1, 3, 10, true);
  ASSERT_TRUE(AddAll(writer, ListedTerms(terms)).ok());
  ASSERT_TRUE(writer.AssignBuckets().ok());
  EXPECT_EQ(writer.term_count(), 130u);
  EXPECT_EQ(writer.fields()[0].block_count, (65 + kTermsPerBlock - 1) / kTermsPerBlock);
  EXPECT_EQ(writer.fields()[1].block_count, 0u);
  EXPECT_EQ(writer.fields()[2].first_block, writer.fields()[0].block_count);
  EXPECT_EQ(writer.fields()[0].blocks_begin, 0u);
  EXPECT_EQ(writer.fields()[2].blocks_begin, writer.fields()[0].blocks_bytes);
  EXPECT_EQ(writer.fields()[2].blocks_begin + writer.fields()[2].blocks_bytes,
            writer.term_blocks_bytes());
  EXPECT_EQ(writer.fields()[2].term_count, 65u);
  EXPECT_EQ(writer.fields()[2].posting_count, 130u);
  EXPECT_EQ(writer.block_starts_bytes(),
            (2 * writer.fields()[0].block_count + 1) * sizeof(uint64_t));
  EXPECT_NEAR(writer.home_bucket_count(), 195, 1);
  EXPECT_EQ(writer.entries_bytes() % sizeof(DictionaryEntry), 0u);
}

TEST(TermDictionaryWriter, NoticesWhenALaterPassDiffers) {
  const auto directory = NewDramDirectory("term_dictionary_writer_test");
  const auto file = directory->Create("file", 1 << 20).value();
  const std::string l(17, 'l');
  for (const auto& other : std::vector<std::vector<std::pair<FieldId, std::string>>>{
           {{0, "a"}},
           {{0, "a"}, {0, std::string(17, 'b')}, {0, l}},
           {{0, "a"}, {0, "c"}, {0, l}},
           {{0, "a"}, {1, "b"}, {0, l}},
           {{0, "a"}, {0, "b"}, {0, std::string(17, 'm')}},
           {{0, "a"}, {0, "b"}, {0, std::string(256 + 17, 'l')}},
           {{0, "a"}, {0, "b"}, {0, l}, {0, "m"}}}) {
    SCOPED_TRACE(other.back().second);
    TermDictionaryWriter writer(1, 2, 10, true);
    ASSERT_TRUE(AddAll(writer, ListedTerms({{0, "a"}, {0, "b"}, {0, l}})).ok());
    ASSERT_TRUE(writer.AssignBuckets().ok());
    SectionStream entries(*file, SectionKind::kDictionaryEntries, 0, 4096);
    EXPECT_EQ(WriteEntries(writer, ListedTerms(other), entries).code(),
              absl::StatusCode::kInternal);
  }
}

TEST(TermDictionaryWriter, RefusesPostingsThatNoPlaceNames) {
  for (const uint64_t offset : {kMaxPostingsBytes, kMaxPostingsBytes - kExtentUnit}) {
    ListedTerms terms({{0, "a"}});
    TermDictionaryWriter writer(1, 1, 10, true);
    ASSERT_TRUE(AddAll(writer, terms).ok());
    ASSERT_TRUE(writer.AssignBuckets().ok());
    ASSERT_TRUE(terms.Next());
    DictionaryEntry entry = Lanes();
    entry.lanes.postings_offset = offset;
    EXPECT_EQ(writer.SetEntry(terms, entry).ok(), offset < kMaxPostingsBytes);
  }
}

TEST(TermDictionaryWriter, KnowsWhichTermsAreOpen) {
  const auto directory = NewDramDirectory("term_dictionary_writer_test");
  const auto file = directory->Create("file", 1 << 20).value();
  TermDictionaryWriter writer(1, 1, 10, true);
  ListedTerms terms({{0, "a"}, {0, "b"}, {0, "c"}, {0, "d"}});
  for (int i = 0; terms.Next(); ++i) {
    DictionaryEntry entry = i == 1 ? DictionaryEntry{} : Rare();
    if (i != 3 && i != 1) entry.representation = Representation::kInlineWithPositions;
    ASSERT_TRUE(writer.AddTerm(terms, entry).ok());
  }
  ASSERT_TRUE(writer.AssignBuckets().ok());
  EXPECT_EQ(writer.term_count(), 4u);
  EXPECT_EQ(writer.rare_slots_bytes(), 64u);
  ASSERT_EQ(writer.open_terms().size(), 2u);
  EXPECT_EQ(writer.open_terms()[0], 1u);
  EXPECT_EQ(writer.open_terms()[1], 3u) << "its positions are elsewhere";
  SectionStream entries(*file, SectionKind::kDictionaryEntries, 0, 4096);
  EXPECT_EQ(writer.WriteEntries(entries).code(), absl::StatusCode::kInternal) << "b has none";
  ListedTerms second({{0, "b"}, {0, "d"}});
  ASSERT_TRUE(second.Next());
  DictionaryEntry entry = Lanes();
  ASSERT_TRUE(writer.SetEntry(second, entry).ok());
  ASSERT_TRUE(second.Next());
  entry = Rare(77);
  ASSERT_TRUE(writer.SetEntry(second, entry).ok());
  EXPECT_FALSE(writer.SetEntry(second, entry).ok()) << "no other is open";
  EXPECT_TRUE(writer.WriteEntries(entries).ok());
  EXPECT_EQ(entries.size_bytes(), writer.entries_bytes());
}

TEST(TermDictionaryWriter, NoticesWhenARareTermIsAnotherListLater) {
  const std::vector<DictionaryEntry> others = [] {
    std::vector<DictionaryEntry> entries(4, Rare());
    entries[0] = Lanes();
    entries[1].representation = Representation::kInlineWithPositions;
    entries[2].df = 1;
    entries[3].inlined.position_start = uint64_t{1} << 40;
    return entries;
  }();
  for (DictionaryEntry other : others) {
    TermDictionaryWriter writer(1, 1, 10, true);
    ListedTerms terms({{0, "a"}});
    ASSERT_TRUE(terms.Next());
    DictionaryEntry entry = Rare();
    ASSERT_TRUE(writer.AddTerm(terms, entry).ok());
    ASSERT_TRUE(writer.AssignBuckets().ok());
    EXPECT_FALSE(writer.SetEntry(terms, other).ok());
  }
}

TEST(TermDictionaryWriter, KeepsOneEmptyBucketWithoutTerms) {
  TermDictionaryWriter writer(1, 0, 0, true);
  ASSERT_TRUE(writer.AssignBuckets().ok());
  EXPECT_EQ(writer.home_bucket_count(), 1u);
  EXPECT_EQ(writer.entries_bytes(), 2 * sizeof(DictionaryEntry));
  EXPECT_EQ(writer.rare_bucket_count(), 1u);
  EXPECT_EQ(writer.rare_slots_bytes(), kRareSlotsPerBucket * sizeof(RareTermSlot));
}

}  // namespace term_dictionary_writer_test
}  // namespace pmdex
