#include "engine/store/document_locator.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace document_locator_test {

using Places = std::vector<std::pair<uint64_t, DocId>>;

Places Take(DocumentLocator& locator, const std::string& id) {
  Places places;
  const absl::Status status = locator.Take(
      id, [&places](uint64_t segment, DocId doc) { places.emplace_back(segment, doc); });
  EXPECT_TRUE(status.ok()) << status;
  return places;
}

std::unique_ptr<IndexWriter> OpenWriter(Directory& directory) {
  auto writer = IndexWriter::Open(directory, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  return *std::move(writer);
}

TEST(DocumentLocator, FindsALiveDocumentOnce) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}, {"b", "x"}}, {{"c", "x"}, {"a", "x"}}});
  const auto writer = OpenWriter(*directory);
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*writer).ok());
  EXPECT_EQ(Take(locator, "b"), (Places{{1, 1}}));
  EXPECT_EQ(Take(locator, "b"), Places());
  EXPECT_EQ(Take(locator, "a"), (Places{{1, 0}, {2, 1}}));  // an id that repeats
  EXPECT_EQ(Take(locator, "none"), Places());
}

TEST(DocumentLocator, FindsAllDocumentsOfAnIdThatRepeatsInASegment) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate,
             {{{"a", "x"}, {"b", "x"}, {"a", "y"}, {"a", "z"}}, {{"a", "x"}}});
  {
    const auto writer = OpenWriter(*directory);
    const DocId middle = 2;
    ASSERT_TRUE(writer->Delete(1, std::span(&middle, 1)).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  const auto writer = OpenWriter(*directory);
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*writer).ok());
  EXPECT_EQ(Take(locator, "a"), (Places{{1, 0}, {1, 3}, {2, 0}}));
  EXPECT_EQ(Take(locator, "a"), Places());
}

TEST(DocumentLocator, FindsTheOnlyDocumentOfAnIdAndTakesNothing) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}, {"b", "x"}}, {{"c", "x"}, {"a", "x"}}});
  const auto writer = OpenWriter(*directory);
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*writer).ok());
  for (int i = 0; i < 2; ++i) {
    const auto found = locator.FindOnly("c").value();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->segment->segment_id(), 2u);
    EXPECT_EQ(found->doc, 0u);
  }
  EXPECT_FALSE(locator.FindOnly("a").value().has_value());  // there are two
  EXPECT_FALSE(locator.FindOnly("none").value().has_value());
  Take(locator, "c");
  EXPECT_FALSE(locator.FindOnly("c").value().has_value());
}

TEST(DocumentLocator, FollowsWhatOthersPublishAndDelete) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}, {"b", "x"}}});
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*OpenWriter(*directory)).ok());
  BuildStore(*directory, OpenMode::kAppend, {{{"c", "x"}, {"d", "x"}}});
  {
    const auto writer = OpenWriter(*directory);
    const DocId first = 0;
    ASSERT_TRUE(writer->Delete(2, std::span(&first, 1)).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  const auto writer = OpenWriter(*directory);
  ASSERT_TRUE(locator.Follow(*writer).ok());
  EXPECT_EQ(Take(locator, "c"), Places());  // it was deleted before it was followed
  EXPECT_EQ(Take(locator, "d"), (Places{{2, 1}}));
  EXPECT_EQ(Take(locator, "a"), (Places{{1, 0}}));
  // What was taken stays taken in later generations.
  ASSERT_TRUE(locator.Follow(*writer).ok());
  EXPECT_EQ(Take(locator, "a"), Places());
}

TEST(DocumentLocator, DoesNotFindWhatTheWriterAddsLater) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const auto writer = OpenWriter(*directory);
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*writer).ok());
  const auto input = MakeInput({{"a", "y"}});
  ASSERT_TRUE(writer->WriteSegment(*input).ok());
  EXPECT_EQ(Take(locator, "a"), (Places{{1, 0}}));
}

TEST(DocumentLocator, KnowsAllIds) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate,
             {{{"a", "x"}, {"b", "x"}}, {{"c", "x"}, {"a", "x"}, {"c", "x"}}});
  DocumentLocator locator;
  ASSERT_TRUE(locator.Follow(*OpenWriter(*directory)).ok());
  std::vector<std::string> ids;
  const auto visit = [&](std::string_view id, const DocumentPlace* place) {
    ids.emplace_back(id);
    ids.back() += place == nullptr ? " repeats" : " is " + std::to_string(place->doc);
    return absl::OkStatus();
  };
  ASSERT_TRUE(locator.ForEachId(visit).ok());
  EXPECT_EQ(ids, (std::vector<std::string>{"a is 0", "b is 1", "a is 1", "c repeats"}));
  const auto refuse = [](std::string_view, const DocumentPlace*) {
    return absl::DataLossError("");
  };
  EXPECT_TRUE(absl::IsDataLoss(locator.ForEachId(refuse)));
}

}  // namespace document_locator_test
}  // namespace pmdex
