#include "pmem/pmem2_persister.h"

#include "pmem/check.h"
#include "pmem/mutex.h"
#include "pmem/pmem2_library.h"
#include "pmem/pmem2_registry.h"

namespace pmdex {
namespace {

class Pmem2Persister final : public Persister {
 public:
  Pmem2Persister(const Pmem2Library& library, pmem2_map* map, StoreGranularity granularity)
      : memcpy_(library.get_memcpy_fn(map)),
        flush_(library.get_flush_fn(map)),
        drain_(library.get_drain_fn(map)),
        granularity_(granularity) {}

  void CopyNonTemporal(std::byte* dst, std::span<const std::byte> source) override {
    if (source.empty()) return;
    memcpy_(dst, source.data(), source.size(), PMEM2_F_MEM_NONTEMPORAL | PMEM2_F_MEM_NODRAIN);
    counters_.copied_bytes += source.size();
  }

  void FlushRange(const std::byte* begin, size_t size_bytes) override {
    flush_(begin, size_bytes);
    counters_.flushed_bytes += size_bytes;
    ++counters_.flushes;
  }

  absl::Status Drain() override {
    drain_();
    ++counters_.drains;
    return absl::OkStatus();
  }

  StoreGranularity granularity() const override { return granularity_; }

 private:
  pmem2_memcpy_fn memcpy_;
  pmem2_flush_fn flush_;
  pmem2_drain_fn drain_;
  StoreGranularity granularity_;
};

// libpmem2 gives its functions only for a map, so this maps one page of ordinary memory. The map is
// made once and never deleted, because libpmem2 1.12.1 does not free a map of existing memory.
pmem2_map* MapForDramFunctions(const Pmem2Library& library) {
  static pmem2_map* const map = [&library] {
    constexpr size_t kBytes = 4096;
    alignas(kBytes) static std::byte page[kBytes];
    pmem2_source* source = nullptr;
    pmem2_map* made = nullptr;
    MutexLock lock(&Pmem2Registry());
    PMDEX_CHECK(library.source_from_anon(&source, kBytes) == 0);
    PMDEX_CHECK(library.map_from_existing(&made, source, page, kBytes, PMEM2_GRANULARITY_BYTE) ==
                0);
    PMDEX_CHECK(library.source_delete(&source) == 0);
    return made;
  }();
  return map;
}

}  // namespace

std::unique_ptr<Persister> NewPmem2Persister(const Pmem2Library& library, pmem2_map* map,
                                             StoreGranularity granularity) {
  return std::make_unique<Pmem2Persister>(library, map, granularity);
}

std::unique_ptr<Persister> NewDramPersister() {
  const auto library = LoadPmem2();
  PMDEX_CHECK(library.ok());
  return NewPmem2Persister(**library, MapForDramFunctions(**library), StoreGranularity::kByte);
}

}  // namespace pmdex
