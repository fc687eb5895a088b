// Decodes any bytes as a manifest, with a correct checksum and length. They must give a manifest or
// an error, and a manifest must stay the same when it is encoded and decoded again.
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/store/manifest.h"
#include "pmem/check.h"
#include "pmem/checksum.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  if (size >= 56) {
    const uint64_t length = size;
    std::memcpy(bytes.data() + 16, &length, sizeof length);
    const uint64_t crc = pmdex::Crc32c(std::span(bytes).first(size - 8));
    std::memcpy(bytes.data() + size - 8, &crc, sizeof crc);
  }
  const auto manifest = pmdex::DecodeManifest(bytes, "fuzzed");
  if (manifest.ok()) {
    const auto again = pmdex::DecodeManifest(pmdex::EncodeManifest(*manifest), "again");
    PMDEX_CHECK(again.ok() && again->segments.size() == manifest->segments.size());
    PMDEX_CHECK(again->properties == manifest->properties && again->places == manifest->places);
    PMDEX_CHECK(again->copies.size() == manifest->copies.size());
  }
  return 0;
}
