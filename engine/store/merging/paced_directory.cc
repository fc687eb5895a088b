#include "engine/store/merging/paced_directory.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "pmem/check.h"
#include "pmem/forwarding_directory.h"

namespace pmdex {
namespace {

constexpr std::chrono::milliseconds kLongestWait{50};  // between two looks at the stop flag

class PacedFile final : public WritableFile {
 public:
  PacedFile(std::unique_ptr<WritableFile> file, std::shared_ptr<Pacer> pacer)
      : file_(std::move(file)), pacer_(std::move(pacer)) {}

  uint64_t capacity_bytes() const override { return file_->capacity_bytes(); }
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    // In parts, so that a long piece does not take the medium for as long as it is.
    constexpr size_t kPart = size_t{1} << 20;
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(kPart, bytes.size()));
      pacer_->Spend(part.size());
      file_->CopyNonTemporal(offset, part);
      offset += part.size();
      bytes = bytes.subspan(part.size());
    }
  }
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override {
    file_->StoreAndFlush(offset, bytes);
  }
  absl::Status Drain() override { return file_->Drain(); }
  absl::Status Seal(uint64_t length_bytes) override { return file_->Seal(length_bytes); }
  const PersistCounters& counters() const override { return file_->counters(); }

 private:
  const std::unique_ptr<WritableFile> file_;
  const std::shared_ptr<Pacer> pacer_;
};

class PacedDirectory final : public ForwardingDirectory {
 public:
  PacedDirectory(Directory& directory, std::shared_ptr<Pacer> pacer)
      : ForwardingDirectory(directory), pacer_(std::move(pacer)) {}
  PacedDirectory(std::unique_ptr<Directory> directory, std::shared_ptr<Pacer> pacer)
      : ForwardingDirectory(*directory), owned_(std::move(directory)), pacer_(std::move(pacer)) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    PMDEX_ASSIGN_OR_RETURN(auto file, base().Create(name, capacity_bytes));
    return std::unique_ptr<WritableFile>(std::make_unique<PacedFile>(std::move(file), pacer_));
  }
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    PMDEX_ASSIGN_OR_RETURN(auto other, base().OpenElsewhere(path, create));
    return std::unique_ptr<Directory>(std::make_unique<PacedDirectory>(std::move(other), pacer_));
  }

 private:
  const std::unique_ptr<Directory> owned_;
  const std::shared_ptr<Pacer> pacer_;
};

}  // namespace

Pacer::Time Pacer::Time::Real() {
  return {[] { return Clock::now(); },
          [](Clock::duration duration) { std::this_thread::sleep_for(duration); }};
}

Pacer::Pacer(uint64_t bytes_per_second, std::function<bool()> stop, Time time)
    : bytes_per_second_(static_cast<double>(bytes_per_second)),
      stop_(std::move(stop)),
      time_(std::move(time)),
      free_at_(time_.now()) {
  PMDEX_CHECK(bytes_per_second > 0);
}

void Pacer::Spend(uint64_t bytes) {
  Clock::time_point until;
  {
    MutexLock lock(&mutex_);
    // Time in which nothing was written is not made up for.
    const std::chrono::duration<double> cost(static_cast<double>(bytes) / bytes_per_second_);
    free_at_ = std::max(free_at_, time_.now()) + std::chrono::duration_cast<Clock::duration>(cost);
    until = free_at_;
  }
  for (auto now = time_.now(); now < until && !(stop_ && stop_()); now = time_.now()) {
    time_.wait(std::min<Clock::duration>(until - now, kLongestWait));
  }
}

std::unique_ptr<Directory> NewPacedDirectory(Directory& directory, std::shared_ptr<Pacer> pacer) {
  return std::make_unique<PacedDirectory>(directory, std::move(pacer));
}

}  // namespace pmdex
