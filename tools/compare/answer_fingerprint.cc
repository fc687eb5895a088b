#include "tools/compare/answer_fingerprint.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/checksum.h"

namespace pmdex {
namespace {

void AppendScore(float score, std::string& bytes) {
  char raw[sizeof(score)];
  std::memcpy(raw, &score, sizeof(score));
  bytes.append(raw, sizeof(raw));
}

void AppendId(std::string_view id, std::string& bytes) {
  const uint64_t size = id.size();
  char raw[sizeof(size)];
  std::memcpy(raw, &size, sizeof(size));
  bytes.append(raw, sizeof(raw));
  bytes.append(id);
}

}  // namespace

AnswerFingerprint FingerprintOf(const SearchResult& result, size_t k) {
  const bool is_cut = k > 0 && result.hits.size() >= k;
  std::string bytes;
  for (size_t begin = 0; begin < result.hits.size();) {
    const float score = result.hits[begin].score;
    std::vector<std::string_view> ids;
    size_t end = begin;
    for (; end < result.hits.size() && result.hits[end].score == score; ++end) {
      AppendScore(score, bytes);
      ids.push_back(result.hits[end].id);
    }
    std::sort(ids.begin(), ids.end());
    const bool complete = end < result.hits.size() || !is_cut;
    for (const std::string_view id : ids) {
      if (complete) AppendId(id, bytes);
    }
    begin = end;
  }
  AnswerFingerprint fingerprint;
  fingerprint.hits = Xxh3(std::as_bytes(std::span(bytes)));
  if (result.total_exact) fingerprint.total = result.total;
  return fingerprint;
}

}  // namespace pmdex
