// The figures of du(1) for the entries of an index: what each directory takes with all that is in
// it, how many entries that are, and when the last of them changed. Hard links count once. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "query/files/entry_reader.h"

namespace pmdex {

struct UsageOptions {
  bool all_files = false;      // -a: a line for files, too
  bool apparent_size = false;  // lengths of files instead of the blocks that they take
  uint32_t most_depth = UINT32_MAX;
};

// Of an entry and all that is below it.
struct Usage {
  uint64_t size_bytes = 0;
  uint64_t count = 0;             // entries, that of a directory itself among them
  int64_t newest_ns = INT64_MIN;  // the latest time of change: nanoseconds since 1970

  void Add(const Usage& other);
};

class DiskUsage {
 public:
  // several: more than one starting point; then nothing is counted that an earlier one had.
  DiskUsage(const UsageOptions& options, bool several) : options_(options), several_(several) {}

  // Adds an entry of the current starting point, in any order. below: as of StartingPoint.
  void Add(EntryReader& reader, std::string_view below);
  // Calls `print` for each line in the order of du: a directory after what is in it. Then the
  // next starting point begins. False if the starting point has no entry of its own.
  using Print = std::function<void(const Usage& usage, std::string_view below)>;
  bool Finish(const Print& print);

 private:
  struct Item {
    std::string below;
    Usage usage;
    uint64_t inode = 0;
    uint64_t device = 0;
    bool is_directory = false;
    bool is_linked = false;  // a file that may have other names
  };
  struct Open {
    std::string below;
    Usage usage;
    uint32_t depth = 0;
  };
  bool IsCounted(const Item& item);
  void Close(const Print& print);
  void Visit(const Item& item, const Print& print);

  const UsageOptions options_;
  const bool several_;
  std::vector<Item> items_;
  std::vector<Open> open_;  // the directories above the item that is visited
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> seen_;  // device, inode
};

// A figure as du writes it: 1,024-byte blocks, bytes, or with -h rounded up to a unit.
enum class UsageUnit { kBlocks, kBytes, kHuman };
std::string UsageText(uint64_t size_bytes, UsageUnit unit);

}  // namespace pmdex
