#include "engine/segment/compressed/convert_segment.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/compressed/compressor.h"
#include "engine/segment/compressed/decompressor.h"
#include "engine/segment/compressed/segment_copier.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace {

std::shared_ptr<const Segment> OpenIn(const Directory& directory, const SegmentFileInfo& info) {
  return Segment::Open(directory.Open(info.file_name).value(), info.file_name,
                       SegmentExpectation{info.file_bytes, info.header_crc, info.segment_id})
      .value();
}

std::vector<std::byte> BytesOf(const Segment& segment) {
  const std::span<const std::byte> bytes = segment.view().bytes();
  return {bytes.begin(), bytes.end()};
}

// Compresses a segment of the input, compares what it holds, and decompresses it.
void ExpectRoundTrip(VectorSegmentInput& input) {
  const auto directory = NewDramDirectory("convert");
  const auto source = WriteAndOpen(*directory, 1, input);
  const auto info = WriteCompressedSegment(*source, *directory, 2);
  ASSERT_TRUE(info.ok()) << info.status();
  const auto compressed = OpenIn(*directory, *info);
  EXPECT_TRUE(compressed->is_compressed());
  EXPECT_EQ(info->doc_count, input.doc_count());
  EXPECT_EQ(info->posting_count, source->posting_count());
  ExpectSegmentHolds(*compressed, input);
  for (const Finding& finding : VerifySegment(*compressed)) {
    ADD_FAILURE() << finding.section << " at " << finding.offset << ": " << finding.what;
  }
  const auto other = NewDramDirectory("back");
  const auto back = WriteUncompressedSegment(*compressed, *other, 1);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(BytesOf(*OpenIn(*other, *back)), BytesOf(*source));
  EXPECT_TRUE(absl::IsInvalidArgument(WriteCompressedSegment(*compressed, *other, 3).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(WriteUncompressedSegment(*source, *other, 3).status()));
  EXPECT_EQ(other->List().value().size(), 1u);
}

TEST(ConvertSegmentTest, GivesTheSameBytesBackForEveryKindOfList) {
  for (const bool positions : {false, true}) {
    for (const bool stored_text : {false, true}) {
      const auto input = MakeSmallInput({.positions = positions, .stored_text = stored_text});
      ExpectRoundTrip(*input);
    }
  }
}

// Lists of all densities and lengths, with bits and with many blocks, frequencies of one and great
// ones, and positions on several pages.
TEST(ConvertSegmentTest, GivesTheSameBytesBackOfRandomLists) {
  SeededRandom random(20);
  for (int round = 0; round < 4; ++round) {
    VectorSegmentInput input({.positions = round != 1});
    const FieldId fields[] = {input.AddField("title"), input.AddField("body")};
    const uint32_t docs = round == 3 ? 20'000 : 1 + static_cast<uint32_t>(random.Below(3000));
    for (uint32_t i = 0; i < docs; ++i) input.AddDocument("d" + std::to_string(i));
    for (int term = 0; term < 60; ++term) {
      const uint64_t every = uint64_t{1} << random.Below(12);
      const uint64_t most_freq = random.OneIn(3) ? 1 : 1 + random.Below(6);
      const uint32_t farthest = random.OneIn(10) ? 300'000 : 3000;
      for (DocId doc = 0; doc < docs; ++doc) {
        if (!random.OneIn(every)) continue;
        VectorPosting posting{doc, 0, {}};
        posting.freq =
            static_cast<uint32_t>(random.OneIn(2000) ? 300 : 1 + random.Below(most_freq));
        uint32_t position = 0;
        for (uint32_t i = 0; i < posting.freq; ++i) {
          position += 1 + static_cast<uint32_t>(random.Below(farthest / posting.freq));
          posting.positions.push_back(position);
        }
        if (round == 1) posting.positions.clear();
        input.AddPosting(fields[term % 2], "t" + std::to_string(term), posting);
      }
    }
    input.Finish();
    ExpectRoundTrip(input);
  }
}

TEST(ConvertSegmentTest, GivesTheSameBytesBackOfASegmentWithoutDocuments) {
  VectorSegmentInput input({});
  input.AddField("body");
  input.Finish();
  ExpectRoundTrip(input);
}

TEST(ConvertSegmentTest, SaysWhenTheFileIsTooSmallAndWhatItNeeds) {
  const auto source = SegmentBytes(*MakeSmallInput({.positions = true})).Open().value();
  const auto directory = NewDramDirectory("small");
  const auto convert = [&](const Segment& from, uint64_t capacity, auto into) {
    const auto file = directory->Create("file", capacity).value();
    SegmentFileWriter writer(*file);
    const absl::Status status = into(writer, from, 9);
    EXPECT_TRUE(directory->Remove("file").ok());
    return std::pair(status, writer.overran());
  };
  EXPECT_TRUE(convert(*source, 1 << 20, CompressInto).first.ok());
  const auto compressed = CompressSegment(*source);
  const auto bytes_of = [](const Segment& segment, std::initializer_list<SectionKind> kinds) {
    uint64_t bytes = 0;
    for (const SectionKind kind : kinds) bytes += segment.view().RawSection(kind).size();
    return bytes;
  };
  EXPECT_GE(MostUncompressedBytes(*compressed).value(),
            bytes_of(*source, {SectionKind::kPostings, SectionKind::kPositions,
                               SectionKind::kDocEntries, SectionKind::kDocIdBytes}));
  EXPECT_GE(MostCompressedBytes(*source, 10),
            bytes_of(*compressed, {SectionKind::kCompressedUnits, SectionKind::kUnitPlaces,
                                   SectionKind::kPositionUnits, SectionKind::kPositionUnitStarts,
                                   SectionKind::kIdBlocks, SectionKind::kIdBlockStarts}));
  EXPECT_TRUE(convert(*compressed, 1 << 20, DecompressInto).first.ok());
}

TEST(ConvertSegmentTest, CopiesTheOtherSectionsAsTheyAre) {
  const auto source =
      SegmentBytes(*MakeSmallInput({.positions = true, .stored_text = true})).Open().value();
  const auto compressed = CompressSegment(*source);
  std::vector<SectionKind> kinds(SegmentCopier::kOfBlocks.begin(), SegmentCopier::kOfBlocks.end());
  kinds.insert(kinds.end(), SegmentCopier::kBehindIds.begin(), SegmentCopier::kBehindIds.end());
  kinds.push_back(SectionKind::kNorms);
  for (const SectionKind kind : kinds) {
    EXPECT_TRUE(
        std::ranges::equal(compressed->view().RawSection(kind), source->view().RawSection(kind)))
        << ToString(kind);
  }
  EXPECT_TRUE(compressed->view().RawSection(SectionKind::kPostings).empty());
  EXPECT_TRUE(compressed->view().RawSection(SectionKind::kPositions).empty());
  EXPECT_TRUE(compressed->view().RawSection(SectionKind::kDocEntries).empty());
}

// Damage that a conversion meets becomes its error, and no file is left.
TEST(ConvertSegmentTest, LeavesNoFileAfterDamage) {
  const SegmentBytes sound(*MakeSmallInput({.positions = true, .stored_text = true}));
  const SegmentBytes compressed(*CompressSegment(*sound.Open().value()));
  for (const SegmentBytes* source : {&sound, &compressed}) {
    const auto segment = source->Open().value();
    for (const SectionEntry& entry : segment->view().sections()) {
      if (entry.size_bytes == 0 || entry.kind == SectionKind::kMeta ||
          entry.kind == SectionKind::kPageChecksums) {
        continue;
      }
      SegmentBytes damaged = *source;
      damaged.section(entry.kind)[entry.size_bytes / 2] ^= std::byte{4};
      const auto directory = NewDramDirectory("damaged");
      const auto opened = damaged.Open().value();
      const auto info = source == &sound ? WriteCompressedSegment(*opened, *directory, 2)
                                         : WriteUncompressedSegment(*opened, *directory, 2);
      EXPECT_TRUE(absl::IsDataLoss(info.status())) << ToString(entry.kind) << info.status();
      EXPECT_TRUE(directory->List().value().empty());
      EXPECT_FALSE(opened->Health().ok());
    }
  }
}

}  // namespace
}  // namespace pmdex
