"""Builds, starts and measures the engines that are compared.

Shared by `compare` (indexing) and `search` (queries). Lucene runs on the `java` of $PMDEX_PEERS_JAVA or the path:
10.x from Java 21 on, else 9.12.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COUNTS = ("documents", "tokens", "postings", "terms")


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: error: {message}")


def quietly(command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-3000:], file=sys.stderr)
        fail(f"{' '.join(command)} failed")


def compiler_major():
    text = subprocess.run(["javac", "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return int(re.search(r"javac (\d+)", text).group(1))


def java_command(lucene, heap):
    """Builds the runner of Lucene. Returns the command that starts it."""
    java = os.environ.get("PMDEX_PEERS_JAVA", "java")
    text = subprocess.run([java, "-version"], stderr=subprocess.PIPE, text=True).stderr
    major = int(re.search(r'version "(\d+)', text).group(1))
    version = "10.6.0" if major >= 21 else "9.12.3"
    quietly(["mvn", "-q", "-B", f"-Dlucene.version={version}", "-Dmdep.overWriteReleases=true", "clean", "package"]
            if major >= 21 and compiler_major() >= 21 else ["mvn", "-q", "-B", "clean", "package"], lucene)
    if major >= 21 and compiler_major() < 21:
        # Compiled against 9.12, whose calls 10.x still has; run with 10.x.
        quietly(["mvn", "-q", "-B", f"-Dlucene.version={version}", "dependency:copy-dependencies",
                 "-DoutputDirectory=target/lib", "-Dmdep.stripVersion=true"], lucene)
        for name in os.listdir(f"{lucene}/target/lib"):
            if "9.12" in name:
                os.remove(f"{lucene}/target/lib/{name}")
    command = [java] + heap + ["-cp", f"{lucene}/target/classes:{lucene}/target/lib/*"]
    modules = subprocess.run([java, "--list-modules"], stdout=subprocess.PIPE, text=True).stdout
    if "jdk.incubator.vector" in modules:
        command[1:1] = ["--add-modules", "jdk.incubator.vector"]
    if major >= 21:
        command[1:1] = ["--enable-native-access=ALL-UNNAMED"]  # lets it advise the kernel about its mappings
    return command + ["pmdex.peers.LucenePeer"]


class Engines:
    """Makes the commands of the engines. options: engines, pmdex, positions, and merge (off, on, one: one segment)."""

    def __init__(self, options, heap=("-Xmx6g",)):
        self.options = options
        self.pmdex = options.pmdex
        self.tantivy = os.path.join(HERE, "tantivy", "target", "release", "tantivy-peer")
        self.lucene = None
        if "lucene" in options.engines:
            self.lucene = java_command(os.path.join(HERE, "lucene"), list(heap))
        if "tantivy" in options.engines:
            quietly(["cargo", "build", "--release", "--quiet"], os.path.join(HERE, "tantivy"))

    def index_command(self, engine, corpus, index, threads, memory):
        """memory: in MiB."""
        o = self.options
        lines = corpus.endswith((".log", ".dump"))
        if engine == "pmdex":
            command = [self.pmdex, "index", "--json", "--quiet", "--index", index, "--threads", str(threads),
                       "--memory", f"{memory}M", "--positions", o.positions,
                       "--analyzer", "log" if lines else "standard"]
            return command + (["--format", "lines", corpus] if lines else
                              ["--format", "jsonl", "--fields", "body", corpus])
        shared = ["index", "--input", corpus, "--index", index, "--format", "lines" if lines else "jsonl",
                  "--threads", str(threads), "--memory", str(memory), "--positions", o.positions,
                  "--merge", o.merge]
        if engine == "lucene":
            return self.lucene + shared + ["--analyzer", "log" if lines else "standard"]
        return [self.tantivy] + shared


def read_into_page_cache(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def folder_bytes(directory):
    return sum(os.path.getsize(os.path.join(base, name))
               for base, _, names in os.walk(directory) for name in names)


def touch_memory(gib):
    """Allocates, touches and frees `gib` GiB, so that this machine has them at hand.

    After a few seconds a virtual machine may return free memory to its host. The next process that touches this memory
    waits for the host, which would disturb a measurement at random.
    """
    if gib > 0:
        populate_write = 23  # MADV_POPULATE_WRITE, which the module mmap does not define
        subprocess.run([sys.executable, "-c", "import mmap\n"
                        f"memory = mmap.mmap(-1, {gib} << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
                        f"memory.madvise({populate_write})"], check=True)


def run_index(command, index, touched_gib=0):
    """Builds a new index. Returns what that cost, and the engine's report."""
    shutil.rmtree(index, ignore_errors=True)
    os.sync()
    touch_memory(touched_gib)
    with tempfile.TemporaryFile("w+") as messages:  # Java has warnings even when all is well
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        messages.seek(0)
        if status != 0:
            print(messages.read(), file=sys.stderr)
            fail(f"{' '.join(command)} failed")
    report = json.loads(output)
    return {"wall": wall, "inside": report["seconds"], "cpu": usage.ru_utime + usage.ru_stime,
            "peak": usage.ru_maxrss / 1024, "disk": folder_bytes(index) / 2**20, "report": report}


def check_counts(reports):
    """Fails unless the reports of all engines have the same numbers of documents, tokens, postings and terms."""
    differing = {key: {engine: report[key] for engine, report in reports.items()} for key in COUNTS}
    differing = {key: values for key, values in differing.items() if len(set(values.values())) > 1}
    if differing:
        fail("; ".join(f"{key} differ: {values}" for key, values in differing.items()))
    report = next(iter(reports.values()))
    print("counts agree: " + ", ".join(f"{report[key]:,} {key}" for key in COUNTS))
