#include "engine/segment/file/segment_file_writer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/file/segment_view.h"

namespace pmdex {
namespace segment_file_writer_test {

class SegmentFileWriterTest : public testing::Test {
 protected:
  std::unique_ptr<WritableFile> Create(uint64_t capacity_bytes) {
    return directory_->Create("file", capacity_bytes).value();
  }
  SegmentView View(std::unique_ptr<WritableFile> file, uint64_t file_bytes) {
    EXPECT_TRUE(file->Seal(file_bytes).ok());
    file.reset();
    return SegmentView::Open(directory_->Open("file").value(), "file").value();
  }

  const std::unique_ptr<Directory> directory_ = NewDramDirectory("segment_file_writer_test");
};

TEST_F(SegmentFileWriterTest, NamesEverySectionInTheHeaderPage) {
  auto file = Create(1 << 20);
  SegmentFileWriter writer(*file);
  const std::vector<uint64_t> values(1000, 7);
  ASSERT_TRUE(writer.WriteArray(SectionKind::kMeta, std::span(values)).ok());
  ASSERT_TRUE(writer.WriteArray(SectionKind::kPostings, std::span(values).first(1)).ok());
  FileHeader header{};
  header.segment_id = 5;
  header.doc_count = 11;
  ASSERT_TRUE(writer.Close(header).ok());
  const SegmentView view = View(std::move(file), writer.file_bytes());
  EXPECT_EQ(view.header().segment_id, 5u);
  EXPECT_EQ(view.header().doc_count, 11u);
  EXPECT_EQ(view.header().file_bytes, writer.file_bytes());
  EXPECT_EQ(view.header_crc(), writer.header_crc());
  ASSERT_EQ(view.sections().size(), 3u) << "and the page checksums";
  EXPECT_EQ(view.sections()[2].kind, SectionKind::kPageChecksums);
  const auto meta = view.Array<uint64_t>(SectionKind::kMeta, 0, 1000).value();
  EXPECT_TRUE(std::equal(meta.begin(), meta.end(), values.begin()));
  EXPECT_EQ(view.Array<uint64_t>(SectionKind::kPostings, 0, 1).value()[0], 7u);
}

TEST_F(SegmentFileWriterTest, LeavesZerosBetweenSectionsThatGrewSideBySide) {
  auto file = Create(1 << 20);
  // What was there before must not be seen.
  const std::vector<std::byte> old(1 << 20, std::byte{0xee});
  file->CopyNonTemporal(0, old);
  SegmentFileWriter writer(*file);
  {
    auto streams =
        writer.StartTwo({SectionKind::kDocEntries, 100000}, {SectionKind::kDocIdBytes, 9});
    ASSERT_TRUE(streams.ok());
    auto& [entries, ids] = *streams;
    entries.AppendValue(uint32_t{1});
    ids.AppendValue(uint8_t{2});
    ASSERT_TRUE(writer.Finish(entries).ok());
    ASSERT_TRUE(writer.Finish(ids).ok());
  }
  ASSERT_TRUE(writer.Close(FileHeader{}).ok());
  const SegmentView view = View(std::move(file), writer.file_bytes());
  const SectionEntry& entries = view.sections()[0];
  const SectionEntry& ids = view.sections()[1];
  EXPECT_EQ(entries.offset % kSectionAlignment, 0u);
  EXPECT_EQ(ids.offset % kSectionAlignment, 0u);
  EXPECT_GE(ids.offset, entries.offset + 100000) << "where the first one might have ended";
  const auto between = view.bytes().subspan(entries.offset + entries.size_bytes,
                                            ids.offset - entries.offset - entries.size_bytes);
  EXPECT_TRUE(std::ranges::all_of(between, [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST_F(SegmentFileWriterTest, TellsWhenTheFileIsTooSmallForASection) {
  const auto file = Create(1 << 20);
  SegmentFileWriter writer(*file);
  const uint64_t left = file->capacity_bytes() - kHeaderPageBytes;
  EXPECT_TRUE(writer.Start(SectionKind::kMeta, left).ok());
  EXPECT_FALSE(writer.overran());
  EXPECT_EQ(writer.Start(SectionKind::kMeta, left + 1).status().code(),
            absl::StatusCode::kInternal);
  EXPECT_TRUE(writer.overran());
}

TEST_F(SegmentFileWriterTest, TellsWhenASectionOutgrowsItsLimit) {
  const auto file = Create(1 << 20);
  SegmentFileWriter writer(*file);
  SectionStream stream = writer.Start(SectionKind::kMeta, 8).value();
  stream.AppendValue(uint64_t{1});
  EXPECT_TRUE(writer.CheckLimit(stream).ok());
  EXPECT_FALSE(writer.overran());
  stream.AppendValue(uint8_t{1});
  EXPECT_EQ(writer.CheckLimit(stream).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(writer.Finish(stream).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(writer.overran());
}

}  // namespace segment_file_writer_test
}  // namespace pmdex
