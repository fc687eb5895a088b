// A shared mapping of a whole file. What is to be written on a medium that is memory is mapped by
// libpmem2, which alone knows what store granularity the medium really gives
// (PMEM2_FORCE_GRANULARITY included, which libpmem2 reads itself); this class is RAII over its
// source, config and map. Everything else is mapped without it: loads need no granularity. Stands
// between directory and persister; the caller keeps the descriptor.
//
// A file behind a page cache could be mapped by libpmem2 too, but that asks for MAP_SYNC at an
// address it has reserved, the kernel refuses, but has freed the address by then, and the second
// attempt replaces what another thread may have mapped there meanwhile (seen with 1.12.1: memory of
// another thread became the file).
//
// Addresses are multiples of kHugePageBytes. Thread-compatible; the bytes may be read by any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pmem/persister.h"
#include "pmem/status.h"

struct pmem2_map;

namespace pmdex {

struct Pmem2Library;

enum class MapAccess { kReadOnly, kReadWrite };

class Mapping {
 public:
  // Maps all of fd, a regular file that must not be empty; for kReadWrite it must be open for both
  // and allocated. `what` names the file in messages. kUnimplemented, with a hint, for kReadWrite
  // on DAX without a usable libpmem2: the page cache's way would not make stores durable there.
  static absl::StatusOr<std::unique_ptr<Mapping>> Map(int fd, MapAccess access,
                                                      std::string_view what);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  // Of stores: only a kReadWrite mapping knows it.
  StoreGranularity granularity() const { return granularity_; }
  // Whether the bytes are a cache of what lies on a slower medium.
  bool is_page_cache() const { return is_page_cache_; }

  // The persister that fits the granularity, of a kReadWrite mapping. It must not outlive the
  // mapping, nor fd, which is the mapped file (or -1). With durable == false the page cache is
  // never written through.
  std::unique_ptr<Persister> NewPersister(int fd, bool durable) const;

 private:
  Mapping(const Pmem2Library* library, pmem2_map* map, std::span<std::byte> bytes,
          StoreGranularity granularity, bool is_page_cache);
  static absl::StatusOr<std::unique_ptr<Mapping>> MapByPmem2(int fd, std::string_view what);

  const Pmem2Library* library_;  // nullptr, as map_, for what is mapped without it
  pmem2_map* map_;
  std::span<std::byte> bytes_;
  StoreGranularity granularity_;
  bool is_page_cache_;
};

// What stores to a kReadWrite mapping of fd would have; fd must be open for `access`, not empty.
// Without libpmem2 DAX is kCacheLine: MAP_SYNC promises that much, and only libpmem2 knows of more.
absl::StatusOr<StoreGranularity> FindStoreGranularity(int fd, MapAccess access,
                                                      std::string_view what);

// Maps [offset, offset + size) of `bytes` now, for reading or for writing, so that later touches
// neither fault one page at a time nor raise SIGBUS: a medium that fails is kDataLoss. OK and no
// effect on a kernel before 5.14. The range is cut to `bytes`.
absl::Status PopulatePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes,
                           MapAccess access, std::string_view what);
// Begins to read [offset, offset + size) of a file behind a page cache, cut to `bytes`, in the
// pieces in which any kernel takes it; does not wait for the bytes nor map them.
void PrefetchPages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes);
// Unmaps the whole pages inside the range of a shared mapping, cut to the mapping; the next touch
// maps them again.
void ReleasePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes);

}  // namespace pmdex
