// Computes what a power cut would leave of real files and directories, from the calls that reach
// the kernel and libpmem2. It also finds calls that break the publish protocol of docs/FORMAT.md.
//
// Files that were there before the shadow count as durable. It assumes the worst that hardware
// allows: cached stores on ADR, pages that were not written back, and names in a directory that was
// not synced are lost. fsync of a file does not flush the caches of the CPU.
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

  // A file was mapped for stores.
  void SetGranularity(FileId file, StoreGranularity granularity);
  // Bytes were flushed, or copied past the caches: they are durable after the next drain.
  void Send(FileId file, uint64_t offset, std::span<const std::byte> bytes, bool past_caches);
  void Drain();
  // The kernel wrote pages back, by msync or by fsync behind a page cache.
  void WriteBack(FileId file, uint64_t offset, std::span<const std::byte> bytes);
  // A file of this length and content was synced with fsync.
  void SyncFile(FileId file, std::span<const std::byte> content);

  // A name in a directory changed. content: the bytes that readers of the file see.
  void Create(const std::string& directory, const std::string& name);
  void Rename(const std::string& directory, const std::string& from, const std::string& to,
              FileId file, std::span<const std::byte> content);
  void Remove(const std::string& directory, const std::string& name);
  void SyncDirectory(const std::string& directory);

  // The program reports that its work is durable. From now on nothing of it may be lost.
  void Acknowledge();

  // The violations of the protocol so far, in order.
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
  // The files after a power cut.
  std::vector<std::byte> Settle(const File& file, std::span<const std::byte> content) const;
  bool HasUnsynced(const std::string& directory, std::string_view change) const;

  std::map<FileId, File> files_;
  std::map<std::string, std::vector<std::string>>
      unsynced_;  // changes of names, keyed by directory
  std::vector<std::string> violations_;
};

}  // namespace pmdex
