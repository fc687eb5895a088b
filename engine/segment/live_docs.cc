#include "engine/segment/live_docs.h"

#include <bit>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

std::vector<uint64_t> AllLive(uint32_t doc_count) {
  std::vector<uint64_t> words(LiveDocs::WordCount(doc_count));
  for (size_t i = 0; i < doc_count / 64; ++i) words[i] = ~uint64_t{0};
  if (doc_count % 64 != 0) words[doc_count / 64] = (uint64_t{1} << doc_count % 64) - 1;
  return words;
}

}  // namespace

LiveDocs LiveDocs::Without(uint32_t doc_count, std::span<const DocId> deleted) {
  return Without(nullptr, doc_count, deleted);
}

LiveDocs LiveDocs::Without(const LiveDocs* before, uint32_t doc_count,
                           std::span<const DocId> deleted) {
  auto words = std::make_shared<std::vector<uint64_t>>();
  if (before == nullptr) {
    *words = AllLive(doc_count);
  } else {
    PMDEX_CHECK(before->doc_count() == doc_count);
    words->assign(before->words().begin(), before->words().end());
  }
  for (const DocId doc : deleted) {
    PMDEX_CHECK(doc < doc_count);
    (*words)[doc / 64] &= ~(uint64_t{1} << doc % 64);
  }
  uint32_t live_count = 0;
  for (const uint64_t word : *words) live_count += static_cast<uint32_t>(std::popcount(word));
  const std::span<const uint64_t> view = *words;
  return {doc_count, live_count, view, std::move(words)};
}

LiveDocs::LiveDocs(uint32_t doc_count, uint32_t live_count, std::span<const uint64_t> words,
                   std::shared_ptr<const void> owner)
    : doc_count_(doc_count),
      live_count_(live_count),
      words_(words),
      owner_(std::move(owner)),
      counts_(std::make_shared<LiveCounts>()) {
  PMDEX_CHECK(words_.size() == WordCount(doc_count));
}

}  // namespace pmdex
