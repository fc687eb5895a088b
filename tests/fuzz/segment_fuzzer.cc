// Opens, reads, searches and verifies segment files with wrong content under valid checksums.
// Nothing may access memory outside the mapping. The mutations know the format
// (tests/support/segment_mutator.h), and an empty corpus starts with the segments made there. A
// finding becomes a file in tests/regression/segment/.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "tests/support/segment_exercise.h"
#include "tests/support/segment_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  pmdex::SeededRandom random(seed);
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  if (size < pmdex::kHeaderPageBytes || random.OneIn(200)) {
    bytes = pmdex::MakeSeedSegment(random.Below(pmdex::kSeedSegments));
    if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  }
  if (random.OneIn(5)) {  // in a run of bytes that somebody reads, by what was compared with it
    const size_t begin = random.Below(bytes.size());
    const size_t length = std::min<size_t>(bytes.size() - begin, 1 + random.Below(64));
    LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()) + begin, length, length);
  } else {
    pmdex::MutateSegment(bytes, random);
  }
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pmdex::ExerciseHostileSegment(std::as_bytes(std::span(data, size)));
  return 0;
}
