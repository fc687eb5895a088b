#!/usr/bin/env python3
"""Drives the search page of `pmdex serve` in headless Chromium: search, keys, errors, an empty answer, a server that
is gone, and documents and queries that would be scripts. Exits with 77 where there is no Chromium.

  search_page_test.py PMDEX [SCREENSHOT.png]    the screenshot shows a search, for docs/images/
"""

import json
import signal
import subprocess
import sys
import tempfile
import unittest

from headless_browser import CHROMIUM, Browser

PMDEX = sys.argv[1]
SCREENSHOT = sys.argv[2] if len(sys.argv) > 2 else None
DOCUMENTS = [
    {"id": "papers/pm-engines.txt", "text": "Search engines on persistent memory answer from the mapped index itself."},
    {"id": "papers/wal.txt", "text": "A write-ahead log makes updates durable before memory is changed."},
    {"id": "<img src=x onerror=alert(1)>",
     "text": "persistent <script>document.title='owned'</script> <em>memory</em> <b onclick=alert(2)>words</b>"},
    {"id": "papers/redo-logs.txt", "text": "After a crash, recovery reads the log from the last checkpoint and repeats "
     "what was committed. The log is read once, from front to back."},
    {"id": "papers/shadow-paging.txt", "text": "Shadow paging needs no log: recovery finds the root that was published "
     "last, and whatever it does not reach is free."},
    {"id": "papers/checksums.txt", "text": "A record whose checksum is wrong ends the log, so that recovery stops there."},
    {"id": "books/storage.txt", "text": "Chapter 4: group commit. Several transactions share one write of the log."},
    {"id": "books/failures.txt", "text": "Chapter 9: media failures, and recovery from a copy of last week."},
    {"id": "t1", "title": "An index on disks", "text": "heading one"},
    {"id": "x/t2", "title": "", "name": "<b>Bold</b> title", "text": "heading two"},
    {"id": "a/b/untitled", "text": "heading three"},
] + [{"id": f"notes/{i:02}.txt", "text": f"Note {i} on memory: pages, lines and fences."} for i in range(30)]


class SearchPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        at = cls.folder.name
        with open(f"{at}/d.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(document) + "\n" for document in DOCUMENTS)
        subprocess.run([PMDEX, "index", f"{at}/d.jsonl", "--index", f"{at}/index", "--store", "on", "--quiet"], check=True)
        cls.start_server("127.0.0.1:0")
        cls.browser = Browser(f"{at}/profile")

    @classmethod
    def start_server(cls, listen):
        cls.server = subprocess.Popen(
            [PMDEX, "serve", "--index", f"{cls.folder.name}/index", "--listen", listen, "--threads", "1"],
            stderr=subprocess.PIPE, text=True)
        cls.address = cls.server.stderr.readline().split()[-1].removeprefix("http://")

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()
        cls.server.kill()
        cls.server.wait()
        cls.server.stderr.close()
        cls.folder.cleanup()

    def open(self, query=""):
        self.browser.call("Page.navigate", url=f"http://{self.address}/{query}")
        self.browser.await_value("document.readyState", "complete")

    def hits(self):
        return self.browser.value("[...document.querySelectorAll('#hits b')].map((b) => b.textContent)")

    def message(self):
        return self.browser.value("document.getElementById('message').textContent")

    def await_hits(self, count):
        self.browser.await_value("document.querySelectorAll('#hits li').length", count)

    def test_searches_by_keyboard_alone(self):
        self.open()
        self.browser.await_value("document.activeElement.id", "q")
        self.browser.type("persistent engines")
        self.browser.key("Enter", "\r")
        self.await_hits(2)
        self.assertEqual(self.hits()[0], "pm-engines.txt")
        self.assertEqual(self.browser.value("document.querySelector('#hits .id').textContent"), "papers/pm-engines.txt")
        marks = self.browser.value("[...document.querySelectorAll('#hits li:first-child mark')].map((m) => m.textContent)")
        self.assertEqual({mark.lower() for mark in marks}, {"persistent", "engines"})
        self.assertRegex(self.message(), r"2 hits · [\d.]+ ms in the index, [\d.]+ ms in all")
        self.browser.key("ArrowDown")
        self.browser.key("j", "j")
        focused = "[...document.querySelectorAll('#hits li')].indexOf(document.activeElement)"
        self.assertEqual(self.browser.value(focused), 1)
        self.browser.key("k", "k")
        self.assertEqual(self.browser.value(focused), 0)
        self.browser.key("/", "/")
        self.assertEqual(self.browser.value("document.activeElement.id"), "q")
        self.browser.key("Escape")
        self.await_hits(0)
        self.assertEqual(self.browser.value("document.getElementById('q').value"), "")

    def test_shows_titles_of_stored_documents_and_ids_without_one(self):
        self.open("?q=heading")
        self.await_hits(3)
        self.browser.await_value("[...document.querySelectorAll('#hits b')].map((b) => b.textContent).sort().join('|')",
                                 "<b>Bold</b> title|An index on disks|untitled")
        ids = self.browser.value("[...document.querySelectorAll('#hits .id')].map((id) => id.textContent).sort()")
        self.assertEqual(ids, ["a/b/untitled", "t1", "x/t2"])

    def test_shows_where_the_time_went(self):
        self.open("?q=memory")
        self.await_hits(10)
        parts = self.browser.value("document.getElementById('bar').getAttribute('aria-label')")
        number = r"[\d.]+ ms "
        self.assertRegex(parts, f"^{number}waiting, {number}in the index, {number}writing the answer, "
                                f"{number}in the network, {number}showing it$")
        # The server says its parts, so that none of them is without a time.
        self.assertGreater(float(parts.split(", ")[1].split()[0]), 0)
        widths = self.browser.value("[...document.querySelectorAll('#bar span')].map((s) => parseFloat(s.style.width))")
        self.assertEqual(len(widths), 5)
        self.assertAlmostEqual(sum(widths), 100, delta=1)

    def test_shows_more_and_keeps_the_query_in_the_address(self):
        self.open("?q=memory")
        self.await_hits(10)
        self.browser.value("document.getElementById('more').click()")
        self.await_hits(33)
        self.assertTrue(self.browser.value("document.getElementById('more').hidden"))
        self.assertEqual(self.browser.value("location.search"), "?q=memory")
        self.assertFalse(self.browser.value("document.getElementById('spark').hasAttribute('hidden')"))

    def test_says_what_is_wrong_with_a_query_and_that_nothing_was_found(self):
        self.open("?q=(")
        self.browser.await_value("document.getElementById('message').className", "bad")
        self.assertIn("column", self.message())
        self.open("?q=nowhere")
        self.browser.await_value("document.getElementById('message').textContent.startsWith('No hits')", True)

    def test_runs_no_script_of_a_document_or_a_query(self):
        self.open("?q=persistent+%22%3Cscript%3Edocument.title%3D%27owned%27%3C/script%3E%22")
        self.browser.await_value("document.querySelectorAll('#hits li').length > 0", True)
        self.assertIn("<img src=x onerror=alert(1)>", self.hits())
        self.assertEqual(self.browser.value("document.querySelectorAll('#hits img, #hits script, #hits em').length"), 0)
        self.assertNotEqual(self.browser.value("document.title"), "owned")
        # A script that got into the page would not run either.
        self.browser.value("{const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
                           "document.body.append(s);}")
        self.assertIsNone(self.browser.value("window.owned"))

    def test_fits_a_phone(self):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=2, mobile=True)
        self.open("?q=memory")
        self.await_hits(10)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 360)
        self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_waits_for_a_slow_server_and_says_when_there_is_none(self):
        self.open("?q=memory")
        self.await_hits(10)
        self.server.send_signal(signal.SIGSTOP)
        self.browser.value("document.getElementById('form').requestSubmit()")
        self.browser.await_value("document.getElementById('message').textContent", "Searching …")
        self.browser.key("Escape")
        self.browser.await_value("document.getElementById('message').textContent", "Stopped")
        self.server.kill()
        self.server.wait()
        self.browser.value("document.getElementById('form').requestSubmit()")
        self.browser.await_value("document.getElementById('message').textContent", "The server cannot be reached")
        self.server.stderr.close()
        self.start_server(self.address)

    def test_zz_screenshot(self):
        if SCREENSHOT is None:
            self.skipTest("no file for it was given")
        self.open("?q=recovery+log")
        self.await_hits(6)
        for _ in range(12):
            before = self.browser.value("document.getElementById('spark').firstElementChild.getAttribute('points')")
            self.browser.value("document.getElementById('form').requestSubmit()")
            self.browser.await_value("document.getElementById('spark').firstElementChild.getAttribute('points') !== "
                                     + json.dumps(before), True)
        self.browser.screenshot(SCREENSHOT)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("no Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
