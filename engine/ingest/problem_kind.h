// Why a part of the input was not indexed, or not indexed completely. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

enum class ProblemKind {
  kBinaryFile,
  kUnreadableFile,
  kVanishedFile,
  kSymlinkLoop,
  kSpecialFile,
  kDocumentTooLarge,
  kLineTooLong,
  kInvalidJson,
  kMissingId,
  kInvalidUtf8,
  kMalformedTrec,
  kTooManyFields,
  kFileChanged,         // after an earlier run had read a part of it
  kDamagedCompression,  // the text before the damage is indexed
  kDecoderMemory,       // decompressing the file takes more memory than the build has
  kBadValue,            // a value does not fit the type of its field; the document is indexed
  kKeptWithoutText,     // --attributes: a file cannot be read; its attributes are indexed
};
inline constexpr ProblemKind kAllProblemKinds[] = {
    ProblemKind::kBinaryFile,  ProblemKind::kUnreadableFile,     ProblemKind::kVanishedFile,
    ProblemKind::kSymlinkLoop, ProblemKind::kSpecialFile,        ProblemKind::kDocumentTooLarge,
    ProblemKind::kLineTooLong, ProblemKind::kInvalidJson,        ProblemKind::kMissingId,
    ProblemKind::kInvalidUtf8, ProblemKind::kMalformedTrec,      ProblemKind::kTooManyFields,
    ProblemKind::kFileChanged, ProblemKind::kDamagedCompression, ProblemKind::kDecoderMemory,
    ProblemKind::kBadValue,    ProblemKind::kKeptWithoutText,
};
static_assert(std::size(kAllProblemKinds) == static_cast<size_t>(ProblemKind::kKeptWithoutText) + 1,
              "the last kind is named here, and every kind is in the list");
std::string_view ToString(ProblemKind kind);  // the words that users see
// True if the document was lost, which `skipped` counts. False if it was indexed all the same, as
// with a missing id or invalid UTF-8.
bool IsSkipped(ProblemKind kind);

struct ProblemSummary {
  uint64_t count = 0;
  std::vector<std::string> first_places;  // at most 3 of "PATH: REASON" or "PATH:LINE: REASON"
};

}  // namespace pmdex
