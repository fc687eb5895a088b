#include "engine/segment/verifier.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/memory_file.h"
#include "tests/support/segment_check.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace {

std::vector<Finding> VerifyBytes(std::vector<std::byte> bytes) {
  return VerifySegmentFile(std::make_unique<MemoryFile>(std::move(bytes)), "segment", std::nullopt,
                           {.max_findings = 3});
}

// A small segment that has a bit of everything.
std::vector<std::byte> SmallSegment(VectorSegmentOptions options) {
  VectorSegmentInput input(options);
  const FieldId title = input.AddField("title");
  const FieldId body = input.AddField("body");
  for (int i = 0; i < 300; ++i) {
    const DocId doc = input.AddDocument("d" + std::to_string(i));
    if (i % 50 == 0) input.AddText(doc, title, "a title of document");
    input.AddText(doc, body, i % 7 == 0 ? "common rare-" + std::to_string(i / 70) : "common");
  }
  const DocId doc = input.AddDocument("the last");
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < 300; ++i) positions.push_back(i * 300);
  if (!options.positions) positions.clear();
  input.AddPosting(body, "escaped", {doc, 300, positions});
  input.AddPosting(body, "a term that is longer than its slot",
                   {doc, 1, {positions.begin(), positions.begin() + (options.positions ? 1 : 0)}});
  input.Finish();
  const auto directory = NewDramDirectory("verifier_test");
  const auto segment = WriteAndOpen(*directory, 1, input);
  const std::span<const std::byte> bytes = segment->view().bytes();
  return {bytes.begin(), bytes.end()};
}

TEST(Verifier, FindsNothingInSoundSegments) {
  for (const bool positions : {false, true}) {
    for (const bool stored_text : {false, true}) {
      const auto findings =
          VerifyBytes(SmallSegment({.positions = positions, .stored_text = stored_text}));
      for (const Finding& finding : findings) {
        ADD_FAILURE() << finding.section << " " << finding.offset << ": " << finding.what;
      }
    }
  }
}

TEST(Verifier, FindsEveryFlippedByte) {
  const std::vector<std::byte> sound = SmallSegment({.positions = true, .stored_text = true});
  std::mt19937_64 random(11);
  for (size_t i = 0; i < sound.size(); ++i) {
    std::vector<std::byte> damaged = sound;
    damaged[i] ^= static_cast<std::byte>(1 + random() % 255);
    ASSERT_FALSE(VerifyBytes(std::move(damaged)).empty()) << "byte " << i;
  }
}

TEST(Verifier, FindsEveryTruncationAndExtension) {
  const std::vector<std::byte> sound = SmallSegment({.positions = true, .stored_text = true});
  for (size_t size = 0; size < sound.size(); ++size) {
    ASSERT_FALSE(VerifyBytes({sound.begin(), sound.begin() + static_cast<ptrdiff_t>(size)}).empty())
        << size;
  }
  std::vector<std::byte> longer = sound;
  longer.resize(sound.size() + 1);
  EXPECT_FALSE(VerifyBytes(longer).empty());
}

}  // namespace
}  // namespace pmdex
