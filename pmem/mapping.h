// A shared mapping of a whole file. Files on DAX that are to be written are mapped by libpmem2,
// which alone knows the store granularity of the medium (it also reads PMEM2_FORCE_GRANULARITY).
// All other files are mapped by mmap, because loads need no granularity. The caller keeps the
// descriptor.
//
// libpmem2 is not used for files behind a page cache, because it has a race there (seen with
// 1.12.1). It reserves an address and asks for MAP_SYNC at it. The kernel refuses, and has by then
// freed the address. libpmem2 maps the file there in a second attempt, over anything that another
// thread has mapped there meanwhile.
//
// Mappings begin at multiples of kHugePageBytes. Thread-compatible; any thread may read the bytes.
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
  // Maps all of fd. Requires a regular file that is not empty; for kReadWrite its blocks must be
  // allocated and fd must be open for reading and writing. what: names the file in messages.
  // Returns kUnimplemented, with a hint, for kReadWrite on DAX if libpmem2 cannot be used: without
  // it stores would not become durable there.
  static absl::StatusOr<std::unique_ptr<Mapping>> Map(int fd, MapAccess access,
                                                      std::string_view what);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  // The granularity of stores. Requires a kReadWrite mapping.
  StoreGranularity granularity() const { return granularity_; }
  // True if the bytes are a cache of a slower medium.
  bool is_page_cache() const { return is_page_cache_; }

  // A persister for the granularity. Requires a kReadWrite mapping. fd: the mapped file, or -1. The
  // mapping and fd must outlive the persister. durable: if false, nothing begins to write the
  // page cache to the medium.
  std::unique_ptr<Persister> NewPersister(int fd, bool durable) const;

 private:
  Mapping(const Pmem2Library* library, pmem2_map* map, std::span<std::byte> bytes,
          StoreGranularity granularity, bool is_page_cache);
  static absl::StatusOr<std::unique_ptr<Mapping>> MapByPmem2(int fd, std::string_view what);

  const Pmem2Library* library_;  // library_ and map_ are nullptr for files that mmap mapped
  pmem2_map* map_;
  std::span<std::byte> bytes_;
  StoreGranularity granularity_;
  bool is_page_cache_;
};

// The granularity that a kReadWrite mapping of fd would have. Requires that fd is open for `access`
// and not empty. Returns kCacheLine for DAX if libpmem2 cannot be used: MAP_SYNC guarantees that.
absl::StatusOr<StoreGranularity> FindStoreGranularity(int fd, MapAccess access,
                                                      std::string_view what);

// Asks the kernel to map [offset, offset + size_bytes) of `bytes` now, so that later accesses do
// not fault one page at a time. The range is cut to `bytes`. Returns kDataLoss if the medium fails.
// Does nothing and returns OK on a kernel before 5.14. what: names the file in messages.
absl::Status PopulatePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes,
                           MapAccess access, std::string_view what);
// Begins to read [offset, offset + size_bytes) of a file behind a page cache, cut to `bytes`. Does
// not wait for the bytes and does not map them. Divides the range into pieces that every kernel
// reads ahead as a whole.
void PrefetchPages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes);
// Unmaps the whole pages inside [offset, offset + size_bytes) of a shared mapping, cut to `bytes`.
// The next access maps them again.
void ReleasePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes);

}  // namespace pmdex
