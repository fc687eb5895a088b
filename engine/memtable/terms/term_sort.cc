#include "engine/memtable/terms/term_sort.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "engine/segment/dictionary/radix_sort.h"
#include "pmem/prefetch.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

struct SortedTerm {
  uint64_t key;       // bytes of (field, term), big-endian; which ones is the sort's business
  uint32_t key_rest;  // the four that follow
  TermHandle term;
};
static_assert(sizeof(SortedTerm) == 16);

constexpr size_t kKeyBytes = 12;
constexpr size_t kMaxTermBytes = 255;
constexpr size_t kSmallRun = 8;  // compared as whole terms: they have just been touched
constexpr size_t kPrefetchDistance = 16;

bool KeyLess(const SortedTerm& a, const SortedTerm& b) {
  return a.key != b.key ? a.key < b.key : a.key_rest < b.key_rest;
}

void SetKey(const unsigned char (&bytes)[kKeyBytes], SortedTerm& term) {
  std::memcpy(&term.key, bytes, sizeof(term.key));
  std::memcpy(&term.key_rest, bytes + sizeof(term.key), sizeof(term.key_rest));
  term.key = __builtin_bswap64(term.key);
  term.key_rest = __builtin_bswap32(term.key_rest);
}

// The field, then the first ten bytes of the term.
SortedTerm MakeSortedTerm(const TermTable& table, TermHandle term) {
  const TermHead& head = table.HeadAt(term);
  uint32_t rest = head.rest;
  if (head.term_bytes > kInlineEntryTermBytes) [[unlikely]]
    rest = LoadWord<uint32_t>(table.TermOf(head).data() + sizeof(head.head));
  const uint64_t first = __builtin_bswap64(head.head);
  const uint32_t second = __builtin_bswap32(rest);
  constexpr int kFieldBits = 8 * sizeof(FieldId);
  return {uint64_t{head.field} << (64 - kFieldBits) | first >> kFieldBits,
          static_cast<uint32_t>(first) << (32 - kFieldBits) | second >> kFieldBits, term};
}

class TermSorter {
 public:
  explicit TermSorter(const TermTable& table) : table_(table) {}

  // All terms, whose keys hold the bytes before `next`: by the first eight in passes over all of
  // them, which leaves short runs to compare.
  void SortAll(std::vector<SortedTerm>& terms, size_t next) const {
    RadixSort(terms, [](const SortedTerm& term) { return term.key; });
    for (size_t begin = 0; begin < terms.size();) {
      size_t end = begin + 1;
      while (end < terms.size() && terms[end].key == terms[begin].key) ++end;
      if (end - begin > 1) Sort(std::span(terms).subspan(begin, end - begin), next);
      begin = end;
    }
  }

 private:
  // The keys hold the bytes before `next`, and all of the run agree in those before them.
  void Sort(std::span<SortedTerm> run, size_t next) const {
    std::sort(run.begin(), run.end(), KeyLess);
    for (size_t begin = 0; begin < run.size();) {
      size_t end = begin + 1;
      while (end < run.size() && !KeyLess(run[begin], run[end])) ++end;
      if (end - begin > 1) SortEqual(run.subspan(begin, end - begin), next);
      begin = end;
    }
  }

  // Terms that agree in all bytes before `next`, ends padded with zeros.
  void SortEqual(std::span<SortedTerm> run, size_t next) const {
    if (run.size() > kSmallRun && next < kMaxTermBytes) {
      LoadKeys(run, next);
      Sort(run, next + kKeyBytes);
      return;
    }
    std::sort(run.begin(), run.end(), [this](const SortedTerm& a, const SortedTerm& b) {
      return table_.TermOf(table_.HeadAt(a.term)) < table_.TermOf(table_.HeadAt(b.term));
    });
  }

  void LoadKeys(std::span<SortedTerm> run, size_t begin) const {
    for (size_t i = 0; i < run.size(); ++i) {
      if (i + kPrefetchDistance < run.size()) {
        PrefetchLine(&table_.HeadAt(run[i + kPrefetchDistance].term));
      }
      if (i + kPrefetchDistance / 2 < run.size()) {
        const TermHead& ahead = table_.HeadAt(run[i + kPrefetchDistance / 2].term);
        PrefetchLine(table_.TermOf(ahead).data() + std::min<size_t>(begin, ahead.term_bytes));
      }
      const std::string_view bytes = table_.TermOf(table_.HeadAt(run[i].term));
      unsigned char key[kKeyBytes] = {};
      if (begin < bytes.size()) {
        std::memcpy(key, bytes.data() + begin, std::min(bytes.size() - begin, kKeyBytes));
      }
      SetKey(key, run[i]);
    }
  }

  const TermTable& table_;
};

}  // namespace

std::vector<TermHandle> SortTerms(const TermTable& table) {
  std::vector<SortedTerm> terms;
  terms.reserve(table.size());
  table.ForEach([&](TermHandle term) {
    if (TermTable::IsHapax(term) || table.EntryAt(term).df > 0) {
      terms.push_back(MakeSortedTerm(table, term));
    }
  });
  TermSorter(table).SortAll(terms, kKeyBytes - sizeof(FieldId));
  std::vector<TermHandle> handles(terms.size());
  std::transform(terms.begin(), terms.end(), handles.begin(),
                 [](const SortedTerm& sorted) { return sorted.term; });
  return handles;
}

}  // namespace pmdex
