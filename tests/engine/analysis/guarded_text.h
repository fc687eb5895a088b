// A copy of a text between pages that cannot be read: a step outside it ends the test, in every
// build. Which side has no slack is the caller's choice.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "pmem/check.h"

namespace pmdex {

class GuardedText {
 public:
  enum class Side { kBegin, kEnd };

  GuardedText(std::string_view text, Side side) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (text.size() + page) / page * page;
    mapped_bytes_ = inner + 2 * page;
    void* const mapped =
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    PMDEX_CHECK(mapped != MAP_FAILED);
    mapped_ = static_cast<char*>(mapped);
    char* const begin = mapped_ + page;
    PMDEX_CHECK(mprotect(begin, inner, PROT_READ | PROT_WRITE) == 0);
    char* const copy = side == Side::kBegin ? begin : begin + inner - text.size();
    if (!text.empty()) std::memcpy(copy, text.data(), text.size());
    view_ = {copy, text.size()};
  }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;
  ~GuardedText() { munmap(mapped_, mapped_bytes_); }

  std::string_view view() const { return view_; }

 private:
  char* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  std::string_view view_;
};

}  // namespace pmdex
