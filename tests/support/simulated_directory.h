// pmem/directory.h over a SimulatedMedium: what the code under test is given. Files can also be
// written in ways that the interface forbids, for mutants of the protocol.
//
// Belongs to one thread; the medium must outlive it. Once the medium's power is cut, what returns a
// Status fails and nothing has an effect.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/directory.h"
#include "tests/support/simulated_medium.h"

namespace pmdex {

class SimulatedWritableFile final : public WritableFile {
 public:
  // The file was just created.
  SimulatedWritableFile(SimulatedMedium& medium, std::shared_ptr<SimulatedFile> file,
                        std::string name)
      : medium_(medium), file_(std::move(file)), name_(std::move(name)) {}

  uint64_t capacity_bytes() const override { return file_->size_bytes(); }
  // Crash points every 4 KiB, as the sections of a segment are longer than small documents make
  // them.
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override;
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override;
  absl::Status Drain() override;
  absl::Status Seal(uint64_t length_bytes) override;
  const PersistCounters& counters() const override { return counters_; }

  // Ordinary stores that are left in the caches.
  void StoreOnly(uint64_t offset, std::span<const std::byte> bytes);
  absl::Status SealWithoutSync(uint64_t length_bytes);

 private:
  SimulatedMedium& medium_;
  const std::shared_ptr<SimulatedFile> file_;
  const std::string name_;  // for messages; a rename does not change it
  PersistCounters counters_;
  bool sealed_ = false;
};

class SimulatedDirectory final : public Directory {
 public:
  explicit SimulatedDirectory(SimulatedMedium& medium) : medium_(medium) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override;
  absl::StatusOr<std::unique_ptr<SimulatedWritableFile>> CreateSimulated(std::string_view name,
                                                                         uint64_t capacity_bytes);
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override;
  absl::Status Rename(std::string_view from, std::string_view to) override;
  absl::Status Remove(std::string_view name) override;
  absl::Status Sync() override;
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override;
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override;
  StoreGranularity granularity() const override;
  absl::StatusOr<uint64_t> FreeBytes() const override { return uint64_t{1} << 40; }
  const std::string& path() const override { return path_; }

 private:
  std::string PathOf(std::string_view name) const { return path_ + "/" + std::string(name); }

  SimulatedMedium& medium_;
  const std::string path_ = "simulated:";
};

}  // namespace pmdex
