// What an index tells of the files that it was built from.
#include "tools/watch/document_facts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "engine/columns/date_text.h"
#include "engine/ingest/build_options.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace document_facts_test {

class DocumentFactsTest : public IngestFixture {
 protected:
  DocumentFactsTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kFiles;
  }

  // What the index says of the file at the path. since: when its build began; empty: nobody knows.
  KnownFile Find(const std::string& path, const std::string& since) {
    const auto snapshot = Snapshot::Open(*directory_).value();
    Manifest manifest = snapshot->manifest();
    if (!since.empty()) manifest.properties[kFilesReadSinceProperty] = since;
    DocumentFacts facts(manifest);
    for (const auto& segment : snapshot->segments()) {
      for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
        if (*segment->doc_id(doc) == path) return facts.Find(path, {segment, doc}).value();
      }
    }
    ADD_FAILURE() << "no document " << path;
    return {};
  }
  // A time that is so much later than the last change of the file.
  static std::string Behind(const std::string& path, int64_t nanoseconds) {
    return FormatDate(FactsNow(path).ctime_ns + nanoseconds);
  }
  static FileFacts FactsNow(const std::string& path) {
    struct stat now;
    EXPECT_EQ(lstat(path.c_str(), &now), 0);
    const auto of = [](const timespec& time) {
      return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
    };
    return {static_cast<uint64_t>(now.st_size), of(now.st_mtim), now.st_ino, now.st_dev,
            of(now.st_ctim)};
  }
};

constexpr int64_t kSecond = 1'000'000'000;

TEST_F(DocumentFactsTest, AreThoseThatTheFileHadWhenItWasRead) {
  const std::string path = Write("t/a", "some text");
  const std::string empty = Write("t/empty", "");
  options_.attributes = true;
  Run({Path("t")});
  const FileFacts before = FactsNow(path);
  const std::string later = Behind(empty, kSecond);
  for (const std::string& entry : {path, empty, Path("t")}) {
    const KnownFile known = Find(entry, later);
    EXPECT_EQ(known.facts, FactsNow(entry)) << entry;
    EXPECT_EQ(known.state, KnownState::kIndexed);
    EXPECT_FALSE(known.is_racy);
  }
  Write("t/a", "other text");
  EXPECT_EQ(Find(path, later).facts, before);
}

TEST_F(DocumentFactsTest, AreNotToBeReliedOnAfterAChangeInTheTickOfTheReading) {
  const std::string path = Write("t/a", "some text");
  Run({Path("t")});
  EXPECT_TRUE(Find(path, Behind(path, -kSecond)).is_racy) << "it changed while the build ran";
  EXPECT_TRUE(Find(path, Behind(path, kRacyNanoseconds - 1)).is_racy);
  EXPECT_FALSE(Find(path, Behind(path, kRacyNanoseconds)).is_racy);
  // A time of modification that the change of the file set into the future.
  const timespec times[2] = {{0, UTIME_OMIT}, {4'000'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  Run({Path("t")});
  EXPECT_TRUE(Find(path, Behind(path, kSecond)).is_racy);
}

TEST_F(DocumentFactsTest, AreUnknownOfWhatMayNotBeAllOfTheFile) {
  const std::string path = Write("t/a", "some text");
  const std::string binary = Write("t/binary", std::string(10, '\0'));
  const std::string line = Write("lines.jsonl", R"({"id": "x", "body": "some text"})");
  options_.attributes = true;
  Run({Path("t")});
  EXPECT_NE(Find(path, Behind(binary, kSecond)).facts.inode, 0u);
  EXPECT_EQ(Find(path, "").facts, FileFacts()) << "of an index of an earlier version";
  EXPECT_EQ(Find(path, "yesterday").facts, FileFacts());
  EXPECT_EQ(Find(binary, Behind(binary, kSecond)).facts, FileFacts())
      << "a file that cannot be read has no text either";
  options_.attributes = false;
  options_.format = InputFormat::kJsonl;
  Run({line});
  EXPECT_EQ(Find("x", Behind(line, kSecond)).facts, FileFacts());
}

}  // namespace document_facts_test
}  // namespace pmdex
