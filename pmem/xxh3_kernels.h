// The kernels behind Xxh3 of checksum.h, which chooses one at run time. They return the same value.
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pmdex {

uint64_t Xxh3Sse2(std::span<const std::byte> bytes);
uint64_t Xxh3Avx2(std::span<const std::byte> bytes);  // requires CpuFeatures::avx2

}  // namespace pmdex
