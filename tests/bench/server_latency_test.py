#!/usr/bin/env python3
"""Tests bench/server_latency in small size: it fills each row of its table, and leaves the index as it was.

  server_latency_test.py PMDEX
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(HERE, "..", "..", "bench")
sys.path.insert(0, BENCH)

from server_figures import ROWS, Figures

PMDEX = sys.argv[1]
HAS_NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# The scheduler of a busy machine may give a server no CPU time between two looks, so that a share has no value.
VALUES = r"-?[\d,.]+( us|x| ms| MiB| %)?"


def contents_of(folder):
    return {name: os.stat(f"{folder}/{name}").st_size for name in os.listdir(folder)}


class ServerLatency(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at, chosen = folder.name, random.Random(1)
        with open(f"{self.at}/d.jsonl", "w", encoding="utf-8") as file:
            for i in range(1000):
                words = " ".join(f"w{min(int(chosen.paretovariate(0.7)), 300)}" for _ in range(30))
                file.write(json.dumps({"id": str(i), "body": words}) + "\n")
        subprocess.run([PMDEX, "index", f"{self.at}/d.jsonl", "--index", f"{self.at}/index", "--quiet"], check=True)
        os.mkdir(f"{self.at}/queries")
        for name, queries in {"single-rare": "w200\nw150\n", "or-five": "w1 w2 w3 w4 w5\n"}.items():
            with open(f"{self.at}/queries/{name}.txt", "w", encoding="utf-8") as file:
                file.write(queries)

    def run_bench(self, *arguments):
        return subprocess.run([sys.executable, f"{BENCH}/server_latency", PMDEX, *arguments], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_fills_every_row_and_changes_nothing(self):
        before = contents_of(f"{self.at}/index")
        result = self.run_bench(f"{self.at}/index", f"{self.at}/queries", "--seconds", "0.6", "--rounds", "1")
        lines = [line for line in result.stdout.splitlines() if line.startswith("| ")][2:]
        self.assertEqual([line.split(" | ")[0][2:] for line in lines], [row[0] for row in ROWS.values()], result.stderr)
        for name, line in zip(ROWS, lines):
            cell = line.split(" | ")[1]
            if name in ("nginx", "nginx_tail") and not HAS_NGINX:
                self.assertIn("there is no nginx", cell)
            else:
                self.assertRegex(cell, f"^{VALUES}( \\({VALUES} to {VALUES}\\))?$", line + result.stderr)
        self.assertEqual(result.returncode, 0 if HAS_NGINX else 1, result.stderr)
        self.assertEqual(contents_of(f"{self.at}/index"), before)
        self.assertEqual(sorted(os.listdir(self.at)), ["d.jsonl", "index", "queries"])

    def test_names_classes_that_are_missing(self):
        os.remove(f"{self.at}/queries/or-five.txt")
        result = self.run_bench(f"{self.at}/index", f"{self.at}/queries")
        self.assertEqual(result.returncode, 1)
        self.assertIn("none of the classes or-stopwords, or-five", result.stderr)


class Table(unittest.TestCase):
    def test_shows_the_median_with_the_range_and_why_a_row_has_none(self):
        figures = Figures()
        for value in (3, 1, 2.04):
            figures.add("start", value)
        with figures.row("failed", "reload"):
            raise RuntimeError("no | server")
        self.assertEqual(figures.cell("start"), "2.0 ms (1.0 to 3.0)")
        self.assertEqual(figures.cell("reload"), "not measured: RuntimeError: no / server")
        self.assertEqual(figures.cell("nginx"), "not measured: no round")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
