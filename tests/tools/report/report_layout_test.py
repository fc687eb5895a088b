#!/usr/bin/env python3
"""Opens reports of `pmdex profile` and `pmdex compare` in headless Chromium: nothing may be wider than a screen of 1280
or 680 pixels, or than A4 paper. Exits with 77 where there is no Chromium.

  report_layout_test.py PMDEX TOOLS_TESTS

TOOLS_TESTS is the test program that writes reports of a PMU that is made up, with all tables and plots.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from headless_browser import CHROMIUM, Browser  # noqa: E402

PMDEX, TOOLS_TESTS = sys.argv[1:3]
PAPER = 680  # A4 upright between margins of 15 mm, in CSS pixels
WORDS = [f"word{i}" for i in range(60)]
QUERIES = ["word1", "word1 word2", "word3 word4 word5", "word6 OR word7 OR word8", '"word9 word10"', "word1 -word2",
           "word1*"]
# What is wider than the page, or than the box in which it would have to be scrolled.
TOO_WIDE = """JSON.stringify([...document.querySelectorAll('main *')].filter((e) => !e.closest('svg') &&
  (e.getBoundingClientRect().right > innerWidth + 0.5 || e.scrollWidth > e.clientWidth && e.clientWidth > 0 &&
   getComputedStyle(e).display !== 'inline')).map((e) => e.tagName + '.' + e.className + ': ' +
  e.textContent.slice(0, 60)))"""


class ReportLayout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.at = cls.folder.name
        generator = random.Random(1)
        with open(f"{cls.at}/text.jsonl", "w", encoding="utf-8") as file:
            for i in range(2000):
                words = generator.choices(WORDS, range(60, 0, -1), k=30)
                file.write(json.dumps({"id": f"{i}", "text": " ".join(words)}) + "\n")
        with open(f"{cls.at}/queries", "w", encoding="utf-8") as file:
            file.writelines(query + "\n" for query in QUERIES)
        for index in ("index", "a-directory-with-a-long-name"):
            cls.run_pmdex("index", f"{cls.at}/text.jsonl", "--index", f"{cls.at}/{index}")
        cls.browser = Browser(f"{cls.at}/profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()
        cls.folder.cleanup()

    @classmethod
    def run_pmdex(cls, *arguments):
        subprocess.run([PMDEX, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def profile(self, out, *arguments):
        self.run_pmdex("profile", "--index", f"{self.at}/index", "--queries", f"{self.at}/queries",
                       "--out", f"{self.at}/{out}", *arguments)

    def check(self, out, tables=4):
        for medium, width in (("screen", 1280), ("screen", 680), ("print", PAPER)):
            self.browser.call("Emulation.setEmulatedMedia", media=medium)
            self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                              mobile=False)
            self.browser.call("Page.navigate", url=f"file://{self.at}/{out}/report.html")
            self.browser.await_value("document.readyState", "complete")
            with self.subTest(medium=medium, width=width):
                self.assertGreaterEqual(self.browser.value("document.querySelectorAll('table').length"), tables)
                self.assertEqual(self.browser.value("innerWidth"), width)
                self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
                self.assertEqual(json.loads(self.browser.value(TOO_WIDE)), [])

    def test_a_profile_of_one_configuration_fits(self):
        self.profile("one", "--passes", "1")
        self.check("one")

    def test_a_profile_of_many_configurations_fits(self):
        self.profile("many", "--compare", f"{self.at}/a-directory-with-a-long-name", "--modes", "pruned,exhaustive",
                     "--threads", "1,2", "--passes", "1")
        self.check("many")

    def test_reports_of_hardware_counters_fit(self):
        tests = {"profile": "ProfileSessionTest.RunsEveryModeThreadCountAndIndex",
                 "comparison": "CompareReport.ShowsCountersInTheirOwnSection",
                 "process": "ProcessReport.DrawsTopDownBarsOfThreads"}
        subprocess.run([TOOLS_TESTS, "--gtest_filter=" + ":".join(tests.values())], check=True,
                       env=dict(os.environ, PMDEX_TEST_REPORTS=f"{self.at}/made-up"), stdout=subprocess.DEVNULL)
        for report in tests:
            self.check(f"made-up/{report}", tables=3)
            self.assertGreaterEqual(self.browser.value("document.querySelectorAll('svg, img').length"), 3)

    def test_a_report_of_a_running_process_fits(self):
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
            try:
                self.run_pmdex("profile", "--pid", str(busy.pid), "--seconds", "1", "--out", f"{self.at}/process")
            finally:
                busy.kill()
        self.check("process", tables=1)

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    def test_a_simulated_profile_fits(self):
        self.profile("simulated", "--simulate")
        self.check("simulated")

    def test_a_comparison_fits(self):
        for directory in ("disk", "memory"):
            os.mkdir(f"{self.at}/{directory}")
        self.run_pmdex("compare", "--corpus", f"{self.at}/text.jsonl", "--dirs", f"{self.at}/disk,{self.at}/memory",
                       "--threads", "1,2", "--counters", "--passes", "1", "--out", f"{self.at}/comparison")
        self.check("comparison")


if __name__ == "__main__":
    if CHROMIUM is None:
        print("no Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
