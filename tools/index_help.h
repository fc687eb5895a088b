// The text below the options in `pmdex index --help`.
#pragma once

namespace pmdex {

inline constexpr char kIndexFooter[] =
    "The index goes into a directory that is new, empty (lost+found does not count), or an index "
    "already;\nfiles that pmdex did not make stay as they are.\n"
    "Document ids:\n"
    "  files    the path as given, joined with the walk\n"
    "  lines    PATH:LINE\n"
    "  jsonl    the id field, else PATH:LINE\n"
    "  trec     DOCNO\n"
    "Documents with the same id all stay, and the report counts them. With --update the last one "
    "in "
    "the order of the input stays, whatever the threads; it becomes visible when the others "
    "vanish.\n"
    "Bad input:\n"
    "What cannot be indexed is counted and reported at the end; it never stops the run.\n"
    "Fields:\n"
    "An index has at most 1,000 fields of JSON lines, those that come first in the order of the "
    "input. Text of other fields is counted, and found without a field name; all of it is in "
    "_other.\n"
    "Interruption:\n"
    "SIGINT (Ctrl-C) and SIGTERM end a build at a checkpoint: what was read is written, and one "
    "line "
    "says how far it came. A second signal ends it at once. A run that is killed, or finds the "
    "medium full, keeps its work up to the last checkpoint (a full buffer, or a minute).\n"
    "\n"
    "In all of these cases the same command line with --resume goes on from there. It indexes "
    "nothing "
    "twice and loses nothing, as long as files that were read do not change in between.\n"
    "Report:\n"
    "The report ends with what the build waited for: indexer-bound (more --threads may help), "
    "reader-bound (the input comes too slowly), writer-bound (segments go out too slowly, or "
    "--memory is short), walk-bound, publish-bound, or balanced. In --json, times of a stage are "
    "sums "
    "over its threads; mib_per_second is what it would do if it never waited.\n"
    "Exit status:\n"
    "  0    indexed\n"
    "  1    it could not be done; or it was, and older segments of the index turned out to be "
    "damaged\n"
    "       (what was indexed is published all the same)\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM";

}  // namespace pmdex
