// docs/FORMAT.md ends with a small segment, byte by byte. This test writes it again.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/memory_file.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace format_example_test {

// The documents of the example, as the document tells them.
std::vector<std::byte> WriteExample() {
  VectorSegmentInput input({.positions = true});
  const FieldId title = input.AddField("title");
  const FieldId body = input.AddField("body");
  const DocId a = input.AddDocument("a");
  const DocId b = input.AddDocument("b");
  const DocId c = input.AddDocument("c");
  input.AddText(a, title, "to be");
  input.AddText(a, body, "to be or not to be");
  input.AddText(b, body, "to counterrevolutionary");
  input.AddPosting(body, "far", {c, 2, {0, 70000}});
  input.Finish();
  const auto directory = NewDramDirectory("format_example_test");
  const absl::StatusOr<SegmentFileInfo> info = WriteSegment(*directory, 1, input);
  EXPECT_TRUE(info.ok()) << info.status();
  const auto file = directory->Open(info->file_name).value();
  return {file->bytes().begin(), file->bytes().end()};
}

// The column of the second example: the section of a segment of three documents.
std::vector<std::byte> WriteColumnExample() {
  VectorSegmentInput input({.positions = false});
  const FieldId body = input.AddField("body");
  for (const char* id : {"a", "b", "c"}) input.AddText(input.AddDocument(id), body, "x");
  input.AddValue(0, "n", FieldValue::I64(5));
  input.AddValue(2, "n", FieldValue::I64(300));
  input.AddValue(2, "n", FieldValue::I64(-1));
  input.Finish();
  const auto directory = NewDramDirectory("format_example_test");
  const auto info = WriteSegment(*directory, 1, input);
  EXPECT_TRUE(info.ok()) << info.status();
  const auto segment =
      Segment::Open(directory->Open(info->file_name).value(), info->file_name, std::nullopt);
  EXPECT_TRUE(segment.ok()) << segment.status();
  const auto section = (*segment)->view().RawSection(kColumnsSection);
  std::vector<std::byte> bytes(section.begin(), section.end());
  bytes.resize(AlignUp(bytes.size(), 16));
  return bytes;
}

// The lines "OFFSET  XX XX ... |" of the document's blocks of code of this kind; bytes in no line
// are zero.
std::vector<std::byte> ReadDocument(const std::string& kind) {
  std::ifstream document(std::string(PMDEX_SOURCE_DIR) + "/docs/FORMAT.md");
  std::vector<std::byte> bytes;
  bool in_hex = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      in_hex = line == "```" + kind;
      continue;
    }
    if (!in_hex || line.empty()) continue;
    size_t parsed = 0;
    const size_t offset = std::stoul(line, &parsed, 16);
    const std::string numbers = line.substr(parsed, line.find('|') - parsed);
    bytes.resize(std::max(bytes.size(), offset + 16));
    size_t at = offset;
    for (size_t i = 0; i + 1 < numbers.size(); ++i) {
      if (numbers[i] == ' ') continue;
      bytes.at(at++) = static_cast<std::byte>(std::stoul(numbers.substr(i, 2), nullptr, 16));
      ++i;
    }
    EXPECT_EQ(at, offset + 16) << line;
  }
  return bytes;
}

std::string HexLine(std::span<const std::byte> bytes, size_t offset) {
  std::string line = absl::StrFormat("%08x ", offset);
  for (const std::byte byte : bytes.subspan(offset, 16)) {
    line += absl::StrFormat(" %02x", std::to_integer<unsigned>(byte));
  }
  return line;
}

void ExpectSame(std::vector<std::byte> documented, const std::vector<std::byte>& written) {
  ASSERT_LE(documented.size(), written.size());
  documented.resize(written.size());
  ASSERT_EQ(written.size() % 16, 0u);
  for (size_t offset = 0; offset < written.size(); offset += 16) {
    EXPECT_EQ(HexLine(documented, offset), HexLine(written, offset));
  }
}

TEST(FormatDocument, ShowsTheBytesThatTheWriterWrites) {
  ExpectSame(ReadDocument("hex"), WriteExample());
  ExpectSame(ReadDocument("hex-column"), WriteColumnExample());
}

TEST(FormatDocument, ShowsASoundSegment) {
  std::vector<std::byte> documented = ReadDocument("hex");
  documented.resize(AlignUp(documented.size(), kSectionAlignment));
  const auto findings = VerifySegmentFile(std::make_unique<MemoryFile>(documented),
                                          "docs/FORMAT.md", std::nullopt, {});
  for (const Finding& finding : findings) {
    ADD_FAILURE() << finding.section << " " << finding.offset << ": " << finding.what;
  }
}

}  // namespace format_example_test
}  // namespace pmdex
