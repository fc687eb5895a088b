#include "pmem/fault_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "pmem/check.h"
#include "pmem/mutex.h"

namespace pmdex {

// The owner of the range writes it, and the signal handler of any thread reads it. `version` is odd
// while begin and end change. The handler uses them only if it reads the same even version before
// and after them.
struct GuardedRange::Record {
  std::atomic<uint64_t> version = 0;
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;  // 0: free
  std::atomic<int> protection = PROT_READ;
  std::atomic<uint32_t> faults = 0;
  std::atomic<uint64_t> first_fault = 0;  // offset << 8 | si_code; 0: none (no si_code is 0)
};

namespace {

using Record = GuardedRange::Record;
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// After more faults than this the whole range becomes zeros. Otherwise a truncated file would take
// a signal and a mapping for each of its pages, and a process may have 65,530 mappings.
constexpr uint32_t kMaxPageFaults = 8;
constexpr size_t kRecordsPerBlock = 64;

// Blocks are added at the end and never freed, so that a handler may walk them at any time.
struct RecordBlock {
  std::array<Record, kRecordsPerBlock> records;
  std::atomic<RecordBlock*> next = nullptr;
};

constinit RecordBlock first_block;
struct sigaction previous_action;  // written once, before the handler is in place
uintptr_t page_bytes = 0;          // the same

Mutex& RegistrationMutex() {
  static auto* mutex = new Mutex;  // never destroyed: files may outlive static destructors
  return *mutex;
}

// Runs in the handler. The record whose range holds the address, and the bounds of that range.
Record* FindRecord(uintptr_t address, uintptr_t& begin, uintptr_t& end) {
  for (RecordBlock* block = &first_block; block != nullptr; block = block->next.load()) {
    for (Record& record : block->records) {
      const uint64_t version = record.version.load();
      begin = record.begin.load();
      end = record.end.load();
      const bool whole = version % 2 == 0 && record.version.load() == version;
      if (whole && address >= begin && address < end) return &record;
    }
  }
  return nullptr;
}

// Runs in the handler. Maps zeros over [begin, end). Makes the system call itself, because
// sanitizers wrap mmap in code that may not run in a handler.
bool PutZeros(uintptr_t begin, uintptr_t end, int protection) {
  const long mapped = syscall(SYS_mmap, begin, end - begin, protection,
                              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return mapped != -1;
}

// Runs in the handler. How many bytes around the address the medium lost; a power of two.
uintptr_t LostBytes(const siginfo_t& info) {
  if (info.si_code != BUS_MCEERR_AR && info.si_code != BUS_MCEERR_AO) return page_bytes;
  constexpr int kMaxShift = 30;  // 1 GiB pages are the largest
  const int shift = std::clamp<int>(info.si_addr_lsb, 0, kMaxShift);
  return std::max(uintptr_t{1} << shift, page_bytes);
}

// Runs in the handler. Records the fault and makes the address readable. Returns false if the
// address is in no registered range, or if no zeros could be put there.
bool Absorb(const siginfo_t& info) {
  if (info.si_code <= 0 || info.si_code == BUS_ADRALN) return false;  // sent by kill, or our bug
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  uintptr_t begin = 0;
  uintptr_t end = 0;
  Record* record = FindRecord(address, begin, end);
  if (record == nullptr) return false;
  uint64_t none = 0;
  record->first_fault.compare_exchange_strong(
      none, static_cast<uint64_t>(address - begin) << 8 | static_cast<uint8_t>(info.si_code));
  const int protection = record->protection.load();
  if (record->faults.fetch_add(1) < kMaxPageFaults) {
    const uintptr_t lost = LostBytes(info);
    const uintptr_t lost_begin = address / lost * lost;
    if (PutZeros(std::max(begin, lost_begin), std::min(end, lost_begin + lost), protection)) {
      return true;
    }
  }
  return PutZeros(begin, end, protection);
}

// Runs in the handler. Does what would have happened without this handler.
void PassOn(int number, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, info, context);
    return;
  }
  const bool sent = info->si_code <= 0;
  if (previous_action.sa_handler == SIG_IGN && sent) return;
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(number);
    return;
  }
  // The kernel does not let a fault be ignored either. The signal arrives when the handler returns,
  // so that the core dump shows the instruction that faulted.
  struct sigaction fatal = {};
  fatal.sa_handler = SIG_DFL;
  sigaction(number, &fatal, nullptr);
  raise(number);
}

void HandleSigbus(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (!Absorb(*info)) PassOn(number, info, context);
  errno = saved_errno;
}

void InstallHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    PMDEX_CHECK(sigaction(SIGBUS, nullptr, &previous_action) == 0);
    struct sigaction action = {};
    action.sa_sigaction = HandleSigbus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    PMDEX_CHECK(sigaction(SIGBUS, &action, nullptr) == 0);
  });
}

// A free record with an odd version, which the caller fills. Requires the registration mutex.
Record* TakeRecord() {
  for (RecordBlock* block = &first_block;; block = block->next.load()) {
    for (Record& record : block->records) {
      if (record.end.load() != 0) continue;
      record.version.fetch_add(1);
      return &record;
    }
    if (block->next.load() == nullptr) block->next.store(new RecordBlock);
  }
}

Record* Register(std::span<const std::byte> bytes, MapAccess access) {
  InstallHandler();
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  PMDEX_CHECK(begin % page_bytes == 0 && !bytes.empty());
  MutexLock lock(&RegistrationMutex());
  Record* record = TakeRecord();
  record->begin.store(begin);
  record->end.store((begin + bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
  record->protection.store(access == MapAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE);
  record->faults.store(0);
  record->first_fault.store(0);
  record->version.fetch_add(1);
  return record;
}

}  // namespace

GuardedRange::GuardedRange(std::span<const std::byte> bytes, MapAccess access)
    : record_(Register(bytes, access)) {}

GuardedRange::~GuardedRange() {
  MutexLock lock(&RegistrationMutex());
  record_->version.fetch_add(1);
  record_->begin.store(0);
  record_->end.store(0);
  record_->version.fetch_add(1);
}

bool GuardedRange::has_fault() const {
  return record_->first_fault.load(std::memory_order_acquire) != 0;
}

std::optional<MediumFault> GuardedRange::first_fault() const {
  const uint64_t packed = record_->first_fault.load(std::memory_order_acquire);
  if (packed == 0) return std::nullopt;
  MediumFault fault;
  fault.offset = packed >> 8;
  switch (static_cast<int>(packed & 0xff)) {
    case BUS_ADRERR:
      fault.kind = FaultKind::kNothingBehind;
      break;
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO:
      fault.kind = FaultKind::kPoison;
      break;
    default:
      fault.kind = FaultKind::kOther;
  }
  return fault;
}

}  // namespace pmdex
