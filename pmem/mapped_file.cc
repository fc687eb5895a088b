#include "pmem/mapped_file.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/fault_guard.h"
#include "pmem/mapping.h"
#include "pmem/page_persister.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status FaultStatus(absl::StatusCode code, const std::string& path, const MediumFault& fault,
                         std::string_view what) {
  return MakeStatus(code, absl::StrCat(path, ": offset ", fault.offset, ": ", ToAbsl(what)));
}

// True if the file system has no free block for a hole.
bool IsFull(int fd) {
  struct statvfs facts;
  return fstatvfs(fd, &facts) == 0 && facts.f_bavail == 0;
}

class MappedWritableFile final : public WritableFile {
 public:
  MappedWritableFile(FileDescriptor fd, std::string path, bool durable,
                     std::unique_ptr<Mapping> mapping)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        durable_(durable),
        mapping_(std::move(mapping)),
        bytes_(mapping_->bytes()),
        guard_(std::in_place, bytes_, MapAccess::kReadWrite),
        granularity_(mapping_->granularity()),
        persister_(mapping_->NewPersister(fd_.get(), durable)),
        populated_(bytes_.size() / kHugePageBytes + 1) {}

  uint64_t capacity_bytes() const override { return bytes_.size(); }

  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    CheckRange(offset, bytes.size());
    PopulateForStores(offset, bytes.size());
    if (status_.ok()) persister_->CopyNonTemporal(bytes_.data() + offset, bytes);
  }

  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    CheckRange(offset, bytes.size());
    PopulateForStores(offset, bytes.size());
    if (!status_.ok() || bytes.empty()) return;
    if (granularity_ == StoreGranularity::kPage) {
      status_ = Named(WriteThroughFile(fd_.get(), offset, bytes));
    } else {
      std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    }
    persister_->FlushRange(bytes_.data() + offset, bytes.size());
  }

  absl::Status Drain() override {
    PMDEX_CHECK(mapping_ != nullptr);
    if (status_.ok()) status_ = Named(persister_->Drain());
    NoteFault();
    return status_;
  }

  absl::Status Seal(uint64_t length_bytes) override {
    PMDEX_CHECK(mapping_ != nullptr && length_bytes <= bytes_.size());
    NoteFault();
    guard_.reset();
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

  // Maps the pages of a range before they are written, in pieces of 2 MiB and each piece once. The
  // copy is then not interrupted by page faults, in which the kernel zeroes blocks and commits the
  // journal. A medium that fails gives an error instead of a signal. After an error nothing is
  // written, and Drain and Seal return the error. At PAGE granularity nothing is written through
  // the mapping, where each page that is mapped would be dirty.
  void PopulateForStores(uint64_t offset, uint64_t size_bytes) {
    if (granularity_ == StoreGranularity::kPage || size_bytes == 0) return;
    const uint64_t last = (offset + size_bytes - 1) / kHugePageBytes;
    for (uint64_t piece = offset / kHugePageBytes; piece <= last && status_.ok(); ++piece) {
      if (populated_[piece]) continue;
      populated_[piece] = true;
      status_ = PopulatePages(bytes_, piece * kHugePageBytes, kHugePageBytes, MapAccess::kReadWrite,
                              path_);
    }
  }

  // Stores after a fault are lost: they went to the zeros that replaced the page.
  void NoteFault() {
    const std::optional<MediumFault> fault = guard_->first_fault();
    if (!fault.has_value() || !status_.ok()) return;
    if (fault->kind == FaultKind::kNothingBehind && IsFull(fd_.get())) {
      status_ = FaultStatus(absl::StatusCode::kResourceExhausted, path_, *fault,
                            "no space left for the hole that was written to");
    } else {
      status_ =
          FaultStatus(absl::StatusCode::kDataLoss, path_, *fault, "the medium cannot be written");
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
  std::optional<GuardedRange> guard_;  // gone before the mapping is
  const StoreGranularity granularity_;
  const std::unique_ptr<Persister> persister_;
  std::vector<bool> populated_;  // by 2 MiB piece
  absl::Status status_;          // the first failure: nothing after it can be promised
};

// Called after a fault. True if the file has become shorter than its mapping. Takes the path of the
// file, because a descriptor for each segment could exceed the limit of the process.
class FileIdentity {
 public:
  explicit FileIdentity(const struct stat& facts) : device_(facts.st_dev), inode_(facts.st_ino) {}

  // nullopt if the path does not name the file any more.
  std::optional<uint64_t> CurrentSize(const std::string& path) const {
    struct stat facts;
    if (lstat(path.c_str(), &facts) != 0) return std::nullopt;
    if (facts.st_dev != device_ || facts.st_ino != inode_) return std::nullopt;
    return static_cast<uint64_t>(facts.st_size);
  }

 private:
  dev_t device_;
  ino_t inode_;
};

class MappedReadableFile final : public ReadableFile {
 public:
  MappedReadableFile(std::unique_ptr<Mapping> mapping, std::string path, FileIdentity identity,
                     std::vector<BadBlock> bad_blocks)
      : mapping_(std::move(mapping)),
        path_(std::move(path)),
        identity_(identity),
        bad_blocks_(std::move(bad_blocks)) {
    if (mapping_ != nullptr) guard_.emplace(mapping_->bytes(), MapAccess::kReadOnly);
  }

  std::span<const std::byte> bytes() const override {
    if (mapping_ == nullptr) return {};
    return mapping_->bytes();
  }

  absl::Status Populate(uint64_t offset, uint64_t size_bytes) const override {
    // Read a small range before mapping it. The kernel would otherwise read more bytes around each
    // fault, which this caller does not need.
    if (size_bytes <= kLittleBytes) Prefetch(offset, size_bytes);
    return PopulatePages(bytes(), offset, size_bytes, MapAccess::kReadOnly, path_);
  }
  void Prefetch(uint64_t offset, uint64_t size_bytes) const override {
    if (mapping_ == nullptr || !mapping_->is_page_cache()) return;
    PrefetchPages(bytes(), offset, size_bytes);
  }
  void Release(uint64_t offset, uint64_t size_bytes) const override {
    ReleasePages(bytes(), offset, size_bytes);
  }

  bool is_healthy() const override { return !guard_.has_value() || !guard_->has_fault(); }

  absl::Status Health() const override {
    if (is_healthy()) return absl::OkStatus();
    const std::optional<MediumFault> fault = guard_->first_fault();
    return FaultStatus(absl::StatusCode::kDataLoss, path_, *fault, Cause(*fault));
  }

  std::optional<uint64_t> failed_offset() const override {
    const auto fault = guard_.has_value() ? guard_->first_fault() : std::nullopt;
    return fault.has_value() ? std::optional(fault->offset) : std::nullopt;
  }

  std::span<const BadBlock> known_bad_blocks() const override { return bad_blocks_; }

 private:
  static constexpr uint64_t kLittleBytes = 1 << 20;

  std::string Cause(const MediumFault& fault) const {
    if (fault.kind == FaultKind::kPoison) return "the medium cannot be read (bad block)";
    const std::optional<uint64_t> size_bytes = identity_.CurrentSize(path_);
    if (!size_bytes.has_value()) {
      return "the medium cannot be read (bad block, or the file was truncated while mapped)";
    }
    if (*size_bytes >= bytes().size()) return "the medium cannot be read (bad block)";
    return absl::StrCat("the file was truncated while mapped: expected ", bytes().size(),
                        " bytes, found ", *size_bytes);
  }

  const std::unique_ptr<Mapping> mapping_;  // null for an empty file, which cannot be mapped
  const std::string path_;
  const FileIdentity identity_;
  const std::vector<BadBlock> bad_blocks_;
  std::optional<GuardedRange> guard_;  // gone before the mapping is
};

}  // namespace

absl::StatusOr<std::unique_ptr<WritableFile>> MapWritableFile(FileDescriptor fd, std::string path,
                                                              bool durable) {
  PMDEX_ASSIGN_OR_RETURN(auto mapping, Mapping::Map(fd.get(), MapAccess::kReadWrite, path));
  return std::make_unique<MappedWritableFile>(std::move(fd), std::move(path), durable,
                                              std::move(mapping));
}

absl::StatusOr<std::unique_ptr<ReadableFile>> MapReadableFile(FileDescriptor fd, std::string path,
                                                              const struct stat& facts) {
  std::unique_ptr<Mapping> mapping;
  if (facts.st_size > 0) {
    PMDEX_ASSIGN_OR_RETURN(mapping, Mapping::Map(fd.get(), MapAccess::kReadOnly, path));
  }
  // The file is usable without this list. The guard detects bad blocks when they are read.
  auto bad_blocks = KnownBadBlocks(fd.get(), facts.st_dev);
  return std::make_unique<MappedReadableFile>(
      std::move(mapping), std::move(path), FileIdentity(facts),
      bad_blocks.ok() ? *std::move(bad_blocks) : std::vector<BadBlock>());
}

}  // namespace pmdex
