// Random rounds of everything that changes an index: documents are added, replaced and deleted, and
// segments merged, until the power fails. After each round the index is compared with indexes that
// are built afresh.
//
// docs/DELETING.md states the rule of statistics: deleted documents count in them until a merge
// drops them. So before the merge scores are those of an index with all documents, of which some
// were then deleted. After a merge to one segment they are those of an index that never had the
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/live/live_index.h"
#include "engine/store/merging/merge_index.h"
#include "engine/store/store_verifier.h"
#include "query/searcher.h"
#include "tests/support/effort.h"
#include "tests/support/live_documents.h"
#include "tests/support/random_corpus.h"
#include "tests/support/simulated_directory.h"

namespace pmdex {
namespace random_rounds_test {

constexpr size_t kIds = 80;
constexpr size_t kAll = 10'000;  // more hits than there are

struct WrittenDocument {
  uint64_t write = 0;
  AddedDocument document;
};
using Documents = std::map<std::string, WrittenDocument>;  // by id

IndexSettings RoundSettings() {
  return {AnalyzerKind::kStandard, true, true};
}

LiveOptions Creating() {
  LiveOptions options;
  options.create = true;
  options.settings = RoundSettings();
  return options;
}

// One segment of these documents.
std::unique_ptr<Directory> BuildAfresh(const std::vector<AddedDocument>& documents) {
  auto directory = NewDramDirectory("afresh");
  const auto index = *LiveIndex::Open(*directory, Creating());
  for (const AddedDocument& document : documents) EXPECT_TRUE(index->Add(document).ok());
  EXPECT_TRUE(index->Commit().ok());
  return directory;
}

std::vector<AddedDocument> InOrderOfWrites(const Documents& documents) {
  std::map<uint64_t, AddedDocument> by_write;
  for (const auto& [id, written] : documents) by_write.emplace(written.write, written.document);
  std::vector<AddedDocument> ordered;
  for (auto& [write, document] : by_write) ordered.push_back(std::move(document));
  return ordered;
}

absl::Status MergeToSegments(Directory& directory, std::optional<size_t> most) {
  PMDEX_ASSIGN_OR_RETURN(const auto writer,
                         IndexWriter::Open(directory, OpenMode::kAppend, RoundSettings()));
  MergeIndexOptions options;
  options.max_segments = most;
  return MergeIndex(directory, *writer, options).status();
}

class RandomRounds {
 public:
  explicit RandomRounds(uint64_t seed)
      : random_(seed),
        corpus_(seed, /*vocabulary=*/80),
        medium_(std::make_unique<SimulatedMedium>(MediumOptions{
            random_.OneIn(2) ? PersistenceMode::kAdr : PersistenceMode::kPage,
            random_.OneIn(2) ? DirectoryOrder::kJournaled : DirectoryOrder::kUnordered})) {}

  void Run(int rounds) {
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
      SCOPED_TRACE(absl::StrCat("round ", round));
      // The first round makes the index, and so do later ones until one is durable.
      if (random_.OneIn(2)) medium_->CutPowerAt(medium_->operation_count() + random_.Below(200));
      const absl::Status status = Change();
      if (status.ok()) ++whole_;
      Crash();
      FindWhatIsLeft();
      if (!HasIndex()) continue;
      CompareBeforeMerge();
      CompareAfterMerge();
    }
  }

  int whole() const { return whole_; }  // rounds without an error
  uint64_t deleted_before_merges() const { return deleted_before_merges_; }

 private:
  bool HasIndex() const { return LoadNewestManifest(SimulatedDirectory(*medium_), nullptr).ok(); }

  // Some commits, and perhaps a merge.
  absl::Status Change() {
    SimulatedDirectory directory(*medium_);
    {
      PMDEX_ASSIGN_OR_RETURN(const auto index, LiveIndex::Open(directory, Creating()));
      for (size_t commits = 1 + random_.Below(4); commits > 0; --commits) {
        PMDEX_RETURN_IF_ERROR(WriteSome(*index));
        if (random_.OneIn(3)) PMDEX_RETURN_IF_ERROR(index->TakeSnapshot().status());
        PMDEX_RETURN_IF_ERROR(index->Commit());
        durable_ = written_;
      }
    }
    switch (random_.Below(4)) {
      case 0:
        return MergeToSegments(directory, 1 + random_.Below(3));
      case 1:
        return MergeToSegments(directory, std::nullopt);
      default:
        return absl::OkStatus();
    }
  }

  absl::Status WriteSome(LiveIndex& index) {
    for (size_t writes = 1 + random_.Below(25); writes > 0; --writes) {
      const std::string id = absl::StrCat("d", random_.Below(kIds));
      if (random_.OneIn(4)) {
        PMDEX_ASSIGN_OR_RETURN(const WriteResult result, index.Delete(id));
        EXPECT_EQ(result.removed, written_.erase(id));
        continue;
      }
      AddedDocument document{id, corpus_.Documents(1).front().fields, ""};
      PMDEX_ASSIGN_OR_RETURN(const WriteResult result, index.Put(document));
      EXPECT_EQ(result.removed, written_.count(id));
      written_[id] = {++writes_, std::move(document)};
    }
    return absl::OkStatus();
  }

  void Crash() {
    constexpr Survival kAny[] = {Survival::kNothing, Survival::kEverything, Survival::kRandom};
    const auto any = [&] { return kAny[random_.Below(3)]; };
    const Settlement settlement{any(), any(), any(), random_.OneIn(2), random_.Next()};
    medium_ = medium_->AfterPowerCut(settlement);
    medium_->CutPowerAt(UINT64_MAX);
  }

  // All that was acknowledged, and all of the commit that ran or nothing of it.
  void FindWhatIsLeft() {
    const auto texts_of = [](const Documents& documents) {
      return *ReadLiveDocuments(*BuildAfresh(InOrderOfWrites(documents)));
    };
    std::map<std::string, std::string> left;
    if (HasIndex()) {
      const auto read = ReadLiveDocuments(SimulatedDirectory(*medium_));
      ASSERT_TRUE(read.ok()) << read.status();
      left = *read;
    }
    if (left == texts_of(written_)) durable_ = written_;
    ASSERT_EQ(left, texts_of(durable_));
    written_ = durable_;
  }

  // Everything that a query finds in this index. with_scores: to the bit, in order.
  static std::string Answer(const Searcher& searcher, const std::string& query, bool with_scores) {
    SearchOptions options;
    options.k = kAll;
    options.count = true;
    const auto result = searcher.Search(query, options);
    if (!result.ok()) return result.status().ToString();
    std::vector<std::string> hits;
    for (const Hit& hit : result->hits) {
      hits.push_back(with_scores ? absl::StrFormat("%s:%a", hit.id, hit.score)
                                 : std::string(hit.id));
    }
    if (!with_scores) std::sort(hits.begin(), hits.end());
    std::string answer = absl::StrCat(result->total);
    for (const std::string& hit : hits) absl::StrAppend(&answer, " ", hit);
    return answer;
  }
  void Compare(const Directory& found, const Directory& expected, bool with_scores) {
    const auto report = VerifyStore(found);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->findings.empty());
    const Searcher searcher(*Snapshot::Open(found));
    const Searcher oracle(*Snapshot::Open(expected));
    for (int i = 0; i < 20; ++i) {
      const std::string query = i == 0 ? "*:*" : corpus_.Query(/*phrases=*/true);
      EXPECT_EQ(Answer(searcher, query, with_scores), Answer(oracle, query, with_scores)) << query;
    }
  }

  // The same hits as the survivors alone, with the scores of an index that has the deleted
  // documents, too.
  void CompareBeforeMerge() {
    const SimulatedDirectory directory(*medium_);
    Compare(directory, *BuildAfresh(InOrderOfWrites(durable_)), /*with_scores=*/false);
    const auto snapshot = *Snapshot::Open(directory);
    std::vector<AddedDocument> documents;
    std::vector<DocId> deleted;
    for (size_t i = 0; i < snapshot->segments().size(); ++i) {
      const Segment& segment = *snapshot->segments()[i];
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (!IsLive(snapshot->live_docs(i), doc)) {
          deleted.push_back(static_cast<DocId>(documents.size()));
        }
        AddedDocument& document = documents.emplace_back();
        document.id = std::string(*segment.doc_id(doc));
        const auto stored = segment.StoredText(doc);
        ASSERT_TRUE(stored.ok()) << stored.status();
        for (const auto& value : *stored) {
          document.fields.emplace_back(segment.fields()[value.field].name, value.text);
        }
      }
    }
    deleted_before_merges_ += deleted.size();
    const auto afresh = BuildAfresh(documents);
    if (!deleted.empty()) {
      const auto writer = *IndexWriter::Open(*afresh, OpenMode::kAppend, RoundSettings());
      ASSERT_TRUE(writer->Delete(writer->published().segments[0].id, deleted).ok());
      ASSERT_TRUE(writer->Publish().ok());
    }
    Compare(directory, *afresh, /*with_scores=*/true);
  }

  // The next round goes on without this merge.
  void CompareAfterMerge() {
    const auto image = medium_->AfterKill();
    SimulatedDirectory directory(*image);
    const absl::Status merged = MergeToSegments(directory, 1);
    ASSERT_TRUE(merged.ok()) << merged;
    EXPECT_LE((*Snapshot::Open(directory))->segments().size(), 1u);
    Compare(directory, *BuildAfresh(InOrderOfWrites(durable_)), /*with_scores=*/true);
  }

  SeededRandom random_;
  RandomCorpus corpus_;
  std::unique_ptr<SimulatedMedium> medium_;
  Documents durable_;  // as of the last commit that returned
  Documents written_;  // with the writes that no commit has made durable yet
  uint64_t writes_ = 0;
  int whole_ = 0;
  uint64_t deleted_before_merges_ = 0;
};

TEST(RandomRounds, LeaveAnIndexThatAnswersAsOneBuiltAfresh) {
  constexpr int kRoundCount = 20;
  const uint64_t first = FromEnvironment("PMDEX_ROUNDS_SEED", 1);
  const auto seeds = static_cast<uint64_t>(ByEffort(Rounds(4), Rounds(32)));
  uint64_t whole = 0;
  uint64_t deleted = 0;
  for (uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("again: PMDEX_ROUNDS_SEED=", seed));
    RandomRounds rounds(seed);
    rounds.Run(kRoundCount);
    whole += static_cast<uint64_t>(rounds.whole());
    deleted += rounds.deleted_before_merges();
  }
  // The rounds had what they are made for. In some the power failed before the end.
  EXPECT_GT(whole, kRoundCount * seeds / 4);
  EXPECT_LT(whole, kRoundCount * seeds * 9 / 10);
  EXPECT_GT(deleted, 20 * seeds);
}

}  // namespace random_rounds_test
}  // namespace pmdex
