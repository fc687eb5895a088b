#!/usr/bin/env python3
"""Tests that bench/find_cost compares the same answers, in a small size.

  find_cost_test.py PMDEX
"""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "find_cost")


class FindCost(unittest.TestCase):
    def run_script(self, *more):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run([sys.executable, SCRIPT, PMDEX, "--runs", "1", "--directory", directory, *more],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual((done.returncode, os.listdir(directory)), (0, []), done.stdout)
        return done.stdout.splitlines()

    def test_each_expression_has_a_row(self):
        lines = self.run_script("--files", "2500")
        self.assertEqual(len(lines), 16)
        self.assertTrue(lines[0].startswith("indexed 2,500 files"), lines[0])
        for line in lines[2:]:
            self.assertEqual(len([float(word) for word in line[44:].split()]), 6, line)

    def test_takes_a_tree_that_is_there_and_leaves_it(self):
        with tempfile.TemporaryDirectory() as tree:
            for name in ("a", "b/c7.txt", "b/d/f1"):
                os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(tree, name), "w") as file:
                    file.write("some text")
            lines = self.run_script("--tree", tree)
            self.assertEqual(sorted(os.listdir(tree)), ["a", "b"])
        self.assertEqual(len(lines), 16)
        self.assertTrue(lines[0].startswith("indexed 6 entries"), lines[0])

    def test_generated_records_are_entries(self):
        lines = self.run_script("--files", "0", "--generated", "2500")
        found = {line[:44].strip(): int(line.split()[-1].replace(",", "")) for line in lines[2:]}
        self.assertEqual(found["(all)"], 2500)
        self.assertEqual(found["-print0"], 2500)
        self.assertEqual(found["-name *7.txt"], 250)
        self.assertEqual(found["-path */e2000/*"], 500)
        self.assertEqual(found["-name *77.txt -ls"], 25)
        self.assertEqual(found["-type d"], 0)
        self.assertEqual(found["-mtime -1 -size -2"], 1875)


if __name__ == "__main__":
    PMDEX = sys.argv.pop(1)
    unittest.main()
