#!/usr/bin/env python3
"""Tests that the corpora of peers_corpus have the documented shape.

  corpora_test.py PEERS_CORPUS
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TEMPLATES = os.path.join(ROOT, "bench", "peers", "log_templates.txt")


def corpus(*arguments, stdin=b""):
    return subprocess.run([BINARY, *arguments], input=stdin, check=True, stdout=subprocess.PIPE).stdout


def documents(output):
    return [json.loads(line) for line in output.splitlines()]


class Templates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = corpus("templates", TEMPLATES, "512K").decode().splitlines()

    def test_no_placeholder_is_left(self):
        for line in self.lines:
            self.assertNotRegex(line, r"[{}]")

    def test_forms_repeat_as_in_real_logs(self):
        forms = collections.Counter(re.sub(r"[0-9a-f]*[0-9][0-9a-f]*", "N", line) for line in self.lines)
        self.assertGreater(sum(count for _, count in forms.most_common(100)), 0.5 * len(self.lines))

    def test_all_systems_write(self):
        text = "\n".join(self.lines)
        for word in ("dfs.DataNode", "mapreduce", "BlockManager", "QuorumPeer", "RAS KERNEL", "unix.hw", "tbird-admin1", "CBS",
                     "combo", "MacBook", "PowerManagerService", "Step_LSC", "mod_jk", "LabSZ", "nova", "chrome.exe"):
            self.assertIn(word, text)

    def test_the_same_seed_gives_the_same_lines(self):
        again = corpus("templates", TEMPLATES, "512K").decode().splitlines()
        self.assertEqual(again, self.lines)
        self.assertNotEqual(corpus("templates", TEMPLATES, "512K", "7").decode().splitlines(), self.lines)

    def test_a_broken_template_is_an_error(self):
        for text in ("5 before a system", "system A 1\n1 {n", "system A 1\n1 {unknown 3}", "system A 0\n1 a", "# nothing"):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                done = subprocess.run([BINARY, "templates", file.name, "1K"], stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1, text)
                self.assertIn("peers_corpus: error:", done.stderr)


class Texts(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def write(self, name, text):
        with open(os.path.join(self.directory.name, name), "wb") as file:
            file.write(text)

    def test_long_words_are_cut_and_text_without_words_makes_no_document(self):
        self.write("a.txt", b"x" * 600 + b" y")
        self.write("b.txt", b"... --\n")
        (document,) = documents(corpus("tree", self.directory.name))
        self.assertEqual([len(word) for word in document["body"].split()], [255, 255, 90, 1])

    def test_pieces_hold_all_words_in_their_order(self):
        words = [f"w{i}" for i in range(20000)]
        text = " ".join(words[:9000]) + "\n" + "\n".join(words[9000:])
        self.write("a.txt", text.encode())
        pieces = documents(corpus("pieces", self.directory.name))
        self.assertGreater(len(pieces), 10)
        self.assertEqual(" ".join(piece["body"].strip() for piece in pieces).split(), words)
        self.assertEqual(len({piece["id"] for piece in pieces}), len(pieces))
        for piece in pieces[:-1]:
            self.assertTrue(1500 <= len(piece["body"]) <= 8001, len(piece["body"]))

    def test_binary_files_are_left_out_and_tags_of_pages(self):
        self.write("b.bin", b"\0binary")
        self.write("c.html", b"<p class='x'>Good <b>morning</b></p>")
        self.assertEqual([each["body"].split() for each in documents(corpus("tree", self.directory.name))],
                         [["Good", "morning"]])

    def test_lines_become_documents(self):
        found = documents(corpus("lines", stdin=b'one "two"\n\nthree\xff\n'))
        self.assertEqual([each["body"].split() for each in found], [["one", "two"], ["three"]])


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
