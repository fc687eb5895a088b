// The bytes of a file of known files, its name, and the property of a manifest that lists such
// files. docs/FORMAT.md describes them in words. Pure functions.
//
// Such a file is written once and never changed. The files of a generation form a list. The first
// one holds most entries; each later one holds what has changed since, removed paths included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/known_files/known_file.h"
#include "pmem/status.h"

namespace pmdex {

// The first bytes of such a file: "PMDEXFIL".
inline constexpr uint64_t kKnownFilesMagic = 0x4c49465845444d50;
// The property of a manifest that lists the files of its generation.
inline constexpr char kKnownFilesProperty[] = "known_files";

// By path; nullopt: the path is not known any more.
using KnownFileRecords = std::map<std::string, std::optional<KnownFile>, std::less<>>;

std::string KnownFilesName(uint64_t number);  // "known-files-0000000000000001"
// The number in a name that is exactly its KnownFilesName; nullopt for other names.
std::optional<uint64_t> ParseKnownFilesName(std::string_view name);

std::vector<std::byte> EncodeKnownFiles(const KnownFileRecords& records);
// file_name: for messages. Returns kDataLoss if the bytes are damaged, and kUnimplemented for a
// newer format.
absl::StatusOr<KnownFileRecords> DecodeKnownFiles(std::span<const std::byte> bytes,
                                                  std::string_view file_name);

struct ListedKnownFiles {
  uint64_t number = 0;
  uint64_t file_bytes = 0;
  bool operator==(const ListedKnownFiles&) const = default;
};
// "7:4096 9:136": number and length of each file, oldest first.
std::string EncodeKnownFilesList(const std::vector<ListedKnownFiles>& files);
// Returns kDataLoss if the value is not such a list with ascending numbers.
absl::StatusOr<std::vector<ListedKnownFiles>> DecodeKnownFilesList(std::string_view value);

}  // namespace pmdex
