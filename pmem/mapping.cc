#include "pmem/mapping.h"

#include <libpmem2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/mutex.h"
#include "pmem/page_persister.h"
#include "pmem/pmem2_persister.h"
#include "pmem/pmem2_registry.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status Pmem2Status(int result, std::string_view what) {
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
  return MakeStatus(code, absl::StrCat(ToAbsl(what), ": ", pmem2_errormsg()));
}

absl::StatusOr<pmem2_map*> NewMap(int fd, MapAccess access, std::string_view what) {
  pmem2_source* source = nullptr;
  pmem2_config* config = nullptr;
  const auto release = absl::MakeCleanup([&] {
    if (config != nullptr) pmem2_config_delete(&config);
    if (source != nullptr) pmem2_source_delete(&source);
  });
  const std::string words = absl::StrCat("map ", ToAbsl(what));
  if (int r = pmem2_source_from_fd(&source, fd); r != 0) return Pmem2Status(r, words);
  if (int r = pmem2_config_new(&config); r != 0) return Pmem2Status(r, words);
  // PAGE accepts every medium; what was got is asked of the map.
  int r = pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE);
  if (r != 0) return Pmem2Status(r, words);
  const unsigned protection =
      access == MapAccess::kReadOnly ? PMEM2_PROT_READ : PMEM2_PROT_READ | PMEM2_PROT_WRITE;
  if (r = pmem2_config_set_protection(config, protection); r != 0) return Pmem2Status(r, words);
  pmem2_map* map = nullptr;
  MutexLock lock(&Pmem2Registry());
  if (r = pmem2_map_new(&map, config, source); r != 0) return Pmem2Status(r, words);
  return map;
}

StoreGranularity GranularityOf(pmem2_map* map) {
  switch (pmem2_map_get_store_granularity(map)) {
    case PMEM2_GRANULARITY_BYTE:
      return StoreGranularity::kByte;
    case PMEM2_GRANULARITY_CACHE_LINE:
      return StoreGranularity::kCacheLine;
    case PMEM2_GRANULARITY_PAGE:
      return StoreGranularity::kPage;
  }
  return StoreGranularity::kPage;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Mapping>> Mapping::Map(int fd, MapAccess access,
                                                      std::string_view what) {
  PMDEX_ASSIGN_OR_RETURN(pmem2_map * map, NewMap(fd, access, what));
  return std::unique_ptr<Mapping>(new Mapping(map, access));
}

Mapping::Mapping(pmem2_map* map, MapAccess access)
    : map_(map),
      bytes_(static_cast<std::byte*>(pmem2_map_get_address(map)), pmem2_map_get_size(map)),
      granularity_(GranularityOf(map)) {
  // Only tmpfs with huge=advise listens; elsewhere the answer is EINVAL, which costs nothing.
  if (access == MapAccess::kReadOnly) (void)madvise(bytes_.data(), bytes_.size(), MADV_HUGEPAGE);
}

Mapping::~Mapping() {
  PMDEX_CHECK(pmem2_map_delete(&map_) == 0);
}

std::unique_ptr<Persister> Mapping::NewPersister(int fd, bool durable) const {
  if (granularity_ == StoreGranularity::kPage) return NewPagePersister(bytes_, fd, durable);
  return NewPmem2Persister(map_, granularity_);
}

absl::Status PopulatePages(std::span<const std::byte> bytes, uint64_t offset, uint64_t size_bytes,
                           MapAccess access, std::string_view what) {
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (offset >= bytes.size() || size_bytes == 0) return absl::OkStatus();
  const uint64_t end = offset + std::min<uint64_t>(size_bytes, bytes.size() - offset);
  const uint64_t begin = offset / page_bytes * page_bytes;
  auto* address = const_cast<std::byte*>(bytes.data()) + begin;
  const int advice = access == MapAccess::kReadOnly ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
  int result = 0;
  do {
    result = madvise(address, end - begin, advice);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0 || errno == EINVAL) return absl::OkStatus();
  const std::string words = absl::StrCat(ToAbsl(what), ", bytes ", offset, " to ", end);
  // EFAULT is how the kernel says that touching the range would raise SIGBUS.
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
  // Advice: where the kernel does not take it, the pages just stay.
  (void)madvise(const_cast<std::byte*>(bytes.data()) + first, last - first, MADV_DONTNEED);
}

}  // namespace pmdex
