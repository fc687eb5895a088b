#include "tools/compare/medium/access_recorder.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pmdex {
namespace {

constexpr uint64_t kTrapFlag = 0x100;
constexpr uint64_t kPage = 4096;
constexpr size_t kMostOpenPages = 64;  // that one instruction needs: a gather has 16 elements
constexpr uint32_t kWidestScalar = 8;

struct PageRange {
  uint64_t begin;
  uint64_t end;
};

// What the signal handlers work on. They run on the thread that records, between two instructions
// of it, so nothing needs a lock. They only store into memory that was allocated before.
struct RecorderState {
  const PageRange* ranges = nullptr;
  size_t range_count = 0;
  RecordedAccess* accesses = nullptr;
  size_t count = 0;
  size_t most = 0;
  bool overflow = false;
  std::array<uint64_t, kMostOpenPages> open{};
  size_t open_count = 0;
  struct sigaction before_fault = {};
  struct sigaction before_trap = {};
};

RecorderState& State() {
  static RecorderState state;
  return state;
}

void Protect(uint64_t begin, uint64_t end, int protection) {
  (void)mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

void ProtectAll(const RecorderState& state, int protection) {
  for (size_t i = 0; i < state.range_count; ++i) {
    Protect(state.ranges[i].begin, state.ranges[i].end, protection);
  }
}

const PageRange* RangeOf(const RecorderState& state, uint64_t address) {
  for (size_t i = 0; i < state.range_count; ++i) {
    if (address >= state.ranges[i].begin && address < state.ranges[i].end) return &state.ranges[i];
  }
  return nullptr;
}

#if defined(__x86_64__)

void OnFault(int /*signal*/, siginfo_t* info, void* context) {
  RecorderState& state = State();
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  const PageRange* const range = RangeOf(state, address);
  if (range == nullptr) {  // a fault of somebody else: it happens again under the old handler
    (void)sigaction(SIGSEGV, &state.before_fault, nullptr);
    return;
  }
  if (state.count == state.most || state.open_count == kMostOpenPages) {
    state.overflow = true;
    ProtectAll(state, PROT_READ);
    return;
  }
  const auto* const code = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
  RecordedAccess& access = state.accesses[state.count++];
  access.range = static_cast<uint32_t>(range - state.ranges);
  access.offset = address - range->begin;
  access.bytes = LoadedBytes({code, 15});
  const uint64_t page = address / kPage * kPage;
  state.open[state.open_count++] = page;
  Protect(page, page + kPage, PROT_READ);
  registers[REG_EFL] |= static_cast<greg_t>(kTrapFlag);
}

void OnTrap(int /*signal*/, siginfo_t* /*info*/, void* context) {
  RecorderState& state = State();
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
  for (size_t i = 0; i < state.open_count && !state.overflow; ++i) {
    Protect(state.open[i], state.open[i] + kPage, PROT_NONE);
  }
  state.open_count = 0;
}

absl::Status InstallHandlers(RecorderState& state) {
  struct sigaction fault = {};
  fault.sa_sigaction = OnFault;
  fault.sa_flags = SA_SIGINFO;
  struct sigaction trap = {};
  trap.sa_sigaction = OnTrap;
  trap.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSEGV, &fault, &state.before_fault) != 0 ||
      sigaction(SIGTRAP, &trap, &state.before_trap) != 0) {
    return ErrnoStatus(errno, "sigaction");
  }
  return absl::OkStatus();
}

#else

absl::Status InstallHandlers(RecorderState& /*state*/) {
  return MakeStatus(absl::StatusCode::kUnimplemented, "loads are recorded on x86-64 only");
}

#endif

std::vector<PageRange> PagesOf(std::span<const std::span<const std::byte>> ranges) {
  std::vector<PageRange> pages;
  for (const std::span<const std::byte> range : ranges) {
    const auto begin = reinterpret_cast<uint64_t>(range.data());
    pages.push_back({begin, begin + (range.size() + kPage - 1) / kPage * kPage});
  }
  return pages;
}

// The bytes that a vector instruction loads: the length in its prefix, or less.
uint32_t VectorBytes(std::span<const uint8_t> code) {
  if (code[0] == 0xc5) return (code[1] & 0x04) != 0 ? 32 : 16;
  if (code[0] == 0xc4) return (code[2] & 0x04) != 0 ? 32 : 16;
  return 16U << ((code[3] >> 5) & 3U);  // EVEX
}

bool IsLegacyPrefix(uint8_t byte) {
  constexpr std::array<uint8_t, 11> kPrefixes = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36,
                                                 0x3e, 0x26, 0x64, 0x65, 0xf0};
  return std::find(kPrefixes.begin(), kPrefixes.end(), byte) != kPrefixes.end();
}

// Of an opcode with the prefix 0f.
uint32_t TwoByteOpcodeBytes(uint8_t opcode) {
  if (opcode == 0xb6 || opcode == 0xbe) return 1;  // movzx, movsx of a byte
  if (opcode == 0xb7 || opcode == 0xbf) return 2;
  const bool is_sse = (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
                      (opcode >= 0x50 && opcode <= 0x7f) || opcode >= 0xc2 || opcode == 0x38 ||
                      opcode == 0x3a;
  return is_sse ? 16 : kWidestScalar;
}

}  // namespace

uint32_t LoadedBytes(std::span<const uint8_t> code) {
  size_t at = 0;
  bool is_short = false;
  while (at < 8 && at + 4 < code.size() && IsLegacyPrefix(code[at])) {
    is_short = is_short || code[at] == 0x66;
    ++at;
  }
  if (at + 4 >= code.size()) return kWidestScalar;
  if (code[at] == 0xc4 || code[at] == 0xc5 || code[at] == 0x62) {
    return VectorBytes(code.subspan(at));
  }
  bool is_wide = false;
  if ((code[at] & 0xf0) == 0x40) {  // REX
    is_wide = (code[at] & 0x08) != 0;
    ++at;
  }
  const uint8_t opcode = code[at];
  if (opcode == 0x0f) return TwoByteOpcodeBytes(code[at + 1]);
  // Arithmetic, mov, test, xchg and string instructions have an even opcode for bytes.
  const bool has_byte_form = opcode < 0x40 || (opcode >= 0x80 && opcode <= 0x8b) ||
                             (opcode >= 0xa4 && opcode <= 0xaf) || opcode >= 0xf6;
  if (has_byte_form && (opcode & 1) == 0) return 1;
  return is_wide ? 8 : (is_short ? 2 : 4);
}

absl::StatusOr<std::vector<RecordedAccess>> RecordAccesses(
    std::span<const std::span<const std::byte>> ranges, const std::function<void()>& work,
    size_t most) {
  const std::vector<PageRange> pages = PagesOf(ranges);
  std::vector<RecordedAccess> accesses(most);
  RecorderState& state = State();
  state = RecorderState();
  state.ranges = pages.data();
  state.range_count = pages.size();
  state.accesses = accesses.data();
  state.most = most;
  PMDEX_RETURN_IF_ERROR(InstallHandlers(state));
  ProtectAll(state, PROT_NONE);
  work();
  ProtectAll(state, PROT_READ);
  (void)sigaction(SIGSEGV, &state.before_fault, nullptr);
  (void)sigaction(SIGTRAP, &state.before_trap, nullptr);
  if (state.overflow) {
    return MakeStatus(absl::StatusCode::kOutOfRange, "more loads than are recorded");
  }
  accesses.resize(state.count);
  return accesses;
}

}  // namespace pmdex
