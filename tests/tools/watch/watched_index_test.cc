#include "tools/watch/watched_index.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "engine/columns/date_text.h"
#include "engine/ingest/build_options.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "pmem/text.h"
#include "tests/support/column_texts.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace watched_index_test {

namespace fs = std::filesystem;

class Watched : public testing::Test {
 protected:
  Watched() : store_(NewDramDirectory("store")) {
    fs::create_directories(directory_ / "tree");
    roots_.push_back(*TreeRoot::Open(directory_ / "tree", ""));
    options_.memory_bytes = uint64_t{32} << 20;
    options_.format = InputFormat::kFiles;
    options_.inputs = {directory_ / "tree"};
  }

  std::unique_ptr<WatchedIndex> Open() {
    auto index = WatchedIndex::Open(*store_, options_, {});
    EXPECT_TRUE(index.ok()) << index.status();
    return *std::move(index);
  }

  // Compares the whole tree with what the index knows, and applies the difference.
  AppliedChanges BringUpToDate(WatchedIndex& index) {
    TreeComparison comparison(roots_, index.known(), problems_);
    EXPECT_TRUE(comparison.LookAt({roots_[0].path(), false, true, {}}).ok());
    index.WaitOutTicks(true);
    const TreeDifference difference = comparison.Take();
    if (difference.IsEmpty()) return {};
    const auto applied = index.Apply(difference);
    EXPECT_TRUE(applied.ok()) << applied.status();
    return applied.ok() ? *applied : AppliedChanges();
  }

  // The ids of the live documents, without the path of the tree.
  std::multiset<std::string> Ids() const {
    std::multiset<std::string> ids;
    const auto snapshot = Snapshot::Open(*store_);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    for (size_t i = 0; i < (*snapshot)->segments().size(); ++i) {
      const Segment& segment = *(*snapshot)->segments()[i];
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (!IsLive((*snapshot)->live_docs(i), doc)) continue;
        ids.insert(std::string(segment.doc_id(doc)->substr(roots_[0].prefix().size())));
      }
    }
    return ids;
  }
  using Set = std::multiset<std::string>;

  // The terms of the live documents with their positions and attributes, by id.
  using TermTexts = std::multimap<std::string, std::string>;
  static TermTexts Terms(const Directory& store);
  // The same of an index that is built from the tree as it is now.
  TermTexts FreshTerms() {
    const auto store = NewDramDirectory("fresh");
    const auto index = WatchedIndex::Open(*store, options_, {});
    BringUpToDate(**index);
    return Terms(*store);
  }
  void ChangeAtRandom(std::mt19937_64& random);

  const TemporaryDirectory directory_;
  const std::unique_ptr<Directory> store_;
  std::vector<TreeRoot> roots_;
  IngestOptions options_;
  ProblemLog problems_;
};

Watched::TermTexts Watched::Terms(const Directory& store) {
  TermTexts terms;
  const auto snapshot = Snapshot::Open(store);
  for (size_t i = 0; snapshot.ok() && i < (*snapshot)->segments().size(); ++i) {
    const Segment& segment = *(*snapshot)->segments()[i];
    std::vector<std::string> texts(segment.doc_count());
    for (FieldId field = 0; field < segment.fields().size(); ++field) {
      for (TermIterator term(segment.dictionary(), field); term.Next();) {
        const DictionaryEntry entry = *term.entry();
        const PostingListView list = *segment.Postings(entry);
        for (uint32_t posting = 0; posting < list.df; ++posting) {
          std::vector<uint32_t> positions;
          EXPECT_TRUE(list.ReadPositions(posting, positions).ok());
          absl::StrAppend(&texts[list.Doc(posting)], ToAbsl(term.term()), "@",
                          absl::StrJoin(positions, ","), " ");
        }
      }
    }
    for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!IsLive((*snapshot)->live_docs(i), doc)) continue;
      for (const auto& [name, value] : ColumnTexts(segment, doc)) {
        if (name != "atime") absl::StrAppend(&texts[doc], name, "=", value, " ");
      }
      terms.emplace(std::string(*segment.doc_id(doc)), std::move(texts[doc]));
    }
  }
  return terms;
}

// Errors do not matter: what is there afterwards is what the index must show.
void Watched::ChangeAtRandom(std::mt19937_64& random) {
  const auto path = [&] {
    return directory_ / absl::StrCat("tree/d", random() % 5, "/f", random() % 60,
                                     random() % 20 == 0 ? ".gz" : "");
  };
  const std::string a = path();
  const std::string b = path();
  std::error_code ignored;
  if (random() % 4 == 0) fs::create_directories(fs::path(b).parent_path(), ignored);
  switch (random() % 8) {
    case 0:
      fs::create_directories(fs::path(a).parent_path(), ignored);
      std::ofstream(a) << "word" << random() % 50 << " word" << random() % 50 << " word" << 7;
      break;
    case 1:
      std::ofstream(a, std::ios::app) << " more" << random() % 50;
      break;
    case 2:
      fs::remove(a, ignored);
      break;
    case 3:
      (void)!link(a.c_str(), b.c_str());
      break;
    case 4:  // they change places
      (void)!renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
      break;
    case 5:
      fs::rename(fs::path(a).parent_path(), fs::path(b).parent_path(), ignored);
      break;
    default:
      std::rename(a.c_str(), b.c_str());
      break;
  }
}

TEST_F(Watched, MergesTheSmallSegmentsOfManyGenerations) {
  const auto index = Open();
  Set expected;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "f" + std::to_string(i);
    directory_.Write("tree/" + name, "word" + std::to_string(i));
    expected.insert(name);
    EXPECT_EQ(BringUpToDate(*index).added, 1u);
    EXPECT_TRUE(index->MergeSmallSegments().ok());
  }
  EXPECT_EQ(Ids(), expected);
  EXPECT_LE(Snapshot::Open(*store_).value()->segments().size(), 20u);
  directory_.Write("tree/f7", "another");  // in a merged segment
  EXPECT_EQ(BringUpToDate(*index).updated, 1u);
  EXPECT_EQ(Ids(), expected);
  EXPECT_TRUE(VerifyStore(*store_)->findings.empty());
}

TEST_F(Watched, AddsUpdatesRenamesAndRemovesInOneGenerationEach) {
  const auto index = Open();
  directory_.Write("tree/a", "one");
  directory_.Write("tree/b", "two");
  directory_.Write("tree/sub/c", "three");
  AppliedChanges applied = BringUpToDate(*index);
  EXPECT_EQ(applied.added, 3u);
  EXPECT_EQ(applied.bytes_in, 11u);
  EXPECT_EQ(Ids(), (Set{"a", "b", "sub/c"}));
  const uint64_t generation = (*Snapshot::Open(*store_))->manifest().generation;

  directory_.Write("tree/a", "longer than before");
  ASSERT_EQ(std::rename((directory_ / "tree/sub").c_str(), (directory_ / "tree/new").c_str()), 0);
  fs::remove(directory_ / "tree/b");
  applied = BringUpToDate(*index);
  EXPECT_EQ(applied.added, 0u);
  EXPECT_EQ(applied.updated, 1u);
  EXPECT_EQ(applied.renamed, 1u);
  EXPECT_EQ(applied.removed, 1u);
  EXPECT_EQ(applied.bytes_in, 18u);  // not those of the renamed file
  EXPECT_EQ(Ids(), (Set{"a", "new/c"}));
  EXPECT_EQ((*Snapshot::Open(*store_))->manifest().generation, generation + 1);
  EXPECT_TRUE(VerifyStore(*store_)->findings.empty());
}

TEST_F(Watched, ReadsNothingOfFilesThatAreRenamed) {
  const auto index = Open();
  for (int i = 0; i < 200; ++i) {
    directory_.Write("tree/old/f" + std::to_string(i), "word" + std::to_string(i));
  }
  directory_.Write("tree/old/binary", std::string("bin\0ary", 7));
  directory_.Write("tree/log", "of today");
  directory_.Write("tree/log.1", "of yesterday");
  BringUpToDate(*index);
  index->TakeProblems();
  fs::rename(directory_ / "tree/old", directory_ / "tree/new");
  fs::rename(directory_ / "tree/log.1", directory_ / "tree/log.2");
  fs::rename(directory_ / "tree/log", directory_ / "tree/log.1");
  directory_.Write("tree/log", "new");
  const AppliedChanges applied = BringUpToDate(*index);
  EXPECT_EQ(applied.bytes_in, 3u);
  EXPECT_EQ(applied.renamed, 200u);
  EXPECT_EQ(applied.updated, 2u);  // log, log.1
  EXPECT_EQ(applied.added, 1u);    // log.2
  EXPECT_EQ(applied.removed, 0u);
  EXPECT_TRUE(index->TakeProblems().empty());
  EXPECT_EQ(BringUpToDate(*index).generations, 0u);  // nothing is left to do
  EXPECT_EQ(Terms(*store_), FreshTerms());
  EXPECT_TRUE(VerifyStore(*store_)->findings.empty());
}

// Files change places, are written and get further names, in all orders.
TEST_F(Watched, RandomRenamesLeaveTheIndexOfAFreshBuild) {
  std::mt19937_64 random(5);
  const auto index = Open();
  for (int round = 0; round < 40; ++round) {
    for (int i = round == 0 ? 200 : 6; i > 0; --i) ChangeAtRandom(random);
    BringUpToDate(*index);
    EXPECT_TRUE(index->MergeSmallSegments().ok());
    const TermTexts ours = Terms(*store_);
    const TermTexts fresh = FreshTerms();
    TermTexts differ;
    std::set_symmetric_difference(ours.begin(), ours.end(), fresh.begin(), fresh.end(),
                                  std::inserter(differ, differ.end()));
    ASSERT_EQ(differ, TermTexts()) << round;
  }
  EXPECT_TRUE(VerifyStore(*store_)->findings.empty());
}

TEST_F(Watched, TheNextWatchReadsOnlyWhatHasChanged) {
  directory_.Write("tree/a", "one");
  directory_.Write("tree/b", "two");
  BringUpToDate(*Open());
  const auto index = Open();
  EXPECT_FALSE(index->HasUnknownDocuments());
  EXPECT_EQ(index->known().size(), 2u);
  directory_.Write("tree/b", "longer");
  const AppliedChanges applied = BringUpToDate(*index);
  EXPECT_EQ(applied.updated, 1u);
  EXPECT_EQ(applied.bytes_in, 6u);
  EXPECT_EQ(Ids(), (Set{"a", "b"}));
}

TEST_F(Watched, ABinaryFileHasNoDocumentAndIsNotReadAgain) {
  directory_.Write("tree/a", "text");
  const auto index = Open();
  BringUpToDate(*index);
  directory_.Write("tree/a", std::string("bin\0ary", 7));
  AppliedChanges applied = BringUpToDate(*index);
  EXPECT_EQ(applied.removed, 1u);
  EXPECT_EQ(Ids(), Set());
  EXPECT_EQ(index->TakeProblems().at(ProblemKind::kBinaryFile).count, 1u);
  applied = BringUpToDate(*index);
  EXPECT_TRUE(index->TakeProblems().empty());
  directory_.Write("tree/a", "text again");
  applied = BringUpToDate(*index);
  EXPECT_EQ(applied.added, 1u);
  EXPECT_EQ(Ids(), Set{"a"});
}

TEST_F(Watched, TakesOverAnIndexThatNoWatchHasMade) {
  directory_.Write("tree/a", "one");
  directory_.Write("tree/gone", "two");
  directory_.Write("tree/twice", "four");
  struct stat last;
  ASSERT_EQ(stat((directory_ / "tree/twice").c_str(), &last), 0);
  const int64_t changed_ns = last.st_ctim.tv_sec * int64_t{1'000'000'000} + last.st_ctim.tv_nsec;
  // Not racy if the reading began a second after the last change.
  for (const int64_t waited_ns : {int64_t{1'000'000'000}, int64_t{0}}) {
    SCOPED_TRACE(waited_ns);
    directory_.Write("tree/changed", "three");
    {
      auto writer = IndexWriter::Open(*store_, OpenMode::kOverwrite, options_.settings);
      ASSERT_TRUE(writer.ok());
      (*writer)->SetProperty(kFilesReadSinceProperty, FormatDate(changed_ns + waited_ns));
      FileIndexer indexer(options_, store_->granularity());
      const std::vector<std::string> paths = {directory_ / "tree/a", directory_ / "tree/gone",
                                              directory_ / "tree/changed",
                                              directory_ / "tree/twice"};
      ASSERT_TRUE(indexer.Index(paths, **writer).ok());
      const std::vector<std::string> again = {directory_ / "tree/twice"};
      ASSERT_TRUE(indexer.Index(again, **writer).ok());
      ASSERT_TRUE((*writer)->Publish().ok());
    }
    EXPECT_EQ(Ids(), (Set{"a", "changed", "gone", "twice", "twice"}));
    fs::rename(directory_ / "tree/gone", directory_ / "gone");
    directory_.Write("tree/new", "five");
    directory_.Write("tree/changed", "longer");
    const auto index = Open();
    ASSERT_TRUE(index->HasUnknownDocuments());
    ASSERT_TRUE(index->AdoptDocuments().ok());
    const AppliedChanges applied = BringUpToDate(*index);
    // The file that has not changed is read again only where nobody knows whether it has.
    EXPECT_EQ(applied.updated, waited_ns == 0 ? 3u : 2u);
    EXPECT_EQ(applied.added, 1u);
    EXPECT_EQ(applied.removed, 1u);
    EXPECT_EQ(Ids(), (Set{"a", "changed", "new", "twice"}));
    EXPECT_EQ(Terms(*store_), FreshTerms());
    EXPECT_FALSE(Open()->HasUnknownDocuments());
    fs::remove(directory_ / "tree/new");
    fs::rename(directory_ / "gone", directory_ / "tree/gone");
  }
}

TEST_F(Watched, KeepsWhatItTookOverThoughNothingHadChanged) {
  const std::string path = directory_.Write("tree/a", "one");
  {
    auto writer = IndexWriter::Open(*store_, OpenMode::kCreate, options_.settings);
    ASSERT_TRUE(writer.ok());
    struct stat facts;
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    (*writer)->SetProperty(kFilesReadSinceProperty,
                           FormatDate((facts.st_ctim.tv_sec + 2) * int64_t{1'000'000'000}));
    FileIndexer indexer(options_, store_->granularity());
    ASSERT_TRUE(indexer.Index(std::vector<std::string>{path}, **writer).ok());
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  const auto index = Open();
  ASSERT_TRUE(index->AdoptDocuments().ok());
  EXPECT_EQ(BringUpToDate(*index).generations, 0u);
  EXPECT_TRUE(Open()->HasUnknownDocuments());
  ASSERT_TRUE(index->PublishKnownFiles().ok());
  EXPECT_FALSE(index->HasUnknownDocuments());
  EXPECT_FALSE(Open()->HasUnknownDocuments());
  EXPECT_EQ(Open()->known().size(), 1u);
  EXPECT_EQ(BringUpToDate(*Open()).generations, 0u);
}

TEST_F(Watched, WaitsForAnotherWriterAndChangesNothing) {
  directory_.Write("tree/a", "one");
  const auto index = Open();
  BringUpToDate(*index);
  directory_.Write("tree/b", "two");
  TreeComparison comparison(roots_, index->known(), problems_);
  ASSERT_TRUE(comparison.LookAt({roots_[0].path(), false, true, {}}).ok());
  const TreeDifference difference = comparison.Take();
  {
    const auto other = IndexWriter::Open(*store_, OpenMode::kAppend, options_.settings);
    ASSERT_TRUE(other.ok());
    EXPECT_TRUE(absl::IsUnavailable(index->Apply(difference).status()));
    EXPECT_EQ(index->known().size(), 1u);
  }
  const auto applied = index->Apply(difference);
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_EQ(Ids(), (Set{"a", "b"}));
}

TEST_F(Watched, EndsWhenAnotherWatchWritesToTheIndex) {
  directory_.Write("tree/a", "one");
  const auto index = Open();
  BringUpToDate(*index);
  const auto other = Open();
  directory_.Write("tree/b", "two");
  BringUpToDate(*other);
  TreeComparison comparison(roots_, index->known(), problems_);
  ASSERT_TRUE(comparison.LookAt({roots_[0].path(), false, true, {}}).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(index->Apply(comparison.Take()).status()));
}

TEST_F(Watched, AnEmptyTreeMakesAnEmptyIndex) {
  const auto index = Open();
  ASSERT_TRUE(index->PublishIfNew().ok());
  EXPECT_EQ(Ids(), Set());
  ASSERT_TRUE(index->PublishIfNew().ok());
  EXPECT_EQ((*Snapshot::Open(*store_))->manifest().generation, 1u);
}

}  // namespace watched_index_test
}  // namespace pmdex
