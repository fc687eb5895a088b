#include "tools/compare/medium/memory_probe.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "pmem/check.h"
#include "tools/compare/timed_passes.h"
#include "tools/query_batch.h"

namespace pmdex {
namespace {

constexpr size_t kLineBytes = 64;
// Pieces are so short that most run without an interruption.
constexpr uint64_t kPieces = 500;
constexpr uint64_t kChaseSteps = 2000;
constexpr uint64_t kStreamSteps = 8192;

// A line of the chase: the number of the next one. The rest is the rest of the cache line.
struct alignas(kLineBytes) ChaseLine {
  uint64_t next = 0;
};

// Zeroed memory, with huge pages if the kernel has some.
class ChaseBuffer {
 public:
  static absl::StatusOr<ChaseBuffer> Make(uint64_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return ErrnoStatus(errno, "memory for a measurement");
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return ChaseBuffer(static_cast<ChaseLine*>(memory), bytes);
  }
  ~ChaseBuffer() {
    if (lines_ != nullptr) munmap(lines_, bytes_);
  }
  ChaseBuffer(ChaseBuffer&& other) noexcept
      : lines_(std::exchange(other.lines_, nullptr)), bytes_(other.bytes_) {}
  ChaseBuffer(const ChaseBuffer&) = delete;
  ChaseBuffer& operator=(const ChaseBuffer&) = delete;

  ChaseLine* lines() { return lines_; }
  uint64_t count() const { return bytes_ / sizeof(ChaseLine); }

 private:
  ChaseBuffer(ChaseLine* lines, uint64_t bytes) : lines_(lines), bytes_(bytes) {}

  ChaseLine* lines_;
  uint64_t bytes_;
};

// One cycle through all lines in random order (Sattolo, 1986).
void LinkRandomly(ChaseBuffer& buffer) {
  ChaseLine* const lines = buffer.lines();
  const uint64_t count = buffer.count();
  for (uint64_t i = 0; i < count; ++i) lines[i].next = i;
  std::mt19937_64 random(1);
  for (uint64_t i = count - 1; i > 0; --i) std::swap(lines[i].next, lines[random() % i].next);
}

// Tells the compiler that the value is needed, so that it does not leave out the loads behind it.
void Keep(uint64_t value) {
  asm volatile("" : : "r"(value));
}

// The median over pieces of a loop: a piece in which another program had the CPU does not count.
// piece() runs `steps` steps.
template <typename Piece>
double MedianStepNs(uint64_t pieces, uint64_t steps, const Piece& piece) {
  std::vector<double> ns;
  for (uint64_t i = 0; i < pieces; ++i) {
    const double start = SteadySeconds();
    piece();
    ns.push_back(1e9 * (SteadySeconds() - start) / static_cast<double>(steps));
  }
  return MedianOf(std::move(ns));
}

double TimeChase(ChaseBuffer& buffer) {
  const ChaseLine* const lines = buffer.lines();
  uint64_t at = 0;
  for (uint64_t i = 0; i < buffer.count(); ++i) at = lines[at].next;  // warms the caches
  const double ns = MedianStepNs(kPieces, kChaseSteps, [&] {
    for (uint64_t i = 0; i < kChaseSteps; ++i) at = lines[at].next;
  });
  Keep(at);
  return ns;
}

double TimeStream(ChaseBuffer& buffer) {
  const ChaseLine* const lines = buffer.lines();
  const uint64_t steps = std::min(kStreamSteps, buffer.count());
  uint64_t at = 0;
  uint64_t sum = 0;
  const double ns = MedianStepNs(std::min(kPieces, buffer.count() / steps), steps, [&] {
    for (const uint64_t end = at + steps; at < end; ++at) sum += lines[at].next;
  });
  Keep(sum);
  return ns;
}

}  // namespace

absl::StatusOr<double> ChaseNs(uint64_t buffer_bytes) {
  PMDEX_ASSIGN_OR_RETURN(ChaseBuffer buffer, ChaseBuffer::Make(buffer_bytes));
  LinkRandomly(buffer);
  return TimeChase(buffer);
}

absl::StatusOr<MemoryTimes> MeasureMemory(uint64_t buffer_bytes) {
  PMDEX_ASSIGN_OR_RETURN(ChaseBuffer buffer, ChaseBuffer::Make(buffer_bytes));
  LinkRandomly(buffer);
  MemoryTimes times;
  times.random_ns = TimeChase(buffer);
  times.sequential_line_ns = TimeStream(buffer);
  return times;
}

uint64_t CacheKnee(const std::vector<uint64_t>& sizes, const std::vector<double>& ns) {
  PMDEX_CHECK(!sizes.empty() && sizes.size() == ns.size());
  const double border = std::sqrt(ns.front() * ns.back());
  uint64_t knee = sizes.front();
  for (size_t i = 0; i < sizes.size() && ns[i] <= border; ++i) knee = sizes[i];
  return knee;
}

absl::StatusOr<uint64_t> MeasureCacheKnee(
    const std::function<absl::StatusOr<double>(uint64_t)>& chase) {
  std::vector<uint64_t> sizes;
  std::vector<double> ns;
  for (uint64_t bytes = uint64_t{512} << 10; bytes <= uint64_t{512} << 20; bytes *= 2) {
    PMDEX_ASSIGN_OR_RETURN(const double latency, chase(bytes));
    sizes.push_back(bytes);
    ns.push_back(latency);
  }
  return CacheKnee(sizes, ns);
}

void DropLines(const std::vector<const void*>& lines) {
#if defined(__x86_64__)
  for (const void* const line : lines) __builtin_ia32_clflush(line);
  __builtin_ia32_mfence();
#else
  (void)lines;
#endif
}

}  // namespace pmdex
