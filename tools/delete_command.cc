// The command `pmdex delete`: deletes documents by id, or those that match a query.
#include <fstream>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/id_lookup.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/cpu_limit.h"
#include "query/algorithm/all_matches.h"
#include "query/columns/snapshot_columns.h"
#include "query/language/query_parser.h"
#include "tools/command.h"
#include "tools/existing_index_writer.h"
#include "tools/json_writer.h"
#include "tools/output.h"

namespace pmdex {
namespace {

// Ids of a file are looked up in portions of about so many bytes, each with one pass over the ids
// of the index.
constexpr size_t kPortionBytes = size_t{64} << 20;
constexpr size_t kBytesBesideText = sizeof(std::string);  // of each id

struct DeleteFlags {
  std::string index;
  std::vector<std::string> ids;
  std::string ids_file;
  std::string query;
  int threads = 0;
  bool has_query = false;
  bool null_terminated = false;
  bool json = false;
  bool quiet = false;
};

struct DeleteReport {
  uint64_t deleted = 0;  // documents
  uint64_t missing = 0;  // ids
};

absl::Status CheckFlags(const DeleteFlags& flags) {
  const int sources =
      (flags.ids.empty() ? 0 : 1) + (flags.ids_file.empty() ? 0 : 1) + (flags.has_query ? 1 : 0);
  if (sources != 1) {
    return InvalidArgument(
        "delete: give ids, --ids FILE or --query QUERY (hint: pmdex delete --help)");
  }
  if (flags.null_terminated && flags.ids_file.empty()) {
    return InvalidArgument("delete: -z goes with --ids FILE");
  }
  return absl::OkStatus();
}

// The ids of a file, or of standard input, a portion at a time.
class IdFile {
 public:
  static absl::StatusOr<IdFile> Open(const std::string& path, bool null_terminated) {
    IdFile file(path, null_terminated);
    if (path == "-") return file;
    file.opened_ = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!file.opened_->is_open()) {
      return MakeStatus(absl::StatusCode::kNotFound, absl::StrCat("cannot open ", path));
    }
    return file;
  }

  // The next ids; none at the end of the file.
  absl::StatusOr<std::vector<std::string>> Next() {
    std::istream& in = opened_ == nullptr ? std::cin : *opened_;
    std::vector<std::string> ids;
    size_t bytes = 0;
    std::string id;
    while (bytes < kPortionBytes && std::getline(in, id, null_terminated_ ? '\0' : '\n')) {
      if (!null_terminated_ && id.ends_with('\r')) id.pop_back();
      if (id.empty()) continue;
      bytes += kBytesBesideText + id.size();
      ids.push_back(std::move(id));
    }
    if (in.bad()) {
      return MakeStatus(absl::StatusCode::kUnavailable, absl::StrCat("cannot read ", path_));
    }
    return ids;
  }

 private:
  IdFile(std::string path, bool null_terminated)
      : path_(std::move(path)), null_terminated_(null_terminated) {}

  std::string path_;
  bool null_terminated_;
  std::unique_ptr<std::ifstream> opened_;  // nullptr: standard input
};

// All segments, because a document of a segment that cannot be read might have one of the ids.
absl::StatusOr<std::vector<LiveSegment>> OpenAll(IndexWriter& writer) {
  std::vector<LiveSegment> segments;
  for (const ManifestSegment& listed : writer.NextSegments()) {
    auto opened = writer.OpenNext(listed);
    if (!opened.ok()) {
      return WithHint(opened.status(), "nothing is deleted; pmdex verify tells more");
    }
    segments.push_back(*std::move(opened));
  }
  return segments;
}

absl::Status DeletePortion(std::span<const LiveSegment> segments, std::span<const std::string> ids,
                           size_t threads, IndexWriter& writer, DeleteReport& report) {
  PMDEX_ASSIGN_OR_RETURN(const IdMatches matches, FindIds(segments, ids, threads));
  report.missing += matches.missing;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (matches.docs[i].empty()) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t deleted,
                           writer.Delete(segments[i].listed_id, matches.docs[i]));
    report.deleted += deleted;
  }
  return absl::OkStatus();
}

absl::StatusOr<DeleteReport> DeleteIds(const DeleteFlags& flags, IndexWriter& writer) {
  const auto threads = static_cast<size_t>(flags.threads == 0 ? UsableCpus() : flags.threads);
  PMDEX_ASSIGN_OR_RETURN(const std::vector<LiveSegment> segments, OpenAll(writer));
  DeleteReport report;
  if (!flags.ids.empty()) {
    PMDEX_RETURN_IF_ERROR(DeletePortion(segments, flags.ids, threads, writer, report));
    return report;
  }
  PMDEX_ASSIGN_OR_RETURN(IdFile file, IdFile::Open(flags.ids_file, flags.null_terminated));
  while (true) {
    PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> ids, file.Next());
    if (ids.empty()) return report;
    PMDEX_RETURN_IF_ERROR(DeletePortion(segments, ids, threads, writer, report));
  }
}

// The writer's lock keeps the generation of the snapshot the newest.
absl::StatusOr<DeleteReport> DeleteMatches(const std::string& query_text,
                                           const Directory& directory, IndexWriter& writer) {
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory));
  if (!snapshot->quarantined().empty()) {
    return WithHint(snapshot->quarantined().front().reason,
                    "nothing is deleted; pmdex verify tells more");
  }
  const auto analyzer = NewAnalyzer(snapshot->settings().analyzer);
  QueryParser parser(*analyzer);
  parser.SetColumns(KnowledgeOf(*snapshot));
  PMDEX_ASSIGN_OR_RETURN(const auto query, parser.Parse(query_text));
  PMDEX_ASSIGN_OR_RETURN(const auto matches, FindMatches(*query, *snapshot));
  DeleteReport report;
  for (size_t i = 0; i < matches.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t deleted,
                           writer.Delete(snapshot->listed(i).id, matches[i]));
    report.deleted += deleted;
  }
  return report;
}

void PrintDeleted(const DeleteReport& report, const DeleteFlags& flags) {
  if (flags.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("deleted").Uint(report.deleted);
    json.Key("missing").Uint(report.missing);
    json.EndObject();
    WriteOutput(json.result() + "\n");
  } else if (!flags.quiet) {
    PrintOutput("deleted %s %s", WithThousands(report.deleted),
                report.deleted == 1 ? "document" : "documents");
    if (report.missing > 0) {
      PrintOutput("; %s %s", WithThousands(report.missing),
                  report.missing == 1 ? "id is not there" : "ids are not there");
    }
    PrintOutput("\n");
  }
}

absl::StatusOr<int> RunDelete(const DeleteFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckFlags(flags));
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriterOfExistingIndex(*directory));
  PMDEX_ASSIGN_OR_RETURN(const DeleteReport report,
                         flags.has_query ? DeleteMatches(flags.query, *directory, *writer)
                                         : DeleteIds(flags, *writer));
  if (report.deleted > 0) PMDEX_RETURN_IF_ERROR(writer->Publish());
  WarnMissingCopies(writer->missing_copies());
  PrintDeleted(report, flags);
  return kExitDone;
}

constexpr char kDeleteFooter[] =
    "All documents of an id are deleted. Either all are deleted or, after an error, none. Queries\n"
    "that began before keep their answers; scores count deleted documents in the statistics until\n"
    "a merge drops them, as in Lucene.\n"
    "Examples:\n"
    "  pmdex delete 7f3a 91bc                         two ids\n"
    "  pmdex delete --query 'year:1999 -keep'         what matches\n"
    "  find old -type f -print0 | pmdex delete --ids - -z\n"
    "Exit status:\n"
    "  0  deleted; ids that are not there are counted, and no error\n"
    "  1  it could not be done, and nothing is deleted\n"
    "  2  wrong usage, or a query that cannot be parsed";

}  // namespace

void AddDeleteCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<DeleteFlags>();
  CLI::App* command = app.add_subcommand("delete", "delete documents by id or by query");
  command->add_option("ids", flags->ids, "ids of documents")->type_name("ID");
  AddIndexFlag(*command, flags->index);
  command->add_option("--ids", flags->ids_file, "a file with one id per line; - is stdin")
      ->type_name("FILE");
  command->add_flag("-z,--null", flags->null_terminated,
                    "with --ids: ids end with a zero byte, as find -print0 writes them");
  CLI::Option* query =
      command->add_option("--query", flags->query, "delete the documents that match")
          ->type_name("QUERY");
  command
      ->add_option("--threads", flags->threads,
                   "threads that look for the ids (default: one for each CPU)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--json", flags->json, "print one JSON document");
  command->add_flag("--quiet", flags->quiet, "print nothing but errors");
  command->footer(kDeleteFooter);
  command->callback([flags, query, &invocation] {
    flags->has_query = query->count() > 0;
    invocation.run = [flags] { return RunDelete(*flags); };
  });
}

}  // namespace pmdex
