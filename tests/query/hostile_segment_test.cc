// Searches segments with wrong numbers under valid checksums, and earlier findings of the fuzzer.
// Nothing may read outside the file (the sanitizers see that), and nothing may run for ever.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/format.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/memory_file.h"
#include "tests/support/segment_exercise.h"
#include "tests/support/segment_mutator.h"

namespace pmdex {
namespace hostile_segment_test {

TEST(HostileSegment, StaysInsideWhateverItsNumbersSay) {
  SeededRandom random(53);
  size_t opened = 0;
  for (size_t seed = 0; seed < kSeedSegments; ++seed) {
    const std::vector<std::byte> sound = MakeSeedSegment(seed);
    ASSERT_TRUE(ExerciseHostileSegment(sound));
    for (int round = 0; round < 60; ++round) {
      std::vector<std::byte> bytes = sound;
      MutateSegment(bytes, random);
      opened += ExerciseHostileSegment(bytes) ? 1 : 0;
    }
  }
  // Most changed files must still open, because the test is about their lists and documents.
  EXPECT_GT(opened, kSeedSegments * 30);
}

TEST(HostileSegment, StartsFromSoundSegmentsOfEveryKind) {
  bool seen[7] = {};
  for (size_t seed = 0; seed < kSeedSegments; ++seed) {
    const auto segment =
        Segment::Open(std::make_unique<MemoryFile>(MakeSeedSegment(seed)), "seed", std::nullopt)
            .value();
    EXPECT_TRUE(VerifySegment(*segment).empty()) << seed;
    for (const DictionaryEntry& entry : segment->dictionary().entries()) {
      seen[static_cast<size_t>(entry.representation)] = true;
    }
    for (size_t field = 0; field < segment->fields().size(); ++field) {
      for (TermIterator terms(segment->dictionary(), static_cast<FieldId>(field)); terms.Next();) {
        seen[static_cast<size_t>(terms.entry().value().representation)] = true;
      }
    }
  }
  for (const bool representation : seen) EXPECT_TRUE(representation);
}

// The files of tests/regression/segment: the fuzzer's findings, and one for each kind of wrong
// number.
TEST(HostileSegment, SurvivesTheFilesThatAreKept) {
  const std::filesystem::path folder = PMDEX_SOURCE_DIR "/tests/regression/segment";
  size_t files = 0;
  size_t opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    ASSERT_GE(bytes.size(), kHeaderPageBytes);
    ++files;
    opened += ExerciseHostileSegment(std::as_bytes(std::span(bytes))) ? 1 : 0;
  }
  EXPECT_GE(files, 10u);
  EXPECT_GE(opened, files / 2) << "what does not open tests the header alone";
}

}  // namespace hostile_segment_test
}  // namespace pmdex
