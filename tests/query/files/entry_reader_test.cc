#include "query/files/entry_reader.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include "engine/columns/column_key.h"
#include "query/files/attribute_column.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/column_texts.h"

namespace pmdex {
namespace entry_reader_test {

class EntryReaderTest : public IngestFixture {
 protected:
  EntryReaderTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kFiles;
    options_.attributes = true;
  }
};

TEST_F(EntryReaderTest, ReadsWhatTheColumnsHave) {
  for (int i = 0; i < 5000; ++i) {
    Write("t/d" + std::to_string(i % 9) + "/f" + std::to_string(i),
          std::string(static_cast<size_t>(i % 50), 'x'));
  }
  ASSERT_EQ(symlink("there", Path("t/link").c_str()), 0);
  Run({Path("t")});
  const auto snapshot = Snapshot::Open(*directory_);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  uint64_t entries = 0;
  for (const auto& segment : (*snapshot)->segments()) {
    EntryReader reader(*segment);
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
      ASSERT_TRUE(reader.MoveTo(doc));
      auto texts = ColumnTexts(*segment, doc);
      EXPECT_EQ(reader.path(), texts["path"]);
      EXPECT_EQ(std::string(1, reader.type()), texts["type"]);
      EXPECT_EQ(reader.text(FileAttribute::kTarget), texts["target"]);
      EXPECT_EQ(reader.Has(FileAttribute::kTarget), reader.type() == 'l');
      EXPECT_EQ(std::to_string(reader.number(FileAttribute::kMtime)), texts["mtime"]);
      EXPECT_EQ(std::to_string(reader.number(FileAttribute::kSize)), texts["size"]);
      EXPECT_EQ(std::to_string(reader.number(FileAttribute::kInode)), texts["inode"]);
      EXPECT_EQ(reader.mode(), std::stoul(texts["mode"], nullptr, 8));
      EXPECT_EQ(reader.number(FileAttribute::kSpecialDevice), 0);
      ++entries;
    }
    EXPECT_TRUE(reader.status().ok()) << reader.status();
  }
  EXPECT_EQ(entries, 5011u);
}

TEST_F(EntryReaderTest, DocumentsOfOtherFormatsAreNoEntries) {
  options_.attributes = false;
  options_.format = InputFormat::kJsonl;
  Run({Write("a.jsonl", "{\"id\": \"1\", \"path\": \"p\", \"mode\": 7}\n{\"id\": \"2\"}\n")});
  const auto snapshot = Snapshot::Open(*directory_);
  EntryReader reader(*(*snapshot)->segments()[0]);
  EXPECT_FALSE(reader.MoveTo(0));
  EXPECT_FALSE(reader.MoveTo(1));
  EXPECT_EQ(reader.EntriesIn(0).Count(), 0u);
  EXPECT_TRUE(reader.status().ok());
}

TEST_F(EntryReaderTest, AColumnHasTheValuesOfItsWindow) {
  for (int i = 0; i < 6000; ++i) Write("t/" + std::to_string(i) + (i % 3 == 0 ? ".c" : ""), "x");
  Run({Path("t")});
  const auto snapshot = Snapshot::Open(*directory_);
  const Segment& segment = *(*snapshot)->segments()[0];
  AttributeColumn extensions(segment, "ext");
  AttributeColumn none(segment, "rdev");
  EXPECT_EQ(none.view(), nullptr);
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    if (!extensions.is_loaded(doc / kZoneDocs)) {
      ASSERT_TRUE(extensions.Load(doc / kZoneDocs).ok());
    }
    ASSERT_TRUE(none.Load(doc / kZoneDocs).ok());
    EXPECT_FALSE(none.Has(doc));
    const auto values = extensions.view()->ValuesOf(doc);
    ASSERT_EQ(extensions.Has(doc), values->count == 1) << doc;
    if (values->count == 1) {
      EXPECT_EQ(extensions.Key(doc), *extensions.view()->KeyAt(values->first));
      EXPECT_EQ(*extensions.Text(doc), "c");
    }
    EXPECT_EQ(extensions.keys()[doc % kZoneDocs], 0u) << "the first keyword, or no value";
  }
  EXPECT_FALSE(extensions.TextOfKey(7).ok());
}

TEST_F(EntryReaderTest, AWindowHasTheSameEntriesAsItsDocuments) {
  for (int i = 0; i < 5000; ++i) Write("t/" + std::to_string(i), "x");
  Run({Path("t")});
  const auto snapshot = Snapshot::Open(*directory_);
  const Segment& segment = *(*snapshot)->segments()[0];
  EntryReader reader(segment);
  EntryReader one_by_one(segment);
  uint32_t entries = 0;
  for (uint32_t window = 0; window < WindowCount(segment.doc_count()); ++window) {
    reader.EntriesIn(window).ForEach([&](uint32_t i) {
      const DocId doc = window * kWindowDocs + i;
      EXPECT_TRUE(one_by_one.MoveTo(doc));
      reader.MoveToEntry(doc);
      EXPECT_EQ(reader.path(), one_by_one.path());
      EXPECT_EQ(EntryReader::ModeOfText(reader.text(FileAttribute::kMode)), one_by_one.mode());
      const uint64_t size_key = reader.Values(FileAttribute::kSize).keys()[i];
      EXPECT_EQ(I64OfKey(size_key), one_by_one.number(FileAttribute::kSize));
      ++entries;
      return true;
    });
  }
  EXPECT_EQ(entries, segment.doc_count());
  EXPECT_TRUE(reader.status().ok());
}

}  // namespace entry_reader_test
}  // namespace pmdex
