#!/usr/bin/env python3
"""Drives what the search page of `pmdex serve` shows of fields that are not text, in headless Chromium: facets that
narrow the query, the histogram of a date, the order of the hits, and values that would be scripts or syntax of queries.
Exits with 77 where there is no Chromium.

  search_page_fields_test.py PMDEX [DIRECTORY]    screenshots of wide and narrow windows, dark and light, go there
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from headless_browser import CHROMIUM, Browser

PMDEX = sys.argv[1]
SCREENSHOTS = sys.argv[2] if len(sys.argv) > 2 else None
LEVELS = ["info", "info", "info", "warn", "error", '"><img src=x onerror=alert(1)>', 'a "quoted\\ value: AND (']
MESSAGES = ["Connection to the database was lost", "Request answered", "Cache is full, oldest entries leave",
            "User signed in", "Retry after timeout of the payment service"]
DOCUMENTS = [
    {"id": f"log/{i:04}", "message": f"{MESSAGES[i * 7 % 5]}, attempt {i % 3}", "level": LEVELS[i % 7],
     "host": f"web-{i * 31 % 11:02}", "bytes": i * i % 9973, "seconds": i % 40 / 8, "cached": i % 3 == 0,
     "time": f"2026-{1 + i % 10:02}-{1 + i % 28:02}T{i % 24:02}:30:00Z", "odd name:x": i % 5}
    for i in range(1000)]
SCHEMA = "".join(f'[fields."{name}"]\ntype = "keyword"\n' for name in ("level", "host"))


def count(field, value):
    return sum(document[field] == value for document in DOCUMENTS)


class SearchPageFields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        at = cls.folder.name
        with open(f"{at}/d.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(document) + "\n" for document in DOCUMENTS)
        with open(f"{at}/schema.toml", "w", encoding="utf-8") as file:
            file.write(SCHEMA)
        subprocess.run([PMDEX, "index", f"{at}/d.jsonl", "--index", f"{at}/logs", "--schema", f"{at}/schema.toml",
                        "--store", "on", "--quiet"], check=True)
        cls.server = subprocess.Popen(
            [PMDEX, "serve", "--index", f"{at}/logs", "--listen", "127.0.0.1:0", "--threads", "1"],
            stderr=subprocess.PIPE, text=True)
        cls.address = cls.server.stderr.readline().split()[-1].removeprefix("http://")
        cls.browser = Browser(f"{at}/profile")

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

    def await_total(self, total):
        self.browser.await_value("document.getElementById('message').textContent.split(' hit')[0]", f"{total:,}")

    def await_facets(self):
        self.browser.await_value("document.querySelectorAll('#panels section').length > 0", True)

    def values_of(self, field):
        """Returns the counts by value that the panel of a field shows."""
        return dict(self.browser.value(
            f"[...[...document.querySelectorAll('#panels section')].find((s) => s.querySelector('h2').textContent === "
            f"{json.dumps(field)}).querySelectorAll('.value')].map((v) => [v.querySelector('b').textContent, "
            f"Number(v.querySelector('small').textContent.replace(',', ''))])"))

    def choose(self, value):
        self.browser.value(f"[...document.querySelectorAll('.value b')].find((b) => b.textContent === "
                           f"{json.dumps(value)}).parentElement.click()")

    def chips(self):
        return self.browser.value("[...document.querySelectorAll('.chip')].map((c) => c.firstChild.textContent)")

    def test_counts_all_matches_by_field(self):
        self.open("?q=*")
        self.await_total(1000)
        self.await_facets()
        self.assertEqual(self.values_of("level"), {level: count("level", level) for level in set(LEVELS)})
        self.assertEqual(self.values_of("cached"), {"true": 334, "false": 666})
        self.assertEqual(len(self.values_of("host")), 8)
        self.assertFalse(self.browser.value("document.getElementById('time').hidden"))
        self.assertGreater(self.browser.value("document.querySelectorAll('#bars g').length"), 5)

    def test_narrows_the_query_by_a_click_and_widens_it_again(self):
        self.open("?q=*")
        self.await_facets()
        self.choose("error")
        self.await_total(count("level", "error"))
        self.assertEqual(self.chips(), ["level: error"])
        address = self.browser.value("location.search")
        self.assertIn("f=", address)
        self.open(address)  # the address is enough to come back
        self.await_total(count("level", "error"))
        self.await_facets()
        self.choose("web-03")
        both = sum(d["level"] == "error" and d["host"] == "web-03" for d in DOCUMENTS)
        self.await_total(both)
        self.browser.value("document.querySelector('.chip').click()")
        self.await_total(count("host", "web-03"))
        self.browser.value("document.querySelector('.chip').click()")
        self.await_total(1000)

    def test_takes_any_value_as_a_value(self):
        for level in LEVELS[-2:]:
            self.open("?q=*")
            self.await_facets()
            self.choose(level)
            self.await_total(count("level", level))
            self.assertEqual(self.chips(), [f"level: {level}"])
        self.assertEqual(self.browser.value("document.querySelectorAll('img').length"), 0)
        self.open("?q=*&f=" + "%5B%22odd name:x%22,3%5D")
        self.await_total(200)
        self.open("?q=*&f=nonsense&f=%7B%7D&f=%5B%22level%22%5D")
        self.await_total(1000)

    def test_narrows_to_a_bar_of_the_histogram_by_mouse_and_by_key(self):
        self.open("?q=*")
        self.await_facets()
        bars = self.browser.value("[...document.querySelectorAll('#bars g')].map((g) => g.getAttribute('aria-label'))")
        counts = [int(bar.rsplit(": ", 1)[1].replace(",", "")) for bar in bars]
        self.assertEqual(sum(counts), 1000)
        busy = max(range(1, len(counts) - 1), key=counts.__getitem__)
        self.browser.value(f"document.querySelectorAll('#bars g')[{busy}].dispatchEvent(new MouseEvent('click'))")
        self.await_total(counts[busy])
        self.assertTrue(self.chips()[0].startswith("time: 2026-"))
        self.open("?q=*")
        self.await_facets()
        self.browser.value(f"document.querySelectorAll('#bars g')[{len(counts) - 1}].focus()")
        self.browser.key("Enter", "\r")
        self.await_total(counts[-1])

    def test_sorts_the_hits(self):
        self.open("?q=*&sort=bytes%3Adesc")
        self.await_total(1000)
        greatest = max(DOCUMENTS, key=lambda document: document["bytes"])
        first = "document.querySelector('#hits li')"
        self.assertEqual(self.browser.value(f"{first}.querySelector('b').textContent"), greatest["id"].rsplit("/", 1)[-1])
        self.assertIn(f"bytes {greatest['bytes']:,}", self.browser.value(f"{first}.querySelector('.values').textContent"))
        self.browser.value("{const s = document.getElementById('sort'); s.value = 'bytes:asc';"
                           "s.dispatchEvent(new Event('change'));}")
        self.browser.await_value(f"{first}.querySelector('b').textContent", "0000")
        self.assertIn("sort=bytes%3Aasc", self.browser.value("location.search"))

    def test_counts_another_field(self):
        self.open("?q=*")
        self.await_facets()
        shown = "[...document.querySelectorAll('#panels h2')].map((h) => h.textContent)"
        more = self.browser.value("[...document.getElementById('addfacet').options].map((o) => o.value).filter(Boolean)")
        for name in more:
            self.assertNotIn(name, self.browser.value(shown))
            self.browser.value("{const s = document.getElementById('addfacet'); s.value = " + json.dumps(name) +
                               "; s.dispatchEvent(new Event('change'));}")
            self.browser.await_value(f"{shown}.includes({json.dumps(name)})", True)

    def test_points_at_the_column_of_what_was_written(self):
        self.open("?q=level:error+%5D%5D&f=%5B%22level%22,%22error%22%5D")
        self.browser.await_value("document.getElementById('message').className", "bad")
        with_filter = self.browser.value("document.getElementById('message').textContent")
        self.open("?q=level:error+%5D%5D")
        self.browser.await_value("document.getElementById('message').className", "bad")
        self.assertEqual(self.browser.value("document.getElementById('message').textContent"), with_filter)

    def test_fits_a_phone(self):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=2, mobile=True)
        self.open("?q=*&f=" + "%5B%22level%22,%22error%22%5D")
        self.await_facets()
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 360)
        self.assertFalse(self.browser.value("document.getElementById('facets').open"))
        self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_zz_screenshots(self):
        if SCREENSHOTS is None:
            self.skipTest("no directory for them was given")
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width in (1280, 700, 390):
                self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                                  mobile=width < 500)
                self.open("?q=timeout+OR+lost&f=" + "%5B%22level%22,%22info%22%5D")
                self.await_facets()
                self.browser.screenshot(f"{SCREENSHOTS}/{scheme}-{width}.png")


class SearchPageOfFiles(unittest.TestCase):
    def test_counts_what_readers_ask_for_first(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as at:
            os.makedirs(f"{at}/files/sub")
            for i in range(60):
                path = f"{at}/files/{'sub/' * (i % 2)}{i}.{['txt', 'md', 'c'][i % 3]}"
                with open(path, "w", encoding="utf-8") as file:
                    file.write("fox " * i)
                os.chmod(path, [0o644, 0o600][i % 4 == 0])
            subprocess.run([PMDEX, "index", f"{at}/files", "--index", f"{at}/i", "--quiet"], check=True)
            with subprocess.Popen([PMDEX, "serve", "--index", f"{at}/i", "--listen", "127.0.0.1:0"],
                                  stderr=subprocess.PIPE, text=True) as server:
                browser = Browser(f"{at}/profile")
                try:
                    browser.call("Page.navigate", url=f"{server.stderr.readline().split()[-1]}/?q=fox")
                    browser.await_value("[...document.querySelectorAll('#panels h2')].map((h) => h.textContent)",
                                        ["dir", "ext", "mime", "mode", "size"])
                finally:
                    browser.end()
                    server.kill()


class SearchPageOfAUser(unittest.TestCase):
    """A user who may see some of the entries gets no counts of fields, and facets and a histogram all the same."""

    def test_counts_fields_whose_documents_the_server_does_not_count(self):
        types = {"access": "keyword", "ext": "keyword", "name": "keyword", "atime": "date", "mtime": "date"}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as at:
            with open(f"{at}/d.jsonl", "w", encoding="utf-8") as file:
                for i in range(30):
                    file.write(json.dumps({
                        "id": f"gone/{i}", "body": "fox", "name": f"{i}.txt", "ext": ["txt", "md"][i % 2],
                        "atime": "2026-05-01T00:00:00Z", "mtime": f"2026-{1 + i % 10:02}-03T00:00:00Z",
                        "access": f"0:0:06{i % 3 * 2}{i % 3 * 2}|0:0:0755"}) + "\n")
            with open(f"{at}/schema.toml", "w", encoding="utf-8") as file:
                file.writelines(f'[fields.{name}]\ntype = "{kind}"\n' for name, kind in types.items())
            with open(f"{at}/users", "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write("a-token-of-a-user 61002\n")
            subprocess.run([PMDEX, "index", f"{at}/d.jsonl", "--index", f"{at}/i", "--schema", f"{at}/schema.toml",
                            "--quiet"], check=True)
            with subprocess.Popen([PMDEX, "serve", "--index", f"{at}/i", "--listen", "127.0.0.1:0", "--user-map",
                                   f"{at}/users"], stderr=subprocess.PIPE, text=True) as server:
                address = server.stderr.readline().split()[-1]
                browser = Browser(f"{at}/profile")
                try:
                    browser.call("Network.enable")
                    browser.call("Network.setExtraHTTPHeaders", headers={"Authorization": "Bearer a-token-of-a-user"})
                    browser.call("Page.navigate", url=f"{address}/?q=*")
                    browser.await_value("document.getElementById('message').textContent.split(' hit')[0]", "10")
                    browser.await_value("[...document.querySelectorAll('#panels h2')].map((h) => h.textContent)",
                                        ["ext"])
                    browser.await_value("document.getElementById('date').value", "mtime")
                    browser.await_value("document.querySelectorAll('#bars g').length > 1", True)
                finally:
                    browser.end()
                    server.kill()


if __name__ == "__main__":
    if CHROMIUM is None:
        print("no Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
