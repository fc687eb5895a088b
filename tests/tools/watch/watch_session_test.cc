// Runs a watch in a thread while the test changes the tree, and compares the index with one that is
// built afresh. The tests wait until the index shows a document, never for a time.
#include "tools/watch/watch_session.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/segment/live_docs.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "tests/support/column_texts.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace watch_session_test {

namespace fs = std::filesystem;

// Live documents by id, with their text and their attributes. Reading changes the time of access.
// How many names a file has, and when that changed, is not seen where a name outside of the tree
// comes or goes.
using Documents = std::multimap<std::string, std::string>;

Documents DocumentsOf(const Directory& store) {
  Documents documents;
  const auto snapshot = Snapshot::Open(store);
  if (!snapshot.ok()) return documents;
  for (size_t i = 0; i < (*snapshot)->segments().size(); ++i) {
    const Segment& segment = *(*snapshot)->segments()[i];
    for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!IsLive((*snapshot)->live_docs(i), doc)) continue;
      const auto stored = segment.StoredText(doc);
      EXPECT_TRUE(stored.ok()) << stored.status();
      std::string text;
      for (const StoredValue& value : *stored) absl::StrAppend(&text, value.text, "|");
      for (const auto& [name, value] : ColumnTexts(segment, doc)) {
        if (name == "atime" || name == "ctime" || name == "nlink") continue;
        absl::StrAppend(&text, name, "=", value, "|");
      }
      documents.emplace(std::string(*segment.doc_id(doc)), std::move(text));
    }
  }
  return documents;
}

class Session : public testing::TestWithParam<SourceKind> {
 protected:
  Session() : directory_(FastTemporaryParent()), store_(NewDramDirectory("store")) {
    fs::create_directories(directory_ / "tree");
    options_.settings.store_text = true;
    options_.memory_bytes = uint64_t{32} << 20;
    options_.format = InputFormat::kFiles;
    options_.inputs = {directory_ / "tree"};
    watch_.source = GetParam();
    watch_.poll_every = std::chrono::milliseconds(20);
    roots_.push_back(*TreeRoot::Open(directory_ / "tree", ""));
  }
  ~Session() override { Stop().status().IgnoreError(); }

  // False if the kernel does not allow the source.
  bool IsAllowed() const { return OpenChangeSource(GetParam(), roots_, watch_.poll_every).ok(); }

  void Start() {
    stop_ = std::make_unique<StopFlag>();
    thread_ = std::thread([this] { report_ = RunWatch(*store_, watch_, *stop_); });
  }
  absl::StatusOr<WatchReport> Stop() {
    if (thread_.joinable()) {
      stop_->Set();
      thread_.join();
    }
    return report_;
  }
  absl::StatusOr<WatchReport> RunWatch(Directory& store, const WatchOptions& watch,
                                       const StopFlag& stop) {
    PMDEX_ASSIGN_OR_RETURN(const auto index, WatchedIndex::Open(store, options_, {}));
    WatchSession session(watch, roots_, *index, stop, [this](std::string_view) { ++warnings_; });
    return session.Run([this](const WatchReport&) { ++news_; });
  }

  std::string Path(const std::string& name) const { return directory_ / "tree/" + name; }

  // Waits until the index has a document of this name. Changes are applied in their order, so that
  // all earlier ones are applied then.
  void AwaitMark() {
    const std::string name = absl::StrCat("mark-", marks_++);
    directory_.Write("tree/" + name, "x");
    for (;;) {
      const auto snapshot = Snapshot::Open(*store_);
      if (snapshot.ok()) {
        const auto found = (*snapshot)->FindDocument(Path(name));
        if (found.ok() && found->has_value()) return;
      }
      std::this_thread::yield();
    }
  }

  // What an index has that is built from the tree as it is now.
  Documents Fresh() {
    const auto store = NewDramDirectory("fresh");
    WatchOptions once;
    once.once = true;
    once.keeps_entries = watch_.keeps_entries;
    const StopFlag never;
    const auto report = RunWatch(*store, once, never);
    EXPECT_TRUE(report.ok()) << report.status();
    return DocumentsOf(*store);
  }

  void LinkAtRandom(std::mt19937_64& random, int links);
  void ChangeAtRandom(std::mt19937_64& random, int operations);

  const TemporaryDirectory directory_;
  const std::unique_ptr<Directory> store_;
  std::vector<TreeRoot> roots_;
  IngestOptions options_;
  WatchOptions watch_;
  std::unique_ptr<StopFlag> stop_;
  std::thread thread_;
  absl::StatusOr<WatchReport> report_ = absl::UnknownError("not run");
  int marks_ = 0;
  // Counted by the thread that runs a watch, and by this one for Fresh().
  std::atomic<int> warnings_ = 0;
  std::atomic<int> news_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, Session, testing::Values(SourceKind::kInotify, SourceKind::kFanotify),
                         [](const auto& one) {
                           return one.param == SourceKind::kInotify ? "inotify" : "fanotify";
                         });

// One of some dozens of paths, in up to three directories.
std::string RandomPath(std::mt19937_64& random) {
  std::string path;
  for (uint64_t depth = random() % 3; depth > 0; --depth) {
    absl::StrAppend(&path, "d", random() % 4, "/");
  }
  return absl::StrCat(path, random() % 3 == 0 ? "d" : "f", random() % 6);
}

void Session::LinkAtRandom(std::mt19937_64& random, int links) {
  for (int i = 0; i < links; ++i) {
    (void)!link(Path(RandomPath(random)).c_str(), Path(RandomPath(random)).c_str());
  }
}

// Errors do not matter: what the operation leaves is what the index must show.
void Session::ChangeAtRandom(std::mt19937_64& random, int operations) {
  for (int i = 0; i < operations; ++i) {
    const std::string a = Path(RandomPath(random));
    const std::string b = Path(RandomPath(random));
    const std::string text = absl::StrCat("word", random() % 50, " word", random() % 50, "\n");
    std::error_code ignored;
    switch (random() % 10) {
      case 0:
      case 1:
      case 2:
        fs::create_directories(fs::path(a).parent_path(), ignored);
        std::ofstream(a) << text;
        break;
      case 3:
      case 4:
        std::ofstream(a, std::ios::app) << text;
        break;
      case 5:
        fs::create_directories(fs::path(b).parent_path(), ignored);
        std::rename(a.c_str(), b.c_str());
        break;
      case 6:
        unlink(a.c_str());
        break;
      case 7:
      case 8:
        std::rename(a.c_str(), (directory_ / "outside").c_str());
        std::rename((directory_ / "outside").c_str(), b.c_str());
        break;
      default:
        if (random() % 4 == 0) fs::remove_all(a, ignored);
        break;
    }
  }
}

TEST_P(Session, ShowsChangesAndAppliesTheRestWhenItEnds) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  directory_.Write("tree/before", "x");
  Start();
  directory_.Write("tree/a", "one");
  AwaitMark();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
  fs::remove(Path("before"));
  directory_.Write("tree/last", "two");
  const auto report = Stop();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
  EXPECT_GE(report->lag.count(), 2u);
  EXPECT_GE(report->applied.generations, 2u);
}

TEST_P(Session, ARootThatIsRemovedLosesItsDocumentsAndIsWatchedAgain) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  directory_.Write("tree/sub/a", "x");
  Start();
  AwaitMark();
  fs::rename(directory_ / "tree", directory_ / "aside");
  while (!DocumentsOf(*store_).empty()) std::this_thread::yield();
  directory_.Write("tree/b", "x");
  AwaitMark();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
  EXPECT_TRUE(Stop().ok());
}

TEST_P(Session, AChangeOfTheModeIsAChangeOfTheDocument) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  directory_.Write("tree/a", "one");
  directory_.Write("tree/sub/b", "two");
  Start();
  AwaitMark();
  ASSERT_EQ(chmod(Path("a").c_str(), 0640), 0);
  ASSERT_EQ(chmod(Path("sub/b").c_str(), 0604), 0);
  AwaitMark();
  const Documents documents = DocumentsOf(*store_);
  EXPECT_NE(documents.find(Path("a"))->second.find("|mode=0640|"), std::string::npos);
  EXPECT_NE(documents.find(Path("sub/b"))->second.find("|mode=0604|"), std::string::npos);
  EXPECT_EQ(documents, Fresh());
  // What changes while nobody watches is found at the next start.
  ASSERT_TRUE(Stop().ok());
  ASSERT_EQ(chmod(Path("a").c_str(), 0600), 0);
  Start();
  AwaitMark();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
}

TEST_P(Session, ThousandsOfRandomChangesLeaveTheIndexOfAFreshBuild) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  watch_.collector.quiet_period = std::chrono::milliseconds(1);
  watch_.collector.longest_delay = std::chrono::milliseconds(10);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    std::mt19937_64 random(seed);
    Start();
    for (int round = 0; round < 4; ++round) {
      // The kernel does not say of which file an unknown name was. A file that is written through
      // a new name which is gone before anybody looks changes unseen until the next scan.
      LinkAtRandom(random, 30);
      AwaitMark();
      ChangeAtRandom(random, 300);
      AwaitMark();
      EXPECT_EQ(DocumentsOf(*store_), Fresh()) << seed << " " << round;
    }
    const auto report = Stop();
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(DocumentsOf(*store_), Fresh());
    // What changes while nobody watches is found at the next start.
    ChangeAtRandom(random, 100);
  }
  EXPECT_TRUE(VerifyStore(*store_)->findings.empty());
}

TEST_P(Session, DirectoriesAndLinksAreKeptWhereEveryEntryIs) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  watch_.collector.quiet_period = std::chrono::milliseconds(1);
  watch_.keeps_entries = options_.attributes = true;
  for (const uint64_t seed : {11, 12, 13}) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::mt19937_64 random(seed);
    fs::remove_all(directory_ / "tree");
    fs::create_directories(directory_ / "tree");
    Start();
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 40; ++i) {
        ChangeAtRandom(random, 4);
        const std::string path = Path(RandomPath(random));
        (void)!symlink("f1", Path(RandomPath(random)).c_str());
        (void)!mkdir(path.c_str(), 0755);
        // The rights of a directory show in the documents below it when these are read again.
        std::error_code ignored;
        if (!fs::is_directory(path, ignored))
          (void)!chmod(path.c_str(), random() % 2 == 0 ? 0750 : 0644);
        if (i % 10 == 0) std::ofstream(path, std::ios::app) << std::string(3, '\0');
      }
      AwaitMark();
      const Documents documents = DocumentsOf(*store_);
      EXPECT_TRUE(documents.contains(directory_ / "tree"));
      EXPECT_EQ(documents, Fresh());
    }
    ASSERT_TRUE(Stop().ok());
    ChangeAtRandom(random, 100);
  }
  Start();
  AwaitMark();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
}

TEST_P(Session, AnInterruptedFirstScanIsNotAnnounced) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  directory_.Write("tree/a", "one");
  StopFlag stop;
  stop.Set();
  for (const bool once : {false, true}) {
    watch_.once = once;
    const auto report = RunWatch(*NewDramDirectory("interrupted"), watch_, stop);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->is_interrupted);
    EXPECT_EQ(report->applied.added, 0u);
    EXPECT_EQ(news_, 0);
  }
}

// Its clocks stand for a merge that takes a millisecond of the CPU whenever it looks.
TEST_P(Session, TheThrottleBoundsMerges) {
  for (int i = 0; i < 40; ++i) directory_.Write("tree/" + std::to_string(i), "word");
  watch_.once = true;
  watch_.most_files = 1;  // a segment for each file
  watch_.throttle = *Throttle::Parse("50%");
  std::chrono::nanoseconds now{0};
  std::chrono::nanoseconds waited{0};
  std::chrono::nanoseconds cpu{0};
  watch_.merge_time = {[&] { return now; }, [&] { return cpu += std::chrono::milliseconds(1); },
                       [&](std::chrono::nanoseconds time) {
                         now += time;
                         waited += time;
                       }};
  const StopFlag never;
  const auto report = RunWatch(*store_, watch_, never);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_LT(Snapshot::Open(*store_).value()->segments().size(), 40u);
  EXPECT_GT(waited.count(), 0);
}

TEST_P(Session, EndsWithAWarningWhileAnotherCommandWrites) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  watch_.longest_end = std::chrono::milliseconds(1);
  Start();
  AwaitMark();
  auto other = IndexWriter::Open(*store_, OpenMode::kAppend, options_.settings);
  while (absl::IsUnavailable(other.status())) {
    other = IndexWriter::Open(*store_, OpenMode::kAppend, options_.settings);
  }
  ASSERT_TRUE(other.ok()) << other.status();
  directory_.Write("tree/left", "two");
  const auto report = Stop();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(warnings_, 1);
  *other = nullptr;
  Start();
  AwaitMark();
  EXPECT_EQ(DocumentsOf(*store_), Fresh());  // the next watch has found it
}

TEST_P(Session, TooManyChangesAreFoundByAScan) {
  if (!IsAllowed()) GTEST_SKIP() << "the kernel does not allow this source";
  watch_.collector.most_paths = 5;
  Start();
  AwaitMark();
  std::mt19937_64 random(9);
  ChangeAtRandom(random, 500);
  AwaitMark();
  const auto report = Stop();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->overflows, 1u);
  EXPECT_EQ(DocumentsOf(*store_), Fresh());
}

}  // namespace watch_session_test
}  // namespace pmdex
