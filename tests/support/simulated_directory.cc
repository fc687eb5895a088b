#include "tests/support/simulated_directory.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pmem/allocated_bytes.h"
#include "pmem/check.h"
#include "pmem/file_name.h"

namespace pmdex {
namespace {

constexpr size_t kCopyPieceBytes = 4096;

absl::Status PowerIsOff() {
  return ErrnoStatus(EIO, "the power is off");
}

class SimulatedReadableFile final : public ReadableFile {
 public:
  explicit SimulatedReadableFile(std::shared_ptr<const MemoryFile> view) : view_(std::move(view)) {}

  std::span<const std::byte> bytes() const override { return view_->bytes(); }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  const std::shared_ptr<const MemoryFile> view_;
};

class SimulatedLock final : public DirectoryLock {
 public:
  SimulatedLock(SimulatedMedium& medium, std::string_view name) : medium_(medium), name_(name) {}
  ~SimulatedLock() override { medium_.Unlock(name_); }

 private:
  SimulatedMedium& medium_;
  const std::string name_;
};

}  // namespace

void SimulatedWritableFile::CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) {
  PMDEX_CHECK(!sealed_ && offset <= capacity_bytes());
  PMDEX_CHECK(bytes.size() <= capacity_bytes() - offset);
  counters_.copied_bytes += bytes.size();
  while (!bytes.empty()) {
    const size_t piece = std::min(bytes.size(), kCopyPieceBytes);
    if (!medium_.Store(*file_, name_, offset, bytes.first(piece), StoreKind::kNonTemporal)) return;
    offset += piece;
    bytes = bytes.subspan(piece);
  }
}

void SimulatedWritableFile::StoreOnly(uint64_t offset, std::span<const std::byte> bytes) {
  PMDEX_CHECK(!sealed_ && offset <= capacity_bytes());
  PMDEX_CHECK(bytes.size() <= capacity_bytes() - offset);
  if (!bytes.empty()) medium_.Store(*file_, name_, offset, bytes, StoreKind::kCached);
}

void SimulatedWritableFile::StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) {
  StoreOnly(offset, bytes);
  if (bytes.empty()) return;
  counters_.flushed_bytes += bytes.size();
  ++counters_.flushes;
  medium_.Flush(*file_, name_, offset, bytes.size());
}

absl::Status SimulatedWritableFile::Drain() {
  PMDEX_CHECK(!sealed_);
  ++counters_.drains;
  return medium_.Drain(*file_, name_) ? absl::OkStatus() : PowerIsOff();
}

absl::Status SimulatedWritableFile::SealWithoutSync(uint64_t length_bytes) {
  PMDEX_CHECK(!sealed_ && length_bytes <= capacity_bytes());
  sealed_ = true;
  return medium_.Resize(*file_, name_, length_bytes) ? absl::OkStatus() : PowerIsOff();
}

absl::Status SimulatedWritableFile::Seal(uint64_t length_bytes) {
  PMDEX_RETURN_IF_ERROR(SealWithoutSync(length_bytes));
  return medium_.SyncFile(*file_, name_) ? absl::OkStatus() : PowerIsOff();
}

absl::StatusOr<std::unique_ptr<SimulatedWritableFile>> SimulatedDirectory::CreateSimulated(
    std::string_view name, uint64_t capacity_bytes) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  if (medium_.Find(OnMedium(name)) != nullptr) return ErrnoStatus(EEXIST, "create " + PathOf(name));
  std::shared_ptr<SimulatedFile> file;
  if (!medium_.Create(OnMedium(name), &file) ||
      !medium_.Resize(*file, OnMedium(name), AllocatedBytes(capacity_bytes))) {
    return PowerIsOff();
  }
  return std::make_unique<SimulatedWritableFile>(medium_, std::move(file), OnMedium(name));
}

absl::StatusOr<std::unique_ptr<WritableFile>> SimulatedDirectory::Create(std::string_view name,
                                                                         uint64_t capacity_bytes) {
  return CreateSimulated(name, capacity_bytes);
}

absl::StatusOr<std::unique_ptr<ReadableFile>> SimulatedDirectory::Open(
    std::string_view name) const {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const auto file = medium_.Find(OnMedium(name));
  if (file == nullptr) return ErrnoStatus(ENOENT, "open " + PathOf(name));
  return std::make_unique<SimulatedReadableFile>(file->View());
}

absl::Status SimulatedDirectory::Rename(std::string_view from, std::string_view to) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(from));
  PMDEX_RETURN_IF_ERROR(CheckFileName(to));
  if (medium_.Find(OnMedium(from)) == nullptr) return ErrnoStatus(ENOENT, "rename " + PathOf(from));
  return medium_.Rename(OnMedium(from), OnMedium(to)) ? absl::OkStatus() : PowerIsOff();
}

absl::Status SimulatedDirectory::Remove(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  if (medium_.Find(OnMedium(name)) == nullptr) return ErrnoStatus(ENOENT, "remove " + PathOf(name));
  return medium_.Remove(OnMedium(name)) ? absl::OkStatus() : PowerIsOff();
}

absl::Status SimulatedDirectory::Sync() {
  return medium_.SyncNames(prefix_) ? absl::OkStatus() : PowerIsOff();
}

absl::StatusOr<std::vector<DirectoryEntry>> SimulatedDirectory::List() const {
  std::vector<DirectoryEntry> entries;
  for (const std::string& name : medium_.FileNames()) {
    if (DirectoryOfName(name) != prefix_) continue;
    entries.push_back({name.substr(prefix_.size()), medium_.Find(name)->size_bytes()});
  }
  return entries;
}

absl::StatusOr<std::unique_ptr<DirectoryLock>> SimulatedDirectory::Lock(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  // A lock is an empty file that stays when it is released.
  std::shared_ptr<SimulatedFile> file;
  if (medium_.Find(OnMedium(name)) == nullptr && !medium_.Create(OnMedium(name), &file))
    return PowerIsOff();
  if (!medium_.Lock(OnMedium(name))) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      "lock " + PathOf(name) + ": held by another writer");
  }
  return std::make_unique<SimulatedLock>(medium_, OnMedium(name));
}

absl::StatusOr<std::unique_ptr<SimulatedDirectory>> SimulatedDirectory::OpenElsewhereSimulated(
    std::string_view path, bool /*create*/) const {
  if (!IsPlainAbsolutePath(path)) return ErrnoStatus(EINVAL, "open directory");
  return std::make_unique<SimulatedDirectory>(medium_, path);
}

absl::StatusOr<std::unique_ptr<Directory>> SimulatedDirectory::OpenElsewhere(std::string_view path,
                                                                             bool create) const {
  return OpenElsewhereSimulated(path, create);
}

StoreGranularity SimulatedDirectory::granularity() const {
  switch (medium_.options().mode) {
    case PersistenceMode::kAdr:
      return StoreGranularity::kCacheLine;
    case PersistenceMode::kEadr:
      return StoreGranularity::kByte;
    case PersistenceMode::kPage:
      return StoreGranularity::kPage;
  }
  return StoreGranularity::kPage;
}

}  // namespace pmdex
