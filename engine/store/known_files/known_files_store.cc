#include "engine/store/known_files/known_files_store.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

// A name may be taken by a file that a writer could not remove.
constexpr int kMostNameAttempts = 64;

absl::StatusOr<KnownFileRecords> ReadListedKnownFiles(const Directory& directory,
                                                      const ListedKnownFiles& listed) {
  const std::string name = KnownFilesName(listed.number);
  PMDEX_ASSIGN_OR_RETURN(const auto file, directory.Open(name));
  if (file->bytes().size() != listed.file_bytes) {
    return DataLoss(absl::StrCat(name, ": the manifest says ", listed.file_bytes,
                                 " bytes, the file has ", file->bytes().size()));
  }
  auto records = DecodeKnownFiles(file->bytes(), name);
  PMDEX_RETURN_IF_ERROR(file->Health());
  return records;
}

// The state of these paths now.
KnownFileRecords ChangedRecordsOf(const KnownFiles& known) {
  KnownFileRecords records;
  for (const std::string& path : known.changes()) {
    const KnownFile* const file = known.Find(path);
    records.emplace_hint(records.end(), path,
                         file == nullptr ? std::nullopt : std::optional(*file));
  }
  return records;
}

KnownFileRecords AllKnownRecords(const KnownFiles& known) {
  KnownFileRecords records;
  known.ForEach([&](const std::string& path, const KnownFile& file) {
    records.emplace_hint(records.end(), path, file);
  });
  return records;
}

// Creates the file under its temporary name. Takes a later number where a file has the name: this
// writer did not make it, or has not removed it yet.
absl::StatusOr<std::unique_ptr<WritableFile>> CreateFreeKnownFiles(Directory& directory,
                                                                   uint64_t bytes,
                                                                   uint64_t& number) {
  for (int attempt = 1;; ++attempt, ++number) {
    const std::string name = KnownFilesName(number);
    const bool is_free = absl::IsNotFound(directory.Open(name).status());
    if (!is_free && attempt == kMostNameAttempts) {
      return MakeStatus(absl::StatusCode::kAlreadyExists, absl::StrCat(name, " is there already"));
    }
    if (!is_free) continue;
    auto file = directory.Create(name + ".tmp", bytes);
    if (!absl::IsAlreadyExists(file.status()) || attempt == kMostNameAttempts) return file;
  }
}

}  // namespace

std::string KnownFilesPropertyOf(const Manifest& manifest) {
  const auto found = manifest.properties.find(kKnownFilesProperty);
  return found == manifest.properties.end() ? std::string() : found->second;
}

absl::StatusOr<KnownFiles> LoadKnownFiles(const Directory& directory, const Manifest& manifest) {
  PMDEX_ASSIGN_OR_RETURN(const auto listed, DecodeKnownFilesList(KnownFilesPropertyOf(manifest)));
  KnownFiles known;
  for (const ListedKnownFiles& one : listed) {
    PMDEX_ASSIGN_OR_RETURN(const KnownFileRecords records, ReadListedKnownFiles(directory, one));
    for (const auto& [path, file] : records) {
      if (file.has_value()) {
        known.Set(path, *file);
      } else {
        known.Remove(path);
      }
    }
  }
  known.ClearChanges();
  return known;
}

absl::StatusOr<std::string> WriteKnownFiles(Directory& directory, const KnownFiles& known,
                                            const std::string& before) {
  PMDEX_ASSIGN_OR_RETURN(auto listed, DecodeKnownFilesList(before));
  KnownFileRecords records = ChangedRecordsOf(known);
  std::vector<std::byte> bytes = EncodeKnownFiles(records);
  uint64_t number = listed.empty() ? 1 : listed.back().number + 1;
  while (!listed.empty() && listed.back().file_bytes < 2 * bytes.size()) {
    if (listed.size() == 1) {
      records = AllKnownRecords(known);
    } else {
      PMDEX_ASSIGN_OR_RETURN(KnownFileRecords older,
                             ReadListedKnownFiles(directory, listed.back()));
      records.merge(older);  // keeps the newer one of two
    }
    listed.pop_back();
    bytes = EncodeKnownFiles(records);
  }
  PMDEX_ASSIGN_OR_RETURN(const auto file, CreateFreeKnownFiles(directory, bytes.size(), number));
  file->StoreAndFlush(0, bytes);
  PMDEX_RETURN_IF_ERROR(file->Drain());
  PMDEX_RETURN_IF_ERROR(file->Seal(bytes.size()));
  const std::string name = KnownFilesName(number);
  PMDEX_RETURN_IF_ERROR(directory.Rename(name + ".tmp", name));
  listed.push_back({number, bytes.size()});
  return EncodeKnownFilesList(listed);
}

}  // namespace pmdex
