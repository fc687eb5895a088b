// Finds a short string in a long one, as std::string_view::find does. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "pmem/cpu_features.h"

namespace pmdex {

// The place of the first `part` in `text` that begins at `from` or behind it;
// std::string_view::npos if there is none. Requires a part that is not empty. Reads only the bytes
// of both.
size_t FindBytesAvx2(std::string_view text, std::string_view part, size_t from);

inline size_t FindBytes(std::string_view text, std::string_view part, size_t from) {
  static const bool has_avx2 = GetCpuFeatures().avx2;
  return has_avx2 ? FindBytesAvx2(text, part, from) : text.find(part, from);
}

}  // namespace pmdex
