#include "tools/server/writing/writable_indexes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/command.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLongest{60'000};  // between two looks at what is due

absl::Status Forbidden(std::string_view why) {
  return ApiError(403, "cluster_block_exception",
                  absl::StrCat("blocked by: [FORBIDDEN/5/index read-only (api)]: ", ToAbsl(why)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WritableIndexes>> WritableIndexes::Start(
    const WritingOptions& options, IndexCatalog& catalog) {
  std::unique_ptr<WritableIndexes> indexes(new WritableIndexes(options, catalog));
  if (!options.data_directory.empty()) PMDEX_RETURN_IF_ERROR(indexes->OpenFolder());
  WritableIndexes* const self = indexes.get();
  PMDEX_ASSIGN_OR_RETURN(self->refreshes_,
                         DueWork::Start(kLongest, [self] { return self->RefreshDue(); }));
  PMDEX_ASSIGN_OR_RETURN(self->merges_,
                         DueWork::Start(kLongest, [self] { return self->MergeDue(); }));
  return indexes;
}

WritableIndexes::~WritableIndexes() {
  StopMerges();
  refreshes_.reset();
  merges_.reset();
  MutexLock lock(&mutex_);
  for (const auto& [name, index] : indexes_) index->Close();
}

absl::Status WritableIndexes::OpenFolder() {
  MutexLock lock(&mutex_);
  PMDEX_ASSIGN_OR_RETURN(folder_, IndexFolder::Open(options_.data_directory));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> names, folder_->Names());
  for (const std::string& name : names) {
    if (catalog_.Find(name) != nullptr) {
      return InvalidArgument(
          absl::StrCat("two indexes have the name '", name, "': one of --index, one of --data"));
    }
    if (options_.read_only) {
      OpenForReading(name);
      continue;
    }
    const auto index = OpenLocked(name, folder_->PathOf(name));
    if (index.ok() || absl::IsNotFound(index.status())) continue;  // no index at all
    Warn(absl::StrCat("index ", name, ": it cannot be written: ", ToAbsl(Message(index.status()))));
    OpenForReading(name);
  }
  PMDEX_ASSIGN_OR_RETURN(const std::vector<IndexFolder::RefusedName> refused,
                         folder_->RefusedNames());
  for (const auto& [name, fault] : refused) {
    const auto directory = OpenIndexDirectory(folder_->PathOf(name));
    if (!directory.ok() || absl::IsNotFound(Snapshot::Open(**directory).status())) continue;
    Warn(absl::StrCat("index ", name, " of --data is not served: its name ", ToAbsl(fault),
                      " (hint: --index NAME=DIR serves it)"));
  }
  return absl::OkStatus();
}

void WritableIndexes::OpenForReading(const std::string& name) {
  const std::string path = absl::StrCat(options_.data_directory, "/", name);
  const auto open = [&]() -> absl::StatusOr<std::shared_ptr<const Snapshot>> {
    PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
    return Snapshot::Open(*directory);
  };
  auto snapshot = open();
  if (!snapshot.ok()) {
    if (absl::IsNotFound(snapshot.status())) return;
    Warn(absl::StrCat("index ", name, ": it is not served: ", ToAbsl(Message(snapshot.status()))));
    return;
  }
  auto index = std::make_shared<ServedIndex>();
  index->name = name;
  index->directory = path;
  index->searcher = std::make_shared<const Searcher>(*std::move(snapshot));
  catalog_.Put(std::move(index));
}

WritableIndex::Publish WritableIndexes::PublishFunction() {
  return [this](std::shared_ptr<const ServedIndex> index) { catalog_.Put(std::move(index)); };
}

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndexes::OpenLocked(
    const std::string& name, const std::string& directory) {
  PMDEX_ASSIGN_OR_RETURN(auto index,
                         WritableIndex::Open(name, directory, PublishFunction(), LimitsOfMerges()));
  indexes_[name] = index;
  return index;
}

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndexes::FindLocked(std::string_view name) {
  if (const auto found = indexes_.find(name); found != indexes_.end()) return found->second;
  const std::shared_ptr<const ServedIndex> served = catalog_.Find(name);
  if (served == nullptr) return IndexNotFound(name);
  if (options_.read_only) return Forbidden("the server was started with --read-only");
  return OpenLocked(std::string(name), served->directory);
}

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndexes::Find(std::string_view name) {
  MutexLock lock(&mutex_);
  return FindLocked(name);
}

absl::StatusOr<std::shared_ptr<WritableIndex>> WritableIndexes::FindOrCreate(
    std::string_view name) {
  MutexLock lock(&mutex_);
  const bool can_make = folder_ != nullptr && !options_.read_only;
  if (can_make && catalog_.Find(name) == nullptr) {
    PMDEX_RETURN_IF_ERROR(CreateLocked(name, IndexDefinition()));
  }
  return FindLocked(name);
}

std::shared_ptr<WritableIndex> WritableIndexes::FindOpen(std::string_view name) const {
  MutexLock lock(&mutex_);
  const auto found = indexes_.find(name);
  return found == indexes_.end() ? nullptr : found->second;
}

absl::Status WritableIndexes::CheckCanMake() const {
  if (options_.read_only) return Forbidden("the server was started with --read-only");
  if (!options_.data_directory.empty()) return absl::OkStatus();
  return Forbidden("the server was started without --data, so it makes and removes no indexes");
}

absl::Status WritableIndexes::Create(std::string_view name, const IndexDefinition& definition) {
  PMDEX_RETURN_IF_ERROR(CheckCanMake());
  MutexLock lock(&mutex_);
  return CreateLocked(name, definition);
}

absl::Status WritableIndexes::CreateLocked(std::string_view name,
                                           const IndexDefinition& definition) {
  PMDEX_RETURN_IF_ERROR(CheckNewIndexName(name));
  const auto exists = [&] {
    return ApiError(400, "resource_already_exists_exception",
                    absl::StrCat("index [", ToAbsl(name), "] already exists"), {{"index", name}});
  };
  if (catalog_.Find(name) != nullptr) return exists();
  const std::string path = folder_->PathOf(name);
  std::error_code error;
  const bool is_new_path = !std::filesystem::exists(path, error) && !error;
  auto made = WritableIndex::Create(std::string(name), path, definition, PublishFunction(),
                                    LimitsOfMerges());
  if (absl::IsAlreadyExists(made.status())) return exists();  // it could not be opened
  if (!made.ok()) {
    // What is left would be in the way of the next try.
    if (is_new_path && std::filesystem::exists(path, error)) folder_->Remove(name).IgnoreError();
    return made.status();
  }
  indexes_[std::string(name)] = *std::move(made);
  return folder_->Sync();
}

absl::Status WritableIndexes::CheckRemovable(std::string_view name) const {
  const auto served = catalog_.Find(name);
  if (served == nullptr) return IndexNotFound(name);
  PMDEX_RETURN_IF_ERROR(CheckCanMake());
  if (served->directory == folder_->PathOf(name)) return absl::OkStatus();
  return Forbidden("the index is one of --index, which are not removed");
}

absl::Status WritableIndexes::Remove(std::string_view name) {
  std::shared_ptr<WritableIndex> closed;
  while (true) {
    {
      MutexLock lock(&mutex_);
      PMDEX_RETURN_IF_ERROR(CheckRemovable(name));
      const auto found = indexes_.find(name);
      if (found == indexes_.end() || found->second == closed) {
        if (found != indexes_.end()) indexes_.erase(found);
        catalog_.Remove(name);
        return folder_->Remove(name);
      }
      closed = found->second;
    }
    closed->Close();  // waits, while requests to other indexes go on
  }
}

void WritableIndexes::NoteWrites() {
  refreshes_->Call();
  merges_->Call();
}

std::vector<std::shared_ptr<WritableIndex>> WritableIndexes::OpenIndexes() const {
  std::vector<std::shared_ptr<WritableIndex>> indexes;
  MutexLock lock(&mutex_);
  for (const auto& [name, index] : indexes_) indexes.push_back(index);
  return indexes;
}

// An error, such as a lack of memory, is met again by who searches or writes.
milliseconds WritableIndexes::RefreshDue() {
  milliseconds wait = kLongest;
  for (const auto& index : OpenIndexes()) {
    const auto due = index->refresh_due();
    if (!due.has_value()) continue;
    const auto left = std::chrono::ceil<milliseconds>(*due - WritableIndex::Clock::now());
    if (left.count() > 0) {
      wait = std::min(wait, left);
    } else if (!index->RefreshUnlessMerged().ok()) {
      wait = std::min(wait, milliseconds(1000));
    }
  }
  catalog_.DropUnused();
  return wait;
}

milliseconds WritableIndexes::MergeDue() {
  using Clock = WritableIndex::Clock;
  milliseconds wait = kLongest;
  for (const auto& index : OpenIndexes()) {
    const auto due = index->MergeIfManySegments(Clock::now());
    if (!due.ok() || !due->has_value()) continue;
    const auto left = std::chrono::ceil<milliseconds>(**due - Clock::now());
    wait = std::min(wait, std::max(left, milliseconds(0)));
  }
  return wait;
}

}  // namespace pmdex
