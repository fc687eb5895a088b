// The attributes that files have as fields, whatever the threads and the way they are read, and the
// entries that --attributes keeps.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/file_indexer.h"
#include "engine/store/store_verifier.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/column_texts.h"
#include "tests/support/compress.h"
#include "tests/support/permission_scope.h"

namespace pmdex {
namespace attributes_test {

using Values = std::map<std::string, std::string>;
using Documents = std::map<std::string, Values>;

// The columns of all documents, by id.
Documents DocumentsOf(const Directory& directory) {
  Documents documents;
  const auto snapshot = Snapshot::Open(directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  for (size_t i = 0; i < (*snapshot)->segments().size(); ++i) {
    const Segment& segment = *(*snapshot)->segments()[i];
    for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!IsLive((*snapshot)->live_docs(i), doc)) continue;
      Values values = ColumnTexts(segment, doc);
      values.erase("atime");  // reading changes it
      EXPECT_TRUE(documents.emplace(*segment.doc_id(doc), std::move(values)).second);
    }
  }
  return documents;
}

std::string Time(const timespec& time) {
  return std::to_string(time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec);
}

// What lstat(2) says, as the index has it.
Values Expected(const std::string& path) {
  struct stat facts;
  EXPECT_EQ(lstat(path.c_str(), &facts), 0) << path;
  char mode[8];
  snprintf(mode, sizeof mode, "%04o", facts.st_mode & 07777);
  return {{"path", path},
          {"size", std::to_string(facts.st_size)},
          {"mtime", Time(facts.st_mtim)},
          {"ctime", Time(facts.st_ctim)},
          {"uid", std::to_string(facts.st_uid)},
          {"gid", std::to_string(facts.st_gid)},
          {"mode", mode},
          {"nlink", std::to_string(facts.st_nlink)},
          {"inode", std::to_string(facts.st_ino)},
          {"device", std::to_string(facts.st_dev)},
          {"blocks", std::to_string(facts.st_blocks)}};
}

class AttributesTest : public IngestFixture {
 protected:
  AttributesTest() {
    options_.format = InputFormat::kFiles;
    options_.checkpoint_interval = std::chrono::milliseconds(0);
  }
  void ExpectFacts(const Documents& documents, const std::string& path) {
    ASSERT_TRUE(documents.contains(path)) << path;
    for (const auto& [name, value] : Expected(path)) {
      EXPECT_EQ(documents.at(path).at(name), value) << path << " " << name;
    }
  }
  // Every kind of entry but devices.
  void WriteEntries() {
    Write("tree/a.TXT", "some words");
    Write("tree/empty", "");
    Write("tree/bin.dat", std::string("a\0b", 3));
    Write("tree/sub/.hidden", "more words");
    Write("tree/sub/bad-\xff-name", "words");
    Write("tree/packed.log.gz", Compress(Compression::kGzip, "packed words"));
    mkdir(Path("tree/nothing").c_str(), 0750);
    ASSERT_EQ(symlink("../a.TXT", Path("tree/sub/link").c_str()), 0);
    ASSERT_EQ(symlink("gone", Path("tree/dangling").c_str()), 0);
    ASSERT_EQ(mkfifo(Path("tree/fifo").c_str(), 0620), 0);
    ASSERT_EQ(link(Path("tree/a.TXT").c_str(), Path("tree/sub/same.txt").c_str()), 0);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = Path("tree/s");
    ASSERT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(fd);
  }
};

TEST_F(AttributesTest, FilesHaveTheirAttributesAsTypedFields) {
  WriteEntries();
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(report.documents, 6u);
  EXPECT_EQ(CountOf(report, ProblemKind::kBinaryFile), 1u);
  const Documents documents = DocumentsOf(*directory_);
  for (const auto& [path, values] : documents) ExpectFacts(documents, path);
  const Values& text = documents.at(Path("tree/a.TXT"));
  EXPECT_EQ(text.at("name"), "a.TXT");
  EXPECT_EQ(text.at("dir"), Path("tree"));
  EXPECT_EQ(text.at("ext"), "txt");
  EXPECT_EQ(text.at("type"), "f");
  EXPECT_EQ(text.at("mime"), "text/plain");
  const Values& packed = documents.at(Path("tree/packed.log.gz"));
  EXPECT_EQ(packed.at("mime"), "application/gzip");
  EXPECT_EQ(packed.at("ext"), "gz");
  EXPECT_FALSE(documents.at(Path("tree/sub/.hidden")).contains("ext"));
  EXPECT_TRUE(documents.contains(Path("tree/sub/bad-\xff-name"))) << "names are bytes";
  EXPECT_EQ(Find("body", "packed"), std::vector<std::string>{Path("tree/packed.log.gz")});
  EXPECT_TRUE(VerifyStore(*directory_)->findings.empty());
  const auto snapshot = Snapshot::Open(*directory_);
  EXPECT_EQ((*snapshot)->manifest().fields.at("path"), AttributeSpecs().at("path"));
}

TEST_F(AttributesTest, AreTheSameWhateverTheThreadsAndTheWayFilesAreRead) {
  for (int i = 0; i < 500; ++i)
    Write("tree/d" + std::to_string(i % 7) + "/f" + std::to_string(i), "w");
  ASSERT_EQ(chmod(Path("tree/d3").c_str(), 0711), 0);
  Run({Path("tree")});
  const Documents expected = DocumentsOf(*directory_);
  ASSERT_EQ(expected.size(), 500u);
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  options_.block_bytes = uint64_t{64} << 10;
  Run({Path("tree")});
  EXPECT_EQ(DocumentsOf(*directory_), expected);
  // One file after the other, as a watch does it.
  const auto watched = NewDramDirectory("watched");
  auto writer = IndexWriter::Open(*watched, OpenMode::kCreate, options_.settings);
  std::vector<std::string> paths;
  for (const auto& [path, values] : expected) paths.push_back(path);
  FileIndexer indexer(options_, watched->granularity());
  ASSERT_TRUE(indexer.Index(paths, **writer).ok());
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ(DocumentsOf(*watched), expected);
  EXPECT_EQ((*Snapshot::Open(*watched))->manifest().fields,
            (*Snapshot::Open(*directory_))->manifest().fields);
}

TEST_F(AttributesTest, KeepEveryEntryWhereThatIsAskedFor) {
  WriteEntries();
  options_.attributes = true;
  const IngestReport report = Run({Path("tree")});
  const Documents documents = DocumentsOf(*directory_);
  std::string types;
  for (const auto& [path, values] : documents) {
    ExpectFacts(documents, path);
    types += values.at("type");
  }
  EXPECT_EQ(report.documents, 14u);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(std::count(types.begin(), types.end(), 'd'), 3);
  EXPECT_EQ(std::count(types.begin(), types.end(), 'f'), 7);
  EXPECT_EQ(std::count(types.begin(), types.end(), 'l'), 2);
  EXPECT_EQ(std::count(types.begin(), types.end(), 'p'), 1);
  EXPECT_EQ(std::count(types.begin(), types.end(), 's'), 1);
  EXPECT_EQ(documents.at(Path("tree/sub/link")).at("target"), "../a.TXT");
  EXPECT_EQ(documents.at(Path("tree/bin.dat")).at("mime"), "application/octet-stream");
  EXPECT_EQ(documents.at(Path("tree")).at("mime"), "inode/directory");
  // The order is that of the walk: a directory comes before what is in it.
  const std::vector<std::string> ids = Ids();
  EXPECT_EQ(ids.front(), Path("tree"));
  EXPECT_TRUE(VerifyStore(*directory_)->findings.empty());
}

TEST_F(AttributesTest, KeepWhatCannotBeRead) {
  Write("tree/secret", "words");
  ASSERT_EQ(chmod(Path("tree/secret").c_str(), 0), 0);
  Write("tree/broken.gz", Compress(Compression::kGzip, "words").substr(0, 9));
  options_.attributes = true;
  IngestReport report;
  {
    const PermissionScope modes_count;
    report = Run({Path("tree")});
  }
  EXPECT_EQ(report.documents, 3u);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(CountOf(report, ProblemKind::kKeptWithoutText), 1u);
  const Documents documents = DocumentsOf(*directory_);
  EXPECT_EQ(documents.at(Path("tree/secret")).at("mode"), "0000");
  EXPECT_EQ(documents.at(Path("tree/secret")).at("size"), "5");
}

TEST_F(AttributesTest, AppendToAnIndexThatHasNoneOrThatHasOtherTypes) {
  options_.format = InputFormat::kJsonl;
  Run({Write("a.jsonl",
             "{\"id\": \"1\", \"size\": \"large\", \"name\": 7, \"uid\": 5, \"ext\": \"a b\"}\n")});
  options_.format = InputFormat::kFiles;
  const std::string file = Write("f.txt", "words");
  const IngestReport report = Run({file}, OpenMode::kAppend);
  EXPECT_EQ(report.documents, 1u);
  const FieldSpecs fields = (*Snapshot::Open(*directory_))->manifest().fields;
  EXPECT_EQ(fields.at("size").type, FieldType::kText);
  EXPECT_EQ(fields.at("name").type, FieldType::kI64);
  EXPECT_EQ(fields.at("mtime").type, FieldType::kDate);
  const Documents documents = DocumentsOf(*directory_);
  EXPECT_FALSE(documents.at(file).contains("size"));
  EXPECT_EQ(documents.at(file).at("uid"), std::to_string(getuid()));
  EXPECT_EQ(documents.at("1").at("uid"), "5");
  EXPECT_FALSE(documents.at("1").contains("mtime"));
  EXPECT_EQ(Find("ext", "txt"), std::vector<std::string>{file}) << "a keyword in a field of text";
  EXPECT_EQ(CountOf(report, ProblemKind::kBadValue), 1u);
}

}  // namespace attributes_test
}  // namespace pmdex
