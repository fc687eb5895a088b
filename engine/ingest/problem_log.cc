#include "engine/ingest/problem_log.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/mutex.h"
#include "pmem/text.h"

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
  }
  return "unknown problem";
}

bool IsSkipped(ProblemKind kind) {
  return kind != ProblemKind::kMissingId && kind != ProblemKind::kInvalidUtf8 &&
         kind != ProblemKind::kTooManyFields && kind != ProblemKind::kDamagedCompression;
}

void MergeProblems(const ProblemSummaries& from, ProblemSummaries& to) {
  for (const auto& [kind, summary] : from) {
    ProblemSummary& merged = to[kind];
    merged.count += summary.count;
    for (const std::string& place : summary.first_places) {
      if (merged.first_places.size() < ProblemLog::kPlacesKept)
        merged.first_places.push_back(place);
    }
  }
}

void ProblemLog::Add(ProblemKind kind, std::string_view place, std::string_view reason) {
  MutexLock lock(&mutex_);
  ProblemSummary& summary = problems_[kind];
  ++summary.count;
  if (summary.first_places.size() == kPlacesKept) return;
  summary.first_places.push_back(
      reason.empty() ? std::string(place) : absl::StrCat(ToAbsl(place), ": ", ToAbsl(reason)));
}

ProblemSummaries ProblemLog::problems() const {
  MutexLock lock(&mutex_);
  return problems_;
}

ProblemSummaries ProblemLog::Take() {
  MutexLock lock(&mutex_);
  return std::exchange(problems_, {});
}

}  // namespace pmdex
