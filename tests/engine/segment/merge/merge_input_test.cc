#include "engine/segment/merge/merge_input.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "gtest/gtest.h"

#include "engine/segment/segment_writer.h"
#include "engine/segment/verify/verifier.h"
#include "tests/engine/segment/merge/merge_model.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace merge_input_test {

const std::vector<std::string> kFields = {"title", "body"};

// Segments that hold the documents of a model one after the other, with deletions.
struct Parts {
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const LiveDocs>> live_docs;
  std::vector<MergeSource> sources;
  std::vector<const ModelDocument*> survivors;
};

struct Division {
  size_t segments = 3;
  size_t delete_one_in = 0;  // 0: none
  bool compressed = false;   // every second segment
};

Parts Divide(const std::vector<ModelDocument>& docs, const ModelOptions& options,
             const Division& division, SeededRandom& random) {
  std::set<size_t> borders = {docs.size()};
  while (borders.size() < division.segments) borders.insert(random.Below(docs.size()));
  Parts parts;
  size_t begin = 0;
  for (const size_t end : borders) {
    std::vector<const ModelDocument*> own;
    std::vector<DocId> deleted;
    for (size_t i = begin; i < end; ++i) {
      // The second segment is deleted as a whole.
      const bool dies = division.delete_one_in != 0 &&
                        (parts.segments.size() == 1 || random.OneIn(division.delete_one_in));
      if (dies) deleted.push_back(static_cast<DocId>(own.size()));
      if (!dies) parts.survivors.push_back(&docs[i]);
      own.push_back(&docs[i]);
    }
    auto segment = WriteModel(own, kFields, options);
    if (division.compressed && parts.segments.size() % 2 == 0) segment = CompressSegment(*segment);
    parts.segments.push_back(segment);
    parts.live_docs.push_back(deleted.empty() ? nullptr
                                              : std::make_shared<LiveDocs>(LiveDocs::Without(
                                                    segment->doc_count(), deleted)));
    parts.sources.push_back({segment.get(), parts.live_docs.back().get()});
    begin = end;
  }
  return parts;
}

std::shared_ptr<const Segment> Merge(const std::vector<MergeSource>& sources,
                                     MergeInputOptions options = {}) {
  auto input = MergeInput::Open(sources, std::move(options));
  EXPECT_TRUE(input.ok()) << input.status();
  const auto merged = SegmentBytes(**input).Open();
  EXPECT_TRUE((*input)->status().ok()) << (*input)->status();
  return merged.value();
}

void ExpectSound(const Segment& segment) {
  for (const Finding& finding : VerifySegment(segment)) {
    ADD_FAILURE() << finding.section << " at " << finding.offset << ": " << finding.what;
  }
}

void ExpectSameTexts(const Segment& merged, const Segment& fresh) {
  ASSERT_EQ(merged.doc_count(), fresh.doc_count());
  for (DocId doc = 0; doc < fresh.doc_count(); ++doc) {
    ASSERT_EQ(merged.OriginalRecord(doc).value(), fresh.OriginalRecord(doc).value());
    const auto values = merged.StoredText(doc).value();
    const auto expected = fresh.StoredText(doc).value();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].field, expected[i].field);
      ASSERT_EQ(values[i].text, expected[i].text);
    }
  }
}

// stored_bytes: whether chunks of stored text must be the same, too.
void ExpectSameBytes(const Segment& merged, const Segment& fresh, bool stored_bytes) {
  for (const SectionEntry& entry : fresh.view().sections()) {
    if (!stored_bytes &&
        (entry.kind == SectionKind::kStoredChunks || entry.kind == SectionKind::kStoredBytes ||
         entry.kind == SectionKind::kPageChecksums)) {
      continue;
    }
    ASSERT_TRUE(std::ranges::equal(merged.view().RawSection(entry.kind),
                                   fresh.view().RawSection(entry.kind)))
        << ToString(entry.kind);
  }
  if (stored_bytes) {
    EXPECT_TRUE(std::ranges::equal(merged.view().bytes(), fresh.view().bytes()));
  }
  ExpectSameTexts(merged, fresh);
}

TEST(MergeInput, GivesTheBytesOfAFreshBuildOfTheSurvivors) {
  SeededRandom random(71);
  for (int round = 0; round < 24; ++round) {
    const ModelOptions options{.docs = round % 8 == 7 ? 6000u : 1 + random.Below(900),
                               .positions = round % 4 != 1,
                               .stored_text = round % 3 == 2,
                               .longest_id = round % 2 == 0 ? 12u : 300u};
    const auto docs = RandomDocuments(options, random);
    const Division division{.segments = 1 + random.Below(std::min<size_t>(7, docs.size())),
                            .delete_one_in = round % 2 == 0 ? 0 : 1 + random.Below(6),
                            .compressed = random.OneIn(2)};
    const Parts parts = Divide(docs, options, division, random);
    const auto merged = Merge(parts.sources);
    const auto fresh = WriteModel(parts.survivors, kFields, options);
    SCOPED_TRACE(round);
    ExpectSameBytes(*merged, *fresh, /*stored_bytes=*/!options.stored_text);
    ExpectSound(*merged);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MergeInput, GivesTheBytesOfAFreshBuildInAnotherOrder) {
  SeededRandom random(72);
  for (int round = 0; round < 10; ++round) {
    const ModelOptions options{.docs = round == 9 ? 5000u : 2 + random.Below(500),
                               .positions = round % 4 != 1,
                               .stored_text = round % 2 == 0};
    const auto docs = RandomDocuments(options, random);
    const Parts parts = Divide(
        docs, options,
        {.segments = 2, .delete_one_in = round % 3 == 0 ? 3u : 0u, .compressed = round % 2 == 1},
        random);
    std::vector<DocId> order(parts.survivors.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    std::vector<const ModelDocument*> ordered;
    for (const DocId doc : order) ordered.push_back(parts.survivors[doc]);
    if (ordered.empty()) continue;
    const auto merged = Merge(parts.sources, {.order = order, .stop = {}});
    SCOPED_TRACE(round);
    // Without chunks that are copied even the chunks are those of a fresh build.
    ExpectSameBytes(*merged, *WriteModel(ordered, kFields, options), /*stored_bytes=*/true);
    ExpectSound(*merged);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Of each segment at most one document in 64 stays, and gets another id.
TEST(MergeInput, TakesFewDocumentsOutOfLargeSegmentsAndGivesThemOtherIds) {
  SeededRandom random(78);
  for (int round = 0; round < 8; ++round) {
    const ModelOptions options{
        .docs = 2000, .positions = round % 4 != 1, .stored_text = round % 3 == 2};
    const auto docs = RandomDocuments(options, random);
    Parts parts = Divide(docs, options,
                         {.segments = 1 + random.Below(4), .compressed = round % 2 == 1}, random);
    std::vector<ModelDocument> renamed;
    for (size_t i = 0, begin = 0; i < parts.segments.size(); ++i) {
      const uint32_t count = parts.segments[i]->doc_count();
      std::set<DocId> kept;
      while (kept.size() < std::max(1u, count / 70)) {
        kept.insert(static_cast<DocId>(random.Below(count)));
      }
      std::vector<DocId> deleted;
      for (DocId doc = 0; doc < count; ++doc) {
        if (!kept.contains(doc)) deleted.push_back(doc);
      }
      for (const DocId doc : kept) renamed.push_back(docs[begin + doc]);
      parts.live_docs[i] = std::make_shared<LiveDocs>(LiveDocs::Without(count, deleted));
      parts.sources[i].live_docs = parts.live_docs[i].get();
      begin += count;
    }
    std::vector<std::string> ids;
    std::vector<const ModelDocument*> expected;
    for (ModelDocument& doc : renamed) {
      ids.push_back("renamed-" + doc.id);
      expected.push_back(&doc);
    }
    const auto merged = Merge(parts.sources, {.order = {}, .stop = {}, .ids = ids});
    // The original record names the old id.
    const auto fresh = WriteModel(expected, kFields, options);
    SCOPED_TRACE(round);
    ASSERT_EQ(merged->doc_count(), ids.size());
    for (DocId doc = 0; doc < merged->doc_count(); ++doc) {
      EXPECT_EQ(merged->doc_id(doc).value(), ids[doc]);
    }
    for (const SectionKind kind :
         {SectionKind::kPostings, SectionKind::kPositions, SectionKind::kTermBlocks,
          SectionKind::kFreqOverflow, SectionKind::kNorms, SectionKind::kDictionaryEntries}) {
      ASSERT_TRUE(
          std::ranges::equal(merged->view().RawSection(kind), fresh->view().RawSection(kind)))
          << ToString(kind);
    }
    ExpectSameTexts(*merged, *fresh);
    ExpectSound(*merged);
  }
}

TEST(MergeInput, UnitesFieldsByName) {
  SeededRandom random(73);
  const ModelOptions options{.docs = 200, .stored_text = true};
  auto docs = RandomDocuments(options, random);
  std::vector<const ModelDocument*> all;
  std::vector<const ModelDocument*> halves[2];
  for (size_t i = 0; i < docs.size(); ++i) {
    if (i >= 100) docs[i].terms[{"tag", "only"}] = {0};
    all.push_back(&docs[i]);
    halves[i / 100].push_back(&docs[i]);
  }
  const auto first = WriteModel(halves[0], {"body", "title"}, options);
  const auto second = WriteModel(halves[1], {"tag", "title", "body"}, options);
  const auto merged = Merge({{first.get(), nullptr}, {second.get(), nullptr}});
  ExpectSameBytes(*merged, *WriteModel(all, {"body", "title", "tag"}, options), false);
  ExpectSound(*merged);
}

TEST(MergeInput, CopiesChunksThatStayWhole) {
  SeededRandom random(74);
  const ModelOptions options{.docs = 400, .terms = 3, .stored_text = true};
  const auto docs = RandomDocuments(options, random);
  const Parts parts = Divide(docs, options, {.segments = 2}, random);
  const auto merged = Merge(parts.sources);
  const auto table = merged->view().RawArray<StoredChunk>(SectionKind::kStoredChunks);
  const auto source = parts.segments[0]->view().RawArray<StoredChunk>(SectionKind::kStoredChunks);
  ASSERT_GT(source.size(), 3u);
  // All chunks of the first source but the last, which is short.
  for (size_t i = 0; i + 2 < source.size(); ++i) {
    EXPECT_EQ(table[i].offset, source[i].offset);
    EXPECT_EQ(table[i].first_doc, source[i].first_doc);
  }
}

TEST(MergeInput, WritesASegmentWithoutDocumentsIfAllAreDeleted) {
  SeededRandom random(75);
  const ModelOptions options{.docs = 50, .stored_text = true};
  const auto docs = RandomDocuments(options, random);
  const Parts parts = Divide(docs, options, {.segments = 2, .delete_one_in = 1}, random);
  ASSERT_TRUE(parts.survivors.empty());
  ExpectSameBytes(*Merge(parts.sources), *WriteModel({}, kFields, options), true);
}

TEST(MergeInput, RefusesSegmentsOfOtherSettings) {
  SeededRandom random(76);
  const auto docs = RandomDocuments({.docs = 5}, random);
  std::vector<const ModelDocument*> all;
  for (const ModelDocument& doc : docs) all.push_back(&doc);
  const auto with = WriteModel(all, kFields, {.positions = true});
  const auto without = WriteModel(all, kFields, {.positions = false});
  const auto input = MergeInput::Open({{with.get(), nullptr}, {without.get(), nullptr}}, {});
  EXPECT_TRUE(absl::IsInvalidArgument(input.status()));
}

TEST(MergeInput, EndsWhenItIsToldToWhereverItIs) {
  SeededRandom random(77);
  const ModelOptions options{.docs = 300, .stored_text = true};
  const auto docs = RandomDocuments(options, random);
  const Parts parts = Divide(docs, options, {.segments = 3, .delete_one_in = 4}, random);
  int asked_in_all = 0;
  for (int after = 0;; ++after) {
    int asked = 0;
    auto input =
        MergeInput::Open(parts.sources, {.order = {}, .stop = [&] { return asked++ >= after; }});
    ASSERT_TRUE(input.ok());
    const auto directory = NewDramDirectory("merge");
    const auto info = WriteSegment(*directory, 1, **input);
    if ((*input)->status().ok()) {
      EXPECT_TRUE(info.ok());
      asked_in_all = asked;
      break;
    }
    EXPECT_TRUE(absl::IsCancelled((*input)->status()));
  }
  EXPECT_GT(asked_in_all, 20);
}

// Damage anywhere in a source is found before the merged segment is believed.
TEST(MergeInput, ReportsDamageOfASource) {
  const auto input = MakeSmallInput({.positions = true, .stored_text = true});
  const SegmentBytes sound(*input);
  const SegmentBytes compressed(*CompressSegment(*sound.Open().value()));
  for (const SegmentBytes* source : {&sound, &compressed}) {
    const auto opened = source->Open().value();
    for (const SectionEntry& entry : opened->view().sections()) {
      switch (entry.kind) {
        case SectionKind::kMeta:
        case SectionKind::kPageChecksums:
        case SectionKind::kRareTermSlots:  // a merge looks no term up
        case SectionKind::kTermSignatures:
        case SectionKind::kUnitPlaces:
        case SectionKind::kTermBytes:
          continue;
        default:
          break;
      }
      // The units of a compressed list have its frequencies, ones included.
      const bool unread = entry.kind == SectionKind::kUnitFreqs && source == &compressed;
      if (entry.size_bytes == 0 || unread) continue;
      SegmentBytes damaged = *source;
      damaged.section(entry.kind)[entry.size_bytes / 2] ^= std::byte{4};
      const auto segment = damaged.Open().value();
      const auto merge = MergeInput::Open({{segment.get(), nullptr}}, {});
      absl::Status status = merge.status();
      if (merge.ok()) {
        const auto directory = NewDramDirectory("damaged");
        (void)WriteSegment(*directory, 1, **merge);
        status = (*merge)->status();
      }
      EXPECT_TRUE(absl::IsDataLoss(status)) << ToString(entry.kind) << status;
    }
  }
}

}  // namespace merge_input_test
}  // namespace pmdex
