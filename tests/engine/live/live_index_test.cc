#include "engine/live/live_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "query/searcher.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/failing_directory.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace live_index_test {

LiveOptions Creating() {
  LiveOptions options;
  options.create = true;
  options.settings = IndexSettings{AnalyzerKind::kStandard, true, true};
  return options;
}

std::unique_ptr<LiveIndex> OpenLive(Directory& directory, const LiveOptions& options = Creating()) {
  auto index = LiveIndex::Open(directory, options);
  EXPECT_TRUE(index.ok()) << index.status();
  return index.ok() ? *std::move(index) : nullptr;
}

AddedDocument Document(uint64_t number, const std::string& more = {}) {
  return {"d" + std::to_string(number), {{"body", "word n" + std::to_string(number) + more}}, ""};
}

std::vector<std::string> Ids(const Snapshot& snapshot) {
  std::vector<std::string> ids;
  for (const auto& segment : snapshot.segments()) {
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) ids.emplace_back(*segment->doc_id(doc));
  }
  return ids;
}

std::vector<std::string> IdsUpTo(uint64_t count) {
  std::vector<std::string> ids;
  for (uint64_t i = 0; i < count; ++i) ids.push_back("d" + std::to_string(i));
  return ids;
}

uint64_t CountOf(const std::shared_ptr<const Snapshot>& snapshot, const std::string& query) {
  SearchOptions options;
  options.count = true;
  const auto result = Searcher(snapshot).Search(query, options);
  return result.ok() ? result->total : UINT64_MAX;
}

TEST(LiveIndex, ShowsADocumentInTheNextSnapshot) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  const auto before = *index->TakeSnapshot();
  EXPECT_EQ(before->doc_count(), 0u);
  for (uint64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(index->Add(Document(i)).ok());
    const auto snapshot = *index->TakeSnapshot();
    EXPECT_EQ(Ids(*snapshot), IdsUpTo(i + 1));
    EXPECT_EQ(CountOf(snapshot, "n" + std::to_string(i)), 1u);
  }
  EXPECT_EQ(before->doc_count(), 0u);
  EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 0u);  // nothing is published
}

TEST(LiveIndex, FindsValuesBeforeAndAfterTheyAreCommitted) {
  const auto directory = NewDramDirectory("live");
  {
    const auto index = OpenLive(*directory);
    for (uint64_t i = 0; i < 300; ++i) {
      AddedDocument document = Document(i);
      document.values = {{"n", FieldType::kU64, i, ""},
                         {"tag", FieldType::kKeyword, 0, i % 2 == 0 ? "even" : "odd"}};
      ASSERT_TRUE(index->Add(std::move(document)).ok());
      if (i == 100 || i == 299) {
        EXPECT_EQ(CountOf(*index->TakeSnapshot(), "n:[10 TO 19] AND tag:even"), 5u);
      }
    }
    AddedDocument other = Document(300);
    other.values = {{"n", FieldType::kKeyword, 0, "x"}};
    EXPECT_TRUE(absl::IsInvalidArgument(index->Add(std::move(other))));
    ASSERT_TRUE(index->Commit().ok());
  }
  const auto published = *Snapshot::Open(*directory);
  EXPECT_EQ(published->doc_count(), 300u);
  EXPECT_EQ(CountOf(published, "n:>=290"), 10u);
  EXPECT_EQ(published->manifest().fields.at("n").type, FieldType::kU64);
  const auto index = OpenLive(*directory);
  AddedDocument other = Document(300);
  other.values = {{"tag", FieldType::kI64, 1, ""}};
  EXPECT_TRUE(absl::IsInvalidArgument(index->Add(std::move(other)))) << "types are remembered";
}

TEST(LiveIndex, GivesTheSameSnapshotUntilSomethingChanges) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  ASSERT_TRUE(index->Add(Document(0)).ok());
  const auto first = *index->TakeSnapshot();
  EXPECT_EQ(*index->TakeSnapshot(), first);
  ASSERT_TRUE(index->Add(Document(1)).ok());
  EXPECT_NE(*index->TakeSnapshot(), first);
}

TEST(LiveIndex, KeepsCommittedDocumentsAlone) {
  const auto directory = NewDramDirectory("live");
  {
    const auto index = OpenLive(*directory);
    for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(index->Add(Document(i)).ok());
    ASSERT_TRUE(index->Commit().ok());
    EXPECT_EQ(Ids(**Snapshot::Open(*directory)), IdsUpTo(10));
    ASSERT_TRUE(index->Add(Document(10)).ok());
    EXPECT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(11));
  }
  const auto index = OpenLive(*directory);
  EXPECT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(10));
  ASSERT_TRUE(index->Add(Document(10)).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Ids(**Snapshot::Open(*directory)), IdsUpTo(11));
}

// Random calls, against a list of the documents.
TEST(LiveIndex, EqualsAListOfItsDocuments) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    SeededRandom random(seed);
    const auto directory = NewDramDirectory("live");
    auto index = OpenLive(*directory);
    uint64_t added = 0;
    uint64_t committed = 0;
    for (int step = 0; step < 600; ++step) {
      switch (random.Below(40)) {
        case 0:
          ASSERT_TRUE(index->Commit().ok());
          committed = added;
          EXPECT_EQ(Ids(**Snapshot::Open(*directory)), IdsUpTo(committed));
          break;
        case 1:
          index.reset();
          index = OpenLive(*directory);
          added = committed;
          break;
        case 2:
        case 3:
          for (size_t more = random.Below(300); more > 0; --more) {
            ASSERT_TRUE(index->Add(Document(added++)).ok());
          }
          break;
        default:
          ASSERT_TRUE(index->Add(Document(added++)).ok());
      }
      if (random.OneIn(2)) {
        ASSERT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(added));
      }
    }
  }
}

// The same documents and statistics as in an index that was built at once, so the same answers.
TEST(LiveIndex, AnswersAsAFreshBuildDoes) {
  RandomCorpus corpus(7);
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  ReferenceIndex reference(AnalyzerKind::kStandard);
  SeededRandom random(7);
  for (CorpusDocument& document : corpus.Documents(400)) {
    reference.Add(document);
    ASSERT_TRUE(index->Add({document.id, document.fields, ""}).ok());
    ASSERT_TRUE(!random.OneIn(3) || index->TakeSnapshot().ok());
    ASSERT_TRUE(!random.OneIn(150) || index->Commit().ok());
  }
  const Searcher live(*index->TakeSnapshot());
  const Searcher built(reference.BuildSnapshot(400, true, false));
  SearchOptions options;
  options.k = 20;
  options.count = true;
  for (int i = 0; i < 200; ++i) {
    const std::string query = corpus.Query(true);
    const auto found = live.Search(query, options);
    const auto expected = built.Search(query, options);
    ASSERT_EQ(found.ok(), expected.ok()) << query;
    if (!found.ok()) continue;
    EXPECT_EQ(found->total, expected->total) << query;
    ASSERT_EQ(found->hits.size(), expected->hits.size()) << query;
    for (size_t hit = 0; hit < found->hits.size(); ++hit) {
      EXPECT_EQ(found->hits[hit].id, expected->hits[hit].id) << query;
      EXPECT_EQ(found->hits[hit].score, expected->hits[hit].score) << query;
    }
  }
}

TEST(LiveIndex, KeepsWhatCouldNotBeWritten) {
  const auto base = NewDramDirectory("live");
  { OpenLive(*base); }
  FailingDirectory directory(*base, 1000);
  const auto index = OpenLive(directory);
  for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(index->Add(Document(i)).ok());
  directory.FailFromNowOn();
  EXPECT_FALSE(index->Commit().ok());
  ASSERT_TRUE(index->Add(Document(5)).ok());
  EXPECT_FALSE(index->Commit().ok());
  EXPECT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(6));
  EXPECT_EQ((*Snapshot::Open(*base))->doc_count(), 0u);
}

TEST(LiveIndex, CommitsEachDocumentOnceWhateverFailedBefore) {
  uint64_t retried = 0;
  for (uint64_t fail_at = 1; fail_at < 60; ++fail_at) {
    const auto behind = NewDramDirectory("live");
    FaultPlan plan(fail_at, MakeStatus(absl::StatusCode::kResourceExhausted, "no descriptors"));
    const auto directory = NewFaultyDirectory(*behind, plan);
    auto index = LiveIndex::Open(*directory, Creating());
    if (!index.ok()) continue;
    for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE((*index)->Add(Document(i)).ok());
    const bool failed = !(*index)->Commit().ok();
    ASSERT_TRUE((*index)->Add(Document(3)).ok());
    if (!(*index)->Commit().ok()) continue;  // publishing failed before
    retried += failed ? 1 : 0;
    EXPECT_EQ(Ids(**(*index)->TakeSnapshot()), IdsUpTo(4)) << plan.failed();
    EXPECT_EQ(Ids(**Snapshot::Open(*behind)), IdsUpTo(4)) << plan.failed();
  }
  EXPECT_GT(retried, 0u);
}

TEST(LiveIndex, WritesToTheMediumWhenItsMemoryIsUsedUp) {
  const auto directory = NewDramDirectory("live");
  LiveOptions options = Creating();
  options.memory_budget_bytes = size_t{4} << 20;
  const auto index = OpenLive(*directory, options);
  const std::string text = " " + std::string(2000, 'x') + " some more words";
  for (uint64_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(index->Add(Document(i, text)).ok());
    ASSERT_LE(index->memory_bytes(), options.memory_budget_bytes + (size_t{1} << 20));
  }
  EXPECT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(3000));
  EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 0u);  // written is not yet published
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 3000u);
}

TEST(LiveIndex, AddsNothingWhenItsMemoryIsUsedUpAndTheMediumFails) {
  const auto base = NewDramDirectory("live");
  { OpenLive(*base); }
  FailingDirectory directory(*base, 1000);
  LiveOptions options = Creating();
  options.memory_budget_bytes = 1;
  const auto index = OpenLive(directory, options);
  directory.FailFromNowOn();
  ASSERT_TRUE(index->Add(Document(0)).ok());
  EXPECT_FALSE(index->Add(Document(1)).ok());
  EXPECT_FALSE(index->Add(Document(2)).ok());
  EXPECT_EQ(Ids(**index->TakeSnapshot()), IdsUpTo(1));
}

TEST(LiveIndex, RefusesWhatItCannotOpen) {
  const auto directory = NewDramDirectory("live");
  EXPECT_TRUE(absl::IsNotFound(LiveIndex::Open(*directory, {}).status()));
  {
    const auto index = OpenLive(*directory);
    EXPECT_TRUE(absl::IsUnavailable(LiveIndex::Open(*directory, {}).status()));
  }
  LiveOptions other = Creating();
  other.settings->positions = false;
  EXPECT_TRUE(absl::IsFailedPrecondition(LiveIndex::Open(*directory, other).status()));
  EXPECT_EQ((*LiveIndex::Open(*directory, {}))->settings().store_text, true);
  {
    auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, *Creating().settings);
    ASSERT_TRUE((*writer)->StartBuild("options").ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(LiveIndex::Open(*directory, {}).status()));
}

// One thread adds, one commits, others read. Each snapshot must hold a prefix of what was added,
// with all documents whose Add had returned before.
TEST(LiveIndex, ShowsReadersAPrefixWithAllThatWasAddedBefore) {
  constexpr uint64_t kDocuments = 1500;
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  std::atomic<uint64_t> added{0};
  std::atomic<int> failures{0};
  const auto read = [&] {
    uint64_t before = 0;
    do {
      before = added.load();
      const auto snapshot = index->TakeSnapshot();
      if (!snapshot.ok()) {
        ++failures;
        return;
      }
      const std::vector<std::string> ids = Ids(**snapshot);
      if (ids.size() < before || ids != IdsUpTo(ids.size())) ++failures;
      if (CountOf(*snapshot, "word") != ids.size()) ++failures;
    } while (before < kDocuments);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(read);
  threads.emplace_back([&] {
    while (added.load() < kDocuments) {
      const uint64_t before = added.load();
      if (!index->Commit().ok()) ++failures;
      if ((*Snapshot::Open(*directory))->doc_count() < before) ++failures;
    }
  });
  for (uint64_t i = 0; i < kDocuments; ++i) {
    ASSERT_TRUE(index->Add(Document(i)).ok());
    added = i + 1;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
}

TEST(LiveIndex, KeepsAPropertyNoLaterThanTheWritesBehindIt) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  const auto kept = [&] {
    return (*Snapshot::Open(*directory))->manifest().properties.count("color") == 1;
  };
  index->SetProperty("color", "red");
  EXPECT_FALSE(kept());
  ASSERT_TRUE(index->Commit().ok());  // without a document
  EXPECT_EQ((*Snapshot::Open(*directory))->manifest().properties.at("color"), "red");
  index->SetProperty("color", "green");
  ASSERT_TRUE(index->Add(Document(0)).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->manifest().properties.at("color"), "green");
}

TEST(LiveIndex, TakesDocumentsOfSeveralThreadsAndSharesTheirCommits) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kEach = 60;
  const auto directory = NewDramDirectory("live");
  const auto index = OpenLive(*directory);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < kEach; ++i) {
        const AddedDocument document = Document(thread * kEach + i);
        if (!index->Add(document).ok() || !index->Commit().ok()) ++failures;
        const std::vector<std::string> ids = Ids(**Snapshot::Open(*directory));
        if (std::find(ids.begin(), ids.end(), document.id) == ids.end()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
  std::vector<std::string> ids = Ids(**Snapshot::Open(*directory));
  std::vector<std::string> expected = IdsUpTo(kThreads * kEach);
  std::sort(ids.begin(), ids.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(ids, expected);
}

}  // namespace live_index_test
}  // namespace pmdex
