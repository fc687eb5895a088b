#include "engine/ingest/entries/entry_facts.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "engine/ingest/entries/access_text.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

// Times that 64 bits cannot hold become the nearest ones that they can.
int64_t TimeInNanoseconds(const timespec& time) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(int64_t{time.tv_sec}, int64_t{1'000'000'000}, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, int64_t{time.tv_nsec}, &nanoseconds)) {
    return time.tv_sec < 0 ? Limits::min() : Limits::max();
  }
  return nanoseconds;
}

std::string ReadTarget(const std::string& path) {
  std::array<char, 4097> target;
  const ssize_t got = readlink(path.c_str(), target.data(), target.size());
  return got < 0 ? std::string() : std::string(target.data(), static_cast<size_t>(got));
}

struct Lengths {
  uint32_t acl = 0;
  uint32_t target = 0;
  uint32_t parents = 0;
};

char* Append(std::string_view text, char* bytes) {
  return std::copy(text.begin(), text.end(), bytes);  // of an empty view, too, which has no address
}

}  // namespace

EntryFacts FactsOf(const struct stat& facts) {
  EntryFacts result;
  result.size_bytes = static_cast<uint64_t>(facts.st_size);
  result.mtime_ns = TimeInNanoseconds(facts.st_mtim);
  result.atime_ns = TimeInNanoseconds(facts.st_atim);
  result.ctime_ns = TimeInNanoseconds(facts.st_ctim);
  result.inode = facts.st_ino;
  result.device = facts.st_dev;
  const bool is_device = S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode);
  result.special_device = is_device ? facts.st_rdev : 0;
  result.links = facts.st_nlink;
  result.blocks = static_cast<uint64_t>(facts.st_blocks);
  result.uid = facts.st_uid;
  result.gid = facts.st_gid;
  result.mode = facts.st_mode;
  return result;
}

size_t EncodedBytes(const Entry& entry) {
  return sizeof(EntryFacts) + sizeof(Lengths) + entry.acl.size() + entry.target.size() +
         (entry.parents == nullptr ? 0 : entry.parents->size());
}

void Encode(const Entry& entry, char* bytes) {
  const std::string_view parents = entry.parents == nullptr ? std::string_view() : *entry.parents;
  const Lengths lengths = {static_cast<uint32_t>(entry.acl.size()),
                           static_cast<uint32_t>(entry.target.size()),
                           static_cast<uint32_t>(parents.size())};
  std::memcpy(bytes, &entry.facts, sizeof(EntryFacts));
  std::memcpy(bytes + sizeof(EntryFacts), &lengths, sizeof lengths);
  char* const texts = bytes + sizeof(EntryFacts) + sizeof lengths;
  Append(parents, Append(entry.target, Append(entry.acl, texts)));
}

EntryView DecodeEntry(std::string_view bytes) {
  constexpr size_t kTexts = sizeof(EntryFacts) + sizeof(Lengths);
  PMDEX_CHECK(bytes.size() >= kTexts);
  EntryView view;
  Lengths lengths;
  std::memcpy(&view.facts, bytes.data(), sizeof(EntryFacts));
  std::memcpy(&lengths, bytes.data() + sizeof(EntryFacts), sizeof lengths);
  view.acl = bytes.substr(kTexts, lengths.acl);
  view.target = bytes.substr(kTexts + lengths.acl, lengths.target);
  view.parents = bytes.substr(kTexts + lengths.acl + lengths.target, lengths.parents);
  return view;
}

EntryLookup LookAtEntry(const std::string& path) {
  EntryLookup found;
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) {
    found.error = errno;
    return found;
  }
  found.entry.facts = FactsOf(facts);
  if (S_ISLNK(facts.st_mode)) {
    found.entry.target = ReadTarget(path);  // a link has no list
  } else {
    found.entry.acl = AclOfPath(path);
  }
  return found;
}

EntryLookup LookAtOpened(int fd) {
  EntryLookup found;
  struct stat facts;
  if (fstat(fd, &facts) != 0) {
    found.error = errno;
    return found;
  }
  found.entry.facts = FactsOf(facts);
  found.entry.acl = AclOfOpened(fd);
  return found;
}

}  // namespace pmdex
