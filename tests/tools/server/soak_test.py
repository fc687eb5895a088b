#!/usr/bin/env python3
"""A soak of `pmdex serve`: good clients at a steady rate, a writer that publishes generations and makes the index
anew, and clients that abuse the server, all at once. No request of the good clients may fail, and the server must give
back what the others took. Then the same while a segment is cut off under the server, and while its index is removed.

  soak_test.py PMDEX [SECONDS]    default: 5, with PMDEX_TEST_EFFORT=full 60; for hours by hand
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PMDEX = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60 if os.environ.get("PMDEX_TEST_EFFORT") == "full" else 5
HALF_OPEN = 1000
MOST_GROWTH_BYTES = 32 << 20
IS_SANITIZED = os.environ.get("PMDEX_SANITIZE", "") not in ("", "OFF")  # needs memory of its own, and is slow
RATE = 40 if IS_SANITIZED else 200
ABUSE_PAUSE = 0.05 if IS_SANITIZED else 0.01  # seconds; the good clients need the CPU, too
GENERATIONS = 20  # that are appended before the index is made anew
REQUESTS = """w1 w2
+w3 +w4 -w5
w1*
"w1 w2"~5
GET /search?q=w7+w8+w9&k=100&snippets=true
GET /search?q=*&k=1000&count=true
POST /search {"queries": ["w1", "w2 w3", {"query": "w4", "explain": true}], "k": 3}
GET /stats
GET /healthz
"""
ABUSE = [
    b"GET /search?q=w1 HTTP/1.1\r\nHo",
    b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 20000,
    b"POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n{",
    b"POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x",
    b"GET /search?q=" + b"(" * 10000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /search?q=*&k=1000000&snippets=true HTTP/1.1\r\nHost: x\r\n\r\n" * 5,
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    b"\r\n" * 5000,
]


class Server:
    """`pmdex serve` over an index of its own, and what its process holds."""

    def __init__(self, folder):
        self.at, self.index, self.socket = folder, f"{folder}/index", f"{folder}/socket"
        self.random = random.Random(1)
        self.add(2000, "--store", "on")
        self.process = subprocess.Popen(
            [PMDEX, "serve", "--index", f"docs={self.index}", "--listen", f"unix:{self.socket}", "--threads", "2",
             "--access-log", f"{folder}/access", "--slow-log", f"{folder}/slow", "--slow-ms", "0"],
            stderr=subprocess.PIPE, text=True)
        self.process.stderr.readline()
        self.reader = threading.Thread(target=self.process.stderr.read)  # so that it never waits for a reader
        self.reader.start()

    def add(self, documents, *flags):
        with open(f"{self.at}/d.jsonl", "w", encoding="utf-8") as file:
            for i in range(documents):
                words = " ".join(f"w{min(int(self.random.paretovariate(0.6)), 500)}" for _ in range(30))
                file.write(json.dumps({"id": str(i), "text": words}) + "\n")
        subprocess.run([PMDEX, "index", f"{self.at}/d.jsonl", "--index", self.index, "--quiet", *flags], check=True)

    def connect(self):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(60)
        one.connect(self.socket)
        return one

    def get(self, path):
        with self.connect() as one:
            one.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := one.recv(65536):
                answer += piece
        head, body = answer.split(b"\r\n\r\n", 1)
        return int(head.split()[1]), body.decode()

    def metric(self, name):
        lines = [line for line in self.get("/metrics")[1].splitlines() if line.startswith(name)]
        return float(lines[0].split()[-1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_bytes(self):
        """Without the pages of files, which are the index."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon"))

    def load(self, seconds):
        """Good clients, for so long, as a process that prints JSON."""
        with open(f"{self.at}/requests", "w", encoding="utf-8") as file:
            file.write(REQUESTS)
        return subprocess.Popen(
            [PMDEX, "bench-server", f"unix:{self.socket}", "--requests", f"{self.at}/requests", "--rate", str(RATE),
             "--connections", "16", "--seconds", str(seconds), "--timeout-ms", "60000", "--json"],
            stdout=subprocess.PIPE, text=True)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()


def await_true(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            return False
    return True


class Soak(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.server = Server(folder.name)
        self.addCleanup(self.server.end)

    def expect_all_answered(self, load):
        text = load.communicate()[0]
        self.assertEqual(load.returncode, 0)
        step = json.loads(text)["steps"][0]
        self.assertGreater(step["ok"], 0)
        self.assertEqual(step["errors"], 0, text)
        print(f"{step['ok']} answered, {step['shed']} refused because of load, p99 {step['latency']['p99_us']:.0f} us")

    def write_until(self, stop):
        while not stop.is_set():
            for _ in range(GENERATIONS):
                if not stop.is_set():
                    self.server.add(20, "--append")
            self.server.add(2000, "--store", "on", "--overwrite")

    def abuse_until(self, stop):
        chosen, open_ones = random.Random(2), []
        while not stop.is_set():
            try:
                one = self.server.connect()
                one.setblocking(False)
                one.send(chosen.choice(ABUSE))
                open_ones.append(one)
            except OSError:  # it is closed already
                pass
            if len(open_ones) >= 100:
                open_ones.pop(chosen.randrange(len(open_ones))).close()
            time.sleep(ABUSE_PAUSE)
        for one in open_ones:
            one.close()

    def test_good_clients_notice_neither_writers_nor_abuse(self):
        server = self.server
        before_descriptors = server.descriptors()
        load, stop = server.load(SECONDS), threading.Event()
        others = [threading.Thread(target=run, args=(stop,)) for run in (self.write_until, self.abuse_until)]
        for thread in others:
            thread.start()
        try:
            self.expect_all_answered(load)
        finally:
            stop.set()
            for thread in others:
                thread.join()
        self.assertEqual(server.get("/healthz")[0], 200)
        documents = json.loads(subprocess.run([PMDEX, "info", "--index", server.index, "--json"], check=True, text=True,
                                              stdout=subprocess.PIPE).stdout)["documents"]
        self.assertTrue(await_true(lambda: server.metric("pmdex_index_documents{") == documents))
        self.assertTrue(await_true(lambda: server.descriptors() <= before_descriptors + 2), server.descriptors())
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(), 0)

    def test_half_open_connections_take_little_memory(self):
        server = self.server
        server.get("/search?q=w1")
        before = server.resident_bytes()
        load = server.load(min(SECONDS, 10))
        half_open = []
        for _ in range(HALF_OPEN):
            half_open.append(server.connect())
            half_open[-1].send(ABUSE[0])
        self.expect_all_answered(load)
        # The server may still have to see that the good clients have gone.
        self.assertTrue(await_true(lambda: server.metric("pmdex_connections ") <= HALF_OPEN + 1))
        if not IS_SANITIZED:
            self.assertLess(server.resident_bytes() - before, MOST_GROWTH_BYTES)
        for one in half_open:
            one.close()

    def test_answers_what_is_left_while_its_index_goes_away(self):
        server = self.server
        server.add(2000, "--append")
        self.assertTrue(await_true(lambda: server.metric("pmdex_index_documents{") == 4000))
        load = server.load(min(SECONDS, 10))
        segments = sorted(name for name in os.listdir(server.index) if name.startswith("segment-"))
        os.truncate(f"{server.index}/{segments[0]}", 0)
        self.assertTrue(await_true(lambda: '"partial":true' in server.get("/search?q=w1&count=true")[1]))
        shutil.rmtree(server.index)
        self.assertTrue(await_true(lambda: server.metric("pmdex_index_reload_failures_total{") > 0))
        self.expect_all_answered(load)
        self.assertEqual(server.metric("pmdex_index_quarantined_segments{"), 1)
        server.add(100)
        self.assertTrue(await_true(lambda: server.metric("pmdex_index_documents{") == 100))
        self.assertEqual(server.metric("pmdex_index_quarantined_segments{"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
