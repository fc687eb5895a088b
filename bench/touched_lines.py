"""Maps the loads of a memory trace to the structures of a segment file.

For bench/bytes_touched. docs/FORMAT.md describes the file; valgrind's tool lackey prints the trace.
"""

import bisect
import collections
import mmap
import os
import re
import struct

LINE = 64
PAGE = 4096
SECTIONS = {
    1: "rest", 2: "postings", 3: "positions", 4: "blocks", 5: "blocks", 6: "rest", 7: "entries", 8: "term blocks",
    9: "term blocks", 10: "term blocks", 11: "norms", 12: "ids", 13: "ids", 14: "stored text", 15: "stored text",
    16: "checksums", 17: "entries", 18: "freqs",
}
KINDS = ("entries", "term blocks", "blocks", "docids", "freqs", "codes", "groups", "positions", "norms", "ids",
         "stored text", "checksums", "rest")
SCORE_ARRAYS = ("docids", "freqs", "codes")
HAS_POSITIONS = 1
LANES, BITSET = 3, 4
RANK_DOCS = 512
NONE = 0xffffffff


def round_up(count, multiple):
    return -(-count // multiple) * multiple


class SegmentLayout:
    """Knows to which structure every byte of a segment file belongs."""

    def __init__(self, path):
        self.size = os.path.getsize(path)
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        magic, version = struct.unpack_from("<8sI", self.bytes)
        if magic != b"PMDEXSEG" or version != 2:
            raise SystemExit(f"{path}: not a segment of version 2")
        count, self.doc_count, _, flags = struct.unpack_from("<4I", self.bytes, 32)
        self.has_positions = bool(flags & HAS_POSITIONS)
        self.sections = {}  # kind to (offset, size)
        for i in range(count):
            kind, _, offset, size, _ = struct.unpack_from("<IIQQQ", self.bytes, 64 + 32 * i)
            self.sections[kind] = (offset, size)
        self.table = sorted((offset, offset + size, SECTIONS.get(kind, "rest"))
                            for kind, (offset, size) in self.sections.items() if size)
        self.starts = [begin for begin, _, _ in self.table]

    def section_at(self, offset):
        i = bisect.bisect_right(self.starts, offset) - 1
        return self.table[i][2] if i >= 0 and offset < self.table[i][1] else "rest"

    def arrays_of_entry(self, offset):
        """Returns (begin, end, name) in the file of each array of the posting list whose entry is at the offset."""
        representation, df, cf = struct.unpack_from("<BIQ", self.bytes, offset + 19)
        (overflow_start,) = struct.unpack_from("<I", self.bytes, offset + 52)
        if representation not in (LANES, BITSET):
            return []
        (begin,) = struct.unpack_from("<Q", self.bytes, offset + 32)
        begin += self.sections[2][0]
        alignment = 64 if df >= 64 else 16
        sizes = [("codes", df)]
        if cf != df or overflow_start != NONE:
            sizes.insert(0, ("freqs", df))
        if self.has_positions:
            sizes.append(("groups", 4 * (-(-df // 16) - 1)))
        if representation == BITSET:
            runs = -(-self.doc_count // RANK_DOCS)
            sizes[:0] = [("docids", 64 * runs), ("docids", 4 * (runs + 1))]
        else:
            sizes.insert(0, ("docids", 4 * df))
        arrays = []
        for name, size in sizes:
            end = begin + round_up(size, alignment)
            arrays.append((begin, end, name))
            begin = end
        return arrays

    def arrays(self, offsets):
        """Returns the same, ascending, for all lists whose term entries are at `offsets`."""
        entries = {offset // LINE * LINE for offset in offsets if self.section_at(offset) == "entries"}
        return sorted(array for entry in entries for array in self.arrays_of_entry(entry))

    def kinds(self, offsets, arrays):
        """Returns the structure at each of `offsets`; for postings, the one of `arrays`."""
        found = {offset: self.section_at(offset) for offset in offsets}
        starts = [begin for begin, _, _ in arrays]
        for offset, kind in found.items():
            if kind == "postings":
                i = bisect.bisect_right(starts, offset) - 1
                found[offset] = arrays[i][2] if i >= 0 and offset < arrays[i][1] else "rest"
        return found


class Touched:
    """What a query touched: lines of each kind, pages of the index, and lines of the process's own memory."""

    def __init__(self):
        self.lines = collections.Counter()
        self.pages = 0
        self.own_lines = 0
        self.list_lines = 0  # lines of all arrays that scores need, touched or not, of the lists that were read

    def bytes(self):
        return LINE * sum(self.lines.values())

    def add(self, other):
        self.lines += other.lines
        self.pages += other.pages
        self.own_lines += other.own_lines
        self.list_lines += other.list_lines


def lines_of(accesses):
    """Parses trace lines b' L address,bytes' (hexadecimal, decimal); returns the lowest address in each cache line."""
    lines = {}
    for access in accesses:
        address, size = access[3:].split(b",")
        first, size = int(address, 16), int(size)
        for line in range(first // LINE, (first + size - 1) // LINE + 1):
            address = max(first, line * LINE)
            lines[line] = min(lines.get(line, address), address)
    return lines


def touched(accesses, mapped):
    """Returns what the accesses of one query touched. mapped: (address, SegmentLayout) of every segment."""
    result = Touched()
    lines = lines_of(accesses)
    for base, segment in mapped:
        first, last = base // LINE, (base + segment.size - 1) // LINE
        own = {line: address - base for line, address in lines.items() if first <= line <= last}
        arrays = segment.arrays(own.values())
        kinds = segment.kinds(own.values(), arrays)
        result.list_lines += sum(end - begin for begin, end, name in arrays if name in SCORE_ARRAYS) // LINE
        result.lines.update(kinds[offset] for offset in own.values())
        result.pages += len({offset // PAGE for offset in own.values()})
        for line in own:
            del lines[line]
    result.own_lines = len(lines)
    return result


class Trace:
    """Reads valgrind's log of a search over a file of queries; read() returns what each query touched in the last round.

    The system calls that open and map segments tell where these are. A query begins and ends with a read of the clock,
    and so does the whole run. Under valgrind these reads are system calls, too, because there is no vDSO.
    """

    OPEN = re.compile(rb"sys_openat \(.*\((?:[^()]*/)?(segment-[0-9a-f]+\.pmdex)\)")
    MAP = re.compile(rb"sys_mmap \( \w+, (\d+), \d+, \d+, (\d+), 0 \).*Success\((0x[0-9a-f]+)\)")
    CLOCK = re.compile(rb"sys_clock_gettime")
    NO_FILE = b"4294967295"

    def __init__(self, segments, queries, rounds):
        self.segments = segments  # file name to SegmentLayout
        self.queries = queries
        self.rounds = rounds
        self.mapped = []
        self.opened = None
        self.clock_reads = 0
        self.results = []

    def read(self, lines):
        accesses = None
        for line in lines:
            if line.startswith(b" "):
                if accesses is not None:
                    accesses.add(line)
                continue
            if self.CLOCK.search(line):
                if accesses is not None:
                    self.results.append(touched(accesses, self.mapped))
                accesses = set() if self.begins_query() else None
            else:
                self.note_mapping(line)
        expected = 2 + 2 * self.queries * self.rounds
        if self.clock_reads != expected:
            raise SystemExit(f"the clock was read {self.clock_reads} times, not {expected}: "
                             "where queries begin cannot be told")
        return self.results

    def begins_query(self):
        """Must be called at every read of the clock. True if this one begins a query of the last round.

        The first and the last read belong to the whole run.
        """
        i = self.clock_reads
        self.clock_reads += 1
        first = 1 + 2 * self.queries * (self.rounds - 1)
        return first <= i <= 2 * self.queries * self.rounds and (i - first) % 2 == 0

    def note_mapping(self, line):
        opened = self.OPEN.search(line)
        if opened:
            self.opened = opened[1].decode()
        mapping = self.MAP.search(line)
        segment = self.segments.get(self.opened)
        if mapping and segment and mapping[2] != self.NO_FILE and int(mapping[1]) == segment.size:
            self.mapped.append((int(mapping[3], 16), segment))
