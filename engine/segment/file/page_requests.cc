#include "engine/segment/file/page_requests.h"

#include <algorithm>
#include <bit>

namespace pmdex {

PageRequests::PageRequests(const ReadableFile& file)
    : file_(file),
      asked_(std::make_unique<std::atomic<uint64_t>[]>(PagesOf(file.bytes().size()) / 64 + 1)) {}

// Goes through the words of bits. Consecutive new pages become one request.
void PageRequests::AskPages(uint64_t first, uint64_t last) {
  uint64_t run_begin = first;  // of new pages: [run_begin, page)
  uint64_t page = first;
  const auto finish_run = [&] {
    if (page > run_begin) {
      file_.Prefetch(run_begin * kPageBytes, (page - run_begin) * kPageBytes);
    }
  };
  while (page <= last) {
    const uint64_t in_word = std::min<uint64_t>(64 - page % 64, last - page + 1);
    const uint64_t wanted = (~uint64_t{0} >> (64 - in_word)) << (page % 64);
    std::atomic<uint64_t>& word = asked_[page / 64];
    uint64_t asked = word.load(std::memory_order_relaxed) & wanted;
    const uint64_t end = page + in_word;
    if (asked == wanted) {
      finish_run();
      run_begin = page = end;
      continue;
    }
    word.fetch_or(wanted, std::memory_order_relaxed);
    for (; asked != 0; asked &= asked - 1) {
      page = (page & ~uint64_t{63}) + static_cast<uint64_t>(std::countr_zero(asked));
      finish_run();
      run_begin = page + 1;
    }
    page = end;
  }
  finish_run();
}

}  // namespace pmdex
