// Why something of the input was not indexed, or not whole. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// Why something was not indexed, or not whole. ToString gives the words users see.
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
  kFileChanged,         // since an earlier run read a part of it
  kDamagedCompression,  // what came before the damage is indexed
  kDecoderMemory,       // decompressing the file takes more memory than there is
};
inline constexpr ProblemKind kAllProblemKinds[] = {
    ProblemKind::kBinaryFile,  ProblemKind::kUnreadableFile,     ProblemKind::kVanishedFile,
    ProblemKind::kSymlinkLoop, ProblemKind::kSpecialFile,        ProblemKind::kDocumentTooLarge,
    ProblemKind::kLineTooLong, ProblemKind::kInvalidJson,        ProblemKind::kMissingId,
    ProblemKind::kInvalidUtf8, ProblemKind::kMalformedTrec,      ProblemKind::kTooManyFields,
    ProblemKind::kFileChanged, ProblemKind::kDamagedCompression, ProblemKind::kDecoderMemory,
};
std::string_view ToString(ProblemKind kind);
// Whether the document was lost (counted in `skipped`), or indexed all the same (missing id,
// invalid UTF-8).
bool IsSkipped(ProblemKind kind);

struct ProblemSummary {
  uint64_t count = 0;
  std::vector<std::string> first_places;  // "PATH", "PATH:LINE", at most 3, with the reason
};

}  // namespace pmdex
