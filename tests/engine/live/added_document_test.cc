#include "engine/live/added_document.h"

#include <gtest/gtest.h>

#include "engine/memtable/field_names.h"
#include "engine/segment/documents/doc_store.h"

namespace pmdex {
namespace added_document_test {

AddedDocumentPointer Document(const std::string& id) {
  return std::make_shared<const AddedDocument>(AddedDocument{id, {{"body", "text of " + id}}, ""});
}

TEST(AddedDocument, IsRefusedWhereNoSegmentCanHoldIt) {
  EXPECT_TRUE(CheckAddedDocument({"a", {{"body", ""}}, ""}).ok());
  EXPECT_TRUE(CheckAddedDocument({"a", {}, ""}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckAddedDocument({"", {{"body", "x"}}, ""})));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckAddedDocument({"a", {{"", "x"}}, ""})));
  const std::string longest(MemtableLimits::kMaxIdBytes, 'i');
  EXPECT_TRUE(CheckAddedDocument({longest, {}, ""}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckAddedDocument({longest + "i", {}, ""})));
}

TEST(AddedDocument, GivesFieldsTypesAndKeepsToThem) {
  FieldSpecs fields = {{"one", {FieldType::kI64, Multiplicity::kOne}}};
  const AddedValue n{"n", FieldType::kI64, 7, ""};
  const AddedValue one{"one", FieldType::kI64, 7, ""};
  const AddedValue tag{"tag", FieldType::kKeyword, 0, "x"};
  EXPECT_TRUE(AddFields({"a", {{"body", "x"}}, "", {n, tag, tag, one}}, fields).ok());
  EXPECT_EQ(fields, (FieldSpecs{{"body", {FieldType::kText, Multiplicity::kOpen}},
                                {"n", {FieldType::kI64, Multiplicity::kOpen}},
                                {"one", {FieldType::kI64, Multiplicity::kOne}},
                                {"tag", {FieldType::kKeyword, Multiplicity::kMany}}}));
  const FieldSpecs before = fields;
  EXPECT_FALSE(
      AddFields({"b", {{"n", "text"}}, "", {{"new", FieldType::kBool, 1, ""}}}, fields).ok());
  EXPECT_FALSE(AddFields({"b", {}, "", {{"body", FieldType::kBool, 1, ""}}}, fields).ok());
  EXPECT_FALSE(AddFields({"b", {}, "", {one, one}}, fields).ok());
  EXPECT_EQ(fields, before);
}

TEST(AddedDocument, IsRefusedWithATypedFieldThatHasNoPlace) {
  FieldSpecs fields;
  for (size_t i = 0; i + 1 < kMaxFields; ++i) fields["f" + std::to_string(i)] = FieldSpec();
  EXPECT_TRUE(AddFields({"a", {}, "", {{"last", FieldType::kI64, 1, ""}}}, fields).ok());
  ASSERT_EQ(fields.size(), kMaxFields);
  EXPECT_FALSE(AddFields({"b", {}, "", {{"beyond", FieldType::kI64, 1, ""}}}, fields).ok());
  EXPECT_TRUE(
      AddFields({"c", {{"text", "x"}}, "", {{"last", FieldType::kI64, 1, ""}}}, fields).ok());
  EXPECT_EQ(fields.size(), kMaxFields) << "text without a field of its own needs no place";
}

TEST(AddedDocument, IsRefusedWithAValueThatNoColumnTakes) {
  EXPECT_TRUE(CheckAddedDocument({"a", {}, "", {{"n", FieldType::kF64, 0, ""}}}).ok());
  EXPECT_FALSE(CheckAddedDocument({"a", {}, "", {{"", FieldType::kF64, 0, ""}}}).ok());
  EXPECT_FALSE(CheckAddedDocument({"a", {}, "", {{"n", FieldType::kText, 0, ""}}}).ok());
  AddedDocument many{"a", {}, "", {}};
  many.values.resize(kMaxStoredDocumentBytes / 44 + 1, {"n", FieldType::kBool, 1, ""});
  EXPECT_FALSE(CheckAddedDocument(many).ok());
  const std::string longer(kMaxKeywordBytes + 1, 'k');
  EXPECT_FALSE(CheckAddedDocument({"a", {}, "", {{"n", FieldType::kKeyword, 0, longer}}}).ok());
}

TEST(AddedDocuments, KeepTheirNumbersWhenOthersAreDropped) {
  AddedDocuments documents;
  for (const char* id : {"a", "b", "c", "d"}) documents.Append(Document(id), documents.end());
  EXPECT_EQ(documents.end(), 4u);
  documents.DropBefore(2);
  EXPECT_EQ(documents.end(), 4u);
  const auto rest = documents.Range(2, 4);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0]->id, "c");
  EXPECT_EQ(rest[1]->id, "d");
  EXPECT_TRUE(documents.Range(3, 3).empty());
}

TEST(AddedDocuments, CountTheirMemoryBackToNothing) {
  AddedDocuments documents;
  EXPECT_EQ(documents.memory_bytes(), 0u);
  documents.Append(Document("a"), 5);
  const size_t one = documents.memory_bytes();
  EXPECT_GT(one, 0u);
  documents.Append(Document("b"), 7);
  EXPECT_EQ(documents.memory_bytes(), 2 * one);
  documents.DropBefore(2);
  EXPECT_EQ(documents.memory_bytes(), 0u);
}

TEST(AddedDocuments, FindThoseWithAnIdThatAreNotDeleted) {
  AddedDocuments documents(100);
  for (const char* id : {"a", "b", "a", "a"}) documents.Append(Document(id), documents.end() - 50);
  EXPECT_EQ(documents.FindLive("a"), (std::vector<uint64_t>{100, 102, 103}));
  documents.MarkDeleted(102, 60);
  EXPECT_EQ(documents.FindLive("a"), (std::vector<uint64_t>{100, 103}));
  EXPECT_FALSE(documents.IsDeleted(102, 60));
  EXPECT_TRUE(documents.IsDeleted(102, 61));
  EXPECT_EQ(documents.LiveDocsOf(100, 104, 60), nullptr);
  const auto live_docs = documents.LiveDocsOf(101, 104, 61);
  ASSERT_NE(live_docs, nullptr);
  EXPECT_EQ(live_docs->live_count(), 2u);
  EXPECT_FALSE(live_docs->IsLive(1));
  EXPECT_EQ(documents.SequencesOf(101, 103), (std::vector<uint64_t>{51, 52}));
  documents.DropBefore(101);
  EXPECT_EQ(documents.FindLive("a"), std::vector<uint64_t>{103});
  documents.DropBefore(104);
  EXPECT_TRUE(documents.FindLive("a").empty());
  EXPECT_TRUE(documents.FindLive("b").empty());
}

// A counter that is updated a million times must not take a million steps each time.
TEST(AddedDocuments, ForgetReplacedOnesWhenTheyLookForAnId) {
  AddedDocuments documents;
  for (uint64_t i = 0; i < 200000; ++i) {
    for (const uint64_t number : documents.FindLive("a")) documents.MarkDeleted(number, i);
    documents.Append(Document("a"), i);
    ASSERT_EQ(documents.FindLive("a"), std::vector<uint64_t>{i});
  }
}

}  // namespace added_document_test
}  // namespace pmdex
