#include "engine/store/own_files.h"

#include <sys/stat.h>

#include <filesystem>

#include "engine/store/deletions/live_docs_file.h"
#include "pmem/exhaustion.h"
#include "pmem/forwarding_directory.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/memory_file.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace own_files_test {

namespace fs = std::filesystem;

DirectoryContent ContentOfStore(const Directory& directory) {
  const auto content = ReadDirectoryContent(directory);
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? *content : DirectoryContent();
}

TEST(OwnFiles, TemporaryNamesAreExact) {
  for (const char* name :
       {"manifest-0000000000000001.tmp", "manifest-9999999999999999.tmp",
        "segment-00000000000000ab.pmdex.tmp", "live-00000000000000ab-0000000000000001.pmdex.tmp"}) {
    EXPECT_TRUE(IsTemporaryName(name)) << name;
  }
  for (const char* name :
       {"", ".tmp", "a.tmp", "manifest-1.tmp", "manifest-00000000000000ab.tmp",
        "manifest-0000000000000001", "manifest-0000000000000001.tmp.tmp", "segment-1.pmdex.tmp",
        "segment-00000000000000AB.pmdex.tmp", "segment-backup.pmdex.tmp",
        "segment-00000000000000ab.tmp", "segment--000000000000001.pmdex.tmp"}) {
    EXPECT_FALSE(IsTemporaryName(name)) << name;
  }
}

TEST(OwnFiles, AreKnownByNameAndHeader) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const std::string segment = ContentOf(*directory, SegmentFileName(1));
  const std::string manifest = ContentOf(*directory, ManifestFileName(1));
  EXPECT_TRUE(*IsOwnFile(*directory, SegmentFileName(1)));
  EXPECT_TRUE(*IsOwnFile(*directory, ManifestFileName(1)));
  WriteStranger(*directory, SegmentFileName(2), segment);   // a copy: its id is another one
  WriteStranger(*directory, SegmentFileName(3), manifest);  // the header of another kind
  WriteStranger(*directory, SegmentFileName(4), segment.substr(0, 7));
  WriteStranger(*directory, SegmentFileName(5), "");
  WriteStranger(*directory, "segment-6.pmdex", segment);
  WriteStranger(*directory, ManifestFileName(7), segment);
  for (const std::string& name : {SegmentFileName(2), SegmentFileName(3), SegmentFileName(4),
                                  SegmentFileName(5), std::string("segment-6.pmdex"),
                                  ManifestFileName(7), std::string("gone"), SegmentFileName(8)}) {
    EXPECT_FALSE(*IsOwnFile(*directory, name)) << name;
  }
}

// A directory whose files open, but whose beginnings this process has no memory to map.
class UnmappedDirectory final : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_ASSIGN_OR_RETURN(const auto file, base().Open(name));
    return std::make_unique<File>(file->bytes());
  }

 private:
  class File final : public MemoryFile {
   public:
    using MemoryFile::MemoryFile;
    absl::Status Populate(uint64_t, uint64_t) const override { return OutOfMemory(); }
  };
};

TEST(OwnFiles, AreNotTakenForThoseOfOthersWhenThereIsNoMemoryToLook) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const UnmappedDirectory unmapped(*directory);
  for (const std::string& name : {ManifestFileName(1), SegmentFileName(1)}) {
    EXPECT_TRUE(absl::IsResourceExhausted(IsOwnFile(unmapped, name).status())) << name;
  }
  EXPECT_TRUE(absl::IsResourceExhausted(ReadDirectoryContent(unmapped).status()));
}

TEST(OwnFiles, ADirectoryIsEmptyAnIndexOrNeither) {
  const TemporaryDirectory root;
  const auto directory = *OpenFileDirectory(root.path(), {});
  EXPECT_EQ(ContentOfStore(*directory).kind, DirectoryKind::kEmpty);
  // What a fresh file system and dead writers leave.
  fs::create_directory(root / "lost+found");
  fs::create_directory(root / ".pmdex-scratch-aB3xY9");
  root.Write("write.lock", "");
  root.Write("manifest-0000000000000001.tmp", "half");
  root.Write(".pmdex-probe-12-0", "");
  EXPECT_EQ(ContentOfStore(*directory).kind, DirectoryKind::kEmpty);
  for (const char* stranger :
       {"tuning", "write.lock.d", ".pmdex-scratch-aB3xY", ".pmdex-scratch-"}) {
    fs::create_directory(root / stranger);
    const DirectoryContent content = ContentOfStore(*directory);
    EXPECT_EQ(content.kind, DirectoryKind::kOther) << stranger;
    EXPECT_EQ(content.stranger, stranger);
    fs::remove(root / stranger);
  }
  ASSERT_EQ(symlink("/", (root / "link").c_str()), 0);
  EXPECT_EQ(ContentOfStore(*directory).stranger, "link");
  // In an index strangers are no matter.
  WriteOrphan(*directory, 3);
  EXPECT_EQ(ContentOfStore(*directory).kind, DirectoryKind::kIndex);
  EXPECT_EQ(ContentOfStore(*directory).newest_manifest, "");
}

TEST(OwnFiles, LiveDocumentsAreKnownByNameAndHeader) {
  const auto directory = NewDramDirectory("store");
  const LiveDocs live_docs = LiveDocs::Without(3, std::vector<DocId>{1});
  ASSERT_TRUE(WriteLiveDocs(*directory, {5, 2}, live_docs).ok());
  EXPECT_TRUE(*IsOwnFile(*directory, LiveDocsFileName({5, 2})));
  EXPECT_EQ(ContentOfStore(*directory).kind, DirectoryKind::kIndex);
  const std::string content = ContentOf(*directory, LiveDocsFileName({5, 2}));
  WriteStranger(*directory, LiveDocsFileName({5, 3}), content);  // another generation
  WriteStranger(*directory, LiveDocsFileName({6, 2}), content);  // another segment
  WriteStranger(*directory, SegmentFileName(5), content);
  EXPECT_FALSE(*IsOwnFile(*directory, LiveDocsFileName({5, 3})));
  EXPECT_FALSE(*IsOwnFile(*directory, LiveDocsFileName({6, 2})));
  EXPECT_FALSE(*IsOwnFile(*directory, SegmentFileName(5)));
  EXPECT_EQ(ReadTakenNames(*directory)->live_docs, (std::set<LiveDocsKey>{{5, 2}, {5, 3}, {6, 2}}));
}

TEST(OwnFiles, TheNewestManifestOfAnIndexIsNamed) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}});
  WriteStranger(*directory, ManifestFileName(9), "not a manifest");
  const DirectoryContent content = ContentOfStore(*directory);
  EXPECT_EQ(content.kind, DirectoryKind::kIndex);
  EXPECT_EQ(content.newest_manifest, ManifestFileName(2));
  EXPECT_TRUE(CheckPlaceForIndex(content, *directory).ok());
}

TEST(OwnFiles, TheRefusalNamesTheStrangerInOneLine) {
  const auto directory = NewDramDirectory("store");
  WriteStranger(*directory, "two\nlines\x1b", "x");
  const absl::Status refused = CheckPlaceForIndex(ContentOfStore(*directory), *directory);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(
      Message(refused),
      "dram:store is neither empty nor an index, it holds two\\nlines\\x1b (hint: give --index "
      "a directory that is new, empty, or an index)");
}

TEST(OwnFiles, NamesThatAreInUseAreTaken) {
  const auto directory = NewDramDirectory("store");
  for (const char* name : {"segment-0000000000000010.pmdex", "segment-0000000000000011.pmdex.tmp",
                           "segment-12.pmdex", "manifest-0000000000000013", "notes"}) {
    WriteStranger(*directory, name, "x");
  }
  const auto taken = ReadTakenNames(*directory);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->segment_ids, (std::set<uint64_t>{0x10, 0x11}));
  EXPECT_EQ(taken->generations, std::set<uint64_t>{13});
}

}  // namespace own_files_test
}  // namespace pmdex
