#include "tests/support/segment_bytes.h"

#include "engine/segment/segment_writer.h"
#include "pmem/check.h"

namespace pmdex {
SegmentBytes::SegmentBytes(SegmentInput& input) {
  const auto directory = NewDramDirectory("segment_bytes");
  const auto info = WriteSegment(*directory, 1, input);
  PMDEX_CHECK(info.ok());
  const auto written = directory->Open(info->file_name).value();
  bytes_.assign(written->bytes().begin(), written->bytes().end());
}

SectionEntry& SegmentBytes::entry(SectionKind kind) {
  auto* entries = reinterpret_cast<SectionEntry*>(bytes_.data() + sizeof(FileHeader));
  uint32_t i = 0;
  while (i < header().section_count && entries[i].kind != kind) ++i;
  PMDEX_CHECK(i < header().section_count);
  return entries[i];
}

std::span<std::byte> SegmentBytes::section(SectionKind kind) {
  const SectionEntry& found = entry(kind);
  return std::span(bytes_).subspan(found.offset, found.size_bytes);
}

DictionaryEntry& SegmentBytes::term_entry(FieldId field, std::string_view term) {
  const auto segment = Open();
  PMDEX_CHECK(segment.ok());
  for (DictionaryEntry& entry : entries()) {
    if (entry.representation == Representation::kEmpty || entry.field != field) continue;
    if ((*segment)->dictionary().Term(entry).value() == term) return entry;
  }
  PMDEX_CHECK(false);
}

std::span<DictionaryEntry> SegmentBytes::entries() {
  const auto bytes = section(SectionKind::kDictionaryEntries);
  return {reinterpret_cast<DictionaryEntry*>(bytes.data()), bytes.size() / sizeof(DictionaryEntry)};
}

std::span<std::byte> SegmentBytes::line_rest(FieldId field, std::string_view term) {
  const auto segment = Open();
  PMDEX_CHECK(segment.ok());
  TermIterator terms((*segment)->dictionary(), field);
  PMDEX_CHECK(terms.Seek(term) && terms.term() == term);
  const std::span<const std::byte> line = terms.line();
  const std::byte* blocks = (*segment)->view().RawSection(SectionKind::kTermBlocks).data();
  const size_t rest = kTermHeadBytes + std::to_integer<size_t>(line[1]);
  return section(SectionKind::kTermBlocks)
      .subspan(static_cast<size_t>(line.data() - blocks) + rest, line.size() - rest);
}

std::unique_ptr<VectorSegmentInput> MakeSmallInput(VectorSegmentOptions options) {
  auto input = std::make_unique<VectorSegmentInput>(options);
  const FieldId title = input->AddField("title");
  const FieldId body = input->AddField("body");
  for (int i = 0; i < 300; ++i) {
    const std::string id = "d" + std::to_string(i);
    const DocId doc = input->AddDocument(i % 20 == 3 ? id + " of a long name" : id);
    if (i % 50 == 0) input->AddText(doc, title, "a title of document");
    input->AddText(doc, body, i % 7 == 0 ? "common rare-" + std::to_string(i / 70) : "common");
  }
  for (DocId doc = 0; doc < 6; ++doc) {
    VectorPosting posting{doc, 1, {}};
    if (options.positions) posting.positions.push_back(100);
    input->AddPosting(body, "a frequent term that is longer than its entry", posting);
  }
  const DocId last = input->AddDocument("the last");
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; options.positions && i < 300; ++i) positions.push_back(i * 300);
  input->AddPosting(body, "escaped", {last, 300, positions});
  positions.resize(options.positions ? 5 : 0);
  input->AddPosting(body, "a term that is longer than its entry", {last, 5, positions});
  input->AddPosting(body, "another term that is longer than its entry", {last, 5, positions});
  input->Finish();
  return input;
}

}  // namespace pmdex
