#include "tests/support/segment_mutator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "engine/segment/format.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/random_columns.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace {

// A number in a struct.
struct Place {
  uint32_t offset;
  uint32_t size_bytes;
};

// Where the numbers of one element of a section stand; elements follow one another.
struct Shape {
  SectionKind kind;
  uint32_t element_bytes;
  std::vector<Place> places;
};

constexpr uint32_t At(size_t offset) {
  return static_cast<uint32_t>(offset);
}

const std::vector<Place>& HeaderPlaces() {
  static const std::vector<Place> kPlaces = {{At(offsetof(FileHeader, section_count)), 4},
                                             {At(offsetof(FileHeader, doc_count)), 4},
                                             {At(offsetof(FileHeader, field_count)), 4},
                                             {At(offsetof(FileHeader, flags)), 4},
                                             {At(offsetof(FileHeader, segment_id)), 8}};
  return kPlaces;
}

const std::vector<Shape>& Shapes() {
  using K = SectionKind;
  static const std::vector<Shape> kShapes = {
      // SegmentMeta and FieldEntry have the same size.
      {K::kMeta,
       64,
       {{0, 1},
        {4, 4},
        {8, 8},
        {16, 8},
        {24, 8},
        {32, 8},
        {40, 4},
        {44, 4},
        {0, 4},
        {48, 8},
        {56, 8}}},
      {K::kPostings, 16, {{0, 4}, {4, 4}, {8, 4}, {12, 4}, {0, 1}, {7, 1}}},
      {K::kPositions, 2, {{0, 2}}},
      {K::kBlockLastDocs, 4, {{0, 4}}},
      {K::kBlockBounds, 8, {{0, 1}, {3, 1}, {4, 1}, {7, 1}}},
      {K::kFreqOverflow, 12, {{0, 4}, {4, 4}, {8, 4}}},
      {K::kDictionaryEntries,
       64,
       {{0, 8},
        {8, 8},
        {16, 2},
        {18, 1},
        {19, 1},
        {20, 4},
        {24, 8},
        {32, 8},
        {40, 8},
        {48, 4},
        {52, 4},
        {56, 8},
        {32, 4},
        {36, 4},
        {48, 1},
        {49, 1},
        {56, 2},
        {58, 2}}},
      {K::kTermBytes, 1, {{0, 1}}},
      {K::kTermBlocks, 1, {{0, 1}, {0, 1}, {0, 4}, {0, 5}}},
      {K::kTermBlockStarts, 8, {{0, 8}}},
      {K::kNorms, 1, {{0, 1}}},
      {K::kDocEntries, 8, {{0, 1}, {1, 2}, {3, 5}}},  // as they are in the seed segments
      {K::kDocIdBytes, 1, {{0, 1}}},
      {K::kStoredChunks, 16, {{0, 8}, {8, 4}, {12, 4}}},
      {K::kStoredBytes, 1, {{0, 1}, {0, 4}}},
      {K::kPageChecksums, 4, {{0, 4}}},
      {K::kRareTermSlots, 8, {{0, 8}, {0, 5}, {5, 1}, {6, 2}}},
      {K::kTermSignatures, 4, {{0, 4}, {0, 1}}},
      {K::kUnitFreqs, 1, {{0, 1}}},
      // The entries of columns, and what their parts have at the same places.
      {K::kNumericColumns, 16, {{0, 4}, {4, 4}, {8, 1}, {9, 1}, {10, 1}, {12, 4}, {8, 8}, {0, 8}}},
      // Headers of units (unit_format.h), and what is packed behind them.
      {K::kCompressedUnits, 1, {{0, 4}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {0, 1}, {0, 8}}},
      {K::kUnitPlaces, 8, {{0, 4}, {4, 4}}},
      {K::kPositionUnits, 1, {{0, 4}, {4, 1}, {5, 1}, {0, 1}, {0, 8}}},
      {K::kPositionUnitStarts, 5, {{0, 5}, {0, 1}}},
      {K::kIdBlocks, 1, {{0, 1}, {1, 1}, {0, 2}}},
      {K::kIdBlockStarts, 5, {{0, 5}, {0, 1}}}};
  return kShapes;
}

class Mutator {
 public:
  Mutator(std::vector<std::byte>& bytes, SeededRandom& random) : bytes_(bytes), random_(random) {}

  void ChangeHeader() { ChangeNumber(0, Pick(HeaderPlaces())); }
  void ChangeSectionTable() {
    const uint32_t count = std::clamp<uint32_t>(header().section_count, 1, kMaxSections);
    const uint64_t entry = sizeof(FileHeader) + random_.Below(count) * sizeof(SectionEntry);
    if (random_.OneIn(4)) return ChangeNumber(entry, {0, 4});  // kind
    if (random_.OneIn(6)) return ChangeNumber(entry, {4, 4});  // flags
    // Mostly by little: what lies far outside is refused at once.
    const Place place = random_.OneIn(3) ? Place{8, 8} : Place{16, 8};
    const uint64_t step = place.offset == 8 ? kSectionAlignment : uint64_t{1} << random_.Below(9);
    const uint64_t old = Load(entry, place);
    Store(entry, place, random_.OneIn(2) ? old + step : old - step);
  }
  void ChangeElement() {
    const auto [section, shape] = PickSection();
    if (section.size() < shape->element_bytes) return;
    const uint64_t elements = section.size() / shape->element_bytes;
    const uint64_t first = static_cast<uint64_t>(section.data() - bytes_.data());
    const uint64_t at = first + random_.Below(elements) * shape->element_bytes;
    const uint64_t other = first + random_.Below(elements) * shape->element_bytes;
    if (random_.OneIn(8)) return Copy(other, at, shape->element_bytes);
    const Place place = Pick(shape->places);
    if (random_.OneIn(6)) return Store(at, place, Load(other, place));
    ChangeNumber(at, place);
  }

 private:
  const FileHeader& header() const { return *reinterpret_cast<const FileHeader*>(bytes_.data()); }

  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[random_.Below(from.size())];
  }

  std::pair<std::span<std::byte>, const Shape*> PickSection() {
    const uint32_t count = std::min<uint32_t>(header().section_count, kMaxSections);
    const auto* entries = reinterpret_cast<const SectionEntry*>(bytes_.data() + sizeof(FileHeader));
    const Shape& shape = Pick(Shapes());
    for (uint32_t i = 0; i < count; ++i) {
      const SectionEntry& entry = entries[i];
      if (entry.kind != shape.kind || entry.offset > bytes_.size() ||
          entry.size_bytes > bytes_.size() - entry.offset) {
        continue;
      }
      return {std::span(bytes_).subspan(entry.offset, entry.size_bytes), &shape};
    }
    return {{}, &shape};
  }

  bool LiesInside(uint64_t at, uint64_t size_bytes) const {
    return at <= bytes_.size() && size_bytes <= bytes_.size() - at;
  }
  uint64_t Load(uint64_t at, Place place) const {
    uint64_t value = 0;
    if (LiesInside(at + place.offset, place.size_bytes)) {
      std::memcpy(&value, bytes_.data() + at + place.offset, place.size_bytes);
    }
    return value;
  }
  void Store(uint64_t at, Place place, uint64_t value) {
    if (!LiesInside(at + place.offset, place.size_bytes)) return;
    std::memcpy(bytes_.data() + at + place.offset, &value, place.size_bytes);
  }
  void Copy(uint64_t from, uint64_t to, uint64_t size_bytes) {
    if (!LiesInside(from, size_bytes) || !LiesInside(to, size_bytes)) return;
    std::memmove(bytes_.data() + to, bytes_.data() + from, size_bytes);
  }

  void ChangeNumber(uint64_t at, Place place) {
    const uint64_t old = Load(at, place);
    const auto* entries = reinterpret_cast<const SectionEntry*>(bytes_.data() + sizeof(FileHeader));
    const uint64_t some_section = entries[random_.Below(kMaxSections)].size_bytes;
    const uint64_t values[] = {0,
                               1,
                               ~uint64_t{0},
                               ~uint64_t{0} >> 1,
                               old + 1,
                               old - 1,
                               old * 2,
                               old / 2,
                               old ^ (uint64_t{1} << random_.Below(place.size_bytes * 8)),
                               random_.Next(),
                               random_.Below(8),
                               random_.Below(256),
                               uint64_t{1} << random_.Below(64),
                               header().doc_count,
                               header().doc_count - uint64_t{1},
                               bytes_.size() - random_.Below(65),
                               some_section,
                               some_section - random_.Below(65),
                               some_section / sizeof(uint16_t)};
    Store(at, place, values[random_.Below(std::size(values))]);
  }

  std::vector<std::byte>& bytes_;
  SeededRandom& random_;
};

std::unique_ptr<VectorSegmentInput> MakeTinyInput() {
  auto input = std::make_unique<VectorSegmentInput>(
      VectorSegmentOptions{.positions = true, .stored_text = true});
  const FieldId title = input->AddField("title");
  const FieldId body = input->AddField("body");
  for (int i = 0; i < 12; ++i) {
    const DocId doc = input->AddDocument("d" + std::to_string(i));
    if (i % 3 == 0) input->AddText(doc, title, "a title");
    input->AddText(doc, body, i % 2 == 0 ? "to be or not to be" : "be an-uncommonly-long-word be");
  }
  input->Finish();
  return input;
}

// Terms of several blocks, one of them with page marks, one with an escape.
std::unique_ptr<VectorSegmentInput> MakeManyTermsInput(bool positions) {
  auto input = std::make_unique<VectorSegmentInput>(VectorSegmentOptions{.positions = positions});
  const FieldId body = input->AddField("body");
  for (int i = 0; i < 6; ++i) {
    const DocId doc = input->AddDocument(std::string(static_cast<size_t>(i), 'x'));
    std::string text;
    for (int word = i; word < 70; word += 1 + i) text += "w" + std::to_string(word * 7) + " ";
    input->AddText(doc, body, text);
  }
  std::vector<uint32_t> places;
  for (uint32_t i = 0; positions && i < 260; ++i) places.push_back(1000 + i * 300);
  input->AddPosting(body, "often", {5, 260, places});
  places.resize(positions ? 2 : 0);
  if (positions) places[1] = 70000;
  input->AddPosting(body, "far", {2, 2, places});
  input->Finish();
  return input;
}

// Lists of docids of several blocks, which bits would not shorten.
std::unique_ptr<VectorSegmentInput> MakeBlocksInput() {
  auto input = std::make_unique<VectorSegmentInput>(VectorSegmentOptions{.positions = true});
  const FieldId body = input->AddField("body");
  for (uint32_t i = 0; i < 20'000; ++i) input->AddDocument("");
  for (uint32_t i = 0; i < 600; ++i) {
    input->AddPosting(body, "often", {i * 33, 2, {i % 7, i % 7 + 1 + i % 90}});
    if (i % 2 == 0) input->AddPosting(body, "sometimes", {i * 33, 1, {8 + i % 5}});
  }
  input->Finish();
  return input;
}

// Columns of every type and shape.
std::unique_ptr<VectorSegmentInput> MakeColumnsInput() {
  constexpr uint32_t kDocuments = 400;
  auto input = std::make_unique<VectorSegmentInput>(VectorSegmentOptions{.positions = false});
  const FieldId body = input->AddField("body");
  for (uint32_t i = 0; i < kDocuments; ++i) {
    input->AddText(input->AddDocument(""), body, i % 3 == 0 ? "a b" : "b");
  }
  AddColumns(MakeRandomColumns(1, kDocuments), 0, *input);
  input->Finish();
  return input;
}

std::vector<std::byte> Compressed(const SegmentBytes& bytes) {
  return SegmentBytes(*CompressSegment(*bytes.Open().value())).bytes();
}

}  // namespace

void MutateSegment(std::vector<std::byte>& bytes, SeededRandom& random) {
  Mutator mutator(bytes, random);
  for (size_t left = 1 + random.Below(4); left > 0; --left) {
    const size_t what = random.Below(20);
    if (what == 0) {
      mutator.ChangeHeader();
    } else if (what <= 2) {
      mutator.ChangeSectionTable();
    } else {
      mutator.ChangeElement();
    }
  }
}

std::vector<std::byte> MakeSeedSegment(size_t index) {
  switch (index) {
    case 0:
      return SegmentBytes(*MakeTinyInput()).bytes();
    case 1:
      return SegmentBytes(*MakeManyTermsInput(true)).bytes();
    case 2:
      return SegmentBytes(*MakeManyTermsInput(false)).bytes();
    case 3:
      return SegmentBytes(*MakeSmallInput({.positions = true, .stored_text = true})).bytes();
    case 4:
      return SegmentBytes(*MakeSmallInput({.positions = false})).bytes();
    case 5:
      return Compressed(SegmentBytes(*MakeSmallInput({.positions = true})));
    case 6:
      return Compressed(SegmentBytes(*MakeManyTermsInput(true)));
    case 7:
      return Compressed(SegmentBytes(*MakeBlocksInput()));
    case 8:
      return SegmentBytes(*MakeColumnsInput()).bytes();
    default:
      return Compressed(SegmentBytes(*MakeColumnsInput()));
  }
}

}  // namespace pmdex
