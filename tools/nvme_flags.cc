#include "tools/nvme_flags.h"

#include <memory>
#include <new>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/command.h"
#include "tools/flag_checks.h"

namespace pmdex {
namespace {

constexpr uint64_t kDefaultCacheBytes = uint64_t{256} << 20;

std::string_view NameOf(ReadQueue::Method method) {
  return method == ReadQueue::Method::kIoUring ? "io_uring" : "pread";
}

}  // namespace

void AddNvmeFlags(CLI::App& command, NvmeFlags& flags) {
  command
      .add_option("--nvme-io", flags.io,
                  "how postings and positions of compressed segments are read: map, by the page "
                  "cache; direct, past it through a cache of --cache bytes")
      ->capture_default_str()
      ->check(CLI::IsMember({"map", "direct"}))
      ->type_name("map|direct");
  command
      .add_option("--cache", flags.cache_bytes,
                  "with --nvme-io direct: the size of that cache (default: 256M)")
      ->transform(SizeValue())
      ->type_name("SIZE");
}

absl::StatusOr<SnapshotOptions> SnapshotOptionsOf(std::string_view command,
                                                  const NvmeFlags& flags) {
  SnapshotOptions options;
  if (flags.io != "direct") {
    if (flags.cache_bytes == 0) return options;
    return InvalidArgument(absl::StrCat(ToAbsl(command), ": --cache goes with --nvme-io direct"));
  }
  const uint64_t bytes = flags.cache_bytes == 0 ? kDefaultCacheBytes : flags.cache_bytes;
  try {
    options.unit_cache = std::make_shared<BlockCache>(bytes, ReadQueue::Method::kIoUring);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  if (options.unit_cache != nullptr) return options;
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("--cache ", bytes, ": there is not so much memory"));
}

std::string CacheInWords(const BlockCache& cache) {
  const BlockCacheCounters counters = cache.counters();
  const uint64_t used = counters.hits + counters.misses;
  return absl::StrFormat(
      "cache: %s hits and %s misses (%.1f %% hits), %s read by %s", WithThousands(counters.hits),
      WithThousands(counters.misses),
      used == 0 ? 0.0 : 100.0 * static_cast<double>(counters.hits) / static_cast<double>(used),
      HumanBytes(counters.bytes_read), std::string(NameOf(cache.method())));
}

void WriteCache(const BlockCache& cache, JsonWriter& json) {
  const BlockCacheCounters counters = cache.counters();
  const uint64_t used = counters.hits + counters.misses;
  json.Key("cache").BeginObject();
  json.Key("capacity_bytes").Uint(cache.capacity_bytes());
  json.Key("io").String(NameOf(cache.method()));
  json.Key("hits").Uint(counters.hits);
  json.Key("misses").Uint(counters.misses);
  if (used > 0) {
    json.Key("hit_rate").Double(static_cast<double>(counters.hits) / static_cast<double>(used));
  }
  json.Key("bytes_read").Uint(counters.bytes_read);
  json.Key("errors").Uint(counters.errors);
  json.EndObject();
}

}  // namespace pmdex
