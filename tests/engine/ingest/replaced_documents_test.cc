#include "engine/ingest/replaced_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/ingest/hash_pass.h"
#include "engine/store/snapshot.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/effort.h"

namespace pmdex {
namespace replaced_documents_test {

using Documents = std::vector<std::pair<std::string, std::string>>;

// The texts of live documents by id.
std::multimap<std::string, std::string> Live(IndexWriter& writer,
                                             const std::map<uint64_t, Documents>& documents) {
  std::multimap<std::string, std::string> live;
  for (const ManifestSegment& listed : writer.NextSegments()) {
    const auto opened = writer.OpenNext(listed);
    EXPECT_TRUE(opened.ok()) << opened.status();
    const Documents& written = documents.at(listed.id);
    for (DocId doc = 0; doc < written.size(); ++doc) {
      if (IsLive(opened->live_docs.get(), doc)) live.insert(written[doc]);
    }
  }
  return live;
}

// New segments whose runs come from the input in another order than the segments, over old ones.
class ReplacedDocuments : public testing::TestWithParam<size_t> {
 protected:
  std::string RandomId() { return "id" + std::to_string(random_() % 300); }
  void WriteSegment(IndexWriter& writer, const Documents& documents) {
    const auto info = writer.WriteSegment(*MakeInput(documents));
    ASSERT_TRUE(info.ok()) << info.status();
    documents_[info->segment_id] = documents;
    last_segment_ = info->segment_id;
  }
  void WriteOldSegments(Directory& directory) {
    const auto writer = IndexWriter::Open(directory, OpenMode::kCreate, TestSettings());
    ASSERT_TRUE(writer.ok());
    for (int segment = 0; segment < 3; ++segment) {
      Documents documents;
      for (int i = 0; i < 200; ++i) {
        documents.emplace_back(RandomId(), "old" + std::to_string(++versions_));
        expected_.insert(documents.back());
      }
      WriteSegment(**writer, documents);
      old_segments_.insert(last_segment_);
    }
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  // Blocks of documents in the order of the input, dealt to segments at random.
  void WriteNewSegments(IndexWriter& writer) {
    std::vector<Documents> segments(4);
    std::vector<SegmentOrder> orders(4);
    std::map<std::string, std::string> newest;
    for (uint64_t block = 0; block < 60; ++block) {
      const size_t segment = random_() % segments.size();
      const InputPlace place = {{block / 20, "in" + std::to_string(block / 10 % 2)}, block, 1};
      orders[segment].runs.push_back({static_cast<uint32_t>(segments[segment].size()), place});
      for (int i = 0; i < 9; ++i) {
        segments[segment].emplace_back(RandomId(), "new" + std::to_string(++versions_));
        newest[segments[segment].back().first] = segments[segment].back().second;
      }
    }
    for (size_t i = 0; i < segments.size(); ++i) {
      WriteSegment(writer, segments[i]);
      orders[i].segment_id = last_segment_;
      orders_.push_back(orders[i]);
    }
    for (const auto& document : newest) {
      expected_.erase(document.first);
      expected_.insert(document);
    }
  }

  std::mt19937_64 random_{11};
  std::multimap<std::string, std::string> expected_;
  std::map<uint64_t, Documents> documents_;  // by segment id
  std::set<uint64_t> old_segments_;
  std::vector<SegmentOrder> orders_;
  uint64_t last_segment_ = 0;
  uint64_t versions_ = 0;
};

// The parameter is the memory, which decides how many passes there are.
TEST_P(ReplacedDocuments, AreAllButTheLastOfEachNewId) {
  const auto directory = NewDramDirectory("store");
  WriteOldSegments(*directory);
  const auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  WriteNewSegments(**writer);
  const size_t before = Live(**writer, documents_).size();
  const auto deleted =
      DeleteReplacedDocuments(**writer, BuildScope::kWhole, old_segments_, orders_, GetParam(), 3);
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(*deleted, before - expected_.size());
  EXPECT_TRUE(Live(**writer, documents_) == expected_);
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->live_doc_count(), expected_.size());
}

// The copy has another id than the segment for which it answers.
TEST_P(ReplacedDocuments, AreFoundInTheCopiesOfDamagedSegments) {
  const auto directory = NewDramDirectory("store");
  WriteOldSegments(*directory);
  const auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).value();
  writer->KeepCopies(true);
  ASSERT_TRUE(writer->Publish().ok());
  ASSERT_TRUE(directory->Remove(SegmentFileName(*old_segments_.begin())).ok());
  WriteNewSegments(*writer);
  const size_t before = Live(*writer, documents_).size();
  const auto deleted =
      DeleteReplacedDocuments(*writer, BuildScope::kWhole, old_segments_, orders_, GetParam(), 3);
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(*deleted, before - expected_.size());
  EXPECT_TRUE(Live(*writer, documents_) == expected_);
}

TEST_P(ReplacedDocuments, CannotBeToldWithoutTheOrder) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(*DeleteReplacedDocuments(**writer, BuildScope::kWhole, {1}, {}, GetParam(), 1), 0u)
      << "an old segment";
  EXPECT_TRUE(absl::IsDataLoss(
      DeleteReplacedDocuments(**writer, BuildScope::kWhole, {}, {}, GetParam(), 1).status()));
}

// Segments without an order are not part of what is published; other threads may have written them.
TEST_P(ReplacedDocuments, OfAPartAreThoseOfSegmentsWithAnOrder) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}, {"b", "x"}}});
  const auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).value();
  WriteSegment(*writer, {{"a", "new"}});
  const SegmentOrder order = {last_segment_, {{0, {{0, "in"}, 0, 1}}}};
  WriteSegment(*writer, {{"a", "of a later part"}, {"b", "of a later part"}});
  const auto deleted =
      DeleteReplacedDocuments(*writer, BuildScope::kPart, {1}, {&order, 1}, GetParam(), 1);
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(*deleted, 1u);
}

INSTANTIATE_TEST_SUITE_P(WithMemory, ReplacedDocuments,
                         testing::Values(kIsSanitized ? 1000 : 0, 3000, 1 << 20));

TEST(HashPass, EachHashFallsIntoOnePass) {
  std::mt19937_64 random(5);
  EXPECT_EQ(HashPass::CountFor(100, 1000), 1u);
  EXPECT_EQ(HashPass::CountFor(1000, 100), 11u);
  EXPECT_EQ(HashPass::CountFor(10, 0), 11u);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t hash = random();
    int passes = 0;
    for (HashPass pass{.number = 0, .count = 11}; pass.number < 11; ++pass.number) {
      if (pass.Has(hash)) ++passes;
    }
    EXPECT_EQ(passes, 1);
  }
}

}  // namespace replaced_documents_test
}  // namespace pmdex
