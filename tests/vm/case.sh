# Functions that every case in this folder sources. A case is a file that runs twice: on the host it calls `boot`, which
# starts it again inside tools/vm/run; in the virtual machine it makes its checks and ends with `finish`.
#   tests/vm/CASE PMDEX     exit status: 0 all checks hold, 1 some do not, 77 no machine can be started here (skipped)
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
pmdex=$(realpath -- "${1:?usage: tests/vm/CASE PMDEX}")
scratch=${2:-}  # a directory made by the host, which the machine reads
failures=0

in_machine() { [ -n "${PMDEX_VM:-}" ]; }

need_machine() {
  if ! tools/vm/install >/dev/null; then
    echo "SKIPPED: there is no emulated machine to test in"
    exit 77
  fi
}

boot() {  # OPTION...: options of tools/vm/run
  need_machine
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  make_corpus 0 "$corpus_lines" >"$scratch/corpus.txt"
  tools/vm/run --timeout 900 "$@" "$0" "$pmdex" "$scratch"
  exit
}

# Prints lines of words from a vocabulary of 60,000 (few frequent, many rare), the same every time. Every line contains
# `everyline` and its own `line<number>`.
corpus_lines=24000
make_corpus() {  # FIRST COUNT
  awk -v first="$1" -v count="$2" 'BEGIN {
    srand(7 + first)
    for (i = first; i < first + count; i++) {
      line = "everyline line" i
      for (w = 0; w < 24; w++) line = line " w" int(60000 * rand() ^ 3)
      print line
    }
  }'
}

pass() { echo "ok: $1"; }
flunk() {  # WHAT DETAIL...
  local what=$1
  shift
  echo "NOT OK: $what"
  printf '%s\n' "$@" | head -n 40 | sed 's/^/    /'
  failures=$((failures + 1))
}
check() {  # WHAT COMMAND...: checks that COMMAND succeeds
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then pass "$what"; else flunk "$what" "status $? of: $*" "$output"; fi
}
holds() {  # WHAT TEXT PART...: checks that TEXT (JSON, say) without its blanks contains every PART
  local what=$1 text=${2//[[:space:]]/} part
  shift
  for part in "${@:2}"; do
    case "$text" in *"$part"*) ;; *) flunk "$what" "expected $part in:" "$1"; return ;; esac
  done
  pass "$what"
}
at_least() {  # WHAT LIMIT NUMBER
  if [ "$3" -ge "$2" ]; then pass "$1 ($3, at least $2)"; else flunk "$1" "$3, expected at least $2"; fi
}
at_most() {  # WHAT LIMIT NUMBER
  if [ "$3" -le "$2" ]; then pass "$1 ($3, at most $2)"; else flunk "$1" "$3, expected at most $2"; fi
}

index_corpus() { "$pmdex" index --quiet --overwrite --format lines "$scratch/corpus.txt"; }
finds_corpus() {  # checks that searches in the default store find the corpus
  holds "search counts every document" "$("$pmdex" search --json -k 1 --count everyline 2>&1)" "\"value\":$corpus_lines"
  holds "search finds the last document" "$("$pmdex" search --json "line$((corpus_lines - 1))" 2>&1)" \
    "\"id\":\"$scratch/corpus.txt:$corpus_lines\""
}

finish() {
  echo "$failures checks failed"
  [ "$failures" -eq 0 ]
  exit
}
