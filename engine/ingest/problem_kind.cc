#include "engine/ingest/problem_kind.h"

namespace pmdex {

std::string_view ToString(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::kBinaryFile:
      return "binary file";
    case ProblemKind::kUnreadableFile:
      return "unreadable file";
    case ProblemKind::kVanishedFile:
      return "file vanished";
    case ProblemKind::kSymlinkLoop:
      return "symbolic link loop";
    case ProblemKind::kSpecialFile:
      return "special file";
    case ProblemKind::kDocumentTooLarge:
      return "document too large";
    case ProblemKind::kLineTooLong:
      return "line too long";
    case ProblemKind::kInvalidJson:
      return "invalid JSON";
    case ProblemKind::kMissingId:
      return "missing id";
    case ProblemKind::kInvalidUtf8:
      return "invalid UTF-8";
    case ProblemKind::kMalformedTrec:
      return "malformed TREC";
    case ProblemKind::kTooManyFields:
      return "too many fields";
    case ProblemKind::kFileChanged:
      return "file changed";
    case ProblemKind::kDamagedCompression:
      return "damaged compressed file";
    case ProblemKind::kDecoderMemory:
      return "compressed file needs too much memory";
    case ProblemKind::kBadValue:
      return "bad value";
    case ProblemKind::kKeptWithoutText:
      return "kept without text";
  }
  return "unknown problem";
}

bool IsSkipped(ProblemKind kind) {
  return kind != ProblemKind::kMissingId && kind != ProblemKind::kInvalidUtf8 &&
         kind != ProblemKind::kTooManyFields && kind != ProblemKind::kDamagedCompression &&
         kind != ProblemKind::kBadValue && kind != ProblemKind::kKeptWithoutText;
}

}  // namespace pmdex
