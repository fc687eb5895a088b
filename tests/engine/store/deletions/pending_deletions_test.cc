// Deletions of an IndexWriter: they become visible with everything else that Publish publishes, and
// stay when segments are converted or moved.
#include "engine/store/deletions/pending_deletions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "tests/engine/store/placement/placement_test_support.h"

namespace pmdex {
namespace pending_deletions_test {

using Ids = std::vector<std::string>;
using Docs = std::vector<DocId>;

Ids LiveIds(const Snapshot& snapshot) {
  Ids ids;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    for (DocId doc = 0; doc < snapshot.segments()[i]->doc_count(); ++doc) {
      if (!IsLive(snapshot.live_docs(i), doc)) continue;
      ids.emplace_back(*snapshot.segments()[i]->doc_id(doc));
    }
  }
  return ids;
}

Ids LiveIds(const Directory& directory) {
  const auto snapshot = Snapshot::Open(directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  if (!snapshot.ok()) return {snapshot.status().ToString()};
  for (const QuarantinedSegment& segment : (*snapshot)->quarantined()) {
    ADD_FAILURE() << segment.reason;
  }
  return LiveIds(**snapshot);
}

std::unique_ptr<IndexWriter> Writer(Directory& directory) {
  auto writer = IndexWriter::Open(directory, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  return *std::move(writer);
}

TEST(PendingDeletions, GoToTheSegmentThatTakesThePlaceOfAnother) {
  const auto directory = NewDramDirectory("empty");
  ManifestSegment segment;
  segment.id = 1;
  segment.doc_count = 3;
  PendingDeletions deletions;
  EXPECT_EQ(*deletions.Find(*directory, segment), nullptr);
  EXPECT_EQ(*deletions.Add(*directory, segment, Docs{1}), 1u);
  ManifestSegment converted = segment;
  converted.id = 2;
  converted.live_docs_generation = 7;
  deletions.Move(1, converted, *deletions.Find(*directory, segment));
  EXPECT_EQ(converted.live_docs_generation, 0u) << "its file is not written yet";
  EXPECT_EQ(*deletions.Find(*directory, segment), nullptr);
  EXPECT_FALSE((*deletions.Find(*directory, converted))->IsLive(1));
  deletions.Clear();
  EXPECT_EQ(*deletions.Find(*directory, converted), nullptr);
}

class PendingDeletionsTest : public testing::Test {
 protected:
  PendingDeletionsTest() {
    BuildStore(*directory_, OpenMode::kCreate,
               {{{"a", "x"}, {"b", "x"}, {"c", "x"}}, {{"d", "x"}}});
  }
  const std::unique_ptr<Directory> directory_ = NewDramDirectory("index");
};

TEST_F(PendingDeletionsTest, AreVisibleOncePublishedAndNotBefore) {
  const auto before = *Snapshot::Open(*directory_);
  const auto writer = Writer(*directory_);
  EXPECT_EQ(*writer->Delete(1, Docs{1, 1}), 1u) << "a repetition counts once";
  EXPECT_EQ(*writer->Delete(1, Docs{1}), 0u);
  EXPECT_EQ(*writer->Delete(1, Docs{}), 0u);
  EXPECT_TRUE(absl::IsNotFound(writer->Delete(99, Docs{0}).status()));
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "b", "c", "d"}));
  ASSERT_TRUE(writer->Publish().ok());
  const auto after = *Snapshot::Open(*directory_);
  EXPECT_EQ(LiveIds(*after), (Ids{"a", "c", "d"}));
  EXPECT_EQ(after->doc_count(), 4u);
  EXPECT_EQ(after->live_doc_count(), 3u);
  EXPECT_EQ(after->listed(0).deleted_count, 1u);
  EXPECT_EQ(*after->FindDocument("b"), std::nullopt);
  EXPECT_EQ(**after->FindDocument("c"), 2u);
  EXPECT_EQ(LiveIds(*before), (Ids{"a", "b", "c", "d"})) << "a reader keeps its generation";
  EXPECT_EQ(**before->FindDocument("b"), 1u);
  EXPECT_TRUE(VerifyStore(*directory_)->findings.empty());
}

TEST_F(PendingDeletionsTest, OfEachGenerationHaveAFileOfTheirOwn) {
  const auto writer = Writer(*directory_);
  ASSERT_EQ(*writer->Delete(1, Docs{0}), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_TRUE(FileNames(*directory_).contains(LiveDocsFileName({1, 1})));
  ASSERT_EQ(*writer->Delete(1, Docs{0, 2}), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_FALSE(FileNames(*directory_).contains(LiveDocsFileName({1, 1})));
  EXPECT_TRUE(FileNames(*directory_).contains(LiveDocsFileName({1, 2})));
  EXPECT_EQ(LiveIds(*directory_), (Ids{"b", "d"}));
  ASSERT_TRUE(writer->Publish().ok()) << "without deletions the file stays";
  EXPECT_TRUE(FileNames(*directory_).contains(LiveDocsFileName({1, 2})));
}

TEST_F(PendingDeletionsTest, OfAllDocumentsTakeTheSegmentOffTheList) {
  auto writer = Writer(*directory_);
  ASSERT_EQ(*writer->Delete(2, Docs{0}), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(FileNames(*directory_),
            (std::set<std::string>{ManifestFileName(2), SegmentFileName(1)}));
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "b", "c"}));
  ASSERT_EQ(*writer->Delete(1, Docs{0, 1, 2}), 3u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(LiveIds(*directory_), Ids());
  writer.reset();
  BuildStore(*directory_, OpenMode::kAppend, {{{"e", "x"}}});
  EXPECT_EQ(LiveIds(*directory_), Ids{"e"});
}

TEST_F(PendingDeletionsTest, AreOneGenerationWithTheSegmentsThatCauseThem) {
  const auto writer = Writer(*directory_);
  ASSERT_TRUE(writer->StartBuild("options").ok());
  const auto checkpointed = MakeInput({{"b", "new"}, {"e", "first"}});
  const auto first = writer->WriteSegment(*checkpointed);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(writer->Checkpoint(std::vector<uint64_t>{first->segment_id}, {}).ok());
  const auto rest = MakeInput({{"e", "second"}});
  const auto second = writer->WriteSegment(*rest);
  ASSERT_TRUE(second.ok());
  std::vector<uint64_t> next;
  for (const ManifestSegment& segment : writer->NextSegments()) next.push_back(segment.id);
  EXPECT_EQ(next, (std::vector<uint64_t>{1, 2, first->segment_id, second->segment_id}));
  ASSERT_EQ(*writer->Delete(1, Docs{1}), 1u);
  ASSERT_EQ(*writer->Delete(first->segment_id, Docs{1}), 1u);
  const auto opened = writer->OpenNext(writer->NextSegments()[2]);
  ASSERT_TRUE(opened.ok()) << opened.status();
  ASSERT_NE(opened->live_docs, nullptr);
  EXPECT_FALSE(opened->live_docs->IsLive(1));
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "b", "c", "d"}));
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "c", "d", "b", "e"}));
}

TEST_F(PendingDeletionsTest, OfAWriterThatDoesNotPublishAreGone) {
  {
    const auto writer = Writer(*directory_);
    ASSERT_EQ(*writer->Delete(1, Docs{0}), 1u);
  }
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "b", "c", "d"}));
  BuildStore(*directory_, OpenMode::kAppend, {{{"e", "x"}}});
  EXPECT_EQ(LiveIds(*directory_), (Ids{"a", "b", "c", "d", "e"}));
}

TEST_F(PendingDeletionsTest, StayWhenSegmentsAreConvertedBeforeAndAfterPublish) {
  const auto writer = Writer(*directory_);
  ASSERT_EQ(*writer->Delete(1, Docs{0}), 1u);
  const auto once = writer->Convert(1, Tier::kCompressed);
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_EQ(*writer->Delete(once->id, Docs{0}), 0u);
  EXPECT_EQ(*writer->Delete(once->id, Docs{1}), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(LiveIds(*directory_), (Ids{"c", "d"}));
  const auto twice = writer->Convert(once->id, Tier::kUncompressed);
  ASSERT_TRUE(twice.ok()) << twice.status();
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(LiveIds(*directory_), (Ids{"c", "d"}));
  EXPECT_TRUE(FileNames(*directory_).contains(LiveDocsFileName({twice->id, 1})));
  EXPECT_FALSE(FileNames(*directory_).contains(LiveDocsFileName({once->id, 1})));
  EXPECT_TRUE(VerifyStore(*directory_)->findings.empty());
}

TEST(PendingDeletionsAtPlaces, LieBesideTheirSegmentsAndMoveWithThem) {
  const auto index = NewDramDirectory("index");
  BuildAt(*index, OpenMode::kCreate, AtPlaces({"/pm0"}), {"a", "b"});
  const auto two = MakeInput({{"c", "x"}, {"d", "x"}});
  {
    const auto writer = Writer(*index);
    ASSERT_TRUE(writer->UsePlaces(AtPlaces({"/pm0"})).ok());
    const auto info = writer->WriteSegment(*two);
    ASSERT_TRUE(info.ok()) << info.status();
    ASSERT_EQ(*writer->Delete(info->segment_id, Docs{1}), 1u);
    ASSERT_TRUE(writer->Publish().ok());
    EXPECT_TRUE(
        FileNames(*Elsewhere(*index, "/pm0")).contains(LiveDocsFileName({info->segment_id, 1})));
    EXPECT_EQ(LiveIds(*index), (Ids{"a", "b", "c"}));
    const auto moved = writer->Convert(info->segment_id, Tier::kUncompressed, 0);
    ASSERT_TRUE(moved.ok()) << moved.status();
    ASSERT_TRUE(writer->Publish().ok());
    EXPECT_TRUE(FileNames(*index).contains(LiveDocsFileName({moved->id, 1})));
    EXPECT_FALSE(
        FileNames(*Elsewhere(*index, "/pm0")).contains(LiveDocsFileName({info->segment_id, 1})));
  }
  EXPECT_EQ(LiveIds(*index), (Ids{"a", "b", "c"}));
}

TEST_F(PendingDeletionsTest, AreNotWrittenOverAFileWithTheirName) {
  WriteStranger(*directory_, LiveDocsFileName({1, 1}), "a file of another program");
  const auto writer = Writer(*directory_);
  ASSERT_EQ(*writer->Delete(1, Docs{0}), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory_))->listed(0).live_docs_generation, 2u);
  EXPECT_EQ(ContentOf(*directory_, LiveDocsFileName({1, 1})), "a file of another program");
  EXPECT_EQ(LiveIds(*directory_), (Ids{"b", "c", "d"}));
}

TEST_F(PendingDeletionsTest, WhoseFileIsLostOrDamagedHideTheWholeSegment) {
  {
    const auto writer = Writer(*directory_);
    ASSERT_EQ(*writer->Delete(1, Docs{0}), 1u);
    ASSERT_TRUE(writer->Publish().ok());
  }
  const std::string name = LiveDocsFileName({1, 1});
  std::string content = ContentOf(*directory_, name);
  ASSERT_TRUE(directory_->Remove(name).ok());
  auto snapshot = *Snapshot::Open(*directory_);
  ASSERT_EQ(snapshot->quarantined().size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(snapshot->quarantined()[0].reason));
  EXPECT_EQ(snapshot->quarantined()[0].doc_count, 2u);
  EXPECT_EQ(LiveIds(*snapshot), Ids{"d"});
  content[64] = '\xff';  // all documents are live
  WriteStranger(*directory_, name, content);
  snapshot = *Snapshot::Open(*directory_);
  ASSERT_EQ(snapshot->quarantined().size(), 1u);
  EXPECT_TRUE(absl::IsDataLoss(snapshot->quarantined()[0].reason));
  const auto report = *VerifyStore(*directory_);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].file, name);
  EXPECT_EQ(report.findings[0].section, "live docs");
  EXPECT_TRUE(absl::IsDataLoss(Writer(*directory_)->Delete(1, Docs{1}).status()));
}

}  // namespace pending_deletions_test
}  // namespace pmdex
