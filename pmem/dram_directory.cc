#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/directory.h"
#include "pmem/dram_buffer.h"
#include "pmem/file_name.h"
#include "pmem/mutex.h"
#include "pmem/pmem2_persister.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

struct DramFile {
  std::shared_ptr<DramBuffer> buffer;  // null: an empty file
  uint64_t size_bytes = 0;
};

struct DramState;

// The directories that were made by OpenElsewhere of one directory, by their paths.
struct DramFamily {
  Mutex mutex;
  std::map<std::string, std::shared_ptr<DramState>, std::less<>> states ABSL_GUARDED_BY(mutex);
};

// What the directory shares with the files and locks that may outlive it.
struct DramState {
  Mutex mutex;
  // An entry is a file's name; the file itself is shared with its writer, as an inode is.
  std::map<std::string, std::shared_ptr<DramFile>, std::less<>> files ABSL_GUARDED_BY(mutex);
  std::set<std::string, std::less<>> locks ABSL_GUARDED_BY(mutex);
};

class DramWritableFile final : public WritableFile {
 public:
  DramWritableFile(std::shared_ptr<DramState> state, std::shared_ptr<DramFile> file,
                   std::shared_ptr<DramBuffer> buffer)
      : state_(std::move(state)),
        file_(std::move(file)),
        buffer_(std::move(buffer)),
        persister_(NewDramPersister()) {}

  uint64_t capacity_bytes() const override { return buffer_->memory().size(); }

  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    persister_->CopyNonTemporal(At(offset, bytes.size()), bytes);
  }

  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    std::byte* target = At(offset, bytes.size());
    if (bytes.empty()) return;
    std::memcpy(target, bytes.data(), bytes.size());
    persister_->FlushRange(target, bytes.size());
  }

  absl::Status Drain() override {
    PMDEX_CHECK(!sealed_);
    return persister_->Drain();
  }

  absl::Status Seal(uint64_t length_bytes) override {
    PMDEX_CHECK(!sealed_ && length_bytes <= capacity_bytes());
    sealed_ = true;
    buffer_->Trim(length_bytes);
    MutexLock lock(&state_->mutex);
    file_->size_bytes = length_bytes;
    return absl::OkStatus();
  }

  const PersistCounters& counters() const override { return persister_->counters(); }

 private:
  std::byte* At(uint64_t offset, uint64_t size_bytes) {
    PMDEX_CHECK(!sealed_);
    PMDEX_CHECK(offset <= capacity_bytes() && size_bytes <= capacity_bytes() - offset);
    return buffer_->memory().data() + offset;
  }

  const std::shared_ptr<DramState> state_;
  const std::shared_ptr<DramFile> file_;
  const std::shared_ptr<DramBuffer> buffer_;
  const std::unique_ptr<Persister> persister_;
  bool sealed_ = false;
};

class DramReadableFile final : public ReadableFile {
 public:
  explicit DramReadableFile(DramFile file) : file_(std::move(file)) {}

  std::span<const std::byte> bytes() const override {
    if (file_.size_bytes == 0) return {};
    return file_.buffer->memory().first(file_.size_bytes);
  }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  const DramFile file_;
};

class DramLock final : public DirectoryLock {
 public:
  DramLock(std::shared_ptr<DramState> state, std::string name)
      : state_(std::move(state)), name_(std::move(name)) {}
  ~DramLock() override {
    MutexLock lock(&state_->mutex);
    state_->locks.erase(name_);
  }

 private:
  const std::shared_ptr<DramState> state_;
  const std::string name_;
};

class DramDirectory final : public Directory {
 public:
  DramDirectory(std::string path, DramAllocation allocation, std::shared_ptr<DramState> state,
                std::shared_ptr<DramFamily> family)
      : path_(std::move(path)),
        allocation_(allocation),
        state_(std::move(state)),
        family_(std::move(family)) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    PMDEX_RETURN_IF_ERROR(CheckFileName(name));
    // Reserve the name first, as open(O_EXCL) does; the allocation may take long.
    auto file = std::make_shared<DramFile>();
    {
      MutexLock lock(&state_->mutex);
      if (!state_->files.emplace(name, file).second) {
        return ErrnoStatus(EEXIST, "create " + PathOf(name));
      }
    }
    auto buffer = AllocateDramBuffer(allocation_, capacity_bytes, PathOf(name));
    MutexLock lock(&state_->mutex);
    if (!buffer.ok()) {
      const auto found = state_->files.find(name);
      if (found != state_->files.end() && found->second == file) state_->files.erase(found);
      return std::move(buffer).status();
    }
    file->buffer = *buffer;
    file->size_bytes = (*buffer)->memory().size();
    return std::make_unique<DramWritableFile>(state_, std::move(file), *std::move(buffer));
  }

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_RETURN_IF_ERROR(CheckFileName(name));
    MutexLock lock(&state_->mutex);
    const auto found = state_->files.find(name);
    if (found == state_->files.end()) return ErrnoStatus(ENOENT, "open " + PathOf(name));
    return std::make_unique<DramReadableFile>(*found->second);
  }

  absl::Status Rename(std::string_view from, std::string_view to) override {
    PMDEX_RETURN_IF_ERROR(CheckFileName(from));
    PMDEX_RETURN_IF_ERROR(CheckFileName(to));
    MutexLock lock(&state_->mutex);
    const auto found = state_->files.find(from);
    if (found == state_->files.end()) return ErrnoStatus(ENOENT, "rename " + PathOf(from));
    std::shared_ptr<DramFile> file = found->second;
    state_->files.erase(found);
    state_->files.insert_or_assign(std::string(to), std::move(file));
    return absl::OkStatus();
  }

  absl::Status Remove(std::string_view name) override {
    PMDEX_RETURN_IF_ERROR(CheckFileName(name));
    MutexLock lock(&state_->mutex);
    const auto found = state_->files.find(name);
    if (found == state_->files.end()) return ErrnoStatus(ENOENT, "remove " + PathOf(name));
    state_->files.erase(found);
    return absl::OkStatus();
  }

  absl::Status Sync() override { return absl::OkStatus(); }

  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    if (!IsPlainAbsolutePath(path)) return ErrnoStatus(EINVAL, "open directory");
    MutexLock lock(&family_->mutex);
    auto found = family_->states.find(path);
    if (found == family_->states.end()) {
      if (!create) return ErrnoStatus(ENOENT, "open directory " + std::string(path));
      found = family_->states.emplace(path, std::make_shared<DramState>()).first;
    }
    return std::make_unique<DramDirectory>(std::string(path), allocation_, found->second, family_);
  }

  absl::StatusOr<std::vector<DirectoryEntry>> List() const override {
    MutexLock lock(&state_->mutex);
    std::vector<DirectoryEntry> entries;
    for (const auto& [name, file] : state_->files) entries.push_back({name, file->size_bytes});
    return entries;
  }

  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override {
    PMDEX_RETURN_IF_ERROR(CheckFileName(name));
    MutexLock lock(&state_->mutex);
    if (!state_->locks.emplace(name).second) {
      return MakeStatus(absl::StatusCode::kUnavailable,
                        "lock " + PathOf(name) + ": held by another writer");
    }
    // A lock is a file in a file system, and shows in List.
    state_->files.try_emplace(std::string(name), std::make_shared<DramFile>());
    return std::make_unique<DramLock>(state_, std::string(name));
  }

  StoreGranularity granularity() const override { return StoreGranularity::kByte; }

  absl::StatusOr<uint64_t> FreeBytes() const override {
    std::ifstream file("/proc/meminfo");
    std::string key;
    uint64_t kib = 0;
    for (std::string unit; file >> key >> kib; std::getline(file, unit)) {
      if (key == "MemAvailable:") return kib * 1024;
    }
    return MakeStatus(absl::StatusCode::kUnimplemented, "no MemAvailable in /proc/meminfo");
  }

  const std::string& path() const override { return path_; }

 private:
  std::string PathOf(std::string_view name) const { return absl::StrCat(path_, "/", ToAbsl(name)); }

  const std::string path_;
  const DramAllocation allocation_;
  const std::shared_ptr<DramState> state_;
  const std::shared_ptr<DramFamily> family_;
};

}  // namespace

std::unique_ptr<Directory> NewDramDirectory(std::string_view name, DramAllocation allocation) {
  return std::make_unique<DramDirectory>(absl::StrCat("dram:", ToAbsl(name)), allocation,
                                         std::make_shared<DramState>(),
                                         std::make_shared<DramFamily>());
}

}  // namespace pmdex
