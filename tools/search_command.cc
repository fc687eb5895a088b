// The command `pmdex search`: runs one query, or each query of a file.
#include <algorithm>
#include <optional>

#include "absl/strings/str_split.h"

#include "engine/store/placement/segment_nodes.h"
#include "engine/store/snapshot.h"
#include "pmem/numa_placement.h"
#include "query/access/current_access.h"
#include "query/access/user_identity.h"
#include "query/access/visible_snapshot.h"
#include "query/files/file_text.h"
#include "query/searcher.h"
#include "tools/command.h"
#include "tools/facet_flag.h"
#include "tools/flag_checks.h"
#include "tools/nvme_flags.h"
#include "tools/output.h"
#include "tools/query_batch.h"
#include "tools/save_heat.h"
#include "tools/search_output.h"
#include "tools/simd_flag.h"
#include "tools/sort_values.h"

namespace pmdex {
namespace {

struct SearchFlags {
  std::string index;
  std::string query;
  std::string queries_file;
  std::string similarity = "bm25";
  SearchOptions search;
  int threads = 1;
  int repeat = 1;
  std::string simd = "auto";
  NvmeFlags nvme;
  std::string sort;
  std::string after;
  std::string fields_out;
  std::vector<std::string> facets;
  int deadline_ms = 0;  // 0: none
  std::string as_user;  // empty: nothing is hidden
  bool prefault = false;
  bool save_heat = false;
  bool json = false;
  bool quiet = false;
};

absl::Status CheckFlags(const SearchFlags& flags) {
  if (flags.save_heat && flags.queries_file.empty()) {
    return InvalidArgument("search: --save-heat goes with --queries FILE");
  }
  if (flags.query.empty() == flags.queries_file.empty()) {
    return InvalidArgument("search: give a QUERY or --queries FILE (hint: pmdex search --help)");
  }
  return absl::OkStatus();
}

absl::Status ReadFieldFlags(const SearchFlags& flags, SearchOptions& options) {
  if (!flags.sort.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.sort, ParseSortKeys(flags.sort));
  }
  if (!flags.after.empty()) {
    if (flags.sort.empty()) return InvalidArgument("search: --after goes with --sort");
    PMDEX_ASSIGN_OR_RETURN(options.sort_after, ParseSortAfter(flags.after));
  }
  if (!flags.fields_out.empty()) {
    for (const absl::string_view field : absl::StrSplit(flags.fields_out, ',', absl::SkipEmpty())) {
      options.fields_out.emplace_back(field);
    }
  }
  for (const std::string& facet : flags.facets) {
    PMDEX_ASSIGN_OR_RETURN(options.aggregations.emplace_back(), ParseFacet(facet));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> OpenSnapshot(const SearchFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(const SnapshotOptions options, SnapshotOptionsOf("search", flags.nvme));
  PMDEX_ASSIGN_OR_RETURN(auto snapshot, Snapshot::Open(*directory, options));
  WarnPassedOver(*snapshot);
  if (flags.prefault) {
    for (const auto& segment : snapshot->segments()) {
      const absl::Status mapped = segment->Checked(segment->Prefault(/*whole=*/true));
      if (!mapped.ok() && !absl::IsDataLoss(mapped)) return mapped;
    }
  }
  return snapshot;
}

absl::StatusOr<int> RunOne(const SearchFlags& flags, const Searcher& searcher,
                           const SearchOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(SearchResult result, searcher.Search(flags.query, options));
  std::vector<double> took_us = {result.took_us};
  for (int i = 1; i < flags.repeat; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const SearchResult again, searcher.Search(flags.query, options));
    took_us.push_back(again.took_us);
  }
  result.took_us = MedianOf(std::move(took_us));
  const BlockCache* const cache = searcher.snapshot().unit_cache();
  std::string text =
      flags.json ? ResultToJson(flags.query, result, flags.search.explain ? cache : nullptr) + "\n"
                 : ResultToText(result);
  if (!flags.json && flags.search.explain && cache != nullptr) text += CacheInWords(*cache) + "\n";
  WriteOutput(text);
  if (!result.timed_out) return kExitDone;
  if (!flags.quiet) Warn("the deadline came first: hits may be missing");
  return kExitFailed;
}

// Warns about segments that do not answer. A partial answer is printed, but the exit status is then
// not 0.
int TellWhatIsMissing(const Searcher& searcher, int status) {
  const std::shared_ptr<const Snapshot> answering = searcher.answering();
  // Those that were damaged from the start were named then.
  if (answering->replaced().size() > searcher.snapshot().replaced().size()) {
    WarnPassedOver(*answering);
  }
  if (answering->quarantined().empty()) return status;
  WarnMissing(MissingParts(*answering));
  return std::max(status, kExitFailed);
}

absl::Status SaveCounts(const SearchFlags& flags, const Searcher& searcher) {
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  absl::Status saved = SaveHeat(path, searcher.heat().Take());
  if (saved.ok()) return saved;
  return MakeStatus(saved.code(),
                    "the heat of the segments is not saved: " + std::string(Message(saved)));
}

absl::StatusOr<int> RunSearch(const SearchFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckFlags(flags));
  SearchOptions options = flags.search;
  PMDEX_ASSIGN_OR_RETURN(options.similarity, ParseSimilarityKind(flags.similarity));
  PMDEX_ASSIGN_OR_RETURN(const SimdLevel simd, SimdLevelNamed("search", flags.simd));
  options.kernels = &QueryKernelsOf(simd);
  PMDEX_RETURN_IF_ERROR(ReadFieldFlags(flags, options));
  // Queries of a file share the threads among them.
  if (flags.queries_file.empty()) options.threads = static_cast<size_t>(flags.threads);
  if (flags.deadline_ms > 0) options.deadline = std::chrono::milliseconds(flags.deadline_ms);
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, OpenSnapshot(flags));
  const bool has_text = snapshot->settings().store_text || FileText::IsIn(*snapshot);
  if (options.snippets && !has_text && !flags.quiet) {
    Warn("no snippets: the index was built without --store on, and not from whole files");
  }
  std::optional<CurrentAccess> access;
  auto shown = snapshot;
  if (!flags.as_user.empty()) {
    PMDEX_ASSIGN_OR_RETURN(const UserIdentity user, FindUser(flags.as_user));
    PMDEX_ASSIGN_OR_RETURN(shown, ShowOnlyTo(user, snapshot));
    if (shown != snapshot) {  // user 0 may see everything
      options.check = &access.emplace(user, InputDirectories(snapshot->manifest()));
    }
  }
  std::optional<SegmentNodes> nodes;
  if (flags.threads > 1) {
    PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
    nodes = SegmentNodes::Of(*shown, path, UsableNumaNodes());
    if (nodes->is_useful()) options.nodes = &*nodes;
    if (!flags.queries_file.empty()) DivideByNode(*nodes, options);
  }
  const Searcher searcher(shown);
  absl::StatusOr<int> status =
      flags.queries_file.empty()
          ? RunOne(flags, searcher, options)
          : RunQueryBatch(searcher, options,
                          {flags.queries_file, flags.threads, flags.repeat, flags.json});
  if (!status.ok()) return status;
  if (flags.save_heat) PMDEX_RETURN_IF_ERROR(SaveCounts(flags, searcher));
  return TellWhatIsMissing(searcher, *status);
}

// What is done with typed fields.
void AddFieldFlags(CLI::App& command, SearchFlags& flags) {
  command
      .add_option("--sort", flags.sort,
                  "sort the hits by these fields; asc is the default, of _score desc; _doc is the "
                  "order of the index. Documents without a value come last")
      ->check(NotEmpty())
      ->type_name("FIELD[:asc|desc],...");
  command
      .add_option("--after", flags.after,
                  "with --sort: only hits behind these values, which are the \"sort\" of a hit")
      ->check(NotEmpty())
      ->type_name("JSON_ARRAY");
  command
      .add_option("--fields-out", flags.fields_out,
                  "show the values that each hit has of these fields, which are not text")
      ->check(NotEmpty())
      ->type_name("FIELD,...");
  command
      .add_option(
          "--facet", flags.facets,
          "count all matches by the values of a field: FIELD, FIELD:TYPE or "
          "FIELD:TYPE:ARGUMENT; may repeat. TYPE is terms (the default), histogram, "
          "date_histogram, range, stats, min, max, avg, sum, cardinality or percentiles, and "
          "FACET>FACET counts within each bucket")
      ->type_name("FACET");
}

// How the search is run.
void AddRunFlags(CLI::App& command, SearchFlags& flags) {
  command.add_flag("--prefault", flags.prefault, "map the whole index before the first query");
  command
      .add_option("--threads", flags.threads,
                  "threads to use; they run the queries of a file, or share the work of one query")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command.add_option("--repeat", flags.repeat, "run each query N times; took_us is the median")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command.add_flag("--save-heat", flags.save_heat,
                   "with --queries: save in the index how many of the queries searched each "
                   "segment, for pmdex tier; needs permission to write");
  command.add_flag("--json", flags.json, "print JSON; with --queries, one document per line");
  command.add_flag("--quiet", flags.quiet, "print no warnings, except about missing segments");
}

void AddSearchFlags(CLI::App& command, SearchFlags& flags) {
  command.add_option("-k", flags.search.k, "hits to return; with 0 and --count it only counts")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command.add_option("--similarity", flags.similarity, "how hits are scored")
      ->capture_default_str()
      ->check(CLI::IsMember({"bm25", "tfidf"}))
      ->type_name("NAME");
  command.add_flag("--exhaustive", flags.search.exhaustive,
                   "score every match; the hits are the same, and the total is exact");
  command.add_flag("--count", flags.search.count, "count all matches exactly");
  command.add_flag("--explain", flags.search.explain,
                   "show the plan of the query and how each score is computed");
  command.add_flag(
      "--snippets", flags.search.snippets,
      "show the best matching text of each hit: of an index built with --store on, or from the "
      "files that were indexed, if they have not changed");
  AddFieldFlags(command, flags);
  command
      .add_option(
          "--deadline-ms", flags.deadline_ms,
          "stop after N milliseconds and answer with the best hits found so far; the answer then "
          "has \"timed_out\": true, and the exit status is 1. If there are many hits, the last "
          "ones may be left out, and so may snippets and explanations")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("N");
  AddAsUserFlag(command, flags.as_user);
  AddSimdFlag(command, flags.simd);
  AddNvmeFlags(command, flags.nvme);
  AddRunFlags(command, flags);
}

constexpr char kSearchFooter[] =
    "Query language (Lucene's classic syntax):\n"
    "  a b, a OR b       either word          a AND b, +a +b     both\n"
    "  a NOT b, a -b     a without b          NOT a, -a          all without a\n"
    "  \"a phrase\"        in order             \"a phrase\"~2       with slop\n"
    "  pre*              prefix               te?t, t*t          wildcards\n"
    "  wor~1             one edit away        (a b)^2            boosted group\n"
    "  field:a           in one field         *                  every document\n"
    "  \\:                an escaped character\n"
    "  size:[1K TO 2M}   from 1024, below 2 MiB   time:>=2026-01-01, time:[now-7d TO *]\n"
    "  n:-5, ext:(h OR cc), level:err*            values of fields that are not text\n"
    "  /re.*/            terms of the index that a regular expression matches as a whole\n"
    "  \\u0041            the character with this number (four hexadecimal digits)\n"
    "AND and OR have no precedence over each other (a AND b OR c is +a +b c): use parentheses.\n"
    "A regular expression (Lucene's syntax: . [a-z] \\d \\w \\s ? * + {2,3} | & ~ ( ) \"text\" @ # "
    "<1-20>)\nbegins at any slash, even inside a word. If a slash belongs to a word, write \\/ or "
    "quote the word.\n"
    "Exit status:\n"
    "  0  the query was answered; an answer without hits is an answer, too\n"
    "  1  it was not answered, or only in part: the deadline came first (\"timed_out\": true), or\n"
    "     segments that are damaged, missing or unreadable were left out; they are named on "
    "stderr\n"
    "     and, with --json, in \"partial\": true, \"missing\": [...]\n"
    "  2  wrong usage, or a query that cannot be parsed";

}  // namespace

void AddSearchCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<SearchFlags>();
  CLI::App* command = app.add_subcommand("search", "search an index, and rank the hits");
  AddIndexFlag(*command, flags->index);
  command->add_option("query", flags->query, "the query")->type_name("QUERY");
  command
      ->add_option("--queries", flags->queries_file, "a file with one query per line; - is stdin")
      ->type_name("FILE");
  AddSearchFlags(*command, *flags);
  command->footer(kSearchFooter);
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunSearch(*flags); }; });
}

}  // namespace pmdex
