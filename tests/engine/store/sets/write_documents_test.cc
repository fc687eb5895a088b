#include "engine/store/sets/write_documents.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/store/store_verifier.h"
#include "tests/engine/store/sets/sets_test_support.h"

namespace pmdex {
namespace write_documents_test {

std::vector<std::string> IdsIn(const Snapshot& snapshot) {
  return IdsOf(DivideDocuments(snapshot, 1).value()[0]);
}

TEST(WriteDocuments, MakesAnIndexOfWhatWasChosen) {
  std::mt19937 random(1);
  for (const uint64_t most_merged_bytes : {uint64_t{0}, uint64_t{20'000}, uint64_t{1} << 30}) {
    const SetsTestIndex a(random, 60);
    const SetsTestIndex b(random, 60);
    const auto chosen = ChooseDocuments(SetOperation::kUnion, a.snapshot(), b.snapshot()).value();
    const auto directory = NewDramDirectory("out");
    const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).value();
    ASSERT_TRUE(WriteDocuments(chosen, {most_merged_bytes, {}}, *writer).ok());
    ASSERT_TRUE(writer->Publish().ok());
    const auto written = Snapshot::Open(*directory).value();
    EXPECT_EQ(IdsIn(*written), IdsOf(chosen));
    if (most_merged_bytes == 0) {
      EXPECT_EQ(written->segments().size(), chosen.size());
    }
    if (most_merged_bytes > 20'000) {
      EXPECT_EQ(written->segments().size(), 1u);
    }
  }
}

TEST(WriteDocuments, WritesNothingWithoutDocuments) {
  const auto directory = NewDramDirectory("out");
  const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).value();
  ASSERT_TRUE(WriteDocuments({}, {}, *writer).ok());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(Snapshot::Open(*directory).value()->doc_count(), 0u);
}

TEST(JoinFields, TakesTheFieldsOfBothAndRefusesTwoTypes) {
  const FieldSpec number{FieldType::kI64, Multiplicity::kOpen};
  const FieldSpec numbers{FieldType::kI64, Multiplicity::kMany};
  const FieldSpec one{FieldType::kI64, Multiplicity::kOne};
  const FieldSpec text{FieldType::kText, Multiplicity::kOpen};
  const auto joined =
      JoinFields({{"a", number}, {"b", one}}, {{"a", numbers}, {"b", number}, {"c", text}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(*joined, (FieldSpecs{{"a", numbers}, {"b", number}, {"c", text}}));
  const auto refused = JoinFields({{"a", number}}, {{"a", text}});
  EXPECT_EQ(refused.status().message(), "the field a is i64 in one index and text in the other");
}

TEST(WriteDocuments, LeavesNothingBehindWhenItIsStopped) {
  std::mt19937 random(1);
  const SetsTestIndex a(random, 60);
  const auto directory = NewDramDirectory("out");
  {
    const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).value();
    const auto chosen = DivideDocuments(a.snapshot(), 1).value()[0];
    const absl::Status status =
        WriteDocuments(chosen, {uint64_t{1} << 30, [] { return true; }}, *writer);
    EXPECT_TRUE(absl::IsCancelled(status)) << status;
  }
  EXPECT_TRUE(FileNames(*directory).empty());
}

}  // namespace write_documents_test
}  // namespace pmdex
