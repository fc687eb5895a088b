#!/usr/bin/env python3
"""Compares `pmdex search --count` with counts made by a script that shares no code with pmdex.

Reads the text files below the given roots, and splits them into words by a regular expression. It only reads ASCII files,
for which such an expression can express all of UAX #29. Then it asks pmdex for the number of documents of a few hundred
words.

  independent_counts.py PMDEX_BINARY ROOT...
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

MAX_FILES = 1500 if os.environ.get("PMDEX_TEST_EFFORT") == "full" else 300
MAX_FILE_BYTES = 1 << 20
WORDS = 400 if os.environ.get("PMDEX_TEST_EFFORT") == "full" else 150

# The words of UAX #29 in ASCII: letters, digits and underscores; . ' join letters, and . , ; ' join digits.
STANDARD = re.compile(
    r"(?:[A-Za-z0-9_]|(?<=[A-Za-z])[.'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))+"
)
LOG = re.compile(r"[A-Za-z0-9]+")


def standard_words(text):
    words = (word.lower() for word in STANDARD.findall(text))
    return {word for word in words if word.strip("_")}


def log_words(text):
    return {word.lower() for word in LOG.findall(text)}


def ascii_files(roots):
    found = []
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as file:
                    content = file.read(MAX_FILE_BYTES + 1)
                if len(content) <= MAX_FILE_BYTES and b"\0" not in content and content.isascii():
                    found.append((path, content.decode("ascii")))
    random.Random(1).shuffle(found)
    return found[:MAX_FILES]


def counts_by_pmdex(pmdex, index, words):
    queries = "".join(f'body:"{word}"\n' for word in words)
    done = subprocess.run(
        [pmdex, "search", "--index", index, "--queries", "-", "--json", "--count", "-k", "0"],
        input=queries, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer["total"]["value"] for answer in answers if "total" in answer]


def compare(pmdex, analyzer, words_of, documents, tree, scratch):
    index = os.path.join(scratch, "index-" + analyzer)
    subprocess.run([pmdex, "index", "--index", index, "--analyzer", analyzer, "--quiet", tree], check=True)
    frequencies = {}
    for _, text in documents:
        for word in words_of(text):
            if len(word) <= 255:
                frequencies[word] = frequencies.get(word, 0) + 1
    words = random.Random(2).sample(sorted(frequencies), min(WORDS, len(frequencies)))
    words += sorted(frequencies, key=frequencies.get)[-20:]
    counts = counts_by_pmdex(pmdex, index, words)
    wrong = [(word, frequencies[word], count)
             for word, count in zip(words, counts) if frequencies[word] != count]
    if len(counts) != len(words) or wrong:
        sys.exit(f"{analyzer}: {len(wrong)} of {len(words)} counts differ: {wrong[:10]}")
    print(f"{analyzer}: {len(words)} words over {len(documents)} files, all counts equal")


def main():
    pmdex, roots = sys.argv[1], sys.argv[2:]
    documents = ascii_files(roots)
    if len(documents) < 20:
        sys.exit("too few ASCII files to compare anything")
    scratch = tempfile.mkdtemp()
    try:
        tree = os.path.join(scratch, "tree")
        os.mkdir(tree)
        for number, (_, text) in enumerate(documents):
            with open(os.path.join(tree, f"{number}.txt"), "w", newline="") as file:
                file.write(text)
        compare(pmdex, "standard", standard_words, documents, tree, scratch)
        compare(pmdex, "log", log_words, documents, tree, scratch)
    finally:
        shutil.rmtree(scratch)


main()
