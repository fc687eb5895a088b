// Documents that are replaced and deleted in a live index, against a map of what should be there.
#include <gtest/gtest.h>

#include <new>

#include "query/searcher.h"
#include "tests/engine/live/live_test_support.h"
#include "tests/support/failing_directory.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace live_writes_test {

using Documents = DocumentTexts;

uint64_t Matches(LiveIndex& index, const std::string& query) {
  SearchOptions options;
  options.count = true;
  const auto result = Searcher(*index.TakeSnapshot()).Search(query, options);
  EXPECT_TRUE(result.ok());
  return result.ok() ? result->total : UINT64_MAX;
}

TEST(LiveWrites, ReplaceAndDeleteWhereverTheDocumentIs) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  for (const std::string where : {"memory", "dram", "medium", "opened"}) {
    ASSERT_EQ(index->Put(Text("a", "first"))->removed, 0u) << where;
    ASSERT_EQ(index->Put(Text("b", "other"))->removed, 0u) << where;
    ASSERT_TRUE(where != "dram" || index->TakeSnapshot().ok());
    ASSERT_TRUE(where == "memory" || where == "dram" || index->Commit().ok());
    if (where == "opened") {
      index.reset();
      index = OpenStoring(*directory);
    }
    ASSERT_EQ(index->Put(Text("a", "second"))->removed, 1u) << where;
    EXPECT_EQ(Visible(*index).size(), 2u) << where;
    EXPECT_EQ(Matches(*index, "first"), 0u) << where;
    EXPECT_EQ(Matches(*index, "second"), 1u) << where;
    ASSERT_EQ(index->Delete("a")->removed, 1u) << where;
    EXPECT_EQ(Matches(*index, "second"), 0u) << where;
    ASSERT_EQ(index->Delete("a")->removed, 0u) << where;
    ASSERT_EQ(index->Delete("b")->removed, 1u) << where;
    EXPECT_TRUE(Visible(*index).empty()) << where;
    ASSERT_TRUE(index->Commit().ok());
    EXPECT_TRUE(Durable(*directory).empty()) << where;
    EXPECT_TRUE((*Snapshot::Open(*directory))->segments().empty()) << where;
  }
}

TEST(LiveWrites, CommitDeletionsWithoutDocumentsAndWithoutASnapshot) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(index->Put(Text(id, "word")).ok());
  ASSERT_TRUE(index->Commit().ok());
  for (const char* id : {"b", "a"}) {
    ASSERT_EQ(index->Delete(id)->removed, 1u);
    ASSERT_TRUE(index->Commit().ok());
    ASSERT_EQ(index->Delete(id)->removed, 0u);
  }
  EXPECT_EQ(Durable(*directory).size(), 1u);
  EXPECT_EQ(Visible(*index).size(), 1u);
}

TEST(LiveWrites, NumberDeletionsOfWhatIsNotThere) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  EXPECT_EQ(index->Delete("a")->sequence.number, 0u);
  EXPECT_EQ(index->Delete("a")->sequence.number, 1u);
  EXPECT_EQ(index->Put(Text("a", "word"))->sequence.number, 2u);
  EXPECT_EQ(index->Delete("b")->sequence.number, 3u);
  EXPECT_EQ(Visible(*index).size(), 1u);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(index->Delete("b")->sequence.number, 4u);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Durable(*directory).size(), 1u);
  // The next one goes on behind them, and behind the number of what was there.
  index.reset();
  index = OpenStoring(*directory);
  EXPECT_EQ(index->Delete("b")->sequence.number, 6u);
}

TEST(LiveWrites, HaveThePropertiesOfWhoeverMadeTheIndex) {
  const auto directory = NewDramDirectory("live");
  LiveOptions options = Storing();
  options.properties["maker"] = "a test";
  ASSERT_TRUE(OpenStoring(*directory, options)->Put(Text("a", "word")).ok());
  options.properties["maker"] = "another";
  ASSERT_TRUE(OpenStoring(*directory, options)->Commit().ok());
  EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->properties.at("maker"), "a test");
}

TEST(LiveWrites, DeleteAllDocumentsThatRepeatAnId) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(index->Add(Text("a", "word")).ok());
    ASSERT_TRUE(i != 1 || index->Commit().ok());
    ASSERT_TRUE(i != 3 || index->TakeSnapshot().ok());
  }
  EXPECT_EQ(Matches(*index, "word"), 6u);
  EXPECT_EQ(index->Put(Text("a", "only"))->removed, 6u);
  EXPECT_EQ(Matches(*index, "word"), 0u);
  EXPECT_EQ(Visible(*index).size(), 1u);
}

TEST(LiveWrites, LeaveOldSnapshotsAsTheyAre) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  ASSERT_TRUE(index->Put(Text("a", "old")).ok());
  ASSERT_TRUE(index->Commit().ok());
  ASSERT_TRUE(index->Put(Text("b", "old")).ok());
  const auto before = *index->TakeSnapshot();
  const Documents documents = *ReadLiveDocuments(*before);
  ASSERT_TRUE(index->Put(Text("a", "new")).ok());
  ASSERT_TRUE(index->Delete("b").ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(*ReadLiveDocuments(*before), documents);
  EXPECT_EQ(Visible(*index).size(), 1u);
}

TEST(LiveWrites, HappenOnlyIfTheConditionHolds) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  EXPECT_TRUE(absl::IsAborted(index->Put(Text("a", "0"), {.at = WriteSequence{1, 0}}).status()));
  const WriteSequence first = index->Put(Text("a", "1"), {.absent = true})->sequence;
  EXPECT_EQ(first, (WriteSequence{1, 0}));
  EXPECT_TRUE(absl::IsAlreadyExists(index->Put(Text("a", "2"), {.absent = true}).status()));
  const WriteSequence second = index->Put(Text("a", "2"), {.at = first})->sequence;
  EXPECT_GT(second, first);
  EXPECT_TRUE(absl::IsAborted(index->Put(Text("a", "3"), {.at = first}).status()));
  EXPECT_TRUE(absl::IsAborted(index->Delete("a", {.at = first}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(index->Delete("a", {.absent = true}).status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(index->Put(Text("a", "3"), {.absent = true, .at = second}).status()));
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ((*index->FindDocument("a"))->sequence, second);  // also from the medium
  EXPECT_EQ(Matches(*index, "2"), 1u);
  EXPECT_EQ(index->Delete("a", {.at = second})->removed, 1u);
  EXPECT_FALSE(index->FindDocument("a")->has_value());
  EXPECT_TRUE(absl::IsAborted(index->Delete("a", {.at = second}).status()));
}

TEST(LiveWrites, HaveOtherSequencesAfterAnIndexIsOpenedAgain) {
  const auto directory = NewDramDirectory("live");
  auto index = OpenStoring(*directory);
  ASSERT_TRUE(index->Put(Text("a", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  const WriteSequence lost = index->Put(Text("a", "2"))->sequence;
  index.reset();
  index = OpenStoring(*directory);
  const WriteSequence opened = (*index->FindDocument("a"))->sequence;
  EXPECT_GT(opened, lost);
  EXPECT_TRUE(absl::IsAborted(index->Put(Text("a", "3"), {.at = lost}).status()));
  const WriteSequence next = index->Put(Text("a", "3"), {.at = opened})->sequence;
  EXPECT_GT(next, opened);
  EXPECT_TRUE(absl::IsAborted(index->Put(Text("a", "4"), {.at = opened}).status()));
  EXPECT_EQ(index->Delete("b")->removed, 0u);
  EXPECT_EQ(index->Delete("b")->sequence, (WriteSequence{next.term, next.number + 2}));
}

// Random writes, commits and restarts, against maps of what is visible and what is durable.
class RandomWrites {
 public:
  explicit RandomWrites(uint64_t seed, size_t memory_budget_bytes) : random_(seed) {
    options_.memory_budget_bytes = memory_budget_bytes;
    Open();
  }
  void Step() {
    const std::string id = "d" + std::to_string(random_.Below(60));
    const std::string text = "v" + std::to_string(++version_);
    switch (random_.Below(40)) {
      case 0:
        return Commit();
      case 1:
        index_.reset();  // what was not committed is gone
        expected_ = durable_;
        return Open();
      case 2:
        for (int i = 0; i < 300; ++i) Put("m" + std::to_string(i), text);
        return;
      case 3:
        for (int i = 0; i < 300; ++i) Delete("m" + std::to_string(i));
        return;
      case 4:
      case 5:
      case 6:
        return PutIf(id, text);
      case 7:
      case 8:
        return CheckFind(id);
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
        return Delete(id);
      case 14:
      case 15:
      case 16:
      case 17:
        return CheckVisible();
      default:
        return Put(id, text);
    }
  }
  void Commit() {
    ASSERT_TRUE(index_->Commit().ok());
    durable_ = expected_;
    EXPECT_EQ(Durable(*directory_), Texts(durable_));
  }
  void CheckVisible() { ASSERT_EQ(Visible(*index_), Texts(expected_)); }

 private:
  struct Version {
    std::string text;
    std::optional<WriteSequence> sequence;
  };
  using Versions = std::map<std::string, Version>;

  // As ReadLiveDocuments returns them.
  static Documents Texts(const Versions& versions) {
    Documents documents;
    for (const auto& [id, version] : versions) documents[id] = Stored(version.text);
    return documents;
  }
  // What is stored of a text, found out once.
  static std::string Stored(const std::string& text) {
    static const auto frame = [] {
      const auto directory = NewDramDirectory("frame");
      const auto index = OpenStoring(*directory);
      EXPECT_TRUE(index->Add(Text("a", "TEXT")).ok());
      const std::string stored = Visible(*index).at("a");
      const size_t at = stored.find("TEXT");
      return std::pair(stored.substr(0, at), stored.substr(at + 4));
    }();
    return frame.first + text + frame.second;
  }
  void Open() {
    index_ = OpenStoring(*directory_, options_);
    for (auto& [id, version] : durable_) version.sequence.reset();
    expected_ = durable_;
  }
  void Put(const std::string& id, const std::string& text) {
    const auto put = index_->Put(Text(id, text));
    ASSERT_TRUE(put.ok()) << put.status();
    ASSERT_EQ(put->removed, expected_.count(id));
    expected_[id] = {text, put->sequence};
  }
  void PutIf(const std::string& id, const std::string& text) {
    WriteCondition condition;
    bool holds = false;
    const auto found = expected_.find(id);
    if (random_.OneIn(2)) {
      condition.absent = true;
      holds = found == expected_.end();
    } else {
      const bool known = found != expected_.end() && found->second.sequence.has_value();
      holds = known && random_.OneIn(2);
      condition.at = holds ? *found->second.sequence : WriteSequence{1, 1u << 30};
    }
    const auto put = index_->Put(Text(id, text), condition);
    ASSERT_EQ(put.ok(), holds) << put.status();
    if (holds) expected_[id] = {text, put->sequence};
  }
  void Delete(const std::string& id) {
    const auto deleted = index_->Delete(id);
    ASSERT_TRUE(deleted.ok()) << deleted.status();
    ASSERT_EQ(deleted->removed, expected_.erase(id));
  }
  void CheckFind(const std::string& id) {
    const auto found = index_->FindDocument(id);
    ASSERT_TRUE(found.ok()) << found.status();
    const auto expected = expected_.find(id);
    ASSERT_EQ(found->has_value(), expected != expected_.end());
    if (!found->has_value()) return;
    EXPECT_EQ((*found)->snapshot->FindDocuments(id).value(), std::vector{(*found)->doc});
    if (expected->second.sequence.has_value()) {
      EXPECT_EQ((*found)->sequence, *expected->second.sequence);
    } else {
      expected->second.sequence = (*found)->sequence;
      durable_[id].sequence = (*found)->sequence;
    }
  }

  const std::unique_ptr<Directory> directory_ = NewDramDirectory("live");
  LiveOptions options_ = Storing();
  SeededRandom random_;
  std::unique_ptr<LiveIndex> index_;
  Versions expected_;
  Versions durable_;
  uint64_t version_ = 0;
};

TEST(LiveWrites, EqualAMapOfTheirDocuments) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    RandomWrites writes(seed, seed % 2 == 0 ? size_t{256} << 20 : size_t{200} << 10);
    for (int step = 0; step < 600 && !testing::Test::HasFailure(); ++step) writes.Step();
    writes.CheckVisible();
    writes.Commit();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(LiveWrites, AreCommittedWholeWhateverFailedBefore) {
  uint64_t retried = 0;
  for (uint64_t fail_at = 1; fail_at < 80; ++fail_at) {
    const auto behind = NewDramDirectory("live");
    FaultPlan plan(fail_at, MakeStatus(absl::StatusCode::kResourceExhausted, "no descriptors"));
    const auto directory = NewFaultyDirectory(*behind, plan);
    auto index = LiveIndex::Open(*directory, Storing());
    if (!index.ok()) continue;
    const auto write = [&](const std::string& id, const std::string& text) {
      for (int tries = 0; tries < 3; ++tries) {
        if ((*index)->Put(Text(id, text)).ok()) return true;
      }
      return false;
    };
    ASSERT_TRUE(write("a", "1") && write("b", "1") && write("c", "1"));
    bool failed = !(*index)->Commit().ok();
    ASSERT_TRUE(write("a", "2"));
    while (!(*index)->Delete("b").ok()) {
    }
    failed = !(*index)->Commit().ok() || failed;
    ASSERT_TRUE(write("d", "1"));
    if (!(*index)->Commit().ok()) continue;  // publishing failed before
    retried += failed ? 1 : 0;
    EXPECT_EQ(Durable(*behind).size(), 3u) << plan.failed();
    EXPECT_EQ(Durable(*behind), Visible(**index)) << plan.failed();
    EXPECT_FALSE(Durable(*behind).contains("b")) << plan.failed();
  }
  EXPECT_GT(retried, 0u);
}

// Splits at white space, and has no memory for the word "huge".
class FailingAnalyzer final : public Analyzer {
 public:
  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    if (text == "huge") throw std::bad_alloc();
    return words_->Analyze(text, first_position, sink);
  }
  std::string Normalize(std::string_view term) const override { return words_->Normalize(term); }
  AnalyzerKind kind() const override { return AnalyzerKind::kCustom; }

 private:
  const std::unique_ptr<Analyzer> words_ = NewAnalyzer(AnalyzerKind::kWhitespace);
};

TEST(LiveWrites, KeepTheirNumbersWhereADocumentFindsNoMemory) {
  const auto directory = NewDramDirectory("live");
  LiveOptions options = Storing();
  options.settings->analyzer = AnalyzerKind::kCustom;
  options.custom = {"failing", [] { return std::make_unique<FailingAnalyzer>(); }};
  const auto index = OpenStoring(*directory, options);
  ASSERT_NE(index, nullptr);
  ASSERT_TRUE(index->Put(Text("a", "1")).ok());
  EXPECT_THROW(index->Put(Text("b", "huge")).IgnoreError(), std::bad_alloc);
  ASSERT_TRUE(index->Put(Text("c", "1")).ok());
  ASSERT_TRUE(index->Put(Text("d", "1")).ok());
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 3u);
  EXPECT_FALSE(Visible(*index).contains("b"));
  EXPECT_EQ(index->Put(Text("c", "2"))->removed, 1u);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Visible(*index).size(), 3u);
  EXPECT_TRUE(Visible(*index).contains("d"));
}

TEST(LiveWrites, ChangeNothingIfTheMediumFails) {
  const auto base = NewDramDirectory("live");
  {
    const auto index = OpenStoring(*base);
    ASSERT_TRUE(index->Put(Text("a", "1")).ok());
    ASSERT_TRUE(index->Commit().ok());
  }
  FailingDirectory directory(*base, 1000);
  const auto index = OpenStoring(directory);
  ASSERT_TRUE(index->Put(Text("a", "2")).ok());
  ASSERT_TRUE(index->Delete("a").ok());
  directory.FailFromNowOn();
  EXPECT_FALSE(index->Commit().ok());
  EXPECT_TRUE(Visible(*index).empty());
  EXPECT_EQ(Durable(*base).size(), 1u);
}

}  // namespace live_writes_test
}  // namespace pmdex
