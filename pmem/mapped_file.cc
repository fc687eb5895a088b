#include "pmem/mapped_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "pmem/check.h"
#include "pmem/mapping.h"

namespace pmdex {
namespace {

class MappedWritableFile final : public WritableFile {
 public:
  MappedWritableFile(FileDescriptor fd, std::string path, bool durable,
                     std::unique_ptr<Mapping> mapping)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        durable_(durable),
        mapping_(std::move(mapping)),
        bytes_(mapping_->bytes()),
        granularity_(mapping_->granularity()),
        persister_(mapping_->NewPersister(fd_.get(), durable)),
        populated_(bytes_.size() / kHugePageBytes + 1) {}

  uint64_t capacity_bytes() const override { return bytes_.size(); }

  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    CheckRange(offset, bytes.size());
    // At PAGE granularity the persister does not copy through the mapping: nothing to prefault.
    if (granularity_ != StoreGranularity::kPage) Populate(offset, bytes.size());
    if (status_.ok()) persister_->CopyNonTemporal(bytes_.data() + offset, bytes);
  }

  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    CheckRange(offset, bytes.size());
    Populate(offset, bytes.size());
    if (!status_.ok() || bytes.empty()) return;
    std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    persister_->FlushRange(bytes_.data() + offset, bytes.size());
  }

  absl::Status Drain() override {
    PMDEX_CHECK(mapping_ != nullptr);
    if (status_.ok()) status_ = Named(persister_->Drain());
    return status_;
  }

  absl::Status Seal(uint64_t length_bytes) override {
    PMDEX_CHECK(mapping_ != nullptr && length_bytes <= bytes_.size());
    mapping_.reset();
    const FileDescriptor fd = std::move(fd_);
    PMDEX_RETURN_IF_ERROR(status_);
    if (ftruncate(fd.get(), static_cast<off_t>(length_bytes)) != 0) {
      return ErrnoStatus(errno, "truncate " + path_);
    }
    if (durable_ && fsync(fd.get()) != 0) return ErrnoStatus(errno, "fsync " + path_);
    return absl::OkStatus();
  }

  const PersistCounters& counters() const override { return persister_->counters(); }

 private:
  void CheckRange(uint64_t offset, uint64_t size_bytes) const {
    PMDEX_CHECK(mapping_ != nullptr);
    PMDEX_CHECK(offset <= bytes_.size() && size_bytes <= bytes_.size() - offset);
  }

  // Maps the pages of the range in 2 MiB pieces, each once, ahead of the copy: block zeroing and
  // journal commits leave the copy loop, and a medium that fails is a Status instead of a signal.
  // Nothing is written once status_ is an error; Drain and Seal say why.
  void Populate(uint64_t offset, uint64_t size_bytes) {
    if (size_bytes == 0) return;
    const uint64_t last = (offset + size_bytes - 1) / kHugePageBytes;
    for (uint64_t piece = offset / kHugePageBytes; piece <= last && status_.ok(); ++piece) {
      if (populated_[piece]) continue;
      populated_[piece] = true;
      status_ = PopulatePages(bytes_, piece * kHugePageBytes, kHugePageBytes, MapAccess::kReadWrite,
                              path_);
    }
  }

  absl::Status Named(absl::Status status) const {
    if (status.ok()) return status;
    return MakeStatus(status.code(), path_ + ": " + std::string(Message(status)));
  }

  FileDescriptor fd_;
  const std::string path_;
  const bool durable_;
  std::unique_ptr<Mapping> mapping_;  // null once sealed
  const std::span<std::byte> bytes_;
  const StoreGranularity granularity_;
  const std::unique_ptr<Persister> persister_;
  std::vector<bool> populated_;  // by 2 MiB piece
  absl::Status status_;          // the first failure: nothing after it can be promised
};

class MappedReadableFile final : public ReadableFile {
 public:
  MappedReadableFile(std::unique_ptr<Mapping> mapping, std::string path)
      : mapping_(std::move(mapping)), path_(std::move(path)) {}

  std::span<const std::byte> bytes() const override {
    if (mapping_ == nullptr) return {};
    return mapping_->bytes();
  }

  absl::Status Populate(uint64_t offset, uint64_t size_bytes) const override {
    return PopulatePages(bytes(), offset, size_bytes, MapAccess::kReadOnly, path_);
  }

  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  const std::unique_ptr<Mapping> mapping_;  // null for an empty file, which cannot be mapped
  const std::string path_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<WritableFile>> MapWritableFile(FileDescriptor fd, std::string path,
                                                              bool durable) {
  PMDEX_ASSIGN_OR_RETURN(auto mapping, Mapping::Map(fd.get(), MapAccess::kReadWrite, path));
  return std::make_unique<MappedWritableFile>(std::move(fd), std::move(path), durable,
                                              std::move(mapping));
}

absl::StatusOr<std::unique_ptr<ReadableFile>> MapReadableFile(FileDescriptor fd, std::string path,
                                                              uint64_t size_bytes) {
  std::unique_ptr<Mapping> mapping;
  if (size_bytes > 0) {
    PMDEX_ASSIGN_OR_RETURN(mapping, Mapping::Map(fd.get(), MapAccess::kReadOnly, path));
  }
  return std::make_unique<MappedReadableFile>(std::move(mapping), std::move(path));
}

}  // namespace pmdex
