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

// Written by its owner, read by the signal handler of any thread. `version` is odd while begin and
// end change: the handler trusts the pair only when it saw the same even version around it.
struct GuardedRange::Slot {
  std::atomic<uint64_t> version = 0;
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;  // 0: free
  std::atomic<int> protection = PROT_READ;
  std::atomic<uint32_t> faults = 0;
  std::atomic<uint64_t> first_fault = 0;  // offset << 8 | si_code; 0: none (no si_code is 0)
};

namespace {

using Slot = GuardedRange::Slot;
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// A range with more faults than this is zeroed as a whole: page by page, a truncated file would
// take a signal and a mapping (of which a process may have 65,530) for each of its pages.
constexpr uint32_t kMaxPageFaults = 8;
constexpr size_t kSlotsPerBlock = 64;

// Blocks are added at the end and never freed, so that a handler may walk them at any time.
struct SlotBlock {
  std::array<Slot, kSlotsPerBlock> slots;
  std::atomic<SlotBlock*> next = nullptr;
};

constinit SlotBlock first_block;
struct sigaction previous_action;  // written once, before the handler is in place
uintptr_t page_bytes = 0;          // the same

Mutex& RegistrationMutex() {
  static auto* mutex = new Mutex;  // never destroyed: files may outlive static destructors
  return *mutex;
}

// In the handler: the slot whose range holds the address, with its bounds.
Slot* FindSlot(uintptr_t address, uintptr_t& begin, uintptr_t& end) {
  for (SlotBlock* block = &first_block; block != nullptr; block = block->next.load()) {
    for (Slot& slot : block->slots) {
      const uint64_t version = slot.version.load();
      begin = slot.begin.load();
      end = slot.end.load();
      const bool whole = version % 2 == 0 && slot.version.load() == version;
      if (whole && address >= begin && address < end) return &slot;
    }
  }
  return nullptr;
}

// In the handler: zeros over [begin, end). The plain system call, because sanitizers put code of
// their own before mmap.
bool PutZeros(uintptr_t begin, uintptr_t end, int protection) {
  const long mapped = syscall(SYS_mmap, begin, end - begin, protection,
                              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return mapped != -1;
}

// In the handler: how much the medium lost around the address, a power of two.
uintptr_t LostBytes(const siginfo_t& info) {
  if (info.si_code != BUS_MCEERR_AR && info.si_code != BUS_MCEERR_AO) return page_bytes;
  constexpr int kMaxShift = 30;  // 1 GiB pages are the largest
  const int shift = std::clamp<int>(info.si_addr_lsb, 0, kMaxShift);
  return std::max(uintptr_t{1} << shift, page_bytes);
}

// In the handler: notes the fault and makes the address readable. False: not an address of ours, or
// nothing can be done.
bool Absorb(const siginfo_t& info) {
  if (info.si_code <= 0 || info.si_code == BUS_ADRALN) return false;  // sent by kill, or our bug
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  uintptr_t begin = 0;
  uintptr_t end = 0;
  Slot* slot = FindSlot(address, begin, end);
  if (slot == nullptr) return false;
  uint64_t none = 0;
  slot->first_fault.compare_exchange_strong(
      none, static_cast<uint64_t>(address - begin) << 8 | static_cast<uint8_t>(info.si_code));
  const int protection = slot->protection.load();
  if (slot->faults.fetch_add(1) < kMaxPageFaults) {
    const uintptr_t lost = LostBytes(info);
    const uintptr_t lost_begin = address / lost * lost;
    if (PutZeros(std::max(begin, lost_begin), std::min(end, lost_begin + lost), protection)) {
      return true;
    }
  }
  return PutZeros(begin, end, protection);
}

// In the handler: what would have happened without it.
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
  // The kernel does not let a fault be ignored either. Delivered when the handler returns, with the
  // faulting instruction still in place for the core dump.
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

// A free slot, its version odd: the caller fills it. Requires the registration mutex.
Slot* TakeSlot() {
  for (SlotBlock* block = &first_block;; block = block->next.load()) {
    for (Slot& slot : block->slots) {
      if (slot.end.load() != 0) continue;
      slot.version.fetch_add(1);
      return &slot;
    }
    if (block->next.load() == nullptr) block->next.store(new SlotBlock);
  }
}

Slot* Register(std::span<const std::byte> bytes, MapAccess access) {
  InstallHandler();
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  PMDEX_CHECK(begin % page_bytes == 0 && !bytes.empty());
  MutexLock lock(&RegistrationMutex());
  Slot* slot = TakeSlot();
  slot->begin.store(begin);
  slot->end.store((begin + bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
  slot->protection.store(access == MapAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE);
  slot->faults.store(0);
  slot->first_fault.store(0);
  slot->version.fetch_add(1);
  return slot;
}

}  // namespace

GuardedRange::GuardedRange(std::span<const std::byte> bytes, MapAccess access)
    : slot_(Register(bytes, access)) {}

GuardedRange::~GuardedRange() {
  MutexLock lock(&RegistrationMutex());
  slot_->version.fetch_add(1);
  slot_->begin.store(0);
  slot_->end.store(0);
  slot_->version.fetch_add(1);
}

std::optional<MediumFault> GuardedRange::first_fault() const {
  const uint64_t record = slot_->first_fault.load(std::memory_order_acquire);
  if (record == 0) return std::nullopt;
  MediumFault fault;
  fault.offset = record >> 8;
  switch (static_cast<int>(record & 0xff)) {
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
