#include "tests/support/faulty_directory.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

class FaultyWritableFile final : public WritableFile {
 public:
  FaultyWritableFile(std::unique_ptr<WritableFile> behind, std::string name, FaultPlan& plan)
      : behind_(std::move(behind)), name_(std::move(name)), plan_(plan) {}

  uint64_t capacity_bytes() const override { return behind_->capacity_bytes(); }
  // A copy that failed wrote half of its bytes; the next Drain or Seal says so.
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    if (Fails("copy to ")) bytes = bytes.first(bytes.size() / 2);
    behind_->CopyNonTemporal(offset, bytes);
  }
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    if (Fails("store to ")) bytes = bytes.first(bytes.size() / 2);
    behind_->StoreAndFlush(offset, bytes);
  }
  absl::Status Drain() override {
    if (!Fails("drain ")) return behind_->Drain();
    return error_;
  }
  absl::Status Seal(uint64_t length_bytes) override {
    if (!Fails("seal ")) return behind_->Seal(length_bytes);
    return error_;
  }
  const PersistCounters& counters() const override { return behind_->counters(); }

 private:
  bool Fails(std::string_view verb) {
    if (error_.ok()) error_ = plan_.Next(absl::StrCat(ToAbsl(verb), name_));
    return !error_.ok();
  }

  const std::unique_ptr<WritableFile> behind_;
  const std::string name_;
  FaultPlan& plan_;
  absl::Status error_;  // the first: nothing after it can be promised
};

class FaultyReadableFile final : public ReadableFile {
 public:
  FaultyReadableFile(std::unique_ptr<ReadableFile> behind, std::string name, FaultPlan& plan)
      : behind_(std::move(behind)), name_(std::move(name)), plan_(plan) {}

  std::span<const std::byte> bytes() const override { return behind_->bytes(); }
  absl::Status Populate(uint64_t offset, uint64_t size_bytes) const override {
    PMDEX_RETURN_IF_ERROR(plan_.Next("populate " + name_));
    return behind_->Populate(offset, size_bytes);
  }
  absl::Status Health() const override { return behind_->Health(); }

 private:
  const std::unique_ptr<ReadableFile> behind_;
  const std::string name_;
  FaultPlan& plan_;
};

class FaultyDirectory final : public Directory {
 public:
  FaultyDirectory(Directory& behind, FaultPlan& plan) : behind_(behind), plan_(plan) {}
  FaultyDirectory(std::unique_ptr<Directory> behind, FaultPlan& plan)
      : owned_(std::move(behind)), behind_(*owned_), plan_(plan) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    PMDEX_RETURN_IF_ERROR(Next("create ", name));
    PMDEX_ASSIGN_OR_RETURN(auto file, behind_.Create(name, capacity_bytes));
    return std::make_unique<FaultyWritableFile>(std::move(file), std::string(name), plan_);
  }
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_RETURN_IF_ERROR(Next("open ", name));
    PMDEX_ASSIGN_OR_RETURN(auto file, behind_.Open(name));
    return std::make_unique<FaultyReadableFile>(std::move(file), std::string(name), plan_);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    PMDEX_RETURN_IF_ERROR(Next("rename ", from));
    return behind_.Rename(from, to);
  }
  absl::Status Remove(std::string_view name) override {
    PMDEX_RETURN_IF_ERROR(Next("remove ", name));
    return behind_.Remove(name);
  }
  absl::Status Sync() override {
    PMDEX_RETURN_IF_ERROR(Next("sync", ""));
    return behind_.Sync();
  }
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override {
    PMDEX_RETURN_IF_ERROR(Next("list", ""));
    return behind_.List();
  }
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override {
    PMDEX_RETURN_IF_ERROR(Next("lock ", name));
    return behind_.Lock(name);
  }
  StoreGranularity granularity() const override { return behind_.granularity(); }
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    PMDEX_RETURN_IF_ERROR(Next("open directory ", path));
    PMDEX_ASSIGN_OR_RETURN(auto other, behind_.OpenElsewhere(path, create));
    return std::make_unique<FaultyDirectory>(std::move(other), plan_);
  }
  std::string canonical_path() const override { return behind_.canonical_path(); }
  absl::StatusOr<uint64_t> FreeBytes() const override {
    PMDEX_RETURN_IF_ERROR(Next("free bytes", ""));
    return behind_.FreeBytes();
  }
  const std::string& path() const override { return behind_.path(); }

 private:
  absl::Status Next(std::string_view verb, std::string_view name) const {
    return plan_.Next(absl::StrCat(ToAbsl(verb), ToAbsl(name)));
  }

  const std::unique_ptr<Directory> owned_;  // nullptr if the caller owns it
  Directory& behind_;
  FaultPlan& plan_;
};

}  // namespace

absl::Status FaultPlan::Next(std::string_view what) {
  MutexLock lock(&mutex_);
  ++count_;
  if (fail_at_ == 0 || count_ < fail_at_ || (count_ > fail_at_ && !for_good_)) {
    return absl::OkStatus();
  }
  if (failed_.empty()) failed_ = what;
  touched_ = true;
  return MakeStatus(error_.code(), absl::StrCat(ToAbsl(what), ": ", error_.message()));
}

std::string FaultPlan::failed() const {
  MutexLock lock(&mutex_);
  return failed_;
}

std::unique_ptr<Directory> NewFaultyDirectory(Directory& behind, FaultPlan& plan) {
  return std::make_unique<FaultyDirectory>(behind, plan);
}

}  // namespace pmdex
