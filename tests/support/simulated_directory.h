// A Directory on a SimulatedMedium, which tests give to the code under test. Mutants of the
// protocol can also write files in ways that the interface forbids.
//
// Belongs to one thread; the medium must outlive it. After the power of the medium was cut,
// functions that return a Status fail, and no function has an effect.
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
  // Requires a file that was just created.
  SimulatedWritableFile(SimulatedMedium& medium, std::shared_ptr<SimulatedFile> file,
                        std::string name)
      : medium_(medium), file_(std::move(file)), name_(std::move(name)) {}

  uint64_t capacity_bytes() const override { return file_->size_bytes(); }
  // Every 4 KiB are an operation of their own, at which a crash can happen. In real segments
  // sections are longer than in these tests.
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override;
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override;
  absl::Status Drain() override;
  absl::Status Seal(uint64_t length_bytes) override;
  const PersistCounters& counters() const override { return counters_; }

  // Stores that are not flushed.
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
  // Another directory of the medium. The names of its files begin with `path` and a slash there.
  SimulatedDirectory(SimulatedMedium& medium, std::string_view path)
      : medium_(medium), path_(path), prefix_(path_ + "/") {}

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
  // Every directory exists.
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override;
  absl::StatusOr<std::unique_ptr<SimulatedDirectory>> OpenElsewhereSimulated(std::string_view path,
                                                                             bool create) const;
  StoreGranularity granularity() const override;
  absl::StatusOr<uint64_t> FreeBytes() const override { return uint64_t{1} << 40; }
  const std::string& path() const override { return path_; }

 private:
  std::string PathOf(std::string_view name) const { return path_ + "/" + std::string(name); }

  // The name of a file on the medium.
  std::string OnMedium(std::string_view name) const { return prefix_ + std::string(name); }

  SimulatedMedium& medium_;
  const std::string path_ = "simulated:";
  const std::string prefix_;
};

}  // namespace pmdex
