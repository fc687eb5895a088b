// What a power cut would leave of real files and directories, reckoned from the calls that reach
// the kernel and libpmem2, and where those calls break the publish protocol of docs/FORMAT.md.
// What was there before the shadow counts as durable. It knows of no order that hardware does not
// promise: a cached store on ADR, a page that nobody wrote back and a name in a directory that was
// not synced are lost. A file's fsync is not counted on to flush the CPU's caches.
//
// Belongs to one thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/persister.h"

namespace pmdex {

class DurableShadow {
 public:
  using FileId = ino_t;

  // A file that is mapped for stores.
  void SetGranularity(FileId file, StoreGranularity granularity);
  // Bytes that left the caches, or are on their way past them: durable by the next drain.
  void Send(FileId file, uint64_t offset, std::span<const std::byte> bytes, bool past_caches);
  void Drain();
  // The kernel wrote pages back: msync, or fsync behind a page cache.
  void WriteBack(FileId file, uint64_t offset, std::span<const std::byte> bytes);
  // fsync of a file of this length and content.
  void SyncFile(FileId file, std::span<const std::byte> content);

  // Names, by the path of their directory; `content` is what the file shows its readers.
  void Create(const std::string& directory, const std::string& name);
  void Rename(const std::string& directory, const std::string& from, const std::string& to,
              FileId file, std::span<const std::byte> content);
  void Remove(const std::string& directory, const std::string& name);
  void SyncDirectory(const std::string& directory);

  // The program says that its work is done: nothing of it may be lost from now on.
  void Acknowledge();

  // What was broken so far, in order.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Sent {
    uint64_t offset;
    std::vector<std::byte> bytes;
    bool past_caches;
  };
  struct File {
    StoreGranularity granularity = StoreGranularity::kPage;
    std::vector<std::byte> durable;
    std::vector<Sent> sent;
    uint64_t durable_length = 0;
  };

  static void Overwrite(std::vector<std::byte>& image, uint64_t offset,
                        std::span<const std::byte> bytes);
  // What is there after a power cut.
  std::vector<std::byte> Settle(const File& file, std::span<const std::byte> content) const;
  bool HasUnsynced(const std::string& directory, std::string_view change) const;

  std::map<FileId, File> files_;
  std::map<std::string, std::vector<std::string>> unsynced_;  // changes of names, by directory
  std::vector<std::string> violations_;
};

}  // namespace pmdex
