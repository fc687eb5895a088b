#include "engine/store/deletions/live_docs_file.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/segment/format.h"
#include "engine/segment/live_docs_format.h"
#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kLiveDocsPrefix = "live-";
constexpr std::string_view kLiveDocsSuffix = ".pmdex";
constexpr size_t kNumberDigits = 16;

std::optional<uint64_t> ParseLiveDocsNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

uint32_t CheckOfLiveDocs(const LiveDocsHeader& header) {
  return Crc32c(std::as_bytes(std::span(&header, 1)).first(kLiveDocsCheckOffset));
}

std::vector<std::byte> EncodeLiveDocs(const LiveDocsKey& key, const LiveDocs& live_docs) {
  const auto words = std::as_bytes(live_docs.words());
  std::vector<std::byte> bytes(sizeof(LiveDocsHeader) + words.size());
  LiveDocsHeader header = {kLiveDocsMagic,
                           kLiveDocsVersion,
                           kEndianMark,
                           bytes.size(),
                           key.segment_id,
                           key.generation,
                           live_docs.doc_count(),
                           live_docs.live_count(),
                           {},
                           Crc32c(words),
                           0};
  header.check = CheckOfLiveDocs(header);
  if (!words.empty()) std::memcpy(bytes.data() + sizeof header, words.data(), words.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

absl::Status DamagedLiveDocs(const std::string& name, uint64_t offset, const std::string& what) {
  return DataLoss(absl::StrCat(name, ": offset ", offset, ": ", what));
}

absl::Status LiveDocsDiffer(const std::string& name, uint64_t offset, std::string_view what,
                            uint64_t expected, uint64_t found) {
  return DamagedLiveDocs(name, offset,
                         absl::StrCat(ToAbsl(what), ": expected ", expected, ", found ", found));
}

absl::Status LiveDocsChecksumDiffers(const std::string& name, uint64_t offset, uint32_t expected,
                                     uint32_t found) {
  return DamagedLiveDocs(name, offset,
                         absl::StrFormat("checksum: expected %08x, found %08x", expected, found));
}

absl::Status CheckLiveDocsHeader(const LiveDocsHeader& header, const ManifestSegment& listed,
                                 const std::string& name) {
  if (header.magic != kLiveDocsMagic) {
    return DamagedLiveDocs(name, 0, "this is not a file of live documents");
  }
  if (CheckOfLiveDocs(header) != header.check) {
    return LiveDocsChecksumDiffers(name, kLiveDocsCheckOffset, header.check,
                                   CheckOfLiveDocs(header));
  }
  // Checked after the checksum, so that a damaged version is not taken for a newer format.
  if (header.version > kLiveDocsVersion) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrFormat("%s: version %u is newer than this pmdex reads (%u)", name,
                                      header.version, kLiveDocsVersion));
  }
  if (header.version == 0) return DamagedLiveDocs(name, 8, "version 0");
  if (header.endian_mark != kEndianMark) return DamagedLiveDocs(name, 12, "no known byte order");
  if (header.check != listed.live_docs_check) {
    return DamagedLiveDocs(name, kLiveDocsCheckOffset,
                           "the file is not the one that the manifest lists");
  }
  if (header.segment_id != listed.id) {
    return LiveDocsDiffer(name, 24, "segment", listed.id, header.segment_id);
  }
  if (header.generation != listed.live_docs_generation) {
    return LiveDocsDiffer(name, 32, "generation", listed.live_docs_generation, header.generation);
  }
  if (header.doc_count != listed.doc_count) {
    return LiveDocsDiffer(name, 40, "documents", listed.doc_count, header.doc_count);
  }
  if (header.live_count != listed.live_count()) {
    return LiveDocsDiffer(name, 44, "live documents", listed.live_count(), header.live_count);
  }
  return absl::OkStatus();
}

// Checks that the words are those that were written, have as many bits as the header says, and none
// behind the last document.
absl::Status CheckLiveDocsWords(std::span<const uint64_t> words, const LiveDocsHeader& header,
                                const std::string& name) {
  const uint32_t check = Crc32c(std::as_bytes(words));
  if (check != header.words_check) {
    return LiveDocsChecksumDiffers(name, kLiveDocsWordsCheckOffset, header.words_check, check);
  }
  uint64_t live = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    live += static_cast<uint64_t>(std::popcount(words[i]));
    const uint64_t first = i * 64;
    const bool is_whole = first + 64 <= header.doc_count;
    const uint64_t documents =
        is_whole ? ~uint64_t{0}
                 : (uint64_t{1} << (first < header.doc_count ? header.doc_count - first : 0)) - 1;
    if ((words[i] & ~documents) != 0) {
      return DamagedLiveDocs(name, sizeof header + i * 8, "a bit behind the last document");
    }
  }
  if (live != header.live_count)
    return LiveDocsDiffer(name, 44, "live bits", header.live_count, live);
  return absl::OkStatus();
}

absl::StatusOr<LiveDocs> DecodeLiveDocs(std::span<const std::byte> bytes,
                                        const ManifestSegment& listed, const std::string& name) {
  const size_t count = LiveDocs::WordCount(listed.doc_count);
  const uint64_t expected = sizeof(LiveDocsHeader) + count * sizeof(uint64_t);
  if (bytes.size() != expected) return LiveDocsDiffer(name, 0, "bytes", expected, bytes.size());
  LiveDocsHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.file_bytes != expected)
    return LiveDocsDiffer(name, 16, "bytes", expected, header.file_bytes);
  PMDEX_RETURN_IF_ERROR(CheckLiveDocsHeader(header, listed, name));
  auto words = std::make_shared<std::vector<uint64_t>>(count);
  if (count > 0) std::memcpy(words->data(), bytes.data() + sizeof header, count * 8);
  // Of the copy: the medium may fail between two loads of the same byte.
  PMDEX_RETURN_IF_ERROR(CheckLiveDocsWords(*words, header, name));
  const std::span<const uint64_t> view = *words;
  return LiveDocs(header.doc_count, header.live_count, view, std::move(words));
}

absl::Status FillLiveDocsFile(WritableFile& file, std::span<const std::byte> bytes) {
  file.StoreAndFlush(0, bytes);
  PMDEX_RETURN_IF_ERROR(file.Drain());
  return file.Seal(bytes.size());
}

}  // namespace

std::string LiveDocsFileName(const LiveDocsKey& key) {
  return absl::StrCat(ToAbsl(kLiveDocsPrefix), absl::Hex(key.segment_id, absl::kZeroPad16), "-",
                      absl::Hex(key.generation, absl::kZeroPad16), ToAbsl(kLiveDocsSuffix));
}

std::optional<LiveDocsKey> ParseLiveDocsFileName(std::string_view name) {
  constexpr size_t kNameBytes =
      kLiveDocsPrefix.size() + kNumberDigits + 1 + kNumberDigits + kLiveDocsSuffix.size();
  if (name.size() != kNameBytes) return std::nullopt;
  const std::string_view numbers = name.substr(kLiveDocsPrefix.size());
  const auto segment_id = ParseLiveDocsNumber(numbers.substr(0, kNumberDigits));
  const auto generation = ParseLiveDocsNumber(numbers.substr(kNumberDigits + 1, kNumberDigits));
  if (!segment_id.has_value() || !generation.has_value()) return std::nullopt;
  const LiveDocsKey key = {*segment_id, *generation};
  // Other spellings of the same numbers are other names.
  if (LiveDocsFileName(key) != name) return std::nullopt;
  return key;
}

absl::StatusOr<uint32_t> WriteLiveDocs(Directory& directory, const LiveDocsKey& key,
                                       const LiveDocs& live_docs) {
  const std::vector<std::byte> bytes = EncodeLiveDocs(key, live_docs);
  const std::string name = LiveDocsFileName(key);
  const std::string temporary_name = name + ".tmp";
  PMDEX_ASSIGN_OR_RETURN(auto file, directory.Create(temporary_name, bytes.size()));
  absl::Status written = FillLiveDocsFile(*file, bytes);
  if (written.ok()) written = directory.Rename(temporary_name, name);
  if (!written.ok()) {
    directory.Remove(temporary_name).IgnoreError();  // the first error says more
    return written;
  }
  LiveDocsHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.check;
}

absl::StatusOr<LiveDocs> ReadLiveDocs(const Directory& directory, const ManifestSegment& listed) {
  const std::string name = LiveDocsFileName({listed.id, listed.live_docs_generation});
  PMDEX_ASSIGN_OR_RETURN(const auto file, directory.Open(name));
  auto live_docs = DecodeLiveDocs(file->bytes(), listed, name);
  if (!file->Health().ok()) return file->Health();
  return live_docs;
}

}  // namespace pmdex
