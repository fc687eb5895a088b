#include "tools/index_errors.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

#include "engine/store/manifest.h"
#include "pmem/exhaustion.h"
#include "tools/command.h"
#include "tools/printable.h"
#include "tools/stop_signals.h"

namespace pmdex {
namespace {

std::string WhatHelps(Resource exhausted) {
  switch (exhausted) {
    case Resource::kNone:
      break;
    case Resource::kSpace:
      return "free space";
    case Resource::kDescriptors:
      return "allow more open files (ulimit -n), or fewer --reader-threads";
    case Resource::kMemory:
      return "give it less --memory or fewer --threads";
    case Resource::kThreads:
      return "allow more processes (ulimit -u) or memory (ulimit -v)";
  }
  return "";
}

}  // namespace

absl::Status ExplainOpenError(const absl::Status& status, bool overwrite,
                              const Directory* directory) {
  const auto manifest =
      directory == nullptr ? absl::NotFoundError("") : LoadNewestManifest(*directory, nullptr);
  const bool unfinished = manifest.ok() && manifest->HasPendingWork();
  switch (status.code()) {
    case absl::StatusCode::kAlreadyExists:
      return WithHint(status, unfinished
                                  ? "--resume goes on with the unfinished build, --overwrite "
                                    "starts anew"
                                  : "--append extends it, --overwrite replaces it");
    case absl::StatusCode::kNotFound:
      return WithHint(status, unfinished ? "--resume with its command line finishes that"
                                         : "leave out --append to make one");
    case absl::StatusCode::kFailedPrecondition:
      return unfinished ? WithHint(status,
                                   "--resume takes the same command line; --overwrite "
                                   "without it starts anew")
                        : status;
    case absl::StatusCode::kDataLoss:
      return WithHint(status, overwrite ? "pmdex verify tells more"
                                        : "pmdex verify tells more; --overwrite starts anew");
    default:
      return status;
  }
}

absl::Status ExplainStop(int signal, const IndexWriter& writer) {
  const uint64_t documents = writer.published().PendingDocuments();
  const std::string what = absl::StrCat("interrupted by ", StopSignalName(signal));
  if (documents == 0) {
    return WithHint(MakeStatus(absl::StatusCode::kCancelled, what + ": nothing is indexed yet"),
                    "the same command line with --resume begins again");
  }
  return WithHint(
      MakeStatus(absl::StatusCode::kCancelled,
                 absl::StrCat(what, ": ", WithThousands(documents),
                              documents == 1 ? " document is" : " documents are", " durable")),
      "the same command line with --resume goes on from there");
}

absl::Status ExplainBuildError(const absl::Status& status, const IndexWriter& writer) {
  const Manifest& manifest = writer.published();
  const std::string helps = WhatHelps(ExhaustedResource(status));
  if (!writer.build().has_value() || !manifest.HasPendingWork()) {
    return helps.empty() ? status : WithHint(status, helps);
  }
  const std::string done =
      absl::StrCat("--resume goes on after ", manifest.PendingDocuments(), " documents");
  return WithHint(status, helps.empty() ? done : absl::StrCat(helps, ", then ", done));
}

void WarnDropped(const IndexWriter& writer, bool replaces) {
  if (!writer.dropped().has_value()) return;
  const PendingBuild& dropped = *writer.dropped();
  const uint64_t published = writer.published().PendingDocuments() - dropped.doc_count();
  const std::string stay = published == 0 || replaces
                               ? ""
                               : absl::StrCat(" (", published, " that it has published stay)");
  Warn(absl::StrCat("an unfinished build of ", dropped.doc_count(), " documents is dropped", stay,
                    ": ", dropped.options));
}

}  // namespace pmdex
