#include "pmem/persister.h"

namespace pmdex {

std::string_view ToString(StoreGranularity granularity) {
  switch (granularity) {
    case StoreGranularity::kByte:
      return "BYTE";
    case StoreGranularity::kCacheLine:
      return "CACHE_LINE";
    case StoreGranularity::kPage:
      return "PAGE";
  }
  return "PAGE";
}

}  // namespace pmdex
