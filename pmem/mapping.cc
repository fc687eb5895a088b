#include "pmem/mapping.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/page_persister.h"
#include "pmem/pmem2_library.h"
#include "pmem/pmem2_persister.h"
#include "pmem/pmem2_registry.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status Pmem2Status(const Pmem2Library& library, int result, std::string_view what) {
  // libpmem2 returns a negated errno or a code of its own below PMEM2_E_UNKNOWN.
  if (result > PMEM2_E_UNKNOWN) {
    if (result != -ENOMEM) return ErrnoStatus(-result, what);
    return ErrnoStatus(ENOMEM, absl::StrCat(ToAbsl(what), " (hint: see vm.max_map_count)"));
  }
  absl::StatusCode code = absl::StatusCode::kInternal;
  if (result == PMEM2_E_NOSUPP || result == PMEM2_E_GRANULARITY_NOT_SUPPORTED) {
    code = absl::StatusCode::kUnimplemented;
  } else if (result == PMEM2_E_IO_FAIL) {
    code = absl::StatusCode::kDataLoss;
  } else if (result == PMEM2_E_INVALID_FILE_TYPE || result == PMEM2_E_SOURCE_EMPTY) {
    code = absl::StatusCode::kInvalidArgument;
  }
  return MakeStatus(code, absl::StrCat(ToAbsl(what), ": ", library.errormsg()));
}

absl::StatusOr<pmem2_map*> NewMap(const Pmem2Library& library, int fd, MapAccess access,
                                  std::string_view what) {
  pmem2_source* source = nullptr;
  pmem2_config* config = nullptr;
  const auto release = absl::MakeCleanup([&] {
    if (config != nullptr) library.config_delete(&config);
    if (source != nullptr) library.source_delete(&source);
  });
  const auto error = [&](int result) {
    return Pmem2Status(library, result, absl::StrCat("map ", ToAbsl(what)));
  };
  if (int r = library.source_from_fd(&source, fd); r != 0) return error(r);
  if (int r = library.config_new(&config); r != 0) return error(r);
  // PAGE accepts every medium. The map says which granularity it has.
  int r = library.config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE);
  if (r != 0) return error(r);
  const unsigned protection =
      access == MapAccess::kReadOnly ? PMEM2_PROT_READ : PMEM2_PROT_READ | PMEM2_PROT_WRITE;
  if (r = library.config_set_protection(config, protection); r != 0) return error(r);
  pmem2_map* map = nullptr;
  MutexLock lock(&Pmem2Registry());
  if (r = library.map_new(&map, config, source); r != 0) return error(r);
  return map;
}

void DeleteMap(const Pmem2Library& library, pmem2_map* map) {
  MutexLock lock(&Pmem2Registry());
  PMDEX_CHECK(library.map_delete(&map) == 0);
}

StoreGranularity GranularityOf(const Pmem2Library& library, pmem2_map* map) {
  switch (library.map_get_store_granularity(map)) {
    case PMEM2_GRANULARITY_BYTE:
      return StoreGranularity::kByte;
    case PMEM2_GRANULARITY_CACHE_LINE:
      return StoreGranularity::kCacheLine;
    case PMEM2_GRANULARITY_PAGE:
      return StoreGranularity::kPage;
  }
  return StoreGranularity::kPage;
}

// True if PMEM2_FORCE_GRANULARITY is set. libpmem2 reads the variable itself.
bool IsGranularityForced() {
  return std::getenv("PMEM2_FORCE_GRANULARITY") != nullptr;
}

int ProtectionOf(MapAccess access) {
  return access == MapAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
}

// The size of a file that can be mapped: a regular one that is not empty.
absl::StatusOr<size_t> MappableSize(int fd, std::string_view what) {
  struct stat facts;
  const std::string words = absl::StrCat("map ", ToAbsl(what));
  if (fstat(fd, &facts) != 0) return ErrnoStatus(errno, words);
  if (!S_ISREG(facts.st_mode)) return InvalidArgument(words + ": not a regular file");
  if (facts.st_size <= 0) return InvalidArgument(words + ": the file is empty");
  return static_cast<size_t>(facts.st_size);
}

// True if the kernel refuses MAP_SYNC. Stores to a mapping are then durable only after the kernel
// has written them back. Lets the kernel choose the address. Requires a file that is not empty.
absl::StatusOr<bool> IsBehindPageCache(int fd, MapAccess access, std::string_view what) {
  constexpr size_t kProbeBytes = 1;
  void* const probe =
      mmap(nullptr, kProbeBytes, ProtectionOf(access), MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  if (probe != MAP_FAILED) {
    PMDEX_CHECK(munmap(probe, kProbeBytes) == 0);
    return false;
  }
  // EINVAL: a kernel before 4.15, which knows neither flag.
  if (errno == EOPNOTSUPP || errno == EINVAL) return true;
  return ErrnoStatus(errno, absl::StrCat("map ", ToAbsl(what)));
}

void Unmap(std::byte* begin, size_t size_bytes) {
  if (size_bytes > 0) PMDEX_CHECK(munmap(begin, size_bytes) == 0);
}

size_t PagesOfFile(size_t size_bytes) {
  static const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// Maps the file at a multiple of kHugePageBytes, over memory that it reserves first; a smaller file
// anywhere.
absl::StatusOr<std::byte*> MapAligned(int fd, size_t size_bytes, MapAccess access,
                                      const std::string& words) {
  const auto failure = [&] {
    const std::string_view hint = errno == ENOMEM ? " (hint: see vm.max_map_count)" : "";
    return ErrnoStatus(errno, absl::StrCat(words, ToAbsl(hint)));
  };
  if (size_bytes < kHugePageBytes) {
    void* const bytes = mmap(nullptr, size_bytes, ProtectionOf(access), MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) return failure();
    return static_cast<std::byte*>(bytes);
  }
  const size_t pages = PagesOfFile(size_bytes);
  void* const reserved = mmap(nullptr, pages + kHugePageBytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return ErrnoStatus(errno, words);
  auto* const begin = static_cast<std::byte*>(reserved);
  const size_t lead =
      (kHugePageBytes - reinterpret_cast<uintptr_t>(begin) % kHugePageBytes) % kHugePageBytes;
  Unmap(begin, lead);
  Unmap(begin + lead + pages, kHugePageBytes - lead);
  std::byte* const bytes = begin + lead;
  if (mmap(bytes, size_bytes, ProtectionOf(access), MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
    // Do not unmap the reserved range: another thread may have mapped something there by now.
    return failure();
  }
  return bytes;
}

// A call keeps every thread of the process waiting that maps or unmaps memory meanwhile, as
// malloc does, so that the range is advised in pieces. Returns false, with errno, at the first
// piece that fails. begin: of a page.
bool AdvisePieces(std::span<const std::byte> bytes, uint64_t begin, uint64_t end, int advice) {
  constexpr uint64_t kPiece = 4 << 20;
  for (uint64_t at = begin; at < end;) {
    auto* const address = const_cast<std::byte*>(bytes.data()) + at;
    if (madvise(address, std::min(kPiece, end - at), advice) == 0) {
      at += kPiece;
    } else if (errno != EINTR && errno != EAGAIN) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<StoreGranularity> FindStoreGranularity(int fd, MapAccess access,
                                                      std::string_view what) {
  PMDEX_RETURN_IF_ERROR(MappableSize(fd, what).status());
  const bool forced = IsGranularityForced();
  if (!forced) {
    PMDEX_ASSIGN_OR_RETURN(const bool cached, IsBehindPageCache(fd, access, what));
    if (cached) return StoreGranularity::kPage;
  }
  const auto library = LoadPmem2();
  if (!library.ok() && !forced) return StoreGranularity::kCacheLine;
  if (!library.ok()) return library.status();
  PMDEX_ASSIGN_OR_RETURN(pmem2_map* const map, NewMap(**library, fd, access, what));
  const StoreGranularity granularity = GranularityOf(**library, map);
  DeleteMap(**library, map);
  return granularity;
}

absl::StatusOr<std::unique_ptr<Mapping>> Mapping::Map(int fd, MapAccess access,
                                                      std::string_view what) {
  PMDEX_ASSIGN_OR_RETURN(const size_t size_bytes, MappableSize(fd, what));
  PMDEX_ASSIGN_OR_RETURN(const bool cached, IsBehindPageCache(fd, access, what));
  if (access == MapAccess::kReadWrite && (!cached || IsGranularityForced())) {
    return MapByPmem2(fd, what);
  }
  PMDEX_ASSIGN_OR_RETURN(std::byte * bytes,
                         MapAligned(fd, size_bytes, access, absl::StrCat("map ", ToAbsl(what))));
  // Has an effect on tmpfs with huge=advise only; elsewhere it fails with EINVAL.
  const bool is_huge = size_bytes >= kHugePageBytes;
  if (access == MapAccess::kReadOnly && is_huge) (void)madvise(bytes, size_bytes, MADV_HUGEPAGE);
  return std::unique_ptr<Mapping>(
      new Mapping(nullptr, nullptr, {bytes, size_bytes}, StoreGranularity::kPage, cached));
}

absl::StatusOr<std::unique_ptr<Mapping>> Mapping::MapByPmem2(int fd, std::string_view what) {
  const auto library = LoadPmem2();
  if (!library.ok()) {
    return MakeStatus(library.status().code(),
                      absl::StrCat("map ", ToAbsl(what), ": ", ToAbsl(Message(library.status()))));
  }
  PMDEX_ASSIGN_OR_RETURN(pmem2_map* const map, NewMap(**library, fd, MapAccess::kReadWrite, what));
  const std::span bytes(static_cast<std::byte*>((*library)->map_get_address(map)),
                        (*library)->map_get_size(map));
  const StoreGranularity granularity = GranularityOf(**library, map);
  return std::unique_ptr<Mapping>(
      new Mapping(*library, map, bytes, granularity, granularity == StoreGranularity::kPage));
}

Mapping::Mapping(const Pmem2Library* library, pmem2_map* map, std::span<std::byte> bytes,
                 StoreGranularity granularity, bool is_page_cache)
    : library_(library),
      map_(map),
      bytes_(bytes),
      granularity_(granularity),
      is_page_cache_(is_page_cache) {}

Mapping::~Mapping() {
  if (map_ != nullptr) {
    DeleteMap(*library_, map_);
  } else {
    Unmap(bytes_.data(), PagesOfFile(bytes_.size()));
  }
}

std::unique_ptr<Persister> Mapping::NewPersister(int fd, bool durable) const {
  if (granularity_ == StoreGranularity::kPage) return NewPagePersister(bytes_, fd, durable);
  return NewPmem2Persister(*library_, map_, granularity_);
}

void PrefetchPages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes) {
  // For one call of madvise a kernel reads no more than its read-ahead, which is 128 KiB by
  // default.
  constexpr uint64_t kPiece = 128 << 10;
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (offset >= bytes.size()) return;
  const uint64_t end = offset + std::min<uint64_t>(size_bytes, bytes.size() - offset);
  auto* const begin = const_cast<std::byte*>(bytes.data());
  for (uint64_t at = offset / page_bytes * page_bytes; at < end; at += kPiece) {
    // Errors are ignored: the bytes are then read when they are touched.
    (void)madvise(begin + at, std::min(kPiece, end - at), MADV_WILLNEED);
  }
}

absl::Status PopulatePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes,
                           MapAccess access, std::string_view what) {
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (offset >= bytes.size() || size_bytes == 0) return absl::OkStatus();
  const uint64_t end = offset + std::min<uint64_t>(size_bytes, bytes.size() - offset);
  const uint64_t begin = offset / page_bytes * page_bytes;
  const int advice = access == MapAccess::kReadOnly ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
  if (AdvisePieces(bytes, begin, end, advice) || errno == EINVAL) return absl::OkStatus();
  const std::string words = absl::StrCat(ToAbsl(what), ", bytes ", offset, " to ", end);
  // EFAULT means that an access to the range would raise SIGBUS.
  if (errno == EFAULT || errno == EHWPOISON) return DataLoss(words + ": the medium cannot be read");
  return ErrnoStatus(errno, words);
}

void ReleasePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes) {
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (offset >= bytes.size()) return;
  const uint64_t end = offset + std::min<uint64_t>(size_bytes, bytes.size() - offset);
  const uint64_t first = (offset + page_bytes - 1) / page_bytes * page_bytes;
  const uint64_t last = end / page_bytes * page_bytes;
  if (first >= last) return;
  (void)AdvisePieces(bytes, first, last, MADV_DONTNEED);  // else the pages stay mapped
}

}  // namespace pmdex
