#!/usr/bin/env python3
"""Tests that bench/bytes_touched knows the structures of a segment, and which loads of a trace belong to a query.

  touched_lines_test.py PMDEX
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench"))

from touched_lines import KINDS, SECTIONS, SegmentLayout, Trace, lines_of

DOCUMENTS = 1500
NAMES = {"postings": 2, "positions": 3, "block last docs": 4, "block bounds": 5, "dictionary entries": 7, "term blocks": 9,
         "term block starts": 10, "norms": 11, "doc entries": 12, "doc id bytes": 13, "page checksums": 16}


def words_of(i):
    """The words of document i: "all" is in every one, "third" in every third, "tenth" three times in every 60th."""
    return ["all"] + ["third"] * (i % 3 == 0) + ["tenth"] * (3 * (i % 60 == 0)) + [f"own{i}"]


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        index = os.path.join(cls.directory.name, "index")
        corpus = "".join(json.dumps({"id": f"d{i}", "body": " ".join(words_of(i))}) + "\n" for i in range(DOCUMENTS))
        subprocess.run([PMDEX, "index", "--index", index, "--quiet", "--format", "jsonl", "-"], input=corpus, text=True,
                       check=True)
        info = json.loads(subprocess.run([PMDEX, "info", "--index", index, "--json"], check=True,
                                         stdout=subprocess.PIPE).stdout)
        (cls.facts,) = info["segments"]
        cls.segment = SegmentLayout(os.path.join(index, cls.facts["file"]))

    @classmethod
    def tearDownClass(cls):
        cls.segment.bytes.close()
        cls.directory.cleanup()

    def entry_of(self, term):
        offset, size = self.segment.sections[7]
        key = term.encode().ljust(16, b"\0")
        return next(at for at in range(offset, offset + size, 64) if self.segment.bytes[at:at + 16] == key)

    def array(self, term, name):
        begin, end = next((b, e) for b, e, n in self.segment.arrays_of_entry(self.entry_of(term)) if n == name)
        return begin, self.segment.bytes[begin:end]

    def test_sections_are_those_that_the_program_reports(self):
        for name, kind in NAMES.items():
            self.assertEqual(self.segment.sections[kind][1], self.facts["sections"][name], name)
        self.assertEqual(set(SECTIONS.values()) - {"postings"} - set(KINDS), set())

    def test_a_lane_holds_what_it_is_named_for(self):
        docs = list(range(0, DOCUMENTS, 60))
        _, array = self.array("tenth", "docids")
        self.assertEqual(list(struct.unpack_from(f"<{len(docs)}I", array)), docs)
        _, array = self.array("tenth", "freqs")
        self.assertEqual(array[:len(docs)], b"\3" * len(docs))
        _, array = self.array("tenth", "codes")
        self.assertEqual(list(array[:len(docs)]), [len(words_of(i)) for i in docs])
        _, array = self.array("tenth", "groups")
        self.assertEqual(struct.unpack_from("<I", array), (48,))  # three positions in each of 16 postings

    def test_a_dense_list_has_bits_for_docids(self):
        _, bits = self.array("third", "docids")
        self.assertEqual(struct.unpack_from("<Q", bits), (sum(1 << i for i in range(0, 64, 3)),))
        _, array = self.array("third", "codes")
        self.assertEqual(array[:500], bytes(len(words_of(i)) for i in range(0, DOCUMENTS, 3)))

    def test_places_have_the_kind_of_their_array_once_the_entry_was_read(self):
        entry, codes = self.entry_of("third"), self.array("third", "codes")[0]
        norms = self.segment.sections[11][0]
        places = [entry, codes + 7, norms, 0]
        self.assertEqual(self.segment.kinds(places, self.segment.arrays(places)),
                         {entry: "entries", codes + 7: "codes", norms: "norms", 0: "rest"})
        self.assertEqual(self.segment.arrays([codes + 7]), [])
        self.assertEqual(self.segment.kinds([codes + 7], []), {codes + 7: "rest"})


class FakeSegment:
    """A segment of 8 KiB: the first half is norms, the second half ids."""
    size = 8192

    def arrays(self, offsets):
        return [(0, 128, "freqs"), (128, 192, "groups"), (192, 256, "docids")]

    def kinds(self, offsets, arrays):
        return {offset: "norms" if offset < 4096 else "ids" for offset in offsets}


OPENING = [b" L 1ff0,8\n",
           b"SYSCALL[1,1](257) sys_openat ( 3, 0x4(segment-00000001.pmdex), 657408 ) --> [async] ... \n",
           b"SYSCALL[1,1](257) ... [async] --> Success(0x4) \n",
           b"SYSCALL[1,1](9) sys_mmap ( 0x0, 8192, 0, 16418, 4294967295, 0 ) --> [pre-success] Success(0x4000) \n",
           b"SYSCALL[1,1](9) sys_mmap ( 0x0, 8192, 1, 17, 4, 0 ) --> [pre-success] Success(0x10000) \n",
           b" L 10000,64\n"]
CLOCK = [b"SYSCALL[1,1](228) sys_clock_gettime( 1, 0x1 )[sync] --> Success(0x0) \n"]


class Traces(unittest.TestCase):
    def read(self, lines, queries=1, rounds=2):
        return Trace({"segment-00000001.pmdex": FakeSegment()}, queries, rounds).read(lines)

    def test_only_loads_between_the_looks_at_the_clock_of_the_last_round_count(self):
        first = CLOCK + [b" L 10100,8\n"] + CLOCK + [b" L 10200,8\n"]
        second = CLOCK + [b" L 10300,8\n", b" S 20000,8\n"] + CLOCK
        (found,) = self.read(OPENING + CLOCK + first + second + [b" L 10400,8\n"] + CLOCK)
        self.assertEqual((dict(found.lines), found.pages, found.own_lines), ({"norms": 1}, 1, 1))
        self.assertEqual(found.list_lines, 3)

    def test_each_query_has_its_own_lines(self):
        query = [CLOCK + [access] + CLOCK for access in (b" L 10000,8\n", b" L 11000,8\n")]
        found = self.read(OPENING + CLOCK + query[0] + query[1] + CLOCK, queries=2, rounds=1)
        self.assertEqual([dict(touched.lines) for touched in found], [{"norms": 1}, {"ids": 1}])

    def test_a_line_counts_once_and_a_load_across_a_border_twice(self):
        loads = [b" L 10000,8\n", b" L 10008,8\n", b" L 10ff0,32\n", b" M 11000,4\n"]
        (found,) = self.read(OPENING + CLOCK * 3 + CLOCK + loads + CLOCK * 2)
        self.assertEqual((dict(found.lines), found.pages, found.bytes()), ({"norms": 2, "ids": 1}, 2, 192))
        self.assertEqual(lines_of([b" L 3f,2\n", b" L 38,1\n"]), {0: 0x38, 1: 0x40})

    def test_another_number_of_looks_at_the_clock_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "5 times, not 6"):
            self.read(OPENING + CLOCK * 5)


if __name__ == "__main__":
    PMDEX = sys.argv.pop(1)
    unittest.main()
