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

// All of them, their entries to be set later.
absl::Status AddAll(TermDictionaryWriter& writer, ListedTerms terms) {
  while (terms.Next()) {
    DictionaryEntry entry{};
    PMDEX_RETURN_IF_ERROR(writer.AddTerm(terms, entry));
  }
  return absl::OkStatus();
}

absl::Status WriteEntries(TermDictionaryWriter& writer, ListedTerms terms, SectionStream& entries) {
  for (uint32_t number = 0; terms.Next(); ++number) {
    DictionaryEntry entry{};
    entry.representation = Representation::kInline;
    entry.df = terms.df();
    PMDEX_RETURN_IF_ERROR(writer.SetEntry(number, terms, entry));
  }
  return writer.WriteEntries(entries);
}

TEST(TermDictionaryWriter, RefusesTermsOutOfOrder) {
  const std::vector<std::vector<std::pair<FieldId, std::string>>> wrong = {
      {{0, "b"}, {0, "a"}},         {{0, "a"}, {0, "a"}},
      {{1, "a"}, {0, "b"}},         {{0, ""}},
      {{0, std::string(256, 'x')}}, {{2, "a"}}};
  for (const auto& terms : wrong) {
    TermDictionaryWriter writer(1, 2);
    EXPECT_EQ(AddAll(writer, ListedTerms(terms)).code(), absl::StatusCode::kInternal);
  }
}

TEST(TermDictionaryWriter, CountsBlocksByField) {
  std::vector<std::pair<FieldId, std::string>> terms;
  for (const FieldId field : {FieldId{0}, FieldId{2}}) {
    for (int i = 100; i < 165; ++i) terms.emplace_back(field, std::to_string(i));
  }
  TermDictionaryWriter writer(1, 3);
  ASSERT_TRUE(AddAll(writer, ListedTerms(terms)).ok());
  ASSERT_TRUE(writer.AssignBuckets().ok());
  EXPECT_EQ(writer.term_count(), 130u);
  EXPECT_EQ(writer.fields()[0].block_count, 3u);
  EXPECT_EQ(writer.fields()[1].block_count, 0u);
  EXPECT_EQ(writer.fields()[2].first_block, 3u);
  EXPECT_EQ(writer.fields()[2].term_count, 65u);
  EXPECT_EQ(writer.fields()[2].posting_count, 130u);
  EXPECT_EQ(writer.block_starts_bytes(), 7 * sizeof(uint64_t));
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
    TermDictionaryWriter writer(1, 2);
    ASSERT_TRUE(AddAll(writer, ListedTerms({{0, "a"}, {0, "b"}, {0, l}})).ok());
    ASSERT_TRUE(writer.AssignBuckets().ok());
    SectionStream entries(*file, SectionKind::kDictionaryEntries, 0, 4096);
    EXPECT_EQ(WriteEntries(writer, ListedTerms(other), entries).code(),
              absl::StatusCode::kInternal);
  }
}

TEST(TermDictionaryWriter, RefusesPostingsThatNoPlaceNames) {
  ListedTerms terms({{0, "a"}});
  TermDictionaryWriter writer(1, 1);
  ASSERT_TRUE(AddAll(writer, terms).ok());
  ASSERT_TRUE(writer.AssignBuckets().ok());
  ASSERT_TRUE(terms.Next());
  DictionaryEntry entry{};
  entry.representation = Representation::kLanes;
  entry.df = terms.df();
  entry.lanes.postings_offset = kMaxPostingsBytes;
  EXPECT_EQ(writer.SetEntry(0, terms, entry).code(), absl::StatusCode::kInvalidArgument);
  entry.lanes.postings_offset -= kExtentUnit;
  EXPECT_TRUE(writer.SetEntry(0, terms, entry).ok());
}

TEST(TermDictionaryWriter, KnowsWhichTermsHaveNoEntryYet) {
  const auto directory = NewDramDirectory("term_dictionary_writer_test");
  const auto file = directory->Create("file", 1 << 20).value();
  TermDictionaryWriter writer(1, 1);
  ListedTerms terms({{0, "a"}, {0, "b"}, {0, "c"}});
  for (int i = 0; terms.Next(); ++i) {
    DictionaryEntry entry{};
    if (i != 1) entry.representation = Representation::kInline;
    entry.df = i != 1 ? terms.df() : 0;
    ASSERT_TRUE(writer.AddTerm(terms, entry).ok());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(entry.key)), terms.term());
  }
  ASSERT_TRUE(writer.AssignBuckets().ok());
  ASSERT_EQ(writer.open_terms().size(), 1u);
  EXPECT_EQ(writer.open_terms()[0], 1u);
  SectionStream entries(*file, SectionKind::kDictionaryEntries, 0, 4096);
  EXPECT_EQ(writer.WriteEntries(entries).code(), absl::StatusCode::kInternal) << "b has none";
  ListedTerms second({{0, "b"}});
  ASSERT_TRUE(second.Next());
  DictionaryEntry entry{};
  entry.representation = Representation::kInline;
  entry.df = 2;
  EXPECT_FALSE(writer.SetEntry(0, second, entry).ok()) << "has one";
  ASSERT_TRUE(writer.SetEntry(1, second, entry).ok());
  EXPECT_TRUE(writer.WriteEntries(entries).ok());
  EXPECT_EQ(entries.size_bytes(), writer.entries_bytes());
}

TEST(TermDictionaryWriter, KeepsOneEmptyBucketWithoutTerms) {
  TermDictionaryWriter writer(1, 0);
  ASSERT_TRUE(writer.AssignBuckets().ok());
  EXPECT_EQ(writer.home_bucket_count(), 1u);
  EXPECT_EQ(writer.entries_bytes(), 2 * sizeof(DictionaryEntry));
}

}  // namespace term_dictionary_writer_test
}  // namespace pmdex
