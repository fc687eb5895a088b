#include "engine/segment/segment_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/segment/verify/verifier.h"
#include "tests/support/faulty_file.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace segment_copy_test {

class SegmentCopyTest : public testing::Test {
 protected:
  SegmentCopyTest() {
    VectorSegmentInput input(VectorSegmentOptions{.positions = true, .stored_text = true});
    const FieldId body = input.AddField("body");
    for (int i = 0; i < 500; ++i) {
      const DocId doc = input.AddDocument("document-" + std::to_string(i));
      input.AddText(doc, body, "word term" + std::to_string(i % 7) + " n" + std::to_string(i));
    }
    input.Finish();
    EXPECT_TRUE(WriteSegment(*from_, 3, input).ok());
  }
  std::vector<std::byte> BytesOf(const Directory& directory, uint64_t id) {
    const auto file = directory.Open(SegmentFileName(id));
    EXPECT_TRUE(file.ok()) << file.status();
    return {(*file)->bytes().begin(), (*file)->bytes().end()};
  }
  std::shared_ptr<const Segment> Open(std::span<const std::byte> bytes) {
    return *Segment::Open(std::make_unique<MemoryFile>(bytes), "source", std::nullopt);
  }

  const std::unique_ptr<Directory> from_ = NewDramDirectory("from");
  const std::unique_ptr<Directory> to_ = NewDramDirectory("to");
};

TEST_F(SegmentCopyTest, IsTheSameSegmentUnderAnotherId) {
  const std::vector<std::byte> source = BytesOf(*from_, 3);
  const auto info = CopySegment(*Open(source), *to_, 9);
  ASSERT_TRUE(info.ok()) << info.status();
  std::vector<std::byte> copy = BytesOf(*to_, 9);
  EXPECT_TRUE(VerifySegment(*Open(copy)).empty());
  const auto opened = Segment::Open(std::make_unique<MemoryFile>(copy), "copy",
                                    SegmentExpectation{info->file_bytes, info->header_crc, 9});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->doc_count(), info->doc_count);
  EXPECT_EQ((*opened)->posting_count(), info->posting_count);
  EXPECT_TRUE(std::equal(source.begin() + kHeaderPageBytes, source.end(),
                         copy.begin() + kHeaderPageBytes, copy.end()));
  // Back under the old id it has its old bytes.
  ASSERT_TRUE(CopySegment(*Open(copy), *to_, 3).ok());
  EXPECT_EQ(BytesOf(*to_, 3), source);
}

TEST_F(SegmentCopyTest, RefusesEveryDamagedPage) {
  const std::vector<std::byte> source = BytesOf(*from_, 3);
  const auto sound = Open(source);
  for (const SectionEntry& section : sound->view().sections()) {
    if (section.kind == SectionKind::kPageChecksums || section.size_bytes == 0) continue;
    std::vector<std::byte> damaged = source;
    damaged[section.offset + section.size_bytes / 2] ^= std::byte{4};
    const auto segment =
        Segment::Open(std::make_unique<MemoryFile>(damaged), "source", std::nullopt);
    if (!segment.ok()) continue;  // opening reads some sections
    EXPECT_TRUE(absl::IsDataLoss(CopySegment(**segment, *to_, 9).status()));
    EXPECT_TRUE(to_->List()->empty());
  }
}

TEST_F(SegmentCopyTest, RefusesASourceWhoseMediumFails) {
  const std::vector<std::byte> source = BytesOf(*from_, 3);
  FaultyMedium medium;
  const auto segment =
      *Segment::Open(std::make_unique<FaultyFile>(source, medium), "source", std::nullopt);
  medium.health = DataLoss("the medium failed");
  EXPECT_TRUE(absl::IsDataLoss(CopySegment(*segment, *to_, 9).status()));
  EXPECT_TRUE(to_->List()->empty());
}

}  // namespace segment_copy_test
}  // namespace pmdex
